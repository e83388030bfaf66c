package lanes

import (
	"math"

	"github.com/orffvar/forecaster/internal/vec"
)

// Mixture is a weighted mean of K experts for each of n variables. The weights are those of ML-Poly (Gaillard, Stoltz
// and van Erven 2014), an aggregation rule without a learning rate. With the experts' forecasts Z_k, the issued
// forecast out and its outcome y,
//
//	gain_k    = sum over a round of Every outcomes of 2/Every loss'(out - y) (out - Z_k)
//	Regret_k += gain_k,   Square_k += gain_k^2
//	w_k       = max(Regret_k, 0)/(1 + Square_k)
//	Weights_k = evidence w_k/sum(w) + (1 - evidence) Prior_k
//	evidence  = Rounds/(Rounds + PriorRounds)
//
// or Prior_k while sum(w) is zero. The gain is the decrease of the loss per unit step towards the expert (gradient
// trick): so the mixture competes with the best convex combination. The derivative of half the loss is
//
//	loss'(e)/2 = clip(e, Limit)                          unless Relative
//	loss'(e)/2 = clip(e, Winsor sqrt(s))/s,   s = max(Scale_{t-1}, Smallest)
//	Scale_t    = Scale_{t-1} + a_t (min(e^2, Winsor^2 Scale_{t-1}) - Scale_{t-1}),   Scale_0 = e_1^2
//
// where the minimum applies once t > After, and Rate is the rate of a_t. Relative makes regrets independent of units.
// Otherwise, when the experts' errors have become small, the differences between them would be negligible beside the
// regrets of the first outcomes.
//
// A matrix has one row of vec.Stride(n) elements per expert. A vector has one row.
type Mixture struct {
	Weights, Z     []float64 // matrices
	Regret, Square []float64 // matrices: sums over complete rounds
	Gain           []float64 // matrix: sum over the outcomes of the current round
	Mean           []float64 // vector: sum_k Weights_k Z_k
	Low, High      []float64 // vectors: minimum and maximum of 0 and all Z_k

	Outcomes, Rounds []float64 // vectors: number of outcomes in the current round, and of complete rounds
	Seen, Scale      []float64 // vectors: t and Scale_t, if Relative
	evidence         []float64 // vector

	MixtureConfig
	rows   []float64 // evidence to Scale, for the kernel
	limits [mixLimits]float64
}

// MixtureConfig has the constants of a Mixture; its comment explains them.
type MixtureConfig struct {
	Experts, Variables int // K and n, both positive

	Every       int       // number of outcomes per round, positive
	Prior       []float64 // K weights
	PriorRounds float64   // number of complete rounds after which the prior has half its weight; 0: a positive regret replaces the prior
	Limit       float64   // limit of an error; unused if Relative

	Relative                      bool
	Smallest, Winsor, After, Rate float64
}

// NewMixture returns a mixture whose weights are the prior.
func NewMixture(cfg MixtureConfig) *Mixture {
	if cfg.Experts < 1 || cfg.Variables < 1 || cfg.Every < 1 || len(cfg.Prior) != cfg.Experts {
		panic("lanes: NewMixture: nothing to mix")
	}
	stride := vec.Stride(cfg.Variables)
	m := &Mixture{MixtureConfig: cfg}
	m.limits = [mixLimits]float64{
		mixOne: 1, mixEvery: float64(cfg.Every), mixRate: 2 / float64(cfg.Every), mixLimit: cfg.Limit,
		mixPriorRounds: cfg.PriorRounds, mixSmallest: cfg.Smallest, mixWinsor: cfg.Winsor,
		mixWinsor2: cfg.Winsor * cfg.Winsor, mixAfter: cfg.After, mixLeast: cfg.Rate,
	}
	k, rows := cfg.Experts, m.fields()
	v := vec.Aligned((5*k + 3 + len(rows)) * stride)
	part := func(rows int) []float64 {
		p := v[: rows*stride : rows*stride]
		v = v[rows*stride:]
		return p
	}
	m.Weights, m.Z, m.Regret, m.Square, m.Gain = part(k), part(k), part(k), part(k), part(k)
	m.Mean, m.Low, m.High = part(1), part(1), part(1)
	m.rows = split(v, stride, rows)
	if cfg.PriorRounds == 0 {
		for j := range m.evidence {
			m.evidence[j] = 1
		}
	}
	m.Derive()
	return m
}

