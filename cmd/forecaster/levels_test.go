//go:build !race

package main

import (
	"encoding/csv"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestForecastHasTheBoundsOfEachLevel: with several levels, in any order, the JSON of forecast
// has for each variable and step the bounds that its CSV has, and the interval of a higher level
// contains that of a lower one.
func TestForecastHasTheBoundsOfEachLevel(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data.csv")
	writeFile(t, file, seriesCSV(300, 3, 0, 9))
	args := []string{"forecast", file, "--horizon", "2", "--model", "var1", "--set", "model.levels=0.8,0.5,0.95"}
	type interval struct {
		Level float64
		Lower float64 `json:"yhat_lower"`
		Upper float64 `json:"yhat_upper"`
	}
	var answer struct {
		Forecasts []struct {
			Target    string
			Horizon   int
			Yhat      float64
			Intervals []interval
		}
	}
	unmarshal(t, mustCall(t, append(args, "--output", "json")...), &answer)
	rows, err := csv.NewReader(strings.NewReader(mustCall(t, append(args, "--output", "csv")...))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	inCSV := make(map[string]bool)
	for _, row := range rows[1:] {
		line := ""
		for _, name := range []string{"target", "horizon", "yhat", "level", "yhat_lower", "yhat_upper"} {
			i := slices.Index(rows[0], name)
			if i < 0 {
				t.Fatalf("no column %s in %v", name, rows[0])
			}
			line += row[i] + " "
		}
		inCSV[line] = true
	}
	if len(answer.Forecasts) != 6 || len(inCSV) != 18 {
		t.Fatalf("%d forecasts in JSON, %d of their intervals in CSV, want 6 and 18", len(answer.Forecasts), len(inCSV))
	}
	for _, f := range answer.Forecasts {
		for _, v := range f.Intervals {
			line := fmt.Sprintf("%s %d %v %v %v %v ", f.Target, f.Horizon, f.Yhat, v.Level, v.Lower, v.Upper)
			if !inCSV[line] {
				t.Errorf("not in the CSV: %s", line)
			}
		}
		if len(f.Intervals) != 3 {
			t.Fatalf("%d intervals", len(f.Intervals))
		}
		half, eighty, most := f.Intervals[1], f.Intervals[0], f.Intervals[2]
		if !(most.Lower < eighty.Lower && eighty.Lower < half.Lower && half.Lower < f.Yhat && f.Yhat < half.Upper && half.Upper < eighty.Upper && eighty.Upper < most.Upper) {
			t.Errorf("%s, %d steps: the intervals %+v around %g are not nested", f.Target, f.Horizon, f.Intervals, f.Yhat)
		}
	}
}
