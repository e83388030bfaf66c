package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/orffvar/forecaster/internal/report"
)

// tableWidth is the number of characters that a line of a table may have without --wide.
const tableWidth = 100

// newTable returns an empty table; the columns from numeric on are aligned right.
func newTable(numeric int, header ...string) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	row := make(table.Row, len(header))
	var columns []table.ColumnConfig
	for i, h := range header {
		row[i] = h
		if i >= numeric {
			columns = append(columns, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	t.AppendHeader(row)
	t.SetColumnConfigs(columns)
	return t
}

// printTable prints a table that has rows, with its caption below; with colours on a
// terminal unless NO_COLOR is set.
func (a *app) printTable(w io.Writer, r report.Table) {
	if len(r.Rows) == 0 {
		return
	}
	var left []string
	if !a.wide {
		r, left = narrow(r)
	}
	coloured := isTerminal(w)
	header := slices.Clone(r.Header)
	if coloured {
		for i, h := range header {
			header[i] = text.Bold.Sprint(h)
		}
	}
	t := newTable(r.Numeric, header...)
	for _, cells := range r.Rows {
		row := make([]any, len(cells))
		for i, c := range cells {
			row[i] = c
			if n, err := strconv.Atoi(c); err == nil {
				row[i] = n // aligned as a number in any column
			}
			if coloured {
				row[i] = paint(r.Header[i], row[i])
			}
		}
		t.AppendRow(row)
	}
	fmt.Fprintln(w, t.Render())
	if r.Caption != "" {
		fmt.Fprintln(w, r.Caption)
	}
	if len(left) > 0 {
		fmt.Fprintf(w, "Left out: %s. All columns: --wide\n", strings.Join(left, ", "))
	}
}

// narrow makes a table as narrow as tableWidth: it leaves out columns that can be spared,
// whose names it returns, then shortens the texts of the first columns in the middle.
func narrow(t report.Table) (_ report.Table, left []string) {
	spare := t.Spare
	for widthOf(t) > tableWidth && len(spare) > 0 {
		if i := slices.Index(t.Header, spare[0]); i >= 0 {
			left = append(left, strings.ReplaceAll(spare[0], "\n", " "))
			t = without(t, i)
		}
		spare = spare[1:]
	}
	for done := make([]bool, t.Numeric); ; {
		excess, widest := widthOf(t)-tableWidth, -1
		for i := range done {
			if !done[i] && (widest < 0 || columnWidth(t, i) > columnWidth(t, widest)) {
				widest = i
			}
		}
		if excess <= 0 || widest < 0 {
			break
		}
		t = shortened(t, widest, max(columnWidth(t, widest)-excess, shortest))
		done[widest] = true
	}
	return t, left
}

// shortened returns the table with a column whose texts have at most n characters.
func shortened(t report.Table, column, n int) report.Table {
	rows := make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = slices.Clone(row)
		rows[i][column] = report.Shorten(row[column], n)
	}
	t.Rows = rows
	return t
}

// shortest is the width below which no text is shortened.
const shortest = 12

// without returns the table without a column.
func without(t report.Table, column int) report.Table {
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

// widthOf is the width of the table as it is printed.
func widthOf(t report.Table) int {
	n := 1
	for i := range t.Header {
		n += columnWidth(t, i) + 3
	}
	return n
}

func columnWidth(t report.Table, column int) (n int) {
	for line := range strings.SplitSeq(t.Header[column], "\n") {
		n = max(n, utf8.RuneCountInString(line))
	}
	for _, row := range t.Rows {
		n = max(n, utf8.RuneCountInString(row[column]))
	}
	return n
}

// paint colours a cell with a skill: green above 0, red below.
func paint(header string, cell any) any {
	if !strings.Contains(header, "skill") {
		return cell
	}
	switch skill, err := strconv.ParseFloat(fmt.Sprint(cell), 64); {
	case err != nil || skill == 0:
		return cell
	case skill > 0:
		return text.FgGreen.Sprint(cell)
	default:
		return text.FgRed.Sprint(cell)
	}
}
