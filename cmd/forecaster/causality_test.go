package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// allModels are names of every kind.
var allModels = []string{"persistence", "seasonal", "ar2", "var1", "var3", "orffvar", "auto"}

// seriesCSV simulates a nonlinear, seasonal process of dim variables, with a
// share of empty cells.
func seriesCSV(rows, dim int, missing float64, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 0))
	var b bytes.Buffer
	b.WriteString("time")
	for j := range dim {
		fmt.Fprintf(&b, ",x%d", j)
	}
	b.WriteByte('\n')
	x := make([]float64, dim)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range rows {
		b.WriteString(start.Add(time.Duration(i) * time.Minute).Format(time.RFC3339))
		y := make([]float64, dim)
		for j := range y {
			neighbour := x[(j+1)%dim]
			y[j] = .6*x[j] + neighbour/(1+neighbour*neighbour) + float64(i%12)/12 + .1*r.NormFloat64()
			if r.Float64() < missing {
				b.WriteByte(',')
			} else {
				fmt.Fprintf(&b, ",%v", y[j])
			}
		}
		x = y
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// cutLines returns the first n lines.
func cutLines(b []byte, n int) []byte {
	lines := bytes.SplitAfter(b, []byte("\n"))
	return bytes.Join(lines[:n], nil)
}

// TestNoForecastSeesTheFuture: cutting the end off a file, or replacing it by
// something else, changes no byte of what was forecast before.
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

// TestModelsDoNotInfluenceEachOther: the figures of a model are the same,
// whichever others are evaluated beside it and in whatever order.
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

// TestNoScoreSeesLaterRows: what comes after the scored rows changes no score of
// evaluate.
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
		if mse := result["mse"].(float64); mse < variance-.0042 {
			t.Errorf("%s: MSE %v below the variance %v", key, mse, variance)
		}
	}
}
