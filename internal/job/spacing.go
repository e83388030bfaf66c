package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/refuse"
)

const day = 24 * time.Hour

// check returns misfit as an error.
func (g *GapWatch) check() error {
	if text := g.misfit(); text != "" {
		return &config.UsageError{Err: errors.New(text)}
	}
	return nil
}

// checkSpacing returns an error if the samples of a regular input file do not fit pipeline.interval. It reads until one
// series has gapSteps steps. GapWatch.Hint checks later series, and standard input.
func checkSpacing(ctx context.Context, cfg *config.Config) error {
	if cfg.Pipeline.Interval == 0 {
		return nil
	}
	assembler, err := wire.NewAssembler(cfg)
	if err != nil {
		return err
	}
	seen := &sampleTimes{watch: NewGapWatch(cfg)}
	err = firstRecords(ctx, cfg, func(r *stream.Record, refusal *refuse.Error) error {
		if seen.enough {
			return io.EOF
		}
		if refusal == nil {
			return assembler.Add(seen, r)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return seen.watch.check()
}

// sampleTimes is an assemble.Receiver that passes the times of samples to a GapWatch.
type sampleTimes struct {
	watch  *GapWatch
	enough bool
}

// Sample implements assemble.Receiver.
func (t *sampleTimes) Sample(s *assemble.Sample) error {
	if !s.Missing {
		t.watch.Add(s.Series.Name, s.Time)
		steps := t.watch.series[s.Series.Name]
		t.enough = t.enough || steps != nil && steps.spacing > 0
	}
	return nil
}

// Refuse implements assemble.Receiver.
func (t *sampleTimes) Refuse(*stream.Message, *refuse.Error) {}

// misfit returns a warning if samples are much closer than pipeline.interval, or if they are much farther apart in all
// series; "": neither.
func (g *GapWatch) misfit() string {
	interval := g.interval.Fixed()
	if n := g.interval.Months(); n > 0 {
		interval = time.Duration(n) * 365 * day / 12
	}
	if interval == 0 {
		return ""
	}
	closest := time.Duration(0)
	for _, s := range g.series {
		if s.spacing == 0 && len(s.first) >= 3 {
			s.settle()
		}
		if d := time.Duration(s.spacing); d > 0 && (closest == 0 || d < closest) {
			closest = d
		}
	}
	apart, configured := config.SpacingText(closest), g.interval.Short()
	switch {
	case closest == 0:
		return ""
	case 3*closest <= 2*interval && g.interval.Months() > 0: // assembly has no grid of calendar months
		return fmt.Sprintf("the rows are %s apart and pipeline.interval is %s: leave pipeline.interval out, or give a file with one row for each %s", apart, configured, configured)
	case 3*closest <= 2*interval:
		return fmt.Sprintf("the rows are %s apart and pipeline.interval is %s: add --set pipeline.wait_for_late=true --set pipeline.aggregate=mean, or leave pipeline.interval out", apart, configured)
	case closest > 2*interval:
		return fmt.Sprintf("the rows are %s apart and pipeline.interval is %s: every row would stand alone; leave pipeline.interval out, or add %s", apart, configured, remedyInterval(closest))
	}
	return ""
}

// remedyInterval returns the setting for samples that are d apart.
func remedyInterval(d time.Duration) string {
	names := map[int]string{1: "month", 3: "quarter", 12: "year"}
	if name := names[config.NearMonths(d)]; name != "" {
		return "--set pipeline.interval=" + name
	}
	return "--set pipeline.interval=" + config.ShortDuration(d)
}
