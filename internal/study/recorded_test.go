package study

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/tools/recorded"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/varmodel"
	"github.com/orffvar/forecaster/varmodel/interval"
)

// blank is the ground and the frame of a table, whose width depends on the last digits of numbers.
var blank = regexp.MustCompile(` {2,}|─{2,}`)

// checkRecorded compares a text with a file of testdata.
func checkRecorded(t *testing.T, name, text string) {
	t.Helper()
	recorded.Check(t, filepath.Join("testdata", name), blank.ReplaceAllStringFunc(text, func(s string) string { return string([]rune(s)[:1]) }))
}

// plant writes a file of two variables by the hour: a load with a day and a night, and a level with a step; a value is missing,
// three rows are, and two stretches are odd. Labels are the windows of these.
func plant(t *testing.T) (data, labels string) {
	t.Helper()
	dir := t.TempDir()
	data, labels = filepath.Join(dir, "plant.csv"), filepath.Join(dir, "labels.csv")
	rng := rand.New(rand.NewPCG(11, 12))
	begin := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	at := func(i int) string { return begin.Add(time.Duration(i) * time.Hour).Format(time.RFC3339) }
	var b strings.Builder
	b.WriteString("time,load,level\n")
	for i := range 600 {
		if i >= 300 && i < 303 {
			continue
		}
		load, level := 20+5*math.Sin(2*math.Pi*float64(i)/24)+.3*rng.NormFloat64(), 100+.5*rng.NormFloat64()
		if i >= 450 && i < 456 {
			load += 15
		}
		if i >= 520 {
			level += 6
		}
		text := fmt.Sprintf("%.3f", load)
		if i == 60 {
			text = ""
		}
		fmt.Fprintf(&b, "%s,%s,%.3f\n", at(i), text, level)
	}
	windows := fmt.Sprintf("start,end\n%s,%s\n%s,%s\n", at(450), at(455), at(520), at(530))
	for path, text := range map[string]string{data: b.String(), labels: windows} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return data, labels
}

// printed are tables as a file gets them, and a value as JSON.
func printed(t *testing.T, tables []report.Table, value any) string {
	t.Helper()
	var b bytes.Buffer
	for _, table := range tables {
		fmt.Fprintf(&b, "%s, texts in %d columns, spare: %q, wide: %q\n", table.Title, table.Numeric, table.Spare, table.Wide)
		table.Print(&b, true)
	}
	text, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return b.String() + string(text) + "\n"
}

// TestEvaluationAsRecorded: the scores of two models, the simple forecasts, comparisons, detections and limits of a small
// file, whose errors of persistence are those of TestEvaluationByHand.
func TestEvaluationAsRecorded(t *testing.T) {
	for _, c := range []struct {
		name    string
		options Options
	}{
		{"evaluation.txt", Options{Horizons: []int{1, 3}, From: 100, To: 580, Seeds: 1}},
		{"evaluationscaled.txt", Options{Horizons: []int{2}, From: 120, ScaleRows: 100, Seeds: 2}},
	} {
		e, _ := evaluatePlant(t, c.options, "persistence", "var2", "orffvar")
		checkRecorded(t, c.name, e.Headline()+"\n"+printed(t, e.Tables(), e))
	}
}

