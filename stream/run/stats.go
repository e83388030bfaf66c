package run

import (
	"fmt"
	"maps"
	"time"

	"github.com/orffvar/forecaster/stream"
)

// Stats are the counters of a Runner since its start.
type Stats struct {
	Records      int64 // written: learnt from or refused
	Deleted      int64 // messages read that delete others: no records
	Forecasts    int64 // written to the sink, likewise the next three
	Observations int64
	Metrics      int64
	Events       int64
	Drifts       int64                   // events that are drifts
	Seasons      int64                   // events that are changes of the seasons
	Anomalies    int64                   // observations with a score above 1: alarms
	DeadLetters  map[stream.Reason]int64 // all, kept or not

	Refused     int64  // records in a row that were refused, up to the newest
	LastRefusal string // why the newest of them was

	Series    int64 // seen so far
	Next      int64 // offset after the last record written
	Watermark int64 // time of the newest sample written, ns; 0 = none

	Checkpoints       int64
	CheckpointWritten int64     // bytes of them all
	CheckpointBytes   int64     // size of the state when it was last saved as a whole
	UnsavedSince      time.Time // since when there are messages that no checkpoint has; zero = there are none

	Stages [NumStages]StageStats

	// Hanging is the stage with the oldest heartbeat, known if StallTimeout is set. For is
	// 0 when there is none.
	Hanging StalledError
}

// Stage is a part of the work of a Runner.
type Stage int

// The stages.
const (
	StageRead       Stage = iota // waiting for the source
	StageDecode                  // decoding
	StageApply                   // the models
	StageScore                   // the scorer: baselines, scores, intervals, points
	StageWait                    // waiting for the scorer: back-pressure
	StageWrite                   // sink and dead letters
	StageCheckpoint              // store and commit
	NumStages
)

// String returns the name of the stage in the metrics.
func (s Stage) String() string {
	return [NumStages]string{"read", "decode", "apply", "score", "wait", "write", "checkpoint"}[s]
}

// StageStats has the number of visits of a stage and their total time.
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

// count adds a batch that was written.
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
		case stream.EventDrift:
			s.Drifts++
		case stream.EventSeason:
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

// countRead notes that messages up to an offset were read.
func (r *Runner) countRead(to int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.readTo = to; r.stats.UnsavedSince.IsZero() {
		r.stats.UnsavedSince = time.Now()
	}
}

// stopwatch attributes the time of a goroutine to stages.
type stopwatch struct {
	r    *Runner
	last time.Time
}

func (r *Runner) stopwatch() *stopwatch { return &stopwatch{r: r, last: time.Now()} }

// lap adds the time since the last lap to a stage.
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
