package assemble

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/orffvar/forecaster/eval/calendar"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/refuse"
)

// Config says which samples there are.
type Config struct {
	// Variables are the names of the variables of every series, in order. A record with
	// names gives the values of those listed, and its other values are ignored. A record
	// without names gives its values in this order. Nil: the first record of a series
	// says which variables the series has.
	Variables []string

	// Exogenous are the names of variables that are inputs of a model and not forecast.
	// A record with values of these alone is no sample: it says what the inputs are at
	// its time, which may lie ahead. Calendar are inputs made of the time.
	Exogenous []string
	Calendar  calendar.Calendar

	// Tags returns the tags of the series with a name, ascending by key, or nil. No two
	// series may have the same tags. Nil: no series has tags.
	Tags func(series string) []stream.Tag

	// Interval is the spacing of the samples. 0: the spacing is estimated, and gaps are
	// not filled. See docs/design/0001-shape.md.
	Interval time.Duration

	// Months is the spacing in months of the calendar, instead of Interval: 3 for
	// quarters. Without either, times that lie months apart are recognised.
	Months int

	// Assembly makes samples of records that have a part of one each. It needs an
	// Interval. Nil: each record is a sample.
	Assembly *Assembly

	// MaxGap is the largest number of missing samples of a gap that are filled in. After
	// a longer gap the lags of the model are dropped. It needs Interval or Months.
	MaxGap int

	// Rates are the names of variables that count something: their values become what they have
	// risen by per second. At the first value, and at a smaller one, nobody knows: it is missing.
	// Missing are numbers that stand for a missing value.
	Rates   []string
	Missing []float64

	// SchemaChangeAfter is the number of consecutive records with equal, new variables
	// after which a series starts again with these. Records before are refused with
	// Dimension. 0: never.
	SchemaChangeAfter int

	// MaxAhead bounds how far the time of a sample may lie after the time of its
	// message. Without it, one wrong clock makes all that follows late. 0: no bound.
	MaxAhead time.Duration

	// MaxSeries, MaxDim and MaxName limit the number of series, of variables per series
	// and of bytes per name. MaxAbs limits the absolute value in a sample; a larger one
	// is refused with NonFinite. 0 means the default.
	MaxSeries int     // 100,000
	MaxDim    int     // 1,024
	MaxName   int     // 256
	MaxAbs    float64 // 1e50: squares of squares stay finite in the models
}

// WithDefaults returns a copy of c with defaults instead of zeros, which shares no
// memory with c, and the violated relations.
func (c Config) WithDefaults() (Config, error) {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("stream: "+format, args...))
		}
	}
	for _, f := range []struct {
		name  string
		value int
	}{
		{"MaxGap", c.MaxGap}, {"SchemaChangeAfter", c.SchemaChangeAfter}, {"MaxSeries", c.MaxSeries}, {"MaxDim", c.MaxDim}, {"MaxName", c.MaxName},
	} {
		check(f.value >= 0, "%s must be >= 0, got %d", f.name, f.value)
	}
	check(c.Months >= 0 && c.Months <= longestMonths && (c.Months == 0 || c.Interval == 0),
		"Months must lie in [0, %d], without an Interval, got %d", longestMonths, c.Months)
	check(c.Interval >= 0, "Interval must be >= 0, got %v", c.Interval)
	check(c.MaxAhead >= 0, "MaxAhead must be >= 0, got %v", c.MaxAhead)
	check(c.MaxAbs >= 0, "MaxAbs must be >= 0, got %v", c.MaxAbs)
	if c.Assembly != nil {
		a := *c.Assembly
		a.Fill = cmp.Or(a.Fill, FillNone)
		a.Aggregate = cmp.Or(a.Aggregate, AggregateLatest)
		check(a.Aggregate == AggregateLatest || a.Aggregate == AggregateMean && a.WaitForLate,
			"Assembly.Aggregate must be %q, or %q with WaitForLate, got %q", AggregateLatest, AggregateMean, a.Aggregate)
		check(len(c.Rates) == 0 || a.Aggregate == AggregateLatest, "Rates excludes %q", AggregateMean)
		check(!a.Rates || a.Aggregate == AggregateLatest && len(c.Exogenous) == 0, "Assembly.Rates excludes %q and Exogenous", AggregateMean)
		check(c.Interval > 0 && c.Interval <= longestRow, "an Assembly needs an Interval of at most ten years, got %v", c.Interval)
		check(a.Wait >= 0 && a.Wait <= longestRow && (c.Interval <= 0 || a.Wait/c.Interval <= maxOpenRows),
			"Assembly.Wait must be >= 0 and at most %d times Interval, got %v and %v", maxOpenRows, a.Wait, c.Interval)
		check(a.Fill == FillNone || a.Fill == FillLast, "Assembly.Fill must be %q or %q, got %q", FillNone, FillLast, a.Fill)
		c.Assembly = &a
	}
	c.MaxSeries = cmp.Or(c.MaxSeries, 100_000)
	c.MaxDim = cmp.Or(c.MaxDim, 1024)
	c.MaxName = cmp.Or(c.MaxName, 256)
	c.MaxAbs = cmp.Or(c.MaxAbs, 1e50)
	check(len(c.Variables) <= c.MaxDim, "at most %d Variables are allowed, got %d", c.MaxDim, len(c.Variables))
	for i, v := range c.Variables {
		check(v != "" && v != stream.AllTargets && len(v) <= c.MaxName,
			"each of Variables must have a name of at most %d bytes that is not %s, got %q", c.MaxName, stream.AllTargets, v)
		check(!slices.Contains(c.Variables[:i], v), "Variables has %q twice", v)
	}
	check(len(c.Exogenous) <= c.MaxDim, "at most %d Exogenous are allowed, got %d", c.MaxDim, len(c.Exogenous))
	for i, v := range c.Exogenous {
		check(v != "" && !slices.Contains(c.Exogenous[:i], v) && !slices.Contains(c.Variables, v),
			"Exogenous must have different names that no variable has, got %q", v)
		check(!slices.Contains(c.Rates, v), "Rates has %q, which is one of Exogenous", v)
	}
	c.Variables = slices.Clone(c.Variables)
	c.Exogenous = slices.Clone(c.Exogenous)
	return c, errors.Join(errs...)
}

