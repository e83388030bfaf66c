package report

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Narrow returns the table without the columns of Wide, and with at most limit characters per line if possible. First
// it removes columns of Spare. Then it shortens the texts of the first columns in the middle, but never times. left has
// the names of the removed columns.
func (t Table) Narrow(limit int) (_ Table, left []string) {
	for i, name := range slices.Concat(t.Wide, t.Spare) {
		if i >= len(t.Wide) && t.width() <= limit {
			break
		}
		if at := slices.Index(t.Header, name); at >= 0 {
			left = append(left, strings.ReplaceAll(name, "\n", " "))
			t = t.without(at)
		}
	}
	for done := make([]bool, t.Numeric); ; {
		widest := -1
		for i := range done {
			if !done[i] && !t.hasTimes(i) && (widest < 0 || t.columnWidth(i) > t.columnWidth(widest)) {
				widest = i
			}
		}
		if widest < 0 {
			return t, left
		}
		t = t.shortened(widest, max(t.columnWidth(widest)+limit-t.width(), shortest))
		done[widest] = true
	}
}

// hasTimes reports whether a column has times: a shortened time would be meaningless.
func (t Table) hasTimes(column int) bool {
	return slices.ContainsFunc(t.Rows, func(row []string) bool {
		_, err := time.Parse(time.DateOnly, row[column][:min(len(row[column]), len(time.DateOnly))])
		return err == nil
	})
}

// shortened returns the table with the texts of a column shortened to n characters, or to more if they would become
// equal.
func (t Table) shortened(column, n int) Table {
	texts := make([]string, len(t.Rows))
	for i, row := range t.Rows {
		texts[i] = row[column]
	}
	rows := make([][]string, len(t.Rows))
	for i, text := range ShortenAll(texts, n) {
		rows[i] = slices.Clone(t.Rows[i])
		rows[i][column] = text
	}
	t.Rows = rows
	return t
}

// shortest is the least width to which a text is shortened.
const shortest = 12

// without returns the table without the given column.
func (t Table) without(column int) Table {
	t.Header = slices.Delete(slices.Clone(t.Header), column, column+1)
	rows := make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = slices.Delete(slices.Clone(row), column, column+1)
	}
	t.Rows = rows
	if column < t.Numeric {
		t.Numeric--
	}
	return t
}

// width returns the width of the printed table in characters.
func (t Table) width() int {
	n := 1
	for i := range t.Header {
		n += t.columnWidth(i) + 3
	}
	return n
}

func (t Table) columnWidth(column int) (n int) {
	for line := range strings.SplitSeq(t.Header[column], "\n") {
		n = max(n, utf8.RuneCountInString(line))
	}
	for _, row := range t.Rows {
		n = max(n, utf8.RuneCountInString(row[column]))
	}
	return n
}
