package run_test

import (
	"context"
	"io"
	"testing"

	"github.com/orffvar/forecaster/stream/run"
)

// TestCheckpointsKnowTheLastMessage: a checkpoint identifies the message before its offset, so
// that a log in the place of another one is noticed.
func TestCheckpointsKnowTheLastMessage(t *testing.T) {
	m := newMemory(60)
	m.end = io.EOF
	r := m.runner(t, func(c *run.Config) { c.CheckpointRecords = 7 })
	if err := r.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(m.saved) < 5 {
		t.Fatalf("%d checkpoints", len(m.saved))
	}
	for _, c := range m.saved {
		if c.Last.None() || c.Last.Offset != c.Next-1 {
			t.Errorf("the checkpoint at %d knows the message %+v", c.Next, c.Last)
		}
	}
}
