package scoring

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/vec"
)

// All, in place of a variable, selects the score over all variables.
const All = -1

// paneCount is the number of panes of a window.
const paneCount = 8

// ScorerConfig configures a Scorer.
type ScorerConfig struct {
	// Dim is the number of variables.
	Dim int

	// Horizons are the scored horizons in steps, each at least 1, ascending.
	Horizons []int

	// Window is the number of samples in Windowed, rounded up to a multiple of 8. The window moves by eighths, so
	// it covers between 7/8 of Window and all of it. Zero: Windowed equals Running.
	Window int

	// Level is the nominal coverage of the intervals, in (0, 1). Zero: no intervals.
	Level float64

	// Joint adds a joint region; see PushJoint.
	Joint bool

	// Scale multiplies targets and forecasts per variable, length Dim. NaN: the variable is not scored. Nil: units
	// of the data.
	Scale []float64

	// MeanTo adds squared errors at the horizons 1 to MeanTo, for MeanErrors; 0: none. It needs much less time and
	// memory than all these horizons in Horizons.
	MeanTo int
}

// Scorer scores the forecasts of one model on one series prequentially: each forecast is compared once, when its
// target is observed.
//
// At each step call Observe with the sample, then Push with the forecasts that the model makes after the sample:
//
//	for each sample y {
//		s.Observe(y)
//		if err := f.Observe(y); err != nil { ... }
//		if f.ForecastTo(yhat) {
//			s.Push(yhat, nil, nil, nil)
//		}
//	}
//
// A forecast of horizon h pushed after the t-th Observe is scored by the (t+h)-th. A step without Push has no
// forecasts. A coordinate is scored if its target is observed, its forecast is finite, and it was observed at least
// once before the forecast. Persistence, which the Scorer computes itself, is therefore scored on the same targets.
//
// A step costs O(len(Horizons) * Dim). Only the first paneCount panes allocate. The state is O((sum of Horizons +
// len(Horizons)) * Dim), independent of the window.
type Scorer struct {
	c      ScorerConfig
	pane   int // samples per pane
	steps  int64
	cur    int       // index of the pane being filled
	filled int       // number of samples in this pane
	last   []float64 // newest observed value of each variable, NaN before the first

	// pending holds a ring of Horizons[k] slots per horizon, from begin[k] on. A forecast waits in the slot that is
	// next when its target comes. A slot has the rows of lanes.Tally, then the bounds of the joint region, Dim
	// each. NaN: no forecast; the other rows are then undefined.
	pending []float64
	begin   []int     // start of each ring, then the end of the last ring
	next    []int     // start of the slot of this step in each ring
	rows    int       // number of rows of a slot for lanes.Tally
	stride  int       // length of a slot
	totals  []float64 // scratch, horizons x 3

	panes []sums // started panes of the window
	most  int    // largest number of panes
	total sums   // sums over all completed panes since the first sample; no memory before the first

	window   sums // all panes merged, as of the step windowAt; computed on demand
	windowAt int64

	means *Scorer // scorer at the horizons 1 to MeanTo; nil: none

	errs []float64 // errors of the last Observe, horizons x Dim
	y    []float64 // scratch with Scale: the scaled sample
}

// NewScorer returns a Scorer without samples. It panics if c violates its documentation.
func NewScorer(c ScorerConfig) *Scorer {
	if c.Dim < 1 {
		panic("scoring: Scorer without variables")
	}
	if len(c.Horizons) == 0 {
		panic("scoring: Scorer without horizons")
	}
	for k, h := range c.Horizons {
		if h < 1 || k > 0 && h <= c.Horizons[k-1] {
			panic("scoring: horizons are not ascending positive numbers")
		}
	}
	if c.Window < 0 || c.MeanTo < 0 {
		panic("scoring: negative window or horizon")
	}
	if !(c.Level >= 0 && c.Level < 1) {
		panic("scoring: level outside [0, 1)")
	}
	if c.Scale != nil && len(c.Scale) != c.Dim {
		panic("scoring: not one scale per variable")
	}
	rows := lanes.TallyReferences
	if c.Level > 0 {
		rows = lanes.TallyForecasts
	}
	s := newScorer(c, rows)
	s.means = newMeans(c)
	return s
}

