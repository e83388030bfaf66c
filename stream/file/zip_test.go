package file_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream/file"
)

// zipOf packs files, each by its name and its text.
func zipOf(t testing.TB, files ...string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err == nil {
			_, err = w.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readBytes reads a file of the bytes with the name.
func readBytes(t *testing.T, name string, b []byte) (contents, error) {
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := file.OpenSource(path, file.SourceConfig{})
	if err != nil {
		return contents{}, err
	}
	defer src.Close()
	got := readAll(src)
	return got, got.err
}

// TestPackedAndNamedTexts: readable files are read, and the others refused with a remedy.
func TestPackedAndNamedTexts(t *testing.T) {
	const text = "time,v\n1767225600,1\n1767225660,2\n1767225720,3\n"
	one := zipOf(t, "folder/inner.csv", text, "__MACOSX/._inner.csv", "x")
	var huge bytes.Buffer // a directory that says 100 GiB
	z := zip.NewWriter(&huge)
	if _, err := z.CreateRaw(&zip.FileHeader{Name: "a.csv", UncompressedSize64: 100 << 30, CompressedSize64: 3}); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	headless := zipOf(t, ".first", "x", "a.csv", text)
	copy(headless[bytes.LastIndex(headless, []byte("PK\x03\x04")):], "XX")
	for _, c := range []struct {
		name   string
		bytes  []byte
		rows   int
		series string
		err    string
	}{
		{"one.zip", one, 3, "inner", ""},
		{"b.csv.zip", zipOf(t, "b.csv", text), 3, "b", ""},
		{"a.txt", []byte(text), 3, "a", ""},
		{"tab.txt", []byte(strings.ReplaceAll(text, ",", "\t")), 3, "tab", ""},
		{"j.txt", []byte(`{"time":1767225600,"values":{"v":1}}` + "\n" + `{"time":1767225660,"values":{"v":2}}` + "\n"), 2, "j", ""},
		{"two.zip", zipOf(t, "a.csv", text, "b.csv", text), 0, "", "unzip -p"},
		{"cut.zip", one[:len(one)/2], 0, "", "damaged"},
		{"headless.zip", headless, 0, "", "the zip archive is damaged: copy it again"},
		{"long.zip", huge.Bytes(), 0, "", "longer than 64 GiB"},
		{"book.zip", zipOf(t, "[Content_Types].xml", "<x/>"), 0, "", "workbook"},
		{"m.tsf", []byte("@attribute series_name string\n@attribute start_timestamp date\n@frequency monthly\n@data\nT1:1990-01-31 00-00-00:1,?,3\n"), 3, "T1", ""},
		{"p.tsf", []byte("@attribute start_timestamp date\n@frequency half_hourly\n@data\n2020-01-01 00-00-00:1,2\n2020-01-01 00-00-00:3,4\n"), 4, "T4", ""},
		{"n.tsf", []byte("@attribute series_name string\n@frequency monthly\n@data\nT1:1,2\n"), 0, "", "start_timestamp"},
		{"o.tsf", []byte("@attribute start_timestamp date\n@frequency often\n@data\nT1:1,2\n"), 0, "", "half_hourly"},
	} {
		got, err := readBytes(t, c.name, c.bytes)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want one with %q", c.name, err, c.err)
			}
		case err != nil || got.rows != c.rows || got.series[0] != c.series:
			t.Errorf("%s: %d rows of %v, %v", c.name, got.rows, got.series, err)
		}
	}
}

// The commands that the refusal of a packed file prints make one that is read.
func TestUnpackRemedies(t *testing.T) {
	for _, program := range []string{"unzip", "gzip"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
	corpus := filepath.Join("..", "..", "internal", "wire", "testdata", "corpus")
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(corpus, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(read("pandas-snappy.parquet"))); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	a, b, _ := strings.Cut(read("pandas.csv"), "\n2025-01-07")
	header, _, _ := strings.Cut(a, "\n")
	tsf := "@attribute start_timestamp date\n@frequency hourly\n@data\n" + strings.Repeat("2020-01-01 00-00-00:"+strings.Repeat("1,", 19)+"1\n", 2)
	for name, content := range map[string]string{
		"parquet.zip": string(zipOf(t, "in it/x y.parquet", read("pandas-snappy.parquet"))), "arrow.zip": string(zipOf(t, "x.arrow", read("polars-zstd.arrow"))),
		"excel.zip": string(zipOf(t, "x.xlsx", read("pandas-openpyxl.xlsx"))), "tsf.zip": string(zipOf(t, "x.tsf", tsf)),
		"two.zip": string(zipOf(t, "x-1.csv", a+"\n", "x-2.csv", header+"\n2025-01-07"+b)), "x.parquet.gz": packed.String(),
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := file.OpenSource(path, file.SourceConfig{})
		if err == nil {
			t.Errorf("%s is read", name)
			continue
		}
		_, command, _ := strings.Cut(err.Error(), " it with  ")
		command, _, _ = strings.Cut(command, "  and name ")
		sh := exec.Command("sh", "-c", command)
		sh.Dir = dir
		if out, bad := sh.CombinedOutput(); bad != nil {
			t.Errorf("%v: %v %s", err, bad, out)
			continue
		}
		made := ""
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() != name {
				made = filepath.Join(dir, e.Name())
			}
		}
		src, err := file.OpenSource(made, file.SourceConfig{})
		if err != nil {
			t.Errorf("%s: %v", command, err)
			continue
		}
		if got := readAll(src); got.err != nil || got.rows != 40 {
			t.Errorf("%s: %d rows, %v", command, got.rows, got.err)
		}
		src.Close()
	}
}

func FuzzZip(f *testing.F) {
	f.Add(zipOf(f, "a.csv", "time,v\n1,2\n"))
	f.Add(zipOf(f, "a.jsonl", `{"time":1,"values":[1]}`))
	f.Fuzz(func(t *testing.T, b []byte) { _, _ = readBytes(t, "x.zip", b) })
}

func FuzzTSF(f *testing.F) {
	f.Add([]byte("# c\n@attribute n string\n@attribute s date\n@frequency 10_minutes\n@data\nT1:1990-01-01 00-00-00:1,?,3\n"))
	f.Fuzz(func(t *testing.T, b []byte) { _, _ = readBytes(t, "x.tsf", b) })
}
