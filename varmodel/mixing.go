package varmodel

import (
	"math"

	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/sgd"
)

// polynomial has the weights of ML-Poly (Gaillard, Stoltz and van Erven 2014),
// an aggregation of experts without a learning rate: the weight of an expert is
// its positive regret over the sum of its squared regrets, and all are equal
// while none has a positive one.
type polynomial struct {
	every                        int  // outcomes that make one round
	home                         int  // expert that has all the weight at first; -1: all share it
	relative                     bool // regrets are in units of the aggregate's own squared error
	weight, regret, square, gain []float64
	outcomes                     int     // of the round that is not complete
	rounds                       int     // complete ones
	seen, scale                  float64 // outcomes, and their mean squared error, when relative
}

func newPolynomial(experts, every, home int) polynomial {
	v := make([]float64, 4*experts)
	part := func(i int) []float64 { return v[i*experts : (i+1)*experts : (i+1)*experts] }
	p := polynomial{every: every, home: home, weight: part(0), regret: part(1), square: part(2), gain: part(3)}
	p.normalise()
	return p
}

// learn takes the outcome y after the experts forecast z and the aggregate
// forecast was out: the regret of an expert is the gain of moving a little
// towards it (the gradient trick, which makes the aggregate compete with the
// best convex combination).
func (p *polynomial) learn(z []float64, out, y float64) {
	slope := 2 * min(max(out-y, -25), 25) / float64(p.every)
	if p.relative {
		slope = 2 * p.standardised(out-y) / float64(p.every)
	}
	z = z[:len(p.gain)]
	for k := range p.gain {
		p.gain[k] += slope * (out - z[k])
	}
	if p.outcomes++; p.outcomes < p.every {
		return
	}
	p.outcomes = 0
	p.rounds++
	n := len(p.gain)
	regret, square := p.regret[:n], p.square[:n]
	for k, r := range p.gain {
		regret[k] += r
		square[k] += r * r
	}
	clear(p.gain)
	p.normalise()
}

// standardised returns e over the mean square of the errors before it, such that
// times a difference of forecasts it has no unit, and takes e into that mean. Where
// the experts are far better than persistence their differences would else be
// nothing beside the regrets of the first samples.
func (p *polynomial) standardised(e float64) float64 {
	square := e * e
	if p.seen++; p.seen == 1 {
		p.scale = square
	}
	root := math.Sqrt(max(p.scale, smallestError))
	if p.seen > winsorAfter {
		square = min(square, winsorLimit*winsorLimit*p.scale)
	}
	p.scale += max(scaleRate, 1/p.seen) * (square - p.scale)
	return min(max(e/root, -winsorLimit), winsorLimit) / root
}

func (p *polynomial) normalise() {
	n := len(p.weight)
	weight, square := p.weight, p.square[:n]
	var sum float64
	for k, r := range p.regret[:n] {
		w := max(r, 0) / (1 + square[k])
		weight[k] = w
		sum += w
	}
	switch {
	case sum > 0:
		inverse := 1 / sum
		if math.IsInf(inverse, 1) {
			inverse = math.MaxFloat64
		}
		for k := range weight {
			weight[k] *= inverse
		}
	case p.home < 0:
		for k := range weight {
			weight[k] = 1 / float64(n)
		}
	default:
		weight[p.home] = 1
	}
	if p.home < 0 {
		return
	}
	trust := float64(p.rounds) / float64(p.rounds+homeRounds)
	for k := range weight {
		weight[k] *= trust
	}
	weight[p.home] += 1 - trust
}

func (p *polynomial) mean(z []float64) float64 {
	var s float64
	for k, w := range p.weight {
		s += w * z[k]
	}
	return s
}

func (p *polynomial) State(c *snapshot.Codec) {
	c.Float64s(p.regret)
	c.Float64s(p.square)
	c.Float64s(p.gain)
	c.Index(&p.outcomes, p.every)
	c.Int(&p.rounds)
	c.Float64(&p.seen)
	c.Float64(&p.scale)
	if c.Decoding() {
		p.normalise()
	}
}

