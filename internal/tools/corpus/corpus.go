// Package corpus knows the contents of the files in internal/wire/testdata/corpus, for the tests of readers. Programs that
// people use have written these files.
package corpus

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
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
)

// Cells are the values of each variable of each series by time, NaN where one is missing.
type Cells map[string]map[string]map[int64]float64

// Read reads a file to its end. A refused row is an error, too.
func Read(src *file.Source) (Cells, error) {
	found := make(Cells)
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
				return fmt.Errorf("%s of %s at %d occurs twice", r.Names[j], r.Series, r.Time)
			}
			column[r.Time] = v
		}
		return nil
	}
	messages := make([]stream.Message, 100)
	for {
		n, err := src.Read(context.Background(), messages)
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, err
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
				return nil, fmt.Errorf("%s: %w", messages[i].Origin(), err)
			}
		}
	}
}

// File is how a file is read.
type File struct {
	Says     string   // part of the assumptions or the error
	Settings []string // settings of the command line that the file needs
	Refused  bool     // without settings
	Series   map[string]map[string][][2]*float64
}

// Files returns what the files in a folder hold, by name.
func Files(t testing.TB, dir string) (files map[string]File) {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "truth.json.gz"))
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

// Compare compares all that was read with all that was written. Numbers are equal to a rounding
// of float32.
func Compare(t testing.TB, got Cells, want map[string]map[string][][2]*float64) {
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
					t.Fatalf("%s of %s has no value at %.0f", name, series, *row[0])
				case row[1] == nil && v == v, row[1] != nil && !(math.Abs(v-*row[1]) <= 1e-7*math.Abs(*row[1])):
					t.Fatalf("%s of %s at %.0f is %v, want %v", name, series, *row[0], v, row[1])
				}
			}
		}
	}
}
