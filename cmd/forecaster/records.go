package main

import (
	"fmt"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/job"
	"github.com/orffvar/forecaster/internal/study"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
)

// readRecords reads the records of the input file in the same way as replay. Records of a large regular file stay
// on disk.
func (a *app) readRecords(cmd *cobra.Command, c *config.Config) (*study.Records, error) {
	if wire.InputFile(c).Speed != 0 {
		return nil, &usageError{fmt.Errorf("input.file.speed: %s reads a file as fast as possible; only replay is paced", cmd.Name())}
	}
	src, err := job.OpenFile(cmd.Context(), c, a.notices(c.Log))
	if err != nil {
		return nil, err
	}
	defer src.Close()
	a.assumed(src, cmd.Name() == describeName)
	known, _ := cmd.Flags().GetBool(knownFlag)
	in := wire.InputFile(c)
	name := in.Path
	var n atomic.Int64
	bar := a.progressBar("reading", src.Progress, n.Load)
	var records *study.Records
	if in.Rereadable() {
		records, err = study.CountRecords(cmd.Context(), name, func() (stream.Source, stream.Decoder, error) {
			again, err := wire.OpenFile(c)
			if err != nil {
				return nil, nil, err
			}
			source, decoder := wire.Messages(again, c.Model, known)
			return source, decoder, nil
		})
	} else {
		source, decoder := wire.Messages(src, c.Model, known)
		records, err = study.ReadRecords(cmd.Context(), name, source, decoder)
	}
	bar.finish()
	if err != nil {
		return nil, err
	}
	records.Assumed, records.Noted = wire.Assumed(src)
	records.WithoutClock = wire.WithoutClock(src)
	return records, job.CheckRecords(c, a.notices(c.Log), src, func(f func(*stream.Record)) error { return records.Each(cmd.Context(), f) })
}

// sayGaps prints the same notes about gaps in the file as replay.
func (a *app) sayGaps(cmd *cobra.Command, c *config.Config, records *study.Records) error {
	gaps := job.NewGapWatch(c)
	err := records.Each(cmd.Context(), gaps.AddRecord)
	a.say(gaps.Hint(), gaps.Order())
	return err
}

// say prints each note that is not empty.
func (a *app) say(notes ...string) {
	for _, text := range notes {
		if text != "" {
			fmt.Fprintln(a.stderr, text)
		}
	}
}

// readSamples returns the records of readRecords as samples; see study.Records.Samples.
func (a *app) readSamples(cmd *cobra.Command, c *config.Config, lags int) (*study.Samples, error) {
	records, err := a.readRecords(cmd, c)
	if err != nil {
		return nil, err
	}
	return records.Samples(cmd.Context(), c, lags)
}

// printRefused prints the refused records. It returns an error if there are more than --max-refused.
func (a *app) printRefused(cmd *cobra.Command, s *study.Samples) error {
	if text := s.Refusals.String(); text != "" {
		fmt.Fprintln(a.stderr, text)
	}
	return checkRefused(cmd, &s.Refusals, int64(s.Len())+s.Refusals.Total())
}

// labelFlags adds the flags of the commands that compare anomaly scores with labels.
func labelFlags(cmd *cobra.Command) {
	cmd.Flags().String("labels", "", `file of labels: times and a column "anomaly" of 0 and 1, or windows (CSV with start and end, or JSON)`)
	cmd.Flags().String("history", "", "file to learn from before, which is not scored")
}

// withHistory reports the gaps of the file and puts the records of --history before the records of the file. It
// returns all records, their samples, and the number of rows per series that come from the history. The samples are
// an outline unless hold is set or labels are given.
func (a *app) withHistory(cmd *cobra.Command, c *config.Config, records *study.Records, hold bool) (_ *study.Records, samples *study.Samples, rows int, err error) {
	if err := a.sayGaps(cmd, c, records); err != nil {
		return nil, nil, 0, err
	}
	f := cmd.Flags()
	if path, _ := f.GetString("history"); path == "" {
		samples, err = records.Outline(cmd.Context(), c)
	} else {
		var history *study.Records
		if history, err = a.readRecords(cmd, withFile(c, path)); err == nil {
			records, samples, rows, err = records.After(cmd.Context(), history, c)
		}
		err = prefixed("--history", err)
	}
	if err == nil {
		a.say(job.CounterNotes(c, &samples.Courses, samples.Resets)...)
	}
	if err == nil && (hold || f.Changed("labels")) {
		samples, err = records.Samples(cmd.Context(), c, 0)
	}
	return records, samples, rows, err
}

// readLabels reads the file of --labels for the rows [from, to) of samples. Without --labels it returns nil.
func (a *app) readLabels(cmd *cobra.Command, c *config.Config, samples *study.Samples, from, to int) (*study.Labels, error) {
	path, _ := cmd.Flags().GetString("labels")
	if path == "" {
		return nil, nil
	}
	if l, ok, err := study.ReadWindows(c, path, samples, from, to); err != nil || ok {
		return l, prefixed("--labels", err)
	}
	marks, err := a.readSamples(cmd, wire.ForLabels(withFile(c, path)), 0)
	if err != nil {
		return nil, prefixed("--labels", err)
	}
	l, err := study.NewLabels(marks, samples, from, to)
	return l, prefixed("--labels", err)
}

// prefixed prepends the name of a flag to an error. A nil error stays nil.
func prefixed(flag string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", flag, err)
}

// withFile returns a copy of c with the input file path, read from beginning to end.
func withFile(c *config.Config, path string) *config.Config {
	other := c.Clone()
	f := wire.InputFile(other)
	f.Path, f.More, f.Last, f.Since = path, nil, 0, ""
	return other
}
