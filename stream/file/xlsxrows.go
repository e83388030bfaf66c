package file

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/orffvar/forecaster/stream/file/internal/csvfield"
)

// cell is a cell as a field of CSV.
type cell struct {
	text     string
	number   bool
	duration bool // text is a number of seconds
}

// sheetRows reads the rows of a sheet as lines of CSV.
type sheetRows struct {
	pieces
	book  *workbook
	sheet sheet
	part  io.ReadCloser
	x     *tags
	width int

	number int // number of the last row, from 1
	lines  int // number of lines written
	ended  bool
	cells  []cell
}

func (w *workbook) rows(s sheet, width int) (*sheetRows, error) {
	part, err := w.part(s.part)
	if err != nil {
		return nil, err
	}
	r := &sheetRows{book: w, sheet: s, part: part, x: newTags(part), width: width}
	r.more = r.next
	return r, nil
}

// row returns the cells of the next row with a value. It returns io.EOF after the last row.
func (r *sheetRows) row() ([]cell, error) {
	for !r.ended {
		t, err := r.x.next()
		if err != nil {
			return nil, fmt.Errorf("%w (%w)", errWorkbook, noEnd(err))
		}
		switch e := t.(type) {
		case xml.StartElement:
			if e.Name.Local != "row" {
				continue
			}
			r.number++
			if n, err := strconv.Atoi(attribute(e, "r")); err == nil && n >= r.number {
				r.number = n
			}
			if err := r.readCells(); err != nil {
				return nil, fmt.Errorf("row %d: %w", r.number, err)
			}
			if len(r.cells) > 0 {
				return r.cells, nil
			}
		case xml.EndElement:
			r.ended = e.Name.Local == "sheetData"
		}
	}
	if _, err := io.Copy(io.Discard, r.part); err != nil { // reading to the end verifies the checksum
		return nil, fmt.Errorf("%w (%w)", errWorkbook, err)
	}
	return nil, io.EOF
}

// readCells reads the cells of a row, up to the last cell with a value.
func (r *sheetRows) readCells() error {
	r.cells = r.cells[:0]
	column, filled := -1, 0
	for {
		t, err := r.x.next()
		if err != nil {
			return fmt.Errorf("%w (%w)", errWorkbook, noEnd(err))
		}
		switch e := t.(type) {
		case xml.StartElement:
			if e.Name.Local != "c" {
				continue
			}
			column++
			if at := columnOf(attribute(e, "r")); at >= column {
				column = at
			}
			c, err := r.readCell(e)
			if err != nil {
				return err
			}
			if c.text == "" {
				continue
			}
			if column >= r.width {
				return fmt.Errorf("column %d has a value, and the first %d rows have %d columns: remove what is beside the table", column+1, widthRows, r.width)
			}
			for len(r.cells) <= column {
				r.cells = append(r.cells, cell{})
			}
			r.cells[column], filled = c, column+1
		case xml.EndElement:
			if e.Name.Local == "row" {
				r.cells = r.cells[:filled]
				return nil
			}
		}
	}
}

// readCell reads one cell.
func (r *sheetRows) readCell(start xml.StartElement) (cell, error) {
	kind := attribute(start, "t")
	var value strings.Builder
	inValue, formula := false, false
	for {
		t, err := r.x.next()
		if err != nil {
			return cell{}, fmt.Errorf("%w (%w)", errWorkbook, noEnd(err))
		}
		switch e := t.(type) {
		case xml.StartElement:
			switch e.Name.Local {
			case "v":
				inValue = true
			case "f":
				formula = true
			case "is":
				text, err := r.x.text("is")
				return cell{text: text}, errors.Join(err, r.x.Skip())
			}
		case xml.CharData:
			if inValue {
				value.Write(e)
			}
		case xml.EndElement:
			inValue = false
			if e.Name.Local != "c" {
				continue
			}
			if formula && value.Len() == 0 && kind != "str" {
				return cell{}, fmt.Errorf("cell %s has a formula without its value, which only a spreadsheet program computes: open the workbook and save it, or convert it with  soffice --headless --convert-to csv IN", attribute(start, "r"))
			}
			return r.book.cellOf(kind, attribute(start, "s"), value.String())
		}
	}
}

// cellOf returns the text of a value by the type and the style of its cell.
func (w *workbook) cellOf(kind, style, value string) (cell, error) {
	switch kind {
	case "s":
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || n < 0 || n >= len(w.strings) {
			return cell{}, fmt.Errorf("%w (there is no text %q)", errWorkbook, value)
		}
		return cell{text: w.strings[n]}, nil
	case "b":
		return cell{text: map[string]string{"1": "true", "0": "false"}[value]}, nil
	case "e":
		return cell{text: "#N/A"}, nil // an error counts as missing
	case "str", "d":
		return cell{text: value}, nil
	}
	if value == "" {
		return cell{}, nil
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return cell{}, fmt.Errorf("%w (%q is not a number)", errWorkbook, value)
	}
	if n, err := strconv.Atoi(style); err == nil && n >= 0 && n < len(w.styles) {
		switch w.styles[n] {
		case dateStyle:
			if text := dateText(v, w.from1904); text != "" {
				return cell{text: text}, nil
			}
		case durationStyle:
			return cell{text: strconv.FormatFloat(math.Round(v*86400_000)/1000, 'f', -1, 64), number: true, duration: true}, nil
		}
	}
	return cell{text: value, number: true}, nil
}

// next writes the next row as a line of CSV.
func (r *sheetRows) next() error {
	cells, err := r.row()
	if err != nil {
		if errors.Is(err, io.EOF) {
			r.part.Close()
		}
		return err
	}
	r.text = r.text[:0]
	if n := r.number - 1 - r.lines; n > 0 && n < mostEmptyLines { // line numbers stay row numbers
		r.text = append(r.text, strings.Repeat("\n", n)...)
		r.lines += n
	}
	r.lines++
	for i := range r.width {
		if i > 0 {
			r.text = append(r.text, ',')
		}
		if i < len(cells) && cells[i].text != "" {
			r.text = csvfield.AppendText(r.text, lineBreaks.Replace(cells[i].text))
		}
	}
	r.text = append(r.text, '\n')
	return nil
}

// columnOf returns the column of a cell reference such as AB12, from 0; -1: no column.
func columnOf(reference string) int {
	n := 0
	for _, c := range reference {
		if c < 'A' || c > 'Z' {
			break
		}
		if n = 26*n + int(c-'A') + 1; n > mostColumns {
			return mostColumns
		}
	}
	return n - 1
}

// columnName returns the letters of a column, which is counted from 0.
func columnName(column int) string {
	name := ""
	for n := column + 1; n > 0; n = (n - 1) / 26 {
		name = string(rune('A'+(n-1)%26)) + name
	}
	return name
}
