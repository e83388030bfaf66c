package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/sgd/online"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	exactLags       = 48    // own lags of the least squares, at most
	exactRidge      = 1e-6  // penalty of the weights, with inputs of size one: hardly any
	exactForgetting = .9998 // weight of a sample after one step
	exactBelow      = .2    // squared error of the mixture, in squared typical steps, below which the noise is small
	exactRate       = .01   // weight of an outcome in that error
	exactAfter      = 100   // outcomes before the least squares begin
	exactTrial      = 100   // outcomes that they learn before their forecasts count
	exactPatience   = 600   // outcomes after which they end unless they are better …
	exactAgain      = 16    // … and begin again when the series is so many times as long
	exactErrors     = 1.5   // standard errors by which they must be better
	exactMemory     = 1e-3  // weight of an outcome in the comparison
	crossInputs     = 4     // inputs for a lag of another coordinate
	exactFar        = 5     // limit of the distance from the mixture, in root mean squares of its errors
)

// leastSquares forecasts one step of two kinds of coordinates.
//
// The first has little noise. The penalties of the experts suit errors about as large as the
// steps of a series; where errors are far smaller, most of them comes from the penalties. The
// second follows another coordinate after more samples than the experts see, see crossSearch.
//
// Recursive least squares on 48 own lags, with hardly any penalty, and on the lag that was
// found run beside the mixture. Their forecast replaces the forecast of the mixture while it is
// better by some standard errors. Where it never is, they end and try again much later.
type leastSquares struct {
	lags     int                // own lags of a regression
	outcomes int                // of the mixture
	errors   []float64          // of each coordinate: mean squared error of the mixture, in squared typical steps
	due      []int              // of each coordinate: outcomes after which least squares may begin
	own      []*ownLeastSquares // of each coordinate; nil: much noise, and no lag of another one
	cross    crossSearch
}

// ownLeastSquares is the regression of the next increment of one coordinate on
//
//	1, x - zero, and the last increments,
//
// all in one unit. With a lag of another coordinate the inputs are also its value at that lag
// and the three increments around it, in the unit of that coordinate. Zeros and units never
// change, because the weights depend on them.
type ownLeastSquares struct {
	rls          *online.RLS
	zero, unit   float64
	cross        crossLag // lag of another coordinate, with its zero and unit
	crossZero    float64
	crossUnit    float64
	phi          []float64
	out, err     [1]float64 // prediction from phi, in units; scratch
	said         float64    // increment that was forecast, in typical steps
	used         bool       // it is the forecast of the model
	learnt       int        // outcomes
	gain, square float64    // mean of the difference of the squared errors, and of its square
}

func newLeastSquares(dim, lags int) *leastSquares {
	l := &leastSquares{lags: min(lags, exactLags), errors: make([]float64, dim), own: make([]*ownLeastSquares, dim), due: make([]int, dim)}
	for j := range l.due {
		l.due[j] = exactAfter
	}
	return l
}

// end makes sure that no least squares begin.
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

// follow searches for lags of other coordinates at every doubling of the samples, and then at regular intervals.
func (l *leastSquares) follow(s *autoSeries) {
	if s.m.has(partCross) {
		again := s.total%(seasonAgain*s.m.memory) == 0
		l.search(isDoubling(s.total, refitTimes[0]) || again, s.past, s.scaler)
	}
}

func (l *leastSquares) forecast(s *autoSeries) { l.forecastTo(s.next, s.panel.mixture, s.frame) }

// Observe learns the sample y after last from the forecasts that were made, given the
// mixture after it has learnt y.
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

// learn learns the next increment, in units, and compares the squared errors of the mixture
// and of this regression.
func (o *ownLeastSquares) learn(increment, mixture, own float64) {
	o.err[0] = increment - o.out[0]
	o.rls.Update(o.phi, o.err[:])
	if o.learnt++; o.learnt > exactTrial {
		d, rate := mixture-own, max(exactMemory, 1/float64(o.learnt-exactTrial))
		o.gain += rate * (d - o.gain)
		o.square += rate * (d*d - o.square)
	}
}

// better reports whether this regression is better than the mixture.
func (o *ownLeastSquares) better() bool {
	n := min(float64(o.learnt-exactTrial), 1/exactMemory)
	return n > 1 && o.gain > exactErrors*math.Sqrt((o.square-o.gain*o.gain)/(n-1))
}

// forecastTo replaces next, the forecast of the mixture, where the least squares are better.
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
		v = series.ClipTo(v, next[j]-last[j]-far, next[j]-last[j]+far)
		o.said = v / m.unit(j)
		if o.used = o.better(); o.used {
			next[j] = last[j] + v
		}
	}
}

// begin makes the least squares of coordinate j.
func (l *leastSquares) begin(j int, cross crossLag, s *series.Scaler) {
	o := newOwnLeastSquares(l.lags, cross)
	o.zero, o.unit = s.Mean[j], s.Steps[j]
	o.crossZero, o.crossUnit = s.Mean[cross.from], s.Steps[cross.from]
	l.own[j] = o
}

// search looks for lags of other coordinates in the past of the series. With start, a search
// begins.
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

// interrupt is for a break: the samples that lags of other coordinates refer to are not there.
func (l *leastSquares) interrupt(*autoSeries) {
	l.cross = crossSearch{}
	for j, o := range l.own {
		if o != nil && o.cross.lag > 0 {
			l.own[j] = nil
		}
	}
}

// predict returns the increment after the value x of coordinate j, in units.
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

// addGradient adds the derivative of the forecast of coordinate j to row, lags x dim. Lags
// beyond the row are left out.
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
