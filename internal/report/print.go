package report

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// StickyWriter writes to W and remembers the first error, because tables are printed without a look at each write. It does
// not remember that a pipe is closed: its reader has seen enough. It is not safe for concurrent use.
type StickyWriter struct {
	W   io.Writer
	Err error
}

// Write implements io.Writer.
func (s *StickyWriter) Write(p []byte) (int, error) {
	n, err := s.W.Write(p)
	if s.Err == nil && !isClosedPipe(err) {
		s.Err = err
	}
	return n, err
}

// fileOf returns the file that w writes to, also through a StickyWriter; nil if there is none.
func fileOf(w io.Writer) *os.File {
	if s, ok := w.(*StickyWriter); ok {
		w = s.W
	}
	f, _ := w.(*os.File)
	return f
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f := fileOf(w)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// lineWidth returns the largest number of characters in a line of a table on w: COLUMNS if it is set, otherwise the
// width of the terminal. Files and pipes have no limit: nothing is cut there.
func lineWidth(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if f := fileOf(w); f != nil {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	return math.MaxInt
}

// NewTable returns an empty table. Columns from numeric on are right-aligned.
func NewTable(numeric int, header ...string) table.Writer {
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

// Print prints a table with rows, and its caption below. On a terminal it uses colours unless NO_COLOR is set. With
// all, it prints every column for any width.
func (t Table) Print(w io.Writer, all bool) {
	if len(t.Rows) == 0 {
		return
	}
	var left []string
	if !all {
		t, left = t.Narrow(lineWidth(w))
	}
	coloured := IsTerminal(w)
	header := slices.Clone(t.Header)
	if coloured {
		for i, h := range header {
			header[i] = text.Bold.Sprint(h)
		}
	}
	printed := NewTable(t.Numeric, header...)
	for _, cells := range t.Rows {
		row := make([]any, len(cells))
		for i, c := range cells {
			row[i] = c
			if n, err := strconv.Atoi(c); err == nil {
				row[i] = n // a Number is right-aligned in any column
			}
			if coloured {
				row[i] = paint(t.Header[i], row[i])
			}
		}
		printed.AppendRow(row)
	}
	fmt.Fprintln(w, printed.Render())
	if t.Caption != "" {
		fmt.Fprintln(w, t.Caption)
	}
	if len(left) > 0 {
		fmt.Fprintf(w, "Left out: %s. All columns: --wide\n", strings.Join(left, ", "))
	}
	if t.More != "" {
		fmt.Fprintln(w, t.More)
	}
}

// paint colours a cell with a skill: green above 0, red below 0.
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