// Assembler makes whole samples of records: it decides which records may be learnt
// from, puts their parts on the time grid, fills gaps and keeps the
// exogenous inputs. It has no clock, no goroutine and does no I/O: the samples are a
// function of its configuration and of the records. An Engine has one; what needs the
// samples of a file and no model uses it alone.
type Assembler struct {
	c     Config
	fixed *variables // c.Variables, or nil

	// Afford decides whether there is memory for a series of dim variables, in the place of
	// one or, if that is -1, a new one; nil = always.
	Afford func(place, dim int) *refuse.Error

	series []*admitted // in order of appearance: the only order in use
	byName map[string]*admitted
	newest *variables // see Assembler.variables

	grids  []*grid // in order of appearance
	gridOf map[string]*grid

	exogenous   []*exogenousInputs // in order of appearance
	exogenousOf map[string]*exogenousInputs

	// Scratch: it holds nothing between two calls of Add.
	sample     Sample
	y, missing []float64     // dim
	given      []float64     // exogenous inputs of a record
	targets    stream.Record // a record without them
	cleaned    stream.Record // a record without Missing
	columns    []int
	numbered   []string
	row        stream.Record
	rowMessage stream.Message
	rowValues  []float64
}

// New returns an Assembler that has seen nothing. The error reports every
// violated relation of c at once.
func New(c Config) (*Assembler, error) {
	c, err := c.WithDefaults()
	if err != nil {
		return nil, err
	}
	a := &Assembler{
		c: c, byName: make(map[string]*admitted), gridOf: make(map[string]*grid),
		exogenousOf: make(map[string]*exogenousInputs), given: make([]float64, len(c.Exogenous)),
	}
	if c.Variables != nil {
		a.fixed = newVariables(c.Variables)
	}
	return a, nil
}

// NumSeries returns the number of series seen.
func (a *Assembler) NumSeries() int { return len(a.series) }

// SeriesAt returns the i-th series in order of appearance.
func (a *Assembler) SeriesAt(i int) *stream.Series { return a.series[i].info }

// newSeries describes a series. Its tags are a function of its name, so that no
// checkpoint needs them.
func (a *Assembler) newSeries(name string, variables []string) *stream.Series {
	s := &stream.Series{Name: name, Variables: variables}
	if a.c.Tags != nil {
		s.Tags = a.c.Tags(name)
	}
	return s
}

// Sample is the values of all variables of a series at one time.
type Sample struct {
	Series *stream.Series // another one after a change of its variables
	Place  int            // of the series, in order of appearance
	Row    int64          // number of samples of Series before this one, without missing ones
	Time   int64          // ns since 1970 UTC
	Y      []float64      // length dim; NaN = missing

	// Missing: nothing has arrived for this time. The sample fills a gap, and Y is NaN.
	Missing bool

	// Gap is the number of samples missing before this sample; Break of them were not
	// filled in. After a Break, the earlier samples are no neighbours in time of this
	// sample.
	Gap, Break int64

	// Wrong is the time of the previous sample if it lies after this one and the records
	// since have shown that it was wrong; else 0. The earlier samples are then no
	// neighbours in time of this sample.
	Wrong int64

	Spacing   Spacing          // to the next sample; 0 = not known yet
	exogenous *exogenousInputs // of the series, or nil
}

