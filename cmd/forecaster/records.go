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

// readRecords reads the records of the input file like replay. The records of a large regular file are not held in memory.
func (a *app) readRecords(cmd *cobra.Command, c *config.Config) (*study.Records, error) {
	if wire.InputFile(c).Speed != 0 {
		return nil, &usageError{fmt.Errorf("input.file.speed: %s reads a file as fast as possible; only replay is paced", cmd.Name())}
	}
	src, err := job.OpenFile(cmd.Context(), c, a.notices(c.Log))
	if err != nil {
		return nil, err
	}
	defer src.Close()
	a.assumed(src)
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
	return records, job.CheckRecords(c, a.notices(c.Log), src, func(f func(*stream.Record)) error { return records.Each(cmd.Context(), f) })
}

// sayGaps prints what replay prints of gaps in a file.
func (a *app) sayGaps(cmd *cobra.Command, c *config.Config, records *study.Records) error {
	gaps := job.NewGapWatch(c)
	err := records.Each(cmd.Context(), func(r *stream.Record) { gaps.Add(r.Series, r.Time) })
	a.say(gaps.Hint(), gaps.Order())
	return err
}

// say prints notes; "" = none.
func (a *app) say(notes ...string) {
	for _, text := range notes {
		if text != "" {
			fmt.Fprintln(a.stderr, text)
		}
	}
}

// readSamples is readRecords and the samples of these; see study.Records.Samples.
func (a *app) readSamples(cmd *cobra.Command, c *config.Config, lags int) (*study.Samples, error) {
	records, err := a.readRecords(cmd, c)
	if err != nil {
		return nil, err
	}
	return records.Samples(cmd.Context(), c, lags)
}

// printRefused prints the refusals and returns an error if there were too many.
func (a *app) printRefused(cmd *cobra.Command, s *study.Samples) error {
	if text := s.Refusals.String(); text != "" {
		fmt.Fprintln(a.stderr, text)
	}
	return checkRefused(cmd, &s.Refusals, int64(s.Len())+s.Refusals.Total())
}

// labelFlags adds the flags of commands that compare scores with labels.
func labelFlags(cmd *cobra.Command) {
	cmd.Flags().String("labels", "", `file of labels: times and a column "anomaly" of 0 and 1, or windows (CSV with start and end, or JSON)`)
	cmd.Flags().String("history", "", "file to learn from before, which is not scored")
}

// withHistory reports the gaps of the file, and puts the records of --history before those of the file. It
// returns all of them, their samples, and how many rows of each series come from the history. Unless
// these are to be held, or compared with labels, the samples are an outline.
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

// readLabels reads the file of --labels for the rows [from, to) of samples; nil without.
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

// prefixed says which flag an error is about; nil stays nil.
func prefixed(flag string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", flag, err)
}

// withFile is c with another input file, all of it.
func withFile(c *config.Config, path string) *config.Config {
	other := c.Clone()
	f := wire.InputFile(other)
	f.Path, f.More, f.Last, f.Since = path, nil, 0, ""
	return other
}
