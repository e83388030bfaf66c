package interval

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/series"
)

// Config describes the prediction intervals around a model.
type Config struct {
	Dim     int       // d, coordinates of a sample
	Horizon int       // H, as of the model
	Levels  []float64 // coverage of each interval, in (0, 1)

	// Horizons are the horizons with intervals, ascending, in 1 to Horizon; empty: all. Horizon 1 and the anchor of each
	// (see profiles) always have intervals. No horizon learns from others.
	Horizons []int
}

// Intervals are the prediction intervals of one series: an eval.Companion of its
// model.
//
// An interval reaches s g f to either side of the forecast:
//
//   - s follows the mean absolute error, for each horizon and coordinate.
//   - f is a factor of the coordinate, g a common factor of all coordinates. Both grow when a target is outside of its
//     interval, and shrink when it is inside, in the proportion that holds the coverage at the level (adaptive conformal
//     inference on a logarithmic scale; Gibbs and Candes 2021). Short series and long horizons need g, which learns from
//     the errors of all coordinates.
//
// After an error far beyond the usual, the next intervals include that value and the value before it: it may be a spike, or
// the beginning of a new level. Forecasts of h steps overlap, and an outcome is known h steps late: so the memory of s grows
// with h, and no step of a factor exceeds 1/h. A coordinate has no vote for g if its errors have lately become much larger or
// smaller, or if f is far from 1. Half widths follow the hour and the state that a forecast starts from, if the size of the
// errors depends on them: see profiles and stateWidths. The method assumes no distribution of the errors.
type Intervals struct {
	cfg   Config
	used  []int     // horizons with intervals
	order []int     // levels, ascending
	gauss []float64 // gaussianFactor of each level

	ring   []float64 // forecasts of the last H origins, H x H x d
	half   []float64 // half widths of their intervals, H x L x H x d; 0: none
	next   int       // index of the origin that Issue overwrites next
	issued []int     // H: number of last origins with an h-step forecast in the ring, at most h
	scored []int     // H: number of scored forecasts, at most intervalAfter
	seen   []int     // d: number of observed values, at most intervalAfter + H

	count, scale []float64 // H x d: number of errors, and their mean size s
	lately       []float64 // H x d: mean size of the last errors
	rounds       []float64 // H: number of samples that g has learnt from
	own          []float64 // f, L x H x d
	common       []float64 // g, L x H

	last   []float64 // newest value of each coordinate
	before []float64 // value before it, if the step between them was far beyond the usual: the next intervals include both; NaN: it was not
	still  []int     // number of samples since the last change

	early   []float64          // H: offset of the number of outcomes in the rate
	until   []float64          // H: number of outcomes after which the rate is at its floor
	errors  []*lanes.Conformal // H
	voting  []float64          // d: 0: the value does not change, and teaches no factor
	steps   []float64          // H x L x 2: factors of f after a hit and after a miss
	stepsOf []float64          // H: the step for which steps was computed
	moves   []float64          // H x L x (d+1): factors of g by the number of misses; computed when needed

	worthMoves []factorMove // by anchor
	profiles   *profiles    // nil while the series has no cycles
	states     *stateWidths
	sizes      []float64 // scratch, d
}

