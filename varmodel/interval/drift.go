package interval

import (
	"cmp"
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/drift"
	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/varmodel/internal/check"
	"github.com/orffvar/forecaster/varmodel/series"
)

// DriftConfig describes a drift detector.
type DriftConfig struct {
	Dim     int // d, coordinates of a sample
	Horizon int // H, as of the model

	// FalseAlarms is the rate of false alarms that sets the thresholds,
	// per sample of a series that does not change; 0 means 1e-4.
	FalseAlarms float64

	Action drift.Adaptation // reaction of the model to an alarm; empty: none
}

const (
	driftMemory = 1000 // number of residuals in the usual mean and variance
	driftAfter  = 200  // least number of residuals before the first alarm, and between two alarms
	driftBlock  = 20   // residuals in a block; see blocks
	driftShift  = .25  // allowance: half of the shift that is detected fastest, in long-run standard deviations
	driftClip   = 4    // limit of a standardised residual
)

// DriftWatch detects changes of one series by its one-step forecasts: an eval.Companion of
// its model.
//
// z are the residuals in units of their running root mean square. Cumulative sums (Page 1954) watch log(1+z^2) of each
// coordinate and its mean over the coordinates, for growing errors, and z of each coordinate, for biased errors. Each sum is
// in units of the usual mean and long-run variance of its sequence, so that clustered errors raise no alarm. The threshold
// is that of Siegmund (1985) for the rate of false alarms: half of the rate is for the mean over the coordinates, the other
// sums share the rest. Only the past is used.
type DriftWatch struct {
	cfg             DriftConfig
	overall, single float64 // thresholds

	issued        bool
	next          []float64 // one-step forecast, valid if issued
	square, count []float64 // by coordinate: mean square and number of the residuals

	// Sums of log(1+z^2) of each coordinate, of z of each coordinate, and of the mean of
	// log(1+z^2) over the coordinates. Their units are long-run standard
	// deviations, estimated from sums over blocks because neighbours may be correlated.
	sums   *lanes.Cusum
	blocks []float64 // number of complete blocks

	drift drift.Change
	alarm bool // drift is of the last sample

	x []float64 // scratch: the terms of the sums
}

// NewDriftWatch returns the watch of a series without forecasts so far. The caller carries out the Action.
func NewDriftWatch(cfg DriftConfig) (*DriftWatch, error) {
	if err := check.Shape(cfg.Dim, cfg.Horizon); err != nil {
		return nil, err
	}
	cfg.FalseAlarms = cmp.Or(cfg.FalseAlarms, 1e-4)
	if !(cfg.FalseAlarms > 0 && cfg.FalseAlarms < .1) {
		return nil, fmt.Errorf("varmodel: FalseAlarms must be in (0, 0.1), got %g", cfg.FalseAlarms)
	}
	switch cfg.Action = cmp.Or(cfg.Action, drift.None); cfg.Action {
	case drift.None, drift.Forget, drift.ResetScaler, drift.Restart:
	default:
		return nil, fmt.Errorf("varmodel: Action must be none, forget, reset_scaler or restart, got %q", cfg.Action)
	}
	d, half := cfg.Dim, cfg.FalseAlarms/2
	w := &DriftWatch{
		cfg:     cfg,
		overall: cusumThreshold(half),
		single:  cusumThreshold(half / float64(3*d)), // size, sign up, sign down
		next:    make([]float64, d), square: make([]float64, d), count: make([]float64, d),
		sums:   lanes.NewCusum(2*d+1, driftAfter, driftShift, driftMemory),
		blocks: make([]float64, 2*d+1),
		x:      vec.Aligned(vec.Stride(2*d + 1)),
	}
	for i := range w.x {
		w.x[i] = math.NaN()
	}
	return w, nil
}

// WithDrift returns m with forecasters that implement drift.Detector by a DriftWatch, and carry out the Action at an alarm.
// The forecasts are the same until the first alarm.
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
	s := &watchedSeries{accompanied: accompany(m.Model.NewSeries(), w, m.cfg.Horizon, m.cfg.Dim), watch: w}
	if m.cfg.Action != drift.None {
		s.adapter, _ = eval.As[drift.Adapter](s.Forecaster)
	}
	return s
}

// watchedSeries is one series with its detector.
type watchedSeries struct {
	accompanied
	watch   *DriftWatch
	adapter drift.Adapter // nil: an alarm has no action
}

func (s *watchedSeries) Observe(y []float64) error {
	if err := s.learn(y); err != nil {
		return err
	}
	if d, ok := s.watch.Drift(); ok && s.adapter != nil {
		s.adapter.Adapt(d.Action, max(d.Since, 1))
	}
	s.issue()
	return nil
}

// Drift implements drift.Detector.
func (s *watchedSeries) Drift() (drift.Change, bool) { return s.watch.Drift() }

