//go:build !race

package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// allModels are names of every kind.
var allModels = []string{"persistence", "seasonal", "ar2", "var1", "var3", "orffvar", "auto"}

// cutLines returns the first n lines.
func cutLines(b []byte, n int) []byte {
	lines := bytes.SplitAfter(b, []byte("\n"))
	return bytes.Join(lines[:n], nil)
}

// TestNoForecastSeesTheFuture: cutting the end off a file, or replacing it by
// something else, changes no byte of the forecasts before.
func TestNoForecastSeesTheFuture(t *testing.T) {
	const rows, half = 600, 300
	dir := t.TempDir()
	full := seriesCSV(rows, 3, .05, 1)
	cut := cutLines(full, 1+half)
	garbage := append(bytes.Clone(cut), bytes.ReplaceAll(full[len(cut):], []byte(","), []byte(",9e9"))...)
	for _, model := range allModels {
		t.Run(model, func(t *testing.T) {
			forecasts := func(name string, content []byte) []byte {
				file := filepath.Join(dir, "data.csv") // the name of the series is in the output
				out := filepath.Join(dir, model+"-"+name+".csv")
				writeFile(t, file, content)
				mustCall(t, "replay", file, "--model", model, "--season", "12", "--horizon", "3", "--max-refused", "1", "--out", out)
				return readFile(t, out)
			}
			whole, first := forecasts("full", full), forecasts("cut", cut)
			if len(first) < 3*half || len(whole) <= len(first) {
				t.Fatalf("%d and %d bytes of forecasts", len(whole), len(first))
			}
			if !bytes.HasPrefix(whole, first) {
				t.Error("cutting the second half off changed forecasts of the first")
			}
			if !bytes.HasPrefix(forecasts("garbage", garbage), first) {
				t.Error("garbage in the second half changed forecasts of the first")
			}
		})
	}
}

// TestNoForecastSeesLaterInputs: the same with inputs and a calendar. What is known
// ahead is changed beyond the horizon of the last forecast compared.
func TestNoForecastSeesLaterInputs(t *testing.T) {
	const rows, half, horizon = 400, 200, 3
	dir := t.TempDir()
	full := seriesCSV(rows, 3, .05, 5)
	change := func(from int) []byte { // x2 in the rows from there on
		head := cutLines(full, 1+from)
		return append(bytes.Clone(head), bytes.ReplaceAll(full[len(head):], []byte("\n"), []byte("9\n"))...)
	}
	for _, model := range []string{"var2", "orffvar", "auto"} {
		for _, known := range []bool{false, true} {
			forecasts := func(content []byte) []byte {
				file, out := filepath.Join(dir, "data.csv"), filepath.Join(dir, "out.csv")
				writeFile(t, file, content)
				mustCall(t, "replay", file, "--model", model, "--horizon", fmt.Sprint(horizon), "--out", out,
					"--set", "model.exogenous=x2", "--set", "model.calendar=hour", fmt.Sprintf("--known-inputs=%v", known))
				lines := bytes.SplitAfter(readFile(t, out), []byte("\n"))
				return bytes.Join(lines[:1+2*horizon*(half-10)], nil) // none of the last rows of the first half
			}
			whole, from := forecasts(full), half
			if known {
				from += horizon
			}
			if !bytes.Equal(whole, forecasts(change(from))) {
				t.Errorf("%s, known %v: inputs of the second half changed forecasts of the first", model, known)
			}
			if !known && !bytes.Equal(whole, forecasts(cutLines(full, 1+half))) {
				t.Errorf("%s: cutting the second half off changed forecasts of the first", model)
			}
			if bytes.Equal(whole, forecasts(change(half/2))) {
				t.Errorf("%s, known %v: the inputs change nothing", model, known)
			}
		}
	}
}

