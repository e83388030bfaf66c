package sniff

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/stream/format/internal/cells"
)

// findUnits finds the columns whose numbers all have the same unit.
func (s *sniffer) findUnits() error {
	c := &s.out.CSV
	for i, name := range s.header {
		row := slices.IndexFunc(s.rows, func(row []string) bool { return cells.UnitOf(row[i]) != "" })
		if row < 0 {
			continue
		}
		unit := cells.UnitOf(s.rows[row][i])
		n := 0
		ok := s.nearlyAll(i, func(cell string) bool {
			if cells.UnitOf(cell) == unit {
				n++
				return true
			}
			return s.isValue(cell)
		})
		if ok && (c.Values == nil || slices.Contains(c.Values, name)) {
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
			row[i] = string(cells.WithoutUnit([]byte(row[i]), unit))
		}
	}
	return nil
}

// plainBeside returns the error of a column that has numbers such as 1.2k and numbers without the k, which would be read
// as thousands, too; or per cents and numbers such as 0.5, which may be half of the whole.
func (s *sniffer) plainBeside(column int, unit string) error {
	numbers := s.numberCells()
	i := slices.IndexFunc(s.rows, func(row []string) bool {
		v, err := numbers.Parse([]byte(row[column]))
		return err == nil && cells.UnitOf(row[column]) == "" && cells.NeedsUnit(unit, v)
	})
	if i < 0 || cells.IsMissing([]byte(s.rows[i][column]), s.out.CSV.Missing) {
		return nil
	}
	has := fmt.Sprintf("column %s has numbers in%s and such as %s without it: write them in one unit with  ", s.header[column], cells.Blank(unit), s.rows[i][column])
	if cells.Multiples[unit] == 0 {
		return fmt.Errorf("%s%s, and first write the sign behind %s if it is no share of 1", has, cells.Shares(unit), s.rows[i][column])
	}
	return errors.New(has + cells.Stripped("1"+unit))
}

// findMultiples sets the error of a column whose cells have several units.
func (s *sniffer) findMultiples(column int) {
	if !s.nearlyAll(column, func(cell string) bool { return cells.UnitOf(cell) != "" }) {
		return
	}
	units := make(map[string]bool)
	var first string
	for _, row := range s.rows {
		if u := cells.UnitOf(row[column]); u != "" {
			first = cmp.Or(first, u)
			units[u] = true
		}
	}
	for _, other := range slices.Sorted(maps.Keys(units)) {
		if other == first || s.units != nil {
			continue
		}
		remedy := cells.Scaled(first, other)
		if remedy == "" {
			remedy = "a program that knows them"
		}
		s.units = fmt.Errorf("column %s has numbers in%s and in%s: write them in one unit with  %s", s.header[column], cells.Blank(first), cells.Blank(other), remedy)
	}
}
