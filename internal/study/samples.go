package study

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/refuse"
)

// Samples are the assembled samples of a file.
type Samples struct {
	Name     string
	Series   []Series
	Refusals wire.Refusals // refused records: malformed ones, and those that the Assembler refuses

	Courses assemble.Courses
	Resets  int64 // number of resets of counters that become rates
}

// Series has the samples of one series with fixed variables. A change of the variables begins another Series.
type Series struct {
	Name      string
	Variables []string
	Times     []int64     // ns since 1970 UTC, ascending; nil in an outline
	Rows      [][]float64 // of length dim each; NaN: missing; nil in an outline

	rows        int   // number of rows of an outline
	first, last int64 // times of the first and the last row
}

// Len returns the number of rows.
func (s *Series) Len() int { return len(s.Rows) + s.rows }

// Samples assembles r with the settings of c. With lags = 0 there is one row per sample in the file. With lags > 0,
// gaps have missing rows: the rows that a model would get, and lags rows where a model would reset its lags.
func (r *Records) Samples(ctx context.Context, c *config.Config, lags int) (*Samples, error) {
	return r.collect(ctx, c, &collector{lags: lags, holds: true})
}

// Outline returns Samples with lags = 0, without times and rows.
func (r *Records) Outline(ctx context.Context, c *config.Config) (*Samples, error) {
	return r.collect(ctx, c, &collector{})
}

func (r *Records) collect(ctx context.Context, c *config.Config, to *collector) (*Samples, error) {
	a, err := wire.NewAssembler(c)
	if err != nil {
		return nil, err
	}
	s := &Samples{Name: r.Name}
	to.samples, to.index = s, make(map[*stream.Series]int)
	err = r.walk(ctx, func(records []decoded) error {
		for i := range records {
			record := &records[i]
			if record.refusal != nil {
				to.Refuse(record.Message, record.refusal)
			} else if err := a.Add(to, &record.Record); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = a.Close(to)
	}
	if err != nil {
		return nil, err
	}
	s.Resets = a.Resets()
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
	holds   bool                                        // keep all rows
	see     func(series int, time int64, row []float64) // may be nil
}

// Refuse implements assemble.Receiver.
func (c *collector) Refuse(m *stream.Message, err *refuse.Error) { c.samples.Refusals.Add(m, err) }

// Sample implements assemble.Receiver.
func (c *collector) Sample(s *assemble.Sample) error {
	if s.Missing && c.lags == 0 {
		return nil
	}
	if !s.Missing {
		c.samples.Courses.Add(s.Series, s.Y)
	}
	i, ok := c.index[s.Series]
	if !ok {
		i = len(c.samples.Series)
		c.index[s.Series] = i
		c.samples.Series = append(c.samples.Series, Series{Name: s.Series.Name, Variables: s.Series.Variables, first: s.Time})
	}
	to := &c.samples.Series[i]
	for range min(s.Break, int64(c.lags)) {
		to.add(s.Time, slices.Repeat([]float64{math.NaN()}, len(s.Y)))
	}
	if c.holds {
		to.add(s.Time, slices.Clone(s.Y))
	} else {
		to.rows++
	}
	to.last = s.Time
	if c.see != nil {
		c.see(i, s.Time, s.Y)
	}
	return nil
}

// add appends a row.
func (s *Series) add(time int64, row []float64) {
	s.Times, s.Rows = append(s.Times, time), append(s.Rows, row)
}

// Len returns the number of rows of all series.
func (s *Samples) Len() int {
	n := 0
	for i := range s.Series {
		n += s.Series[i].Len()
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

// longest returns the number of rows of the longest series.
func (s *Samples) longest() int {
	n := 0
	for i := range s.Series {
		n = max(n, s.Series[i].Len())
	}
	return n
}

// checkForecast returns an error unless a series has more than horizon rows.
func (s *Samples) checkForecast(horizon int) error {
	if n := s.longest(); n <= horizon {
		return fmt.Errorf("%s: no score: the file is too short for the horizon of %s, which needs a series of %s rows; the longest one has %s",
			s.Name, plural.Thousands(horizon), plural.Thousands(horizon+1), plural.Thousands(n))
	}
	return nil
}

// Shortest returns the number of rows of the shortest series.
func (s *Samples) Shortest() int {
	n := s.Len()
	for i := range s.Series {
		n = min(n, s.Series[i].Len())
	}
	return n
}
