package main

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/orffvar/forecaster/eval"
)

// The sums that slide over a series agree with those of each window.
func TestRollingMoments(t *testing.T) {
	const window = 7
	r := rand.New(rand.NewPCG(1, 1))
	w := rolling{ring: make([]float64, 0, window)}
	var all []float64
	for range 200 {
		v := 1e6 + r.NormFloat64()
		w.add(v)
		all = append(all, v)
		last := all[max(0, len(all)-window):]
		mean, square := 0., 0.
		for _, u := range last {
			mean += u / float64(len(last))
		}
		for _, u := range last {
			square += (u - mean) * (u - mean) / float64(len(last))
		}
		gotMean, gotSD := w.moments()
		// The values have 10 digits before those that differ.
		if math.Abs(gotMean-mean) > 1e-8 || math.Abs(gotSD-math.Sqrt(square)) > 1e-5 {
			t.Fatalf("after %d values: %v ± %v, want %v ± %v", len(all), gotMean, gotSD, mean, math.Sqrt(square))
		}
	}
}

// A z-score is that of the variable furthest away, in the window before the row.
func TestZScores(t *testing.T) {
	data := &eval.Dataset{Variables: []string{"a", "b"}, Series: []eval.Series{{Rows: [][]float64{
		{0, 5}, {2, 5}, {4, math.NaN()}, {4, 6},
	}}}}
	got := zScores(data, 2)
	// Row 2: a is 3 deviations above the mean 1 of {0, 2}. Row 3: b was
	// constant before.
	if !math.IsNaN(got[0]) || got[2] != 3 || !math.IsInf(got[3], 1) {
		t.Errorf("%v", got)
	}
}

// On the labelled data sets an alarm above 1 is better than one above a z-score of
// 3, and so is the ranking of all rows. The data are not bundled.
func TestAnomaliesAreFoundBetterThanByZScores(t *testing.T) {
	dir := os.Getenv("FORECASTER_DATA")
	if dir == "" {
		dir = "../../../shared/data"
	}
	if _, err := os.Stat(filepath.Join(dir, "skab_valve1_labels.csv")); err != nil {
		t.Skipf("no labelled data in %s; set FORECASTER_DATA", dir)
	}
	for _, args := range [][]string{
		{"skab_valve1.csv", "--labels", "skab_valve1_labels.csv"},
		{"asd_omi_1_test.csv", "--history", "asd_omi_1_train.csv", "--labels", "asd_omi_1_test_labels.csv"},
	} {
		call := []string{"evaluate", "--models", "orffvar", "--output", "json"}
		for _, a := range args {
			if filepath.Ext(a) == ".csv" {
				a = filepath.Join(dir, a)
			}
			call = append(call, a)
		}
		var e struct {
			Detections []struct{ F1, AUPRC float64 }
		}
		unmarshal(t, mustCall(t, call...), &e)
		ours := e.Detections[0]
		t.Logf("%s: F1 %.3f, area under PR %.3f", args[0], ours.F1, ours.AUPRC)
		for _, z := range e.Detections[1:] {
			if ours.F1 < 2*z.F1 || ours.AUPRC < 1.5*z.AUPRC {
				t.Errorf("%s: F1 %.3f, area under PR %.3f; a z-score has %.3f and %.3f", args[0], ours.F1, ours.AUPRC, z.F1, z.AUPRC)
			}
		}
	}
}