const (
	outcomeLimit   = 30    // limit of an outcome, in typical steps
	homeRounds     = 2     // rounds that the others must have won to be worth half the weight of home
	incrementLimit = 1e6   // limit of an expert's increment, in typical steps: its square must not overflow
	scaleRate      = 1e-3  // memory of the typical step of the mixer
	smallestError  = 1e-6  // of squared ones, in squared typical steps
	stackRidge     = 300   // prior precision of the stack around the aggregate
	stackForget    = .9995 // per sample
	stackEvery     = 4     // samples from one step of the stack to the next
	stackLimit     = 5     // limit of the stack's error
	noveltyFactor  = 5     // a step this much larger than any before it is a novelty …
	noveltySteps   = 10    // … if it is also so many typical steps
)

// mixer forms one forecast of each coordinate from those of several experts.
// Everything happens in increments over the last value, in units of the root
// mean square of the steps that were not zero. A coordinate has two candidates:
//
//   - the aggregate, a convex combination with ML-Poly weights;
//   - the stack, which adds a linear function of the experts' deviations from
//     the aggregate, the same for all coordinates and learnt by recursive least
//     squares: it may extrapolate, but not beyond the experts.
//
// A second ML-Poly combines the two, by regrets in units of its own squared error. After a step far larger than any before
// it the forecast is the last value: nothing that was learnt applies.
type mixer struct {
	dim, experts, home int
	novelty            bool

	square, steps   []float64 // mean square of the non-zero steps, and their number
	largest, recent []float64 // largest step but for the last; the last
	aggregate, both []polynomial
	stack           *sgd.BlockNewton // nil: the aggregate alone

	z       []float64 // dim x experts, increments of the experts
	choices []float64 // dim x 3: the aggregate, the stack, persistence
	out     []float64 // dim, increments of the mixture

	deviation, err []float64 // scratch
}

func newMixer(dim, experts, every, home int, stacking bool) *mixer {
	m := &mixer{
		dim: dim, experts: experts, home: home, novelty: true,
		square: make([]float64, dim), steps: make([]float64, dim),
		largest: make([]float64, dim), recent: make([]float64, dim),
		aggregate: make([]polynomial, dim), both: make([]polynomial, dim),
		z: make([]float64, dim*experts), choices: make([]float64, 3*dim), out: make([]float64, dim),
		deviation: make([]float64, experts), err: make([]float64, 1),
	}
	last := -1
	if home >= 0 {
		last = m.candidates() - 1
	}
	for j := range dim {
		m.aggregate[j], m.both[j] = newPolynomial(experts, every, home), newPolynomial(m.candidates(), every, last)
		m.both[j].relative = home < 0
	}
	if !stacking {
		return m
	}
	var err error
	m.stack, err = sgd.NewBlockNewton(sgd.BlockNewtonConfig{
		Features: experts, Outputs: 1, Block: experts, Every: stackEvery * dim,
		Ridge: stackRidge, Forgetting: math.Pow(stackForget, 1/float64(dim)),
	})
	if err != nil {
		panic("varmodel: " + err.Error()) // the constants above are valid
	}
	return m
}

// unit is the scale of coordinate j.
func (m *mixer) unit(j int) float64 {
	if m.square[j] > 0 {
		return math.Sqrt(m.square[j])
	}
	return 1
}

