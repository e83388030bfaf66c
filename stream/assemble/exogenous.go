package assemble

import (
	"cmp"
	"math"
	"slices"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/refuse"
)

// maxInputTimes is the largest number of times per series whose exogenous inputs are kept.
const maxInputTimes = 10_000

// exogenousInputs are the known exogenous inputs of one series, for the present and for later times.
type exogenousInputs struct {
	name    string
	at      []inputsAt // ascending
	changed bool       // changed since the last checkpoint
}

func (x *exogenousInputs) Changed() bool { return x.changed }

// inputsAt holds the exogenous inputs at one time; NaN = unknown.
type inputsAt struct {
	time   int64
	values []float64
}

// separate moves the exogenous inputs of r into the Assembler, and returns the rest of r. It returns nil if the
// rest has no value: r then only gives the inputs at its time, which may lie ahead.
func (a *Assembler) separate(r *stream.Record) (*stream.Record, *refuse.Error) {
	names := r.Names
	if names == nil {
		if len(a.numbered) < len(r.Values) {
			a.numbered = Numbered(len(r.Values))
		}
		names = a.numbered[:len(r.Values)]
	}
	p := &a.targets
	*p = stream.Record{Message: r.Message, Series: r.Series, Time: r.Time, Names: p.Names[:0], Values: p.Values[:0]}
	fillNaN(a.given)
	inputs, targets := false, false
	for j, name := range names {
		v := r.Values[j]
		k := slices.Index(a.c.Exogenous, name)
		if k < 0 {
			p.Names, p.Values = append(p.Names, name), append(p.Values, v)
			targets = targets || !math.IsNaN(v)
			continue
		}
		if math.Abs(v) > a.c.MaxAbs {
			return nil, refuse.New(refuse.NonFinite, "%s = %v, at most %v is allowed", name, v, a.c.MaxAbs)
		}
		a.given[k] = v
		inputs = inputs || !math.IsNaN(v)
	}
	if inputs {
		if refusal := a.keepInputs(r); refusal != nil {
			return nil, refusal
		}
	}
	if inputs && !targets || len(p.Names) == 0 && len(names) > 0 {
		return nil, nil
	}
	return p, nil
}

// keepInputs stores a.given, the inputs of r.
func (a *Assembler) keepInputs(r *stream.Record) *refuse.Error {
	x := a.exogenousOf[r.Series]
	if x == nil {
		if refusal := a.checkName(r, true); refusal != nil {
			return refusal
		}
		if len(a.exogenous) >= a.c.MaxSeries {
			return refuse.New(refuse.TooMany, "series %q would be one more than the %d allowed", r.Series, a.c.MaxSeries)
		}
		x = &exogenousInputs{name: r.Series}
		a.exogenous = append(a.exogenous, x)
		a.exogenousOf[r.Series] = x
	}
	x.changed = true
	i, found := x.find(r.Time)
	if !found {
		if len(x.at) >= maxInputTimes {
			return refuse.New(refuse.TooMany, "series %q has exogenous inputs for %d times, more are not kept", r.Series, maxInputTimes)
		}
		values := make([]float64, len(a.given))
		fillNaN(values)
		x.at = slices.Insert(x.at, i, inputsAt{r.Time, values})
	}
	for k, v := range a.given {
		if !math.IsNaN(v) {
			x.at[i].values[k] = v
		}
	}
	return nil
}

func (x *exogenousInputs) find(t int64) (int, bool) {
	return slices.BinarySearchFunc(x.at, t, func(m inputsAt, t int64) int { return cmp.Compare(m.time, t) })
}

// forget drops inputs before the newest inputs at or before t. Those take over the last known values.
func (x *exogenousInputs) forget(t int64) {
	i, found := x.find(t)
	if !found {
		i--
	}
	if i <= 0 {
		return
	}
	x.changed = true
	keep := &x.at[i]
	for back := i - 1; back >= 0; back-- {
		for k, v := range x.at[back].values {
			if math.IsNaN(keep.values[k]) {
				keep.values[k] = v
			}
		}
	}
	x.at = slices.Delete(x.at, 0, i)
}

// nearest returns the inputs within half a spacing of t, or nil.
func (x *exogenousInputs) nearest(t, spacing int64) *inputsAt {
	i, found := x.find(t)
	if found {
		return &x.at[i]
	}
	var best *inputsAt
	reach := spacing / 2
	if i < len(x.at) && x.at[i].time-t <= reach {
		best, reach = &x.at[i], x.at[i].time-t
	}
	if i > 0 && t-x.at[i-1].time <= reach {
		best = &x.at[i-1]
	}
	return best
}

// Inputs returns the number of inputs per time: exogenous inputs, then calendar inputs.
func (c *Config) Inputs() int { return len(c.Exogenous) + c.Calendar.Len() }

// InputsTo writes the inputs known at the time of s into u, (horizon+1) x Inputs, row-major. Row h has the inputs h
// samples after s; NaN = unknown. Row 0 replaces missing inputs by the last values before s. s must be the sample
// that was passed on last.
func (a *Assembler) InputsTo(u []float64, s *Sample, horizon int) {
	n := a.c.Inputs()
	fillNaN(u)
	x := s.exogenous
	if x != nil && len(x.at) > 0 && x.at[0].time <= s.Time {
		copy(u, x.at[0].values)
	}
	for h := range horizon + 1 {
		row, at := u[h*n:(h+1)*n], s.Spacing.After(s.Time, h)
		if h > 0 && (s.Spacing == 0 || at == math.MaxInt64) {
			break
		}
		if x != nil {
			if m := x.nearest(at, s.Spacing.Length()); m != nil && (h > 0 || m.time <= at) {
				for k, v := range m.values {
					if !math.IsNaN(v) {
						row[k] = v
					}
				}
			}
		}
		a.c.Calendar.To(row[len(a.c.Exogenous):], at)
	}
}

// exogenousState transfers the inputs of the i-th series.
func (a *Assembler) exogenousState(c *snapshot.Codec, i int) {
	if c.Decoding() && i == len(a.exogenous) {
		a.exogenous = append(a.exogenous, &exogenousInputs{})
	}
	if i >= len(a.exogenous) {
		c.Fail("exogenous inputs in a place behind the last")
		return
	}
	x := a.exogenous[i]
	c.String(&x.name, a.c.MaxName)
	times := len(x.at)
	c.Len(&times, maxInputTimes)
	if c.Decoding() {
		if other := a.exogenousOf[x.name]; other != nil && other != x {
			c.Fail("the exogenous inputs of series %q twice", x.name)
		}
		a.exogenousOf[x.name] = x
		x.at = make([]inputsAt, times)
	}
	for k := range x.at {
		m := &x.at[k]
		if c.Decoding() {
			m.values = make([]float64, len(a.c.Exogenous))
		}
		c.Int64(&m.time)
		c.Float64s(m.values)
		if c.Err() == nil && k > 0 && m.time <= x.at[k-1].time {
			c.Fail("exogenous inputs that do not ascend")
		}
	}
}
