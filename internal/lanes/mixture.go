package lanes

import (
	"math"

	"github.com/orffvar/forecaster/internal/vec"
)

// Mixture is a weighted mean of experts for each of n variables, with the weights of
// ML-Poly (Gaillard, Stoltz and van Erven 2014), an aggregation without a learning
// rate: the weight of an expert is its positive regret over 1 and the sum of its
// squared regrets. A matrix here has a row for each expert, of vec.Stride(n) elements; a
// vector has as many, of which the first n count.
type Mixture struct {
	Weights, Z     []float64 // matrices; Z: what the experts say
	Regret, Square []float64 // matrices: sums of regrets and of their squares
	Gain           []float64 // matrix: regret in the present round
	Mean           []float64 // vectors: the sum of Weights Z,
	Low, High      []float64 // and bounds of 0 and Z

	Outcomes, Rounds []float64 // vectors: outcomes in the present round, and complete rounds
	Seen, Scale      []float64 // vectors: outcomes, and their mean squared error, when Relative
	trust            []float64 // vector: share of the regrets in the weights

	MixtureConfig
	rows   []float64 // the last vectors
	limits [10]float64
}

// MixtureConfig says what a Mixture is.
type MixtureConfig struct {
	Experts, Variables int

	Every int       // outcomes that make one round, whose regrets count as one
	Prior []float64 // weights of the experts while none has a positive regret
	Doubt float64   // complete rounds at which the prior still has half the weight; 0: none beside a positive regret
	Limit float64   // of an error

	// Errors are over the mean square of those before, which makes regrets free of
	// units: where the experts are far better than 0, their differences would else be
	// nothing beside the regrets of the first outcomes. That is at least Smallest; after
	// After outcomes errors are limited to Winsor of its roots. An outcome has the weight
	// Rate in it, at first that of one among all.
	Relative                      bool
	Smallest, Winsor, After, Rate float64
}

// The limits of a mixture.
const (
	mixOne   = iota
	mixEvery // outcomes of a round
	mixRate  // factor of an error
	mixLimit
	mixDoubt
	mixSmallest
	mixWinsor
	mixWinsor2 // its square
	mixAfter
	mixLeast
)

const mixtureRows = 5

// NewMixture returns a mixture whose weights are the prior.
func NewMixture(cfg MixtureConfig) *Mixture {
	if cfg.Experts < 1 || cfg.Variables < 1 || cfg.Every < 1 || len(cfg.Prior) != cfg.Experts {
		panic("lanes: NewMixture: nothing to mix")
	}
	stride := vec.Stride(cfg.Variables)
	v := vec.Aligned((5*cfg.Experts + 3 + mixtureRows) * stride)
	rows := v[(5*cfg.Experts+3)*stride:]
	part := func(rows int) []float64 {
		p := v[: rows*stride : rows*stride]
		v = v[rows*stride:]
		return p
	}
	k := cfg.Experts
	m := &Mixture{
		Weights: part(k), Z: part(k), Regret: part(k), Square: part(k), Gain: part(k),
		Mean: part(1), Low: part(1), High: part(1),
		rows:  rows,
		trust: part(1), Outcomes: part(1), Rounds: part(1), Seen: part(1), Scale: part(1),
		MixtureConfig: cfg,
		limits: [...]float64{1, float64(cfg.Every), 2 / float64(cfg.Every), cfg.Limit, cfg.Doubt,
			cfg.Smallest, cfg.Winsor, cfg.Winsor * cfg.Winsor, cfg.After, cfg.Rate},
	}
	if cfg.Doubt == 0 {
		for j := range m.trust {
			m.trust[j] = 1
		}
	}
	m.Derive()
	return m
}

// Derive sets the weights that Regret, Square and Rounds ask for.
func (m *Mixture) Derive() {
	none := make([]float64, len(m.Mean))
	for j := range none {
		none[j] = math.NaN()
	}
	m.Learn(m.Mean, none)
}

// Aggregate sets Z to what the experts forecast, f, less x, times inverse, limited; and
// Mean, Low and High from it. f has a row for each expert, of n or vec.Stride(n) elements,
// and is not NaN; inverse is a vector.
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

// Learn takes the outcomes y, NaN for none, when the forecast was out; both are
// vectors. The regret of an expert is the gain of moving a little towards it (the
// gradient trick, which makes the aggregate compete with the best convex combination),
// the sum of 2 (out - y) (out - Z) over a round, divided by Every. The weights are then
//
//	trust max(Regret, 0) / (1 + Square) / (their sum) + (1 - trust) Prior
//
// with trust = Rounds / (Rounds + Doubt), or Prior while the sum is zero.
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
		if m.Doubt > 0 {
			m.trust[j] = m.Rounds[j] / (m.Rounds[j] + m.Doubt)
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
		// A sum below 1e-308 has no inverse.
		scale, left := float64(min(1/sum, math.MaxFloat64)*m.trust[j]), 1.0
		if sum > 0 {
			left = 1 - m.trust[j]
		}
		for k, prior := range m.Prior {
			i := k*stride + j
			m.Weights[i] = float64(m.Weights[i]*scale) + float64(prior*left)
		}
	}
}

// slope is half the derivative of the loss of an error e.
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
	m.Scale[j] += float64(Falling(m.Seen[j], p[mixLeast]) * (square - m.Scale[j]))
	return e / scale
}
