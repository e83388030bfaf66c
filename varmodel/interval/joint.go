package interval

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/series"
)

// JointConfig describes the joint region around the forecasts of a model.
type JointConfig struct {
	Dim     int       // d, coordinates of a sample
	Horizon int       // H, as of the model
	Levels  []float64 // levels of the model's intervals; the region has the first one
}

const (
	jointFloor    = .02  // smallest step of the factor at horizon 1
	jointDecay    = .6   // the steps fall like n^-0.6 before
	jointMemory   = 1000 // number of errors in the mean of the least unit
	jointLeast    = .5   // least unit, in mean absolute errors
	jointAfter    = 50   // number of scored samples before there is a region
	jointFarthest = 8.   // limit of a factor, and of its inverse
)

// WithJoint returns m, whose forecasters are eval.Bounders, with forecasters that
// are also eval.JointBounders. Forecasts and intervals stay the same.
//
// The region at a horizon is the box of the intervals of the first level, all widened by one factor. The factor grows when a
// sample is outside of the box in any coordinate, and shrinks otherwise, in the proportion that holds the coverage: adaptive
// conformal inference for the largest error in units of the intervals (Gibbs and Candes 2021). It starts at the value for
// independent Gaussian errors. The errors of the coordinates may depend on each other in any way.
func WithJoint(m eval.Model, cfg JointConfig) (eval.Model, error) {
	if err := check.Shape(cfg.Dim, cfg.Horizon); err != nil {
		return nil, err
	}
	if len(cfg.Levels) == 0 {
		return nil, fmt.Errorf("varmodel: Levels must not be empty: a joint region needs intervals")
	}
	level := cfg.Levels[0]
	if !(level > 0 && level < 1) {
		return nil, fmt.Errorf("varmodel: Levels must be in (0, 1), got %g", level)
	}
	if _, ok := eval.As[eval.Bounder](m.NewSeries()); !ok {
		return nil, errors.New("varmodel: a joint region needs a model with intervals")
	}
	start := gaussianFactor(math.Pow(level, 1/float64(cfg.Dim))) / gaussianFactor(level)
	j := &joints{Model: m, cfg: cfg, level: level, start: start}
	for h := 1; h <= cfg.Horizon; h++ {
		// The outcomes of h consecutive origins are similar.
		s := jointStep{early: math.Pow(float64(h), 1/jointDecay), floor: jointFloor / math.Sqrt(float64(h))}
		s.until = math.Pow(s.floor, -1/jointDecay) - s.early + 1
		s.settled = [2]float64{math.Exp(s.floor * (0 - (1 - level))), math.Exp(s.floor * (1 - (1 - level)))}
		j.steps = append(j.steps, s)
	}
	return j, nil
}

type joints struct {
	eval.Model
	cfg          JointConfig
	level, start float64
	steps        []jointStep // by horizon
}

// jointStep has the sizes of the steps of the factor of a horizon.
type jointStep struct {
	early, floor float64    // the step after n samples is max((n + early)^-jointDecay, floor)
	until        float64    // the n from which the step is floor
	settled      [2]float64 // factors after a hit and after a miss, once the step is floor
}

func (m *joints) NewSeries() eval.Forecaster {
	d, h := m.cfg.Dim, m.cfg.Horizon
	f := m.Model.NewSeries()
	bounder, ok := eval.As[eval.Bounder](f)
	if !ok {
		panic("varmodel: the model of a joint region has lost its intervals") // WithJoint has looked
	}
	s := &jointSeries{
		wrapper: wrapper{f}, bounder: bounder, m: m,
		ring: make([]float64, h*h*d), below: make([]float64, h*h*d), above: make([]float64, h*h*d),
		size: make([]float64, h*d), count: make([]float64, h*d),
		factor: make([]float64, h), rounds: make([]float64, h), issued: make([]int, h),
		lower: make([]float64, len(m.cfg.Levels)*h*d), upper: make([]float64, len(m.cfg.Levels)*h*d),
	}
	for i := range s.factor {
		s.factor[i] = m.start
	}
	return s
}

// jointSeries is one series with its region.
type jointSeries struct {
	wrapper
	bounder eval.Bounder
	m       *joints

	ring         []float64 // forecasts of the last H origins, H x H x d
	below, above []float64 // units of errors to either side of these forecasts
	next         int       // index of the origin that Observe overwrites next
	issued       []int     // H: number of last origins with an h-step forecast in the ring, at most h
	size, count  []float64 // H x d: mean absolute error, and number of errors
	factor       []float64 // H
	rounds       []float64 // H: number of samples that the factor has learnt from

	lower, upper []float64 // scratch, L x H x d
}

