package run

import (
	"cmp"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/event"
)

// Change holds the settings that can change while a Runner runs. No result of the engine
// depends on them. A zero field leaves its setting unchanged.
type Change struct {
	CheckpointEvery   time.Duration
	CheckpointRecords int64
	MetricsEvery      int // see engine.Config

	// Note becomes an event of the kind EventReload.
	Note string
}

// Change requests c. It takes effect between two blocks of messages, or at once while the
// source is idle. A request replaces one that still waits, and keeps the Note of the replaced
// one. Any goroutine may call Change.
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

// change applies c and appends its event to b. The goroutine of the models calls it.
func (r *Runner) change(c Change, b *engine.Results) {
	r.c.CheckpointEvery = cmp.Or(c.CheckpointEvery, r.c.CheckpointEvery)
	r.d.c.CheckpointRecords = cmp.Or(c.CheckpointRecords, r.d.c.CheckpointRecords)
	if c.MetricsEvery > 0 {
		r.c.Engine.SetMetricsEvery(c.MetricsEvery)
	}
	if c.Note != "" {
		b.Events = append(b.Events, stream.Event{Series: stream.AllSeries, Time: time.Now().UnixNano(), Kind: event.Reload, Text: c.Note})
	}
}
