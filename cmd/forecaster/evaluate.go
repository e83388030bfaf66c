package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
)

func (a *app) evaluateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "evaluate FILE",
		Short: "Compare models on a file, side by side",
		Long: `evaluate runs models over a file, each on its own: every sample is first the
target of the forecasts made before it, then it is learnt from. The result of a
model does not depend on which others are listed.

Errors are in the units of the data, or, with --scale-rows N, in standard
deviations of the first N rows. skill is 1 - MSE / MSE of the other model on the
same targets: 0 = no better, 1 = perfect. scv_mse is the mean, its sd the
standard deviation, of the squared error of a sample averaged over its variables.

With --labels, a file of times and a column "anomaly" of 0 and 1, it also prints
how the anomaly scores of the models, and a rolling z-score, agree with the labels.
See "forecaster anomalies -h" for what the score is.`,
		Example: `  forecaster evaluate data.csv
  forecaster evaluate data.csv --protocol B --seeds 10
  forecaster evaluate ETTh2.csv --models auto,orffvar,var1,persistence --scale-rows 2880 --score-rows 3600:14400
  forecaster evaluate data.csv --models orffvar --seeds 10 --window 200 --output json
  forecaster evaluate test.csv --history train.csv --labels test_labels.csv`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.evaluate(cmd, args[0]) },
	}
	a.configFlags(cmd)
	modelFlags(cmd)
	f := cmd.Flags()
	_ = f.MarkHidden("model")
	f.StringSlice("models", []string{"persistence", "var1", "orffvar", "auto"}, "models to compare")
	f.IntSlice("horizons", nil, "scored horizons (default: --horizon alone)")
	f.String("protocol", "", "A = sequential cross-validation of the second half; B = scale by the first fifth, score the last three quarters")
	f.Int("scale-rows", 0, "divide errors by the standard deviation of the first N rows")
	f.String("score-rows", "", "score the targets in rows A:B of each series, counted from 0; B may be left out")
	f.Int("window", 0, "score the targets from this row on, as sequential cross-validation with that window does")
	f.Int("seeds", 1, "repeat models that draw frequencies with so many seeds")
	labelFlags(cmd)
	reportFlags(cmd)
	return cmd
}

// evaluation is what evaluate prints.
type evaluation struct {
	Dataset     string       `json:"dataset"`
	Rows        int          `json:"rows"`
	Dim         int          `json:"dim"`
	Results     []result     `json:"results"`
	Comparisons []comparison `json:"comparisons,omitempty"`
	Detections  []detection  `json:"detections,omitempty"`

	refused string
}

// result is a score with what only evaluate knows.
type result struct {
	score
	Seeds   int    `json:"seeds"`
	MSESD   number `json:"mse_sd"`  // over the seeds
	Refused int    `json:"refused"` // samples that the model would not learn
}

