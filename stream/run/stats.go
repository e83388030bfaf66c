package run

import (
	"fmt"
	"maps"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
	"github.com/orffvar/forecaster/stream/refuse"
)

// Stats holds the counters of a Runner since its start. A record is counted when its batch is
// written, a message when it is read.
type Stats struct {
	Records      int64 // records learnt or refused
	Deleted      int64 // messages that only delete another one; they have no record
	Forecasts    int64
	Observations int64
	Metrics      int64
	Events       int64
	Drifts       int64                   // Events of the kind EventDrift
	Seasons      int64                   // Events of the kind EventSeason
	Anomalies    int64                   // observations with AnomalyScore > 1
	DeadLetters  map[refuse.Reason]int64 // including those in Config.Drop

	Refused     int64  // records refused since the last accepted one
	LastRefusal string // reason and detail of the newest refusal; "" if Refused = 0

	Series    int64 // number of series seen
	Next      int64 // offset after the last message written
	Watermark int64 // time of the newest sample written, ns; 0 = none

	Checkpoints       int64
	CheckpointWritten int64     // bytes of all Checkpoints
	CheckpointBytes   int64     // bytes of the last whole checkpoint
	UnsavedSince      time.Time // time since which messages read are in no checkpoint; zero = all are in one

	Stages [NumStages]StageStats

	// Hanging is the stage with the oldest heartbeat, if StallTimeout is set. For = 0: no
	// stage is late.
	Hanging StalledError
}

// Letters returns the number of refused records, for all reasons.
func (s *Stats) Letters() (n int64) {
	for _, count := range s.DeadLetters {
		n += count
	}
	return n
}

// Stage is a step of a Runner's work on messages and batches.
type Stage int

// The stages.
const (
	StageRead       Stage = iota // waiting for the source
	StageDecode                  // decoding
	StageApply                   // the models
	StageScore                   // the scorer: baselines, scores, intervals, points
	StageWait                    // waiting for another goroutine; StageStats counts only the models: back-pressure
	StageWrite                   // sink and dead letters
	StageCheckpoint              // store and commit
	NumStages
)

// String returns the stage's label in the metrics.
func (s Stage) String() string {
	return [NumStages]string{"read", "decode", "apply", "score", "wait", "write", "checkpoint"}[s]
}

// StageStats holds the number of visits to a stage and their total time.
type StageStats struct {
	Count   int64
	Elapsed time.Duration
}

// Stats returns a copy of the counters. Any goroutine may call it.
func (r *Runner) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.stats
	s.DeadLetters = maps.Clone(s.DeadLetters)
	return s
}

func (r *Runner) countDeleted(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.Deleted += int64(n)
}

// count adds b after it was written.
func (r *Runner) count(b *stream.Batch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &r.stats
	s.Records += b.Records
	s.Forecasts += int64(len(b.Forecasts))
	s.Observations += int64(len(b.Observations))
	s.Metrics += int64(len(b.Metrics))
	s.Events += int64(len(b.Events))
	for i := range b.Events {
		switch b.Events[i].Kind {
		case event.Drift:
			s.Drifts++
		case event.Season:
			s.Seasons++
		}
	}
	for i := range b.Observations {
		if b.Observations[i].AnomalyScore > 1 {
			s.Anomalies++
		}
	}
	for _, l := range b.DeadLetters {
		s.DeadLetters[l.Reason]++
	}
	if n := int64(len(b.DeadLetters)); n > 0 && n >= b.Records {
		last := b.DeadLetters[n-1]
		s.Refused, s.LastRefusal = s.Refused+n, fmt.Sprintf("%s: %s", last.Reason, last.Detail)
	} else if b.Records > 0 {
		s.Refused, s.LastRefusal = 0, ""
	}
	s.Series = max(s.Series, int64(b.Series))
	s.Next = max(s.Next, b.Next)
	if b.Watermark != 0 && (s.Watermark == 0 || b.Watermark > s.Watermark) {
		s.Watermark = b.Watermark
	}
	if b.Checkpoint {
		s.Checkpoints++
		s.CheckpointWritten += b.Saved
		if b.Since == 0 {
			s.CheckpointBytes = b.Saved
		}
		s.UnsavedSince = time.Time{}
		if b.Next < r.readTo {
			s.UnsavedSince = time.Now()
		}
	}
}

// countRead records that all messages before the offset to were read.
func (r *Runner) countRead(to int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.readTo = to; r.stats.UnsavedSince.IsZero() {
		r.stats.UnsavedSince = time.Now()
	}
}

// stopwatch divides the time of a goroutine among stages.
type stopwatch struct {
	r    *Runner
	last time.Time
}

func (r *Runner) stopwatch() *stopwatch { return &stopwatch{r: r, last: time.Now()} }

// lap adds the time since the last lap or reset to the stage s.
func (w *stopwatch) lap(s Stage) {
	now := time.Now()
	elapsed := now.Sub(w.last)
	w.last = now
	w.r.mu.Lock()
	defer w.r.mu.Unlock()
	w.r.stats.Stages[s].Count++
	w.r.stats.Stages[s].Elapsed += elapsed
}

func (w *stopwatch) reset() { w.last = time.Now() }