// NewIntervals returns the intervals of a series that has no forecasts yet.
func NewIntervals(cfg Config) (*Intervals, error) {
	if err := check.Shape(cfg.Dim, cfg.Horizon); err != nil {
		return nil, err
	}
	if len(cfg.Levels) == 0 {
		return nil, fmt.Errorf("varmodel: Levels must not be empty")
	}
	for _, p := range cfg.Levels {
		if !(p > 0 && p < 1) {
			return nil, fmt.Errorf("varmodel: Levels must be in (0, 1), got %g", p)
		}
	}
	d, h, l := cfg.Dim, cfg.Horizon, len(cfg.Levels)
	s := &Intervals{
		cfg: cfg, order: make([]int, l), gauss: make([]float64, l),
		ring: make([]float64, h*h*d), half: make([]float64, h*l*h*d),
		count: make([]float64, h*d), scale: make([]float64, h*d), rounds: make([]float64, h),
		lately: make([]float64, h*d), own: make([]float64, l*h*d), common: make([]float64, l*h),
		issued: make([]int, h), scored: make([]int, h),
		last: make([]float64, d), before: make([]float64, d), still: make([]int, d), seen: make([]int, d),
		early: make([]float64, h), until: make([]float64, h),
		voting: vec.Aligned(d), steps: make([]float64, 2*l*h), stepsOf: make([]float64, h), moves: make([]float64, h*l*(d+1)),
		worthMoves: make([]factorMove, anchorAt(h)+1), states: newStateWidths(d, h), sizes: make([]float64, d),
	}
	for k := range h {
		s.early[k] = math.Pow(float64(k+1), 1/rateDecay)
		below := math.Pow(min(ownLeast(k+1)/ownRate, commonLeast(k+1)), -1/rateDecay)
		s.until[k] = min(rateSettled, below-s.early[k]+1)
		s.errors = append(s.errors, lanes.NewConformal(l, k+1, intervalScaleRate/float64(k+1), series.Degenerate, 1/farthest, farthest, series.WinsorAfter, series.WinsorLimit))
	}
	s.used = cfg.horizons()
	for i, p := range cfg.Levels {
		s.order[i], s.gauss[i] = i, gaussianFactor(p)
		for k := range h {
			s.common[i*h+k] = s.gauss[i]
		}
	}
	slices.SortStableFunc(s.order, func(a, b int) int { return cmp.Compare(cfg.Levels[a], cfg.Levels[b]) })
	for i := range s.own {
		s.own[i] = 1
	}
	for j := range s.voting {
		s.voting[j], s.before[j] = 1, math.NaN()
	}
	return s, nil
}

// horizons returns the horizons that have intervals.
func (c *Config) horizons() (used []int) {
	for h := 1; h <= c.Horizon; h++ {
		wanted := func(o int) bool { return o == h || profileAnchor(anchorAt(o), c.Horizon) == h }
		if h == 1 || len(c.Horizons) == 0 || slices.ContainsFunc(c.Horizons, wanted) {
			used = append(used, h)
		}
	}
	return used
}

const (
	intervalScaleRate = 0.05 // weight of an error in s, at one step
	intervalAfter     = 20   // errors at a horizon before its bounds are given
	forgotten         = 10   // memories of s after which a constant value has made s negligible
	stillLimit        = 1 << 30
	farError          = 10 // an error above this many mean absolute errors is far beyond the usual
	stillAfter        = 20 // number of samples without a change after which a coordinate teaches no factor
)

// Observe implements eval.Companion: it learns from the errors of the forecasts of
// y.
func (s *Intervals) Observe(y []float64) {
	H, d := s.cfg.Horizon, s.cfg.Dim
	s.compareSteps(y)
	for j, v := range y {
		if v == v {
			s.seen[j] = min(s.seen[j]+1, intervalAfter+H)
		}
		if v == s.last[j] || v != v {
			if s.still[j] = min(s.still[j]+1, stillLimit); s.still[j] >= stillAfter {
				s.voting[j] = 0
			}
			continue
		}
		for h := 0; h < H && float64(s.still[j])*intervalScaleRate > forgotten*float64(h+1); h++ {
			s.count[h*d+j] = 0
		}
		s.last[j], s.still[j], s.voting[j] = v, 0, 1
	}
	// Neighbouring horizons are not processed one after the other, to give stores time to finish.
	for first := range 2 {
		for i := first; i < len(s.used); i += 2 {
			if h := s.used[i]; s.issued[h-1] == h {
				s.score(h, y, (s.next-h+H)%H)
				s.scored[h-1] = min(s.scored[h-1]+1, intervalAfter)
			}
		}
	}
	if s.profiles != nil {
		s.compareProfiles()
	}
	s.states.endTerms(s)
	s.states.scaler.Add(y)
}

// compareSteps finds the coordinates whose errors are far beyond the usual. Such a value may be a spike or a new level. A
// value that returns to the level before the last value ends a spike.
func (s *Intervals) compareSteps(y []float64) {
	if s.issued[0] == 0 {
		return
	}
	H, d := s.cfg.Horizon, s.cfg.Dim
	forecast := s.ring[(s.next-1+H)%H*H*d:][:d]
	for j, v := range y {
		back := math.Abs(v-s.before[j]) < math.Abs(v-s.last[j])
		s.before[j] = math.NaN()
		usual := s.scale[j]
		if s.profiles != nil {
			usual *= s.profiles.ratioNow(j)
		}
		if far := math.Abs(v-forecast[j]) > farError*usual; far && !back && s.count[j] > series.WinsorAfter {
			s.before[j] = s.last[j]
		}
	}
}

