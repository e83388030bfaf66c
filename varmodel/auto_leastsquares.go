package varmodel

import (
	"math"

	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/sgd"
)

const (
	exactLags       = 48    // own lags of the least squares, at most
	exactRidge      = 1e-6  // penalty of the weights, with inputs of size one: hardly any
	exactForgetting = .9998 // weight of a sample after one step
	exactBelow      = .2    // squared error of the mixture, in squared typical steps, below which the noise is small …
	exactAbove      = .4    // … and above which it no longer is
	exactRate       = .01   // weight of an outcome in that error
	exactAfter      = 100   // outcomes before the least squares begin
	exactTrial      = 100   // outcomes that they learn before their forecasts count
	exactErrors     = 1.5   // standard errors by which they must be better
	exactMemory     = 1e-3  // weight of an outcome in the comparison
	exactFar        = 5     // limit of the distance from the mixture, in root mean squares of its errors
)

// leastSquares forecasts one step of coordinates with little noise. The penalties of the
// experts suit errors about as large as the steps of a series. Where errors are far smaller,
// most of them comes from the penalties. Recursive least squares on the own lags, with hardly
// any penalty, exist for a coordinate while the errors of the mixture are small. Their
// forecast replaces that of the mixture while it is better by some standard errors.
type leastSquares struct {
	lags     int                // own lags of a regression
	outcomes int                // of the mixture
	errors   []float64          // of each coordinate: mean squared error of the mixture, in squared typical steps
	own      []*ownLeastSquares // of each coordinate; nil: much noise
}

// ownLeastSquares is the regression of the next increment of one coordinate on
//
//	1, x - zero, and the last increments,
//
// all in one unit. Zero and unit stay what they were at first, because the weights depend on
// them.
type ownLeastSquares struct {
	rls          *sgd.RLS
	zero, unit   float64
	phi          []float64
	out, err     [1]float64 // prediction from phi, in units; scratch
	said         float64    // increment that was forecast, in typical steps
	used         bool       // it is the forecast of the model
	learnt       int        // outcomes
	gain, square float64    // mean of the difference of the squared errors, and of its square
}

func newLeastSquares(dim, lags int) *leastSquares {
	return &leastSquares{lags: min(lags, exactLags), errors: make([]float64, dim), own: make([]*ownLeastSquares, dim)}
}

func newOwnLeastSquares(lags int) *ownLeastSquares {
	rls, err := sgd.NewRLS(sgd.RLSConfig{
		Features: lags + 1, Outputs: 1, Ridge: exactRidge, Forgetting: exactForgetting, MaxLeverage: 1,
	})
	if err != nil {
		panic("varmodel: " + err.Error()) // the constants above are valid
	}
	return &ownLeastSquares{rls: rls, phi: make([]float64, lags+1)}
}

// observe learns the sample y after last from the forecasts that were made, given the
// mixture after it has learnt y.
func (l *leastSquares) observe(m *mixture, y, last []float64) {
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
			if l.errors[j] > exactAbove {
				l.own[j] = nil
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
	last := f.past.lag(0)
	for j, e := range l.errors {
		o := l.own[j]
		if o == nil {
			if l.outcomes < exactAfter || e == 0 || e >= exactBelow {
				continue
			}
			o = newOwnLeastSquares(l.lags)
			o.zero, o.unit = f.scaler.mean[j], f.scaler.steps[j]
			l.own[j] = o
		}
		far := exactFar * math.Sqrt(e) * m.unit(j)
		v := finiteOr(o.predict(j, last[j], f.recent)*o.unit, 0)
		v = clipTo(v, next[j]-last[j]-far, next[j]-last[j]+far)
		o.said = v / m.unit(j)
		if o.used = o.better() && !m.novel(j); o.used {
			next[j] = last[j] + v
		}
	}
}

// predict returns the increment after the value x of coordinate j, in units.
func (o *ownLeastSquares) predict(j int, x float64, recent *increments) float64 {
	o.phi[0], o.phi[1] = 1, (x-o.zero)/o.unit
	steps := recent.rows(0)
	for k := range o.phi[2:] {
		o.phi[2+k] = steps[k*recent.stride+j] / o.unit
	}
	o.rls.PredictTo(o.out[:], o.phi)
	return o.out[0]
}

// gradientTo writes the derivative of the forecast in the own lags.
func (o *ownLeastSquares) gradientTo(dst []float64) {
	theta := o.rls.Weights()
	dst[0] = 1 + theta[1]
	for l, v := range theta[2:] { // weight of the increment from lag l+1 to lag l
		dst[l] += v
		dst[l+1] -= v
	}
}

func (l *leastSquares) State(c *snapshot.Codec) {
	c.Section("leastsquares")
	c.Int(&l.outcomes)
	c.Float64s(l.errors)
	for j, o := range l.own {
		has := o != nil
		if c.Bool(&has); !has {
			l.own[j] = nil
			continue
		}
		if c.Decoding() {
			o = newOwnLeastSquares(l.lags)
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
	for _, v := range []*float64{&o.zero, &o.unit, &o.out[0], &o.said, &o.gain, &o.square} {
		c.Float64(v)
	}
}
