package interval

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/sgd/functional"
	"github.com/orffvar/forecaster/sgd/rates"
	"github.com/orffvar/forecaster/varmodel/internal/check"
)

// QuantilesConfig describes prediction intervals by quantile regression.
type QuantilesConfig struct {
	Dim         int       // d, coordinates of a sample
	Order       int       // q >= 1, lags that the intervals depend on
	Horizon     int       // H of the model
	Levels      []float64 // levels of the intervals, in (0, 1)
	Frequencies int       // number of frequencies of the lag kernel; 0 means 20
	Bandwidth   float64   // bandwidth of the lag kernel, in units of the median distance; 0 means 1
	Crossing    float64   // weight of the penalty on quantiles that cross; 0 means 1
	Seed        uint64
}

const boundsAfter = 100 // errors of a forecast before it has bounds

// NewQuantiles returns m with intervals by continuous quantile regression (Brault
// 2017, section 9.1), learnt online: for each coordinate and each horizon one
// function f(x)(tau) of the lags and the level holds all conditional quantiles of
// the error of the forecast, in units of its running root mean square. An interval of level
// p lies between the quantiles (1-p)/2 and (1+p)/2; quantiles that cross are sorted. The
// width follows the state of the series, and the intervals need not be symmetric.
func NewQuantiles(m eval.Model, cfg QuantilesConfig) (eval.Model, error) {
	if err := check.Lags(cfg.Dim, cfg.Order, cfg.Horizon); err != nil {
		return nil, err
	}
	// All forecasts that wait for their targets are kept with their bounds.
	if err := check.Range("Horizon of quantiles", cfg.Horizon, 1, 500); err != nil {
		return nil, err
	}
	check.SetDefault(&cfg.Frequencies, 20)
	check.SetDefault(&cfg.Bandwidth, 1)
	check.SetDefault(&cfg.Crossing, 1)
	if err := check.Range("Frequencies", cfg.Frequencies, 1, 100_000); err != nil {
		return nil, err
	}
	features, err := newLagFeatures(cfg.Dim, cfg.Order, cfg.Frequencies, cfg.Bandwidth, cfg.Seed)
	if err != nil {
		return nil, err
	}
	taus := newTauSampler(cfg.Seed)
	q := &quantiles{Model: m, cfg: cfg, features: features, taus: taus, rx: 1 + features.scalar.Len()}
	q.tau = []float64{.5}
	for i, p := range cfg.Levels {
		if !(p > 0 && p < 1) {
			return nil, fmt.Errorf("varmodel: Levels: element %d must lie in (0, 1), got %g", i, p)
		}
		q.tau = append(q.tau, (1-p)/2, (1+p)/2)
		q.widths = append(q.widths, i)
	}
	slices.SortStableFunc(q.widths, func(a, b int) int { return cmp.Compare(cfg.Levels[a], cfg.Levels[b]) })
	slices.Sort(q.tau)
	q.median = slices.Index(q.tau, .5)
	for _, p := range cfg.Levels {
		q.at = append(q.at, slices.Index(q.tau, (1-p)/2), slices.Index(q.tau, (1+p)/2))
	}
	q.grid = taus.Features(q.tau)
	q.f = make([]float64, len(q.tau))
	q.y = make([]float64, 1)
	for range cfg.Horizon * cfg.Dim {
		l, err := functional.NewQuantile(functional.QuantileConfig{
			InputFeatures: q.rx, TauFeatures: taus.scalar.Len(), Lambda: 1e-5, Crossing: cfg.Crossing,
			Batch: 1, Taus: tausPerStep, Rate: rates.InverseScaling{Gamma0: 1, Gamma1: .02, Power: .5}, Average: true,
		})
		if err != nil {
			return nil, err
		}
		q.l = append(q.l, l)
	}
	return q, nil
}

type quantiles struct {
	eval.Model
	cfg      QuantilesConfig
	features *lagFeatures
	taus     *tauSampler
	rx       int
	l        []*functional.Quantile // H x dim

	tau, grid []float64 // 1/2 and the quantile levels of the bounds, ascending, and their features
	median    int       // place of 1/2
	at        []int     // places of the two bounds of each interval
	widths    []int     // the intervals, narrow ones first
	f, y      []float64 // scratch
}

func (m *quantiles) NewSeries() eval.Forecaster {
	d, h := m.cfg.Dim, m.cfg.Horizon
	s := &quantileSeries{
		wrapper: wrapper{m.Model.NewSeries()}, m: m, lags: newLagSeries(d, m.cfg.Order),
		forecasts: make([]float64, h*h*d), phi: make([]float64, h*m.rx), state: make([]uint8, h),
		lower: make([]float64, h*h*d*len(m.cfg.Levels)), upper: make([]float64, h*h*d*len(m.cfg.Levels)),
		square: make([]float64, h*d), weight: make([]float64, h*d), seen: make([]int, h*d),
		stretch: make([]float64, h*d*len(m.cfg.Levels)),
	}
	return s
}

