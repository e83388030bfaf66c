package job

import (
	"context"
	"log/slog"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
)

// misfitLog is a tap that warns if samples do not fit pipeline.interval: once, and again for series with closer samples
// than before.
type misfitLog struct {
	*GapWatch
	log       *slog.Logger
	partition string
	settled   int    // number of series with a known spacing
	said      string // last warning
}

// newMisfitLog returns the tap of a partition; nil without an interval.
func newMisfitLog(c *config.Config, log *slog.Logger, partition string) *misfitLog {
	if c.Pipeline.Interval == 0 {
		return nil
	}
	return &misfitLog{GapWatch: NewGapWatch(c), log: log, partition: partition}
}

// Write implements stream.Sink. Steps after the first gapSteps of a series are not kept.
func (m *misfitLog) Write(_ context.Context, b *stream.Batch) error {
	for i := range b.Observations {
		o := &b.Observations[i]
		if s := m.series[o.Series.Name]; s == nil || s.spacing == 0 {
			m.Add(o.Series.Name, o.Time)
		}
	}
	if m.GapWatch.settled == m.settled {
		return nil
	}
	m.settled = m.GapWatch.settled
	if text := m.misfit(); text != "" && text != m.said {
		m.said = text
		m.log.Warn(text, "partition", m.partition)
	}
	return nil
}
