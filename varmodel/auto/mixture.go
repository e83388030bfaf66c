package auto

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/sgd/online"
	"github.com/orffvar/forecaster/varmodel/series"
)

// mlPoly computes the weights of experts by ML-Poly (Gaillard, Stoltz and van Erven 2014), for all coordinates at
// once; see lanes.Mixture.
type mlPoly struct {
	*lanes.Mixture
	dim, stride int
	most        int // largest number of outcomes per round
}

// newMLPoly returns the weights before the first outcome. While no expert has a positive regret, the expert with
// index fallback has all the weight; if fallback < 0, all experts have equal weights. every is the largest number
// of outcomes per round. relative: regrets are in units of the squared error.
func newMLPoly(dim, experts, every, fallback int, relative bool) *mlPoly {
	cfg := lanes.MixtureConfig{
		Experts: experts, Variables: dim, Every: every, Prior: make([]float64, experts), Limit: errorLimit,
		Relative: relative, Smallest: smallestError, Winsor: series.WinsorLimit, After: series.WinsorAfter, Rate: scaleRate,
	}
	for k := range cfg.Prior {
		cfg.Prior[k] = 1 / float64(experts)
	}
	if fallback >= 0 {
		clear(cfg.Prior)
		cfg.Prior[fallback], cfg.PriorRounds = 1, fallbackRounds
	}
	return &mlPoly{Mixture: lanes.NewMixture(cfg), dim: dim, stride: vec.Stride(dim), most: every}
}

// weight returns the weight of an expert for coordinate j.
func (p *mlPoly) weight(expert, j int) float64 { return p.Weights[expert*p.stride+j] }

