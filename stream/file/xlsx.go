package file

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// XLSXFormat is the format of workbooks of Excel since 2007 (ECMA-376, SpreadsheetML).
var XLSXFormat = Format{Name: "xlsx", Extensions: []string{".xlsx", ".xlsm"}, Table: readXLSX}

const (
	mostSheetPart  = 1 << 26 // bytes of the parts that are read whole
	mostCellText   = 1 << 24 // bytes between two tags
	mostStrings    = 1 << 28 // bytes of all shared texts
	widthRows      = 1000    // that show how many columns a sheet has
	mostColumns    = 16384   // of a sheet
	mostEmptyLines = 10000   // for rows that are not there
)

var errWorkbook = errors.New("the workbook is damaged: copy it again, or save it again with Excel or LibreOffice")

// workbook is what is known of a workbook beside its rows.
type workbook struct {
	parts    map[string]*zip.File
	packed   *atomic.Int64 // bytes of the file, by which what it unpacks to is judged
	sheets   []sheet
	strings  []string
	styles   []numberStyle // of cells
	from1904 bool
}

type sheet struct{ name, part string }

// readXLSX is the Table of XLSXFormat.
func readXLSX(f *os.File, size int64, c *SourceConfig) (io.Reader, error) {
	z, err := zip.NewReader(f, size)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", errWorkbook, err)
	}
	w := &workbook{parts: make(map[string]*zip.File), packed: new(atomic.Int64)}
	w.packed.Store(size)
	for _, p := range z.File {
		w.parts[strings.ToLower(strings.TrimPrefix(p.Name, "/"))] = p
	}
	if err := w.open(); err != nil {
		return nil, err
	}
	s, err := w.choose(c)
	if err != nil {
		return nil, err
	}
	width, numbers, err := w.width(s)
	if err != nil {
		return nil, err
	}
	if c.CSV.Comma = ','; numbers && c.CSV.Thousands == 0 && c.CSV.Decimal == 0 {
		c.CSV.Decimal = '.'
	}
	rows, err := w.rows(s, width)
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// part opens a part.
func (w *workbook) part(name string) (io.ReadCloser, error) {
	p := w.parts[strings.ToLower(name)]
	if p == nil {
		return nil, fmt.Errorf("%w (it has no %s)", errWorkbook, name)
	}
	if p.UncompressedSize64 > longestText {
		return nil, errLongText
	}
	r, err := p.Open()
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", errWorkbook, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{&unpacked{text: r, packed: w.packed, zip: true}, r}, nil
}

// unmarshal reads a part whole.
func (w *workbook) unmarshal(name string, to any) error {
	r, err := w.part(name)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := xml.NewDecoder(io.LimitReader(r, mostSheetPart)).Decode(to); err != nil {
		return fmt.Errorf("%w (%s: %w)", errWorkbook, name, err)
	}
	return nil
}

// relations are the parts that a part names.
type relations struct {
	List []struct {
		ID     string `xml:"Id,attr"`
		Type   string `xml:"Type,attr"`
		Target string `xml:"Target,attr"`
	} `xml:"Relationship"`
}

// open reads all but the rows.
func (w *workbook) open() error {
	var top relations
	if err := w.unmarshal("_rels/.rels", &top); err != nil {
		return err
	}
	main := ""
	for _, r := range top.List {
		if strings.HasSuffix(r.Type, "/officeDocument") {
			main = strings.TrimPrefix(r.Target, "/")
		}
	}
	if path.Ext(main) == ".bin" {
		return errors.New("a binary workbook (.xlsb): save it as .xlsx, or as CSV")
	}
	var book struct {
		Properties struct {
			From1904 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			Name  string `xml:"name,attr"`
			State string `xml:"state,attr"`
			ID    string `xml:"id,attr"`
		} `xml:"sheets>sheet"`
	}
	if err := w.unmarshal(main, &book); err != nil {
		return err
	}
	w.from1904 = book.Properties.From1904 == "1" || book.Properties.From1904 == "true"
	folder, base := path.Split(main)
	var parts relations
	if err := w.unmarshal(folder+"_rels/"+base+".rels", &parts); err != nil {
		return err
	}
	target := func(fits func(id, kind string) bool) string {
		for _, r := range parts.List {
			if fits(r.ID, path.Base(r.Type)) {
				if strings.HasPrefix(r.Target, "/") {
					return r.Target[1:]
				}
				return path.Join(folder, r.Target)
			}
		}
		return ""
	}
	for _, s := range book.Sheets {
		part := target(func(id, kind string) bool { return id == s.ID && kind == "worksheet" })
		if part != "" && s.State != "hidden" && s.State != "veryHidden" {
			w.sheets = append(w.sheets, sheet{s.Name, part})
		}
	}
	if part := target(func(_, kind string) bool { return kind == "styles" }); part != "" {
		if err := w.readStyles(part); err != nil {
			return err
		}
	}
	if part := target(func(_, kind string) bool { return kind == "sharedStrings" }); part != "" {
		return w.readStrings(part)
	}
	return nil
}

// choose returns the sheet of c, or the only one with cells.
func (w *workbook) choose(c *SourceConfig) (sheet, error) {
	var names []string
	var some []sheet
	for _, s := range w.sheets {
		if s.name == c.Sheet {
			return s, nil
		}
		names = append(names, s.name)
		r, err := w.rows(s, mostColumns)
		if err != nil {
			return sheet{}, err
		}
		_, err = r.row()
		r.part.Close()
		if err == nil {
			some = append(some, s)
		} else if !errors.Is(err, io.EOF) {
			return sheet{}, err
		}
	}
	switch {
	case c.Sheet != "":
		return sheet{}, fmt.Errorf("no sheet has the name %q, there are %q: choose one with  %s", c.Sheet, names, c.Names.Set("SourceConfig.Sheet", names[0]))
	case len(some) == 0:
		return sheet{}, errors.New("the workbook has no sheet with cells; name another file")
	case len(some) > 1:
		return sheet{}, fmt.Errorf("the workbook has %d sheets with cells, %q: choose one with  %s", len(some), names, c.Names.Set("SourceConfig.Sheet", some[0].name))
	}
	return some[0], nil
}

