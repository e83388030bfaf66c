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
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/engine"
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
	keep := func(record *stream.Record, refusal *stream.DataError) error {
		r.list = append(r.list, decoded{*record, refusal})
		return nil
	}
	messages := make([]stream.Message, 256)
	for {
		n, err := source.Read(ctx, messages)
		block := engine.NewDecoded(n) // of all messages, it would be copied while it grows
		for i := range n {
			block.Decode(decoder, &messages[i])
		}
		for i := range n {
			if err := block.Parts(i, keep); err != nil {
				return nil, err
			}
		}
		if errors.Is(err, io.EOF) {
			return r, nil
		}
		if err != nil {
			return nil, err
		}
	}
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

// learnAtOnce is the number of records of a batch. With fewer, the model and the scores would
// take turns in the caches more often.
const learnAtOnce = 16

// learn passes all records to the engine and each batch, with the number of its records, to see.
// It returns the time for learning and forecasting. Refusals are those of Samples.
func (r *Records) learn(ctx context.Context, e *engine.Engine, see func(b *stream.Batch, records int)) (elapsed time.Duration, err error) {
	var batch engine.Results
	for records := range slices.Chunk(r.list, learnAtOnce) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		start := time.Now()
		for i := range records {
			if records[i].refusal != nil {
				continue
			}
			if err := e.Learn(&batch, &records[i].Record); err != nil {
				return 0, fmt.Errorf("%s: %w", records[i].Message.Origin(), err)
			}
		}
		elapsed += time.Since(start)
		if err := e.Score(&batch); err != nil {
			return 0, fmt.Errorf("%s: %w", records[0].Message.Origin(), err)
		}
		see(&batch.Batch, len(records))
		batch.Reset()
	}
	return elapsed, nil
}

// Samples are the samples that an Assembler assembles from records.
type Samples struct {
	Name     string
	Series   []Series
	Refusals wire.Refusals // of records, in the file and by the Assembler
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
	a, err := wire.NewAssembler(c)
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

// Refuse implements assemble.Receiver.
func (c *collector) Refuse(m *stream.Message, err *stream.DataError) { c.samples.Refusals.Add(m, err) }

// Sample implements assemble.Receiver.
func (c *collector) Sample(s *assemble.Sample) error {
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
		return fmt.Errorf("%s: no score: the file is too short for the horizon of %s, which needs a series of %s rows; the longest one has %s",
			s.Name, report.Thousands(int64(horizon)), report.Thousands(int64(horizon)+1), report.Thousands(int64(n)))
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
