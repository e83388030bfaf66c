package varmodel

import (
	"math"

	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/sgd"
)

// polynomial has the weights of ML-Poly (Gaillard, Stoltz and van Erven 2014) for
// each coordinate, an aggregation of experts without a learning rate: the weight of
// an expert is its positive regret over the sum of its squared regrets, and all are
// equal while none has a positive one. All coordinates learn at a time.
type polynomial struct {
	*vec.Mixture
	experts, stride int
	every           int       // outcomes that make one round
	rate            float64   // 2 / every
	home            int       // expert that has all the weight at first; -1: all share it
	relative        bool      // regrets are in units of the aggregate's own squared error
	outcomes        []int     // of each coordinate, of the round that is not complete
	rounds          []int     // complete ones
	seen, scale     []float64 // outcomes, and their mean squared error, when relative
}

func newPolynomial(dim, experts, every, home int) *polynomial {
	p := &polynomial{
		Mixture: vec.NewMixture(experts, dim), experts: experts, stride: vec.Stride(dim), every: every, home: home,
		rate:     2 / float64(every),
		outcomes: make([]int, dim), rounds: make([]int, dim),
		seen: make([]float64, dim), scale: make([]float64, dim),
	}
	p.begin()
	return p
}

// begin sets the weights that the regrets ask for.
func (p *polynomial) begin() {
	for j := range p.rounds {
		p.believe(j)
	}
	p.learn(p.Mean)
}

// believe sets the share of coordinate j that the others take from home.
func (p *polynomial) believe(j int) {
	p.Trust[j] = 1
	if p.home >= 0 {
		p.Trust[j] = float64(p.rounds[j]) / float64(p.rounds[j]+homeRounds)
	}
}

// observe takes the outcome y of coordinate j, of which the aggregate's forecast was
// out: the regret of an expert is the gain of moving a little towards it (the
// gradient trick, which makes the aggregate compete with the best convex
// combination). learn has to follow, when all coordinates have been observed.
func (p *polynomial) observe(j int, out, y float64) {
	slope := clip(out-y, 25)
	if p.relative {
		slope = p.standardised(j, out-y)
	}
	p.Slope[j] = slope * p.rate
	if p.outcomes[j]++; p.outcomes[j] == p.every {
		p.outcomes[j], p.Due[j] = 0, 1
		p.rounds[j]++
		if p.home >= 0 {
			p.believe(j)
		}
	}
}

// learn learns what was observed, given the aggregate's forecasts.
func (p *polynomial) learn(out []float64) {
	p.Regrets(out)
	clear(p.Slope)
	clear(p.Due)
	for j, sum := range p.Sum[:len(p.rounds)] {
		switch {
		case p.home >= 0 && sum > 0:
			p.Weights[p.home*p.stride+j] += 1 - p.Trust[j]
		case p.home >= 0:
			p.Weights[p.home*p.stride+j] = 1
		case !(sum > 0):
			for k := range p.experts {
				p.Weights[k*p.stride+j] = 1 / float64(p.experts)
			}
		}
	}
}

// standardised returns e over the mean square of the errors before it, such that
// times a difference of forecasts it has no unit, and takes e into that mean. Where
// the experts are far better than persistence their differences would else be
// nothing beside the regrets of the first samples.
func (p *polynomial) standardised(j int, e float64) float64 {
	square := e * e
	if p.seen[j]++; p.seen[j] == 1 {
		p.scale[j] = square
	}
	scale := max(p.scale[j], smallestError)
	if square > winsorLimit*winsorLimit*scale {
		e = math.Copysign(winsorLimit*math.Sqrt(scale), e)
	}
	if limit := winsorLimit * winsorLimit * p.scale[j]; square > limit && p.seen[j] > winsorAfter {
		square = limit
	}
	p.scale[j] += falling(p.seen[j], scaleRate) * (square - p.scale[j])
	return e / scale
}

// weight is that of an expert for coordinate j.
func (p *polynomial) weight(expert, j int) float64 { return p.Weights[expert*p.stride+j] }

