package file

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
)

// opened returns the error of a file with a text, without its path.
func opened(t *testing.T, text string) string {
	t.Helper()
	path := t.TempDir() + "/x.csv"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := OpenSource(path, SourceConfig{})
	if err == nil {
		s.Close()
		return ""
	}
	return strings.ReplaceAll(err.Error(), path, "FILE")
}

// notText stands between the kind of a file and the remedy.
const notText = ", not CSV, JSON lines or line protocol: "

// TestOtherKinds: a file of every known kind is refused with its name and its remedy, and bytes that no text has are.
func TestOtherKinds(t *testing.T) {
	for _, k := range kinds {
		remedy := k.remedy
		if remedy == ParquetFormat.Name || remedy == ArrowFormat.Name {
			remedy = "read it with  SourceConfig.Format=" + remedy
		}
		want := "FILE is " + k.name + notText + remedy
		for _, begins := range []string{k.begins, "\ufeff \r\n" + strings.ToUpper(k.begins)} {
			if got := opened(t, begins+" and more\n"); got != want && (begins == k.begins || k.begins[0] == '<') {
				t.Errorf("%q:\ngot  %s\nwant %s", begins, got, want)
			}
		}
	}
	const columns, rest = "time,a\n2026-01-01,1\n", "; CSV, JSON lines, line protocol and Parquet are read"
	for text, want := range map[string]string{
		columns:                  "",
		columns + "\x01\x02":     "",
		columns + "\x01\x02\x03": "FILE is no text: it has bytes that no text has" + rest + ": name another file",
		columns + strings.Repeat("2026-01-02,1\n", 11) + "\x01\x02\x03": "", // less than one of fifty
		"t\x00i\x00m\x00e\x00":       "FILE is UTF-16 without a byte order mark: convert it with  iconv -f UTF-16LE -t UTF-8 IN > OUT",
		"\x00\x00\x00t\x00\x00\x00i": "FILE is UTF-32: convert it with  iconv -f UTF-32 -t UTF-8 IN > OUT",
		"t\x00ime,a\n":               "FILE is no text: line 1 has the byte 0x00 at 2" + rest,
		"\x00time,a\n":               "FILE is no text: line 1 has the byte 0x00 at 1" + rest,
		"tim\x02e,a\n":               "FILE is no text: line 1 has the byte 0x02 at 4" + rest,
		"\x1ftime,a\n":               "FILE is no text: line 1 has the byte 0x1f at 1" + rest,
	} {
		if got := opened(t, text); got != want {
			t.Errorf("%q:\ngot  %s\nwant %s", text, got, want)
		}
	}
}

// TestKindsInPipes: standard input is read as it is, so that its first line names a kind which files are unpacked from.
func TestKindsInPipes(t *testing.T) {
	const before, header, none = "stdin is ", "time,a\n", ""
	for text, want := range map[string]string{
		"\x1f\x8b\x08 and more\n":          before + "compressed by gzip" + notText + "decompress it with  gzip -dc",
		"\x28\xb5\x2f\xfd and more\n":      before + "compressed by zstd" + notText + "decompress it with  zstd -dc",
		"\xff\xfet\x00\n\x00":              before + "UTF-16" + notText + "convert it with  iconv -f UTF-16 -t UTF-8",
		"\xfe\xff\x00t\x00\n":              before + "UTF-16" + notText + "convert it with  iconv -f UTF-16 -t UTF-8",
		"PAR1 and more\n":                  before + "Parquet" + notText + "read it with  SourceConfig.Format=parquet",
		header + "1,2\n\x1f\x8b":           none,
		"\n\r\n" + header + "1,2\n":        none,
		"{\"time\": 1, \"values\": [1]}\n": none,
	} {
		for _, name := range []string{"csv", "jsonl"} {
			if isJSON := strings.HasPrefix(text, "{"); want == none && isJSON == (name == "csv") {
				continue
			}
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprint(w, text)
			w.Close()
			stdin := os.Stdin
			os.Stdin = r
			s, err := OpenSource("-", SourceConfig{Format: name})
			os.Stdin = stdin
			if err != nil {
				t.Fatal(err)
			}
			got := none
			if _, err = s.Read(t.Context(), make([]stream.Message, 1)); err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("%q as %s:\ngot  %s\nwant %s", text, name, got, want)
			}
			s.Close()
			r.Close()
		}
	}
}