// Issue implements eval.Companion.
func (s *Intervals) Issue(forecast []float64) {
	H, d, L := s.cfg.Horizon, s.cfg.Dim, len(s.cfg.Levels)
	if len(forecast) != H*d {
		panic("varmodel: Issue: wrong length")
	}
	copy(s.ring[s.next*H*d:], forecast)
	half := s.half[s.next*L*H*d : (s.next+1)*L*H*d]
	s.halfTo(half)
	if s.profiles != nil {
		s.scaleTo(half)
	}
	s.states.issue(s.last, s.before)
	s.states.scaleTo(s, half, forecast)
	for j, before := range s.before {
		if before != before {
			continue
		}
		for i := j; i < len(half); i += d {
			yhat := forecast[i%(H*d)]
			half[i] += max(math.Abs(yhat-before), math.Abs(yhat-s.last[j]))
		}
	}
	s.next = (s.next + 1) % H
	for k := range s.issued {
		s.issued[k] = min(s.issued[k]+1, k+1)
	}
}

// halfTo writes the half widths of the current intervals, L x H x d.
func (s *Intervals) halfTo(dst []float64) {
	H, d := s.cfg.Horizon, s.cfg.Dim
	for n, l := range s.order {
		for _, h := range s.used {
			h--
			g, from, to := s.common[l*H+h], (l*H+h)*d, (l*H+h+1)*d
			row, own, scale := dst[from:to], s.own[from:to], s.scale[h*d:(h+1)*d]
			for j, f := range own {
				row[j] = scale[j] * g * f
			}
			if n == 0 {
				continue
			}
			inner := dst[(s.order[n-1]*H+h)*d:][:d]
			for j, v := range inner { // an interval contains the intervals of lower levels
				if v > row[j] {
					row[j] = v
				}
			}
		}
	}
}

// score learns from the forecasts of horizon h at the given origin of the ring,
// whose target y is known now.
func (s *Intervals) score(h int, y []float64, origin int) {
	H, d, L := s.cfg.Horizon, s.cfg.Dim, len(s.cfg.Levels)
	k := h - 1
	from, to := k*d, h*d
	rate := s.rate(h)
	steps := s.steps[2*L*k : 2*L*h]
	if own := max(ownRate*rate, ownLeast(h)); own != s.stepsOf[k] {
		s.stepsOf[k] = own
		for l, level := range s.cfg.Levels {
			steps[2*l], steps[2*l+1] = math.Exp(own*(0-(1-level))), math.Exp(own*(1-(1-level)))
		}
	}
	forecast, half := s.ring[origin*H*d:], s.half[origin*L*H*d:]
	common := max(rate, commonLeast(h))
	if profileAnchor(anchorAt(h), H) == h {
		s.learnRatios(h, y, forecast[from:to], common)
	}
	voters, misses := s.errors[k].Learn(s.scale[from:to], s.count[from:to], s.own[from:], half[from:], forecast[from:to], y, s.voting, steps, H*d)
	s.learnLately(h, y, forecast[from:to])
	if voters == 0 {
		return
	}
	s.rounds[k]++
	for l := range L {
		votes, missed := s.votes(h, l, voters, int(misses[l]), y, forecast[from:], half[l*H*d+from:])
		if votes == 0 {
			continue
		}
		g := &s.common[l*H+k]
		*g = series.ClipTo(*g*s.move(h, common, l, missed, votes), s.gauss[l]/farthest, s.gauss[l]*farthest)
	}
}

// learnRatios learns the errors at the horizon h of an anchor; s.scale must not include them yet. The ratios of profile and
// state are learnt in turn, each from the errors divided by the ratios before it.
func (s *Intervals) learnRatios(h int, y, forecast []float64, step float64) {
	d := s.cfg.Dim
	scale, count := s.scale[(h-1)*d:][:d], s.count[(h-1)*d:][:d]
	for j, v := range y {
		s.sizes[j] = math.NaN()
		if scale[j] > series.Degenerate*math.Abs(v) && count[j] > series.WinsorAfter {
			s.sizes[j] = math.Abs(v-forecast[j]) / scale[j]
		}
	}
	if s.profiles != nil {
		s.learnProfiles(h, s.sizes, scale, step)
	}
	s.states.learn(s, h, s.sizes, scale, forecast, step)
}

