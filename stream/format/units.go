package format

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/internal/shell"
)

// Numbers with other text: a unit behind, a currency before, parentheses for a minus.
var (
	withUnit     = regexp.MustCompile(`^[-+]?\d[\d.,]*([ \x{a0}]?[%‰°\pL\p{Sc}][%‰°/\pL\p{Sc}]{0,5})$`)
	withCurrency = regexp.MustCompile(`^[-+]?(\p{Sc}[ \x{a0}]?)[-+]?[\d.][\d.,]*$`)
	inBrackets   = regexp.MustCompile(`^\([\d.,]*\d\)$`)
)

// stripped returns the command that makes a file's cells like this one numbers, "" where the cell is
// no number with a unit, a currency or parentheses. A cell with another unit stays as it is, so that
// values of different units are not mixed.
func stripped(cell string) string {
	program := ""
	if m := withUnit.FindStringSubmatch(cell); m != nil {
		program = fmt.Sprintf(`s/([0-9])%s([[:space:]",;|]|$)/\1\2/g`, literal(m[1]))
	} else if m := withCurrency.FindStringSubmatch(cell); m != nil {
		program = fmt.Sprintf(`s/%s([-+.0-9])/\1/g`, literal(m[1]))
	} else if inBrackets.MatchString(cell) {
		program = `s/\(([0-9.,]+)\)/-\1/g`
	} else {
		return ""
	}
	return "sed -E " + shell.Quote(program) + " IN > OUT"
}

// literal writes text for a pattern of sed.
func literal(text string) string { return strings.ReplaceAll(regexp.QuoteMeta(text), "/", `\/`) }

// unitOf returns the unit or the currency of a number, with the blank before or behind it; "" = it has
// none, or is no number.
func unitOf(cell string) string {
	for _, form := range []*regexp.Regexp{withUnit, withCurrency} {
		if m := form.FindStringSubmatch(cell); m != nil && !halfDay.MatchString(m[1]) {
			return m[1]
		}
	}
	return ""
}

var halfDay = regexp.MustCompile(`(?i)^ ?[ap]m$`)

// findUnits finds the columns whose numbers have one unit, which is left out.
func (s *sniffer) findUnits() {
	c := &s.out.CSV
	for i, name := range s.header {
		row := slices.IndexFunc(s.rows, func(row []string) bool { return unitOf(row[i]) != "" })
		if row < 0 {
			continue
		}
		unit := unitOf(s.rows[row][i])
		n := 0
		ok := s.nearlyAll(i, func(cell string) bool {
			if unitOf(cell) == unit {
				n++
				return true
			}
			return s.isValue(cell)
		})
		if !ok || 2*n < len(s.rows) {
			continue
		}
		if c.Units == nil {
			c.Units = make(map[string]string)
		}
		c.Units[name] = unit
		s.out.Assumptions = append(s.out.Assumptions, Assumption{Text: fmt.Sprintf("%s in %s", name, strings.TrimSpace(unit)), Usual: true})
		for _, row := range s.rows {
			row[i] = string(withoutUnit([]byte(row[i]), unit))
		}
	}
}

// withoutUnit returns a number without its unit or currency.
func withoutUnit(text []byte, unit string) []byte {
	if rest, ok := bytes.CutSuffix(text, []byte(unit)); ok {
		return rest
	}
	if at := bytes.Index(text, []byte(unit)); at == 0 || at == 1 && (text[0] == '-' || text[0] == '+') {
		return slices.Concat(text[:at], text[at+len(unit):])
	}
	return text
}