// newScorer returns a Scorer whose slots have the given number of rows; see lanes.Tally.
func newScorer(c ScorerConfig, rows int) *Scorer {
	c.Horizons = append([]int(nil), c.Horizons...)
	s := &Scorer{c: c, rows: rows, pane: math.MaxInt, most: 1}
	s.stride = s.rows * c.Dim
	if c.Joint {
		s.stride += 2 * c.Dim
	}
	s.last = filled(c.Dim)
	s.begin, s.totals = []int{0}, make([]float64, 3*len(c.Horizons))
	for k, h := range c.Horizons {
		s.begin = append(s.begin, s.begin[k]+h*s.stride)
	}
	s.next, s.pending = slices.Clone(s.begin[:len(c.Horizons)]), filled(s.begin[len(c.Horizons)])
	if c.Window > 0 {
		s.most, s.pane = paneCount, (c.Window+paneCount-1)/paneCount
	}
	s.panes, s.total, s.windowAt = []sums{newSums(c, rows)}, noSums(c, rows), -1
	s.errs = filled(len(c.Horizons) * c.Dim)
	return s
}

// filled returns a slice of n NaN.
func filled(n int) []float64 {
	v := make([]float64, n)
	vec.FillNaN(v)
	return v
}

// Observe scores the forecasts whose target is y, of length Dim. NaN and infinite coordinates count as missing.
func (s *Scorer) Observe(y []float64) { s.step(y, true) }

// Skip is Observe without scoring, for the targets of a warm-up.
func (s *Scorer) Skip(y []float64) { s.step(y, false) }

func (s *Scorer) step(y []float64, score bool) {
	d := s.c.Dim
	if len(y) != d {
		panic("scoring: Scorer: wrong number of variables")
	}
	if s.means != nil {
		s.means.step(y, score)
	}
	if s.c.Scale != nil {
		s.y = append(s.y[:0], y...)
		s.rescale(s.y)
		y = s.y
	}
	if s.filled == s.pane {
		s.nextPane()
	}
	s.steps++
	s.filled++
	for k, at := range s.next {
		if at += s.stride; at == s.begin[k+1] {
			at = s.begin[k]
		}
		s.next[k] = at
	}
	if score {
		s.score(y)
	} else {
		vec.FillNaN(s.errs)
		for _, at := range s.next {
			vec.FillNaN(s.pending[at : at+d])
		}
	}
	for j, v := range y {
		if vec.Finite(v) {
			s.last[j] = v
		}
	}
}

// score compares the forecasts of this step with their target y.
func (s *Scorer) score(y []float64) {
	pane := &s.panes[s.cur]
	lanes.Tally(s.totals, pane.each, s.errs, s.pending, s.next, y, s.rows)
	pane.add(s.totals)
	if !s.c.Joint {
		return
	}
	for k := range s.next {
		if s.totals[3*k] > 0 {
			pane.all[k].region(y, s.slot(k)[s.rows*s.c.Dim:])
		}
	}
}

// slot returns the slot of this step at horizon k.
func (s *Scorer) slot(k int) []float64 { return s.pending[s.next[k]:][:s.stride] }

// nextPane starts the next pane.
func (s *Scorer) nextPane() {
	if s.total.each == nil {
		s.total = newSums(s.c, s.rows)
	}
	s.total.merge(&s.panes[s.cur])
	s.cur, s.filled = (s.cur+1)%s.most, 0
	if s.cur == len(s.panes) {
		s.panes = append(s.panes, newSums(s.c, s.rows))
	}
	s.panes[s.cur].clear()
}

// InsideTo sets dst[j] to 1 if the last target of variable j was inside its interval at the k-th horizon, 0 if
// outside, NaN if none was scored. y is the sample of the last Observe. It must be called before the next Push.
func (s *Scorer) InsideTo(dst []float64, k int, y []float64) {
	d := s.c.Dim
	vec.FillNaN(dst[:d])
	if s.c.Level == 0 {
		return
	}
	slot := s.slot(k)
	lower, upper := slot[lanes.TallyLower*d:][:d], slot[lanes.TallyUpper*d:][:d]
	for j, v := range y {
		if s.c.Scale != nil {
			v *= s.c.Scale[j]
		}
		switch {
		case math.IsNaN(s.errs[k*d+j]) || math.IsNaN(lower[j]):
		case v >= lower[j] && v <= upper[j]:
			dst[j] = 1
		default:
			dst[j] = 0
		}
	}
}

