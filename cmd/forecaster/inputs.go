package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
)

// calendarOf returns the calendar of a configuration, which was validated.
func calendarOf(c config.Model) eval.Calendar {
	calendar, err := eval.NewCalendar(c.Calendar, c.TimeZone)
	if err != nil {
		panic(err.Error())
	}
	return calendar
}

// inputsOf returns the number of inputs that the model is built for.
func inputsOf(c config.Model) int { return len(c.Exogenous) + calendarOf(c).Len() }

// takeInputs moves the columns that are not forecast.
func takeInputs(data *eval.Dataset, names []string) error {
	if len(names) == 0 {
		return nil
	}
	var targets, inputs []int
	for _, name := range names {
		j := slices.Index(data.Variables, name)
		if j < 0 {
			return fmt.Errorf("%s: model.exogenous: there is no column %q", data.Name, name)
		}
		inputs = append(inputs, j)
	}
	for j := range data.Variables {
		if !slices.Contains(inputs, j) {
			targets = append(targets, j)
		}
	}
	if len(targets) == 0 {
		return fmt.Errorf("%s: model.exogenous: all columns are inputs, nothing is left to forecast", data.Name)
	}
	for i := range data.Series {
		s := &data.Series[i]
		for r, row := range s.Rows {
			s.Inputs = append(s.Inputs, pick(row, inputs))
			s.Rows[r] = pick(row, targets)
		}
	}
	data.Inputs = names
	data.Variables = pick(data.Variables, targets)
	return nil
}

// pick returns the elements at the given places.
func pick[T any](v []T, at []int) []T {
	out := make([]T, len(at))
	for k, j := range at {
		out[k] = v[j]
	}
	return out
}

const knownFlag = "known-inputs"

// knownInputsFlag adds the flag of inputsAhead.
func knownInputsFlag(cmd *cobra.Command) {
	cmd.Flags().Bool(knownFlag, false, "the inputs (model.exogenous) of later rows are known when a forecast is made, as those of a schedule are")
}

// ahead returns what makes the inputs of a file known, if the flag says so.
func ahead(cmd *cobra.Command, c *config.Config) func(*file.Source) (stream.Source, stream.Decoder) {
	known, _ := cmd.Flags().GetBool(knownFlag)
	return func(s *file.Source) (stream.Source, stream.Decoder) {
		if !known || len(c.Model.Exogenous) == 0 {
			return s, s.Decoder()
		}
		return &inputsAhead{Source: s, rows: max(aheadRows, c.Model.Horizon)}, &inputsAlone{s.Decoder(), c.Model.Exogenous}
	}
}

// aheadRows is how many rows inputs are ahead of the samples, at least: those of all
// series count.
const aheadRows = 4096

// inputsAhead delivers each row of a file twice: its inputs so many rows before
// the row itself.
type inputsAhead struct {
	stream.Source
	rows  int
	queue []stream.Message // rows whose inputs were delivered
	ended bool
	next  int64 // offset
	twice int64 // rows delivered so far whose inputs came before
}

// alone, in the place of the partition, marks a message that has the inputs.
const alone = -2

// Read implements stream.Source.
func (s *inputsAhead) Read(ctx context.Context, dst []stream.Message) (n int, err error) {
	for n < len(dst) {
		switch {
		case !s.ended && len(s.queue) < s.rows:
			var one [1]stream.Message
			k, err := s.Source.Read(ctx, one[:])
			if err != nil && !errors.Is(err, io.EOF) {
				return n, err
			}
			s.ended = err != nil
			if k == 0 {
				continue
			}
			one[0].Key, one[0].Value = slices.Clone(one[0].Key), slices.Clone(one[0].Value)
			s.queue = append(s.queue, one[0])
			dst[n] = one[0]
			dst[n].Partition = alone
		case len(s.queue) > 0:
			dst[n] = s.queue[0]
			s.queue = s.queue[1:]
			s.twice++
		case n > 0:
			return n, nil
		default:
			return 0, io.EOF
		}
		dst[n].Offset = s.next
		s.next++
		n++
	}
	return n, nil
}

// inputsAlone decodes the messages of an inputsAhead.
type inputsAlone struct {
	stream.Decoder
	exogenous []string
}

// Decode implements stream.Decoder. What is wrong with a message is said when its
// row comes.
func (d *inputsAlone) Decode(r *stream.Record, m *stream.Message) error {
	err := d.Decoder.Decode(r, m)
	if m.Partition != alone {
		return err
	}
	names, values := []string{d.exogenous[0]}, []float64{math.NaN()}
	if err == nil {
		for j, name := range r.Names {
			if slices.Contains(d.exogenous, name) {
				names, values = append(names, name), append(values, r.Values[j])
			}
		}
	}
	r.Names, r.Values = names, values
	return nil
}