// ResetLags implements eval.Companion.
func (s *Intervals) ResetLags() {
	clear(s.issued)
	s.states.resetLags()
	for j := range s.before {
		s.before[j] = math.NaN()
	}
}

// BoundsTo implements eval.Intervals. Bounds are NaN at horizons, and of variables, that have not enough errors yet. Bounds
// of horizons without intervals are left unchanged.
func (s *Intervals) BoundsTo(lower, upper []float64) bool {
	H, d := s.cfg.Horizon, s.cfg.Dim
	if n := len(s.cfg.Levels) * H * d; len(lower) != n || len(upper) != n {
		panic("varmodel: BoundsTo: wrong length")
	}
	if s.scored[0] < intervalAfter || s.issued[0] == 0 {
		return false
	}
	last := (s.next - 1 + H) % H
	forecast := s.ring[last*H*d : (last+1)*H*d]
	half := s.half[last*len(lower):]
	for l := range s.cfg.Levels {
		for _, h := range s.used {
			from, to := (l*H+h-1)*d, (l*H+h)*d
			half, lower, upper := half[from:to], lower[from:to], upper[from:to]
			known := s.scored[h-1] >= intervalAfter
			for j, v := range forecast[(h-1)*d : h*d] {
				if !known || s.seen[j] < intervalAfter+h {
					v = math.NaN()
				}
				reach := half[j] + rounding(v)
				lower[j], upper[j] = v-reach, v+reach
				if lower[j] < -math.MaxFloat64 {
					lower[j] = -math.MaxFloat64
				}
				if upper[j] > math.MaxFloat64 {
					upper[j] = math.MaxFloat64
				}
			}
		}
	}
	s.oneSided(lower, upper, forecast)
	return true
}

// rounding returns the margin of an interval beyond its half width. An error within the margin counts as inside, so that
// exact forecasts are not missed by rounding.
func rounding(forecast float64) float64 { return series.Degenerate * math.Abs(forecast) }

// oneSided shortens each interval on the side away from s.before, by the distance of the forecast from s.before.
func (s *Intervals) oneSided(lower, upper, forecast []float64) {
	for j, before := range s.before {
		if before != before {
			continue
		}
		for i := j; i < len(lower); i += s.cfg.Dim {
			if v := forecast[i%len(forecast)]; before < v {
				upper[i] -= v - before
			} else {
				lower[i] += before - v
			}
		}
	}
}

// State implements eval.Companion. The sizes of the errors of each horizon are an option, and
// in it, with the present levels, the factors of that horizon and its forecasts under way.
func (s *Intervals) State(c *snapshot.Codec) {
	c.Section("intervals")
	d := s.cfg.Dim
	c.Float64s(s.last)
	c.Float64s(s.before)
	levels := fmt.Sprint("levels=", s.cfg.Levels)
	for _, h := range s.used {
		h--
		from, to := h*d, (h+1)*d
		c.Optional(strconv.Itoa(h+1), func() {
			c.Index(&s.scored[h], intervalAfter+1)
			c.Float64s(s.count[from:to])
			c.Float64s(s.scale[from:to])
			c.Float64s(s.lately[from:to])
			c.Optional(levels, func() { s.horizonState(c, h) })
		})
	}
	for j := range s.still {
		c.Index(&s.seen[j], math.MaxInt)
		s.seen[j] = min(s.seen[j], intervalAfter+s.cfg.Horizon)
		c.Index(&s.still[j], stillLimit+1)
		if s.voting[j] = 0; s.still[j] < stillAfter {
			s.voting[j] = 1
		}
	}
	s.profilesState(c)
	s.states.state(c, s.cfg.Horizon)
}

// horizonState transfers the factors of horizon k+1, then its forecasts under way, newest first.
func (s *Intervals) horizonState(c *snapshot.Codec, k int) {
	H, d, L := s.cfg.Horizon, s.cfg.Dim, len(s.cfg.Levels)
	c.Float64(&s.rounds[k])
	for l := range L {
		c.Float64(&s.common[l*H+k])
		c.Float64s(s.own[(l*H+k)*d:][:d])
	}
	c.Index(&s.issued[k], k+2)
	for age := range s.issued[k] {
		origin := (s.next - 1 - age + H) % H
		c.Float64s(s.ring[(origin*H+k)*d:][:d])
		for l := range L {
			c.Float64s(s.half[((origin*L+l)*H+k)*d:][:d])
		}
	}
}
