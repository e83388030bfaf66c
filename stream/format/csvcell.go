package format

import (
	"bytes"
	"encoding/csv"
	"errors"
	"math"
	"slices"

	"github.com/orffvar/forecaster/internal/decimal"
	"github.com/orffvar/forecaster/stream"
)

var missingSpellings = []string{"NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", `\N`, "None", "-", "unavailable", "unknown"}

// split finds the fields of a line. encoding/csv, which allocates, is asked only
// where there are quotes.
func (d *CSV) split(line []byte) error {
	d.fields = d.fields[:0]
	line = bytes.TrimRight(line, "\n")
	if bytes.IndexByte(line, '\n') >= 0 {
		return errors.New("more than one line")
	}
	if bytes.IndexByte(line, '"') < 0 {
		line = bytes.TrimSuffix(line, []byte("\r"))
		for from := 0; ; {
			n := bytes.IndexByte(line[from:], d.c.Comma)
			if n < 0 {
				d.fields = append(d.fields, line[from:])
				return nil
			}
			d.fields = append(d.fields, line[from:from+n])
			from += n + 1
		}
	}
	cr := csv.NewReader(bytes.NewReader(line))
	cr.Comma = rune(d.c.Comma)
	cr.FieldsPerRecord = -1
	fields, err := cr.Read()
	if err != nil {
		var parse *csv.ParseError
		if errors.As(err, &parse) {
			err = parse.Err
		}
		return err
	}
	for _, f := range fields {
		d.fields = append(d.fields, []byte(f))
	}
	return nil
}

// setMissing finds the numbers, such as -999, that stand for a missing value.
func (d *CSV) setMissing() {
	d.absent = nil
	for _, s := range d.c.Missing {
		if v, err := decimal.Parse(d.withPoint([]byte(s))); err == nil && v-v == 0 {
			d.absent = append(d.absent, v)
		}
	}
	d.plain = d.plain && len(d.absent) == 0
}

// value reads a number; the error says what the text is not.
func (d *CSV) value(text []byte) (float64, *stream.DataError) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || contains(missingSpellings, text) || contains(d.c.Missing, text) {
		return math.NaN(), nil
	}
	if rest, ok := bytes.CutPrefix(text, []byte("\u2212")); ok { // the minus of typographers
		text = append([]byte{'-'}, rest...)
	}
	v, err := decimal.Parse(d.withPoint(text))
	switch {
	case err == nil && slices.Contains(d.absent, v):
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
		return 0, &stream.DataError{Reason: stream.Malformed, Detail: "a number"}
	case v-v != 0:
		return 0, &stream.DataError{Reason: stream.NonFinite, Detail: "a finite number; a missing value is an empty field"}
	}
	return v, nil
}

// withPoint rewrites a number with a decimal comma or separators of thousands as Go reads it; nil
// where the separators do not make groups of three digits: 1.5 and 0.123 are no numbers with points
// between thousands. Groups of two, as in 12,34,567, are usual in India.
func (d *CSV) withPoint(text []byte) []byte {
	if d.c.Decimal != ',' && d.c.Thousands == 0 {
		return text
	}
	if slices.ContainsFunc(text, func(b byte) bool { return b >= 0x80 }) {
		text = []byte(otherMarks.Replace(string(text)))
	}
	d.rewritten = d.rewritten[:0]
	groups, digits, lead, whole := 0, 0, byte(0), true // digits of this group, lead is the first of all
	for _, b := range text {
		switch {
		case b == d.c.Thousands:
			if !whole || lead == '0' || digits == 0 || digits > 3 || groups > 0 && digits < 2 {
				return nil
			}
			groups, digits = groups+1, 0
			continue
		case b == '.' && d.c.Decimal == ',':
			return nil // 1.5 is no number here
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
		if b == ',' && d.c.Decimal == ',' {
			b = '.'
		}
		d.rewritten = append(d.rewritten, b)
	}
	if whole && groups > 0 && digits != 3 {
		return nil
	}
	return d.rewritten
}

// withClock joins a date and a time of day such as 9:30, 18.00.00 or 6:00 PM.
func (d *CSV) withClock(date, clock []byte) []byte {
	d.rewritten = append(append(d.rewritten[:0], date...), ' ')
	if len(clock) > 1 && (clock[1] == ':' || clock[1] == '.') {
		d.rewritten = append(d.rewritten, '0')
	}
	points := 0
	for _, b := range clock {
		if b == '.' && points < 2 {
			b = ':'
		}
		if b == ':' {
			points++
		}
		d.rewritten = append(d.rewritten, b)
	}
	return d.rewritten
}
