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

// rebuild is a state that another version has saved, and that is learnt again from the log: what lies
// before its offset is learnt, and neither written nor saved.
type rebuild struct {
	to   int64       // offset at which the saved state was
	last stream.Mark // of the last message that it had
}

// ofVersion reports whether an update made these changes: of the build, and of settings that one of the
// two versions does not have.
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

// begin goes back in the source, at most n messages before what last has.
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

// active reports whether an engine has not learnt all of it yet.
func (r *rebuild) active(e *engine.Engine) bool { return e.Next() < r.to }

// learnt notes that the i-th message of src was learnt from, and reports whether b ends there: no batch
// has messages before and after the end of the rebuilding.
func (r *rebuild) learnt(b *engine.Results, src *engine.Decoded, i int) (full bool, err error) {
	m := src.Mark(i)
	if m.Offset == r.last.Offset && !m.None() && !r.last.None() && m != r.last {
		return false, errOtherLog
	}
	b.Silent = true
	return i == src.Len()-1 || src.Offset(i+1) >= r.to, nil
}

var errOtherLog = errors.New("stream: the log is not the one that the checkpoint of another version has learnt")

// silence leaves nothing of b to be written.
func silence(b *engine.Results) {
	b.Forecasts, b.Observations, b.Metrics = b.Forecasts[:0], b.Observations[:0], b.Metrics[:0]
	b.Insights, b.Events, b.DeadLetters = b.Insights[:0], b.Events[:0], b.DeadLetters[:0]
}
