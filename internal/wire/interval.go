package wire

import (
	"context"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
)

// checkInterval returns an error that proposes the interval of a file with one variable per line, if no interval is
// configured.
func checkInterval(v *config.Checker, c *config.Config) {
	f := InputFile(c)
	if c.Pipeline.Interval > 0 || f == nil || !inParts(c) || f.formatName(c) == influxFormat.name {
		return
	}
	if !f.Rereadable() {
		return // reading would consume lines of a pipe
	}
	if _, err := time.LoadLocation(c.Input.TimeZone); err != nil {
		return // the error is reported elsewhere
	}
	step := fileStep(c)
	v.Need(step == 0, "pipeline.interval", "the times of %s are %s apart: --set pipeline.interval=%[2]s", f.Path, config.ShortDuration(step))
}

// fileStep returns the step between the times of a series, if nine of ten of the first steps are equal; 0: they are not.
func fileStep(c *config.Config) time.Duration {
	src, err := file.OpenSource(fileSource(c))
	if err != nil {
		return 0 // the command that opens the file reports the error
	}
	defer src.Close()
	const most = 1000
	messages := make([]stream.Message, most)
	n, err := src.Read(context.Background(), messages)
	if err != nil {
		return 0
	}
	decoder := src.Decoder()
	last, counts, total := make(map[string]int64), make(map[int64]int), 0
	for i := range messages[:n] {
		var r stream.Record
		if decoder.Decode(&r, &messages[i]) != nil {
			continue
		}
		if before, seen := last[r.Series]; !seen || r.Time > before {
			if seen {
				counts[r.Time-before]++
				total++
			}
			last[r.Series] = r.Time
		}
	}
	for step, count := range counts {
		if 10*count >= 9*total {
			return time.Duration(step)
		}
	}
	return 0
}
