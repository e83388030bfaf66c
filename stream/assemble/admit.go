package assemble

import (
	"math"
	"slices"
	"time"

	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/refuse"
)

// admitted holds the state of one series that admission needs.
type admitted struct {
	info     *stream.Series
	place    int // in order of appearance
	vars     *variables
	samples  int64 // number of samples since the last change of variables, without missing ones
	started  bool  // time is valid
	time     int64 // time of the last sample
	estimate spacingEstimate
	line     timeline
	counts   []counter // counters of Config.Rates; unused with an Assembly

	candidate []string // new variables of the last records
	agreed    int      // number of consecutive records with candidate

	changed bool // changed since Engine.Saved
}

func (s *admitted) Changed() bool { return s.changed }

// admit decides whether the models may learn from r. It returns the series of r, new or existing, and leaves the
// sample in a.y; otherwise it returns the reason for the refusal.
func (a *Assembler) admit(r *stream.Record) (*admitted, *refuse.Error) {
	s := a.byName[r.Series]
	if refusal := a.checkName(r, s == nil); refusal != nil {
		return nil, refusal
	}
	if refusal := a.checkTime(r, s); refusal != nil {
		return nil, refusal
	}
	if s == nil {
		return a.admitFirst(r)
	}
	s.changed = true
	found, refusal := a.admitNext(s, r)
	if refusal != nil && r.Time < s.time {
		s.line.allow() // the clock was wrong, whether or not r has another fault
	}
	return found, refusal
}

// admitNext admits a further record of s, whose time is possible.
func (a *Assembler) admitNext(s *admitted, r *stream.Record) (*admitted, *refuse.Error) {
	a.shape(len(s.vars.names))
	if !s.vars.selectTo(a.y, r, a.fixed != nil) {
		return a.admitOther(s, r)
	}
	s.agreed = 0
	return s, a.checkValues(s.vars.names)
}

// admitFirst admits the first record of a series.
func (a *Assembler) admitFirst(r *stream.Record) (*admitted, *refuse.Error) {
	if len(a.series) >= a.c.MaxSeries {
		return nil, refuse.New(refuse.TooMany, "series %q would be one more than the %d allowed", r.Series, a.c.MaxSeries)
	}
	vars, refusal := a.variablesOf(r)
	if refusal != nil {
		return nil, refusal
	}
	a.shape(len(vars.names))
	if !vars.selectTo(a.y, r, a.fixed != nil) {
		return nil, a.otherVariables(vars, r)
	}
	if refusal := a.checkValues(vars.names); refusal != nil {
		return nil, refusal
	}
	if a.Afford != nil {
		if refusal := a.Afford(-1, len(vars.names)); refusal != nil {
			return nil, refusal
		}
	}
	s := &admitted{info: a.newSeries(r.Series, vars.names), place: len(a.series), vars: vars, counts: a.newCounts(), changed: true}
	a.series = append(a.series, s)
	a.byName[r.Series] = s
	return s, nil
}

// admitOther handles a record whose variables are not those of s. It refuses the record until SchemaChangeAfter
// consecutive records agree on the new variables; then s gets these.
func (a *Assembler) admitOther(s *admitted, r *stream.Record) (*admitted, *refuse.Error) {
	refusal := a.otherVariables(s.vars, r)
	if a.c.SchemaChangeAfter == 0 || a.fixed != nil {
		return nil, refusal
	}
	vars, bad := a.variablesOf(r)
	if bad != nil {
		return nil, bad
	}
	a.shape(len(vars.names))
	vars.selectTo(a.y, r, false)
	if bad := a.checkValues(vars.names); bad != nil {
		return nil, bad
	}
	if s.agreed == 0 || !slices.Equal(s.candidate, vars.names) {
		s.candidate, s.agreed = vars.names, 0
	}
	if s.agreed++; s.agreed < a.c.SchemaChangeAfter {
		return nil, refusal
	}
	if a.Afford != nil {
		if refusal := a.Afford(s.place, len(vars.names)); refusal != nil {
			return nil, refusal
		}
	}
	s.info, s.vars, s.samples = a.newSeries(s.info.Name, vars.names), vars, 0
	s.candidate, s.agreed = nil, 0
	return s, nil
}

// variablesOf returns the variables of a new series whose first record is r.
func (a *Assembler) variablesOf(r *stream.Record) (*variables, *refuse.Error) {
	if a.fixed != nil {
		return a.fixed, nil
	}
	if len(r.Values) == 0 {
		return nil, refuse.New(refuse.Dimension, "no values")
	}
	if len(r.Values) > a.c.MaxDim {
		return nil, refuse.New(refuse.TooLarge, "%d values, at most %d are allowed", len(r.Values), a.c.MaxDim)
	}
	if r.Names == nil {
		return a.variables(Numbered(len(r.Values))), nil
	}
	for _, name := range r.Names {
		if refusal := a.checkVariable(name); refusal != nil {
			return nil, refusal
		}
	}
	vars := a.variables(r.Names)
	if len(vars.index) < len(vars.names) {
		return nil, refuse.New(refuse.Malformed, "two variables of one name")
	}
	return vars, nil
}

