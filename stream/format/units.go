package format

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/internal/lazyregexp"
	"github.com/orffvar/forecaster/internal/shell"
	"github.com/orffvar/forecaster/stream/format/timestamp"
)

// Numbers with other text: a unit behind, a currency before, parentheses for a minus.
var (
	withUnit     = lazyregexp.New(`^[-+]?\d[\d.,]*(?:[eE][-+]?\d{1,2})?([ \x{a0}]?[%‰°\pL\p{Sc}][%‰°/\pL\p{Sc}]{0,5})$`)
	withCurrency = lazyregexp.New(`^[-+]?(\p{Sc}[ \x{a0}]?)[-+]?[\d.][\d.,]*$`)
	fortran      = lazyregexp.New(`^[-+]?[\d.]+[dD][-+]?\d{1,3}$`)
	inBrackets   = lazyregexp.New(`^\([\d.,]*\d\)$`)
)

// stripped returns the command that makes a file's cells like this one numbers, "" where the cell is
// no number with a unit, a currency or parentheses. A cell with another unit stays as it is, so that
// values of different units are not mixed.
func stripped(cell string) string {
	program := ""
	if m := withUnit().FindStringSubmatch(cell); m != nil && multiples[m[1]] > 0 {
		program = fmt.Sprintf(`s/([0-9])%s([[:space:]",;|]|$)/\1e%d\2/g`, literal(m[1]), multiples[m[1]])
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

// literal writes text for a pattern of sed.
func literal(text string) string { return strings.ReplaceAll(regexp.QuoteMeta(text), "/", `\/`) }

// unitOf returns the unit or the currency of a number, with the blank before or behind it; "" = it has
// none, or is no number.
func unitOf(cell string) string {
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

// findUnits finds the columns whose numbers have one unit, which is left out.
func (s *sniffer) findUnits() error {
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
		if ok && multiples[unit] > 0 && (c.Values == nil || slices.Contains(c.Values, name)) {
			if err := s.plainBeside(i, unit); err != nil {
				return err
			}
		}
		if !ok || 2*n < len(s.rows) {
			s.findMultiples(i)
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
	return nil
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

// multiples are the powers of ten of what stands behind numbers or before units.
var multiples = map[string]int{"k": 3, "K": 3, "M": 6, "G": 9, "T": 12, " k": 3, " K": 3, " M": 6, " G": 9, " T": 12}

// scaled returns the command that writes numbers in a unit of which theirs is a multiple by a power of ten, such as
// GB in MB; "" where it is none.
func scaled(unit, other string) string {
	power := func(u string) (power int, base string) {
		u = strings.TrimSpace(u)
		if multiples[u] > 0 {
			return multiples[u], ""
		}
		if len(u) > 1 && multiples[u[:1]] > 0 && u[1] != 'i' {
			return multiples[u[:1]], u[1:]
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

// plainBeside is the error of a column with numbers such as 1.2k and others without the k, which would be read
// as a thousand times larger; nil where there are none but 0.
func (s *sniffer) plainBeside(column int, unit string) error {
	i := slices.IndexFunc(s.rows, func(row []string) bool {
		return unitOf(row[column]) == "" && s.isValue(row[column]) && strings.Trim(row[column], "+-0.,") != ""
	})
	if i < 0 || contains(missingSpellings, []byte(s.rows[i][column])) || contains(s.out.CSV.Missing, []byte(s.rows[i][column])) {
		return nil
	}
	return fmt.Errorf("column %s has numbers in%s and such as %s without it: write them in one unit with  %s",
		s.header[column], blank(unit), s.rows[i][column], stripped("1"+unit))
}

// findMultiples keeps an error for a column whose cells have several units.
func (s *sniffer) findMultiples(column int) {
	if !s.nearlyAll(column, func(cell string) bool { return unitOf(cell) != "" }) {
		return
	}
	units := make(map[string]bool)
	var first string
	for _, row := range s.rows {
		if u := unitOf(row[column]); u != "" {
			first = cmp.Or(first, u)
			units[u] = true
		}
	}
	for _, other := range slices.Sorted(maps.Keys(units)) {
		if other == first || s.units != nil {
			continue
		}
		remedy := scaled(first, other)
		if remedy == "" {
			remedy = "a program that knows them"
		}
		s.units = fmt.Errorf("column %s has numbers in%s and in%s: write them in one unit with  %s", s.header[column], blank(first), blank(other), remedy)
	}
}

// blank puts a blank before a unit.
func blank(unit string) string { return " " + strings.TrimSpace(unit) }

// numberHint says what makes text that is no number one, in a column with the unit; "" where nothing is known.
func (d *CSV) numberHint(text []byte, unit string) string {
	cell := strings.TrimSpace(string(text))
	if other := unitOf(cell); unit != "" && other != "" {
		if command := scaled(unit, other); command != "" {
			return ": bring it to the unit of the column with  " + command
		}
		return fmt.Sprintf(", as other cells of the column are in%s: write it in this unit, or leave it empty", blank(unit))
	}
	if command := stripped(cell); command != "" {
		return ": make it one with  " + command
	}
	if mark := thousandsMark(cell); mark != 0 && mark != d.c.Thousands {
		return ": say " + d.c.Names.Set("CSVConfig.Thousands", string(mark))
	}
	return ""
}
