package main

import (
	"os"
	"path/filepath"
	"testing"
)

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
