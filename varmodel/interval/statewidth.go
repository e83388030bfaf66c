package interval

import (
	"math"
	"strconv"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	stateFarthest = 8   // last horizon whose errors depend on the present state in a way that can be learnt
	stateAfter    = 100 // outcomes of a horizon before its regressions begin: most young series need none
	stateTerms    = 3   // terms before the first solution
	stateLimit    = 3   // limit of standardised numbers
	stateNear     = .35 // distances from the mean, in standard deviations, at which the slope may change
	stateMiddle   = 1
	stateError    = 6     // limit of the last error, in mean errors
	stateSize     = 4     // limit of the sizes that are learnt, in the ratio expected
	stateRetained = .9995 // weight of an outcome after the next one, to the power of 1/h at horizon h
	stateRidge    = 20    // ridge at one step, in outcomes; h times as large at horizon h
	leastRatio    = .2    // smallest ratio …
	largestRatio  = 5     // … and the largest
)

// stateWidths are the regressions of the size of the errors on the state that a forecast starts from. A
// value far from its mean, a large step or a large error before makes the next error larger (or
// smaller) in many series: noise that grows with the level, with the speed or after a shock. With
// the features phi of variable j at the origin, the size u of its error in units of s, and w from
// ridge regression with forgetting,
//
//	ratio = 1 + phi' w,  w = argmin sum_t lambda^(n-t) (u_t - 1 - phi_t' w)^2 + r |w|^2
//
// multiplies the half width where it makes the score of the intervals better, see worth. The
// regression is solved at the end of each term of that comparison.
type stateWidths struct {
	scaler  *series.Scaler
	before  []float64 // d: values before the newest ones; NaN after a break
	last    []float64 // d: size of the last error at one step
	origins []float64 // the last origins, R x lanes.OriginRows x Stride(d)
	next    int       // origin that issue replaces next
	anchors []*stateAnchor
	square  *vec.Sym  // scratch: sum of phi phi' of a variable
	weight  []float64 // scratch: its w
	chol    *vec.Cholesky
	ratios  []float64 // scratch, d
}

// stateRules are the constants of the regressions.
var stateRules = lanes.SizeRules{
	State: stateLimit, Near: stateNear, Middle: stateMiddle, Most: stateSize, Smallest: leastRatio, Largest: largestRatio,
}

// stateAnchor has the regressions of an anchor, see anchorAt.
type stateAnchor struct {
	worth
	solved int // terms with outcomes, at most stateTerms
	sizes  *lanes.Sizes
}

func newStateWidths(d, horizon int) *stateWidths {
	far := min(horizon, stateFarthest)
	w := &stateWidths{
		scaler: series.NewScaler(d), before: make([]float64, d), last: make([]float64, d),
		origins: vec.Aligned(far * lanes.OriginRows * vec.Stride(d)), anchors: make([]*stateAnchor, anchorAt(far)+1),
		square: vec.NewSym(lanes.SizeTerms), weight: make([]float64, lanes.SizeTerms), chol: vec.NewCholesky(lanes.SizeTerms),
		ratios: make([]float64, d),
	}
	w.resetLags()
	return w
}

// resetLags forgets the newest values: the next ones have no step.
func (w *stateWidths) resetLags() {
	w.scaler.Break()
	for j := range w.before {
		w.before[j] = math.NaN()
	}
}

func newStateAnchor(horizon, d int) *stateAnchor {
	return &stateAnchor{worth: newWorth(horizon, d), sizes: lanes.NewSizes(d, stateRules)}
}

// origin returns the numbers of all variables at an origin; h = 0 is the origin that issue writes next, h > 0 the origin h
// samples before it.
func (w *stateWidths) origin(h int) []float64 {
	n := w.depth()
	row := len(w.origins) / n
	return w.origins[(w.next-h+n)%n*row:][:row]
}

// valuesOf returns the last values of an origin.
func (w *stateWidths) valuesOf(origin []float64) []float64 {
	return origin[lanes.OriginValue:][:len(w.last)]
}

// depth returns R, the number of origins that are kept.
func (w *stateWidths) depth() int {
	return len(w.origins) / (lanes.OriginRows * vec.Stride(len(w.last)))
}

// issue keeps the present state as an origin, given the newest values and those before that the
// intervals reach to.
func (w *stateWidths) issue(newest, reached []float64) {
	origin, d := w.origin(0), len(newest)
	row := func(k int) []float64 { return origin[k*vec.Stride(d):][:d] }
	copy(row(lanes.OriginPerStep), w.scaler.PerStep)
	copy(row(lanes.OriginLast), w.last)
	value, level, step := row(lanes.OriginValue), row(lanes.OriginLevel), row(lanes.OriginStep)
	mean, inverse, perStep := w.scaler.Mean[:d], w.scaler.Inverse[:d], w.scaler.PerStep[:d]
	for j, v := range newest {
		value[j] = v
		if reached[j] == reached[j] {
			value[j] = math.NaN()
		}
		level[j] = lanes.Clip((v-mean[j])*inverse[j], stateLimit)
		step[j] = lanes.Clip(math.Abs(v-w.before[j])*perStep[j], stateLimit)
		if w.before[j] != w.before[j] {
			step[j] = 0
		}
	}
	copy(w.before, newest)
	w.next = (w.next + 1) % w.depth()
}

