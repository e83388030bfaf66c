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

// All, in the place of a variable, asks for the score over all variables.
const All = -1

// paneCount is the number of parts that a window is made of.
const paneCount = 8

// ScorerConfig describes a Scorer.
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

	// Joint: there is a joint region; see PushJoint.
	Joint bool

	// Scale multiplies the targets and the forecasts of each variable, length Dim. NaN
	// means that the variable is not scored. Nil scores in the units of the data.
	Scale []float64

	// MeanTo adds the squared errors at the horizons 1 to MeanTo, for MeanErrors; 0: none. It
	// needs much less time and memory than to have them all among Horizons.
	MeanTo int
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
// A step costs O(len(Horizons) * Dim) and allocates at the first paneCount panes only. The state is
// O((sum of Horizons + len(Horizons)) * Dim), whatever the window.
type Scorer struct {
	c      ScorerConfig
	pane   int // samples per pane
	steps  int64
	cur    int       // pane being filled
	filled int       // samples that it has
	last   []float64 // newest observed value of each variable, NaN before the first

	// pending has a ring of Horizons[k] slots for each horizon, which begins at begin[k]; a
	// forecast waits in the slot that is next when its target comes. A slot has the rows of
	// lanes.Tally, then the bounds of the joint region, each Dim. NaN stands for none; the
	// others say nothing when there is no forecast.
	pending []float64
	begin   []int     // and the end of the last ring
	next    []int     // where the slot of this step begins in each ring
	rows    int       // of a slot that lanes.Tally takes
	stride  int       // of a slot
	totals  []float64 // scratch, horizons x 3

	panes []sums // of the window, as many as have begun …
	most  int    // … and at most
	total sums   // over the completed panes, since the beginning; without memory before the first

	window   sums // all panes merged, as of the step windowAt; empty before it is asked for
	windowAt int64

	means *Scorer // at the horizons 1 to MeanTo; nil: none

	errs []float64 // of the last Observe, horizons x Dim
	y    []float64 // scratch with Scale: the scaled sample
}

// NewScorer returns a Scorer that has seen nothing. It panics when c is not
// as documented.
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

// newScorer returns a Scorer of forecasts with rows rows; see lanes.Tally.
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

// filled returns n times NaN.
func filled(n int) []float64 {
	v := make([]float64, n)
	vec.FillNaN(v)
	return v
}

// Observe scores the forecasts whose target is y, of length Dim; NaN marks a
// missing coordinate, and an infinite one counts as missing.
func (s *Scorer) Observe(y []float64) { s.step(y, true) }

// Skip does what Observe does, but scores nothing: the targets of a warm-up.
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

// InsideTo writes for each variable whether its last target was inside the interval of
// the k-th horizon: 1 or 0, and NaN where none was scored. It needs the sample y of the
// last Observe, and no Push since.
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

// NextInterval returns the interval of variable j that the next Observe compares at the k-th horizon; NaN = none.
func (s *Scorer) NextInterval(k, j int) (lower, upper float64) {
	if s.c.Level == 0 {
		return math.NaN(), math.NaN()
	}
	at := s.next[k] + s.stride
	if at == s.begin[k+1] {
		at = s.begin[k]
	}
	d, scale := s.c.Dim, 1.
	if s.c.Scale != nil {
		scale = s.c.Scale[j]
	}
	slot := s.pending[at:]
	return slot[lanes.TallyLower*d+j] / scale, slot[lanes.TallyUpper*d+j] / scale
}

// Push adds the forecasts made after the last Observe, row-major horizon x
// Dim from horizon 1 to at least the largest scored one, as Forecaster writes
// them. lower and upper are the bounds of the interval in the same layout (of
// what Bounder writes, the first level is scored), or nil; reference is the
// forecast of the model that SkillVsVAR compares with, or nil. Push keeps none
// of them; a second Push in the same step replaces the first.
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

// rescale puts a row of variables into the units of the scores.
func (s *Scorer) rescale(row []float64) {
	for j, f := range s.c.Scale {
		row[j] *= f
	}
}

// PushJoint adds the joint region of the forecasts that were pushed in this step,
// in their layout. It keeps none of it.
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

// Errors returns target minus forecast of the last Observe at the k-th
// horizon, of length Dim; NaN where nothing was scored. The slice is
// overwritten by the next Observe.
func (s *Scorer) Errors(k int) []float64 { return s.errs[k*s.c.Dim : (k+1)*s.c.Dim] }

// Loss returns the mean square of the Errors(k) that are not NaN; NaN when all are.
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

// State saves or restores everything but the configuration. Each horizon is saved by
// itself: the score of a horizon that the saved Scorer did not have begins now. So do all scores when
// the window, the level, or whether there is a joint region has changed.
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
