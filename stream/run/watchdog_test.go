package run_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/refuse"
	"github.com/orffvar/forecaster/stream/run"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// hung is an edge, and a model, that at one place does not go on before release is
// closed. Meanwhile it sends heartbeats, if alive is set.
type hung struct {
	*memory
	where   run.Stage
	release chan struct{}
	alive   bool
}

func (h hung) at(ctx context.Context, s run.Stage) {
	for s == h.where {
		select {
		case <-h.release:
			return
		case <-time.After(time.Minute):
			if h.alive {
				stream.Heartbeat(ctx)
			}
		}
	}
}

func (h hung) Decode(*stream.Record, *stream.Message) error {
	h.at(context.Background(), run.StageDecode)
	return &refuse.Error{Reason: refuse.Malformed}
}

func (h hung) Write(ctx context.Context, b *stream.Batch) error {
	h.at(ctx, run.StageWrite)
	return h.memory.Write(ctx, b)
}

func (h hung) Save(ctx context.Context, c checkpoint.Checkpoint) error {
	h.at(ctx, run.StageCheckpoint)
	return h.memory.Save(ctx, c)
}

// hungModel is a Drift that hangs in Observe.
type hungModel struct {
	eval.Model
	h hung
}

type hungSeries struct {
	eval.Forecaster
	h hung
}

func (m hungModel) NewSeries() eval.Forecaster { return hungSeries{m.Model.NewSeries(), m.h} }

func (s hungSeries) Observe(y []float64) error {
	s.h.at(context.Background(), run.StageApply)
	return s.Forecaster.Observe(y)
}

