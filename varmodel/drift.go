package varmodel

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

// DriftConfig describes a drift detector.
type DriftConfig struct {
	Dim     int // d, coordinates of a sample
	Horizon int // H, as of the model

	// FalseAlarms is the rate of false alarms that the thresholds are made for,
	// per sample of a series that does not change; 0 means 1e-4.
	FalseAlarms float64

	Action eval.Adaptation // of the model at an alarm; empty means none
}

const (
	driftMemory = 1000 // residuals that the usual ones are a mean of
	driftAfter  = 200  // residuals before a first alarm, and after each before the next
	driftBlock  = 20   // residuals in a block; see chart
	driftShift  = .25  // half the shift that is found soonest, in long-run standard deviations
	driftClip   = 4    // limit of a standardised residual
)

// NewDrift returns m with forecasters that are also eval.DriftDetectors. The
// forecasts stay the same as long as there is no alarm, or no action.
//
// The one-step residuals, in units of their running root mean square, are
// watched by cumulative sums (Page 1954): log(1+z^2) of each coordinate and its
// mean over the coordinates for errors that grow, z of each coordinate for errors
// with a sign. A sum is compared with the usual mean and long-run variance of its
// sequence, so that errors that cluster give no alarm, and the threshold is that of
// Siegmund (1985) for the rate of false alarms: half of it for the mean over the
// coordinates, half shared by the others. Only the past is used.
func NewDrift(m eval.Model, cfg DriftConfig) (eval.Model, error) {
	if err := checkShape(cfg.Dim, cfg.Horizon); err != nil {
		return nil, err
	}
	if cfg.FalseAlarms == 0 {
		cfg.FalseAlarms = 1e-4
	}
	if !(cfg.FalseAlarms > 0 && cfg.FalseAlarms < .1) {
		return nil, fmt.Errorf("varmodel: FalseAlarms must be in (0, 0.1), got %g", cfg.FalseAlarms)
	}
	switch cfg.Action {
	case "":
		cfg.Action = eval.AdaptNone
	case eval.AdaptNone, eval.AdaptForget, eval.AdaptScaler, eval.AdaptRestart:
	default:
		return nil, fmt.Errorf("varmodel: Action must be none, forget, reset_scaler or restart, got %q", cfg.Action)
	}
	half := cfg.FalseAlarms / 2
	return &drifts{
		Model: m, cfg: cfg,
		overall: cusumThreshold(half),
		single:  cusumThreshold(half / float64(3*cfg.Dim)), // size, sign up, sign down
	}, nil
}

// cusumThreshold returns the threshold at which a cumulative sum with the
// allowance driftShift gives rate alarms a sample when nothing changes: Siegmund's
// approximation of the average run length of a Gaussian sum.
func cusumThreshold(rate float64) float64 {
	low, high := 0.0, 1000.0
	for range 100 {
		h := (low + high) / 2
		b := h + 1.166
		if (math.Exp(2*driftShift*b)-2*driftShift*b-1)/(2*driftShift*driftShift) < 1/rate {
			low = h
		} else {
			high = h
		}
	}
	return high
}

type drifts struct {
	eval.Model
	cfg             DriftConfig
	overall, single float64 // thresholds
}

func (m *drifts) NewSeries() eval.Forecaster {
	d := m.cfg.Dim
	return &driftSeries{
		around: around{m.Model.NewSeries()}, m: m,
		next: make([]float64, d), square: make([]float64, d), count: make([]float64, d),
		size: make([]chart, d), sign: make([]chart, d),
		forecast: make([]float64, m.cfg.Horizon*d),
		z:        make([]float64, d), logs: make([]float64, d),
	}
}

// driftSeries is one series with its detector.
type driftSeries struct {
	around
	m *drifts

	issued        bool
	next          []float64 // the one-step forecast, when issued
	square, count []float64 // mean square of the residuals of each coordinate, and their number
	total         chart     // log(1+z^2), mean over the coordinates
	size, sign    []chart   // log(1+z^2) and z of each coordinate
	drift         eval.Drift
	alarm         bool // drift is of the last sample

	forecast []float64 // scratch, H x d
	z, logs  []float64 // scratch, d: residuals in units of their size, and log(1+z^2)
}

// chart watches the mean of a sequence by two cumulative sums. Its allowance and
// its threshold are in units of the long-run standard deviation, that of sums
// over blocks: neighbours may be alike.
type chart struct {
	count, mean        float64
	square             float64 // variance of a value
	blockSum, blockLen float64
	blocks, variance   float64 // complete blocks, and the long-run variance
	up, down           float64 // the sums
	sinceUp, sinceDown int     // values since they were zero
}