func (p *mlPoly) State(c *snapshot.Codec) {
	c.Float64s(p.Regret)
	c.Float64s(p.Square)
	c.Float64s(p.Gain)
	c.Float64s(p.Z)
	for j := range p.dim {
		outcomes, rounds := int(p.Outcomes[j]), int(p.Rounds[j])
		c.Index(&outcomes, p.most)
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
	fallbackRounds = 2     // rounds that the other experts have to win to get half of the weight of the fallback
	incrementLimit = 1e6   // limit of an increment of an expert, in typical steps: its square must not overflow
	scaleRate      = 1e-3  // weight of a new step in the typical step
	smallestError  = 1e-6  // smallest squared error, in squared typical steps
	stackRidge     = 300   // ridge of the stack: prior precision of its weights around 0
	stackForget    = .9995 // weight of a sample in the stack after one step
	stackEvery     = 4     // samples between two steps of the stack
	stackLimit     = 5     // limit of an error of the stack, in typical steps
)

// mixture combines the forecasts of several experts. The forecasts are increments over the last value, in typical
// steps. A typical step is the root mean square of the nonzero steps. Each coordinate has these candidates:
//
//   - the aggregate, a convex combination with ML-Poly weights;
//   - the stack: the aggregate plus a linear function of the deviations of the experts from the aggregate,
//     limited to the range of the experts. A ridge regression learns one function for all coordinates;
//   - persistence, if there is a fallback.
//
// A second ML-Poly combines the candidates.
type mixture struct {
	dim, experts, fallback int

	steps     *lanes.Steps
	aggregate *mlPoly             // weights of the experts
	selection *mlPoly             // weights of the candidates: aggregate, stack and, with a fallback, persistence
	stack     *online.BlockNewton // nil: the candidate stack equals the aggregate
	selects   bool                // the forecast is the combination by selection; else the aggregate

	out []float64 // dim, padded: increments of the last forecast, in typical steps

	correction, deviation, err []float64 // scratch
}

func newMixture(dim, experts, every, fallback int, stacking bool, work *online.Workspace) *mixture {
	stride := vec.Stride(dim)
	m := &mixture{
		dim: dim, experts: experts, fallback: fallback,
		steps:     lanes.NewSteps(dim, series.WinsorAfter, outcomeLimit, scaleRate),
		aggregate: newMLPoly(dim, experts, every, fallback, false),
		out:       make([]float64, stride),
		deviation: make([]float64, experts), err: make([]float64, 1),
		correction: make([]float64, stride),
	}
	last := -1
	if fallback >= 0 {
		last = m.candidates() - 1
	}
	m.selection = newMLPoly(dim, m.candidates(), every, last, fallback < 0)
	m.selects = stacking || fallback >= 0
	if !stacking {
		return m
	}
	var err error
	m.stack, err = online.NewBlockNewton(online.BlockNewtonConfig{
		Features: experts, Outputs: 1, Block: experts, Every: stackEvery * dim,
		Ridge: stackRidge, Forgetting: math.Pow(stackForget, 1/float64(dim)),
		Workspace: work,
	})
	if err != nil {
		panic("varmodel: " + err.Error()) // the constants above are valid
	}
	return m
}

// unit returns the typical step of coordinate j.
func (m *mixture) unit(j int) float64 { return m.steps.Unit[j] }

// forecastTo writes the mixture of the forecasts (experts x vec.Stride(dim) or experts x dim, see
// lanes.Mixture.Aggregate) to dst. last is the last sample, dim.
func (m *mixture) forecastTo(dst, last, forecasts []float64) {
	a := m.aggregate
	a.Aggregate(forecasts, last, m.steps.Inverse, incrementLimit)
	mean := a.Mean
	if m.selects {
		mean = m.correction
		m.selectTo(mean)
	}
	n := len(last)
	mean, out, units, dst := mean[:n], m.out[:n], m.steps.Unit[:n], dst[:n]
	for j, x := range last {
		v := mean[j]
		out[j], dst[j] = v, x+units[j]*v
	}
}

// selectTo writes the combination of the candidates. Persistence adds nothing, because its increment is 0.
func (m *mixture) selectTo(dst []float64) {
	stride := m.selection.stride
	mean, stacked := m.selection.Z[:stride], m.selection.Z[stride:2*stride]
	copy(mean, m.aggregate.Mean)
	copy(stacked, m.aggregate.Mean)
	if m.stack != nil {
		m.correctTo(stacked)
	}
	first, second := m.selection.Weights[:stride], m.selection.Weights[stride:2*stride]
	for j := range dst {
		dst[j] = first[j]*mean[j] + second[j]*stacked[j]
	}
}

// correctTo writes the increments of the stack. Compute the increments of the aggregate first.
func (m *mixture) correctTo(dst []float64) {
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

// candidates returns the number of candidates. For more than one step persistence is a candidate, because few
// outcomes are independent.
func (m *mixture) candidates() int {
	if m.fallback < 0 {
		return 2
	}
	return 3
}

// stackOf sets m.deviation to the deviations of the experts from the aggregate of coordinate j, and returns the
// correction of the stack: sum_k theta_k deviation_k.
func (m *mixture) stackOf(j int, aggregate float64) (correction float64) {
	z, stride := m.aggregate.Z, m.aggregate.stride
	deviation := m.deviation
	for k, w := range m.stack.Weights()[:len(deviation)] {
		v := z[k*stride+j] - aggregate
		deviation[k] = v
		correction += w * v
	}
	return correction
}

// setRounds sets the number of outcomes per round.
func (m *mixture) setRounds(every int) {
	m.aggregate.SetEvery(every)
	m.selection.SetEvery(every)
}

// Observe updates the weights with the next sample y (NaN where missing) after the sample last (NaN where there was
// none). Call forecastTo first. If learn is false, the experts had no forecasts, and only the typical steps are
// updated.
func (m *mixture) Observe(y, last []float64, learn bool) {
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
	if m.selects {
		m.selection.Learn(m.out, target)
	}
}

// outTo writes the increments of the last forecast. For more than one step the outcome is known only after further
// forecasts. setOut then restores the increments, so that regrets are relative to the issued forecast.
func (m *mixture) outTo(dst []float64) {
	for j := range dst {
		dst[j] = m.out[j] * m.unit(j)
	}
}

func (m *mixture) setOut(increments []float64) {
	for j, v := range increments {
		m.out[j] = v * m.steps.Inverse[j]
	}
}

// discount multiplies the weight of all outcomes so far by keep, in (0, 1].
func (m *mixture) discount(keep float64) {
	for _, p := range []*mlPoly{m.aggregate, m.selection} {
		vec.Scale(keep, p.Regret)
		vec.Scale(keep, p.Square)
		p.Derive()
	}
}

// weightsTo writes the weights of the experts in the aggregate, dim x experts.
func (m *mixture) weightsTo(dst []float64) {
	for j := range m.dim {
		m.aggregate.weightsTo(dst[j*m.experts:(j+1)*m.experts], j)
	}
}

// weightsTo writes the weights of the experts for coordinate j.
func (p *mlPoly) weightsTo(dst []float64, j int) {
	for k := range dst {
		dst[k] = p.weight(k, j)
	}
}

func (m *mixture) State(c *snapshot.Codec) {
	c.Section("mixture")
	d := m.dim
	for _, v := range [][]float64{m.steps.Square[:d], m.steps.Count[:d], m.out, m.aggregate.Mean} {
		c.Float64s(v)
	}
	m.aggregate.State(c)
	m.selection.State(c)
	if m.stack != nil {
		m.stack.State(c)
	}
	if c.Decoding() {
		m.steps.Derive()
	}
}
