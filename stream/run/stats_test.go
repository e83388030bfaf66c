package run

import (
	"testing"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
	"github.com/orffvar/forecaster/stream/refuse"
)

// TestStats: kinds of events and anomalies are counted; the largest offset, time and number of series remain; a checkpoint
// of changes leaves the size of the whole one. A batch of refused records alone adds to them, and an accepted one ends them.
func TestStats(t *testing.T) {
	letter := stream.DeadLetter{Error: refuse.Error{Reason: refuse.Late, Detail: "by 3 s"}}
	r := &Runner{readTo: 9}
	r.stats.DeadLetters = make(map[refuse.Reason]int64)
	for _, b := range []stream.Batch{
		{Records: 5, Next: 7, Watermark: -5, Series: 4, Checkpoint: true, Saved: 100,
			Events:       []stream.Event{{Kind: event.Drift}, {Kind: event.Season}, {Kind: event.Season}, {Kind: event.Gap}},
			Observations: []stream.Observation{{AnomalyScore: 1}, {AnomalyScore: 1.5}, {AnomalyScore: 2}, {AnomalyScore: 9}}},
		{Records: 1, Next: 8, Watermark: -6, Series: 3, DeadLetters: []stream.DeadLetter{letter}},
		{Records: 2, Next: 6, Checkpoint: true, Saved: 30, Since: 1, DeadLetters: []stream.DeadLetter{letter, letter}},
	} {
		r.count(&b)
	}
	s := r.Stats()
	if s.Records != 8 || s.Next != 8 || s.Watermark != -5 || s.Series != 4 || s.Drifts != 1 || s.Seasons != 2 || s.Events != 4 || s.Anomalies != 3 || s.Observations != 4 {
		t.Errorf("%+v", s)
	}
	if s.Checkpoints != 2 || s.CheckpointBytes != 100 || s.CheckpointWritten != 130 || s.UnsavedSince.IsZero() {
		t.Errorf("%+v", s)
	}
	if s.DeadLetters[refuse.Late] != 3 || s.Refused != 3 || s.LastRefusal != "late: by 3 s" {
		t.Errorf("%+v", s)
	}
	r.count(&stream.Batch{Records: 2, Next: 9, Watermark: 1, Checkpoint: true, DeadLetters: []stream.DeadLetter{letter}})
	if s.DeadLetters[refuse.Late] != 3 {
		t.Error("statistics change after they were returned")
	}
	if s := r.Stats(); s.Refused != 0 || s.LastRefusal != "" || s.Watermark != 1 || s.Next != 9 || !s.UnsavedSince.IsZero() {
		t.Errorf("%+v", s)
	}
}
