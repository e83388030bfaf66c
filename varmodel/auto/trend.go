package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	trendMemory  = 4   // memory of a slope, in horizons
	trendLeast   = 100 // smallest memory of a slope, in samples
	trendOutcome = 5   // limit of an outcome, in units of max(|trend|, sqrt(h) typical steps)
	trendErrors  = 2.5 // number of standard errors subtracted from a share
	trendTerms   = 4   // number of terms before an anchor has a share
	trendBeyond  = 2   // the trend continues up to trendBeyond times the longest anchor with a share
)

// trends holds the slopes of the remainder of a series. All forecasts over h steps start from
//
//	x_t + share h slope,
//
// where slope is a running mean of the increments. The increments are winsorised as in the scaler, so that the reset
// of a counter does not change the slope. The share depends on the outcomes of the trend, see trendShare. On a random
// walk the share is near 0.
type trends struct {
	dim        int
	on         bool         // true: the model has the ingredient
	steps      []int        // anchor horizons
	slopes     []float64    // anchors x dim
	increments []float64    // anchors x dim: increments of the trends from the last sample
	moves      []float64    // anchors x dim: believed part of increments; forecasts start at last + moves
	shares     []trendShare // anchors x dim
	rates      []float64    // anchors: smallest weight of an increment in the slope
	count      []int        // dim: number of increments
	still      bool         // true: all moves are 0, and path is not set
	path       []float64    // horizon x dim: moves, interpolated linearly between the anchors
}

func newTrends(dim int, steps []int, on bool) *trends {
	n := len(steps) * dim
	r := &trends{
		dim: dim, on: on, steps: steps, slopes: make([]float64, n), increments: make([]float64, n), moves: make([]float64, n), shares: make([]trendShare, n),
		count: make([]int, dim), path: make([]float64, steps[len(steps)-1]*dim),
	}
	for _, h := range steps {
		r.rates = append(r.rates, 1/max(trendLeast, trendMemory*float64(h)))
	}
	return r
}

// learn updates the shares of anchor k with the outcome y (NaN where missing) of the trends at the origin p. every is
// the number of outcomes per term.
func (r *trends) learn(k, every int, y []float64, p *origin) {
	if !r.on {
		return
	}
	root := math.Sqrt(float64(r.steps[k]))
	for j, v := range y {
		i := k*r.dim + j
		if unit := max(root*p.step[j], math.Abs(p.trend[j])); v == v && unit > 0 {
			r.shares[i].learn(p.trend[j]/unit, lanes.Clip((v-p.last[j])/unit, trendOutcome), every)
		}
	}
}

// predict updates the slopes with the last increments of f where they were observed. Then it sets increments, moves,
// still and path.
func (r *trends) predict(f *frame, seen []bool, lines *smoothing) {
	d := r.dim
	r.still = true
	for j, step := range f.recent.rows(0)[:d] {
		if seen[j] {
			r.count[j]++
			step = lanes.Clip(step, series.WinsorLimit*f.scaler.Steps[j])
			for k, least := range r.rates {
				r.slopes[k*d+j] += lanes.Weight(float64(r.count[j]), least) * (step - r.slopes[k*d+j])
			}
		}
		known, move := 1, 0. // longest anchor with a share so far, and its move
		for k, h := range r.steps {
			i := k*d + j
			r.increments[i] = float64(h) * r.slopes[i]
			if s := &r.shares[i]; s.terms >= trendTerms {
				known, move = h, s.share*r.increments[i]
			}
			r.moves[i] = move * float64(min(h, trendBeyond*known)) / float64(known)
			if far := lines.steps(j, h) * r.slopes[i]; r.on && h > known && math.Abs(far) > math.Abs(r.moves[i]) {
				r.moves[i] = far
			}
			r.still = r.still && r.moves[i] == 0
		}
	}
	if r.still {
		return
	}
	for j := range d {
		left, before := 0, 0.
		for k, h := range r.steps {
			after := r.moves[k*d+j]
			step := (after - before) / float64(h-left)
			for n := left + 1; n <= h; n++ {
				r.path[(n-1)*d+j] = before + float64(n-left)*step
			}
			left, before = h, after
		}
	}
}

// ahead returns the believed increments of the trends over h steps, dim; nil: all are 0.
func (r *trends) ahead(h int) []float64 {
	if r.still {
		return nil
	}
	return r.path[(h-1)*r.dim : h*r.dim]
}

// trendShare is the regression of outcomes on trends, for one coordinate and horizon. Overlapping outcomes are
// correlated, so the outcomes of a round form one term of the sums; see rounds.
type trendShare struct {
	outcomes        int     // outcomes in the current term
	product, square float64 // sums over the current term of trend * outcome and of trend^2
	terms           float64 // number of terms; like all sums below with forgetting
	xy, xx          float64 // sums over the terms of product and of square
	pp, pq, qq      float64 // sums over the terms of product^2, product * square and square^2
	share           float64 // result of value
}

func (s *trendShare) learn(trend, outcome float64, every int) {
	s.product += trend * outcome
	s.square += trend * trend
	if s.outcomes++; s.outcomes < every {
		return
	}
	f, p, q := retained(s.outcomes), s.product, s.square
	s.terms = f*s.terms + 1
	s.xy, s.xx = f*s.xy+p, f*s.xx+q
	s.pp, s.pq, s.qq = f*s.pp+p*p, f*s.pq+p*q, f*s.qq+q*q
	s.outcomes, s.product, s.square = 0, 0, 0
	s.share = s.value()
}

// value returns slope - trendErrors (1 + 2/terms) standard errors, limited to [0, 1].
func (s *trendShare) value() float64 {
	if s.xx == 0 {
		return 0
	}
	slope := s.xy / s.xx
	noise := max(s.pp-2*slope*s.pq+slope*slope*s.qq, 0) // sum of (product - slope square)^2
	// The factor 1 + 2/terms allows for the uncertainty of the standard error with few terms.
	return series.ClipTo(slope-trendErrors*(1+2/s.terms)*math.Sqrt(noise)/s.xx, 0, 1)
}

// anchorState saves or restores the slopes and shares of anchor k.
func (r *trends) anchorState(c *snapshot.Codec, k int) {
	from, to := k*r.dim, (k+1)*r.dim
	c.Float64s(r.slopes[from:to])
	for i := from; i < to; i++ {
		s := &r.shares[i]
		c.Index(&s.outcomes, longestAnchor)
		for _, v := range []*float64{&s.product, &s.square, &s.terms, &s.xy, &s.xx, &s.pp, &s.pq, &s.qq} {
			c.Float64(v)
		}
		s.share = s.value()
	}
}

// State saves or restores the counts, which all anchors share.
func (r *trends) State(c *snapshot.Codec) {
	for j := range r.count {
		c.Index(&r.count[j], math.MaxInt)
	}
}
