package run_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
	"github.com/orffvar/forecaster/stream/run"
)

// recorder keeps the events and metrics of all batches.
type recorder struct {
	*memory
	mu      sync.Mutex
	events  []stream.Event
	metrics int
}

func (r *recorder) Write(ctx context.Context, b *stream.Batch) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, b.Events...)
	r.metrics += len(b.Metrics)
	return r.memory.Write(ctx, b)
}

// A change takes effect while the source has nothing, is noted, and leaves what it
// does not mention.
func TestRunnerChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(3)
		out := &recorder{memory: m}
		r := m.runner(t, func(c *run.Config) {
			c.Sink = out
			c.CheckpointEvery = time.Hour
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- r.Run(ctx) }()
		synctest.Wait()
		if len(m.saved) != 0 {
			t.Fatalf("%d checkpoints in the first hour", len(m.saved))
		}
		r.Change(run.Change{CheckpointEvery: time.Second, Note: "state.interval = 1s"})
		synctest.Wait()
		var noted []stream.Event
		out.mu.Lock()
		for _, e := range out.events {
			if e.Kind == event.Reload {
				noted = append(noted, e)
			}
		}
		out.mu.Unlock()
		if len(noted) != 1 || noted[0].Text != "state.interval = 1s" || noted[0].Series != stream.AllTargets || noted[0].Time != time.Now().UnixNano() {
			t.Errorf("events %+v", noted)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if len(m.saved) != 1 {
			t.Errorf("%d checkpoints per second after the change", len(m.saved))
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// Before it runs, the last of several changes counts, and the notes of all.
func TestRunnerChangesAreJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory(0)
		out := &recorder{memory: m}
		r := m.runner(t, func(c *run.Config) { c.Sink = out })
		r.Change(run.Change{Note: "one"})
		r.Change(run.Change{Note: "two"})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- r.Run(ctx) }()
		synctest.Wait()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if len(out.events) != 1 || !strings.HasSuffix(out.events[0].Text, "one; two") {
			t.Errorf("events %+v", out.events)
		}
	})
}
