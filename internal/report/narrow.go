package report

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Narrow returns the table without the columns of Wide and with at most so many characters in a
// line, as far as that can be: it leaves out columns that can be spared, then shortens the texts
// of the first columns in the middle, but no times. It returns the names of the columns that were
// left out.
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
		excess, widest := t.width()-limit, -1
		for i := range done {
			if !done[i] && !t.hasTimes(i) && (widest < 0 || t.columnWidth(i) > t.columnWidth(widest)) {
				widest = i
			}
		}
		if excess <= 0 || widest < 0 {
			break
		}
		t = t.shortened(widest, max(t.columnWidth(widest)-excess, shortest))
		done[widest] = true
	}
	return t, left
}

// hasTimes reports whether a column has times, which mean nothing when a part is missing.
func (t Table) hasTimes(column int) bool {
	return slices.ContainsFunc(t.Rows, func(row []string) bool {
		_, err := time.Parse(time.DateOnly, row[column][:min(len(row[column]), len(time.DateOnly))])
		return err == nil
	})
}

// shortened returns the table with a column whose texts have at most n characters, or those that
// keep them different.
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

// shortest is the width below which no text is shortened.
const shortest = 12

// without returns the table without a column.
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

// width is the width of the table as it is printed.
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