// evaluate runs the command and returns its results by model, without what
// depends on the clock.
func evaluateJSON(t *testing.T, args ...string) map[string]map[string]any {
	t.Helper()
	var e struct {
		Dataset string
		Rows    int
		Dim     int
		Results []map[string]any
	}
	unmarshal(t, mustCall(t, append([]string{"evaluate", "--output", "json"}, args...)...), &e)
	results := make(map[string]map[string]any)
	for _, r := range e.Results {
		delete(r, "samples_per_second")
		results[fmt.Sprintf("%v at %v", r["model"], r["horizon"])] = r
	}
	return results
}

// TestModelsDoNotInfluenceEachOther: the figures of a model do not depend on the other models in the evaluation or
// on their order.
func TestModelsDoNotInfluenceEachOther(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data.csv")
	writeFile(t, file, seriesCSV(400, 2, .02, 2))
	common := []string{file, "--season", "12", "--horizons", "1,3", "--scale-rows", "100", "--score-rows", "150:390"}
	together := evaluateJSON(t, append(common, "--models", strings.Join(allModels, ","))...)
	if len(together) != 2*len(allModels) {
		t.Fatalf("%d results", len(together))
	}
	for _, model := range allModels {
		for key, alone := range evaluateJSON(t, append(common, "--models", model)...) {
			if !reflect.DeepEqual(alone, together[key]) {
				t.Errorf("%s alone: %v\nbeside others: %v", key, alone, together[key])
			}
		}
	}
}

// TestNoScoreSeesLaterRows: rows after the scored rows change no score of evaluate.
func TestNoScoreSeesLaterRows(t *testing.T) {
	const rows, half = 400, 200
	file := filepath.Join(t.TempDir(), "data.csv")
	full := seriesCSV(rows, 2, .02, 6)
	scores := func(content []byte, sets ...string) map[string]map[string]any {
		writeFile(t, file, content)
		return evaluateJSON(t, append([]string{
			file, "--horizons", "1,3", "--season", "12", "--models", strings.Join(allModels, ","), "--scale-rows", "100", "--score-rows", fmt.Sprintf("50:%d", half),
		}, sets...)...)
	}
	cut := cutLines(full, 1+half)
	whole := scores(full)
	for key, result := range scores(cut) {
		if !reflect.DeepEqual(result, whole[key]) {
			t.Errorf("%s: cutting the rows off that are not scored: %v\nwith them: %v", key, result, whole[key])
		}
	}
	if reflect.DeepEqual(whole, scores(cutLines(full, 1+half-1))) {
		t.Error("the last scored row changes nothing")
	}
}

// TestEvaluateJSON is the contract of the machine-readable output.
func TestEvaluateJSON(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data.csv")
	writeFile(t, file, seriesCSV(300, 2, 0, 3))
	var e map[string]any
	unmarshal(t, mustCall(t, "evaluate", file, "--models", "persistence,var1,auto", "--output", "json"), &e)
	if e["dataset"] != file || e["rows"] != 300. || e["dim"] != 2. {
		t.Errorf("got %v %v %v", e["dataset"], e["rows"], e["dim"])
	}
	results := e["results"].([]any)
	if len(results) != 3 {
		t.Fatalf("%d results", len(results))
	}
	for _, r := range results {
		r := r.(map[string]any)
		for _, key := range []string{
			"model", "horizon", "mse", "rmse", "mae", "nmse", "mase", "skill_vs_persistence", "skill_vs_var1",
			"scv_mse", "scv_mse_sd", "mse_se", "coverage", "samples_per_second",
		} {
			if _, ok := r[key]; !ok {
				t.Errorf("%v has no %s", r["model"], key)
			}
		}
	}
	if first := results[0].(map[string]any); first["skill_vs_persistence"] != 0. || first["mase"] != 1. || first["n"] != 299. {
		t.Errorf("persistence compared with itself: %v", first)
	}
}

