package main

import (
	"os"
	"path/filepath"
	"testing"
)

// On the labelled data sets the score ranks the rows better than every baseline, and its
// alarms are worth more by the rules of the Numenta benchmark. The data are not bundled.
func TestAnomaliesAreFoundBetterThanByBaselines(t *testing.T) {
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
			Detections []struct {
				Score      string
				AUPRC, NAB float64
			}
		}
		unmarshal(t, mustCall(t, call...), &e)
		ours := e.Detections[0]
		t.Logf("%s: area under PR %.3f, NAB %.1f", args[0], ours.AUPRC, ours.NAB)
		for _, z := range e.Detections[1:] {
			if ours.AUPRC <= z.AUPRC || ours.NAB <= z.NAB {
				t.Errorf("%s: area under PR %.3f, NAB %.1f; %s has %.3f and %.1f", args[0], ours.AUPRC, ours.NAB, z.Score, z.AUPRC, z.NAB)
			}
		}
	}
}