func evaluatePlant(t *testing.T, o Options, names ...string) (*Evaluation, *Samples) {
	t.Helper()
	data, labels := plant(t)
	cfg, records := readFile(t, data)
	cfg.Model.Levels, cfg.Model.Season, cfg.Model.Limits = []float64{.9, .5}, 24, []string{"level <= 104"}
	cfg.Model.Horizon, cfg.Evaluate.Window = o.Horizons[len(o.Horizons)-1], 0
	cfg.Pipeline.Interval = config.Interval(time.Hour)
	samples, err := records.Samples(t.Context(), cfg, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Check(samples, 0); err != nil {
		t.Fatal(err)
	}
	marks, ok, err := ReadWindows(cfg, labels, samples, o.From, o.To)
	if err != nil || !ok {
		t.Fatalf("labels: %v", err)
	}
	e := &Evaluation{Dataset: "plant", Rows: samples.Len(), Dim: samples.Dim(), Results: []Result{}, Pooled: o.ScaleRows == 0}
	o.Pooled, o.Labels = e.Pooled, marks
	var models []Candidate
	for _, name := range names {
		one := *cfg
		one.Model.Type = name
		models = append(models, Candidate{Config: &one})
	}
	outcomes, err := EvaluateModels(t.Context(), models, records, samples, o, new(atomic.Int64))
	if err != nil {
		t.Fatal(err)
	}
	var losses []ModelLosses
	for i, outcome := range outcomes {
		for k := range outcome.Results {
			outcome.Results[k].SamplesPerSecond = 0
		}
		e.Add(outcome)
		losses = append(losses, LossesOf(names[i], outcome))
	}
	e.Comparisons = Compare(losses, o.Horizons, e.Measure())
	if err := e.EvaluateBaselines(t.Context(), cfg, records, samples, o); err != nil {
		t.Fatal(err)
	}
	for k := range e.Baselines {
		e.Baselines[k].SamplesPerSecond = 0
	}
	e.Detections = append(e.Detections, BaselineDetections(samples, 0, marks)...)
	return e, samples
}

// TestEvaluationByHand: the errors of persistence are those of the rows, and skills compare the errors of the models.
func TestEvaluationByHand(t *testing.T) {
	e, samples := evaluatePlant(t, Options{Horizons: []int{1, 3}, From: 100, To: 580, Seeds: 1}, "persistence", "var1", "var2")
	rows := samples.Series[0].Rows
	errors := func(h int) (n int64, mse float64) { // of the values that are known; both variables count alike
		var sum, count [2]float64
		for i := 100; i < 580; i++ {
			if i >= 300 && i < 300+h {
				continue // the origin lies before the rows that are missing
			}
			for j := range sum {
				if d := rows[i][j] - rows[i-h][j]; !math.IsNaN(d) {
					sum[j], count[j] = sum[j]+d*d, count[j]+1
				}
			}
		}
		return int64(count[1]), sum[0]/count[0]/2 + sum[1]/count[1]/2
	}
	check := func(s Score, want float64, n int64) {
		t.Helper()
		if math.Abs(float64(s.MSE)/want-1) > 1e-9 || s.N != n {
			t.Errorf("%s, %d steps: mse %v of %d, want %v of %d", s.Model, s.Horizon, s.MSE, s.N, want, n)
		}
	}
	for _, r := range e.Results {
		if r.Model == "persistence" {
			n, want := errors(r.Horizon)
			check(r.Score, want, n)
		}
	}
	for i, r := range e.Results {
		naive, reference := e.Results[i%2], e.Results[2+i%2]
		for what, pair := range map[string][2]float64{
			"persistence": {float64(r.SkillVsPersistence), 1 - float64(r.NMSE/naive.NMSE)},
			"var1":        {float64(r.SkillVsVAR1), 1 - float64(r.NMSE/reference.NMSE)},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-9 {
				t.Errorf("%s, %d steps: skill against %s is %v, want %v", r.Model, r.Horizon, what, pair[0], pair[1])
			}
		}
	}
	if e.Season != 24 || len(e.Baselines) != 2*3 {
		t.Fatalf("season %d, %d baselines", e.Season, len(e.Baselines))
	}
	for _, b := range e.Baselines {
		if b.Model == "persistence" {
			n, want := errors(b.Horizon)
			check(b, want, n)
		}
	}
}

// TestAnomaliesAsRecorded: the anomalies of the plant, as tables, as lines of JSON and as what a page shades.
func TestAnomaliesAsRecorded(t *testing.T) {
	data, labels := plant(t)
	for _, levelSets := range []bool{false, true} {
		cfg, records := readFile(t, data)
		cfg.Pipeline.Interval, cfg.Model.Type, cfg.Model.Order = config.Interval(time.Hour), "var2", 2
		samples, err := records.Samples(t.Context(), cfg, 0)
		if err != nil {
			t.Fatal(err)
		}
		marks, ok, err := ReadWindows(cfg, labels, samples, 100, 0)
		if err != nil || !ok {
			t.Fatalf("labels: %v", err)
		}
		r := &AnomalyReport{Dataset: "plant", Score: "model", Threshold: AlarmLimit}
		name := "anomalies.txt"
		if level := IntervalLevel(cfg); len(level) > 0 {
			r.Level = report.Number(level[0])
		}
		if levelSets {
			r.Score, r.Threshold, name = "level-sets", LevelSetLimit, "levelsets.txt"
		}
		var lines bytes.Buffer
		writer := NewRowWriter(&lines, 100)
		scores := &Anomalies{LevelSets: levelSets, Skip: 100, Keep: true, See: writer.See}
		if err := AnomaliesOf(t.Context(), cfg, records, samples, scores, new(atomic.Int64)); err != nil {
			t.Fatal(err)
		}
		r.List(scores)
		r.Detections = append(DetectRows(r.Score, scores, float64(r.Threshold), samples, marks), BaselineDetections(samples, 100, marks)...)
		if err := writer.End(r); err != nil {
			t.Fatal(err)
		}
		m := r.Marked(samples, 100)
		text := fmt.Sprintf("%s\nwithout a score: %d\n%s %v %v %v, %d rows, %v %v at %d\n", r.Headline(), r.Unscored(),
			m.Series, m.Variables, m.Leading, m.Stretches, len(m.Rows), m.Rows[0], len(m.Times), m.Times[0])
		for _, top := range []int{1, 10} {
			text += printed(t, r.Tables(top), nil)
		}
		all := strings.Split(lines.String(), "\n")
		for i, line := range all { // nine lines are a row
			if i < 60 || i/9%40 == 0 || i > 3150 && i < 3300 || i > len(all)-450 {
				text += line + "\n"
			}
		}
		checkRecorded(t, name, text)
	}
}

// TestDescriptionAsRecorded: what describe says of the plant, of counts and of gaps.
func TestDescriptionAsRecorded(t *testing.T) {
	data, _ := plant(t)
	cfg, records := readFile(t, data)
	d, err := DescribeRecords(t.Context(), cfg, records)
	if err != nil {
		t.Fatal(err)
	}
	d.Dataset, d.Micros, d.Bytes = "plant", 2000, 3_456_789
	if want := "Model auto: 2000 µs per row, 1.2 s for the file; about 3,456 kB of memory per series."; d.Cost() != want {
		t.Errorf("%s, want %s", d.Cost(), want)
	}
	text := d.Headline() + "\n" + printed(t, d.Tables(), d)
	dir := t.TempDir()
	path := filepath.Join(dir, "odd.csv")
	var b strings.Builder
	b.WriteString("time,count,total_bytes,half,flat,negative,rare\n")
	for i := range 300 {
		half, rare := fmt.Sprint(i%7), ""
		if i%2 == 0 {
			half = ""
		}
		if i%100 == 0 {
			rare = "1"
		}
		fmt.Fprintf(&b, "%s,%d,%d,%s,5,%d,%s\n", time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC).Format(time.RFC3339), i*i%11, 1000+i*(1+i%3), half, -i%13, rare)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, records = readFile(t, path)
	if d, err = DescribeRecords(t.Context(), cfg, records); err != nil {
		t.Fatal(err)
	}
	d.Series[0].Name, d.Dataset, d.Micros, d.Bytes = "odd", "odd", 0, 0
	checkRecorded(t, "description.txt", text+d.Headline()+"\n"+printed(t, d.Tables(), d))
}

// TestInfluencesAsRecorded: the graph of a network, its picture, and how well it is found.
func TestInfluencesAsRecorded(t *testing.T) {
	samples, truth := Networks(400, 1)
	s := &samples.Series[0]
	g, err := interval.InfluenceGraph(func() (eval.Model, error) {
		return varmodel.NewVAR(varmodel.VARConfig{Dim: len(s.Variables), Order: 1, Horizon: 1})
	}, s.Rows, 5)
	if err != nil {
		t.Fatal(err)
	}
	r := Describe(s.Name, s.Variables, g)
	text := fmt.Sprintf("%d series of %d rows, AUROC %.3f\n%v\n", len(samples.Series), samples.Series[0].Len(), g.AUROC(truth[0]), truth[0])
	checkRecorded(t, "influences.txt", text+printed(t, nil, r)+string(SvgGraph(&r)))
}

// TestSyntheticSeriesAsRecorded: the first rows of each law and kind of simulated series, and how they spread.
func TestSyntheticSeriesAsRecorded(t *testing.T) {
	var b strings.Builder
	write := func(name string, rows [][]float64, times []int64) {
		fmt.Fprintf(&b, "%s: %d rows\n", name, len(rows))
		for i := 0; i < min(len(rows), 1200); i++ {
			if i < 3 || i == 20 || i == 25 || i == 130 { // later rows of a chaos depend on the processor
				fmt.Fprintf(&b, "%d %.4f", i, rows[i])
				if times != nil {
					fmt.Fprint(&b, " ", times[i])
				}
				b.WriteByte('\n')
			}
		}
	}
	for _, law := range simulate.KernelLaws() {
		write(law.Name, simulate.Collect(law.Name, law.Series(1), 26).Series[0].Rows, nil)
	}
	for _, law := range ablationLaws() {
		write(law.Name, simulate.Collect(law.Name, law.Series(1), 26).Series[0].Rows, nil)
	}
	for _, k := range simulate.Kinds() {
		rows, times := k.Dataset(1).Series[0].Rows, k.Dataset(1).Series[0].Times
		if k.Name == "Lorenz-96" || k.Name == "coupled logistic maps" {
			fmt.Fprintf(&b, "%d rows\n", len(rows))
			rows = rows[:26]
		}
		write(k.Name, rows, times)
	}
	checkRecorded(t, "synthetic.txt", b.String())
}

// TestRowsThatAreAskedFor: --score-rows, and the repeats of models.
func TestRowsThatAreAskedFor(t *testing.T) {
	for text, want := range map[string][2]int{"": {}, ":": {}, "5:": {5, 0}, ":7": {0, 7}, "5:6": {5, 6}, "0:1": {0, 1}} {
		if from, to, err := ParseRows(text); err != nil || from != want[0] || to != want[1] {
			t.Errorf("%q: %d to %d, error %v", text, from, to, err)
		}
	}
	for _, text := range []string{"5", "5:5", "6:5", "-1:5", "a:5", "5:b", ":0"} {
		if from, to, err := ParseRows(text); err == nil || from != 0 || to != 0 {
			t.Errorf("%q: %d to %d", text, from, to)
		}
	}
	for name, want := range map[string]int{"var1": 1, "orffvar": 3} {
		if got := Repeats(config.Model{Type: name}, 3); got != want {
			t.Errorf("%s: %d runs", name, got)
		}
	}
	o := Options{From: 5, To: 7, Horizons: []int{1}}
	for row, want := range map[int]bool{4: false, 5: true, 6: true, 7: false} {
		if o.Scored(0, row) != want {
			t.Errorf("row %d is scored: %t", row, !want)
		}
	}
	if o.To = 0; !o.Scored(0, 1000) || o.meanTo() != 0 {
		t.Error("to the end")
	}
	for last, want := range map[int]int{2: 2, 336: 336, 337: 0} {
		if o.Horizons = []int{1, last}; o.meanTo() != want {
			t.Errorf("means over %d horizons, want %d", o.meanTo(), want)
		}
	}
}

// TestTrialsOfKernels: a trial has the error of its settings on the second half of the rows.
func TestTrialsOfKernels(t *testing.T) {
	data, _ := plant(t)
	cfg, records := readFile(t, data)
	cfg.Pipeline.Interval = config.Interval(time.Hour)
	samples, err := records.Samples(t.Context(), cfg, 0)
	if err != nil {
		t.Fatal(err)
	}
	load := func(sets []config.Setting) (*config.Config, error) {
		return wire.Load(config.Sources{Set: append([]config.Setting{
			{Path: "input.file.path", Value: data, From: "test"}, {Path: "model.type", Value: "kernelvar", From: "test"},
			{Path: "model.frequencies", Value: "20", From: "test"}, {Path: "model.order", Value: "2", From: "test"},
		}, sets...)})
	}
	var b strings.Builder
	for _, trial := range []wire.Trial{{Name: "gaussian"}, {Name: "VAR", Sets: "model.type=var1"}, {Name: "adagrad", Most: 1}, {Name: "tensor", Sets: "model.kernel.operator.name=tensor", Groups: true}} {
		got, err := TryKernel(context.Background(), load, trial, records, samples)
		fmt.Fprintf(&b, "%s: %v, error %v\n", trial.Name, got, err)
	}
	checkRecorded(t, "trials.txt", b.String())
}