// Push adds the forecasts made after the last Observe, row-major horizon x Dim, from horizon 1 to at least the
// largest scored horizon, as written by Forecaster. lower and upper are interval bounds in the same layout, or nil;
// of Bounder's levels, pass the first. reference has the forecasts of the model for SkillVsVAR, or nil. Push keeps
// none of the slices. A second Push in the same step replaces the first.
func (s *Scorer) Push(forecast, lower, upper, reference []float64) {
	d := s.c.Dim
	if s.means != nil {
		s.means.pushErrors(forecast)
	}
	row := func(slot []float64, i int) []float64 { return slot[i*d : (i+1)*d] }
	for k, h := range s.c.Horizons {
		slot := s.slot(k)
		from, to := (h-1)*d, h*d
		copy(row(slot, lanes.TallyForecast), forecast[from:to])
		copy(row(slot, lanes.TallyNaive), s.last)
		if reference != nil {
			copy(row(slot, lanes.TallyReference), reference[from:to])
		} else {
			vec.FillNaN(row(slot, lanes.TallyReference))
		}
		switch {
		case s.c.Level == 0:
		case lower != nil && upper != nil:
			copy(row(slot, lanes.TallyLower), lower[from:to])
			copy(row(slot, lanes.TallyUpper), upper[from:to])
		default:
			vec.FillNaN(row(slot, lanes.TallyLower))
		}
		if s.c.Joint {
			vec.FillNaN(row(slot, s.rows))
		}
		for i := 0; i < s.rows && s.c.Scale != nil; i++ {
			if i != lanes.TallyNaive { // as s.last is
				s.rescale(row(slot, i))
			}
		}
	}
}

// rescale converts a row of variables to the units of the scores.
func (s *Scorer) rescale(row []float64) {
	for j, f := range s.c.Scale {
		row[j] *= f
	}
}

// PushJoint adds the joint region of the forecasts pushed in this step, in the same layout. It does not keep the
// slices.
func (s *Scorer) PushJoint(lower, upper []float64) {
	d := s.c.Dim
	for k, h := range s.c.Horizons {
		joint := s.slot(k)[s.rows*d:]
		copy(joint[:d], lower[(h-1)*d:h*d])
		copy(joint[d:], upper[(h-1)*d:h*d])
		s.rescale(joint[:d])
		s.rescale(joint[d : 2*d])
	}
}

// Errors returns target - forecast of the last Observe at the k-th horizon, length Dim; NaN = not scored. The next
// Observe overwrites the slice.
func (s *Scorer) Errors(k int) []float64 { return s.errs[k*s.c.Dim : (k+1)*s.c.Dim] }

// Loss returns the mean square of the values of Errors(k) that are not NaN; NaN if there are none.
func (s *Scorer) Loss(k int) float64 {
	var n, sum float64
	for _, v := range s.Errors(k) {
		if !math.IsNaN(v) {
			n++
			sum += v * v
		}
	}
	return ratio(sum, n)
}

// State saves or restores everything except the configuration. Each horizon is saved separately, so that a new
// horizon starts its score at the restore. All scores start again if the window, the level or Joint has changed.
func (s *Scorer) State(c *snapshot.Codec) {
	c.Section("scorer")
	c.Int64(&s.steps)
	if s.steps < 0 || s.steps > 1<<62 { // so that it never overflows
		c.Fail("step %d", s.steps)
		s.steps = 0
	}
	completed := max(s.steps-1, 0) / int64(s.pane)
	s.cur, s.filled = int(completed%int64(s.most)), int((s.steps-1)%int64(s.pane))+1
	s.windowAt = -1
	if begun := int(min(completed+1, int64(s.most))); c.Decoding() {
		s.panes = make([]sums, begun)
		for i := range s.panes {
			s.panes[i] = newSums(s.c, s.rows)
		}
		if s.total = noSums(s.c, s.rows); completed > 0 {
			s.total = newSums(s.c, s.rows)
		}
	}
	c.Float64s(s.last)
	c.Optional(fmt.Sprintf("window=%d level=%v joint=%t", s.c.Window, s.c.Level, s.c.Joint), func() {
		for k, h := range s.c.Horizons {
			c.Optional(strconv.Itoa(h), func() { s.horizonState(c, k) })
		}
	})
	if s.means != nil {
		c.Optional("means", func() { s.means.State(c) })
	}
	for k, h := range s.c.Horizons {
		s.next[k] = s.begin[k] + int(s.steps%int64(h))*s.stride
	}
}

// horizonState transfers the k-th horizon.
func (s *Scorer) horizonState(c *snapshot.Codec, k int) {
	c.Float64s(s.pending[s.begin[k]:s.begin[k+1]])
	for i := range s.panes {
		s.panes[i].state(c, k)
	}
	s.total.state(c, k)
	c.Float64s(s.Errors(k))
}