func (a *app) evaluate(cmd *cobra.Command, path string) error {
	f := cmd.Flags()
	names, _ := f.GetStringSlice("models")
	horizons, _ := f.GetIntSlice("horizons")
	scaleRows, _ := f.GetInt("scale-rows")
	scoreRows, _ := f.GetString("score-rows")
	window, _ := f.GetInt("window")
	seeds, _ := f.GetInt("seeds")
	known, _ := f.GetBool(knownFlag)

	cfg, err := a.load(cmd, modelSettings, onlyFile("evaluate", path)...)
	if err != nil {
		return err
	}
	protocol, _ := f.GetString("protocol")
	if protocol != "" && (f.Changed("scale-rows") || f.Changed("score-rows") || f.Changed("window")) {
		return &usageError{errors.New("--protocol: stands for --scale-rows, --score-rows and --window; give it or them")}
	}
	if protocol != "" && protocol != "A" && protocol != "B" {
		return &usageError{fmt.Errorf("--protocol: must be A or B, got %q", protocol)}
	}
	from, to, err := parseRows(scoreRows)
	if err != nil {
		return &usageError{err}
	}
	if scaleRows < 0 || window < 0 || seeds < 1 {
		return &usageError{errors.New("--scale-rows and --window must be >= 0, --seeds >= 1")}
	}
	for _, name := range names {
		if err := checkModel(name, cfg.Model); err != nil {
			return &usageError{fmt.Errorf("--models: %w", err)}
		}
	}
	if len(horizons) == 0 {
		horizons = []int{cfg.Model.Horizon}
	}
	slices.Sort(horizons)
	horizons = slices.Compact(horizons)
	if horizons[0] < 1 {
		return &usageError{fmt.Errorf("--horizons: must be >= 1, got %d", horizons[0])}
	}
	cfg.Model.Horizon = max(cfg.Model.Horizon, horizons[len(horizons)-1])

	data, refused, err := readDataset(cmd.Context(), cfg)
	if err != nil {
		return err
	}
	switch rows := shortest(data); protocol {
	case "A":
		window = rows / 2
	case "B":
		scaleRows, from = rows/5, rows-3*rows/4
	}
	e := &evaluation{Dataset: path, Rows: data.Len(), Dim: data.Dim(), refused: refused, Results: []result{}}
	marked, before, err := readLabelled(cmd, cfg, data, max(from, window), to)
	if err != nil {
		return err
	}
	if to > 0 {
		to += before
	}
	options := eval.Options{
		Horizon: cfg.Model.Horizon, Horizons: horizons, Levels: cfg.Model.Levels,
		From: before + max(from, window), To: to, ScaleRows: scaleRows, Losses: true,
		Calendar: calendarOf(cfg.Model), KnownInputs: known, Joint: cfg.Model.Joint,
	}
	out := reportingOf(cmd)
	rep := &report.Report{Title: filepath.Base(path), Facts: []string{e.headline()}}
	if out.wanted() && len(options.Levels) > 0 {
		cfg.Model.Levels = withCoverageLevels(cfg.Model.Levels)
		options.Levels = cfg.Model.Levels
	}
	var losses []modelLosses
	var steps atomic.Int64 // of the model at work
	for i, name := range names {
		m := cfg.Model
		m.Type = name
		bar := a.progressBar(fmt.Sprintf("%d of %d, %s", i+1, len(names), name), position(&steps, data.Len()*repeats(m, seeds)), steps.Load)
		var watch *surprises
		var observers []observer
		if marked != nil || out.wanted() {
			watch = newSurprises(data)
			observers = append(observers, watch)
		}
		var draws *tracer
		if out.wanted() {
			draws = newTracer(name, data, options, watch, marked)
			observers = append(observers, draws)
		}
		results, l, err := evaluateModel(cmd.Context(), m, data, options, seeds, &steps, observers...)
		bar.finish()
		steps.Store(0)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if draws != nil {
			rep.Traces = append(rep.Traces, draws.finish())
		}
		if marked != nil {
			e.Detections = append(e.Detections, detect(name, watch.flat(), alarmLimit, marked))
		}
		e.Results = append(e.Results, results...)
		losses = append(losses, modelLosses{name, l})
	}
	e.Comparisons = compare(losses, horizons)
	if marked != nil {
		e.Detections = append(e.Detections, zDetections(data, marked)...)
	}
	if a.output == "json" {
		err = writeJSON(a.stdout, e)
	} else {
		e.print(a.stdout)
	}
	if err == nil && out.wanted() {
		rep.Tables = e.tables()
		err = out.write(a.stderr, rep)
	}
	return err
}

// observer sees every step of a model.
type observer interface {
	step(f eval.Forecaster, s eval.Step)
}

