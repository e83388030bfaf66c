package file

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// smallBook is a workbook with the rows of a sheet.
func smallBook(t testing.TB, rows string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, p := range []struct{ name, text string }{
		{"[Content_Types].xml", "<Types/>"},
		{"_rels/.rels", `<Relationships><Relationship Id="r" Type="x/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook><sheets><sheet name="S" sheetId="1" id="r1"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/s.xml"/><Relationship Id="r2" Type="x/styles" Target="styles.xml"/></Relationships>`},
		{"xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[$-409]d\ mmm"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="22"/><xf numFmtId="164"/><xf numFmtId="46"/></cellXfs></styleSheet>`},
		{"xl/worksheets/s.xml", "<worksheet><sheetData>" + rows + "</sheetData></worksheet>"},
	} {
		w, err := z.Create(p.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, p.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bookText is what readXLSX makes of a workbook.
func bookText(t testing.TB, book []byte) (string, error) {
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
	r, err := readXLSX(f, int64(len(book)), &SourceConfig{})
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

func FuzzXLSX(f *testing.F) {
	f.Add(smallBook(f, `<row r="1"><c r="A1" t="inlineStr"><is><t>time</t></is></c></row><row><c s="1"><v>45658.25</v></c></row>`))
	f.Fuzz(func(t *testing.T, book []byte) { _, _ = bookText(t, book) })
}

func FuzzSheet(f *testing.F) {
	f.Add(`<row r="1"><c r="A1" t="inlineStr"><is><t>time</t></is></c></row><row><c s="1"><v>45658.25</v></c></row>`)
	f.Fuzz(func(t *testing.T, rows string) { _, _ = bookText(t, smallBook(t, rows)) })
}