// Derive recomputes Weights from Regret, Square and Rounds.
func (m *Mixture) Derive() {
	none := make([]float64, len(m.Mean))
	for j := range none {
		none[j] = math.NaN()
	}
	m.Learn(m.Mean, none)
}

// SetEvery sets the number of outcomes per round to every > 0. If the current round already has that many outcomes, it
// ends with the next one.
func (m *Mixture) SetEvery(every int) {
	if every == m.Every {
		return
	}
	m.Every = every
	m.limits[mixEvery], m.limits[mixRate] = float64(every), 2/float64(every)
	for j, n := range m.Outcomes {
		m.Outcomes[j] = min(n, float64(every-1))
	}
}

// Aggregate sets Z_k = clip((f_k - x) inverse, limit), and from them Mean, Low and High. f has one row per expert, of n
// or vec.Stride(n) elements, and no NaN. x has n elements, and inverse is a vector.
func (m *Mixture) Aggregate(f, x, inverse []float64, limit float64) {
	row := len(m.Mean)
	if len(f) == m.Experts*m.Variables {
		row = m.Variables
	}
	if len(f) != m.Experts*row || len(x) != m.Variables || len(inverse) != len(m.Mean) {
		panic("lanes: Aggregate: shapes differ")
	}
	aggregate(m, f, x, inverse, limit, row)
}

// Learn learns the outcomes y of the issued forecasts out, both vectors.
func (m *Mixture) Learn(out, y []float64) {
	if len(out) != len(m.Mean) || len(y) != len(m.Mean) {
		panic("lanes: Mixture.Learn: lengths differ")
	}
	regrets(m, out, y)
}

func aggregatePortable(m *Mixture, f, x, inverse []float64, limit float64, row int) {
	clear(m.Mean)
	clear(m.Low)
	clear(m.High)
	stride := len(m.Mean)
	n := m.Variables
	for k := range m.Experts {
		z, w := m.Z[k*stride:(k+1)*stride], m.Weights[k*stride:(k+1)*stride]
		for j, v := range f[k*row : k*row+n] {
			v = max(min((v-x[j])*inverse[j], limit), -limit)
			z[j] = v
			m.Low[j], m.High[j] = min(m.Low[j], v), max(m.High[j], v)
			m.Mean[j] += float64(w[j] * v)
		}
	}
}

func regretsPortable(m *Mixture, out, y []float64) {
	stride, p := len(m.Mean), &m.limits
	for j := range m.Variables {
		var slope, due float64
		if e := out[j] - y[j]; e == e {
			slope = float64(m.slope(j, e) * p[mixRate])
			if m.Outcomes[j]++; m.Outcomes[j] == p[mixEvery] {
				m.Outcomes[j], due = 0, 1
				m.Rounds[j]++
			}
		}
		if m.PriorRounds > 0 {
			m.evidence[j] = m.Rounds[j] / (m.Rounds[j] + m.PriorRounds)
		}
		var sum float64
		for i := j; i < len(m.Weights); i += stride {
			g := m.Gain[i] + float64(slope*(out[j]-m.Z[i]))
			part := g * due
			m.Gain[i] = g - part
			m.Regret[i] += part
			m.Square[i] += float64(part * part)
			w := max(m.Regret[i], 0) / (1 + m.Square[i])
			m.Weights[i] = w
			sum += w
		}
		// The reciprocal of a sum below 1e-308 overflows.
		scale, left := float64(min(1/sum, math.MaxFloat64)*m.evidence[j]), 1.0
		if sum > 0 {
			left = 1 - m.evidence[j]
		}
		for k, prior := range m.Prior {
			i := k*stride + j
			m.Weights[i] = float64(m.Weights[i]*scale) + float64(prior*left)
		}
	}
}

// slope returns loss'(e)/2, and learns the scale of e.
func (m *Mixture) slope(j int, e float64) float64 {
	p := &m.limits
	if !m.Relative {
		return Clip(e, p[mixLimit])
	}
	square := float64(e * e)
	if m.Seen[j]++; m.Seen[j] == 1 {
		m.Scale[j] = square
	}
	scale := max(m.Scale[j], p[mixSmallest])
	if square > p[mixWinsor2]*scale {
		e = Clip(e, p[mixWinsor]*math.Sqrt(scale))
	}
	if limit := p[mixWinsor2] * m.Scale[j]; square > limit && m.Seen[j] > p[mixAfter] {
		square = limit
	}
	m.Scale[j] += float64(Weight(m.Seen[j], p[mixLeast]) * (square - m.Scale[j]))
	return e / scale
}
