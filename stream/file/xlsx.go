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
	"strings"
	"sync/atomic"
)

// XLSXFormat is the format of Excel workbooks since 2007 (ECMA-376, SpreadsheetML).
var XLSXFormat = Format{Name: "xlsx", Extensions: []string{".xlsx", ".xlsm"}, Table: readXLSX}

const (
	mostSheetPart  = 1 << 26 // bytes of a part that is read at once
	mostCellText   = 1 << 24 // bytes between two tags
	mostStrings    = 1 << 28 // bytes of all shared strings
	widthRows      = 1000    // number of first rows that determine the width of a sheet
	mostColumns    = 16384   // per sheet
	mostEmptyLines = 10000   // blank lines in place of absent rows
)

var errWorkbook = errors.New("the workbook is damaged: copy it again, or save it again with Excel or LibreOffice")

// workbook has the parts of a workbook that are needed to read its rows.
type workbook struct {
	parts    map[string]*zip.File
	packed   *atomic.Int64 // length of the file in bytes, which bounds the uncompressed length
	sheets   []sheet
	strings  []string
	styles   []numberStyle // by the style index of a cell
	from1904 bool

	durations []int // columns with a duration in the first rows
}

type sheet struct{ name, part string }

// readXLSX implements Format.Table.
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
	for _, column := range w.durations {
		c.said = append(c.said, "durations of column "+columnName(column)+" in seconds")
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

// part opens the part with a name.
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

// unmarshal decodes a whole part into to.
func (w *workbook) unmarshal(name string, to any) error {
	r, err := w.part(name)
	if err != nil {
		return err
	}
	defer r.Close()
	part := io.LimitReader(r, mostSheetPart)
	err = xml.NewDecoder(part).Decode(to)
	if err == nil {
		_, err = io.Copy(io.Discard, part) // reading to the end verifies the checksum
	}
	if err != nil {
		return fmt.Errorf("%w (%s: %w)", errWorkbook, name, err)
	}
	return nil
}

// relations are the parts that another part refers to.
type relations struct {
	List []struct {
		ID     string `xml:"Id,attr"`
		Type   string `xml:"Type,attr"`
		Target string `xml:"Target,attr"`
	} `xml:"Relationship"`
}

// open reads everything but the rows.
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

// choose returns the sheet that c names, or the only sheet with cells.
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

// width returns the number of columns in the first rows of a sheet, and whether one of their cells has a number.
func (w *workbook) width(s sheet) (width int, numbers bool, err error) {
	r, err := w.rows(s, mostColumns)
	if err != nil {
		return 0, false, err
	}
	defer r.part.Close()
	for range widthRows {
		cells, err := r.row()
		if errors.Is(err, io.EOF) {
			return width, numbers, nil
		}
		if err != nil {
			return 0, false, err
		}
		width = max(width, len(cells))
		for i, c := range cells {
			if c.duration && !slices.Contains(w.durations, i) {
				w.durations = append(w.durations, i)
			}
		}
		numbers = numbers || slices.ContainsFunc(cells, func(c cell) bool { return c.number })
	}
	return width, numbers, nil
}