func (m *quantiles) State(c *snapshot.Codec) {
	m.Model.State(c)
	d := m.cfg.Dim
	c.Optional("quantiles", func() {
		m.features.State(c)
		m.taus.State(c)
		for k := range m.cfg.Horizon {
			c.Optional(strconv.Itoa(k+1), func() {
				for _, l := range m.l[k*d : (k+1)*d] {
					l.State(c)
				}
			})
		}
		if c.Decoding() {
			m.grid = m.taus.Features(m.tau)
		}
	})
}

// The contents of a row of the ring of a quantileSeries.
const (
	rowEmpty    = iota
	rowForecast // without features: the bandwidth was not known
	rowFeatures
	rowBounds
)

// quantileSeries is one series of quantiles.
type quantileSeries struct {
	wrapper
	m    *quantiles
	lags lagSeries

	// Ring of the last H forecasts, H x dim each, of their bounds, L x H x dim, and
	// of the features they were made with.
	forecasts    []float64
	lower, upper []float64
	phi          []float64
	state        []uint8
	next         int

	square, weight []float64 // mean squared error of a horizon and coordinate
	seen           []int     // errors learnt from
	stretch        []float64 // L x H x dim: logarithm of the factor of an interval
}

const (
	errorForgetting = .995 // weight of an error in its scale after one step
	stretchRate     = .02  // step of the logarithm of the factor of an interval
	stretchLimit    = 3
)

func (s *quantileSeries) Observe(y []float64) error {
	if err := s.Forecaster.Observe(y); err != nil {
		return err
	}
	m := s.m
	d, h := m.cfg.Dim, m.cfg.Horizon
	for k := range h {
		// The forecast of horizon k+1 was issued k+1 samples ago.
		row := ((s.next-1-k)%h + h) % h
		if s.state[row] == rowBounds {
			s.calibrate(k, y, row)
		}
		if s.state[row] != rowEmpty {
			s.learn(k, y, s.forecasts[(row*h+k)*d:(row*h+k+1)*d], row)
		}
	}
	s.lags.Push(y)
	row := s.next
	s.next = (s.next + 1) % h
	if !s.Forecaster.ForecastTo(s.forecasts[row*h*d : (row+1)*h*d]) {
		return nil
	}
	s.state[row] = rowForecast
	if s.lags.past.Count >= m.cfg.Order {
		m.features.input.Observe(s.lags.scaler, s.lags.past)
		phi := s.phi[row*m.rx : (row+1)*m.rx]
		phi[0] = 1
		if m.features.to(phi[1:], s.lags.scaler, s.lags.past) {
			s.state[row] = rowFeatures
			if s.settled(0) {
				s.state[row] = rowBounds
				s.boundsTo(row)
			}
		}
	}
	return nil
}

// calibrate stretches the intervals that y, of horizon k+1, misses.
func (s *quantileSeries) calibrate(k int, y []float64, row int) {
	d, n := s.m.cfg.Dim, s.m.cfg.Horizon*s.m.cfg.Dim
	for l, p := range s.m.cfg.Levels {
		lower, upper := s.boundsOf(row, l)
		for j, v := range y {
			i := k*d + j
			if math.IsNaN(v) || math.IsNaN(lower[i]) {
				continue
			}
			move := p - 1
			if v < lower[i] || v > upper[i] {
				move = p
			}
			at := &s.stretch[l*n+i]
			*at = min(max(*at+stretchRate*move, -stretchLimit), stretchLimit)
		}
	}
}

// boundsOf returns the bounds of interval l in a row of the ring, H x dim each.
func (s *quantileSeries) boundsOf(row, l int) (lower, upper []float64) {
	n := s.m.cfg.Horizon * s.m.cfg.Dim
	i := (row*len(s.m.cfg.Levels) + l) * n
	return s.lower[i : i+n], s.upper[i : i+n]
}

// settled reports whether there were enough errors of the forecasts of horizon k+1.
func (s *quantileSeries) settled(k int) bool {
	d := s.m.cfg.Dim
	for i := k * d; i < (k+1)*d; i++ {
		// A forecast that was always right has no errors to learn from.
		if right := s.square[i] == 0 && s.weight[i] > boundsAfter/2; s.seen[i] < boundsAfter && !right {
			return false
		}
	}
	return true
}

// boundsTo makes the bounds of a row of the ring: NaN at horizons that are not settled.
func (s *quantileSeries) boundsTo(row int) {
	for k := range s.m.cfg.Horizon {
		if s.settled(k) {
			s.boundsAt(row, k)
			continue
		}
		for l := range s.m.cfg.Levels {
			lower, upper := s.boundsOf(row, l)
			for i := k * s.m.cfg.Dim; i < (k+1)*s.m.cfg.Dim; i++ {
				lower[i], upper[i] = math.NaN(), math.NaN()
			}
		}
	}
}

