package varmodel

import (
	"math"

	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/sgd"
)

// polynomial is a lanes.Mixture: ML-Poly for all coordinates at a time.
type polynomial struct {
	*lanes.Mixture
	dim, stride int
}

// newPolynomial returns a mixture in which all experts share the weight while none has
// a positive regret; or, when home is not negative, that one has it. every is the
// number of outcomes that make one round.
func newPolynomial(dim, experts, every, home int, relative bool) *polynomial {
	cfg := lanes.MixtureConfig{
		Experts: experts, Variables: dim, Every: every, Prior: make([]float64, experts), Limit: errorLimit,
		Relative: relative, Smallest: smallestError, Winsor: winsorLimit, After: winsorAfter, Rate: scaleRate,
	}
	for k := range cfg.Prior {
		cfg.Prior[k] = 1 / float64(experts)
	}
	if home >= 0 {
		clear(cfg.Prior)
		cfg.Prior[home], cfg.Doubt = 1, homeRounds
	}
	return &polynomial{Mixture: lanes.NewMixture(cfg), dim: dim, stride: vec.Stride(dim)}
}

// weight is that of an expert for coordinate j.
func (p *polynomial) weight(expert, j int) float64 { return p.Weights[expert*p.stride+j] }

func (p *polynomial) State(c *snapshot.Codec) {
	c.Float64s(p.Regret)
	c.Float64s(p.Square)
	c.Float64s(p.Gain)
	c.Float64s(p.Z)
	for j := range p.dim {
		outcomes, rounds := int(p.Outcomes[j]), int(p.Rounds[j])
		c.Index(&outcomes, p.Every)
		c.Int(&rounds)
		p.Outcomes[j], p.Rounds[j] = float64(outcomes), float64(rounds)
	}
	c.Float64s(p.Seen[:p.dim])
	c.Float64s(p.Scale[:p.dim])
	if c.Decoding() {
		p.Derive()
	}
}

const (
	outcomeLimit   = 30    // limit of an outcome, in typical steps
	errorLimit     = 25    // limit of an error of the aggregate, in typical steps
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

	steps     *lanes.Steps
	aggregate *polynomial      // of the experts
	both      *polynomial      // of the aggregate, the stack, and persistence when there is a home
	stack     *sgd.BlockNewton // nil: the aggregate alone
	choose    bool             // both is used; else the aggregate is all there is

	out []float64 // increments of the mixture

	correction, deviation, err []float64 // scratch
}

func newMixer(dim, experts, every, home int, stacking bool) *mixer {
	stride := vec.Stride(dim)
	m := &mixer{
		dim: dim, experts: experts, home: home, novelty: true,
		steps:     lanes.NewSteps(dim, winsorAfter, outcomeLimit, scaleRate),
		aggregate: newPolynomial(dim, experts, every, home, false),
		out:       make([]float64, stride),
		deviation: make([]float64, experts), err: make([]float64, 1),
		correction: make([]float64, stride),
	}
	last := -1
	if home >= 0 {
		last = m.candidates() - 1
	}
	m.both = newPolynomial(dim, m.candidates(), every, last, home < 0)
	m.choose = stacking || home >= 0
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
func (m *mixer) unit(j int) float64 { return m.steps.Unit[j] }

// forecastTo combines the experts' forecasts of the next sample, given the last
// sample; see lanes.Mixture.Aggregate.
func (m *mixer) forecastTo(dst, last, forecasts []float64) {
	a := m.aggregate
	a.Aggregate(forecasts, last, m.steps.Inverse, incrementLimit)
	said := a.Mean
	if m.choose {
		said = m.correction
		m.chooseTo(said)
	}
	n := len(last)
	said, out, units, dst := said[:n], m.out[:n], m.steps.Unit[:n], dst[:n]
	for j, x := range last {
		v := said[j]
		if m.novel(j) {
			v = 0
		}
		out[j], dst[j] = v, x+units[j]*v
	}
}

// chooseTo combines the aggregate and the stack.
func (m *mixer) chooseTo(dst []float64) {
	stride := m.both.stride
	mean, stacked := m.both.Z[:stride], m.both.Z[stride:2*stride]
	copy(mean, m.aggregate.Mean)
	copy(stacked, m.aggregate.Mean)
	if m.stack != nil {
		m.correctTo(stacked)
	}
	first, second := m.both.Weights[:stride], m.both.Weights[stride:2*stride]
	for j := range dst {
		dst[j] = first[j]*mean[j] + second[j]*stacked[j]
	}
}

// correctTo writes the increments of the stack, given those of the aggregate.
func (m *mixer) correctTo(dst []float64) {
	a, theta := m.aggregate, m.stack.Weights()
	vec.MatTVec(m.correction, a.Z, theta)
	var sum float64
	for _, v := range theta {
		sum += v
	}
	for j, v := range m.correction {
		v += a.Mean[j] * (1 - sum)
		if v < a.Low[j] {
			v = a.Low[j]
		} else if v > a.High[j] {
			v = a.High[j]
		}
		dst[j] = v
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
	s := m.steps
	recent := s.Recent[j]
	return recent > noveltyFactor*s.Largest[j] && recent > noveltySteps*s.Unit[j] && s.Count[j] > winsorAfter && m.novelty
}

// observe learns from the next sample y, NaN where missing, after forecastTo
// with the given last sample, NaN where there was none. learn says whether the
// experts' forecasts were worth learning from.
func (m *mixer) observe(y, last []float64, learn bool) {
	m.steps.Add(y, last)
	if !learn {
		return
	}
	target, mean := m.steps.Target, m.aggregate.Mean
	if m.stack != nil {
		for j, v := range target[:m.dim] {
			if v == v {
				m.err[0] = lanes.Clip(v-mean[j]-m.stackOf(j, mean[j]), stackLimit)
				m.stack.Update(m.deviation, m.err)
			}
		}
	}
	m.aggregate.Learn(mean, target)
	if m.choose {
		m.both.Learn(m.out, target)
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
	d := m.dim
	for _, v := range [][]float64{m.steps.Square[:d], m.steps.Count[:d], m.steps.Largest[:d], m.steps.Recent[:d], m.out, m.aggregate.Mean} {
		c.Float64s(v)
	}
	m.aggregate.State(c)
	m.both.State(c)
	if m.stack != nil {
		m.stack.State(c)
	}
	if c.Decoding() {
		m.steps.Derive()
	}
}
