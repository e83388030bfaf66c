package file

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// bookParts are the parts of a workbook with the rows of a sheet, by name; "": absent.
func bookParts(rows string) map[string]string {
	return map[string]string{
		"[Content_Types].xml":        "<Types/>",
		"_rels/.rels":                `<Relationships><Relationship Id="r" Type="x/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml":            `<workbook><sheets><sheet name="S" sheetId="1" id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/s.xml"/><Relationship Id="r2" Type="x/styles" Target="styles.xml"/></Relationships>`,
		"xl/styles.xml":              `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[$-409]d\ mmm"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/><xf numFmtId="164"/><xf numFmtId="46"/></cellXfs></styleSheet>`,
		"xl/worksheets/s.xml":        "<worksheet><sheetData>" + rows + "</sheetData></worksheet>",
	}
}

// book packs the parts of a workbook.
func book(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		if parts[name] == "" {
			continue
		}
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, parts[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// smallBook is a workbook with the rows of a sheet.
func smallBook(t testing.TB, rows string) []byte {
	t.Helper()
	return book(t, bookParts(rows))
}

// bookText is what readXLSX makes of a workbook.
func bookText(t testing.TB, book []byte) (string, error) {
	t.Helper()
	return sheetText(t, book, new(SourceConfig))
}

// sheetText is what readXLSX makes of a workbook with a configuration.
func sheetText(t testing.TB, book []byte, c *SourceConfig) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "b.xlsx")
	if err := os.WriteFile(path, book, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := readXLSX(f, int64(len(book)), c)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), err
}

// Cells are what the spreadsheet shows: places, dates by style, and texts.
func TestWorkbookCells(t *testing.T) {
	for rows, want := range map[string]string{
		`<row r="2"><c r="B2" t="inlineStr"><is><r><t>a</t></r><rPh><t>x</t></rPh><r><t>,b</t></r></is></c></row>`: "\n,\"a,b\"\n",
		`<row><c><v>1.5</v></c><c s="1"><v>45658.25</v></c></row>`:                                                 "1.5,2025-01-01T06:00:00\n",
		`<row><c s="2"><v>45658</v></c><c s="3"><v>1.5</v></c><c s="1"><v>0.75</v></c></row>`:                      "2025-01-01,129600,18:00:00\n",
		`<row><c t="b"><v>1</v></c><c t="e"><v>#REF!</v></c><c t="str"><f>x</f><v>y</v></c></row>`:                 "true,#N/A,y\n",
		`<row><c s="1"><v>1</v></c><c s="1"><v>59</v></c><c s="1"><v>61</v></c></row>`:                             "1900-01-01,1900-02-28,1900-03-01\n",
		`<row><c><v>45657.999999999</v></c><c s="1"><v>45657.999999999</v></c></row>`:                              "45657.999999999,2025-01-01\n",
		`<row><c><v>1</v></c><c></c></row><row></row><row><c><v>2</v></c></row>`:                                   "1\n\n2\n",
		`<row><c><f>A1</f></c></row>`:      "!a formula without its value",
		`<row><c t="s"><v>7</v></c></row>`: "!there is no text",
		`<row><c><v>x</v></c></row>`:       "!is not a number",
		`<row><c><v>1</v></c>`:             "!damaged",
	} {
		got, err := bookText(t, smallBook(t, rows))
		if err != nil {
			got = "!" + err.Error()
		}
		if got != want && !(want[0] == '!' && strings.HasPrefix(got, "!") && strings.Contains(got, want[1:])) {
			t.Errorf("%s: got %q, want %q", rows, got, want)
		}
	}
}

