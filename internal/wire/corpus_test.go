package wire_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
)

// load applies settings such as "model.type=okvar".
func load(sets ...string) (*config.Config, error) {
	var src config.Sources
	for _, s := range sets {
		path, value, _ := strings.Cut(s, "=")
		src.Set = append(src.Set, config.Setting{Path: path, Value: value, From: "--set"})
	}
	return wire.Load(src)
}

// cells are the values of each variable of each series by time, NaN where one is missing.
type cells map[string]map[string]map[int64]float64

// readCells reads a file with settings.
func readCells(path string, settings ...string) (cells, string, error) {
	c, err := load(append(settings, "input.file.path="+path)...)
	if err != nil {
		return nil, "", err
	}
	src, err := wire.OpenFile(c)
	if err != nil {
		return nil, "", err
	}
	defer src.Close()
	found := make(cells)
	decoder := src.Decoder()
	add := func(r *stream.Record) error {
		if found[r.Series] == nil {
			found[r.Series] = make(map[string]map[int64]float64)
		}
		for j, v := range r.Values {
			column := found[r.Series][r.Names[j]]
			if column == nil {
				column = make(map[int64]float64)
				found[r.Series][r.Names[j]] = column
			}
			if _, twice := column[r.Time]; twice {
				return fmt.Errorf("%s of %s at %d is there twice", r.Names[j], r.Series, r.Time)
			}
			column[r.Time] = v
		}
		return nil
	}
	messages := make([]stream.Message, 100)
	for {
		n, err := src.Read(context.Background(), messages)
		if errors.Is(err, io.EOF) {
			assumed, noted := wire.Assumed(src)
			return found, assumed + noted, nil
		}
		if err != nil {
			return nil, "", err
		}
		for i := range messages[:n] {
			var r stream.Record
			split, many := decoder.(stream.Splitter)
			if !many {
				if err = decoder.Decode(&r, &messages[i]); err == nil {
					err = add(&r)
				}
			} else {
				split.Split(&messages[i])
				for err == nil {
					if err = split.Next(&r); err == nil {
						err = add(&r)
					}
				}
				if errors.Is(err, io.EOF) {
					err = nil
				}
			}
			if err != nil {
				return nil, "", fmt.Errorf("%s: %w", messages[i].Origin(), err)
			}
		}
	}
}

// setting matches one of an error, in quotes or not.
var setting = regexp.MustCompile(`--set (?:"([^"]+)"|'([^']+)'|([^\s;,)]+))`)

// truth is how a file of the corpus is read.
type truth struct {
	Says     string
	Settings []string
	Refused  bool
	Series   map[string]map[string][][2]*float64
}

// readTruth reads what the corpus holds.
func readTruth(t *testing.T) (files map[string]truth) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "corpus", "truth.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(&files); err != nil {
		t.Fatal(err)
	}
	return files
}

// TestCorpus: each file, written by the programs that people use, is read right, every cell of it, and
// the assumptions are listed; or it is refused, and the setting that the error names makes it right.
func TestCorpus(t *testing.T) {
	dir := filepath.Join("testdata", "corpus")
	for name, want := range readTruth(t) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name)
			got, said, err := readCells(path)
			if want.Refused {
				if err == nil || !strings.Contains(err.Error(), want.Says) {
					t.Fatalf("%v, want an error with %q", err, want.Says)
				}
				if len(want.Series) == 0 {
					return
				}
				m := setting.FindStringSubmatch(err.Error())
				if m == nil {
					t.Fatalf("no setting in %v", err)
				}
				got, _, err = readCells(path, m[1]+m[2]+m[3])
			} else if err == nil && !strings.Contains(said, want.Says) {
				t.Errorf("said %q, want %q", said, want.Says)
			}
			if len(want.Settings) > 0 {
				got, _, err = readCells(path, want.Settings...)
			}
			if err != nil {
				t.Fatal(err)
			}
			compareCells(t, got, want.Series)
		})
	}
}

// compareCells compares all that was read with all that was written. Numbers are equal to a rounding
// of float32.
func compareCells(t *testing.T, got cells, want map[string]map[string][][2]*float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d series, want %d", len(got), len(want))
	}
	for series, columns := range want {
		if len(got[series]) != len(columns) {
			t.Fatalf("series %q has %d variables, want %d", series, len(got[series]), len(columns))
		}
		for name, rows := range columns {
			column := got[series][name]
			if len(column) != len(rows) {
				t.Fatalf("%s of %s has %d values, want %d", name, series, len(column), len(rows))
			}
			for _, row := range rows {
				v, there := column[int64(*row[0])*1000]
				switch {
				case !there:
					t.Fatalf("%s of %s has nothing at %.0f", name, series, *row[0])
				case row[1] == nil && v == v, row[1] != nil && !(math.Abs(v-*row[1]) <= 1e-7*math.Abs(*row[1])):
					t.Fatalf("%s of %s at %.0f is %v, want %v", name, series, *row[0], v, row[1])
				}
			}
		}
	}
}
