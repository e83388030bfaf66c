// Package dataset provides the data bundled with the program.
//
// Macrodata is the only data set: 203 quarters, 1959 to 2009, of twelve macroeconomic series of the United States
// (FRED and BLS, compiled for statsmodels, in the public domain). It is the data set "Macrodata" of Brault 2017,
// Table 8.3.
package dataset

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/orffvar/forecaster/eval/scoring"
)

//go:embed macrodata.csv
var macrodata []byte

// MacrodataCSV returns the bundled file: a header line, then rows with the time in the first column.
func MacrodataCSV() []byte { return bytes.Clone(macrodata) }

// Macrodata returns the bundled data, one series of twelve variables.
func Macrodata() *scoring.Dataset {
	d, err := Read("macrodata", bytes.NewReader(macrodata))
	if err != nil {
		panic("dataset: " + err.Error()) // embedded and covered by a test
	}
	return d
}

// Read parses one series in the layout of the bundled file. After a header line, the first column is a time (RFC
// 3339) or a step number; each other column is a variable. An empty cell is missing.
func Read(name string, r io.Reader) (*scoring.Dataset, error) {
	c := csv.NewReader(r)
	c.ReuseRecord = true
	header, err := c.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: header: %w", name, err)
	}
	d := &scoring.Dataset{Name: name, Variables: append([]string(nil), header[1:]...)}
	s := scoring.Series{Name: name}
	for {
		rec, err := c.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		line, _ := c.FieldPos(0)
		t, err := parseTime(rec[0])
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, line, err)
		}
		y := make([]float64, len(rec)-1)
		for j, cell := range rec[1:] {
			if y[j], err = parseValue(cell); err != nil {
				return nil, fmt.Errorf("%s: line %d, column %q: %w", name, line, d.Variables[j], err)
			}
		}
		s.Times = append(s.Times, t)
		s.Rows = append(s.Rows, y)
	}
	d.Series = []scoring.Series{s}
	return d, nil
}

func parseTime(s string) (int64, error) {
	if step, err := strconv.ParseInt(s, 10, 64); err == nil {
		return step, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return 0, fmt.Errorf("%q is neither a step number nor an RFC 3339 time", s)
	}
	return t.UnixNano(), nil
}

func parseValue(s string) (float64, error) {
	if s == "" {
		return math.NaN(), nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	return v, nil
}
