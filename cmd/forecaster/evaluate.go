package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/study"
	"github.com/orffvar/forecaster/internal/wire"
)

func (a *app) evaluateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "evaluate FILE...",
		Short: "Compare models on a file, side by side",
		Long: `evaluate runs models over a file: every sample is first the target of the forecasts
made before it, then it is learnt from. Models do not influence each other.

Errors are in the units of the data, or with --scale-rows N in standard deviations of the
first N rows. mse_se is the standard error of mse, nmse is mse / variance, averaged over
the variables, and skill 1 - nmse / nmse of the baseline on the same targets. The second
table compares models by the Diebold-Mariano test, on mse, or on nmse where variables
have units of their own. The third one adds simple forecasts: the last value, the value
one season ago, and a linear map of 96 values. A model that does not beat them all is not
worth its cost.

--labels also compares the anomaly scores of the models, and of baselines, with labels:
the score of the Numenta Anomaly Benchmark, VUS-PR, area and F1, alarms per 1,000 rows.`,
		Example: `  forecaster evaluate data.csv
  forecaster evaluate data.csv --protocol B --seeds 10
  forecaster evaluate ETTh2.csv --models auto,orffvar,var1,persistence --scale-rows 2880 --score-rows 3600:14400
  forecaster evaluate data.csv --models orffvar --seeds 10 --window 200 --output json
  forecaster evaluate test.csv --history train.csv --labels test_labels.csv`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.evaluate(cmd, args) },
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
	knownInputsFlag(cmd)
	return cmd
}

