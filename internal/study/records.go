package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/build"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/stream"
)

// Records are the records of a file in memory: every model of a study gets all of them in
// their order.
type Records struct {
	Name string
	list []decoded
}

// decoded is a record, or the reason for the refusal of a message or of a part.
type decoded struct {
	stream.Record
	refusal *stream.DataError
}

// ReadRecords reads a source to its end.
func ReadRecords(ctx context.Context, name string, source stream.Source, decoder stream.Decoder) (*Records, error) {
	r := &Records{Name: name}
	var all stream.Decoded
	messages := make([]stream.Message, 256)
	for {
		n, err := source.Read(ctx, messages)
		for i := range n {
			all.Decode(decoder, &messages[i])
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	r.list = make([]decoded, 0, all.Len())
	for i := range all.Len() {
		err := all.Parts(i, func(record *stream.Record, refusal *stream.DataError) error {
			r.list = append(r.list, decoded{*record, refusal})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Len returns the number of records, with those that could not be decoded.
func (r *Records) Len() int { return len(r.list) }

// Each calls f with every record.
func (r *Records) Each(f func(*stream.Record)) {
	for i := range r.list {
		if r.list[i].refusal == nil {
			f(&r.list[i].Record)
		}
	}
}

// RecordsOf returns the rows of a data set as records, one second apart.
func RecordsOf(data *eval.Dataset) *Records {
	r := &Records{Name: data.Name}
	for _, s := range data.Series {
		for i, row := range s.Rows {
			r.list = append(r.list, decoded{Record: stream.Record{
				Message: &stream.Message{}, Series: s.Name, Time: int64(i+1) * 1e9, Names: data.Variables, Values: row,
			}})
		}
	}
	return r
}

// learn passes all records to the engine and each batch to see, and returns the time for
// learning and forecasting. Refusals are those of Samples.
func (r *Records) learn(ctx context.Context, e *stream.Engine, each func(*stream.Batch)) (elapsed time.Duration, err error) {
	var batch stream.Batch
	for i := range r.list {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if r.list[i].refusal != nil {
			continue
		}
		start := time.Now()
		err := e.Learn(&batch, &r.list[i].Record)
		elapsed += time.Since(start)
		if err == nil {
			err = e.Score(&batch)
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %w", r.list[i].Message.Origin(), err)
		}
		each(&batch)
		batch.Reset()
	}
	return elapsed, nil
}

// Samples are the samples that an Assembler assembles from records.
type Samples struct {
	Name     string
	Series   []Series
	Refusals build.Refusals // of records, in the file and by the Assembler
}

// Series has the samples of one series. A change of its variables begins another Series.
type Series struct {
	Name      string
	Variables []string
	Times     []int64     // ns since 1970 UTC, ascending
	Rows      [][]float64 // each of length dim; NaN = missing
}

// Samples assembles r with the settings of c. With lags > 0, gaps are filled with missing
// rows: those that a model would get, and lags rows where a model would drop its lags.
// Otherwise there is one row per sample that arrived.
func (r *Records) Samples(c *config.Config, lags int) (*Samples, error) {
	a, err := build.NewAssembler(c)
	if err != nil {
		return nil, err
	}
	s := &Samples{Name: r.Name}
	collect := &collector{samples: s, index: make(map[*stream.Series]int), lags: lags}
	for i := range r.list {
		record := &r.list[i]
		if record.refusal != nil {
			collect.Refuse(record.Message, record.refusal)
		} else if err := a.Add(collect, &record.Record); err != nil {
			return nil, err
		}
	}
	if s.Len() == 0 {
		if s.Refusals.Total() > 0 {
			return nil, fmt.Errorf("%s: no usable rows; %s", r.Name, &s.Refusals)
		}
		return nil, fmt.Errorf("%s: no rows", r.Name)
	}
	return s, nil
}

// collector is the receiver of Samples.
type collector struct {
	samples *Samples
	index   map[*stream.Series]int
	lags    int
}

// Refuse implements stream.Receiver.
func (c *collector) Refuse(m *stream.Message, err *stream.DataError) { c.samples.Refusals.Add(m, err) }

// Sample implements stream.Receiver.
func (c *collector) Sample(s *stream.Sample) error {
	if s.Missing && c.lags == 0 {
		return nil
	}
	i, ok := c.index[s.Series]
	if !ok {
		i = len(c.samples.Series)
		c.index[s.Series] = i
		c.samples.Series = append(c.samples.Series, Series{Name: s.Series.Name, Variables: s.Series.Variables})
	}
	to := &c.samples.Series[i]
	for range min(s.Break, int64(c.lags)) {
		row := make([]float64, len(s.Y))
		for j := range row {
			row[j] = math.NaN()
		}
		to.Times, to.Rows = append(to.Times, s.Time), append(to.Rows, row)
	}
	to.Times, to.Rows = append(to.Times, s.Time), append(to.Rows, slices.Clone(s.Y))
	return nil
}

// Len returns the number of rows of all series.
func (s *Samples) Len() int {
	n := 0
	for i := range s.Series {
		n += len(s.Series[i].Rows)
	}
	return n
}

// Dim returns the largest number of variables of a series.
func (s *Samples) Dim() int {
	d := 0
	for i := range s.Series {
		d = max(d, len(s.Series[i].Variables))
	}
	return d
}

// longest returns the rows of the longest series.
func (s *Samples) longest() int {
	n := 0
	for i := range s.Series {
		n = max(n, len(s.Series[i].Rows))
	}
	return n
}

// checkForecast returns an error unless a series has a row that lies horizon rows after
// another one.
func (s *Samples) checkForecast(horizon int) error {
	if n := s.longest(); n <= horizon {
		return fmt.Errorf("%s: no score: the file is too short for the model, with %s", s.Name, report.Count(n, "row", "rows"))
	}
	return nil
}

// Shortest returns the rows of the shortest series.
func (s *Samples) Shortest() int {
	n := s.Len()
	for i := range s.Series {
		n = min(n, len(s.Series[i].Rows))
	}
	return n
}