// TestWorkbookParts: a workbook is read from the parts that it refers to, and a missing or damaged part is named.
func TestWorkbookParts(t *testing.T) {
	const one, two = `<row><c><v>1</v></c></row>`, `<row><c><v>2</v></c></row>`
	const relations = `<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/s.xml"/><Relationship Id="r2" Type="x/worksheet" Target="%s"/></Relationships>`
	sheets := func(state, more string) map[string]string { // a second sheet named T
		return map[string]string{
			"xl/workbook.xml":            `<workbook><sheets><sheet name="S" id="r1"/><sheet name="T" id="r2" ` + state + `/></sheets></workbook>`,
			"xl/_rels/workbook.xml.rels": fmt.Sprintf(relations, "worksheets/t.xml"),
			"xl/worksheets/t.xml":        "<worksheet><sheetData>" + more + "</sheetData></worksheet>",
		}
	}
	shared := func(text string) map[string]string {
		return map[string]string{
			"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/s.xml"/><Relationship Id="r2" Type="x/sharedStrings" Target="texts.xml"/></Relationships>`,
			"xl/texts.xml":               text,
			"xl/worksheets/s.xml":        `<worksheet><sheetData><row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row></sheetData></worksheet>`,
		}
	}
	const damaged = "!the workbook is damaged: copy it again, or save it again with Excel or LibreOffice ("
	for _, c := range []struct {
		name  string
		sheet string
		parts map[string]string
		want  string
	}{
		{"usual", "", nil, "1\n"},
		{"named sheet", "S", nil, "1\n"},
		{"no such sheet", "X", nil, `!no sheet has the name "X", there are ["S"]: choose one with  SourceConfig.Sheet=S`},
		{"two sheets", "", sheets("", two), `!the workbook has 2 sheets with cells, ["S" "T"]: choose one with  SourceConfig.Sheet=S`},
		{"second of two sheets", "T", sheets("", two), "2\n"},
		{"first of two sheets", "S", sheets("", two), "1\n"},
		{"a hidden sheet", "", sheets(`state="hidden"`, two), "1\n"},
		{"a very hidden sheet", "", sheets(`state="veryHidden"`, two), "1\n"},
		{"a visible sheet", "T", sheets(`state="visible"`, two), "2\n"},
		{"an empty sheet", "", sheets("", "<row/>"), "1\n"},
		{"a damaged sheet", "", sheets("", "<row>"), "!row 1: " + damaged[1:] + "XML syntax error on line 1: element <row> closed by </sheetData>)"},
		{"no sheet with cells", "", map[string]string{"xl/worksheets/s.xml": "<worksheet><sheetData></sheetData></worksheet>"}, "!the workbook has no sheet with cells; name another file"},
		{"a chart", "", map[string]string{"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Type="x/chartsheet" Target="worksheets/s.xml"/></Relationships>`}, "!the workbook has no sheet with cells; name another file"},
		{"a target from the root", "", map[string]string{"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Type="x/worksheet" Target="/xl/worksheets/s.xml"/></Relationships>`}, "1\n"},
		{"a target in other letters", "", map[string]string{"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Type="x/worksheet" Target="Worksheets/S.xml"/></Relationships>`}, "1\n"},
		{"a part that is absent", "", map[string]string{"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Type="x/worksheet" Target="x.xml"/></Relationships>`}, damaged + "it has no xl/x.xml)"},
		{"no relations", "", map[string]string{"_rels/.rels": ""}, damaged + "it has no _rels/.rels)"},
		{"no workbook", "", map[string]string{"xl/workbook.xml": ""}, damaged + "it has no xl/workbook.xml)"},
		{"no relations of the workbook", "", map[string]string{"xl/_rels/workbook.xml.rels": ""}, damaged + "it has no xl/_rels/workbook.xml.rels)"},
		{"no styles", "", map[string]string{"xl/styles.xml": ""}, damaged + "it has no xl/styles.xml)"},
		{"no XML", "", map[string]string{"xl/styles.xml": "x"}, damaged + "xl/styles.xml: EOF)"},
		{"binary", "", map[string]string{"_rels/.rels": `<Relationships><Relationship Id="r" Type="x/officeDocument" Target="/xl/workbook.bin"/></Relationships>`}, "!a binary workbook (.xlsb): save it as .xlsx, or as CSV"},
		{"shared texts", "", shared(`<sst><si><t>a</t></si><si><r><t>b</t></r><rPh><t>x</t></rPh><r><t xml:space="preserve"> c</t></r></si></sst>`), "a,b c\n"},
		{"too few shared texts", "", shared(`<sst><si><t>a</t></si></sst>`), "!row 1: " + damaged[1:] + `there is no text "1")`},
		{"damaged shared texts", "", shared(`<sst><si><t>a</t></sst>`), damaged + "xl/texts.xml: XML syntax error on line 1: element <si> closed by </sst>)"},
		{"shared texts that end early", "", shared(`<sst><si><t>a`), damaged + "xl/texts.xml: XML syntax error on line 1: unexpected EOF)"},
		{"no shared texts", "", shared(""), damaged + "it has no xl/texts.xml)"},
		{"dates of a Mac", "", map[string]string{"xl/workbook.xml": `<workbook><workbookPr date1904="1"/><sheets><sheet name="S" id="r1"/></sheets></workbook>`,
			"xl/worksheets/s.xml": `<worksheet><sheetData><row><c s="1"><v>0</v></c><c s="1"><v>0.25</v></c><c s="1"><v>44196</v></c></row></sheetData></worksheet>`}, "1904-01-01,1904-01-01T06:00:00,2025-01-01\n"},
	} {
		parts := bookParts(one)
		maps.Copy(parts, c.parts)
		got, err := sheetText(t, book(t, parts), &SourceConfig{Sheet: c.sheet})
		if err != nil {
			got = "!" + err.Error()
		}
		if got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
	if _, err := bookText(t, []byte("PK\x03\x04")); err == nil || !strings.HasPrefix(err.Error(), damaged[1:]) {
		t.Error(err)
	}
}

// TestWorkbookStyles: the built-in formats of ECMA-376 and own formats show numbers, dates or durations.
func TestWorkbookStyles(t *testing.T) {
	dates := []int{14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 45, 47, 50, 51, 52, 53, 54, 55, 56, 57, 58}
	own := []struct{ code, want string }{
		{"yyyy-mm-dd", "2025-01-01"}, {"D", "2025-01-01"}, {"h:mm", "2025-01-01"}, {"General", "45658"}, {"0.00", "45658"}, {"0 &quot;days&quot;", "45658"}, {`0\d`, "45658"}, {"[Red]0", "45658"},
		{"0_d", "45658"}, {"0*d", "45658"}, {"[h]:mm", "3944851200"}, {"[MM]:ss", "3944851200"}, {"[ss]", "3944851200"}, {"[$-409]0", "45658"}, {"0;d", "45658"}, {"d;0", "2025-01-01"},
	}
	var formats, styles, rows, want strings.Builder
	for id := range 60 {
		fmt.Fprintf(&styles, `<xf numFmtId="%d"/>`, id)
		fmt.Fprintf(&rows, `<row><c s="%d"><v>45658</v></c></row>`, id)
		switch {
		case slices.Contains(dates, id):
			want.WriteString("2025-01-01\n")
		case id == 46:
			want.WriteString("3944851200\n")
		default:
			want.WriteString("45658\n")
		}
	}
	for i, o := range own {
		fmt.Fprintf(&formats, `<numFmt numFmtId="%d" formatCode="%s"/>`, 164+i, o.code)
		fmt.Fprintf(&styles, `<xf numFmtId="%d"/>`, 164+i)
		fmt.Fprintf(&rows, `<row><c s="%d"><v>45658</v></c></row>`, 60+i)
		want.WriteString(o.want + "\n")
	}
	parts := bookParts(rows.String() + `<row><c s="14"><v>-1</v></c></row><row><c s="14"><v>2958465.5</v></c></row><row><c s="14"><v>2958466</v></c></row><row><c s="14"><v>0</v></c></row><row><c s="46"><v>0.0000115741</v></c></row><row><c s="999"><v>1</v></c></row>`)
	parts["xl/styles.xml"] = "<styleSheet><numFmts>" + formats.String() + "</numFmts><cellXfs>" + styles.String() + "</cellXfs></styleSheet>"
	got, err := bookText(t, book(t, parts))
	if want := want.String() + "-1\n9999-12-31T12:00:00\n2958466\n00:00:00\n1\n1\n"; err != nil || got != want {
		t.Errorf("%v\ngot  %q\nwant %q", err, got, want)
	}
}

// TestWorkbookPlaces: rows and columns without a cell are empty lines and fields, durations name their column as the
// spreadsheet does, and a value beside the table is an error.
func TestWorkbookPlaces(t *testing.T) {
	cell := func(column string, style int) string {
		return fmt.Sprintf(`<c r="%s1" s="%d"><v>1</v></c>`, column, style)
	}
	many := strings.Repeat("<row><c><v>1</v></c></row>", widthRows)
	for _, c := range []struct{ rows, want, said string }{
		{`<row r="3">` + cell("A", 0) + `</row><row r="3">` + cell("A", 0) + `</row><row>` + cell("A", 0) + `</row>`, "\n\n1\n1\n1\n", ""},
		{`<row r="10000">` + cell("A", 0) + "</row>", strings.Repeat("\n", 9999) + "1\n", ""},
		{`<row r="10001">` + cell("A", 0) + "</row>", "1\n", ""},
		{`<row>` + cell("A", 3) + cell("Z", 3) + cell("AA", 3) + cell("AZ", 3) + cell("BA", 3) + `</row>`, "86400" + strings.Repeat(",", 25) + "86400,86400" + strings.Repeat(",", 25) + "86400,86400\n", "A Z AA AZ BA"},
		{`<row>` + cell("C", 0) + cell("B", 0) + `</row>`, ",,1,1\n", ""}, // a place before the last one is wrong
		{`<row>` + cell("B", 0) + `<c r="D1"/></row>`, ",1\n", ""},
		{many + `<row><c r="B1"/></row>`, strings.Repeat("1\n", widthRows), ""},
		{many[:len(many)-len("</row>")] + cell("B", 0) + "</row>", strings.Repeat("1,\n", widthRows-1) + "1,1\n", ""},
		{many + `<row>` + cell("B", 0) + `</row>`, "!row 1001: column 2 has a value, and the first 1000 rows have 1 columns: remove what is beside the table", ""},
		{`<row>` + cell("XFD", 0) + `</row>`, strings.Repeat(",", mostColumns-1) + "1\n", ""},
		{`<row>` + cell("XFE", 0) + `</row>`, "!row 1: column 16385 has a value, and the first 1000 rows have 16384 columns: remove what is beside the table", ""},
	} {
		var config SourceConfig
		got, err := sheetText(t, smallBook(t, c.rows), &config)
		if err != nil {
			got = "!" + err.Error()
		}
		var said []string
		for _, text := range config.said {
			said = append(said, strings.TrimSuffix(strings.TrimPrefix(text, "durations of column "), " in seconds"))
		}
		if got != c.want || strings.Join(said, " ") != c.said {
			t.Errorf("%.80s: got %.200q, want %.200q; said %q, want %s", c.rows, got, c.want, said, c.said)
		}
	}
	for rows, want := range map[string]byte{`<row><c><v>1.234</v></c></row>`: '.', `<row><c t="str"><v>1.234</v></c></row>`: 0} {
		var config SourceConfig
		if _, err := sheetText(t, smallBook(t, rows), &config); err != nil || config.CSV.Decimal != want || config.CSV.Comma != ',' {
			t.Errorf("%s: decimal mark %q, separator %q, %v", rows, config.CSV.Decimal, config.CSV.Comma, err)
		}
	}
}

// A workbook that unpacks to 100 GB, or has an endless text, is refused before it fills memory or disk.
func TestWorkbookBomb(t *testing.T) {
	long := smallBook(t, `<row><c t="inlineStr"><is><t>`+strings.Repeat("x", 40<<20)+`</t></is></c></row>`)
	if _, err := bookText(t, long); err == nil || !strings.Contains(err.Error(), "a text is longer than") {
		t.Error(err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if _, err := z.CreateRaw(&zip.FileHeader{Name: "_rels/.rels", Method: zip.Deflate, UncompressedSize64: 100 << 30}); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := bookText(t, b.Bytes()); err == nil || !strings.Contains(err.Error(), "unpack it first") {
		t.Error(err)
	}
}

// A part whose check sum is wrong is refused, also where its XML is well-formed: one bit is the year 1900 or 1904.
func TestWorkbookCheckSums(t *testing.T) {
	book := smallBook(t, `<row><c><v>1</v></c></row>`)
	z, err := zip.NewReader(bytes.NewReader(book), int64(len(book)))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range z.File[1:] { // the first says only that it is a workbook
		var b bytes.Buffer
		damaged := zip.NewWriter(&b)
		for _, f := range z.File {
			h := f.FileHeader
			if f == part {
				h.CRC32++
			}
			raw, err := f.OpenRaw()
			if err != nil {
				t.Fatal(err)
			}
			w, err := damaged.CreateRaw(&h)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(w, raw); err != nil {
				t.Fatal(err)
			}
		}
		if err := damaged.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := bookText(t, b.Bytes()); err == nil {
			t.Errorf("%s is read", part.Name)
		}
	}
}

// A part that is compressed by a method that is not known is named as damage.
func TestWorkbookMethods(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if _, err := z.CreateRaw(&zip.FileHeader{Name: "_rels/.rels", Method: 99}); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := bookText(t, b.Bytes()); err == nil || err.Error() != errWorkbook.Error()+" (zip: unsupported compression algorithm)" {
		t.Error(err)
	}
}

func FuzzXLSX(f *testing.F) {
	f.Add(smallBook(f, `<row r="1"><c r="A1" t="inlineStr"><is><t>time</t></is></c></row><row><c s="1"><v>45658.25</v></c></row>`))
	f.Fuzz(func(t *testing.T, book []byte) { _, _ = bookText(t, book) })
}

func FuzzSheet(f *testing.F) {
	f.Add(`<row r="1"><c r="A1" t="inlineStr"><is><t>time</t></is></c></row><row><c s="1"><v>45658.25</v></c></row>`)
	f.Fuzz(func(t *testing.T, rows string) { _, _ = bookText(t, smallBook(t, rows)) })
}
