package cells

import (
	"strings"

	"github.com/orffvar/forecaster/internal/lazyregexp"
)

// Numbers with a decimal comma, or with points, commas, apostrophes or blanks between thousands.
var (
	CommaDecimal  = lazyregexp.New(`^[-+]?(\d+|\d{1,3}(\.\d{3})+),\d+([eE][-+]?\d+)?$`)
	CommaThousand = lazyregexp.New(`^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$`)
	DotThousand   = lazyregexp.New(`^[-+]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?$`)
	DotDecimal    = lazyregexp.New(`^[-+]?\d*\.\d+([eE][-+]?\d+)?$`)
	OtherThousand = lazyregexp.New(`^[-+]?[1-9]\d{0,2}((['’]\d{3})+|([ \x{a0}\x{202f}\x{2009}]\d{3})+)([.,]\d+)?$`)
)

// otherMarks replaces all kinds of apostrophes by ', and all kinds of blanks by a space.
var otherMarks = strings.NewReplacer("’", "'", "\u00a0", " ", "\u202f", " ", "\u2009", " ")

// ThousandsMark returns the mark of a number that can only separate thousands; 0: there is none.
func ThousandsMark(cell string) byte {
	switch {
	case OtherThousand().MatchString(cell):
		return otherMarks.Replace(strings.TrimLeft(cell, "+-0123456789"))[0]
	case CommaThousand().MatchString(cell) && !CommaDecimal().MatchString(cell):
		return ','
	case DotThousand().MatchString(cell) && !DotDecimal().MatchString(cell):
		return '.'
	}
	return 0
}
