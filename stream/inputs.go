package stream

import (
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/snapshot"
)

// maxAhead is the number of times of a series for which inputs are kept.
const maxAhead = 10_000

// drivers are the inputs of one series: what is known of them now and later.
type drivers struct {
	name    string
	at      []moment // ascending
	changed bool     // since the last checkpoint
}

func (d *drivers) hasChanged() bool { return d.changed }

// moment are the inputs at one time; NaN = not known.
type moment struct {
	time   int64
	values []float64
}

// separate takes the inputs out of r. What is left has the variables that are
// forecast; nil means that there are none, or none with a value: the record
// brought inputs alone, of its own time or of one to come.
func (e *Engine) separate(r *Record) (*Record, *DataError) {
	names := r.Names
	if names == nil {
		if len(e.numbered) < len(r.Values) {
			e.numbered = numbered(len(r.Values))
		}
		names = e.numbered[:len(r.Values)]
	}
	p := &e.plain
	*p = Record{Message: r.Message, Series: r.Series, Time: r.Time, Names: p.Names[:0], Values: p.Values[:0]}
	for k := range e.given {
		e.given[k] = math.NaN()
	}
	inputs, targets := false, false
	for j, name := range names {
		v := r.Values[j]
		k := slices.Index(e.c.Exogenous, name)
		if k < 0 {
			p.Names, p.Values = append(p.Names, name), append(p.Values, v)
			targets = targets || !math.IsNaN(v)
			continue
		}
		if math.Abs(v) > e.c.MaxAbs {
			return nil, refuse(NonFinite, "%s = %v, at most %v is allowed", name, v, e.c.MaxAbs)
		}
		e.given[k] = v
		inputs = inputs || !math.IsNaN(v)
	}
	if inputs {
		if refusal := e.keepInputs(r); refusal != nil {
			return nil, refusal
		}
	}
	if inputs && !targets || len(p.Names) == 0 && len(names) > 0 {
		return nil, nil
	}
	return p, nil
}

// keepInputs remembers e.given.
func (e *Engine) keepInputs(r *Record) *DataError {
	d := e.driving[r.Series]
	if d == nil {
		if refusal := e.checkName(r, true); refusal != nil {
			return refusal
		}
		if len(e.drivers) >= e.c.MaxSeries {
			return refuse(TooMany, "series %q would be one more than the %d allowed", r.Series, e.c.MaxSeries)
		}
		d = &drivers{name: r.Series}
		e.drivers = append(e.drivers, d)
		e.driving[r.Series] = d
	}
	d.changed = true
	i, found := d.find(r.Time)
	if !found {
		if len(d.at) >= maxAhead {
			return refuse(TooMany, "series %q has inputs of %d times, more are not kept", r.Series, maxAhead)
		}
		values := make([]float64, len(e.given))
		for k := range values {
			values[k] = math.NaN()
		}
		d.at = slices.Insert(d.at, i, moment{r.Time, values})
	}
	for k, v := range e.given {
		if !math.IsNaN(v) {
			d.at[i].values[k] = v
		}
	}
	return nil
}

func (d *drivers) find(t int64) (int, bool) {
	return slices.BinarySearchFunc(d.at, t, func(m moment, t int64) int {
		switch {
		case m.time < t:
			return -1
		case m.time > t:
			return 1
		}
		return 0
	})
}

// forget drops what is older than the newest moment that is not after t, and
// leaves the last known values there.
func (d *drivers) forget(t int64) {
	i, found := d.find(t)
	if !found {
		i--
	}
	if i <= 0 {
		return
	}
	d.changed = true
	keep := &d.at[i]
	for back := i - 1; back >= 0; back-- {
		for k, v := range d.at[back].values {
			if math.IsNaN(keep.values[k]) {
				keep.values[k] = v
			}
		}
	}
	d.at = slices.Delete(d.at, 0, i)
}

// nearest returns the moment within half a step of t, or nil.
func (d *drivers) nearest(t, step int64) *moment {
	i, found := d.find(t)
	if found {
		return &d.at[i]
	}
	var best *moment
	reach := step / 2
	if i < len(d.at) && d.at[i].time-t <= reach {
		best, reach = &d.at[i], d.at[i].time-t
	}
	if i > 0 && t-d.at[i-1].time <= reach {
		best = &d.at[i-1]
	}
	return best
}

// drive tells the model of s what is known of the inputs at its next sample, at
// time t, and after it, and returns that; nil when there are no inputs.
func (e *Engine) drive(dst *Batch, s *series, t int64) []float64 {
	n := len(e.c.Exogenous) + e.c.Calendar.Len()
	if n == 0 {
		return nil
	}
	if len(e.inputs) == 0 {
		e.inputs = make([]float64, (e.c.Horizon+1)*n)
	}
	for i := range e.inputs {
		e.inputs[i] = math.NaN()
	}
	step, d := e.step(s), e.driving[s.info.Name]
	if d != nil {
		d.forget(t)
		if len(d.at) > 0 && d.at[0].time <= t {
			copy(e.inputs, d.at[0].values)
		}
	}
	for h := range e.c.Horizon + 1 {
		row, at := e.inputs[h*n:(h+1)*n], step.after(t, h)
		if h > 0 && (step == 0 || at == math.MaxInt64) {
			break
		}
		if d != nil {
			if m := d.nearest(at, step.length()); m != nil && (h > 0 || m.time <= at) {
				for k, v := range m.values {
					if !math.IsNaN(v) {
						row[k] = v
					}
				}
			}
		}
		e.c.Calendar.To(row[len(e.c.Exogenous):], at)
	}
	if taker, ok := eval.As[eval.InputTaker](s.model); ok {
		taker.SetInputs(e.inputs)
	}
	return dst.vector(e.inputs)
}

// driversState transfers the inputs of the i-th series.
func (e *Engine) driversState(c *snapshot.Codec, i int) {
	if c.Decoding() && i == len(e.drivers) {
		e.drivers = append(e.drivers, &drivers{})
	}
	if i >= len(e.drivers) {
		c.Fail("inputs in a place behind the last")
		return
	}
	d := e.drivers[i]
	c.String(&d.name, e.c.MaxName)
	times := len(d.at)
	c.Len(&times, maxAhead)
	if c.Decoding() {
		if other := e.driving[d.name]; other != nil && other != d {
			c.Fail("the inputs of series %q twice", d.name)
		}
		e.driving[d.name] = d
		d.at = make([]moment, times)
	}
	for k := range d.at {
		m := &d.at[k]
		if c.Decoding() {
			m.values = make([]float64, len(e.c.Exogenous))
		}
		c.Int64(&m.time)
		c.Float64s(m.values)
		if c.Err() == nil && k > 0 && m.time <= d.at[k-1].time {
			c.Fail("inputs that do not ascend")
		}
	}
}