// boundsAt makes the bounds of horizon k+1.
func (s *quantileSeries) boundsAt(row, k int) {
	m := s.m
	n := m.cfg.Horizon * m.cfg.Dim
	phi, forecast := s.phi[row*m.rx:(row+1)*m.rx], s.forecasts[row*n:(row+1)*n]
	for i := k * m.cfg.Dim; i < (k+1)*m.cfg.Dim; i++ {
		m.l[i].PredictTo(m.f, phi, m.grid)
		slices.Sort(m.f)
		unit, centre := s.unit(i), m.f[m.median]
		for l := range m.cfg.Levels {
			lower, upper := s.boundsOf(row, l)
			f := math.Exp(s.stretch[l*n+i])
			lower[i] = forecast[i] + unit*(centre+f*(m.f[m.at[2*l]]-centre))
			upper[i] = forecast[i] + unit*(centre+f*(m.f[m.at[2*l+1]]-centre))
		}
		// An interval of a higher level contains the others, whatever the factors are.
		for w := 1; w < len(m.widths); w++ {
			inner, innerTop := s.boundsOf(row, m.widths[w-1])
			outer, outerTop := s.boundsOf(row, m.widths[w])
			outer[i], outerTop[i] = min(outer[i], inner[i]), max(outerTop[i], innerTop[i])
		}
	}
}

// learn takes the errors of horizon k+1.
func (s *quantileSeries) learn(k int, y, forecast []float64, row int) {
	m := s.m
	d := m.cfg.Dim
	drawn := false
	for j, v := range y {
		if math.IsNaN(v) {
			continue
		}
		i := k*d + j
		e := v - forecast[j]
		if unit := s.unit(i); unit > 0 && s.state[row] >= rowFeatures {
			if !drawn {
				m.taus.draw(0)
				drawn = true
			}
			m.y[0] = min(max(e/unit, -10), 10)
			// Only infinite values would be refused: there are none.
			_ = m.l[i].Step(functional.QuantileBatch{
				PhiX: s.phi[row*m.rx : (row+1)*m.rx], Y: m.y, Tau: m.taus.tau, PhiT: m.taus.phi, DPhiT: m.taus.slope,
			})
			s.seen[i]++
		}
		// One outlier must not widen the intervals for long.
		square := e * e
		if s.weight[i] > 30 {
			square = min(square, 25*s.square[i])
		}
		s.weight[i] = errorForgetting*s.weight[i] + 1
		s.square[i] += (square - s.square[i]) / s.weight[i]
	}
}

// unit is the scale of the errors i, 0 while it is unknown.
func (s *quantileSeries) unit(i int) float64 {
	if s.weight[i] < 10 {
		return 0
	}
	return math.Sqrt(s.square[i])
}

// BoundsTo implements eval.Bounder. Bounds are NaN at horizons that are younger than others.
func (s *quantileSeries) BoundsTo(lower, upper []float64) bool {
	m := s.m
	h := m.cfg.Horizon
	if len(lower) != len(m.cfg.Levels)*h*m.cfg.Dim || len(upper) != len(lower) {
		panic("varmodel: BoundsTo: wrong length")
	}
	row := ((s.next-1)%h + h) % h
	if s.state[row] != rowBounds {
		return false
	}
	copy(lower, s.lower[row*len(lower):])
	copy(upper, s.upper[row*len(upper):])
	return true
}

// ResetLags implements eval.LagResetter: pending forecasts are not learnt from.
func (s *quantileSeries) ResetLags() {
	s.resetInner()
	s.lags.Reset()
	clear(s.state)
}

// State transfers one option per horizon, which has the sizes of the errors and, as an option of its own, the
// factors of the present levels, and one option for the forecasts under way.
func (s *quantileSeries) State(c *snapshot.Codec) {
	s.Forecaster.State(c)
	H, d, L := s.m.cfg.Horizon, s.m.cfg.Dim, len(s.m.cfg.Levels)
	c.Optional("quantiles", func() {
		s.lags.State(c)
		for k := range H {
			from, to := k*d, (k+1)*d
			c.Optional(strconv.Itoa(k+1), func() {
				c.Float64s(s.square[from:to])
				c.Float64s(s.weight[from:to])
				for i := from; i < to; i++ {
					c.Index(&s.seen[i], math.MaxInt)
				}
				c.Optional(fmt.Sprint("levels=", s.m.cfg.Levels), func() {
					for l := range L {
						c.Float64s(s.stretch[l*H*d+from : l*H*d+to])
					}
				})
			})
		}
		c.Optional(shapeOf(H, s.m.cfg.Levels), func() {
			c.Float64s(s.forecasts)
			c.Float64s(s.phi)
			for i := range s.state {
				v := int(s.state[i])
				c.Index(&v, rowBounds+1)
				s.state[i] = uint8(v)
			}
			c.Index(&s.next, len(s.state))
			c.Float64s(s.lower)
			c.Float64s(s.upper)
		})
	})
}
