package run_test

import (
	"context"
	"errors"
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

// replaced is a source whose log is another one by now.
type replaced struct{ *memory }

var errReplaced = errors.New("another log")

func (replaced) Verify(context.Context) error { return errReplaced }

// TestNoCheckpointOfAnotherLog: nothing is saved or committed after the log was replaced.
func TestNoCheckpointOfAnotherLog(t *testing.T) {
	m := newMemory(5)
	m.end = io.EOF
	r := m.runner(t, func(c *run.Config) { c.Source = replaced{m} })
	if err := r.Run(t.Context()); !errors.Is(err, errReplaced) || len(m.saved) != 0 || len(m.committed) != 0 {
		t.Errorf("%d checkpoints, commits %v, error %v", len(m.saved), m.committed, err)
	}
}