// evaluateModel runs one model, as often as there are seeds, and returns one
// result a horizon, with the losses of the first seed, which observers see.
func evaluateModel(ctx context.Context, c config.Model, data *eval.Dataset, o eval.Options, seeds int, steps *atomic.Int64, observers ...observer) ([]result, [][]float64, error) {
	seeds = repeats(c, seeds)
	runs := make([][]score, seeds)
	var losses [][]float64
	refused := 0
	for s := range runs {
		c := c
		c.Seed += uint64(s)
		m, err := newModel(c, data.Dim(), len(data.Series) > 1)
		if err != nil {
			return nil, nil, err
		}
		ref, err := newModel(config.Model{Type: "var1", Horizon: c.Horizon}, data.Dim(), false)
		if err != nil {
			return nil, nil, err
		}
		o.Reference = ref
		timed := &timedModel{Model: m}
		o.OnStep = func(st eval.Step) error {
			steps.Add(1)
			for _, see := range observers {
				see.step(timed.series[st.Series], st)
			}
			return ctx.Err()
		}
		r, err := eval.Prequential(timed, data, o)
		if err != nil {
			return nil, nil, err
		}
		for k, h := range r.Horizons {
			one := newScore("", c.Type, h, r.Score(eval.All, k))
			one.SamplesPerSecond = number(float64(data.Len()) / timed.elapsed.Seconds())
			runs[s] = append(runs[s], one)
		}
		if s == 0 {
			losses, refused, observers = r.Losses, r.Refused, nil
		}
	}
	var results []result
	for k := range o.Horizons {
		mean := runs[0][k]
		var mse []float64
		for _, field := range mean.fields() {
			*field = 0
		}
		for _, run := range runs {
			for i, field := range run[k].fields() {
				*mean.fields()[i] += *field / number(seeds)
			}
			mse = append(mse, float64(run[k].MSE))
		}
		results = append(results, result{score: mean, Seeds: seeds, MSESD: number(eval.Summarize(mse...).SD), Refused: refused})
	}
	return results, losses, nil
}

// repeats is how often a model is run: once when it draws nothing.
func repeats(c config.Model, seeds int) int {
	if !seeded(c.Type) {
		return 1
	}
	return seeds
}

// fields are the figures of a score that are averaged over seeds.
func (s *score) fields() []*number {
	return []*number{
		&s.MSE, &s.RMSE, &s.MAE, &s.NMSE, &s.MASE, &s.SkillVsPersistence, &s.SkillVsVAR1,
		&s.SCVMSE, &s.SCVMSESD, &s.Coverage, &s.JointCoverage, &s.Width, &s.Pinball, &s.SamplesPerSecond,
	}
}

// shortest returns the rows of the shortest series.
func shortest(data *eval.Dataset) int {
	n := data.Len()
	for _, s := range data.Series {
		n = min(n, len(s.Rows))
	}
	return n
}

// parseRows reads A:B; B = 0 means the end.
func parseRows(s string) (from, to int, err error) {
	if s == "" {
		return 0, 0, nil
	}
	bad := fmt.Errorf("--score-rows: must have the form A:B with 0 <= A < B, got %q", s)
	a, b, ok := strings.Cut(s, ":")
	if !ok {
		return 0, 0, bad
	}
	if a != "" {
		if from, err = strconv.Atoi(a); err != nil || from < 0 {
			return 0, 0, bad
		}
	}
	if b != "" {
		if to, err = strconv.Atoi(b); err != nil || to <= from {
			return 0, 0, bad
		}
	}
	return from, to, nil
}

// readDataset reads the input file into memory. Lines that run would refuse are
// left out; refused says how many and why.
func readDataset(ctx context.Context, c *config.Config) (data *eval.Dataset, refused string, err error) {
	src, err := openFile(c)
	if err != nil {
		return nil, "", err
	}
	defer src.Close()
	var (
		decoder  = src.Decoder()
		messages = make([]stream.Message, 256)
		record   stream.Record
		index    = make(map[string]int)
		counts   = make(map[string]int64)
		first    string
	)
	data = &eval.Dataset{Name: c.Input.File.Path}
	refuse := func(m *stream.Message, reason stream.Reason, detail string) {
		if len(counts) == 0 {
			first = fmt.Sprintf("%s: %s: %s", m.Origin(), reason, detail)
		}
		counts[string(reason)]++
	}
	rows, err := newRows(c, src)
	if err != nil {
		return nil, "", err
	}
	for {
		n, err := src.Read(ctx, messages)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, "", err
		}
		for i := range n {
			m := &messages[i]
			if rows != nil {
				if err := rows.add(m, data, index, refuse); err != nil {
					return nil, "", err
				}
				continue
			}
			var bad *stream.DataError
			if derr := decoder.Decode(&record, m); errors.As(derr, &bad) {
				refuse(m, bad.Reason, bad.Detail)
				continue
			} else if derr != nil {
				return nil, "", derr
			}
			if reason, detail := appendRecord(data, index, &record, c.Pipeline.MaxDim); reason != "" {
				refuse(m, reason, detail)
			}
		}
		if err != nil {
			break
		}
	}
	if len(counts) > 0 {
		refused = fmt.Sprintf("%s; the first: %s", countsOf(counts), first)
	}
	if data.Len() == 0 {
		if refused != "" {
			return nil, "", fmt.Errorf("%s: no usable rows; refused: %s", data.Name, refused)
		}
		return nil, "", fmt.Errorf("%s: no rows", data.Name)
	}
	return data, refused, takeInputs(data, c.Model.Exogenous)
}

