package interval

import (
	"math"
	"strconv"

	"github.com/orffvar/forecaster/eval/snapshot"
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
	stateFeatures = 8
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
	origins []float64 // the last origins, R x d x stateNumbers
	next    int       // origin that issue replaces next
	anchors []*stateAnchor
	chol    *vec.Cholesky
	phi     []float64 // scratch
}

// An origin has of each variable the numbers that its features are made of.
const (
	stateValue   = iota // last value
	statePerStep        // 1/rms of its steps
	stateLevel          // distance of the value from its mean, standardised
	stateStep           // size of the last step, in rms
	stateLast           // size of the last error at one step
	stateOverall        // mean of stateLast over all variables
	stateNumbers
)

// stateAnchor has the regressions of an anchor, see anchorAt.
type stateAnchor struct {
	worth
	solved int        // terms with outcomes, at most stateTerms
	square []*vec.Sym // d: sum of phi phi'
	cross  []float64  // d x stateFeatures: sum of phi (u - 1)
	weight []float64  // d x stateFeatures: w
}

func newStateWidths(d, horizon int) *stateWidths {
	far := min(horizon, stateFarthest)
	w := &stateWidths{
		scaler: series.NewScaler(d), before: make([]float64, d), last: make([]float64, d),
		origins: make([]float64, far*d*stateNumbers), anchors: make([]*stateAnchor, anchorAt(far)+1),
		chol: vec.NewCholesky(stateFeatures), phi: make([]float64, stateFeatures),
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
	a := &stateAnchor{
		worth: newWorth(horizon, d), square: make([]*vec.Sym, d),
		cross: make([]float64, d*stateFeatures), weight: make([]float64, d*stateFeatures),
	}
	for j := range a.square {
		a.square[j] = vec.NewSym(stateFeatures)
	}
	return a
}

// origin returns the numbers of all variables at an origin; h = 0 is the origin that issue writes next, h > 0 the origin h
// samples before it.
func (w *stateWidths) origin(h int) []float64 {
	n, row := w.depth(), len(w.last)*stateNumbers
	return w.origins[(w.next-h+n)%n*row:][:row]
}

// depth returns R, the number of origins that are kept.
func (w *stateWidths) depth() int { return len(w.origins) / (len(w.last) * stateNumbers) }

// featuresTo writes the features of a forecast that starts from an origin.
func featuresTo(phi, o []float64, forecast float64) {
	far := math.Abs(o[stateLevel])
	move := math.Abs(forecast-o[stateValue]) * o[statePerStep]
	if !(move < stateLimit) { // NaN is far, too
		move = stateLimit
	}
	o, phi = o[:stateNumbers], phi[:stateFeatures]
	phi[0], phi[1], phi[2], phi[3], phi[4] = 1, o[stateLevel], far, min(far, stateNear), min(far, stateMiddle)
	phi[5], phi[6], phi[7] = move, o[stateStep], o[stateLast]
}

// issue keeps the present state as an origin, given the newest values and those before that the
// intervals reach to.
func (w *stateWidths) issue(newest, reached []float64) {
	row := w.origin(0)
	for j, v := range newest {
		o := row[j*stateNumbers:][:stateNumbers]
		per := w.scaler.PerStep[j]
		o[stateValue], o[statePerStep] = v, per
		o[stateLevel] = series.ClipTo((v-w.scaler.Mean[j])*w.scaler.Inverse[j], -stateLimit, stateLimit)
		if o[stateStep] = 0; w.before[j] == w.before[j] {
			o[stateStep] = min(math.Abs(v-w.before[j])*per, stateLimit)
		}
		o[stateLast] = w.last[j]
		if reached[j] == reached[j] {
			o[stateValue] = math.NaN()
		}
		w.before[j] = v
	}
	w.next = (w.next + 1) % w.depth()
}

// ratio returns the number that multiplies the half width of variable j, given the features phi.
func (a *stateAnchor) ratio(j int, phi []float64) float64 {
	r := 1.
	for i, w := range a.weight[j*stateFeatures:][:stateFeatures] {
		r += float64(w * phi[i])
	}
	return series.ClipTo(r, leastRatio, largestRatio)
}

// scaleTo multiplies the half widths of new intervals, whose forecasts are given, by the ratios.
func (w *stateWidths) scaleTo(s *Intervals, half, forecast []float64) {
	H, d, row := s.cfg.Horizon, s.cfg.Dim, w.origin(1)
	for _, h := range s.used {
		if h > stateFarthest {
			break
		}
		a := w.anchors[anchorAt(h)]
		if a == nil || !a.inUse {
			continue
		}
		for j, used := range a.used {
			o := row[j*stateNumbers:][:stateNumbers]
			if !used || o[stateValue] != o[stateValue] {
				continue
			}
			featuresTo(w.phi, o, forecast[(h-1)*d+j])
			ratio := a.ratio(j, w.phi)
			for at := (h-1)*d + j; at < len(half); at += H * d {
				half[at] *= ratio
			}
		}
	}
}

// learn learns the sizes of the errors at an anchor of horizon h, in units of scale: NaN where there
// is none.
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
	a, m := w.anchors[at], s.moveOf(at, step)
	a.samples++
	row := w.origin(h)
	for j, size := range sizes {
		o := row[j*stateNumbers:][:stateNumbers]
		if size != size || o[stateValue] != o[stateValue] {
			continue
		}
		featuresTo(w.phi, o, forecast[j])
		ratio := a.ratio(j, w.phi)
		a.worth.learn(j, ratio, size, scale[j], m)
		a.square[j].Rank1(1, w.phi)
		e := min(size, stateSize*ratio) - 1
		cross := a.cross[j*stateFeatures:][:stateFeatures]
		for i, v := range w.phi {
			cross[i] += float64(e * v)
		}
	}
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
		for j, square := range a.square {
			cross, weight := a.cross[j*stateFeatures:][:stateFeatures], a.weight[j*stateFeatures:][:stateFeatures]
			if w.chol.Factor(square, stateRidge*h, 0) {
				copy(weight, cross)
				w.chol.Solve(weight)
			}
			square.Scale(retained)
			vec.Scale(retained, cross)
		}
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
		if age < n {
			c.Float64s(w.origin(age + 1))
		} else {
			c.Float64s(make([]float64, d*stateNumbers))
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
	for _, s := range a.square {
		s.State(c)
	}
	c.Float64s(a.cross)
	c.Float64s(a.weight)
}
