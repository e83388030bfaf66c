package format

import (
	"strings"

	"github.com/orffvar/forecaster/internal/lazyregexp"
	"github.com/orffvar/forecaster/stream/format/timestamp"
)

// Numbers with a comma for the point, with points, commas, apostrophes or blanks between thousands.
var (
	commaDecimal  = lazyregexp.New(`^[-+]?(\d+|\d{1,3}(\.\d{3})+),\d+([eE][-+]?\d+)?$`)
	commaThousand = lazyregexp.New(`^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?$`)
	dotThousand   = lazyregexp.New(`^[-+]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?$`)
	dotDecimal    = lazyregexp.New(`^[-+]?\d*\.\d+([eE][-+]?\d+)?$`)
	otherThousand = lazyregexp.New(`^[-+]?[1-9]\d{0,2}((['’]\d{3})+|([ \x{a0}\x{202f}\x{2009}]\d{3})+)([.,]\d+)?$`)
)

// otherMarks makes one character of the apostrophes, and one of the blanks, between thousands.
var otherMarks = strings.NewReplacer("’", "'", "\u00a0", " ", "\u202f", " ", "\u2009", " ")

// cellAt is the text of a cell with its column.
type cellAt struct {
	text   string
	column int
}

// numbers counts how the numbers of a file use point and comma.
type numbers struct {
	points, commas           int // before a fraction, surely
	pointGroups, commaGroups int // 1.234 and 1,234, which may be either, or have several marks
	other                    byte
	point, comma             cellAt // the first that may be either
}

func (n *numbers) add(at cellAt) {
	cell := at.text
	if _, fraction, _ := strings.Cut(cell, "."); len(fraction) != 3 && timestamp.IsNumber([]byte(cell)) { // most cells, without a regular expression
		if fraction != "" {
			n.points++
		}
		return
	}
	switch {
	case dotThousand().MatchString(cell) && dotDecimal().MatchString(cell):
		if n.pointGroups++; n.point.text == "" {
			n.point = at
		}
	case dotDecimal().MatchString(cell):
		n.points++
	case commaThousand().MatchString(cell) && commaDecimal().MatchString(cell):
		if n.commaGroups++; n.comma.text == "" {
			n.comma = at
		}
	case commaThousand().MatchString(cell):
		n.commaGroups++
		n.points++ // 1,234.5 or 1,234,567 have no decimal comma
	case commaDecimal().MatchString(cell):
		n.commas++
		n.pointGroups += strings.Count(cell, ".") // 1.234,5
	case dotThousand().MatchString(cell):
		n.pointGroups++
		n.commas++ // 1.234.567
	case otherThousand().MatchString(cell):
		n.other = thousandsMark(cell)
		switch {
		case strings.Contains(cell, ","):
			n.commas++
		case strings.Contains(cell, "."):
			n.points++
		}
	}
}

// thousandsMark returns what stands between the thousands of a number and before no fraction; 0 = it
// has no such mark.
func thousandsMark(cell string) byte {
	switch {
	case otherThousand().MatchString(cell):
		return otherMarks.Replace(strings.TrimLeft(cell, "+-0123456789"))[0]
	case commaThousand().MatchString(cell) && !commaDecimal().MatchString(cell):
		return ','
	case dotThousand().MatchString(cell) && !dotDecimal().MatchString(cell):
		return '.'
	}
	return 0
}

// findNumbers decides between decimal comma and decimal point, and finds what stands between thousands.
func (s *sniffer) findNumbers() {
	c := &s.out.CSV
	if c.Thousands == '.' {
		c.Decimal = ','
	}
	if c.Decimal != 0 || c.Thousands != 0 {
		return
	}
	var n numbers
	for _, row := range s.rows {
		for i, cell := range row {
			n.add(cellAt{cell, i})
		}
	}
	noCommas := n.commas+n.commaGroups == 0
	switch {
	case n.other != 0:
		c.Thousands = n.other
		s.assume("CSVConfig.Thousands", string(n.other), "%s between thousands", map[byte]string{'\'': "apostrophes", ' ': "blanks"}[n.other])
		if n.points == 0 && !noCommas {
			c.Decimal = ','
			s.assume("CSVConfig.Decimal", ",", "decimal comma")
		}
	case noCommas && n.points == 0 && s.groups('.'):
		c.Thousands, c.Decimal = '.', ','
		s.assume("CSVConfig.Thousands", ".", "points between thousands (%s is %s)", n.point.text, strings.ReplaceAll(n.point.text, ".", ""))
	case noCommas && n.points == 0:
		s.unsure, c.Whole = n.point, n.pointGroups == 0
	case noCommas:
	case n.points == 0 && n.commas == 0 && c.Comma != ',' && n.pointGroups == 0 && !s.groups(','):
		c.Decimal = ','
		s.assume("CSVConfig.Decimal", ",", "decimal comma (%s reads %s as %s)", s.set("CSVConfig.Thousands", ","), n.comma.text, strings.ReplaceAll(n.comma.text, ",", ""))
	case n.points == 0 && (n.commas > 0 || c.Comma != ',' && n.pointGroups > 0):
		c.Decimal = ','
		s.assume("CSVConfig.Decimal", ",", "decimal comma")
		if n.pointGroups > 0 {
			c.Thousands = '.'
			s.assume("CSVConfig.Thousands", ".", "points between thousands")
		}
	default:
		c.Thousands = ','
		s.assume("CSVConfig.Thousands", ",", "commas between thousands")
	}
}

// notePoints notes that numbers such as 1.234 are read with a fraction, where no number of the file
// shows what the point is.
func (s *sniffer) notePoints() {
	if at := s.unsure; at.text != "" && at.column != s.time {
		s.out.Assumptions = append(s.out.Assumptions, Assumption{Usual: true,
			Text: at.text + " of column " + s.header[at.column] + " has a decimal point (" + s.set("CSVConfig.Thousands", ".") + " reads " + strings.ReplaceAll(at.text, ".", "") + ")"})
	}
}

// groups reports whether the mark of numbers such as 1.234 separates thousands, in a file that has no
// other fractions. It does in a column with ten or more such numbers, some with one digit before the
// mark, beside different whole numbers from 100 to 999 and none above.
//
// A program that drops the zeros at the end of fractions writes 1.23 as well, for one number in ten;
// a program that keeps them writes 950.000 and not 950.
func (s *sniffer) groups(mark byte) bool {
	const fewest, different = 10, 2
	return s.first(func(i int) bool {
		groups, below10, hundreds := 0, false, make(map[string]bool)
		for _, row := range s.rows {
			cell := strings.TrimLeft(row[i], "+-")
			at := strings.IndexByte(cell, mark)
			switch {
			case cell == "" || strings.Trim(cell, "0123456789"+string(mark)) != "":
			case at >= 0:
				groups, below10 = groups+1, below10 || at == 1
			case len(cell) > 3:
				return false
			case len(cell) == 3 && cell[0] != '0':
				hundreds[cell] = true
			}
		}
		return groups >= fewest && below10 && len(hundreds) >= different
	}) >= 0
}
