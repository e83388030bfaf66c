package study

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
)

// Windows of CSV may be quoted, with spaces and a byte order mark; a file of rows is none.
func TestWindowsOfCSV(t *testing.T) {
	want := [][2]string{{"2020-01-01 00:00", "2020-01-02 00:00"}, {"2020-02-01 00:00", "2020-02-03 00:00"}}
	for _, text := range []string{
		"start,end\n2020-01-01 00:00,2020-01-02 00:00\n2020-02-01 00:00,2020-02-03 00:00\n",
		"\ufeff\"Id\", \"From\",\"To\"\r\n1,\"2020-01-01 00:00\", \"2020-01-02 00:00\"\r\n2,2020-02-01 00:00 ,2020-02-03 00:00\r\n",
		"start,anomaly,end\n2020-01-01 00:00,1,2020-01-02 00:00\n2020-01-05,0,2020-01-06\n2020-01-07, False,2020-01-08\n2020-02-01 00:00,true,2020-02-03 00:00\n",
	} {
		if got, ok := csvWindows(text); !ok || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "time,anomaly\n1,0\n"} {
		if got, ok := csvWindows(text); ok {
			t.Errorf("%q: windows %v", text, got)
		}
	}
}

// A missing file has no windows; another unreadable one is an error.
func TestWindowsOfNoFile(t *testing.T) {
	dir := t.TempDir()
	for path, wrong := range map[string]bool{filepath.Join(dir, "none.csv"): false, dir: true} {
		if _, ok, err := ReadWindows(config.Default(), path, &Samples{}, 0, 0); ok || (err != nil) != wrong {
			t.Errorf("%s: windows %v, error %v", path, ok, err)
		}
	}
}

// Windows of JSON belong to a file by its path, by its name, or by a name with a folder in front,
// as in NAB; a name that two entries share is an error, whatever the order of a map.
func TestWindowsOfJSON(t *testing.T) {
	const text = `{"a/x.csv": [["1", "2"]], "b/x.csv": [["3", "4"]], "a/y.csv": [["5", "6"]]}`
	for name, want := range map[string]string{"data/b__x.csv": "3", "y.csv": "5", "a/x.csv": "1"} {
		got, err := jsonWindows([]byte(text), name)
		if err != nil || len(got) != 1 || got[0][0] != want {
			t.Errorf("%s: %v, error %v, want the window from %s", name, got, err, want)
		}
	}
	if _, err := jsonWindows([]byte(text), "x.csv"); err == nil || !strings.Contains(err.Error(), "several files x.csv: a/x.csv, b/x.csv") {
		t.Errorf("two files of one name: error %v", err)
	}
	if _, err := jsonWindows([]byte(text), "z.csv"); err == nil || !strings.Contains(err.Error(), "no windows of z.csv") {
		t.Errorf("a file without windows: error %v", err)
	}
}
