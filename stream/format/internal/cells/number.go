package cells

import (
	"bytes"
	"math"
	"slices"

	"github.com/orffvar/forecaster/stream/internal/decimal"
	"github.com/orffvar/forecaster/stream/refuse"
)

var Missing = []string{"NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", `\N`, "None", "-", "unavailable", "unknown"}

// IsMissing reports whether a cell is a usual spelling of a missing value, or one of others.
func IsMissing(text []byte, others []string) bool {
	is := func(spelling string) bool { return spelling == string(text) }
	return len(text) == 0 || slices.ContainsFunc(Missing, is) || slices.ContainsFunc(others, is)
}

// Numbers reads numbers with one decimal mark and one separator of thousands. It is not safe for concurrent use.
type Numbers struct {
	decimal, thousands byte
	missing            []string
	absent             []float64 // numbers that mean a missing value
	rewritten          []byte    // scratch
}

// NewNumbers returns a reader of numbers with a decimal mark (0: '.'), a separator of thousands (0: none), and further
// spellings of a missing value. A number such as -999 stands for all its spellings.
func NewNumbers(point, thousands byte, missing []string) Numbers {
	n := Numbers{decimal: point, thousands: thousands, missing: missing}
	for _, s := range missing {
		if v, err := decimal.Parse(n.withPoint([]byte(s))); err == nil && v-v == 0 {
			n.absent = append(n.absent, v)
		}
	}
	return n
}

// Plain reports whether decimal.ParsePlain reads every number like Parse.
func (n *Numbers) Plain() bool {
	return n.decimal != ',' && n.thousands == 0 && len(n.absent) == 0
}

// Parse returns a number; NaN for a missing value. The error has the form that the text should have.
func (n *Numbers) Parse(text []byte) (float64, *refuse.Error) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || IsMissing(text, n.missing) {
		return math.NaN(), nil
	}
	if rest, ok := bytes.CutPrefix(text, []byte("\u2212")); ok { // the typographic minus
		text = append([]byte{'-'}, rest...)
	}
	v, err := decimal.Parse(n.withPoint(text))
	switch {
	case err == nil && slices.Contains(n.absent, v):
		return math.NaN(), nil
	case err != nil:
		switch string(text) {
		case "true", "True", "TRUE":
			return 1, nil
		case "false", "False", "FALSE":
			return 0, nil
		case "#DIV/0!", "#REF!", "#VALUE!", "#NUM!", "#NAME?", "#NULL!": // errors of a spreadsheet
			return math.NaN(), nil
		}
		return 0, &refuse.Error{Reason: refuse.Malformed, Detail: "a number"}
	case v-v != 0:
		return 0, &refuse.Error{Reason: refuse.NonFinite, Detail: "a finite number; a missing value is an empty field"}
	}
	return v, nil
}

// withPoint rewrites a number with a decimal point and without separators of thousands. It returns nil if the
// separators are not between groups of three digits: with points between thousands, 1.5 and 0.123 are not numbers.
// Groups of two, as in 12,34,567, are usual in India.
func (n *Numbers) withPoint(text []byte) []byte {
	if n.decimal != ',' && n.thousands == 0 {
		return text
	}
	if slices.ContainsFunc(text, func(b byte) bool { return b >= 0x80 }) {
		text = []byte(otherMarks.Replace(string(text)))
	}
	n.rewritten = n.rewritten[:0]
	groups, digits, lead, whole := 0, 0, byte(0), true // digits of this group, lead is the first of all
	for _, b := range text {
		switch {
		case b == n.thousands:
			if !whole || lead == '0' || digits == 0 || digits > 3 || groups > 0 && digits < 2 {
				return nil
			}
			groups, digits = groups+1, 0
			continue
		case b == '.' && n.decimal == ',':
			return nil // 1.5 with points between thousands
		case b >= '0' && b <= '9':
			if lead == 0 {
				lead = b
			}
			digits++
		case lead != 0 && whole: // the fraction or the exponent begins
			if whole = false; groups > 0 && digits != 3 {
				return nil
			}
		}
		if b == ',' && n.decimal == ',' {
			b = '.'
		}
		n.rewritten = append(n.rewritten, b)
	}
	if whole && groups > 0 && digits != 3 {
		return nil
	}
	return n.rewritten
}
