package cells

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/internal/lazyregexp"
	"github.com/orffvar/forecaster/internal/shell"
	"github.com/orffvar/forecaster/stream/format/timestamp"
)

// Numbers with other text: a unit after, a currency before, parentheses for a minus.
var (
	withUnit     = lazyregexp.New(`^[-+]?\d[\d.,]*(?:[eE][-+]?\d{1,2})?([ \x{a0}]?[%‰°\pL\p{Sc}][%‰°/\pL\p{Sc}]{0,5})$`)
	withCurrency = lazyregexp.New(`^[-+]?(\p{Sc}[ \x{a0}]?)[-+]?[\d.][\d.,]*$`)
	fortran      = lazyregexp.New(`^[-+]?[\d.]+[dD][-+]?\d{1,3}$`)
	inBrackets   = lazyregexp.New(`^\([\d.,]*\d\)$`)
)

// Stripped returns the command that removes this cell's unit, currency or parentheses from all cells of a file; "":
// the cell is not such a number. Cells with another unit stay, so that values of different units are not mixed.
func Stripped(cell string) string {
	program := ""
	if m := withUnit().FindStringSubmatch(cell); m != nil && Multiples[m[1]] > 0 {
		program = fmt.Sprintf(`s/([0-9])%s([[:space:]",;|]|$)/\1e%d\2/g`, literal(m[1]), Multiples[m[1]])
	} else if m != nil {
		program = fmt.Sprintf(`s/([0-9])%s([[:space:]",;|]|$)/\1\2/g`, literal(m[1]))
	} else if m := withCurrency().FindStringSubmatch(cell); m != nil {
		program = fmt.Sprintf(`s/%s([-+.0-9])/\1/g`, literal(m[1]))
	} else if fortran().MatchString(cell) {
		program = `s/([0-9.])[dD]([-+]?[0-9])/\1e\2/g`
	} else if inBrackets().MatchString(cell) {
		program = `s/\(([0-9.,]+)\)/-\1/g`
	} else {
		return ""
	}
	return "sed -E " + shell.Quote(program) + " IN > OUT"
}

// literal quotes text for a pattern of sed.
func literal(text string) string { return strings.ReplaceAll(regexp.QuoteMeta(text), "/", `\/`) }

// UnitOf returns the unit or the currency of a number, with the blank before or after it; "": the cell has none, or is
// not a number.
func UnitOf(cell string) string {
	if timestamp.IsNumber([]byte(cell)) {
		return ""
	}
	for _, form := range []lazyregexp.Regexp{withUnit, withCurrency} {
		if m := form().FindStringSubmatch(cell); m != nil && !halfDay().MatchString(m[1]) {
			return m[1]
		}
	}
	return ""
}

var halfDay = lazyregexp.New(`(?i)^ ?[ap]m$`)

// WithoutUnit returns a number without its unit or currency.
func WithoutUnit(text []byte, unit string) []byte {
	if rest, ok := bytes.CutSuffix(text, []byte(unit)); ok {
		return rest
	}
	if at := bytes.Index(text, []byte(unit)); at == 0 || at == 1 && (text[0] == '-' || text[0] == '+') {
		return slices.Concat(text[:at], text[at+len(unit):])
	}
	return text
}

// Multiples are the powers of ten of the suffixes of numbers and the prefixes of units.
var Multiples = map[string]int{"k": 3, "K": 3, "M": 6, "G": 9, "T": 12, " k": 3, " K": 3, " M": 6, " G": 9, " T": 12}

// NeedsUnit reports whether a number without the unit of its column may be another one: 1.2 beside 1.2k may be 1.2, and
// 0.5 beside 50 % may be 50 %.
func NeedsUnit(unit string, v float64) bool {
	return v != 0 && v == v && (Multiples[unit] > 0 || strings.TrimSpace(unit) == "%" && math.Abs(v) < 1)
}

// Shares returns the command that writes per cents as shares of 1.
func Shares(unit string) string {
	return "sed -E " + shell.Quote(fmt.Sprintf(`s/([0-9])%s([[:space:]",;|]|$)/\1e-2\2/g`, literal(unit))) + " IN > OUT"
}

// Scaled returns the command that converts numbers in unit to other, if the two differ by a power of ten, such as GB
// and MB; "" for other units.
func Scaled(unit, other string) string {
	power := func(u string) (power int, base string) {
		u = strings.TrimSpace(u)
		if Multiples[u] > 0 {
			return Multiples[u], ""
		}
		if len(u) > 1 && Multiples[u[:1]] > 0 && u[1] != 'i' {
			return Multiples[u[:1]], u[1:]
		}
		return 0, u
	}
	to, base := power(unit)
	from, same := power(other)
	if base != same || from == to {
		return ""
	}
	return "sed -E " + shell.Quote(fmt.Sprintf(`s/([0-9])%s([[:space:]",;|]|$)/\1e%d%s\2/g`, literal(other), from-to, strings.ReplaceAll(unit, "/", `\/`))) + " IN > OUT"
}

// Blank returns a unit with one blank before it.
func Blank(unit string) string { return " " + strings.TrimSpace(unit) }

// Hint returns the remedy for a text that is not a number, in a column with a unit and a separator of thousands; "":
// no remedy is known. set returns the setting that gives a field of CSVConfig a value.
func Hint(text []byte, unit string, thousands byte, set func(field, value string) string) string {
	cell := strings.TrimSpace(string(text))
	if other := UnitOf(cell); unit != "" && other != "" {
		if command := Scaled(unit, other); command != "" {
			return ": bring it to the unit of the column with  " + command
		}
		return fmt.Sprintf(", as other cells of the column are in%s: write it in this unit, or leave it empty", Blank(unit))
	}
	if command := Stripped(cell); command != "" {
		return ": make it one with  " + command
	}
	if mark := ThousandsMark(cell); mark != 0 && mark != thousands {
		return ": say " + set("CSVConfig.Thousands", string(mark))
	}
	return ""
}
