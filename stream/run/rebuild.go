package run

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/engine"
)

// rebuild relearns from the log a state that another version has saved. It learns the messages before the offset of
// that state, and neither writes nor saves their results.
type rebuild struct {
	to   int64       // offset of the saved state
	last stream.Mark // the last message before the saved state
}

// ofVersion reports whether an update of the program explains all changed settings: the build differs, and every
// other changed setting is unknown to one of the two versions.
func ofVersion(changed []checkpoint.SettingChange) bool {
	updated := false
	for _, c := range changed {
		switch {
		case strings.HasPrefix(c.Key, "build."):
			updated = true
		case c.Saved != "" && c.Now != "" || strings.HasPrefix(c.Key, "topic."):
			return false
		}
	}
	return updated
}

// begin seeks the source back from last.Next, by at most Config.Rebuild offsets.
func (r *rebuild) begin(ctx context.Context, c *Config, last checkpoint.Checkpoint, changed []checkpoint.SettingChange) error {
	from := max(last.Next-c.Rebuild, 0)
	if s, ok := c.Source.(checkpoint.Seeker); ok {
		if err := s.Seek(ctx, from, last.Last); err != nil {
			return fmt.Errorf("go back to offset %d of the source, to learn again: %w", from, err)
		}
	}
	*r = rebuild{last.Next, last.Last}
	if c.Rebuilding != nil {
		c.Rebuilding(from, last.Next, changed)
	}
	return nil
}

// active reports whether e has not reached the offset of the saved state yet.
func (r *rebuild) active(e *engine.Engine) bool { return e.Next() < r.to }

// learnt marks b as silent after the i-th message of src, and reports whether b is full: a batch
// must not hold messages from both sides of r.to.
func (r *rebuild) learnt(b *engine.Results, src *engine.Decoded, i int) (full bool, err error) {
	m := src.Mark(i)
	if m.Offset == r.last.Offset && !m.None() && !r.last.None() && m != r.last {
		return false, errOtherLog
	}
	b.Silent = true
	return i == src.Len()-1 || src.Offset(i+1) >= r.to, nil
}

var errOtherLog = errors.New("stream: the log is not the one that the checkpoint of another version has learnt")

// silence drops the points and dead letters of b.
func silence(b *engine.Results) {
	b.Forecasts, b.Observations, b.Metrics = b.Forecasts[:0], b.Observations[:0], b.Metrics[:0]
	b.Insights, b.Events, b.DeadLetters = b.Insights[:0], b.Events[:0], b.DeadLetters[:0]
}
