package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/sgd/online"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	exactLags       = 48    // largest number of own lags of a regression
	exactRidge      = 1e-6  // ridge for inputs of size one, nearly 0
	exactForgetting = .9998 // weight of a sample after one step
	exactBelow      = .2    // largest mean squared error of the mixture when a regression begins, in squared typical steps
	exactRate       = .01   // weight of an outcome in this mean squared error
	exactAfter      = 100   // outcomes of the mixture before a regression may begin
	exactTrial      = 100   // outcomes that a regression learns before it is compared with the mixture
	exactPatience   = 600   // outcomes after which a regression ends if it is not better than the mixture
	exactAgain      = 16    // an ended regression may begin again when the series is exactAgain times as long
	exactErrors     = 1.5   // a better regression has an advantage of more than exactErrors standard errors
	exactMemory     = 1e-3  // weight of an outcome in the comparison with the mixture
	crossInputs     = 4     // number of inputs for a lag of another coordinate
	exactFar        = 5     // limit of the distance from the forecast of the mixture, in RMSE of the mixture
)

// leastSquares makes one-step forecasts of two kinds of coordinates.
//
//   - Coordinates with little noise. The ridges of the experts suit errors about as large as the steps. Much
//     smaller errors come mostly from the ridges.
//   - Coordinates that follow another coordinate with a longer lag than the experts see; see crossSearch.
//
// A regression by recursive least squares with nearly no ridge runs beside the mixture. Its inputs are up to
// exactLags own lags, and the lag of the other coordinate. Its forecast replaces the forecast of the mixture
// while the regression is significantly better. A regression without this advantage ends, and may begin again
// much later.
type leastSquares struct {
	lags     int                // own lags of a regression
	outcomes int                // number of outcomes of the mixture so far
	errors   []float64          // dim: mean squared error of the mixture, in squared typical steps
	due      []int              // dim: number of outcomes after which a regression may begin
	own      []*ownLeastSquares // dim: running regressions; nil: none
	cross    crossSearch
}

// ownLeastSquares is the regression of the next increment of one coordinate on
//
//	1, x - zero, and the last increments,
//
// all in one unit. With a lag of another coordinate, the value of that coordinate at this lag and the three
// increments around the lag are inputs, too, in the unit of that coordinate. Invariant: zeros and units never
// change, because the weights depend on them.
type ownLeastSquares struct {
	rls          *online.RLS
	zero, unit   float64
	cross        crossLag // lag of another coordinate, with its zero and unit
	crossZero    float64
	crossUnit    float64
	phi          []float64
	out, err     [1]float64 // prediction from phi, in units; scratch for the error
	said         float64    // last forecast increment, in typical steps
	used         bool       // the last forecast replaced the forecast of the mixture
	learnt       int        // number of outcomes learnt
	gain, square float64    // means of d and d^2, where d = squared error of the mixture - squared error of the regression
}

func newLeastSquares(dim, lags int) *leastSquares {
	l := &leastSquares{lags: min(lags, exactLags), errors: make([]float64, dim), own: make([]*ownLeastSquares, dim), due: make([]int, dim)}
	for j := range l.due {
		l.due[j] = exactAfter
	}
	return l
}

// end prevents new regressions.
func (l *leastSquares) end() {
	for j := range l.due {
		l.due[j] = math.MaxInt
	}
}

func newOwnLeastSquares(lags int, cross crossLag) *ownLeastSquares {
	if cross.lag > 0 {
		lags += crossInputs
	}
	rls, err := online.NewRLS(online.RLSConfig{
		Features: lags + 1, Outputs: 1, Ridge: exactRidge, Forgetting: exactForgetting, MaxLeverage: 1,
	})
	if err != nil {
		panic("varmodel: " + err.Error()) // the constants above are valid
	}
	return &ownLeastSquares{rls: rls, cross: cross, phi: make([]float64, lags+1)}
}

func (l *leastSquares) learn(s *autoSeries, o *outcome) {
	if s.pending {
		l.Observe(s.panel.mixture, o.target, o.before)
	}
}

// follow starts a search for lags of other coordinates at each doubling of the number of samples, and at regular
// intervals.
func (l *leastSquares) follow(s *autoSeries) {
	if s.m.has(partCross) {
		again := s.total%(seasonAgain*s.m.memory) == 0
		l.search(isDoubling(s.total, refitTimes[0]) || again, s.past, s.scaler)
	}
}

func (l *leastSquares) forecast(s *autoSeries) { l.forecastTo(s.next, s.panel.mixture, s.frame) }

// Observe updates the regressions with the increment from last to y. Call m.Observe(y) first.
func (l *leastSquares) Observe(m *mixture, y, last []float64) {
	l.outcomes++
	rate := max(exactRate, 1/float64(l.outcomes))
	for j := range l.errors {
		v := m.steps.Target[j]
		e := v - m.out[j]
		if e != e {
			continue
		}
		l.errors[j] += rate * (min(e*e, 1) - l.errors[j])
		if o := l.own[j]; o != nil {
			if o.learnt > exactPatience && !o.better() {
				l.own[j], l.due[j] = nil, exactAgain*l.outcomes
				continue
			}
			o.learn((y[j]-last[j])/o.unit, e*e, (v-o.said)*(v-o.said))
		}
	}
}

// learn updates the regression with the next increment, in units. mixture and own are the squared errors of the
// mixture and of the regression.
func (o *ownLeastSquares) learn(increment, mixture, own float64) {
	o.err[0] = increment - o.out[0]
	o.rls.Update(o.phi, o.err[:])
	if o.learnt++; o.learnt > exactTrial {
		d, rate := mixture-own, max(exactMemory, 1/float64(o.learnt-exactTrial))
		o.gain += rate * (d - o.gain)
		o.square += rate * (d*d - o.square)
	}
}

