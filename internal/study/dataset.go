package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/build"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/run"
)

// ReadDataset reads the input file into memory. Lines that run would refuse are
// left out; refused says how many and why.
func ReadDataset(ctx context.Context, c *config.Config) (data *eval.Dataset, refused string, err error) {
	src, err := build.OpenFile(c)
	if err != nil {
		return nil, "", err
	}
	defer src.Close()
	var (
		decoder  = src.Decoder()
		messages = make([]stream.Message, 256)
		record   stream.Record
		index    = make(map[string]int)
		counts   = make(map[string]int64)
		first    string
	)
	data = &eval.Dataset{Name: c.Input.File.Path}
	refuse := func(m *stream.Message, reason stream.Reason, detail string) {
		if len(counts) == 0 {
			first = fmt.Sprintf("%s: %s: %s", m.Origin(), reason, detail)
		}
		counts[string(reason)]++
	}
	rows, err := newRows(c, src)
	if err != nil {
		return nil, "", err
	}
	for {
		n, err := src.Read(ctx, messages)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, "", err
		}
		for i := range n {
			m := &messages[i]
			if rows != nil {
				if err := rows.add(m, data, index, refuse); err != nil {
					return nil, "", err
				}
				continue
			}
			var bad *stream.DataError
			if derr := decoder.Decode(&record, m); errors.As(derr, &bad) {
				refuse(m, bad.Reason, bad.Detail)
				continue
			} else if derr != nil {
				return nil, "", derr
			}
			if reason, detail := appendRecord(data, index, &record, c.Pipeline.MaxDim); reason != "" {
				refuse(m, reason, detail)
			}
		}
		if err != nil {
			break
		}
	}
	if len(counts) > 0 {
		refused = fmt.Sprintf("%s; the first: %s", report.CountsOf(counts), first)
	}
	if data.Len() == 0 {
		if refused != "" {
			return nil, "", fmt.Errorf("%s: no usable rows; refused: %s", data.Name, refused)
		}
		return nil, "", fmt.Errorf("%s: no rows", data.Name)
	}
	return data, refused, takeInputs(data, c.Model.Exogenous)
}

// rows makes samples of records that have a part of one each, as run does.
type rows struct {
	driver *run.Driver
	batch  stream.Batch
	maxDim int
}

// newRows returns nil when each record is a sample.
func newRows(c *config.Config, src *file.Source) (*rows, error) {
	if build.Assembly(c) == nil {
		return nil, nil
	}
	plain := *c
	plain.Model.Type = "persistence" // the samples are all that is asked for
	plain.Model.Exogenous, plain.Model.Calendar = nil, nil
	engine, err := build.NewEngine(&plain, stream.AllSeries)
	if err != nil {
		return nil, err
	}
	d, err := run.NewDriver(run.Config{Source: src, Decoder: src.Decoder(), Engine: engine, Sink: stream.Discard{}})
	return &rows{driver: d, maxDim: c.Pipeline.MaxDim}, err
}

// add appends the samples that m completes to data.
func (r *rows) add(m *stream.Message, data *eval.Dataset, index map[string]int, refuse func(*stream.Message, stream.Reason, string)) error {
	r.batch.Reset()
	if _, err := r.driver.Apply(&r.batch, m); err != nil {
		return err
	}
	for i := range r.batch.DeadLetters {
		l := &r.batch.DeadLetters[i]
		refuse(&l.Message, l.Reason, l.Detail)
	}
	for _, o := range r.batch.Observations {
		record := stream.Record{Message: m, Series: o.Series.Name, Time: o.Time, Names: o.Series.Variables, Values: o.Y}
		if reason, detail := appendRecord(data, index, &record, r.maxDim); reason != "" {
			refuse(m, reason, detail)
		}
	}
	return nil
}

// appendRecord adds a row to its series unless the order of time or the
// variables forbid it.
func appendRecord(data *eval.Dataset, index map[string]int, r *stream.Record, maxDim int) (stream.Reason, string) {
	if len(r.Values) > maxDim {
		return stream.TooLarge, fmt.Sprintf("%d variables, at most %d are allowed", len(r.Values), maxDim)
	}
	if data.Variables == nil {
		data.Variables = slices.Clone(r.Names)
		if r.Names == nil {
			for j := range r.Values {
				data.Variables = append(data.Variables, "v"+strconv.Itoa(j))
			}
		}
	}
	if len(r.Values) != data.Dim() || r.Names != nil && !slices.Equal(r.Names, data.Variables) {
		return stream.Dimension, fmt.Sprintf("the variables are not the %d of the first row", data.Dim())
	}
	for j, v := range r.Values {
		if math.IsInf(v, 0) {
			return stream.NonFinite, fmt.Sprintf("%s is infinite", data.Variables[j])
		}
	}
	i, ok := index[r.Series]
	if !ok {
		i = len(data.Series)
		index[r.Series] = i
		data.Series = append(data.Series, eval.Series{Name: r.Series})
	}
	s := &data.Series[i]
	if n := len(s.Times); n > 0 {
		switch last := s.Times[n-1]; {
		case r.Time == last:
			return stream.Duplicate, "the same time as the row before"
		case r.Time < last:
			return stream.Late, "an earlier time than the row before"
		}
	}
	s.Times = append(s.Times, r.Time)
	s.Rows = append(s.Rows, slices.Clone(r.Values))
	return "", ""
}

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