func (p *polynomial) State(c *snapshot.Codec) {
	c.Float64s(p.Regret)
	c.Float64s(p.Square)
	c.Float64s(p.Gain)
	c.Float64s(p.Z)
	for j := range p.rounds {
		c.Index(&p.outcomes[j], p.every)
		c.Int(&p.rounds[j])
	}
	c.Float64s(p.seen)
	c.Float64s(p.scale)
	if c.Decoding() {
		p.begin()
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

	square, steps   []float64        // mean square of the non-zero steps, and their number
	units, inverse  []float64        // root of square, or 1, and its inverse
	largest, recent []float64        // largest step but for the last; the last
	aggregate       *polynomial      // of the experts
	both            *polynomial      // of the aggregate, the stack, and persistence when there is a home
	stack           *sgd.BlockNewton // nil: the aggregate alone

	out []float64 // increments of the mixture

	correction, deviation, err []float64 // scratch
}

func newMixer(dim, experts, every, home int, stacking bool) *mixer {
	stride := vec.Stride(dim)
	m := &mixer{
		dim: dim, experts: experts, home: home, novelty: true,
		square: make([]float64, dim), steps: make([]float64, dim),
		units: make([]float64, dim), inverse: make([]float64, stride),
		largest: make([]float64, dim), recent: make([]float64, dim),
		aggregate: newPolynomial(dim, experts, every, home),
		out:       make([]float64, stride),
		deviation: make([]float64, experts), err: make([]float64, 1),
		correction: make([]float64, stride),
	}
	last := -1
	if home >= 0 {
		last = m.candidates() - 1
	}
	m.both = newPolynomial(dim, m.candidates(), every, last)
	m.both.relative = home < 0
	m.derive()
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

// derive sets what follows from the mean squares.
func (m *mixer) derive() {
	for j, v := range m.square {
		m.units[j], m.inverse[j] = inverted(math.Sqrt(v), 1)
	}
}

// unit is the scale of coordinate j.
func (m *mixer) unit(j int) float64 { return m.units[j] }

// forecastTo combines the experts' forecasts of the next sample, experts x dim,
// given the last sample.
func (m *mixer) forecastTo(dst, last, forecasts []float64) {
	a := m.aggregate
	a.Aggregate(forecasts, last, m.inverse, incrementLimit)
	stride := a.stride
	mean, stacked, out := m.both.Z[:stride], m.both.Z[stride:2*stride], m.out[:stride]
	copy(mean, a.Mean)
	copy(stacked, a.Mean)
	if m.stack != nil {
		theta := m.stack.Weights()
		vec.MatTVec(m.correction, a.Z, theta)
		var sum float64
		for _, v := range theta {
			sum += v
		}
		for j, v := range m.correction {
			v += mean[j] * (1 - sum)
			if v < a.Low[j] {
				v = a.Low[j]
			} else if v > a.High[j] {
				v = a.High[j]
			}
			stacked[j] = v
		}
	}
	copy(out, mean)
	if m.stack != nil || m.home >= 0 {
		first, second := m.both.Weights[:stride], m.both.Weights[stride:2*stride]
		for j := range out {
			out[j] = first[j]*mean[j] + second[j]*stacked[j]
		}
	}
	for j, x := range last {
		if m.novel(j) {
			out[j] = 0
		}
		dst[j] = x + m.units[j]*out[j]
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
	return m.both.weight(m.candidates()-1, j)
}

// stackOf leaves the experts' deviations from the aggregate of coordinate j in
// m.deviation and returns the correction that the stack makes of them.
func (m *mixer) stackOf(j int, aggregate float64) (correction float64) {
	z, stride := m.aggregate.Z, m.aggregate.stride
	deviation := m.deviation
	for k, w := range m.stack.Weights()[:len(deviation)] {
		v := z[k*stride+j] - aggregate
		deviation[k] = v
		correction += w * v
	}
	return correction
}

func (m *mixer) novel(j int) bool {
	return m.recent[j] > noveltyFactor*m.largest[j] && m.recent[j] > noveltySteps*m.units[j] && m.steps[j] > winsorAfter && m.novelty
}

// observe learns from the next sample y, NaN where missing, after forecastTo
// with the given last sample. learn says whether the experts' forecasts were
// worth learning from.
func (m *mixer) observe(y, last []float64, learn bool) {
	if learn {
		m.learn(y, last)
	}
	n := len(y)
	last, steps, squares, recent, largest := last[:n], m.steps[:n], m.square[:n], m.recent[:n], m.largest[:n]
	units, inverse := m.units[:n], m.inverse[:n]
	for j, v := range y {
		step := math.Abs(v - last[j])
		if step != step {
			continue
		}
		if recent[j] > largest[j] {
			largest[j] = recent[j]
		}
		recent[j] = step
		if step == 0 {
			continue
		}
		steps[j]++
		count, square, mean := steps[j], step*step, squares[j]
		if limit := outcomeLimit * outcomeLimit * mean; square > limit && count > winsorAfter {
			square = limit
		}
		mean += (square - mean) * falling(count, scaleRate)
		squares[j] = mean
		units[j], inverse[j] = inverted(math.Sqrt(mean), 1)
	}
}

func (m *mixer) learn(y, last []float64) {
	mean := m.both.Z[:m.both.stride]
	choose := m.stack != nil || m.home >= 0
	for j, v := range y {
		step := v - last[j]
		if math.IsNaN(v) || m.steps[j]+math.Abs(step) == 0 {
			continue
		}
		target := clip(step*m.inverse[j], outcomeLimit)
		if choose {
			m.both.observe(j, m.out[j], target)
		}
		if m.stack != nil {
			m.err[0] = clip(target-mean[j]-m.stackOf(j, mean[j]), stackLimit)
			m.stack.Update(m.deviation, m.err)
		}
		m.aggregate.observe(j, mean[j], target)
	}
	m.aggregate.learn(mean)
	if choose {
		m.both.learn(m.out)
	}
}

// weightsTo writes the weights of the experts, dim x experts, without the
// stack's corrections.
func (m *mixer) weightsTo(dst []float64) {
	for j := range m.dim {
		m.aggregate.weightsTo(dst[j*m.experts:(j+1)*m.experts], j)
	}
}

func (p *polynomial) weightsTo(dst []float64, j int) {
	for k := range dst {
		dst[k] = p.weight(k, j)
	}
}

func (m *mixer) State(c *snapshot.Codec) {
	c.Section("mixer")
	for _, v := range [][]float64{m.square, m.steps, m.largest, m.recent, m.out} {
		c.Float64s(v)
	}
	m.aggregate.State(c)
	m.both.State(c)
	if m.stack != nil {
		m.stack.State(c)
	}
	if c.Decoding() {
		m.derive()
	}
}