// better reports whether gain > exactErrors standard errors of gain.
func (o *ownLeastSquares) better() bool {
	n := min(float64(o.learnt-exactTrial), 1/exactMemory)
	return n > 1 && o.gain > exactErrors*math.Sqrt((o.square-o.gain*o.gain)/(n-1))
}

// forecastTo replaces the forecast next of the mixture for coordinates with a better regression.
func (l *leastSquares) forecastTo(next []float64, m *mixture, f *frame) {
	last := f.past.Lag(0)
	for j, e := range l.errors {
		o := l.own[j]
		if o == nil {
			if l.outcomes < l.due[j] || e == 0 || e >= exactBelow {
				continue
			}
			l.begin(j, crossLag{}, f.scaler)
			o = l.own[j]
		}
		far := exactFar * math.Sqrt(e) * m.unit(j)
		v := finiteOr(o.predict(j, last[j], l.lags, f)*o.unit, 0)
		mixed := m.out[j] * m.unit(j)
		v = series.ClipTo(v, mixed-far, mixed+far)
		o.said = v / m.unit(j)
		if o.used = o.better(); o.used {
			next[j] = last[j] + v
		}
	}
}

// begin starts a regression of coordinate j.
func (l *leastSquares) begin(j int, cross crossLag, s *series.Scaler) {
	o := newOwnLeastSquares(l.lags, cross)
	o.zero, o.unit = s.Mean[j], s.Steps[j]
	o.crossZero, o.crossUnit = s.Mean[cross.from], s.Steps[cross.from]
	l.own[j] = o
}

// search continues the search for lags of other coordinates. If start is true, it first starts a new search.
func (l *leastSquares) search(start bool, past *series.History, s *series.Scaler) {
	if start {
		l.cross.begin(past)
	}
	if l.cross.samples == 0 || !l.cross.proceed() {
		return
	}
	for j, o := range l.own {
		if found := l.cross.result(j); found.lag > 0 && l.outcomes >= l.due[j] && (o == nil || o.cross != found && !o.better()) {
			l.begin(j, found, s)
		}
	}
	l.cross = crossSearch{}
}

// interrupt handles a break: the samples at lags of other coordinates are no longer known.
func (l *leastSquares) interrupt(*autoSeries) {
	l.cross = crossSearch{}
	for j, o := range l.own {
		if o != nil && o.cross.lag > 0 {
			l.own[j] = nil
		}
	}
}

// predict returns the increment of coordinate j after its last value x, in units.
func (o *ownLeastSquares) predict(j int, x float64, lags int, f *frame) float64 {
	o.phi[0], o.phi[1] = 1, (x-o.zero)/o.unit
	steps := f.recent.rows(0)
	for k := range o.phi[2 : 1+lags] {
		o.phi[2+k] = steps[k*f.recent.stride+j] / o.unit
	}
	if lag := o.cross.lag; lag > 0 {
		at := func(l int) float64 { return f.past.Lag(l)[o.cross.from] }
		phi := o.phi[1+lags:]
		phi[0] = (at(lag-1) - o.crossZero) / o.crossUnit
		for k := range phi[1:] {
			phi[1+k] = (at(lag-2+k) - at(lag-1+k)) / o.crossUnit
		}
	}
	o.rls.PredictTo(o.out[:], o.phi)
	return o.out[0]
}

// addGradient adds the derivative of the forecast of coordinate j with respect to the lags to row, lags x dim.
// Lags beyond row are left out.
func (o *ownLeastSquares) addGradient(row []float64, j, dim, lags int) {
	theta := o.rls.Weights()
	add := func(lag, coordinate int, v float64) {
		if i := lag*dim + coordinate; i < len(row) {
			row[i] += v
		}
	}
	add(0, j, 1+theta[1])
	for l, v := range theta[2 : 1+lags] { // weight of the increment from lag l+1 to lag l
		add(l, j, v)
		add(l+1, j, -v)
	}
	if lag := o.cross.lag; lag > 0 {
		scale, w := o.unit/o.crossUnit, theta[1+lags:]
		add(lag-1, o.cross.from, scale*w[0])
		for k, v := range w[1:] {
			add(lag-2+k, o.cross.from, scale*v)
			add(lag-1+k, o.cross.from, -scale*v)
		}
	}
}

func (l *leastSquares) stateOf(c *snapshot.Codec, _ *autoSeries) {
	c.Section("leastsquares")
	c.Int(&l.outcomes)
	c.Float64s(l.errors)
	l.cross.State(c, len(l.own))
	for j, o := range l.own {
		c.Int(&l.due[j])
		has := o != nil
		if c.Bool(&has); !has {
			l.own[j] = nil
			continue
		}
		var cross crossLag
		if !c.Decoding() {
			cross = o.cross
		}
		if cross.State(c, len(l.own)); c.Decoding() {
			o = newOwnLeastSquares(l.lags, cross)
			l.own[j] = o
		}
		o.State(c)
	}
}

func (o *ownLeastSquares) State(c *snapshot.Codec) {
	o.rls.State(c)
	c.Float64s(o.phi)
	c.Int(&o.learnt)
	c.Bool(&o.used)
	for _, v := range []*float64{&o.zero, &o.unit, &o.crossZero, &o.crossUnit, &o.out[0], &o.said, &o.gain, &o.square} {
		c.Float64(v)
	}
}
