package run

import (
	"cmp"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
)

// Change has the settings that can change while a Runner runs; no result of the engine
// depends on them. A zero field leaves its setting as it is.
type Change struct {
	CheckpointEvery   time.Duration
	CheckpointRecords int64
	MetricsEvery      int // of the engine

	// Note becomes an event of the kind EventReload.
	Note string
}

// Change requests c, which takes effect between two blocks of messages, or at once when
// there are none. A later request replaces one that still waits, except its Note. Any
// goroutine may call Change.
func (r *Runner) Change(c Change) {
	for {
		select {
		case r.changes <- c:
			return
		case old := <-r.changes:
			if old.Note != "" {
				c.Note = old.Note + "; " + c.Note
			}
		}
	}
}

// change applies c, in the goroutine of the engine, and records it in b.
func (r *Runner) change(c Change, b *engine.Results) {
	r.c.CheckpointEvery = cmp.Or(c.CheckpointEvery, r.c.CheckpointEvery)
	r.d.c.CheckpointRecords = cmp.Or(c.CheckpointRecords, r.d.c.CheckpointRecords)
	if c.MetricsEvery > 0 {
		r.c.Engine.SetMetricsEvery(c.MetricsEvery)
	}
	if c.Note != "" {
		b.Events = append(b.Events, stream.Event{Series: stream.AllSeries, Time: time.Now().UnixNano(), Kind: stream.EventReload, Text: c.Note})
	}
}
