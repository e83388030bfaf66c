package varmodel

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/snapshot"
)

// IntervalConfig describes the prediction intervals around a model.
type IntervalConfig struct {
	Dim     int       // d, coordinates of a sample
	Horizon int       // H, as of the model
	Levels  []float64 // coverage of each interval, in (0, 1)
}

// NewIntervals returns m with forecasters that are eval.Bounders. The forecasts
// stay the same.
//
// An interval reaches s exp(L) to either side of the forecast. For each
// horizon and coordinate, s follows the mean absolute error of the forecasts of
// that horizon, and for each level L moves up when a sample falls outside and
// down when it falls inside, in the proportion that holds the coverage at the
// level (adaptive conformal inference on a logarithmic scale; Gibbs and Candes
// 2021). Both learn when the target was observed. Nothing is assumed of the
// distribution of the errors.
func NewIntervals(m eval.Model, cfg IntervalConfig) (eval.Model, error) {
	if err := checkShape(cfg.Dim, cfg.Horizon); err != nil {
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
	return &intervals{Model: m, cfg: cfg}, nil
}

const (
	intervalScaleRate = 0.05 // memory of the error scale
	intervalAfter     = 20   // errors at every horizon before bounds are given
	intervalRate      = 0.03 // smallest step of L
	intervalSettled   = 400  // errors after which n^-0.6 is smaller than that
)

type intervals struct {
	eval.Model
	cfg IntervalConfig
}

func (m *intervals) NewSeries() eval.Forecaster {
	d, h, l := m.cfg.Dim, m.cfg.Horizon, len(m.cfg.Levels)
	s := &intervalSeries{
		around: around{m.Model.NewSeries()}, m: m,
		ring: make([]float64, h*h*d), then: make([]float64, h*h*d),
		count: make([]float64, h*d), scale: make([]float64, h*d),
		width: make([]float64, l*h*d), reach: make([]float64, l*h*d),
	}
	for i, p := range m.cfg.Levels {
		// The half width of a Gaussian in mean absolute errors.
		start := math.Log(math.Erfinv(p) * math.Sqrt(math.Pi))
		for k := range h * d {
			s.width[i*h*d+k] = start
		}
	}
	s.reachAnew()
	return s
}

// intervalSeries is one series with its intervals.
type intervalSeries struct {
	around
	m *intervals

	ring   []float64 // forecasts of the last H origins, H x H x d
	then   []float64 // scales when they were issued, H x H x d
	next   int       // origin that Observe replaces next
	issued int       // origins in the ring
	scored int       // samples after which forecasts of every horizon were scored

	count, scale []float64 // H x d: errors seen, and their mean size
	width        []float64 // L x H x d: log half widths in scales
	reach        []float64 // exp(width)
}

func (s *intervalSeries) reachAnew() {
	for i, w := range s.width {
		s.reach[i] = math.Exp(w)
	}
}

func (s *intervalSeries) Observe(y []float64) error {
	if err := s.Forecaster.Observe(y); err != nil {
		return err
	}
	H, d := s.m.cfg.Horizon, s.m.cfg.Dim
	for h := 1; h <= s.issued; h++ {
		origin := (s.next - h + H) % H
		at, to := (origin*H+h-1)*d, (origin*H+h)*d
		s.score(h, y, s.ring[at:to], s.then[at:to])
	}
	if s.issued == H {
		s.scored = min(s.scored+1, intervalAfter)
	}
	if s.Forecaster.ForecastTo(s.ring[s.next*H*d : (s.next+1)*H*d]) {
		copy(s.then[s.next*H*d:], s.scale)
		s.next = (s.next + 1) % H
		s.issued = min(s.issued+1, H)
	}
	return nil
}

// score learns from a forecast of horizon h once its target y is known. Whether
// y was inside is judged by the scale when the forecast was issued: errors of
// neighbouring origins are alike, so the scale of now already knows of this one.
func (s *intervalSeries) score(h int, y, forecast, then []float64) {
	H, d := s.m.cfg.Horizon, s.m.cfg.Dim
	for j, v := range y {
		if math.IsNaN(v) {
			continue
		}
		i := (h-1)*d + j
		size := math.Abs(v - forecast[j])
		if size == 0 && s.count[i] == 0 {
			continue // a coordinate that has not moved yet
		}
		s.count[i]++
		n := s.count[i]
		if then[j] > 0 {
			rate := intervalRate
			if n < intervalSettled {
				rate = max(rate, math.Pow(n, -0.6))
			}
			for l, level := range s.m.cfg.Levels {
				k := l*H*d + i
				miss := 0.0
				if size > then[j]*s.reach[k]+degenerate*math.Abs(v) {
					miss = 1
				}
				s.width[k] += rate * (miss - (1 - level))
				s.reach[k] = math.Exp(s.width[k])
			}
		}
		if n > winsorAfter {
			size = min(size, winsorLimit*s.scale[i])
		}
		s.scale[i] += max(intervalScaleRate/math.Sqrt(float64(h)), 1/n) * (size - s.scale[i])
	}
}

// ForecastTo writes the forecasts made at the last sample.
func (s *intervalSeries) ForecastTo(dst []float64) bool {
	H, d := s.m.cfg.Horizon, s.m.cfg.Dim
	if len(dst) != H*d {
		panic("varmodel: ForecastTo: wrong length")
	}
	if s.issued == 0 {
		return false
	}
	last := (s.next - 1 + H) % H
	copy(dst, s.ring[last*H*d:])
	return true
}

// BoundsTo implements eval.Bounder.
func (s *intervalSeries) BoundsTo(lower, upper []float64) bool {
	H, d := s.m.cfg.Horizon, s.m.cfg.Dim
	if n := len(s.m.cfg.Levels) * H * d; len(lower) != n || len(upper) != n {
		panic("varmodel: BoundsTo: wrong length")
	}
	if s.scored < intervalAfter {
		return false
	}
	last := (s.next - 1 + H) % H
	forecast := s.ring[last*H*d : (last+1)*H*d]
	for l := range s.m.cfg.Levels {
		for i, v := range forecast {
			half := s.scale[i] * s.reach[l*H*d+i]
			lower[l*H*d+i] = max(v-half, -math.MaxFloat64)
			upper[l*H*d+i] = min(v+half, math.MaxFloat64)
		}
	}
	return true
}

func (s *intervalSeries) State(c *snapshot.Codec) {
	s.Forecaster.State(c)
	c.Section("intervals")
	c.Float64s(s.ring)
	c.Float64s(s.then)
	c.Index(&s.next, s.m.cfg.Horizon)
	c.Index(&s.issued, s.m.cfg.Horizon+1)
	c.Index(&s.scored, intervalAfter+1)
	c.Float64s(s.count)
	c.Float64s(s.scale)
	c.Float64s(s.width)
	if c.Decoding() {
		s.reachAnew()
	}
}
