package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
)

func (a *app) replayCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Forecast a file as if it were live, and score the forecasts",
		Long: `replay reads a file (.csv, .jsonl, either with .gz; - is standard input) through
the same engine as run: every sample is forecast before it is learnt from. It
prints the scores and, with --out, writes the forecasts:

  time,series,target,horizon,model,yhat,yhat_lower,yhat_upper

Forecasts of the same file are the same bytes in every run.`,
		Example: `  forecaster replay data.csv
  forecaster replay data.csv --model orffvar --order 4 --horizon 12 --out forecasts.csv
  forecaster replay data.csv --speed 60 --serve
  forecaster replay data.csv --report report.html --output json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.replay(cmd, args[0]) },
	}
	a.configFlags(cmd)
	modelFlags(cmd)
	cmd.Flags().String("out", "", "write forecasts to this file: .csv, or .lp for line protocol; - is standard output")
	cmd.Flags().String("series", "", "name of the series of lines that do not say (default: the file's name)")
	cmd.Flags().Float64("speed", 0, "pace by the time stamps: 1 = as they say, 60 = an hour a minute, 0 = as fast as possible")
	cmd.Flags().Bool("serve", false, "show the live page during the replay, and after it until Ctrl-C; see server.listen")
	reportFlags(cmd)
	knownInputsFlag(cmd)
	return cmd
}

func (a *app) replay(cmd *cobra.Command, path string) error {
	settings := append([]setting{
		{"out", "output.file.path"}, {"series", "input.file.series"}, {"speed", "input.file.speed"},
	}, modelSettings...)
	cfg, err := a.load(cmd, settings,
		append(onlyFile("replay", path), config.Setting{Path: "evaluate.window", Value: "0", From: "replay"})...) // score the whole file
	if err != nil {
		return err
	}
	if cfg.Output.File != nil && cfg.Output.File.Path == "-" && a.output == "json" {
		return &usageError{fmt.Errorf("--out - and --output json both write to standard output")}
	}
	var taps []stream.Sink
	var draws *traceSink
	drawn := reportingOf(cmd)
	if drawn.wanted() {
		if len(cfg.Model.Levels) > 0 && cfg.Output == (config.Output{}) { // no output gets more lines by it
			cfg.Model.Levels = withCoverageLevels(cfg.Model.Levels)
			cfg.Evaluate.Interval = min(cfg.Evaluate.Interval, weightsEvery)
		}
		draws = &traceSink{cfg: cfg}
		taps = append(taps, draws)
	}
	var job *live
	if serve, _ := cmd.Flags().GetBool("serve"); serve {
		cfg.Server.Enabled = true
		job = newLive(cfg, a.logger(cfg.Log), "A replay of "+filepath.Base(path)+".")
		stop, err := job.serveHTTP()
		if err != nil {
			return err
		}
		defer stop()
		fmt.Fprintf(a.stderr, "live page: %s\n", job.address)
		taps = append(taps, &job.board, job.page)
	}
	replayed, err := a.replayFile(cmd.Context(), cfg, ahead(cmd, cfg), job, taps...)
	if err != nil {
		return err
	}
	out := a.stdout
	if cfg.Output.File != nil && cfg.Output.File.Path == "-" {
		out = a.stderr
	}
	if a.output == "json" {
		err = writeJSON(a.stdout, replayed)
	} else {
		replayed.print(out)
	}
	if err == nil && drawn.wanted() {
		rep := &report.Report{
			Title: filepath.Base(path), Facts: []string{replayed.footline()}, Tables: []report.Table{replayed.table()},
		}
		if t := draws.finish(); t != nil {
			rep.Traces = []*report.Trace{t}
		}
		err = drawn.write(a.stderr, rep)
	}
	if err != nil {
		return err
	}
	if cmd.Context().Err() != nil {
		return errors.New("interrupted: these are the scores up to here")
	}
	if job != nil {
		fmt.Fprintf(a.stderr, "the page stays at %s until Ctrl-C\n", job.address)
		<-cmd.Context().Done()
	}
	return nil
}

// onlyFile makes a file the input, whatever the configuration says.
func onlyFile(command, path string) []config.Setting {
	return []config.Setting{
		{Path: "input.kafka", Value: "null", From: command},
		{Path: "input.stdin", Value: "null", From: command},
		{Path: "input.simulated", Value: "null", From: command},
		{Path: "input.file.path", Value: path, From: command},
	}
}

// replayReport is what replay prints.
type replayReport struct {
	Dataset          string           `json:"dataset"`
	Rows             int64            `json:"rows"`
	Dim              int              `json:"dim"`
	Series           int64            `json:"series"`
	Model            string           `json:"model"`
	Forecasts        int64            `json:"forecasts"`
	DeadLetters      map[string]int64 `json:"dead_letters"`
	Seconds          number           `json:"seconds"`
	SamplesPerSecond number           `json:"samples_per_second"`
	Results          []score          `json:"results"`

	firstRefusal string
}

// replayFile runs what source makes of the file through the engine; taps see every
// batch, and job, unless nil, shows the work.
func (a *app) replayFile(ctx context.Context, cfg *config.Config, source func(*file.Source) (stream.Source, stream.Decoder), job *live, taps ...stream.Sink) (r *replayReport, err error) {
	src, err := openFile(cfg)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	engine, err := newEngine(cfg, stream.AllSeries)
	if err != nil {
		return nil, err
	}
	out, err := openOutputs(cfg, a.logger(cfg.Log), taps...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	first := &firstRefusal{next: out.letters}
	messages, decoder := source(src)
	runner, err := stream.NewRunner(stream.RunnerConfig{
		Source:      paced(messages, decoder, cfg.Input.File.Speed),
		Decoder:     decoder,
		Engine:      engine,
		Sink:        out.sink,
		DeadLetters: first,
		Drop:        out.drop,
	})
	if err != nil {
		return nil, err
	}
	if job != nil {
		job.started("file", &partition{runner: runner, influx: out.influx, damaged: func() int64 { return 0 }})
		defer job.ended("file")
	}
	bar := a.progressBar("replaying", src.Progress, func() int64 { return runner.Stats().Records })
	start := time.Now()
	err = runner.Run(ctx)
	elapsed := time.Since(start).Seconds()
	bar.finish()
	if err != nil {
		return nil, err
	}
	stats := runner.Stats()
	if a, ok := messages.(*inputsAhead); ok {
		stats.Records -= a.twice
	}
	var refused int64
	r = &replayReport{
		Dataset: cfg.Input.File.Path, Rows: stats.Records, Series: stats.Series, Model: cfg.Model.Type,
		Forecasts: stats.Forecasts, DeadLetters: make(map[string]int64), Results: []score{},
		Seconds: number(elapsed), SamplesPerSecond: number(float64(stats.Records) / elapsed),
		firstRefusal: first.text,
	}
	for reason, n := range stats.DeadLetters {
		r.DeadLetters[string(reason)] = n
		refused += n
	}
	switch {
	case ctx.Err() != nil: // interrupted: what there is so far
	case stats.Records == 0:
		return nil, fmt.Errorf("%s: no rows", cfg.Input.File.Path)
	case refused == stats.Records:
		return nil, fmt.Errorf("%s: all %d rows were refused; the first: %s", cfg.Input.File.Path, refused, first.text)
	}
	var batch stream.Batch
	engine.Scores(&batch)
	for i := range batch.Metrics {
		m := &batch.Metrics[i]
		r.Dim = max(r.Dim, len(m.Series.Variables))
		if m.Target == stream.AllTargets {
			s := newScore(m.Series.Name, m.Model, m.Horizon, m.Score)
			if m.Model == cfg.Model.Type {
				s.SamplesPerSecond = r.SamplesPerSecond
			}
			r.Results = append(r.Results, s)
		}
	}
	return r, nil
}

// maxListed is the number of lines of scores that are printed.
const maxListed = 40

func (r *replayReport) print(w io.Writer) {
	if t := r.table(); len(t.Rows) > 0 {
		printTable(w, t)
	} else {
		fmt.Fprintln(w, "No forecast could be scored: the file is too short.")
	}
	if n := len(r.Results) - maxListed; n > 0 {
		fmt.Fprintf(w, "and %s more lines; --output json has them all\n", thousands(int64(n)))
	}
	fmt.Fprintln(w, r.footline())
	if len(r.DeadLetters) > 0 {
		fmt.Fprintf(w, "refused: %s; the first: %s\n", countsOf(r.DeadLetters), r.firstRefusal)
	}
}

func (r *replayReport) footline() string {
	return fmt.Sprintf("%s rows in %.2f s, %s; %s forecasts",
		thousands(r.Rows), float64(r.Seconds), rate(float64(r.SamplesPerSecond)), thousands(r.Forecasts))
}

// table has the first scores.
func (r *replayReport) table() report.Table {
	t := report.Table{
		Title: "Scores", Numeric: 3,
		Header: []string{"series", "model", "horizon", "n", "mse", "rmse", "mae", "skill vs persistence", "vs var1", "scv-mse", "± sd", "coverage"},
	}
	for _, s := range r.Results[:min(maxListed, len(r.Results))] {
		t.Rows = append(t.Rows, []string{
			s.Series, s.Model, strconv.Itoa(s.Horizon), thousands(s.N), s.MSE.String(), s.RMSE.String(), s.MAE.String(),
			s.SkillVsPersistence.fixed(3), s.SkillVsVAR1.fixed(3), s.SCVMSE.String(), s.SCVMSESD.String(), s.Coverage.fixed(3),
		})
	}
	return withJoint(t, r.Results[:len(t.Rows)], func(s score) score { return s })
}

// countsOf lists counts by name.
func countsOf(counts map[string]int64) string {
	var parts []string
	for name, n := range counts {
		parts = append(parts, fmt.Sprintf("%s %s", thousands(n), name))
	}
	sort.Strings(parts)
	return strings.Join(parts, ", ")
}

// firstRefusal passes dead letters on and remembers what the first one said.
type firstRefusal struct {
	next stream.DeadLetters // or nil
	text string
}

// WriteDeadLetters implements stream.DeadLetters.
func (f *firstRefusal) WriteDeadLetters(ctx context.Context, letters []stream.DeadLetter) error {
	if f.text == "" && len(letters) > 0 {
		f.text = fmt.Sprintf("%s: %s: %s", letters[0].Message.Origin(), letters[0].Reason, letters[0].Detail)
	}
	if f.next == nil {
		return nil
	}
	return f.next.WriteDeadLetters(ctx, letters)
}

// Close implements stream.DeadLetters; what letters are passed to is closed by
// its owner.
func (f *firstRefusal) Close() error { return nil }

// Position implements stream.Positioner where what letters are passed to does.
func (f *firstRefusal) Position() []byte {
	if p, ok := f.next.(stream.Positioner); ok {
		return p.Position()
	}
	return nil
}

// Resume implements stream.Positioner.
func (f *firstRefusal) Resume(pos []byte) error {
	if p, ok := f.next.(stream.Positioner); ok {
		return p.Resume(pos)
	}
	return nil
}

// paced delays the messages of src as their time stamps say, speed times as
// fast; 0 leaves it as it is.
func paced(src stream.Source, dec stream.Decoder, speed float64) stream.Source {
	if speed == 0 {
		return src
	}
	return &pacedSource{Source: src, decoder: dec, speed: speed}
}

type pacedSource struct {
	stream.Source
	decoder stream.Decoder
	speed   float64
	record  stream.Record
	first   int64     // time of the first sample
	start   time.Time // when it was delivered
}

// Read implements stream.Source: one message at a time, when it is due.
func (p *pacedSource) Read(ctx context.Context, dst []stream.Message) (int, error) {
	n, err := p.Source.Read(ctx, dst[:1])
	if n == 0 {
		return n, err
	}
	if p.decoder.Decode(&p.record, &dst[0]) != nil {
		return n, err // the engine says what is wrong with it
	}
	if p.start.IsZero() {
		p.start, p.first = time.Now(), p.record.Time
	}
	due := p.start.Add(time.Duration(math.Min(float64(p.record.Time-p.first)/p.speed, math.MaxInt64/2)))
	if sleep(ctx, time.Until(due)) != nil {
		return 0, ctx.Err()
	}
	return n, err
}

// Seek implements stream.Seeker where the source does.
func (p *pacedSource) Seek(ctx context.Context, next int64) error {
	if s, ok := p.Source.(stream.Seeker); ok {
		return s.Seek(ctx, next)
	}
	return nil
}

// sleep waits for d, or returns the error of ctx when that ends first.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