// scaleTo multiplies the half widths of new intervals, whose forecasts are given, by the ratios.
func (w *stateWidths) scaleTo(s *Intervals, half, forecast []float64) {
	H, d, origin := s.cfg.Horizon, s.cfg.Dim, w.origin(1)
	for _, h := range s.used {
		if h > stateFarthest {
			break
		}
		a := w.anchors[anchorAt(h)]
		if a == nil || !a.inUse {
			continue
		}
		a.sizes.RatiosTo(w.ratios, origin, forecast[(h-1)*d:h*d])
		for j, v := range w.valuesOf(origin) {
			if !a.used[j] || v != v {
				continue
			}
			for at := (h-1)*d + j; at < len(half); at += H * d {
				half[at] *= w.ratios[j]
			}
		}
	}
}

// learn learns the sizes of the errors at an anchor of horizon h, in units of scale: NaN where there
// is none. It sets the sizes to NaN whose origins have no value.
func (w *stateWidths) learn(s *Intervals, h int, sizes, scale, forecast []float64, step float64) {
	if h == 1 {
		for j, size := range sizes {
			if size == size {
				w.last[j] = min(size, stateError) * .5
			}
		}
	}
	at := anchorAt(h)
	if h > stateFarthest || s.rounds[h-1] < stateAfter {
		return
	}
	if w.anchors[at] == nil {
		w.anchors[at] = newStateAnchor(h, s.cfg.Dim)
	}
	a, m, origin := w.anchors[at], s.moveOf(at, step), w.origin(h)
	a.samples++
	a.sizes.RatiosTo(w.ratios, origin, forecast)
	for j, v := range w.valuesOf(origin) {
		if v != v {
			sizes[j] = v
		}
		if size := sizes[j]; size == size {
			a.worth.learn(j, w.ratios[j], size, scale[j], m)
		}
	}
	a.sizes.Add(sizes, w.ratios)
}

// endTerms ends terms of the comparison after all horizons have learnt, and solves the
// regressions.
func (w *stateWidths) endTerms(s *Intervals) {
	for _, a := range w.anchors {
		if a == nil || a.samples < worthTerm {
			continue
		}
		s.endTerm(&a.worth, a.solved >= stateTerms)
		if a.solved = min(a.solved+1, stateTerms); a.solved < stateTerms {
			continue
		}
		h := float64(a.horizon)
		retained := math.Pow(stateRetained, worthTerm/h)
		for j := range w.last {
			a.sizes.EquationsTo(w.square, w.weight, j)
			if w.chol.Factor(w.square, stateRidge*h, 0) {
				w.chol.Solve(w.weight)
				a.sizes.SetWeights(j, w.weight)
			}
		}
		a.sizes.Forget(retained)
	}
}

// state transfers the statistics, the origins, newest first, and the regressions of each anchor as an
// option.
func (w *stateWidths) state(c *snapshot.Codec, horizon int) {
	w.scaler.State(c)
	c.Float64s(w.before)
	c.Float64s(w.last)
	d, n := len(w.last), w.depth()
	kept := n
	c.Len(&kept, stateFarthest)
	for age := range kept {
		origin := make([]float64, lanes.OriginRows*vec.Stride(d))
		if age < n {
			origin = w.origin(age + 1)
		}
		for ; len(origin) > 0; origin = origin[vec.Stride(d):] {
			c.Float64s(origin[:d])
		}
	}
	there := 0 // bit k: the anchor k
	for at, a := range w.anchors {
		if a != nil {
			there |= 1 << at
		}
	}
	c.Index(&there, 1<<(anchorAt(stateFarthest)+1))
	if c.Decoding() {
		clear(w.anchors)
	}
	for at := range w.anchors {
		if there>>at&1 == 0 {
			continue
		}
		h := profileAnchor(at, horizon)
		c.Optional("state "+strconv.Itoa(h), func() {
			if c.Decoding() {
				w.anchors[at] = newStateAnchor(h, d)
			}
			w.anchors[at].state(c)
		})
	}
}

func (a *stateAnchor) state(c *snapshot.Codec) {
	a.worth.state(c)
	c.Index(&a.solved, stateTerms+1)
	a.sizes.State(c)
}