// forecastTo combines the experts' forecasts of the next sample, experts x dim,
// given the last sample.
func (m *mixer) forecastTo(dst, last, forecasts []float64) {
	for j, x := range last {
		unit := m.unit(j)
		inverse := 1 / unit
		z := m.z[j*m.experts : (j+1)*m.experts]
		low, high := 0.0, 0.0
		for k := range z {
			v := (forecasts[k*m.dim+j] - x) * inverse
			if v < low {
				v = max(v, -incrementLimit)
				low = v
			} else if v > high {
				v = min(v, incrementLimit)
				high = v
			}
			z[k] = v
		}
		c := m.choice(j)
		c[0] = m.aggregate[j].mean(z)
		if m.stack != nil {
			c[1] = min(max(c[0]+m.stackOf(z, c[0]), low), high)
			m.out[j] = m.both[j].mean(c)
		} else {
			c[1] = c[0]
			m.out[j] = c[0]
			if m.home >= 0 {
				m.out[j] = m.both[j].mean(c)
			}
		}
		if m.novel(j) {
			m.out[j] = 0
		}
		dst[j] = x + unit*m.out[j]
	}
}

// candidates is the number of forecasts that are mixed at last: where few
// outcomes are independent, at long horizons, persistence is one of them.
func (m *mixer) candidates() int {
	if m.home < 0 {
		return 2
	}
	return 3
}

// lastWeight is the weight of persistence among the candidates.
func (m *mixer) lastWeight(j int) float64 {
	if m.home < 0 {
		return 0
	}
	return m.both[j].weight[m.candidates()-1]
}

func (m *mixer) choice(j int) []float64 { return m.choices[3*j : 3*j+m.candidates()] }

// stackOf leaves the experts' deviations in m.deviation and returns the correction
// that the stack makes of them.
func (m *mixer) stackOf(z []float64, aggregate float64) (correction float64) {
	weights := m.stack.Weights()[:len(z)]
	deviation := m.deviation[:len(z)]
	for k, v := range z {
		v -= aggregate
		deviation[k] = v
		correction += float64(weights[k] * v)
	}
	return correction
}

func (m *mixer) novel(j int) bool {
	return m.novelty && m.steps[j] > winsorAfter && m.recent[j] > noveltyFactor*m.largest[j] && m.recent[j] > noveltySteps*m.unit(j)
}

// observe learns from the next sample y, NaN where missing, after forecastTo
// with the given last sample. learn says whether the experts' forecasts were
// worth learning from.
func (m *mixer) observe(y, last []float64, learn bool) {
	for j, v := range y {
		step := v - last[j]
		if learn && m.steps[j]+math.Abs(step) > 0 && !math.IsNaN(v) {
			z := m.z[j*m.experts : (j+1)*m.experts]
			c := m.choice(j)
			target := min(max(step/m.unit(j), -outcomeLimit), outcomeLimit)
			if m.stack != nil || m.home >= 0 {
				m.both[j].learn(c, m.out[j], target)
			}
			if m.stack != nil {
				m.err[0] = clip(target-c[0]-m.stackOf(z, c[0]), stackLimit)
				m.stack.Update(m.deviation, m.err)
			}
			m.aggregate[j].learn(z, c[0], target)
		}
	}
	for j, v := range y {
		step := math.Abs(v - last[j])
		if math.IsNaN(v) {
			continue
		}
		m.largest[j], m.recent[j] = max(m.largest[j], m.recent[j]), step
		if step == 0 {
			continue
		}
		m.steps[j]++
		square := step * step
		if m.steps[j] > winsorAfter {
			square = min(square, outcomeLimit*outcomeLimit*m.square[j])
		}
		m.square[j] += (square - m.square[j]) * max(1/m.steps[j], scaleRate)
	}
}

// weightsTo writes the weights of the experts, dim x experts, without the
// stack's corrections.
func (m *mixer) weightsTo(dst []float64) {
	for j := range m.dim {
		copy(dst[j*m.experts:(j+1)*m.experts], m.aggregate[j].weight)
	}
}

func (m *mixer) State(c *snapshot.Codec) {
	c.Section("mixer")
	for _, v := range [][]float64{m.square, m.steps, m.largest, m.recent, m.z, m.choices, m.out} {
		c.Float64s(v)
	}
	for j := range m.dim {
		m.aggregate[j].State(c)
		m.both[j].State(c)
	}
	if m.stack != nil {
		m.stack.State(c)
	}
}
