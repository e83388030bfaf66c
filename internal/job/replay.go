package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/shell"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/file/filestore"
	"github.com/orffvar/forecaster/stream/run"
)

// ReplayOptions are the options of a replay beside the configuration.
type ReplayOptions struct {
	Log   *slog.Logger
	State string        // directory of the checkpoint to resume from, and to save at the end; "": none
	Known bool          // exogenous inputs of later rows are known when a forecast is made
	Live  *Live         // job whose live page shows the replay; may be nil
	Taps  []stream.Sink // get every batch before the outputs
	Watch Watch         // may be nil
}

// Watch shows the progress through src until stop is called. samples returns the number of samples so far.
type Watch func(src *file.Source, samples func() int64) (stop func())

func (w Watch) start(src *file.Source, samples func() int64) (stop func()) {
	if w == nil {
		return func() {}
	}
	return w(src, samples)
}

// Replayed is the result of a replay.
type Replayed struct {
	run.Stats
	Elapsed  time.Duration
	Resumed  bool     // resumed from a checkpoint of the same file, so only new rows were read
	Notes    []string // notes about rows that the checkpoint already contained, and about changed settings
	Refusals wire.Refusals
	Metrics  []stream.Metric // scores at the end
	Resets   int64           // number of resets of counters

	// KnownUntil is the last time of each series at which an exogenous input is known; nil without ReplayOptions.Known.
	KnownUntil map[string]int64
}

// Replay runs the input file through the engine and into the outputs. If ctx ends, Replay returns the result of the rows so
// far.
func Replay(ctx context.Context, cfg *config.Config, o ReplayOptions) (r *Replayed, err error) {
	if f := wire.OutputFile(cfg); o.State != "" && f != nil && f.Waits() {
		return nil, fmt.Errorf("--state: a file that has y (of --columns y or nixtla, or Parquet) cannot go on where another replay has ended, as y is written when it was observed: "+
			"write %s as .csv or .jsonl without y, or leave out --state", shell.Quote(f.Path))
	}
	if f := wire.OutputFile(cfg); o.State == "" && f != nil {
		if err := cmp.Or(wire.CheckPaths(cfg), wire.CheckForecasts("output.file.path", f.Path)); err != nil {
			return nil, err
		}
	}
	for _, text := range wire.IdleSettings(cfg) {
		o.Log.Warn(text)
	}
	src, err := OpenFile(ctx, cfg, o.Log)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	ec := wire.EngineConfig(cfg, stream.AllSeries)
	ec.Together, ec.MetricsWindow = run.Together, 0 // 0: one score for the whole file
	e, err := engine.New(ec)
	if err != nil {
		return nil, err
	}
	out, err := wire.OpenOutputs(cfg, o.Log, o.Taps...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	r = &Replayed{Refusals: wire.Refusals{Next: out.Letters}}
	messages, decoder := wire.Messages(src, cfg.Model, o.Known)
	rc := run.Config{
		Source:      paced(withNames(cfg, o.Log, messages, src), src.Decoder(), wire.InputFile(cfg).Speed),
		Decoder:     decoder,
		Engine:      e,
		Sink:        out.Sink,
		DeadLetters: &r.Refusals,
		Drop:        out.Drop,
		BatchBytes:  wire.BatchBytes(ec.Memory),
	}
	reset := ""
	var adjusted []checkpoint.SettingChange
	var before []string // paths of the older checkpoints
	if o.State != "" {
		rc.Adjusted = func(list []checkpoint.SettingChange) { adjusted = list }
		reset = "forecaster checkpoint reset " + shell.Quote(o.State) + " --yes"
		var store *filestore.Store
		if store, r.Resumed, err = keepState(ctx, cfg, o.State, o.Log, &rc); err != nil {
			return nil, advise(err, reset)
		}
		defer func() { err = errors.Join(err, store.Close()) }()
		if before, err = filestore.Checkpoints(filepath.Join(o.State, ofFile)); err != nil {
			return nil, err
		}
	}
	runner, err := run.NewRunner(rc)
	if err != nil {
		return nil, err
	}
	if o.Live != nil {
		o.Live.started("file", &partition{runner: runner, out: out, damaged: func() int64 { return 0 }, watch: newSeriesWatch()})
		defer o.Live.ended("file")
	}
	stop := o.Watch.start(src, func() int64 { return runner.Stats().Records })
	start := time.Now()
	err = advise(runner.Run(ctx), reset)
	r.Elapsed = time.Since(start)
	stop()
	if err != nil {
		return nil, err
	}
	r.Stats, r.KnownUntil = runner.Stats(), wire.KnownUntil(decoder)
	nothing := ""
	if f := wire.OutputFile(cfg); f != nil && f.Path != "-" && r.Forecasts == 0 {
		nothing = "nothing was written to " + f.Path
	}
	switch refused := r.Refusals.Total(); {
	case ctx.Err() != nil: // interrupted
	case r.Records == 0 && r.Resumed:
		r.Notes = append(r.Notes, fmt.Sprintf("no new rows: %s has learnt all of %s, and nothing was forecast again. "+
			"The scores are those of its forecasts. For the forecasts of all rows give --state another directory, or start over with: %s",
			o.State, wire.InputFile(cfg).Path, reset))
	case r.Records == 0:
		return nil, fmt.Errorf("%s: no rows", wire.InputFile(cfg).Path)
	case refused == r.Records:
		err = fmt.Errorf("%s: %s refused; the first: %s", wire.InputFile(cfg).Path, allRows(refused), r.Refusals.First())
		if rc.Warm != nil {
			if err := keepOnly(o.State, before); err != nil {
				return nil, err
			}
			err = fmt.Errorf("%w. %s has learnt another file, or another beginning of this one, up to a later time: give --state another directory, or start over with: %s", err, o.State, reset)
		}
		if nothing != "" {
			err = fmt.Errorf("%w; %s", err, nothing)
		}
		if rc.Warm == nil {
			err = fmt.Errorf("%w%s", err, r.Refusals.Remedies())
		}
		return nil, err
	}
	if nothing != "" {
		r.Notes = append(r.Notes, nothing+": there is no new forecast")
	}
	if rc.Warm != nil {
		note := fmt.Sprintf("%s has learnt another file before: the scores are those of all its rows and of these", o.State)
		if wire.InputFile(cfg).Series == "" {
			note += "; rows that name no series continue one of these with --series NAME"
		}
		r.Notes = append(r.Notes, note)
	}
	for _, c := range adjusted {
		r.Notes = append(r.Notes, fmt.Sprintf("%s was %s in %s and is %s now, which holds for new rows alone", c.Key, c.Saved, o.State, c.Now))
	}
	var batch engine.Results
	e.AppendScores(&batch)
	r.Metrics, r.Resets = batch.Metrics, e.Resets()
	if o.Live != nil { // scores after the last samples, which are fewer than evaluate.interval
		err = errors.Join(o.Live.Board.Write(ctx, &batch.Batch), o.Live.Page.Write(ctx, &batch.Batch))
	}
	return r, err
}

func allRows(n int64) string {
	if n == 1 {
		return "the only row was"
	}
	return fmt.Sprintf("all %d rows were", n)
}