func (a *app) evaluate(cmd *cobra.Command, paths []string) error {
	path := paths[0]
	f := cmd.Flags()
	names, _ := f.GetStringSlice("models")
	horizons, _ := f.GetIntSlice("horizons")
	scaleRows, _ := f.GetInt("scale-rows")
	scoreRows, _ := f.GetString("score-rows")
	window, _ := f.GetInt("window")
	seeds, _ := f.GetInt("seeds")

	cfg, err := a.load(cmd, modelSettings, onlyFile("evaluate", paths...)...)
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
	from, to, err := study.ParseRows(scoreRows)
	if err != nil {
		return &usageError{err}
	}
	if err := atLeast(scaleRows, 0, "--scale-rows"); err != nil {
		return err
	}
	if err := atLeast(window, 0, "--window"); err != nil {
		return err
	}
	if err := atLeast(seeds, 1, "--seeds"); err != nil {
		return err
	}
	if f.Changed("horizon") && len(horizons) > 0 {
		return &usageError{errors.New("--horizons: lists all horizons that are scored, and --horizon is one; give one of the two")}
	}
	if len(names) == 0 {
		return &usageError{errors.New("--models: name at least one model, such as auto")}
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return &usageError{fmt.Errorf("--models: has %q twice; --seeds repeats a model with other random numbers", name)}
		}
		m := cfg.Model
		m.Type = name
		if err := wire.CheckModel(m, 0); err != nil {
			return &usageError{fmt.Errorf("--models: %w", err)}
		}
	}
	switch {
	case len(horizons) > 0:
	case len(cfg.Pipeline.Emit) > 0:
		horizons = slices.Clone(cfg.Pipeline.Emit)
	default:
		horizons = []int{cfg.Model.Horizon}
	}
	slices.Sort(horizons)
	horizons = slices.Compact(horizons)
	if horizons[0] < 1 {
		return &usageError{fmt.Errorf("--horizons: must be >= 1, got %d", horizons[0])}
	}
	cfg.Model.Horizon = max(cfg.Model.Horizon, horizons[len(horizons)-1])

	out, err := reportOutputs(cmd)
	if err != nil {
		return err
	}
	records, err := a.readRecords(cmd, cfg)
	if err != nil {
		return err
	}
	records, samples, before, err := a.withHistory(cmd, cfg, records, false)
	if err != nil {
		return err
	}
	switch rows := samples.Shortest() - before; protocol {
	case "A":
		window = rows / 2
	case "B":
		scaleRows, from = rows/5, rows-3*rows/4
	}
	e := &study.Evaluation{Dataset: path, Rows: samples.Len() - before*len(samples.Series), Dim: samples.Dim(), Results: []study.Result{}}
	e.Pooled = e.Dim > 1 && scaleRows == 0
	options := study.Options{Pooled: e.Pooled, Horizons: horizons, From: before + max(from, window), To: to, ScaleRows: scaleRows, Seeds: seeds, Draws: out.Wanted()}
	if to > 0 {
		options.To += before
	}
	if err := options.Check(samples, before); err != nil {
		return err
	}
	options.Labels, err = a.readLabels(cmd, cfg, samples, options.From, options.To)
	if err != nil {
		return err
	}
	rep := &report.Report{Title: filepath.Base(path), Facts: []string{e.Headline()}}
	if out.Wanted() && len(cfg.Model.Levels) > 0 {
		cfg.Model.Levels = study.WithCoverageLevels(cfg.Model.Levels)
	}
	models := make([]study.Candidate, len(names))
	draws := make([]*study.Tracer, len(names))
	passes := 0
	for i, name := range names {
		one := *cfg
		one.Model.Type = name
		models[i].Config = &one
		passes += study.Repeats(one.Model, seeds)
		if !out.Wanted() {
			continue
		}
		draws[i] = &study.Tracer{Model: name, Horizon: horizons[0], Levels: cfg.Model.Levels, Scored: options.Scored}
		if options.Labels != nil {
			draws[i].Labelled = options.Labels.Labelled
		}
		models[i].Observers = append(models[i].Observers, draws[i].Add)
	}
	var steps atomic.Int64
	bar := a.progressBar(plural.Count(len(names), "model"), position(&steps, records.Len()*passes), steps.Load)
	outcomes, err := study.EvaluateModels(cmd.Context(), models, records, samples, options, &steps)
	bar.finish()
	if err != nil {
		return err
	}
	var losses []study.ModelLosses
	for i, outcome := range outcomes {
		if draws[i] != nil {
			rep.Traces = append(rep.Traces, draws[i].Finish())
		}
		e.Add(outcome)
		losses = append(losses, study.LossesOf(names[i], outcome))
	}
	e.Comparisons = study.Compare(losses, horizons, e.Measure())
	if err := e.EvaluateBaselines(cmd.Context(), cfg, records, samples, options); err != nil {
		return err
	}
	if options.Labels != nil {
		e.Detections = append(e.Detections, study.BaselineDetections(samples, before, options.Labels)...)
	}
	if a.output == "json" {
		err = writeJSON(a.stdout, e)
	} else {
		a.printEvaluation(e)
	}
	if err == nil && out.Wanted() {
		rep.Tables = e.Tables()
		err = out.Write(a.stderr, rep)
	}
	if err != nil {
		return err
	}
	return a.printRefused(cmd, samples)
}

// atLeast returns an error if the value of a flag is smaller than least.
func atLeast(value, least int, flag string) error {
	if value < least {
		return &usageError{fmt.Errorf("%s: must be >= %d, got %d", flag, least, value)}
	}
	return nil
}

func (a *app) printEvaluation(e *study.Evaluation) {
	fmt.Fprintln(a.stdout, e.Headline())
	for _, t := range e.Tables() {
		t.Print(a.stdout, a.wide)
	}
}

// stage prints the name of the next part of a long command. status may then print the progress of this part.
func (a *app) stage(format string, args ...any) {
	if report.IsTerminal(a.stderr) {
		a.status(format, args...)
	} else {
		fmt.Fprintf(a.stderr, format+"\n", args...)
	}
}

// status replaces the last line of a terminal. It does nothing if standard error is no terminal.
func (a *app) status(format string, args ...any) {
	if report.IsTerminal(a.stderr) {
		fmt.Fprintf(a.stderr, "\r\033[K"+format, args...)
	}
}