// rows makes samples of records that have a part of one each, as run does.
type rows struct {
	driver *stream.Driver
	batch  stream.Batch
	maxDim int
}

// newRows returns nil when each record is a sample.
func newRows(c *config.Config, src *file.Source) (*rows, error) {
	if assembly(c) == nil {
		return nil, nil
	}
	plain := *c
	plain.Model.Type = "persistence" // the samples are all that is asked for
	plain.Model.Exogenous, plain.Model.Calendar = nil, nil
	engine, err := newEngine(&plain, stream.AllSeries)
	if err != nil {
		return nil, err
	}
	d, err := stream.NewDriver(stream.RunnerConfig{Source: src, Decoder: src.Decoder(), Engine: engine, Sink: stream.Discard{}})
	return &rows{driver: d, maxDim: c.Pipeline.MaxDim}, err
}

// add appends the samples that m completes to data.
func (r *rows) add(m *stream.Message, data *eval.Dataset, index map[string]int, refuse func(*stream.Message, stream.Reason, string)) error {
	r.batch.Reset()
	if _, err := r.driver.Apply(&r.batch, m); err != nil {
		return err
	}
	for i := range r.batch.DeadLetters {
		l := &r.batch.DeadLetters[i]
		refuse(&l.Message, l.Reason, l.Detail)
	}
	for _, o := range r.batch.Observations {
		record := stream.Record{Message: m, Series: o.Series.Name, Time: o.Time, Names: o.Series.Variables, Values: o.Y}
		if reason, detail := appendRecord(data, index, &record, r.maxDim); reason != "" {
			refuse(m, reason, detail)
		}
	}
	return nil
}

// appendRecord adds a row to its series unless the order of time or the
// variables forbid it.
func appendRecord(data *eval.Dataset, index map[string]int, r *stream.Record, maxDim int) (stream.Reason, string) {
	if len(r.Values) > maxDim {
		return stream.TooLarge, fmt.Sprintf("%d variables, at most %d are allowed", len(r.Values), maxDim)
	}
	if data.Variables == nil {
		data.Variables = slices.Clone(r.Names)
		if r.Names == nil {
			for j := range r.Values {
				data.Variables = append(data.Variables, "v"+strconv.Itoa(j))
			}
		}
	}
	if len(r.Values) != data.Dim() || r.Names != nil && !slices.Equal(r.Names, data.Variables) {
		return stream.Dimension, fmt.Sprintf("the variables are not the %d of the first row", data.Dim())
	}
	for j, v := range r.Values {
		if math.IsInf(v, 0) {
			return stream.NonFinite, fmt.Sprintf("%s is infinite", data.Variables[j])
		}
	}
	i, ok := index[r.Series]
	if !ok {
		i = len(data.Series)
		index[r.Series] = i
		data.Series = append(data.Series, eval.Series{Name: r.Series})
	}
	s := &data.Series[i]
	if n := len(s.Times); n > 0 {
		switch last := s.Times[n-1]; {
		case r.Time == last:
			return stream.Duplicate, "the same time as the row before"
		case r.Time < last:
			return stream.Late, "an earlier time than the row before"
		}
	}
	s.Times = append(s.Times, r.Time)
	s.Rows = append(s.Rows, slices.Clone(r.Values))
	return "", ""
}