// width returns the number of columns in the first rows of a sheet, and whether one has a number.
func (w *workbook) width(s sheet) (width int, numbers bool, err error) {
	r, err := w.rows(s, mostColumns)
	if err != nil {
		return 0, false, err
	}
	defer r.part.Close()
	for range widthRows {
		cells, err := r.row()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, false, err
		}
		width = max(width, len(cells))
		numbers = numbers || slices.ContainsFunc(cells, func(c cell) bool { return c.number })
	}
	return width, numbers, nil
}

// readStrings reads the texts that cells share.
func (w *workbook) readStrings(name string) error {
	r, err := w.part(name)
	if err != nil {
		return err
	}
	defer r.Close()
	x := newTags(r)
	total := 0
	for {
		t, err := x.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w (%s: %w)", errWorkbook, name, err)
		}
		if start, ok := t.(xml.StartElement); ok && start.Name.Local == "si" {
			text, err := x.text("si")
			if err != nil {
				return fmt.Errorf("%w (%s: %w)", errWorkbook, name, err)
			}
			if total += len(text) + 16; total > mostStrings {
				return fmt.Errorf("the texts of the workbook are longer than %d MiB: save the sheet as CSV", mostStrings>>20)
			}
			w.strings = append(w.strings, text)
		}
	}
}

// tags reads XML with a limit between two tags.
type tags struct {
	*xml.Decoder
	part    io.Reader
	n, mark int64
}

func newTags(r io.Reader) *tags {
	t := &tags{part: r}
	t.Decoder = xml.NewDecoder(t)
	return t
}

func (t *tags) Read(p []byte) (int, error) {
	if t.n-t.mark > mostCellText {
		return 0, fmt.Errorf("a text is longer than %d MiB", mostCellText>>20)
	}
	n, err := t.part.Read(p)
	t.n += int64(n)
	return n, err
}

func (t *tags) next() (xml.Token, error) {
	token, err := t.Token()
	t.mark = t.InputOffset()
	return token, err
}

// text returns the text in the elements t up to the end of an element, without that of pronunciations.
func (t *tags) text(end string) (string, error) {
	var b strings.Builder
	in, spoken := false, false
	for {
		token, err := t.next()
		if err != nil {
			return "", noEnd(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			in = e.Name.Local == "t"
			spoken = spoken || e.Name.Local == "rPh"
		case xml.EndElement:
			switch in = false; e.Name.Local {
			case "rPh":
				spoken = false
			case end:
				return b.String(), nil
			}
		case xml.CharData:
			if in && !spoken {
				if b.Write(e); b.Len() > mostCellText {
					return "", fmt.Errorf("a text is longer than %d MiB", mostCellText>>20)
				}
			}
		}
	}
}

// noEnd makes an error of an end within an element.
func noEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// cell is a cell as CSV has it.
type cell struct {
	text   string
	number bool
}

// sheetRows reads the rows of a sheet, and writes them as lines of CSV.
type sheetRows struct {
	book  *workbook
	sheet sheet
	part  io.ReadCloser
	x     *tags
	width int

	number int // of the last row
	lines  int // written
	ended  bool
	cells  []cell
	text   []byte // not yet read
}

func (w *workbook) rows(s sheet, width int) (*sheetRows, error) {
	part, err := w.part(s.part)
	if err != nil {
		return nil, err
	}
	return &sheetRows{book: w, sheet: s, part: part, x: newTags(part), width: width}, nil
}

// row returns the cells of the next row that has some; io.EOF after the last one.
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
	if _, err := io.Copy(io.Discard, r.part); err != nil { // the check sum is at the end
		return nil, fmt.Errorf("%w (%w)", errWorkbook, err)
	}
	return nil, io.EOF
}

// readCells reads the cells of a row, up to the last one with a value.
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
		return cell{text: "#N/A"}, nil // an error is no value
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
	if n, err := strconv.Atoi(style); err == nil && n >= 0 && n < len(w.styles) && w.styles[n] == dateStyle {
		if text := dateText(v, w.from1904); text != "" {
			return cell{text: text}, nil
		}
	}
	return cell{text: value, number: true}, nil
}

// Read implements io.Reader.
func (r *sheetRows) Read(p []byte) (int, error) {
	for len(r.text) == 0 {
		cells, err := r.row()
		if err != nil {
			if errors.Is(err, io.EOF) {
				r.part.Close()
			}
			return 0, err
		}
		r.text = r.text[:0]
		if n := r.number - 1 - r.lines; n > 0 && n < mostEmptyLines { // lines count as rows do
			r.text = append(r.text, strings.Repeat("\n", n)...)
			r.lines += n
		}
		r.lines++
		for i := range r.width {
			if i > 0 {
				r.text = append(r.text, ',')
			}
			if i < len(cells) && cells[i].text != "" {
				r.text = appendText(r.text, lineBreaks.Replace(cells[i].text))
			}
		}
		r.text = append(r.text, '\n')
	}
	n := copy(p, r.text)
	r.text = r.text[n:]
	return n, nil
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// columnOf returns the column of a cell such as AB12, from 0; -1 if it has none.
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