// Receiver gets the samples and refusals of an Assembler. The arguments are valid until the
// method returns.
type Receiver interface {
	Sample(s *Sample) error // an error ends Add, and the Assembler is not to be used again
	Refuse(m *stream.Message, err *refuse.Error)
}

// Add gives r to the Assembler, and the completed samples to receiver, in order. Without an
// Assembly r is a sample, and the samples missing before it come first. A refused record
// changes no sample. A refused row of an Assembly comes as a message of its own.
func (a *Assembler) Add(receiver Receiver, r *stream.Record) error {
	if r.Names != nil && len(r.Names) != len(r.Values) {
		panic("stream: a record has not as many names as values")
	}
	r = a.withoutMissing(r)
	if len(a.c.Exogenous) > 0 {
		targets, refusal := a.separate(r)
		if r.Ahead {
			return nil // a refusal comes with the record itself
		}
		if refusal != nil {
			receiver.Refuse(r.Message, refusal)
		}
		if targets == nil {
			return nil
		}
		r = targets
	}
	if r.Ahead {
		return nil
	}
	if a.c.Assembly != nil {
		return a.addToGrid(receiver, r)
	}
	return a.addWhole(receiver, r)
}

// withoutMissing returns r with missing values for the numbers that stand for one.
func (a *Assembler) withoutMissing(r *stream.Record) *stream.Record {
	stands := func(v float64) bool { return slices.Contains(a.c.Missing, v) }
	if !slices.ContainsFunc(r.Values, stands) {
		return r
	}
	values := append(a.cleaned.Values[:0], r.Values...)
	for j, v := range values {
		if stands(v) {
			values[j] = math.NaN()
		}
	}
	a.cleaned = *r
	a.cleaned.Values = values
	return &a.cleaned
}

// addWhole passes a whole sample on, after the missing ones before it.
func (a *Assembler) addWhole(receiver Receiver, r *stream.Record) error {
	s, refusal := a.admit(r)
	if refusal != nil {
		if a.c.Assembly != nil {
			rowLetter(r)
		}
		receiver.Refuse(r.Message, refusal)
		return nil
	}
	if a.c.Assembly == nil {
		a.toRates(s, r.Time)
	}
	sample := Sample{Row: s.samples, Time: r.Time, Y: a.y}
	switch {
	case !s.started:
		s.line.begin(r.Time)
	case r.Time < s.time:
		sample.Wrong = s.time
	default:
		var err error
		if sample.Gap, sample.Break, err = a.fillGap(receiver, s, r.Time); err != nil {
			return err
		}
		s.line.advance(s.time, r.Time, a.spacingOf(s))
		s.estimate.add(s.time, r.Time)
	}
	s.started, s.time = true, r.Time
	s.samples++
	return a.deliver(receiver, s, sample)
}

// fillGap passes on the samples that are missing between the last one of s and one at
// time t: at most MaxGap. It returns how many are missing, and how many of them were
// left out. Without a fixed spacing, and before the first sample, nothing is missing.
func (a *Assembler) fillGap(receiver Receiver, s *admitted, t int64) (gap, left int64, err error) {
	every := a.c.fixedSpacing()
	if every == 0 || s.samples == 0 {
		return 0, 0, nil
	}
	gap = max(every.between(s.time, t)-1, 0)
	filled := min(gap, int64(a.c.MaxGap))
	for i := range filled {
		fill := Sample{Row: s.samples, Time: every.After(s.time, int(i)+1), Y: a.missing, Missing: true}
		if err := a.deliver(receiver, s, fill); err != nil {
			return 0, 0, err
		}
	}
	return gap, gap - filled, nil
}

// deliver completes a sample of s and passes it on.
func (a *Assembler) deliver(receiver Receiver, s *admitted, sample Sample) error {
	a.sample = sample
	a.sample.Series, a.sample.Place, a.sample.Spacing = s.info, s.place, a.spacingOf(s)
	if x := a.exogenousOf[s.info.Name]; x != nil {
		x.forget(sample.Time)
		a.sample.exogenous = x
	}
	return receiver.Sample(&a.sample)
}

// fixedSpacing returns the configured spacing, 0 without one.
func (c *Config) fixedSpacing() Spacing {
	if c.Months > 0 {
		return months(c.Months)
	}
	return Spacing(c.Interval)
}

// spacingOf returns the time from one sample of s to the next, 0 if it is not known yet.
func (a *Assembler) spacingOf(s *admitted) Spacing {
	if fixed := a.c.fixedSpacing(); fixed != 0 {
		return fixed
	}
	return s.estimate.median(s.time)
}
