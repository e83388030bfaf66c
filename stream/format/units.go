package format

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/orffvar/forecaster/internal/shell"
)

// Numbers with what is none of a number: a unit behind, a currency before, parentheses for a minus.
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

// unitHint says what makes a column of text, which is left out, numbers: "" where nearly all cells do
// not have one unit.
func (s *sniffer) unitHint() string {
	for i := range s.header {
		if i == s.time || s.header[i] == s.out.CSV.Clock || !s.isText(i) {
			continue
		}
		row := 0
		for row < len(s.rows)-1 && stripped(s.rows[row][i]) == "" {
			row++
		}
		command := stripped(s.rows[row][i])
		if command != "" && s.nearlyAll(i, func(cell string) bool { return stripped(cell) == command }) {
			return fmt.Sprintf(" (%q of %s becomes a number with  %s)", s.rows[row][i], s.header[i], command)
		}
	}
	return ""
}
