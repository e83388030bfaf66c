package study

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/report"
)

// cells are the cells of the rows of a table by their header, its lines joined.
func cells(table report.Table) (rows []map[string]string) {
	for _, r := range table.Rows {
		row := make(map[string]string)
		for i, name := range table.Header {
			row[strings.ReplaceAll(name, "\n", " ")] = r[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// checkRow compares the cells of a row with those of want, and there are no others.
func checkRow(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: %s, want %s", name, got[name], text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("columns %v, want %v", got, want)
	}
}

// TestColumnsOfADescription: each figure stands under its name, with its digits.
func TestColumnsOfADescription(t *testing.T) {
	d := &Description{Number: 1, Series: []DescribedSeries{{
		Name: "s", From: "2026-01-01T00:00:00Z", To: "2026-02-03T04:05:06Z", Rows: 12345, Spacing: "1m", Regular: .98765, Gaps: 2345, Lacking: 6789, Seasons: []int{24, 1440},
		Variables: []DescribedVariable{{
			Name: "v", Known: 10, Missing: 4321, Least: -1.23456789, Mean: 2.3456789, SD: .123456, Largest: 34.56789, Repeats: .456, Kind: "count", Trend: .789,
			Seasons: []report.Number{.12, .345},
		}},
	}}}
	tables := d.Tables()
	checkRow(t, cells(tables[0])[0], map[string]string{
		"series": "s", "from": "2026-01-01 00:00", "to": TableTime("2026-02-03T04:05:06Z"), "rows": "12,345", "spacing": "1m", "regular steps": "98.8 %",
		"gaps": "2,345", "lacking rows": "6,789", "seasons": "24, 1,440",
	})
	checkRow(t, cells(tables[1])[0], map[string]string{
		"variable": "v", "min": "-1.2346", "mean": "2.3457", "max": "34.568", "sd": "0.123", "missing": "4,321", "repeats": "0.46", "kind": "count",
		"trend": "0.79", "season": "0.34",
	})
}

// TestColumnsByHand: each figure stands under its name, the best model is that with the lowest error of the measure,
// and the others are compared with it: positive is worse.
func TestColumnsByHand(t *testing.T) {
	result := func(model string, mse, nmse report.Number) Result {
		return Result{Seeds: 1, CRPS: .8, Score: Score{
			Model: model, Horizon: 3, N: 2000, MSE: mse, MSESE: .11, MAE: .22, NMSE: nmse, SkillVsPersistence: .33, SkillVsVAR1: .44,
			Coverage: .55, JointCoverage: .66, SamplesPerSecond: 7,
		}}
	}
	e := &Evaluation{
		Results: []Result{result("a", 5, .25), result("b", 4, .5)},
		Comparisons: []comparison{
			{Model: "a", Against: "b", Horizon: 3, Difference: -2, Lower: -3, Upper: -1, P: .0625},
			{Model: "a", Against: "b", Horizon: 9, Difference: -2, Lower: -3, Upper: -1, P: .0625}, // without a result
		},
	}
	for _, c := range []struct {
		pooled               bool
		measure, compared    string
		difference, interval string
	}{
		{false, "mse", "a - b", "-2", "-3 … -1"},
		{true, "nmse", "b - a", "2", "1 … 3"},
	} {
		e.Pooled = c.pooled
		tables := e.Tables()
		want := map[string]string{
			"model": "a", "horizon": "3", "n": "2,000", "mse": "5", "mse_se": "0.11", "mae": "0.22", "nmse": "0.25", "nmse skill vs persistence": "0.330",
			"nmse skill vs var1": "0.440", "coverage": "0.550", "joint": "0.660", "crps": "0.8", "speed": report.Rate(7),
		}
		checkRow(t, cells(tables[0])[0], want)
		if slices.Index(tables[0].Header, "joint") != slices.Index(tables[0].Header, "coverage")+1 {
			t.Errorf("columns %q", tables[0].Header)
		}
		compared := cells(tables[1])
		if len(compared) != 1 {
			t.Fatalf("comparisons %v", compared)
		}
		checkRow(t, compared[0], map[string]string{
			"horizon": "3", "compared with the best": c.compared, "difference of " + c.measure: c.difference, "95 % interval": c.interval, "p": "0.0625",
		})
	}

	// The spread over the seeds stands behind both errors: over several variables the table has nmse alone.
	e.Results[0].Seeds, e.Results[0].MSESD, e.Results[0].NMSESD = 3, .5, .0125
	if row := cells(e.Tables()[0])[0]; row["mse"] != "5 ± 0.5" || row["nmse"] != "0.25 ± 0.013" {
		t.Errorf("got %v", row)
	}

	// Beside the simple forecasts stand the models, with the coverage of their windows where one has any.
	e.Baselines, e.Season, e.Pooled = []Score{{Model: "persistence", Horizon: 1, MSE: 9}, {Model: "persistence", Horizon: 3, MSE: 8, NMSE: .75}}, 24, false
	e.Means = []Mean{{Model: "persistence", Horizon: 3, MSE: 7, NMSE: .5}, {Model: "b", Horizon: 3, MSE: 6, NMSE: .4}}
	nan := report.Number(math.NaN())
	e.Results[0].LowestCoverage, e.Results[0].LowWindows = nan, nan
	e.Results[1].LowestCoverage, e.Results[1].LowWindows = .8125, .0125
	all := cells(e.baselineTable())
	for i, want := range []map[string]string{
		{"model": "persistence", "mse at 3": "8", "nmse at 3": "0.75", "mse 1 to 3": "7", "nmse 1 to 3": "0.5", "lowest coverage of 500": "-", "low windows": "-"},
		{"model": "a", "mse at 3": "5", "nmse at 3": "0.25", "mse 1 to 3": "0", "nmse 1 to 3": "0", "lowest coverage of 500": "-", "low windows": "-"},
		{"model": "b", "mse at 3": "4", "nmse at 3": "0.5", "mse 1 to 3": "6", "nmse 1 to 3": "0.4", "lowest coverage of 500": "0.812", "low windows": "0.013"},
	} {
		checkRow(t, all[i], want)
	}
	e.Results[1].LowestCoverage, e.Means = nan, nil
	if all = cells(e.baselineTable()); len(all) != 3 || len(all[2]) != 3 {
		t.Errorf("without windows and means: %v", all)
	}
}

// TestAnomaliesByHand: the first and the last time of each anomaly have hours if any time has, and the others are counted.
func TestAnomaliesByHand(t *testing.T) {
	r := &AnomalyReport{Stretches: []stretch{
		{Series: "s", From: "2026-01-01T00:00:00Z", To: "2026-01-02T00:00:00Z", Rows: 2, Normal: true, Variables: []variableShare{
			{Name: "a", Share: .5, Observed: 3, Expected: 1, Lower: .5, Upper: 1.5}, {Name: "b", Share: .3}, {Name: "c", Share: .15}, {Name: "d", Share: .05},
		}},
		{Series: "s", From: "2026-01-03T04:00:00Z", To: "2026-01-05T00:00:00Z", Rows: 1},
		{Series: "s", From: "2026-01-06T00:00:00Z", To: "2026-01-06T00:00:00Z", Rows: 1},
	}}
	table := r.list(2)
	all := cells(table)
	if len(all) != 2 || table.More != "and 1 more; --top 3, or --output json" || table.Caption != anomalyNote || table.Spare[0] != "series" {
		t.Errorf("%+v", table)
	}
	for i, want := range [][2]string{{"2026-01-01 00:00", "2026-01-02 00:00, new normal"}, {"2026-01-03 04:00", "2026-01-05 00:00"}} {
		if all[i]["from"] != want[0] || all[i]["to"] != want[1] {
			t.Errorf("%v, want %v", all[i], want)
		}
	}
	if got := all[0]; got["variable"] != "a 50 %" || got["others"] != "b 30 %, c 15 %" || got["observed"] != "3" || got["interval"] != "0.5 … 1.5" || all[1]["interval"] != "-" {
		t.Errorf("%v", all)
	}
	if r.list(3).More != "" || cells((&AnomalyReport{Stretches: r.Stretches[2:]}).list(9))[0]["from"] != "2026-01-06" {
		t.Error("all anomalies, and days alone")
	}
}

// The seasons of three series are listed, and the others are counted.
func TestSeasonsOfManySeries(t *testing.T) {
	e := Evaluation{Seasons: slices.Repeat([]Seasons{{Model: "m", Series: "s", Samples: []int{24}}}, 5)}
	const one = "m, series s: season of 24 samples"
	if got, want := e.seasonNote(), "Found by "+strings.Join([]string{one, one, one, "and 2 more"}, "; ")+"."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
