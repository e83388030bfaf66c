package sniff

import (
	"strings"

	"github.com/orffvar/forecaster/stream/format/internal/cells"
	"github.com/orffvar/forecaster/stream/format/timestamp"
)

// cellAt is the text of a cell, and its column.
type cellAt struct {
	text   string
	column int
}

// numbers counts how the numbers of a file use point and comma.
type numbers struct {
	points, commas           int // marks that are decimal marks for certain
	pointGroups, commaGroups int // marks that separate thousands, or may, as in 1.234
	other                    byte
	point, comma             cellAt // first 1.234 and first 1,234
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
	case cells.DotThousand().MatchString(cell) && cells.DotDecimal().MatchString(cell):
		if n.pointGroups++; n.point.text == "" {
			n.point = at
		}
	case cells.DotDecimal().MatchString(cell):
		n.points++
	case cells.CommaThousand().MatchString(cell) && cells.CommaDecimal().MatchString(cell):
		if n.commaGroups++; n.comma.text == "" {
			n.comma = at
		}
	case cells.CommaThousand().MatchString(cell):
		n.commaGroups++
		n.points++ // 1,234.5 or 1,234,567 have no decimal comma
	case cells.CommaDecimal().MatchString(cell):
		n.commas++
		n.pointGroups += strings.Count(cell, ".") // 1.234,5
	case cells.DotThousand().MatchString(cell):
		n.pointGroups++
		n.commas++ // 1.234.567
	case cells.OtherThousand().MatchString(cell):
		n.other = cells.ThousandsMark(cell)
		switch {
		case strings.Contains(cell, ","):
			n.commas++
		case strings.Contains(cell, "."):
			n.points++
		}
	}
}

// findNumbers decides between decimal comma and decimal point, and finds the separator of thousands.
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

// notePoints adds the assumption that 1.234 has a decimal point, if no number of the file shows the meaning of the
// point. Where points separate thousands the comma is the decimal mark, so commas do not separate the fields.
func (s *sniffer) notePoints() {
	if at := s.unsure; at.text != "" && at.column != s.time && s.out.CSV.Comma != ',' {
		s.out.Assumptions = append(s.out.Assumptions, Assumption{Usual: true,
			Text: at.text + " of column " + s.header[at.column] + " has a decimal point (" + s.set("CSVConfig.Thousands", ".") + " reads " + strings.ReplaceAll(at.text, ".", "") + ")"})
	}
}

// groups reports whether the mark of numbers such as 1.234 separates thousands, in a file without other fractions. A
// column shows that if it has at least ten such numbers, some with one digit before the mark, and different whole
// numbers from 100 to 999, none above.
//
// With a decimal point such a column is unlikely: a program that drops trailing zeros writes 1.23 for one number in
// ten, and a program that keeps them writes 950.000 instead of 950.
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
