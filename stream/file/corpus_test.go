package file_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/corpus"
	"github.com/orffvar/forecaster/stream/file"
)

var corpusDir = filepath.Join("..", "..", "internal", "wire", "testdata", "corpus")

// TestCorpus: every cell of the files of other programs is read right without any setting, or the file is refused with
// the remedy. internal/wire reads those that need settings.
func TestCorpus(t *testing.T) {
	for name, want := range corpus.Files(t, corpusDir) {
		if !want.Refused && len(want.Settings) > 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			src, err := file.OpenSource(filepath.Join(corpusDir, name), file.SourceConfig{})
			var got corpus.Cells
			if err == nil {
				defer src.Close()
				got, err = corpus.Read(src)
			}
			switch {
			case !want.Refused && err != nil:
				t.Fatal(err)
			case !want.Refused:
				corpus.Compare(t, got, want.Series)
			case err == nil || !strings.Contains(want.Says, "--") && !strings.Contains(err.Error(), want.Says):
				t.Errorf("%v, want an error with %q", err, want.Says)
			}
		})
	}
}

// tableText is what a format makes of a table.
func tableText(t *testing.T, format file.Format, b []byte, c *file.SourceConfig) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := format.Table(f, int64(len(b)), c)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), err
}

// TestTablesThatEndEarly: a part of a table is an error, and no table with fewer rows. A stream of Arrow may end after any
// batch: its rows are then the first ones.
func TestTablesThatEndEarly(t *testing.T) {
	for _, name := range []string{"bool.arrow", "hosts-view.arrow", "polars-zstd.arrow", "polars-lz4.arrow", "feather-lz4.feather", "hosts-delta.arrows", "polars-stream.arrows", "polars-zstd.parquet", "pyarrow-groups.parquet", "polars.xlsx"} {
		format := map[string]file.Format{".parquet": file.ParquetFormat, ".xlsx": file.XLSXFormat}[filepath.Ext(name)]
		if format.Table == nil {
			format = file.ArrowFormat
		}
		b, err := os.ReadFile(filepath.Join(corpusDir, name))
		if err != nil {
			t.Fatal(err)
		}
		whole, err := tableText(t, format, b, new(file.SourceConfig))
		if err != nil {
			t.Fatal(err)
		}
		for n := 1; n < len(b); n += 1 + len(b)/200 {
			text, err := tableText(t, format, b[:n], new(file.SourceConfig))
			switch stream := strings.HasSuffix(name, "s"); {
			case err == nil && !stream:
				t.Errorf("%d of %d bytes of %s are read", n, len(b), name)
			case err == nil && !strings.HasPrefix(whole, text):
				t.Errorf("%d of %d bytes of %s have other rows", n, len(b), name)
			case err != nil && !strings.Contains(err.Error(), "damaged") && !strings.Contains(err.Error(), "not an Arrow file"):
				t.Errorf("%d of %d bytes of %s: %v", n, len(b), name, err)
			}
		}
	}
}

// TestTablesSayTheirNumbers: a table has a decimal point where a column has fractions, unless a setting says another mark,
// and lists the columns with several values.
func TestTablesSayTheirNumbers(t *testing.T) {
	for _, c := range []struct {
		name   string
		format file.Format
		set    byte
		want   byte
		lists  string
	}{
		{"numbers.arrow", file.ArrowFormat, 0, '.', ""}, {"numbers.arrow", file.ArrowFormat, ',', ',', ""}, {"texts.arrow", file.ArrowFormat, 0, 0, ""}, {"nested.arrow", file.ArrowFormat, 0, '.', "parts pairs"},
		{"decimals.arrow", file.ArrowFormat, 0, '.', ""}, {"durations.arrow", file.ArrowFormat, 0, '.', ""}, {"hosts-uint64.arrow", file.ArrowFormat, 0, '.', ""}, {"bool.arrow", file.ArrowFormat, 0, '.', ""},
		{"pyarrow-numbers.parquet", file.ParquetFormat, 0, '.', ""}, {"pyarrow-numbers.parquet", file.ParquetFormat, ',', ',', ""}, {"texts.parquet", file.ParquetFormat, 0, 0, ""}, {"nested.parquet", file.ParquetFormat, 0, '.', "parts"},
	} {
		b, err := os.ReadFile(filepath.Join(corpusDir, c.name))
		if err != nil {
			t.Fatal(err)
		}
		var config file.SourceConfig
		config.CSV.Decimal = c.set
		if _, err := tableText(t, c.format, b, &config); err != nil || config.CSV.Decimal != c.want || config.CSV.Comma != ',' || strings.Join(config.CSV.Lists, " ") != c.lists {
			t.Errorf("%s with %q: decimal mark %q, separator %q, lists %q, %v", c.name, c.set, config.CSV.Decimal, config.CSV.Comma, config.CSV.Lists, err)
		}
	}
}
