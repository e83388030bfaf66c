package eval

import (
	"math"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// All, in the place of a variable, asks for the score over all variables.
const All = -1

// paneCount is the number of parts that a window is made of.
const paneCount = 8

// ScorerConfig says what a Scorer scores.
type ScorerConfig struct {
	// Dim is the number of variables.
	Dim int

	// Horizons are the scored horizons in steps, each at least 1, ascending.
	Horizons []int

	// Window is the number of samples that Windowed looks back at, rounded up
	// to a multiple of 8: the window moves in eighths, so it holds between 7/8
	// of it and all of it. Zero means that Windowed equals Running.
	Window int

	// Level is the nominal coverage of the intervals, in (0, 1). Zero means
	// that there are none.
	Level float64

	// Joint says that there is a joint region; see PushJoint.
	Joint bool
}

// Scorer scores the forecasts of one model on one series prequentially: every
// forecast is compared with its target when that is observed, and never again.
//
// At each step call Observe with the sample, then Push with the forecasts that
// the model makes now that it has seen it:
//
//	for each sample y {
//		s.Observe(y)
//		if err := f.Observe(y); err != nil { ... }
//		if f.ForecastTo(yhat) {
//			s.Push(yhat, nil, nil, nil)
//		}
//	}
//
// A forecast of horizon h pushed after the t-th Observe is scored by the
// (t+h)-th. A step without Push has no forecasts. A coordinate is scored when
// its target was observed, its forecast is finite and it had been observed at
// least once when the forecast was made; thus persistence, which the Scorer
// follows by itself, is scored on the same targets.
//
// A step allocates nothing and costs O(len(Horizons) * Dim). The state is
// O((sum of Horizons + len(Horizons)) * Dim), whatever the window.
type Scorer struct {
	c      ScorerConfig
	stride int // of a slot: forecast, naive, reference [, lower, upper [, joint lower, upper]], each Dim
	pane   int // samples a pane
	steps  int64
	cur    int       // pane being filled
	last   []float64 // newest observed value of each variable, NaN before the first

	// pending[k] is a ring of Horizons[k] slots; a forecast waits in the slot
	// step mod h for the step that overwrites it. NaN stands for none.
	pending [][]float64

	// Tallies are laid out by horizon, then variable, then one over all.
	panes [][]tally // of the window
	total []tally   // sums over the completed panes, since the beginning

	errs []float64 // of the last Observe, horizons x Dim
}

// NewScorer returns a Scorer that has seen nothing. It panics when c is not
// as documented.
func NewScorer(c ScorerConfig) *Scorer {
	if c.Dim < 1 {
		panic("eval: Scorer without variables")
	}
	if len(c.Horizons) == 0 {
		panic("eval: Scorer without horizons")
	}
	for k, h := range c.Horizons {
		if h < 1 || k > 0 && h <= c.Horizons[k-1] {
			panic("eval: horizons are not ascending positive numbers")
		}
	}
	if c.Window < 0 {
		panic("eval: negative window")
	}
	if !(c.Level >= 0 && c.Level < 1) {
		panic("eval: level outside [0, 1)")
	}
	c.Horizons = append([]int(nil), c.Horizons...)
	s := &Scorer{c: c, stride: 3 * c.Dim, pane: (c.Window + paneCount - 1) / paneCount}
	if c.Level > 0 {
		s.stride = 5 * c.Dim
	}
	if c.Joint {
		s.stride = 7 * c.Dim
	}
	s.last = filled(c.Dim)
	s.pending = make([][]float64, len(c.Horizons))
	for k, h := range c.Horizons {
		s.pending[k] = filled(h * s.stride)
	}
	s.panes = make([][]tally, 1)
	if c.Window > 0 {
		s.panes = make([][]tally, paneCount)
	}
	for i := range s.panes {
		s.panes[i] = make([]tally, len(c.Horizons)*(c.Dim+1))
	}
	s.total = make([]tally, len(c.Horizons)*(c.Dim+1))
	s.errs = filled(len(c.Horizons) * c.Dim)
	return s
}

// filled returns n times NaN.
func filled(n int) []float64 {
	v := make([]float64, n)
	fillNaN(v)
	return v
}

func fillNaN(v []float64) {
	for i := range v {
		v[i] = math.NaN()
	}
}

// Observe scores the forecasts whose target is y, of length Dim; NaN marks a
// missing coordinate, and an infinite one counts as missing.
func (s *Scorer) Observe(y []float64) { s.step(y, true) }

// Skip does what Observe does, but scores nothing: the targets of a warm-up.
func (s *Scorer) Skip(y []float64) { s.step(y, false) }

func (s *Scorer) step(y []float64, score bool) {
	d := s.c.Dim
	if len(y) != d {
		panic("eval: Scorer: wrong number of variables")
	}
	if s.pane > 0 && s.steps > 0 && s.steps%int64(s.pane) == 0 {
		s.turn()
	}
	s.steps++
	for k := range s.c.Horizons {
		slot := s.slot(k)
		errs := s.errs[k*d : (k+1)*d]
		fillNaN(errs)
		if score {
			s.score(s.panes[s.cur][k*(d+1):(k+1)*(d+1)], errs, slot, y)
		}
		fillNaN(slot)
	}
	for j, v := range y {
		if finite(v) {
			s.last[j] = v
		}
	}
}

// slot returns the slot of this step at horizon k.
func (s *Scorer) slot(k int) []float64 {
	i := int(s.steps%int64(s.c.Horizons[k])) * s.stride
	return s.pending[k][i : i+s.stride]
}

// turn starts the next pane.
func (s *Scorer) turn() {
	for i := range s.total {
		s.total[i].merge(&s.panes[s.cur][i])
	}
	s.cur = (s.cur + 1) % len(s.panes)
	clear(s.panes[s.cur])
}

func (s *Scorer) score(t []tally, errs, slot, y []float64) {
	d := s.c.Dim
	var n, se, ae float64
	for j, v := range y {
		e := slot[j] - v
		naive := slot[d+j] - v
		if !finite(e) || !finite(naive) {
			continue
		}
		errs[j] = -e
		t[j].add(v, e*e, math.Abs(e))
		t[j].naiveSE += naive * naive
		t[j].naiveAE += math.Abs(naive)
		if ref := slot[2*d+j] - v; finite(ref) {
			t[j].refN++
			t[j].refOwnSE += e * e
			t[j].refSE += ref * ref
		}
		if s.c.Level > 0 {
			t[j].interval(v, slot[3*d+j], slot[4*d+j], s.c.Level)
		}
		n++
		se += e * e
		ae += math.Abs(e)
	}
	if n > 0 {
		t[d].add(0, se/n, ae/n)
	}
	if n > 0 && s.c.Joint {
		t[d].region(y, slot[5*d:6*d], slot[6*d:])
	}
}

func finite(v float64) bool { return v-v == 0 }

// Push adds the forecasts made after the last Observe, row-major horizon x
// Dim from horizon 1 to at least the largest scored one, as Forecaster writes
// them. lower and upper are the bounds of the interval in the same layout (of
// what Bounder writes, the first level is scored), or nil; reference is the
// forecast of the model that SkillVsVAR compares with, or nil. Push keeps none
// of them; a second Push in the same step replaces the first.
func (s *Scorer) Push(forecast, lower, upper, reference []float64) {
	d := s.c.Dim
	for k, h := range s.c.Horizons {
		slot := s.slot(k)
		from, to := (h-1)*d, h*d
		copy(slot, forecast[from:to])
		copy(slot[d:], s.last)
		fillNaN(slot[2*d:])
		if reference != nil {
			copy(slot[2*d:], reference[from:to])
		}
		if s.c.Level > 0 && lower != nil && upper != nil {
			copy(slot[3*d:], lower[from:to])
			copy(slot[4*d:], upper[from:to])
		}
	}
}

// PushJoint adds the joint region of the forecasts that were pushed in this step,
// in their layout. It keeps none of it.
func (s *Scorer) PushJoint(lower, upper []float64) {
	d := s.c.Dim
	for k, h := range s.c.Horizons {
		slot := s.slot(k)
		copy(slot[5*d:], lower[(h-1)*d:h*d])
		copy(slot[6*d:], upper[(h-1)*d:h*d])
	}
}

// Errors returns target minus forecast of the last Observe at the k-th
// horizon, of length Dim; NaN where nothing was scored. The slice is
// overwritten by the next Observe.
func (s *Scorer) Errors(k int) []float64 { return s.errs[k*s.c.Dim : (k+1)*s.c.Dim] }

// Steps returns the number of samples seen.
func (s *Scorer) Steps() int64 { return s.steps }

// Running returns the score since the beginning of a variable, or All, at the
// k-th horizon.
func (s *Scorer) Running(variable, k int) Score { return summary(s.c, variable, k, s.running) }

// Windowed returns the score over the window of a variable, or All, at the
// k-th horizon.
func (s *Scorer) Windowed(variable, k int) Score { return summary(s.c, variable, k, s.windowed) }

// Pool returns the score over all variables of several series, whose Scorers have the
// same horizons, at the k-th of them, over the window of each.
func Pool(scorers []*Scorer, k int) Score {
	var a average
	var all tally
	for _, s := range scorers {
		base := k * (s.c.Dim + 1)
		for j := range s.c.Dim {
			t := s.windowed(base + j)
			a.add(&t)
		}
		t := s.windowed(base + s.c.Dim)
		all.merge(&t)
	}
	return a.score(&all)
}

// running returns the i-th tally since the beginning.
func (s *Scorer) running(i int) tally {
	t := s.total[i]
	t.merge(&s.panes[s.cur][i])
	return t
}

// windowed returns the i-th tally over the window.
func (s *Scorer) windowed(i int) tally {
	var t tally
	for p := range s.panes { // oldest first
		t.merge(&s.panes[(s.cur+1+p)%len(s.panes)][i])
	}
	return t
}

// summary makes the score of a variable, or All, at the k-th horizon from the
// tallies that at returns.
func summary(c ScorerConfig, variable, k int, at func(i int) tally) Score {
	if k < 0 || k >= len(c.Horizons) || variable < All || variable >= c.Dim {
		panic("eval: no such variable or horizon")
	}
	base := k * (c.Dim + 1)
	if variable != All {
		t := at(base + variable)
		return t.score()
	}
	var a average
	for j := range c.Dim {
		t := at(base + j)
		a.add(&t)
	}
	all := at(base + c.Dim)
	return a.score(&all)
}

// State saves or restores everything but the configuration.
func (s *Scorer) State(c *snapshot.Codec) {
	c.Section("scorer")
	c.Int64(&s.steps)
	if s.steps < 0 || s.steps > 1<<62 { // so that it never overflows
		c.Fail("step %d", s.steps)
		s.steps = 0
	}
	c.Index(&s.cur, len(s.panes))
	c.Float64s(s.last)
	for _, p := range s.pending {
		c.Float64s(p)
	}
	for _, p := range s.panes {
		for i := range p {
			p[i].state(c)
		}
	}
	for i := range s.total {
		s.total[i].state(c)
	}
	c.Float64s(s.errs)
}