// cusumThreshold returns the threshold at which a cumulative sum with the allowance driftShift raises rate alarms per sample
// without a change, by Siegmund's approximation of the average run length of a Gaussian sum.
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

// watch adds the residuals of y to the sums.
func (s *DriftWatch) watch(y []float64) {
	d := len(y)
	next, squares, counts, logs, signs := s.next[:d], s.square[:d], s.count[:d], s.x[:d], s.x[d:2*d]
	for j, v := range y {
		logs[j], signs[j] = math.NaN(), math.NaN()
		e := v - next[j]
		if e == 0 && counts[j] == 0 {
			continue
		}
		if usual := squares[j]; usual > 0 {
			z := lanes.Clip(e/math.Sqrt(usual), driftClip)
			logs[j], signs[j] = 1+z*z, z
		}
	}
	// These vector loads are in a loop of their own, to give the stores above time to finish.
	for j, v := range y {
		e := v - next[j]
		if e != e || e == 0 && counts[j] == 0 {
			continue
		}
		counts[j]++
		square, usual := e*e, squares[j]
		if limit := series.WinsorLimit * series.WinsorLimit * usual; counts[j] > series.WinsorAfter && square > limit {
			square = limit
		}
		rate := 1.0 / driftMemory
		if counts[j] < driftMemory {
			rate = 1 / counts[j]
		}
		squares[j] = usual + rate*(square-usual)
	}
	vec.LogTo(logs, logs)
	total, n := 0., 0.
	for _, v := range logs {
		if v == v {
			total += v
			n++
		}
	}
	s.x[2*d] = total / n // 0/0 = NaN
	largest, longest := s.sums.Add(s.x)
	if longest >= driftBlock {
		s.endBlocks()
	}
	if largest > min(s.single, s.overall) {
		s.findAlarm()
	}
}

// endBlocks takes the complete blocks into the long-run variances.
func (s *DriftWatch) endBlocks() {
	c := s.sums
	for i, length := range c.Length[:len(s.blocks)] {
		if length < driftBlock {
			continue
		}
		s.blocks[i]++
		v := c.Sum[i] * c.Sum[i] / driftBlock
		if s.blocks[i] > 5 {
			v = min(v, 9*c.Variance[i])
		}
		c.Variance[i] += max(1/s.blocks[i], float64(driftBlock)/driftMemory) * (v - c.Variance[i])
		c.Sum[i], c.Length[i] = 0, 0
	}
}

// findAlarm raises an alarm if a sum exceeds its threshold, for the sum that exceeds it most. Then the usual mean and
// variance are learnt again from scratch.
func (s *DriftWatch) findAlarm() {
	best := 1.
	consider := func(sum, threshold, since float64, variable int, bias bool) {
		if sum/threshold > best {
			best = sum / threshold
			s.alarm = true
			s.drift = drift.Change{Since: int(since), Variable: variable, Bias: bias, Action: s.cfg.Action}
		}
	}
	c, d := s.sums, s.cfg.Dim
	for j := range d {
		if c.Up[j] >= c.Down[j] { // shrinking errors raise no alarm
			consider(c.Up[j], s.single, c.SinceUp[j], j, false)
		}
		if i := d + j; c.Up[i] >= c.Down[i] {
			consider(c.Up[i], s.single, c.SinceUp[i], j, true)
		} else {
			consider(c.Down[i], s.single, c.SinceDown[i], j, true)
		}
	}
	if i := 2 * d; c.Up[i] >= c.Down[i] {
		consider(c.Up[i], s.overall, c.SinceUp[i], scoring.All, false)
	}
	if s.alarm {
		clear(s.count)
		clear(s.square)
		clear(s.blocks)
		c.Clear()
	}
}

// ResetLags implements eval.Companion.
func (s *DriftWatch) ResetLags() { s.issued = false }

// Drift implements drift.Watch.
func (s *DriftWatch) Drift() (drift.Change, bool) { return s.drift, s.alarm }

// State implements eval.Companion.
func (s *DriftWatch) State(c *snapshot.Codec) {
	c.Section("drift")
	c.Bool(&s.issued)
	c.Float64s(s.next)
	c.Float64s(s.square)
	c.Float64s(s.count)
	s.sums.State(c)
	for _, ages := range [][]float64{s.sums.SinceUp, s.sums.SinceDown} {
		for _, v := range ages {
			if !(v >= 0 && v <= 1<<53) { // so that it is an int
				c.Fail("age of a sum: %v", v)
			}
		}
	}
	c.Float64s(s.blocks)
	c.Bool(&s.alarm)
	c.Index(&s.drift.Since, math.MaxInt)
	c.Bool(&s.drift.Bias)
	v := s.drift.Variable + 1
	c.Index(&v, s.cfg.Dim+1)
	s.drift.Variable = v - 1
	s.drift.Action = s.cfg.Action
}
