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

// Config configures an Assembler.
type Config struct {
	// Variables are the names of the variables of every series, in order. From a record with names only these
	// values are used. A record without names gives its values in this order. Nil: the first record of a series
	// determines its variables.
	Variables []string

	// Exogenous are the names of variables that are inputs of the model and are not forecast. A record with only
	// such values is no sample: it gives the inputs at its time, which may lie ahead. Calendar are inputs computed
	// from the time.
	Exogenous []string
	Calendar  calendar.Calendar

	// Tags returns the tags of a series by its name, ascending by key, or nil. Tags must differ between series.
	// Nil: no series has tags.
	Tags func(series string) []stream.Tag

	// Interval is the spacing of the samples. 0: the spacing is estimated, and gaps are
	// not filled. See docs/design/0001-shape.md.
	Interval time.Duration

	// Months is the spacing in calendar months, such as 3 for quarters. It excludes Interval. With neither, the
	// Assembler recognises a spacing of months.
	Months int

	// Assembly joins records with parts of a sample. It needs an Interval. Nil: each record is a whole sample.
	Assembly *Assembly

	// MaxGap is the largest number of missing samples per gap that are filled in. After a longer gap the lags of
	// the model are dropped. MaxGap needs Interval or Months.
	MaxGap int

	// Rates are the names of counters: each value is replaced by its increase per second since the previous value.
	// The rate is missing at the first value and at a reset. Missing are numbers that stand for a missing value.
	Rates   []string
	Missing []float64

	// SchemaChangeAfter is the number of consecutive records with equal new variables after which a series starts
	// again with these variables. The earlier ones are refused with the reason Dimension. 0: never.
	SchemaChangeAfter int

	// MaxAhead is the largest lead of the time of a sample over the time of its message. It keeps one wrong clock
	// from making all later samples late. 0: no limit.
	MaxAhead time.Duration

	// MaxSeries, MaxDim and MaxName limit the number of series, of variables per series and of bytes per name.
	// MaxAbs limits the absolute value in a sample; a sample beyond is refused with the reason NonFinite. 0 means
	// the default.
	MaxSeries int     // 100,000
	MaxDim    int     // 1,024
	MaxName   int     // 256
	MaxAbs    float64 // 1e50: fourth powers stay finite in the models
}

// WithDefaults returns a deep copy of c with defaults instead of zeros. The error lists all invalid fields.
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

// Assembler makes samples from records. It refuses invalid records, puts parts of samples on the time grid, fills
// gaps and keeps exogenous inputs. It has no clock, no goroutine and no I/O: its samples are a function of its
// configuration and of the records. An Engine has an Assembler; code that needs samples without a model uses one
// directly.
type Assembler struct {
	c     Config
	fixed *variables // c.Variables, or nil

	// Afford refuses a series of dim variables if there is no memory for it. place is the place of the series that
	// it replaces, -1 for a new series. Nil: never refuses.
	Afford func(place, dim int) *refuse.Error

	series []*admitted // in order of appearance; loops use only this order
	byName map[string]*admitted
	newest *variables // see Assembler.variables

	grids  []*grid // in order of appearance
	gridOf map[string]*grid

	exogenous   []*exogenousInputs // in order of appearance
	exogenousOf map[string]*exogenousInputs

	// Scratch of one call of Add.
	sample     Sample
	y, missing []float64     // dim
	given      []float64     // exogenous inputs of a record
	targets    stream.Record // a record without its exogenous inputs
	cleaned    stream.Record // a record with NaN for the numbers in Config.Missing
	columns    []int
	numbered   []string
	row        stream.Record
	rowMessage stream.Message
	last       stream.Message // position of the last record for a grid
	rowValues  []float64
}

// New returns an Assembler without series. The error lists all invalid fields of c.
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

// NumSeries returns the number of series so far.
func (a *Assembler) NumSeries() int { return len(a.series) }

// SeriesAt returns the i-th series in order of appearance.
func (a *Assembler) SeriesAt(i int) *stream.Series { return a.series[i].info }

// newSeries returns the description of a series. Its tags are a function of its name, so no checkpoint contains
// them.
func (a *Assembler) newSeries(name string, variables []string) *stream.Series {
	s := &stream.Series{Name: name, Variables: variables}
	if a.c.Tags != nil {
		s.Tags = a.c.Tags(name)
	}
	return s
}

// Sample holds the values of all variables of a series at one time.
type Sample struct {
	Series *stream.Series // replaced when the variables of the series change
	Place  int            // index of the series, in order of appearance
	Row    int64          // number of samples of Series before this one, without missing ones
	Time   int64          // ns since 1970 UTC
	Y      []float64      // length dim; NaN = missing

	// Missing marks a sample that fills a gap: no record came for its time, and Y is NaN.
	Missing bool

	// Gap is the number of samples missing before this one. Break is the number of these that were not filled in.
	// With Break > 0 the previous sample is no neighbour in time.
	Gap, Break int64

	// Wrong is the time of the previous sample if that time was wrong: it lies after this one, and later records
	// disagree with it. Otherwise 0. With Wrong != 0 the previous sample is no neighbour in time.
	Wrong int64

	Spacing   Spacing          // time to the next sample; 0 = not known yet
	exogenous *exogenousInputs // inputs of the series, or nil
}

// Receiver receives the samples and refusals of an Assembler. Arguments are valid until the method returns.
type Receiver interface {
	Sample(s *Sample) error // an error ends Add; the Assembler must not be used afterwards
	Refuse(m *stream.Message, err *refuse.Error)
}

// Add adds r and passes the completed samples to receiver, in order. Without an Assembly, r is one sample, and the
// missing samples before it come first. A refused record changes no sample. A refused row of an Assembly is passed
// on as a message of its own.
func (a *Assembler) Add(receiver Receiver, r *stream.Record) error {
	if r.Names != nil && len(r.Names) != len(r.Values) {
		panic("stream: a record has not as many names as values")
	}
	r = a.withoutMissing(r)
	if len(a.c.Exogenous) > 0 {
		targets, refusal := a.separate(r)
		if r.Ahead {
			return nil // the record itself brings the refusal
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

// Close passes on the open rows of all series, in order: no value follows.
func (a *Assembler) Close(receiver Receiver) error {
	for _, g := range a.grids {
		for len(g.open) > 0 {
			g.changed = true
			if err := a.closeRow(receiver, g, &a.last); err != nil {
				return err
			}
		}
	}
	return nil
}

// withoutMissing returns r with NaN for the numbers in Config.Missing.
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

// addWhole passes on r as a whole sample, after the missing samples before it.
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

// fillGap passes on at most MaxGap missing samples of s before time t. gap is the number of missing samples, left
// the number of these that were not filled in. Without a fixed spacing, and before the first sample, gap is 0.
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
