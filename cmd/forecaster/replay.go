package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/job"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/shell"
	"github.com/orffvar/forecaster/internal/study"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
)

func (a *app) replayCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "replay FILE...",
		Short: "Forecast a file as if it were live, and score the forecasts",
		Long: `replay sends a file (.csv, .jsonl, .parquet, .tsf; - is JSON lines on standard input)
through the same engine as run: every sample is forecast before the model learns from it.
It prints the scores and, with --out, writes the forecasts:

  time,series,target,horizon,model,yhat,yhat_lower,yhat_upper

--columns origin,y adds the time at which a forecast was made and the observed value;
--columns nixtla gives unique_id, ds, cutoff, y, yhat, yhat-lo-90, yhat-hi-90.

The same file gives the same bytes in every run. With --state the models start from the
checkpoint in a directory, and leave one there for run with that state.dir, or for
another replay, which appends to --out; columns y and nixtla, and Parquet, are for whole
files.`,
		Example: `  forecaster replay data.csv
  forecaster replay data.csv --model orffvar --order 4 --horizon 12 --out forecasts.csv
  forecaster replay data.csv --horizon 12 --out forecasts.csv --columns origin,y
  forecaster replay data.csv --speed 60 --serve
  forecaster replay history.csv --state ./state && forecaster run -c forecaster.yaml --set state.dir=./state
  forecaster replay data.csv --report report.html --output json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.replay(cmd, args) },
	}
	a.configFlags(cmd)
	modelFlags(cmd)
	cmd.Flags().String("out", "", "file for the forecasts: .csv, .jsonl, .parquet, or .lp for line protocol; - is standard output")
	columnsFlag(cmd)
	cmd.Flags().String("series", "", "series name for rows without one (default: the file's name)")
	cmd.Flags().String("state", "", "directory of the checkpoint to start from and to leave (default: none)")
	cmd.Flags().Float64("speed", 0, "multiple of real time by the time stamps: 1 = real time, 60 = an hour per minute, 0 = as fast as possible")
	cmd.Flags().Bool("serve", false, "serve the live page (server.listen) during the replay, and then until Ctrl-C")
	reportFlags(cmd)
	knownInputsFlag(cmd)
	return cmd
}

func (a *app) replay(cmd *cobra.Command, paths []string) error {
	path := paths[0]
	settings := append([]setting{
		{"out", "output.file.path"}, {"columns", "output.file.columns"}, {"series", "input.file.series"}, {"speed", "input.file.speed"},
	}, modelSettings...)
	fixed := onlyFile("replay", paths...)
	serve, _ := cmd.Flags().GetBool("serve")
	if serve {
		fixed = append(fixed, config.Setting{Path: "server.enabled", Value: "true", From: "--serve"})
	}
	cfg, err := a.load(cmd, settings, fixed...)
	if err != nil {
		return err
	}
	f := wire.OutputFile(cfg)
	toStdout := f != nil && f.Path == "-"
	if toStdout && a.output == "json" {
		return &usageError{errors.New("--out - and --output json both write to standard output; give --out a file")}
	}
	var taps []stream.Sink
	var draws *study.Tracer
	drawn, err := reportOutputs(cmd)
	if err != nil {
		return err
	}
	if drawn.Wanted() {
		if len(cfg.Model.Levels) > 0 && cfg.Output.Empty() { // without an output, more levels cost no lines
			cfg.Model.Levels = study.WithCoverageLevels(cfg.Model.Levels)
			cfg.Evaluate.Interval = min(cfg.Evaluate.Interval, weightsEvery)
		}
		draws = &study.Tracer{Model: cfg.Model.Type, Horizon: wire.Emitted(cfg)[0], Levels: cfg.Model.Levels}
		taps = append(taps, draws)
	}
	var running *job.Live
	if serve {
		running = job.NewLive(cfg, a.notices(cfg.Log), "A replay of "+filepath.Base(path)+".")
		stop, err := running.ServeHTTP()
		if err != nil {
			return err
		}
		defer stop()
		fmt.Fprintf(a.stderr, "live page: %s\n", running.Address)
		taps = append(taps, &running.Board, running.Page)
	}
	gaps := job.NewGapWatch(cfg)
	var counters job.CounterWatch
	taps = append(taps, gaps, &counters)
	known, _ := cmd.Flags().GetBool(knownFlag)
	state, _ := cmd.Flags().GetString("state")
	done, err := job.Replay(cmd.Context(), cfg, job.ReplayOptions{
		Log: a.notices(cfg.Log), State: state, Known: known, Live: running, Taps: taps, Watch: a.watch("replaying"),
	})
	if err != nil {
		return err
	}
	replayed := newReplayReport(cfg, done)
	a.say(append(append(done.Notes, job.CounterNotes(cfg, &counters.Courses, done.Resets)...), gaps.Hint(), gaps.Order())...)
	out := a.stdout
	if toStdout {
		out = a.stderr
	}
	if a.output == "json" {
		err = writeJSON(a.stdout, replayed)
	} else {
		a.printReplay(out, replayed)
	}
	if err == nil && drawn.Wanted() {
		rep := &report.Report{
			Title: filepath.Base(path), Facts: []string{replayed.footline()}, Tables: []report.Table{replayed.table(a.wide)},
		}
		if t := draws.Finish(); t != nil {
			rep.Traces = []*report.Trace{t}
		}
		err = drawn.Write(a.stderr, rep)
	}
	if err != nil {
		return err
	}
	if err := errors.New("interrupted: the scores are those of the rows before"); cmd.Context().Err() != nil && state != "" {
		return fmt.Errorf("%w, which %s has learnt; go on with the next row with: %s", err, state, shell.Command("forecaster", a.args...))
	} else if cmd.Context().Err() != nil {
		return err
	}
	if err := checkRefused(cmd, replayed.refusals, replayed.Rows); err != nil {
		return err
	}
	if running != nil {
		fmt.Fprintf(a.stderr, "the page stays at %s until Ctrl-C\n", running.Address)
		<-cmd.Context().Done()
	}
	return nil
}

func columnsFlag(cmd *cobra.Command) {
	cmd.Flags().String("columns", "", "more columns of --out: origin, y (the observed value), both with a comma; or nixtla (default: none)")
}

// weightsEvery is the number of samples per series between two readings of the expert weights for a report.
const weightsEvery = 20

// onlyFile returns the settings that make a file the only input.
func onlyFile(command string, paths ...string) []config.Setting {
	more, _ := json.Marshal(paths[1:]) // strings never fail
	return []config.Setting{
		{Path: "input.kafka", Value: "null", From: command},
		{Path: "input.stdin", Value: "null", From: command},
		{Path: "input.simulated", Value: "null", From: command},
		{Path: "input.file.path", Value: paths[0], From: command},
		{Path: "input.file.more", Value: string(more), From: command},
	}
}

// replayReport is the result that replay prints.
type replayReport struct {
	Dataset          string           `json:"dataset"`
	Rows             int64            `json:"rows"`
	Dim              int              `json:"dim"`
	Series           int64            `json:"series"`
	Model            string           `json:"model"`
	Forecasts        int64            `json:"forecasts"`
	DeadLetters      map[string]int64 `json:"dead_letters"`
	Seconds          report.Number    `json:"seconds"`
	SamplesPerSecond report.Number    `json:"samples_per_second"`
	Results          []study.Score    `json:"results"`

	refusals *wire.Refusals
}

// newReplayReport returns the report of the result r of job.Replay.
func newReplayReport(cfg *config.Config, r *job.Replayed) *replayReport {
	seconds := r.Elapsed.Seconds()
	p := &replayReport{
		Dataset: wire.InputFile(cfg).Path, Rows: r.Records, Series: r.Series, Model: cfg.Model.Type,
		Forecasts: r.Forecasts, DeadLetters: make(map[string]int64), Results: []study.Score{},
		Seconds: report.Number(seconds), SamplesPerSecond: report.Number(float64(r.Records) / seconds),
		refusals: &r.Refusals,
	}
	for reason, n := range r.DeadLetters {
		p.DeadLetters[string(reason)] = n
	}
	for i := range r.Metrics {
		m := &r.Metrics[i]
		p.Dim = max(p.Dim, len(m.Series.Variables))
		if m.Target == stream.AllTargets {
			s := study.NewScore(m.Series.Name, m.Model, m.Horizon, m.Score)
			if m.Model == cfg.Model.Type {
				s.SamplesPerSecond = p.SamplesPerSecond
			}
			p.Results = append(p.Results, s)
		}
	}
	return p
}

// maxListed is the largest number of score rows that are printed without --wide.
const maxListed = 40

func (a *app) printReplay(w io.Writer, r *replayReport) {
	if t := r.table(a.wide); len(t.Rows) > 0 {
		t.Print(w, a.wide)
	} else {
		fmt.Fprintln(w, "No score: too few rows for the model, which forecasts after two rows of a series.")
	}
	fmt.Fprintln(w, r.footline())
	if text := r.refusals.String(); text != "" {
		fmt.Fprintln(w, text)
	}
}

func (r *replayReport) footline() string {
	return fmt.Sprintf("%s in %.2f s, %s; %s", plural.Count(r.Rows, "row"), float64(r.Seconds),
		report.Rate(float64(r.SamplesPerSecond)), plural.Count(r.Forecasts, "forecast"))
}

// table returns the table of all scores, or of the first maxListed.
func (r *replayReport) table(all bool) report.Table {
	t := report.Table{
		Title: "Scores", Caption: study.SkillNote, Numeric: 2,
		Header: []string{"series", "model", "horizon", "n", "mse", "rmse", "mae", "nmse", study.SkillVsPersistence, study.SkillVsVAR1, "coverage"},
		Spare:  []string{"rmse", "mae"},
	}
	if r.Dim > 1 {
		t.Wide = study.PooledErrors
	}
	listed := r.Results
	if n := len(listed) - maxListed; n > 0 && !all {
		listed = listed[:maxListed]
		t.More = fmt.Sprintf("and %s more lines; all lines: --wide", plural.Thousands(n))
	}
	for _, s := range listed {
		t.Rows = append(t.Rows, []string{
			s.Series, s.Model, strconv.Itoa(s.Horizon), plural.Thousands(s.N), s.MSE.String(), s.RMSE.String(), s.MAE.String(), s.NMSE.Digits(3),
			s.SkillVsPersistence.Fixed(3), s.SkillVsVAR1.Fixed(3), s.Coverage.Fixed(3),
		})
	}
	return study.WithJoint(t, listed, func(s study.Score) study.Score { return s })
}
