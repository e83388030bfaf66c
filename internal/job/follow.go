package job

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/shell"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/file/filestore"
	"github.com/orffvar/forecaster/stream/run"
)

// Follow runs the lines of the input file through the engine one by one. It calls answer with the results of a line before
// it reads the next, for a program at the other end of a pipe that asks and waits. Replay makes the same forecasts, bit for
// bit. state is a directory: the models resume from its checkpoint, which may be from a Replay, and a checkpoint is saved
// every state.interval and at the end.
func Follow(ctx context.Context, cfg *config.Config, state string, log *slog.Logger, answer func(*stream.Batch) error) error {
	src, err := OpenFile(ctx, cfg, log)
	if err != nil {
		return err
	}
	defer src.Close()
	src.OnDoubt(func(err error) { log.Warn(err.Error()) }) // a broken first line has an answer, as later ones have
	e, err := engine.New(wire.EngineConfig(cfg, stream.AllSeries))
	if err != nil {
		return err
	}
	rc := run.Config{Source: withNames(cfg, log, src, src), Decoder: src.Decoder(), Engine: e, Sink: stream.Discard{}}
	reset := ""
	if state != "" {
		reset = "forecaster checkpoint reset " + shell.Quote(state) + " --yes"
		store, err := filestore.Open(filepath.Join(state, ofFile), log)
		if err != nil {
			return err
		}
		defer store.Close()
		rc.Store, rc.Settings, rc.Adjustable = store, wire.Settings(cfg), wire.Adjustable
	}
	d, err := run.NewDriver(rc)
	if err != nil {
		return err
	}
	if err := d.Resume(ctx); err != nil {
		return advise(err, reset)
	}
	var (
		b       engine.Results
		message = make([]stream.Message, 1)
		due     = time.Now().Add(cfg.State.Interval)
	)
	for {
		n, ended := rc.Source.Read(ctx, message)
		if n > 0 {
			if _, err := d.Apply(&b, &message[0]); err != nil {
				return err
			}
			if err := answer(&b.Batch); err != nil {
				return err
			}
		}
		if ended != nil || !time.Now().Before(due) {
			if err := d.Checkpoint(&b); err != nil {
				return err
			}
			due = time.Now().Add(cfg.State.Interval)
		}
		// The last checkpoint is saved even after the end of ctx.
		if err := d.Deliver(context.WithoutCancel(ctx), &b, func(run.Stage) {}); err != nil {
			return err
		}
		b.Reset()
		switch {
		case errors.Is(ended, io.EOF):
			if some, err := d.End(&b); err != nil || !some {
				return err
			}
			return errors.Join(d.Score(&b), answer(&b.Batch))
		case ended != nil && ctx.Err() != nil:
			return nil
		case ended != nil:
			return ended
		}
	}
}