// timedModel measures the time that a model takes, without the scoring.
type timedModel struct {
	eval.Model
	elapsed time.Duration
	series  []eval.Forecaster
}

// NewSeries implements eval.Model.
func (m *timedModel) NewSeries() eval.Forecaster {
	f := m.Model.NewSeries()
	m.series = append(m.series, f)
	return &timedSeries{f, m}
}

type timedSeries struct {
	eval.Forecaster
	model *timedModel
}

// Observe implements eval.Forecaster.
func (s *timedSeries) Observe(y []float64) error {
	start := time.Now()
	err := s.Forecaster.Observe(y)
	s.model.elapsed += time.Since(start)
	return err
}

// ForecastTo implements eval.Forecaster.
func (s *timedSeries) ForecastTo(dst []float64) bool {
	start := time.Now()
	ok := s.Forecaster.ForecastTo(dst)
	s.model.elapsed += time.Since(start)
	return ok
}

// SetInputs implements eval.InputTaker.
func (s *timedSeries) SetInputs(u []float64) {
	if taker, ok := s.Forecaster.(eval.InputTaker); ok {
		taker.SetInputs(u)
	}
}

// JointTo implements eval.JointBounder; without a region it returns false.
func (s *timedSeries) JointTo(lower, upper []float64) bool {
	b, ok := s.Forecaster.(eval.JointBounder)
	if !ok {
		return false
	}
	start := time.Now()
	ok = b.JointTo(lower, upper)
	s.model.elapsed += time.Since(start)
	return ok
}

// BoundsTo implements eval.Bounder; without intervals it returns false.
func (s *timedSeries) BoundsTo(lower, upper []float64) bool {
	b, ok := s.Forecaster.(eval.Bounder)
	if !ok {
		return false
	}
	start := time.Now()
	ok = b.BoundsTo(lower, upper)
	s.model.elapsed += time.Since(start)
	return ok
}

func (e *evaluation) print(w io.Writer) {
	fmt.Fprintln(w, e.headline())
	for _, t := range e.tables() {
		if t.Caption != "" {
			fmt.Fprintln(w, t.Caption)
		}
		printTable(w, t)
	}
	if e.refused != "" {
		fmt.Fprintf(w, "left out: %s\n", e.refused)
	}
}

func (e *evaluation) headline() string {
	return fmt.Sprintf("%s: %s rows, %d variables", e.Dataset, thousands(int64(e.Rows)), e.Dim)
}

// tables are the results for people.
func (e *evaluation) tables() []report.Table {
	t := report.Table{
		Title: "Models", Numeric: 1,
		Header: []string{"model", "horizon", "n", "mse", "mae", "nmse", "skill vs persistence", "vs var1", "scv-mse", "± sd", "coverage", "speed"},
	}
	for _, r := range e.Results {
		mse := r.MSE.String()
		if r.Seeds > 1 {
			mse = fmt.Sprintf("%v ± %.2g", r.MSE, float64(r.MSESD))
		}
		t.Rows = append(t.Rows, []string{
			r.Model, strconv.Itoa(r.Horizon), thousands(r.N), mse, r.MAE.String(), r.NMSE.fixed(4),
			r.SkillVsPersistence.fixed(4), r.SkillVsVAR1.fixed(4), r.SCVMSE.String(), r.SCVMSESD.String(), r.Coverage.fixed(3), rate(float64(r.SamplesPerSecond)),
		})
	}
	t = withJoint(t, e.Results, func(r result) score { return r.score })
	tables := []report.Table{t}
	if c := e.comparisonTable(); len(c.Rows) > 0 {
		tables = append(tables, c)
	}
	if len(e.Detections) > 0 {
		tables = append(tables, detectionTable(e.Detections))
	}
	return tables
}

// status replaces the last line of a terminal; elsewhere it does nothing.
func (a *app) status(format string, args ...any) {
	if isTerminal(a.stderr) {
		fmt.Fprintf(a.stderr, "\r\033[K"+format, args...)
	}
}
