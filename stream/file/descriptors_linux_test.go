package file

import (
	"errors"
	"io"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// A file that was closed, or that could not be used, is not open any more. The collector, which would close files that
// nobody closes, is off.
func TestNothingStaysOpen(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	dir := writeAll(t, map[string]string{
		"one.csv": "time,a\n1,1\n", "two.csv": "time,a\n2,1\n", "other.csv": "time,b\n1,1\n",
		"cut.csv.gz": "\x1f\x8b\x08", "odd.xyz": "1", "late.csv": "time,a\n" + strings.Repeat("1,800\n", sampleBytes) + "1,1.170\n",
		"short.tsf": "@attribute start date\n@frequency daily\n@data\n2020-01-01:1\n2020-01-02\n",
	})
	for _, c := range []struct {
		name  string // relative to dir
		more  []string
		fails bool // in OpenSource
	}{
		{name: "one.csv"},
		{name: "one.csv", more: []string{"two.csv"}},
		{name: "one.csv", more: []string{"other.csv"}, fails: true},
		{name: "cut.csv.gz", fails: true},
		{name: "odd.xyz", fails: true},
		{name: "late.csv", fails: true},
		{name: "short.tsf", fails: true},
	} {
		before := streamtest.OpenFiles(t)
		var config SourceConfig
		for _, name := range c.more {
			config.More = append(config.More, filepath.Join(dir, name))
		}
		s, err := OpenSource(filepath.Join(dir, c.name), config)
		for messages := make([]stream.Message, 9); err == nil; {
			_, err = s.Read(t.Context(), messages)
		}
		if (s == nil) != c.fails || !c.fails && !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", c.name, err)
		}
		if s != nil {
			s.Close()
		}
		if n := streamtest.OpenFiles(t); n != before {
			t.Errorf("%s and %v: %d files are open, %d before", c.name, c.more, n, before)
		}
	}
	if before := streamtest.OpenFiles(t); CheckForeign(filepath.Join(dir, "one.csv")) == nil || streamtest.OpenFiles(t) != before {
		t.Error("a file of no forecasts was accepted, or stays open")
	}
}
