package varmodel

import (
	"cmp"
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

// DriftWatch watches the one-step forecasts of one series: an eval.Companion of its
// model.
//
// The residuals, in units of their running root mean square, are
// watched by cumulative sums (Page 1954): log(1+z^2) of each coordinate and its
// mean over the coordinates for errors that grow, z of each coordinate for errors
// with a sign. A sum is compared with the usual mean and long-run variance of its
// sequence, so that errors that cluster give no alarm, and the threshold is that of
// Siegmund (1985) for the rate of false alarms: half of it for the mean over the
// coordinates, half shared by the others. Only the past is used.
type DriftWatch struct {
	cfg             DriftConfig
	overall, single float64 // thresholds

	issued        bool
	next          []float64 // the one-step forecast, when issued
	square, count []float64 // mean square of the residuals of each coordinate, and their number
	total         chart     // log(1+z^2), mean over the coordinates
	size, sign    []chart   // log(1+z^2) and z of each coordinate
	drift         eval.Drift
	alarm         bool // drift is of the last sample

	z, logs []float64 // scratch, d: residuals in units of their size, and log(1+z^2)
}

// NewDriftWatch returns the watch of a series that has no forecasts yet. It does
// nothing but watch: the Action is left to whoever asks.
func NewDriftWatch(cfg DriftConfig) (*DriftWatch, error) {
	if err := checkShape(cfg.Dim, cfg.Horizon); err != nil {
		return nil, err
	}
	cfg.FalseAlarms = cmp.Or(cfg.FalseAlarms, 1e-4)
	if !(cfg.FalseAlarms > 0 && cfg.FalseAlarms < .1) {
		return nil, fmt.Errorf("varmodel: FalseAlarms must be in (0, 0.1), got %g", cfg.FalseAlarms)
	}
	switch cfg.Action = cmp.Or(cfg.Action, eval.AdaptNone); cfg.Action {
	case eval.AdaptNone, eval.AdaptForget, eval.AdaptScaler, eval.AdaptRestart:
	default:
		return nil, fmt.Errorf("varmodel: Action must be none, forget, reset_scaler or restart, got %q", cfg.Action)
	}
	d, half := cfg.Dim, cfg.FalseAlarms/2
	return &DriftWatch{
		cfg:     cfg,
		overall: cusumThreshold(half),
		single:  cusumThreshold(half / float64(3*d)), // size, sign up, sign down
		next:    make([]float64, d), square: make([]float64, d), count: make([]float64, d),
		size: make([]chart, d), sign: make([]chart, d),
		z: make([]float64, d), logs: make([]float64, d),
	}, nil
}

// WithDrift returns m with forecasters that are also eval.DriftDetectors, by a
// DriftWatch, and do the Action at an alarm. The forecasts stay the same as long as
// there is none.
func WithDrift(m eval.Model, cfg DriftConfig) (eval.Model, error) {
	if _, err := NewDriftWatch(cfg); err != nil {
		return nil, err
	}
	return &drifting{m, cfg}, nil
}

type drifting struct {
	eval.Model
	cfg DriftConfig
}

func (m *drifting) NewSeries() eval.Forecaster {
	w, err := NewDriftWatch(m.cfg)
	if err != nil {
		panic("varmodel: " + err.Error()) // WithDrift has tried it
	}
	return &watchedSeries{around{m.Model.NewSeries()}, w, make([]float64, m.cfg.Horizon*m.cfg.Dim)}
}

// watchedSeries is one series with its detector.
type watchedSeries struct {
	around
	watch    *DriftWatch
	forecast []float64 // scratch, H x d
}

func (s *watchedSeries) Observe(y []float64) error {
	if err := s.Forecaster.Observe(y); err != nil {
		return err
	}
	s.watch.Observe(y)
	if d, ok := s.watch.Drift(); ok && d.Action != eval.AdaptNone {
		s.Adapt(d.Action, max(d.Since, 1))
	}
	if s.Forecaster.ForecastTo(s.forecast) {
		s.watch.Issue(s.forecast)
	} else {
		s.watch.ResetLags()
	}
	return nil
}

// Drift implements eval.DriftDetector.
func (s *watchedSeries) Drift() (eval.Drift, bool) { return s.watch.Drift() }

// ResetLags implements eval.LagResetter.
func (s *watchedSeries) ResetLags() {
	s.around.ResetLags()
	s.watch.ResetLags()
}

func (s *watchedSeries) State(c *snapshot.Codec) {
	s.Forecaster.State(c)
	s.watch.State(c)
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

// Observe implements eval.Companion.
func (s *DriftWatch) Observe(y []float64) {
	s.alarm = false
	if s.issued {
		s.watch(y)
	}
}

// Issue implements eval.Companion.
func (s *DriftWatch) Issue(forecast []float64) {
	s.issued = true
	copy(s.next, forecast)
}

// watch shows the residuals of y to the charts.
func (s *DriftWatch) watch(y []float64) {
	best, total, n := 0.0, 0.0, 0.0
	consider := func(sum, threshold float64, since, variable int, bias bool) {
		if sum/threshold > max(best, 1) {
			best = sum / threshold
			s.alarm = true
			s.drift = eval.Drift{Since: since, Variable: variable, Bias: bias, Action: s.cfg.Action}
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
			if sum, since, upper := s.size[j].above(s.single); upper {
				consider(sum, s.single, since, j, false)
			}
			s.sign[j].add(s.z[j])
			if sum, since, _ := s.sign[j].above(s.single); sum > 0 {
				consider(sum, s.single, since, j, true)
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
		if sum, since, upper := s.total.above(s.overall); upper {
			consider(sum, s.overall, since, eval.All, false)
		}
	}
	if s.alarm {
		s.begin()
	}
}

// begin learns anew what is usual.
func (s *DriftWatch) begin() {
	clear(s.count)
	clear(s.square)
	clear(s.size)
	clear(s.sign)
	s.total = chart{}
}

// ResetLags implements eval.Companion.
func (s *DriftWatch) ResetLags() { s.issued = false }

// Drift implements eval.DriftWatch.
func (s *DriftWatch) Drift() (eval.Drift, bool) { return s.drift, s.alarm }

// State implements eval.Companion.
func (s *DriftWatch) State(c *snapshot.Codec) {
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
	c.Index(&v, s.cfg.Dim+1)
	s.drift.Variable = v - 1
	s.drift.Action = s.cfg.Action
}
