package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

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
		r, left = r.Narrow(tableWidth)
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