// add takes the next value.
func (c *chart) add(x float64) {
	c.count++
	if c.variance > 0 && c.count > driftAfter {
		z := (x - c.mean) / math.Sqrt(max(c.variance, c.square))
		// In local variables: which sum is zero cannot be predicted, so the processor
		// should not have to.
		up, down := c.up+z-driftShift, c.down-z-driftShift
		sinceUp, sinceDown := c.sinceUp+1, c.sinceDown+1
		if up <= 0 {
			sinceUp = 0
		}
		if down <= 0 {
			sinceDown = 0
		}
		c.up, c.sinceUp = max(0, up), sinceUp
		c.down, c.sinceDown = max(0, down), sinceDown
	}
	dev, rate := x-c.mean, 1.0/driftMemory
	if c.count < driftMemory {
		rate = 1 / c.count
	}
	c.blockSum += dev
	c.mean += rate * dev
	c.square += rate * (dev*dev - c.square)
	if c.blockLen++; c.blockLen == driftBlock {
		c.blocks++
		v := c.blockSum * c.blockSum / driftBlock
		if c.blocks > 5 {
			v = min(v, 9*c.variance)
		}
		c.variance += max(1/c.blocks, float64(driftBlock)/driftMemory) * (v - c.variance)
		c.blockSum, c.blockLen = 0, 0
	}
}

// above returns the larger sum, if it is above threshold, and its age; upper is
// whether it is the one of values above the mean.
func (c *chart) above(threshold float64) (sum float64, since int, upper bool) {
	switch {
	case c.up > threshold && c.up >= c.down:
		return c.up, c.sinceUp, true
	case c.down > threshold:
		return c.down, c.sinceDown, false
	}
	return 0, 0, false
}

func (c *chart) state(k *snapshot.Codec) {
	for _, v := range []*float64{&c.count, &c.mean, &c.square, &c.blockSum, &c.blockLen, &c.blocks, &c.variance, &c.up, &c.down} {
		k.Float64(v)
	}
	k.Index(&c.sinceUp, math.MaxInt)
	k.Index(&c.sinceDown, math.MaxInt)
}

func (s *driftSeries) Observe(y []float64) error {
	if err := s.Forecaster.Observe(y); err != nil {
		return err
	}
	s.alarm = false
	if s.issued {
		s.watch(y)
	}
	if s.alarm && s.m.cfg.Action != eval.AdaptNone {
		s.Adapt(s.m.cfg.Action, max(s.drift.Since, 1))
	}
	if s.issued = s.Forecaster.ForecastTo(s.forecast); s.issued {
		copy(s.next, s.forecast)
	}
	return nil
}

// watch shows the residuals of y to the charts.
func (s *driftSeries) watch(y []float64) {
	best, total, n := 0.0, 0.0, 0.0
	consider := func(sum, threshold float64, since, variable int, bias bool) {
		if sum/threshold > max(best, 1) {
			best = sum / threshold
			s.alarm = true
			s.drift = eval.Drift{Since: since, Variable: variable, Bias: bias, Action: s.m.cfg.Action}
		}
	}
	// In two passes, so that the logarithms do not wait for each other. A coordinate
	// without a scale yet has z = NaN.
	for j, v := range y {
		z := math.NaN()
		if s.square[j] > 0 {
			z = min(max((v-s.next[j])/math.Sqrt(s.square[j]), -driftClip), driftClip)
		}
		s.z[j], s.logs[j] = z, vec.Log(1+z*z)
	}
	for j, v := range y {
		e := v - s.next[j]
		if math.IsNaN(e) || e == 0 && s.count[j] == 0 {
			continue
		}
		s.count[j]++
		square := e * e
		if s.square[j] > 0 {
			total += s.logs[j]
			n++
			s.size[j].add(s.logs[j])
			if sum, since, upper := s.size[j].above(s.m.single); upper {
				consider(sum, s.m.single, since, j, false)
			}
			s.sign[j].add(s.z[j])
			if sum, since, _ := s.sign[j].above(s.m.single); sum > 0 {
				consider(sum, s.m.single, since, j, true)
			}
		}
		if s.count[j] > winsorAfter {
			square = min(square, winsorLimit*winsorLimit*s.square[j])
		}
		rate := 1.0 / driftMemory
		if s.count[j] < driftMemory {
			rate = 1 / s.count[j]
		}
		s.square[j] += rate * (square - s.square[j])
	}
	if n > 0 {
		s.total.add(total / n)
		if sum, since, upper := s.total.above(s.m.overall); upper {
			consider(sum, s.m.overall, since, eval.All, false)
		}
	}
	if s.alarm {
		s.begin()
	}
}

// begin learns anew what is usual.
func (s *driftSeries) begin() {
	clear(s.count)
	clear(s.square)
	clear(s.size)
	clear(s.sign)
	s.total = chart{}
}

// ResetLags implements eval.LagResetter: the forecast that waits has lost its
// target.
func (s *driftSeries) ResetLags() {
	s.around.ResetLags()
	s.issued = false
}

// Drift implements eval.DriftDetector.
func (s *driftSeries) Drift() (eval.Drift, bool) { return s.drift, s.alarm }

func (s *driftSeries) State(c *snapshot.Codec) {
	s.Forecaster.State(c)
	c.Section("drift")
	c.Bool(&s.issued)
	c.Float64s(s.next)
	c.Float64s(s.square)
	c.Float64s(s.count)
	s.total.state(c)
	for j := range s.size {
		s.size[j].state(c)
		s.sign[j].state(c)
	}
	c.Bool(&s.alarm)
	c.Index(&s.drift.Since, math.MaxInt)
	c.Bool(&s.drift.Bias)
	v := s.drift.Variable + 1
	c.Index(&v, s.m.cfg.Dim+1)
	s.drift.Variable = v - 1
	s.drift.Action = s.m.cfg.Action
}