// variables returns the variables with these names. Consecutive series with equal names share one value, which
// saves memory in a fleet of thousands.
func (a *Assembler) variables(names []string) *variables {
	if a.newest == nil || !slices.Equal(a.newest.names, names) {
		a.newest = newVariables(slices.Clone(names))
	}
	return a.newest
}

func (a *Assembler) checkVariable(name string) *refuse.Error {
	switch {
	case name == "":
		return refuse.New(refuse.Malformed, "a variable without a name")
	case name == stream.AllTargets:
		return refuse.New(refuse.Malformed, "no variable can have the name %s", stream.AllTargets)
	case len(name) > a.c.MaxName:
		return a.tooLong("a variable", name)
	}
	return nil
}

// tooLong refuses a name. The detail has the remedy, because the limits of other things share the reason.
func (a *Assembler) tooLong(what, name string) *refuse.Error {
	const remedy = "; shorten it"
	e := refuse.New(refuse.TooLarge, "the name of %s has %d bytes, at most %d are allowed"+remedy, what, len(name), a.c.MaxName)
	e.Remedy = remedy
	return e
}

func (a *Assembler) checkName(r *stream.Record, isNew bool) *refuse.Error {
	switch {
	case !isNew:
		return nil
	case r.Series == "":
		return refuse.New(refuse.Malformed, "no name of the series")
	case stream.IsPool(r.Series):
		return refuse.New(refuse.Malformed, "no series can have the name %q", r.Series)
	case len(r.Series) > a.c.MaxName:
		return a.tooLong("the series", r.Series)
	}
	return nil
}

func (a *Assembler) checkAhead(r *stream.Record) *refuse.Error {
	if ahead := int64(a.c.MaxAhead); ahead > 0 && r.Message.Time != 0 && r.Time > r.Message.Time && uint64(r.Time-r.Message.Time) > uint64(ahead) {
		return refuse.New(refuse.Future, "the sample is %v ahead of its message, at most %v are allowed", duration(r.Message.Time, r.Time), a.c.MaxAhead)
	}
	return nil
}

func (a *Assembler) checkTime(r *stream.Record, s *admitted) *refuse.Error {
	if refusal := a.checkAhead(r); refusal != nil {
		return refusal
	}
	switch {
	case s == nil:
		return nil
	case r.Time > s.time:
		if r.Time-s.time < 0 {
			return refuse.New(refuse.Future, "the sample is centuries after the last of series %q", r.Series)
		}
		return nil
	case r.Time == s.time:
		refusal := refuse.New(refuse.Duplicate, "the last sample of series %q has the same time", r.Series)
		if refusal.Spacing = int64(a.spacingOf(s)); Spacing(refusal.Spacing).isWorkdays() {
			refusal.Spacing = day
		}
		return refusal
	}
	s.changed = true // s.line counts late records
	if s.line.returns(r.Time, a.spacingOf(s)) {
		return nil
	}
	return refuse.New(refuse.Late, "the sample is %v older than the last of series %q", duration(r.Time, s.time), r.Series)
}

// checkValues checks the sample in a.y.
func (a *Assembler) checkValues(names []string) *refuse.Error {
	for j, v := range a.y {
		if math.Abs(v) > a.c.MaxAbs {
			return refuse.New(refuse.NonFinite, "%s = %v, at most %v is allowed", names[j], v, a.c.MaxAbs)
		}
	}
	return nil
}

func (a *Assembler) otherVariables(want *variables, r *stream.Record) *refuse.Error {
	if r.Names == nil || len(r.Values) == 0 {
		return refuse.New(refuse.Dimension, "%s where %d were expected", plural.Count(len(r.Values), "value"), len(want.names))
	}
	for _, name := range r.Names {
		if _, ok := want.index[name]; !ok && a.fixed == nil {
			return refuse.New(refuse.Dimension, "the variable %q is not one of the %d expected", name, len(want.names))
		}
	}
	return refuse.New(refuse.Dimension, "the record has %q and none of the %s expected, such as %q", r.Names[0], plural.Count(len(want.names), "variable"), want.names[0])
}

// shape resizes the scratch memory for dim variables.
func (a *Assembler) shape(dim int) {
	if len(a.y) == dim {
		return
	}
	a.y = slices.Grow(a.y[:0], dim)[:dim]
	a.missing = slices.Grow(a.missing[:0], dim)[:dim]
	fillNaN(a.missing)
}

func fillNaN(v []float64) {
	for i := range v {
		v[i] = math.NaN()
	}
}

// duration returns to - from, for from <= to.
func duration(from, to int64) time.Duration {
	if d := to - from; d >= 0 {
		return time.Duration(d)
	}
	return math.MaxInt64
}
