//go:build !race

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// reading is one time of a series in the files of TestEvaluateScoresAsReplayDoes.
type reading struct {
	series string
	time   int64 // seconds
	names  []string
	values []float64 // NaN = no cell
}

// readings are two variables of each series and an input u that drives the first. They
// have all that happens to data: gaps, missing cells, rows that are late or twice, an
// outlier, and jitter of the clock where it is asked for.
func readings(series int, spacing, jitter int64) []reading {
	rng := rand.New(rand.NewPCG(7, uint64(series)))
	var all []reading
	clock := make([]int64, series)
	for i := range 260 * series {
		k := i % series
		clock[k] += spacing
		switch rng.IntN(30) {
		case 0:
			clock[k] += spacing * rng.Int64N(12) // a gap
		case 1:
			clock[k] -= spacing / 2 * rng.Int64N(6) // late, or once more in the same row
		}
		u := math.Sin(float64(i) / 40)
		r := reading{
			series: fmt.Sprint("s", k), time: 1_700_000_000 + clock[k], names: []string{"a", "b", "u"},
			values: []float64{math.Sin(float64(i)/9) + u + .1*rng.NormFloat64(), math.Cos(float64(i)/7) + .1*rng.NormFloat64(), u},
		}
		if jitter > 0 {
			r.time += rng.Int64N(jitter)
		}
		switch rng.IntN(25) {
		case 0:
			r.values[rng.IntN(2)] = math.NaN()
		case 1:
			r.values[1] = 40
		}
		all = append(all, r)
	}
	return all
}

// write writes readings in a layout: a row per reading, or per value.
func (f layout) write(all []reading) []byte {
	var b bytes.Buffer
	b.WriteString(f.header)
	for _, r := range all {
		var cells []string
		for j, v := range r.values {
			switch {
			case !math.IsNaN(v):
				cells = append(cells, fmt.Sprintf(f.cell, r.names[j], v))
			case f.empty:
				cells = append(cells, "")
			}
		}
		rows := []string{strings.Join(cells, ",")}
		if f.long {
			rows = cells
		}
		for _, row := range rows {
			fmt.Fprintf(&b, f.row, r.series, r.time, row)
		}
	}
	return b.Bytes()
}

// layout is a way to write a file.
type layout struct {
	name        string // of the file
	header      string
	row         string // of series, time in seconds, and what cell makes
	cell        string // of name and value
	long, empty bool
	sets        []string
}

var (
	wideCSVFile = layout{name: "wide.csv", header: "series,time,a,b,u\n", row: "%[1]s,%[2]d,%[3]s\n", cell: "%[2]v", empty: true,
		sets: []string{"input.csv.series_column=series"}}
	wideJSONFile = layout{name: "wide.jsonl", row: `{"series":"%[1]s","time":%[2]d,"values":{%[3]s}}` + "\n", cell: `"%[1]s":%[2]v`,
		sets: []string{"input.json.series_field=series"}}
	longJSONFile = layout{name: "long.jsonl", row: `{"series":"%[1]s","time":%[2]d,%[3]s}` + "\n", cell: `"variable":"%[1]s","value":%[2]v`, long: true,
		sets: []string{"input.json.series_field=series", "input.json.layout=long", "input.json.time_field=time", "input.json.variable_field=variable", "input.json.values_field=value"}}
	longCSVFile = layout{name: "long.csv", header: "series,time,variable,value\n", row: "%[1]s,%[2]d,%[3]s\n", cell: "%[1]s,%[2]v", long: true,
		sets: []string{"input.csv.series_column=series", "input.csv.variable_column=variable", "input.csv.value_columns=value"}}
	lineFile = layout{name: "lines.lp", row: "host,host=%[1]s %[3]s %[2]d000000000\n", cell: "%[1]s=%[2]v"}
)

