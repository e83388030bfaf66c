package file_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/stream/file"
)

// FuzzArrow: no bytes make the reader panic, hang or fill memory.
func FuzzArrow(f *testing.F) {
	for _, pattern := range []string{"hosts-*.arrow*", "n*.arrow", "pyarrow-*.arrow*", "feather-*.feather"} {
		names, err := filepath.Glob(filepath.Join("..", "..", "internal", "wire", "testdata", "corpus", pattern))
		if err != nil || len(names) == 0 {
			f.Fatal(pattern, err)
		}
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	path := filepath.Join(f.TempDir(), "x.arrow")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		text, err := file.ArrowFormat.Table(r, int64(len(b)), new(file.SourceConfig))
		if err != nil {
			return
		}
		var lines bytes.Buffer
		_, _ = io.Copy(&lines, io.LimitReader(text, 1<<26))
	})
}

// What unpacks to more than a thousand times its size is refused before it fills memory or disk.
func TestTableBombs(t *testing.T) {
	for name, format := range map[string]file.Format{"bomb.arrow": file.ArrowFormat, "bomb.parquet": file.ParquetFormat} {
		f, err := os.Open(filepath.Join("..", "..", "internal", "wire", "testdata", "corpus", name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		text, err := format.Table(f, info.Size(), new(file.SourceConfig))
		if err == nil {
			_, err = io.Copy(io.Discard, text)
		}
		if err == nil || !strings.Contains(err.Error(), "more than 1000 times as") {
			t.Error(name, err)
		}
	}
}
