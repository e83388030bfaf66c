package stream

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// admit decides whether r may be learnt from. If so it returns its series, new
// or old, and leaves the sample in e.y; otherwise it says why not.
func (e *Engine) admit(dst *Batch, r *Record) (*series, *DataError, error) {
	s := e.byName[r.Series]
	if refusal := e.checkName(r, s == nil); refusal != nil {
		return nil, refusal, nil
	}
	if refusal := e.checkTime(r, s); refusal != nil {
		return nil, refusal, nil
	}
	if s == nil {
		return e.admitFirst(dst, r)
	}
	s.changed = true // nothing else leads to a series
	e.shape(len(s.vars.names))
	if !s.vars.selectTo(e.y, r, e.fixed != nil) {
		return e.admitOther(dst, s, r)
	}
	s.agreed = 0
	return s, e.checkValues(s.vars.names), nil
}

// admitFirst admits the first record of a series.
func (e *Engine) admitFirst(dst *Batch, r *Record) (*series, *DataError, error) {
	if len(e.series) >= e.c.MaxSeries {
		return nil, refuse(TooMany, "series %q would be one more than the %d allowed", r.Series, e.c.MaxSeries), nil
	}
	vars, refusal := e.variablesOf(r)
	if refusal != nil {
		return nil, refusal, nil
	}
	e.shape(len(vars.names))
	if !vars.selectTo(e.y, r, e.fixed != nil) {
		return nil, e.otherVariables(vars, r), nil
	}
	if refusal := e.checkValues(vars.names); refusal != nil {
		return nil, refusal, nil
	}
	s, err := e.addSeries(r.Series, vars)
	if err != nil {
		return nil, nil, err
	}
	dst.take(turn{kind: turnBegin, of: s.judged}, 0)
	s.event(dst, r.Time, EventSeries, "new series of %d variables", len(vars.names))
	return s, nil, nil
}

// admitOther refuses a record with other variables than s has, unless it is the
// last of so many alike that they must be meant.
func (e *Engine) admitOther(dst *Batch, s *series, r *Record) (*series, *DataError, error) {
	refusal := e.otherVariables(s.vars, r)
	if e.c.Lineage == 0 || e.fixed != nil {
		return nil, refusal, nil
	}
	vars, bad := e.variablesOf(r)
	if bad != nil {
		return nil, bad, nil
	}
	e.shape(len(vars.names))
	vars.selectTo(e.y, r, false)
	if bad := e.checkValues(vars.names); bad != nil {
		return nil, bad, nil
	}
	if s.agreed == 0 || !slices.Equal(s.candidate, vars.names) {
		s.candidate, s.agreed = vars.names, 0
	}
	if s.agreed++; s.agreed < e.c.Lineage {
		return nil, refusal, nil
	}
	if err := e.setVariables(s, s.judged.place, vars); err != nil {
		return nil, nil, err
	}
	dst.take(turn{kind: turnBegin, of: s.judged}, 0)
	s.event(dst, r.Time, EventLineage, "a new model of %d variables after %d records of them", len(vars.names), s.agreed)
	s.candidate, s.agreed = nil, 0
	return s, nil, nil
}

// variablesOf returns the variables that a series beginning with r would have.
func (e *Engine) variablesOf(r *Record) (*variables, *DataError) {
	if e.fixed != nil {
		return e.fixed, nil
	}
	if len(r.Values) == 0 {
		return nil, refuse(Dimension, "no values")
	}
	if len(r.Values) > e.c.MaxDim {
		return nil, refuse(TooLarge, "%d values, at most %d are allowed", len(r.Values), e.c.MaxDim)
	}
	if r.Names == nil {
		return newVariables(numbered(len(r.Values))), nil
	}
	for _, name := range r.Names {
		if refusal := e.checkVariable(name); refusal != nil {
			return nil, refusal
		}
	}
	vars := newVariables(slices.Clone(r.Names))
	if len(vars.index) < len(vars.names) {
		return nil, refuse(Malformed, "two variables of one name")
	}
	return vars, nil
}

func (e *Engine) checkVariable(name string) *DataError {
	switch {
	case name == "":
		return refuse(Malformed, "a variable without a name")
	case name == AllTargets:
		return refuse(Malformed, "no variable can have the name %s", AllTargets)
	case len(name) > e.c.MaxName:
		return refuse(TooLarge, "the name of a variable has %d bytes, at most %d are allowed", len(name), e.c.MaxName)
	}
	return nil
}

func (e *Engine) checkName(r *Record, isNew bool) *DataError {
	switch {
	case !isNew:
		return nil
	case r.Series == "":
		return refuse(Malformed, "no name of the series")
	case isPool(r.Series):
		return refuse(Malformed, "no series can have the name %q", r.Series)
	case len(r.Series) > e.c.MaxName:
		return refuse(TooLarge, "the name of the series has %d bytes, at most %d are allowed", len(r.Series), e.c.MaxName)
	}
	return nil
}

func (e *Engine) checkAhead(r *Record) *DataError {
	if ahead := int64(e.c.MaxAhead); ahead > 0 && r.Message.Time != 0 && r.Time > r.Message.Time && uint64(r.Time-r.Message.Time) > uint64(ahead) {
		return refuse(Future, "the sample is %v ahead of its message, at most %v are allowed", duration(r.Message.Time, r.Time), e.c.MaxAhead)
	}
	return nil
}

func (e *Engine) checkTime(r *Record, s *series) *DataError {
	if refusal := e.checkAhead(r); refusal != nil {
		return refusal
	}
	switch {
	case s == nil:
		return nil
	case r.Time > s.time:
		if r.Time-s.time < 0 {
			return refuse(Future, "the sample is centuries after the last of series %q", r.Series)
		}
		return nil
	case r.Time == s.time:
		return refuse(Duplicate, "the last sample of series %q has the same time", r.Series)
	}
	return refuse(Late, "the sample is %v older than the last of series %q", duration(r.Time, s.time), r.Series)
}

// checkValues checks the sample in e.y.
func (e *Engine) checkValues(names []string) *DataError {
	for j, v := range e.y {
		if math.Abs(v) > e.c.MaxAbs {
			return refuse(NonFinite, "%s = %v, at most %v is allowed", names[j], v, e.c.MaxAbs)
		}
	}
	return nil
}

func (e *Engine) otherVariables(want *variables, r *Record) *DataError {
	if r.Names == nil || len(r.Values) == 0 {
		return refuse(Dimension, "%d values where %d were expected", len(r.Values), len(want.names))
	}
	for _, name := range r.Names {
		if _, ok := want.index[name]; !ok && e.fixed == nil {
			return refuse(Dimension, "the variable %q is not one of the %d expected", name, len(want.names))
		}
	}
	return refuse(Dimension, "none of the %d variables expected", len(want.names))
}

func refuse(reason Reason, format string, args ...any) *DataError {
	return &DataError{Reason: reason, Detail: fmt.Sprintf(format, args...)}
}

// duration returns the time from one time to a later one.
func duration(from, to int64) time.Duration {
	if d := to - from; d >= 0 {
		return time.Duration(d)
	}
	return math.MaxInt64
}