// TestFault52_Watchdog: when a decoder, a model, a sink or a store hangs, the run ends
// and says where, and nothing is committed that was not written; before, the
// statistics say that it hangs. A stage that is only slow, waits for a server, or waits for
// messages, goes on.
func TestFault52_Watchdog(t *testing.T) {
	const limit = 5 * time.Minute
	var cancelRun func(cause error)
	var drain time.Duration
	try := func(t *testing.T, where run.Stage, alive bool, check func(m *memory, r *run.Runner, ended chan error, release func())) {
		synctest.Test(t, func(t *testing.T) {
			m := newMemory(50)
			h := hung{memory: m, where: where, release: make(chan struct{}), alive: alive}
			r := m.runner(t, func(c *run.Config) {
				c.StallTimeout, c.DrainTimeout = limit, drain
				c.Sink, c.Store, c.CheckpointRecords = h, h, 10
				switch where {
				case run.StageDecode:
					c.Decoder = h
				case run.StageApply:
					ec := streamtest.DriftConfig()
					ec.NewModel = func(dim int) (eval.Model, error) {
						return hungModel{streamtest.NewDrift(dim, 3, 2), h}, nil
					}
					c.Engine = streamtest.NewEngine(t, ec)
				}
			})
			ended := make(chan error, 1)
			ctx, cancel := context.WithCancelCause(context.Background())
			cancelRun = cancel
			go func() { ended <- r.Run(ctx) }()
			check(m, r, ended, func() { close(h.release) })
			cancel(nil)
			synctest.Wait()
		})
	}
	for _, where := range []run.Stage{run.StageDecode, run.StageApply, run.StageWrite, run.StageCheckpoint} {
		t.Run(where.String()+" hangs", func(t *testing.T) {
			try(t, where, false, func(m *memory, r *run.Runner, ended chan error, release func()) {
				defer release()
				time.Sleep(limit / 2)
				synctest.Wait()
				if h := r.Stats().Hanging; h.Stage != where || h.For < limit/3 {
					t.Errorf("after half of the time: %+v", h)
				}
				time.Sleep(limit)
				synctest.Wait()
				var stalled *run.StalledError
				select {
				case err := <-ended:
					if !errors.As(err, &stalled) || stalled.Stage != where || stalled.For < limit ||
						!strings.Contains(err.Error(), where.String()) || !strings.Contains(err.Error(), "last checkpoint") {
						t.Errorf("got %v", err)
					}
				default:
					t.Error("it goes on")
				}
				if len(m.committed) != 0 {
					t.Errorf("committed %v", m.committed)
				}
			})
		})
	}
	t.Run("told to stop", func(t *testing.T) {
		for _, c := range []struct {
			cause                  error
			drain, after, patience time.Duration
		}{
			{nil, 0, 10 * time.Second, 500 * time.Millisecond},
			{nil, 2 * time.Second, 2 * time.Second, 250 * time.Millisecond},
			{errors.New("the process goes on"), 0, 10 * time.Second, time.Minute},
		} {
			drain = c.drain
			try(t, run.StageWrite, false, func(_ *memory, _ *run.Runner, ended chan error, release func()) {
				defer release()
				time.Sleep(time.Minute)
				cancelRun(c.cause)
				stopped := time.Now()
				var stalled *run.StalledError
				if err := <-ended; !errors.As(err, &stalled) || stalled.Stage != run.StageWrite || stalled.For != c.after {
					t.Errorf("got %v", err)
				}
				if took := time.Since(stopped); took != c.after+c.patience {
					t.Errorf("%+v: it took %v to end", c, took)
				}
			})
		}
	})
	drain = 0
	t.Run("a server is away", func(t *testing.T) {
		try(t, run.StageWrite, true, func(m *memory, r *run.Runner, ended chan error, release func()) {
			time.Sleep(10 * time.Hour)
			synctest.Wait()
			if len(ended) != 0 || r.Stats().Hanging.For > limit/2 {
				t.Errorf("it was taken for hung: %+v", r.Stats().Hanging)
			}
			release()
			synctest.Wait()
			if len(m.committed) == 0 {
				t.Errorf("committed %v", m.committed)
			}
		})
	})
	t.Run("the source has ended", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m := newMemory(50)
			m.end = io.EOF
			h := hung{memory: m, where: run.StageWrite, release: make(chan struct{}), alive: true}
			r := m.runner(t, func(c *run.Config) { c.StallTimeout, c.Sink = limit, h })
			ended := make(chan error, 1)
			go func() { ended <- r.Run(context.Background()) }()
			time.Sleep(10 * time.Hour)
			synctest.Wait()
			if len(ended) != 0 || r.Stats().Hanging.For > limit/2 {
				t.Errorf("it was taken for hung: %+v", r.Stats().Hanging)
			}
			close(h.release)
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("no messages", func(t *testing.T) {
		try(t, run.NumStages, false, func(m *memory, r *run.Runner, ended chan error, _ func()) {
			time.Sleep(10 * time.Hour)
			synctest.Wait()
			if len(ended) != 0 || r.Stats().Hanging.For != 0 {
				t.Errorf("it was taken for hung: %+v", r.Stats().Hanging)
			}
		})
	})
}

// TestFault39_SlowSync: while a checkpoint is being synced nothing is committed, what
// comes meanwhile is bounded, and then all of it is there.
func TestFault39_SlowSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(2000)
		m.end = io.EOF
		h := hung{memory: m, where: run.StageCheckpoint, release: make(chan struct{})}
		r := m.runner(t, func(c *run.Config) {
			c.StallTimeout, c.Store, c.CheckpointRecords = 10*time.Minute, h, 100
		})
		ended := make(chan error, 1)
		go func() { ended <- r.Run(context.Background()) }()
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if len(m.committed) != 0 || len(ended) != 0 {
			t.Errorf("committed %v before the checkpoint was durable", m.committed)
		}
		if s := r.Stats(); s.Records > 300 || s.Hanging.Stage != run.StageCheckpoint {
			t.Errorf("meanwhile %d records were written; hanging: %+v", s.Records, s.Hanging)
		}
		close(h.release)
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if n := len(m.committed); n < 20 || m.committed[n-1] != 2000 {
			t.Errorf("committed %v", m.committed)
		}
	})
}