func (s *jointSeries) Observe(y []float64) error {
	if err := s.Forecaster.Observe(y); err != nil {
		return err
	}
	H, d := s.m.cfg.Horizon, s.m.cfg.Dim
	for h := 1; h <= H; h++ {
		if s.issued[h-1] == h {
			s.score(h, y, (s.next-h+H)%H)
		}
	}
	from, to := s.next*H*d, (s.next+1)*H*d
	if !s.bounder.BoundsTo(s.lower, s.upper) || !s.Forecaster.ForecastTo(s.ring[from:to]) {
		clear(s.issued)
		return nil
	}
	for i, v := range s.ring[from:to] {
		least := jointLeast * s.size[i]
		s.below[from+i] = max(v-s.lower[i], least)
		s.above[from+i] = max(s.upper[i]-v, least)
	}
	s.next = (s.next + 1) % H
	for k := range s.issued {
		s.issued[k] = min(s.issued[k]+1, k+1)
	}
	return nil
}

// score learns from the forecasts of horizon h at the given origin of the ring,
// whose target y is known now.
func (s *jointSeries) score(h int, y []float64, origin int) {
	H, d := s.m.cfg.Horizon, s.m.cfg.Dim
	k := h - 1
	miss, seen := 0, false
	for j, v := range y {
		i := (origin*H+k)*d + j
		e := v - s.ring[i]
		unit := s.above[i]
		if e < 0 {
			e, unit = -e, s.below[i]
		}
		if math.IsNaN(e) || math.IsNaN(unit) { // a horizon that is younger than others has no bounds yet
			continue
		}
		if e > s.factor[k]*unit+series.Degenerate*math.Abs(v) {
			miss = 1
		}
		n := &s.count[k*d+j]
		if e == 0 && *n == 0 {
			continue // a coordinate that has not moved yet
		}
		seen = true
		*n++
		size := &s.size[k*d+j]
		if *n > series.WinsorAfter {
			e = min(e, series.WinsorLimit**size)
		}
		*size += max(1 / *n, 1.0/jointMemory) * (e - *size)
	}
	if !seen {
		return
	}
	s.rounds[k]++
	step := &s.m.steps[k]
	move := step.settled[miss]
	if n := s.rounds[k]; n < step.until {
		rate := max(step.floor, math.Pow(n+step.early, -jointDecay))
		move = math.Exp(rate * (float64(miss) - (1 - s.m.level)))
	}
	f := s.factor[k] * move
	s.factor[k] = min(max(f, s.m.start/jointFarthest), s.m.start*jointFarthest)
}

// ResetLags implements eval.LagResetter: the targets of pending forecasts will not come.
func (s *jointSeries) ResetLags() {
	s.resetInner()
	clear(s.issued)
}

// JointTo implements eval.JointBounder. The ends are NaN at a horizon that has not enough errors yet.
func (s *jointSeries) JointTo(lower, upper []float64) bool {
	H, d := s.m.cfg.Horizon, s.m.cfg.Dim
	if len(lower) != H*d || len(upper) != H*d {
		panic("varmodel: JointTo: wrong length")
	}
	if s.issued[0] == 0 || s.rounds[0] < jointAfter {
		return false
	}
	last := (s.next - 1 + H) % H
	for i, v := range s.ring[last*H*d : (last+1)*H*d] {
		f := s.factor[i/d]
		if s.rounds[i/d] < jointAfter {
			f = math.NaN()
		}
		lower[i] = max(v-f*s.below[last*H*d+i], -math.MaxFloat64)
		upper[i] = min(v+f*s.above[last*H*d+i], math.MaxFloat64)
	}
	return true
}

// State transfers each horizon as an option: its factor, then its forecasts under way, newest first.
func (s *jointSeries) State(c *snapshot.Codec) {
	s.Forecaster.State(c)
	H, d := s.m.cfg.Horizon, s.m.cfg.Dim
	c.Optional(fmt.Sprint("joint level=", s.m.level), func() {
		for k := range H {
			c.Optional(strconv.Itoa(k+1), func() {
				c.Float64(&s.factor[k])
				c.Float64(&s.rounds[k])
				c.Float64s(s.size[k*d : (k+1)*d])
				c.Float64s(s.count[k*d : (k+1)*d])
				c.Index(&s.issued[k], k+2)
				for age := range s.issued[k] {
					at := (((s.next-1-age+H)%H)*H + k) * d
					c.Float64s(s.ring[at : at+d])
					c.Float64s(s.below[at : at+d])
					c.Float64s(s.above[at : at+d])
				}
			})
		}
	})
}