// TestEvaluateBaselines: whatever the models, the last value, the value one season ago and
// the linear map of 96 values stand beside them on the same targets, with the means over
// the horizons; scoring one horizon or all gives the same.
func TestEvaluateBaselines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data.csv")
	writeFile(t, file, seriesCSV(900, 2, .02, 7))
	type score struct {
		Model              string
		Horizon            int
		N                  int64
		MSE                float64
		LowestCoverage     *float64 `json:"lowest_coverage"`
		SkillVsPersistence float64  `json:"skill_vs_persistence"`
	}
	var e struct {
		Results, Baselines, Means []score
		Season                    int `json:"baseline_season"`
	}
	scores := func(args ...string) {
		t.Helper()
		e.Results, e.Baselines, e.Means = nil, nil, nil
		unmarshal(t, mustCall(t, append([]string{"evaluate", file, "--output", "json", "--score-rows", "300:"}, args...)...), &e)
	}
	scores("--models", "var1", "--horizons", "1,2,3")
	if e.Season != 12 || len(e.Results) != 3 || len(e.Baselines) != 9 || len(e.Means) != 4 {
		t.Fatalf("season %d, %d results, %d baselines, %d means", e.Season, len(e.Results), len(e.Baselines), len(e.Means))
	}
	for i, b := range e.Baselines {
		if r := e.Results[b.Horizon-1]; b.N != r.N {
			t.Errorf("%s at %d has %d targets, var1 %d", b.Model, b.Horizon, b.N, r.N)
		}
		if want := []string{"persistence", "seasonal", "linear96"}[i/3]; b.Model != want {
			t.Errorf("baseline %d is %s, want %s", i, b.Model, want)
		}
		if b.Model == "persistence" && b.SkillVsPersistence != 0 {
			t.Errorf("persistence compared with itself: %v", b.SkillVsPersistence)
		}
	}
	for _, m := range e.Means {
		var sum float64
		for _, s := range append(e.Results, e.Baselines...) {
			if s.Model == m.Model {
				sum += s.MSE / 3
			}
		}
		if !(math.Abs(sum-m.MSE) <= 1e-9*sum) || m.Horizon != 3 {
			t.Errorf("%s: mean %v, of the horizons %v", m.Model, m.MSE, sum)
		}
	}
	if low := e.Results[0].LowestCoverage; low == nil || !(*low >= .5 && *low <= .95) {
		t.Errorf("lowest coverage of 500: %v", low)
	}
	means := e.Means
	scores("--models", "var1", "--horizons", "3")
	if !reflect.DeepEqual(means, e.Means) {
		t.Errorf("means of horizon 3 alone: %v, with the others %v", e.Means, means)
	}
	scores("--models", "var1", "--season", "5")
	if e.Season != 5 || len(e.Means) != 0 {
		t.Errorf("given a season of 5: %d; %d means of one horizon", e.Season, len(e.Means))
	}
}

// TestWhiteNoiseCannotBeForecast: of independent samples with variance 1 no
// model may claim an error below the variance. The bound: for a forecast f that
// is independent of the sample z, mean((z-f)^2) - mean(z^2) = mean(f^2) - 2
// mean(f z), where the second mean has standard deviation |f|/sqrt(n); over all
// sizes of f the difference is above -k^2/n at k standard deviations, which for
// n = 2 x 3000 and k = 5 is -.0042.
func TestWhiteNoiseCannotBeForecast(t *testing.T) {
	const rows = 3000
	r := rand.New(rand.NewPCG(4, 0))
	var b bytes.Buffer
	b.WriteString("step,a,b\n")
	var sum float64
	for i := range rows {
		x, y := r.NormFloat64(), r.NormFloat64()
		fmt.Fprintf(&b, "%d,%v,%v\n", i, x, y)
		if i > 0 {
			sum += x*x + y*y
		}
	}
	variance := sum / (2 * (rows - 1))
	file := filepath.Join(t.TempDir(), "noise.csv")
	writeFile(t, file, b.Bytes())
	for key, result := range evaluateJSON(t, file, "--season", "12", "--models", strings.Join(allModels, ",")) {
		if mse := result["mse"].(float64); !(mse >= variance-.0042) {
			t.Errorf("%s: MSE %v below the variance %v", key, mse, variance)
		}
	}
}