// Both score the same targets with the same errors, whatever the file and the settings:
// a sample has one path.
func TestEvaluateScoresAsReplayDoes(t *testing.T) {
	one, several := readings(1, 10, 0), readings(3, 10, 0)
	const grid = "pipeline.interval=10s"
	seen := make(map[string]string) // case by file and scores: a setting without effect tests nothing
	for _, c := range []struct {
		name   string
		data   []reading
		layout layout
		sets   []string
	}{
		{"wide CSV", one, wideCSVFile, nil},
		{"interval", one, wideCSVFile, []string{grid}},
		{"interval, max_gap", one, wideCSVFile, []string{grid, "pipeline.max_gap=2"}},
		{"months", readings(1, 91*86400, 86400), wideCSVFile, []string{"pipeline.interval=quarter"}},
		{"max_abs", one, wideCSVFile, []string{"pipeline.max_abs=2"}},
		{"rates", one, wideCSVFile, []string{"pipeline.rate=a"}},
		{"rates, interval, wait", one, wideCSVFile, []string{grid, "pipeline.wait=20s", "pipeline.rate=a,b"}},
		{"missing", one, wideCSVFile, []string{"pipeline.missing=40"}},
		{"variables", one, wideCSVFile, []string{"pipeline.variables=b,a"}},
		{"fill", one, wideCSVFile, []string{grid, "pipeline.fill=last"}},
		{"mean of late values", readings(1, 4, 3), wideCSVFile, []string{grid, "pipeline.wait=30s", "pipeline.wait_for_late=true", "pipeline.aggregate=mean"}},
		{"exogenous", one, wideCSVFile, []string{"model.exogenous=u"}},
		{"exogenous, interval", one, wideCSVFile, []string{grid, "model.exogenous=u"}},
		{"exogenous, known", one, wideCSVFile, []string{grid, "model.exogenous=u", "known"}},
		{"calendar", one, wideCSVFile, []string{grid, "model.calendar=hour"}},
		{"no intervals", one, wideCSVFile, []string{grid, "model.levels="}},
		{"several series", several, wideCSVFile, nil},
		{"several series, interval", several, wideCSVFile, []string{grid}},
		{"several series, shared", several, wideCSVFile, []string{grid, "pipeline.scope=shared"}},
		{"several series, max_series", several, wideCSVFile, []string{"pipeline.max_series=2"}},
		{"wide JSON", several, wideJSONFile, []string{grid}},
		{"wide JSON, variables", several, wideJSONFile, []string{"pipeline.variables=a"}},
		{"long JSON", several, longJSONFile, []string{grid, "pipeline.wait=20s"}},
		{"long JSON, fill", several, longJSONFile, []string{grid, "pipeline.fill=last"}},
		{"long CSV", one, longCSVFile, []string{grid, "pipeline.wait=20s", "pipeline.max_gap=4"}},
		{"line protocol", several, lineFile, []string{grid}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), c.layout.name)
			writeFile(t, path, c.layout.write(c.data))
			args := []string{path, "--max-refused", "1", "--output", "json"}
			for _, set := range append(c.layout.sets, c.sets...) {
				if set == "known" {
					args = append(args, "--known-inputs")
				} else {
					args = append(args, "--set", set)
				}
			}
			for _, model := range []string{"orffvar", "auto"} {
				replayed := scoresJSON(t, model, append([]string{"replay", "--model", model, "--horizon", "3"}, args...))
				evaluated := scoresJSON(t, model, append([]string{"evaluate", "--models", model, "--horizons", "1,2,3"}, args...))
				if len(evaluated) != 3 {
					t.Fatalf("%s: %d horizons", model, len(evaluated))
				}
				id := c.layout.name + model + evaluated["1"]
				if other, ok := seen[id]; ok {
					t.Errorf("%s: the same scores as %s", model, other)
				}
				seen[id] = c.name
				for h, want := range replayed {
					if got := evaluated[h]; got != want {
						t.Errorf("%s at %v:\nevaluate %s\nreplay   %s", model, h, got, want)
					}
				}
			}
		})
	}
}

// scoresJSON returns the scores of a model over all series, as text, by horizon.
func scoresJSON(t *testing.T, model string, args []string) map[json.Number]string {
	t.Helper()
	var report struct{ Results []map[string]any }
	d := json.NewDecoder(strings.NewReader(mustCall(t, args...)))
	d.UseNumber()
	if err := d.Decode(&report); err != nil {
		t.Fatal(err)
	}
	series := make(map[any]bool)
	for _, r := range report.Results {
		series[r["series"]] = true
	}
	scores := make(map[json.Number]string)
	for _, r := range report.Results {
		if r["model"] != model || len(series) > 1 && r["series"] != "_all" {
			continue
		}
		var text string
		for _, key := range []string{"n", "mse", "mae", "skill_vs_persistence", "skill_vs_var1", "scv_mse", "coverage"} {
			text += fmt.Sprintf("%s=%v ", key, r[key])
		}
		if n, err := r["n"].(json.Number).Int64(); err != nil || n < 50 {
			t.Errorf("only %v targets were scored: %v", r["n"], err)
		}
		scores[r["horizon"].(json.Number)] = text
	}
	return scores
}
