package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/orffvar/forecaster/internal/build"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/run"
)

// ReplayOptions are the parts of a replay that the configuration does not have.
type ReplayOptions struct {
	Log   *slog.Logger
	State string        // directory of the checkpoint to go on from and to leave; "" = none
	Known bool          // exogenous inputs of later rows are known when a forecast is made
	Live  *Live         // shows the work; may be nil
	Taps  []stream.Sink // see every batch before the outputs
	Watch Watch         // may be nil
}

// Watch shows the progress through src, whose samples the second argument counts, until the
// reader calls stop.
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
	Resumed  bool // from a checkpoint of the same file: only new rows were read
	Refusals build.Refusals
	Metrics  []stream.Metric // scores at the end
}

// Replay runs the input file through the engine and into the outputs. If ctx ends
// before, it returns the result of the rows until then.
func Replay(ctx context.Context, cfg *config.Config, o ReplayOptions) (r *Replayed, err error) {
	src, err := build.OpenFile(cfg)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	engine, err := build.NewEngine(cfg, stream.AllSeries)
	if err != nil {
		return nil, err
	}
	out, err := build.OpenOutputs(cfg, o.Log, o.Taps...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	r = &Replayed{Refusals: build.Refusals{Next: out.Letters}}
	messages, decoder := build.Messages(src, cfg.Model, o.Known)
	rc := run.Config{
		Source:      paced(messages, decoder, cfg.Input.File.Speed),
		Decoder:     decoder,
		Engine:      engine,
		Sink:        out.Sink,
		DeadLetters: &r.Refusals,
		Drop:        out.Drop,
	}
	reset := ""
	if o.State != "" {
		reset = "forecaster checkpoint reset " + o.State + " --yes"
		var store *file.Store
		if store, r.Resumed, err = keepState(ctx, cfg, o.State, o.Log, &rc); err != nil {
			return nil, advise(err, reset)
		}
		defer func() { err = errors.Join(err, store.Close()) }()
	}
	runner, err := run.NewRunner(rc)
	if err != nil {
		return nil, err
	}
	if o.Live != nil {
		o.Live.started("file", &partition{runner: runner, influx: out.Influx, damaged: func() int64 { return 0 }})
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
	r.Stats = runner.Stats()
	switch refused := r.Refusals.Total(); {
	case ctx.Err() != nil: // interrupted
	case r.Records == 0 && r.Resumed: // the file has no new rows
	case r.Records == 0:
		return nil, fmt.Errorf("%s: no rows", cfg.Input.File.Path)
	case refused == r.Records:
		return nil, fmt.Errorf("%s: all %d rows were refused; the first: %s", cfg.Input.File.Path, refused, r.Refusals.First())
	}
	var batch stream.Batch
	engine.AppendScores(&batch)
	r.Metrics = batch.Metrics
	return r, nil
}
