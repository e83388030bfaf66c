package vec

import "math"

// Stride is n rounded up to whole registers of any implementation: the length of
// the rows that Aggregate and Regrets take a register of variables at a time of.
func Stride(n int) int { return (n + tile - 1) / tile * tile }

// Mixture is a weighted mean of experts for each of n variables, with the numbers
// that it is made from. A matrix here has a row for each expert, of Stride(n)
// elements; a vector has as many. What is beyond n stays zero.
type Mixture struct {
	Weights, Z     []float64 // matrices; Z: what the experts say
	Regret, Square []float64 // matrices; see Regrets
	Gain           []float64 // matrix
	Mean           []float64 // vectors: the sum of Weights Z,
	Low, High      []float64 // and bounds of 0 and Z
	Slope          []float64 // vectors; see Regrets
	Due, Trust     []float64
	Sum            []float64
	n, experts     int
}

// NewMixture returns a mixture of zeros.
func NewMixture(experts, n int) *Mixture {
	if experts < 1 || n < 1 {
		panic("vec: NewMixture: nothing to mix")
	}
	stride := Stride(n)
	v := Aligned[float64]((5*experts + 7) * stride)
	part := func(rows int) []float64 {
		p := v[: rows*stride : rows*stride]
		v = v[rows*stride:]
		return p
	}
	return &Mixture{
		Weights: part(experts), Z: part(experts), Regret: part(experts), Square: part(experts), Gain: part(experts),
		Mean: part(1), Low: part(1), High: part(1), Slope: part(1), Due: part(1), Trust: part(1), Sum: part(1),
		n: n, experts: experts,
	}
}

// Aggregate sets Z to what the experts forecast, f of experts x n, less x, times
// inverse, limited; and Mean, Low and High from it. inverse is a vector. f is not
// NaN.
func (m *Mixture) Aggregate(f, x, inverse []float64, limit float64) {
	if len(f) != m.experts*m.n || len(x) != m.n || len(inverse) != len(m.Mean) {
		panic("vec: Aggregate: shapes differ")
	}
	aggregate(m, f, x, inverse, limit)
}

// Regrets adds Slope (out - Z) to Gain, out being a vector. For variables that are
// Due, 1 and not 0, it adds that to Regret and its square to Square, and begins
// again with a Gain of zero. Weights become max(Regret, 0) / (1 + Square) over its
// Sum, times Trust; zero where the sum is.
func (m *Mixture) Regrets(out []float64) {
	if len(out) != len(m.Mean) {
		panic("vec: Regrets: lengths differ")
	}
	regrets(m, out)
}

func aggregatePortable(m *Mixture, f, x, inverse []float64, limit float64) {
	clear(m.Mean)
	clear(m.Low)
	clear(m.High)
	stride := len(m.Mean)
	for k := range m.experts {
		z, w := m.Z[k*stride:(k+1)*stride], m.Weights[k*stride:(k+1)*stride]
		for j, v := range f[k*m.n : (k+1)*m.n] {
			v = max(min((v-x[j])*inverse[j], limit), -limit)
			z[j] = v
			m.Low[j], m.High[j] = min(m.Low[j], v), max(m.High[j], v)
			m.Mean[j] += float64(w[j] * v)
		}
	}
}

func regretsPortable(m *Mixture, out []float64) {
	clear(m.Sum)
	stride := len(m.Mean)
	for k := range m.experts {
		for j := range m.n {
			i := k*stride + j
			g := m.Gain[i] + float64(m.Slope[j]*(out[j]-m.Z[i]))
			part := g * m.Due[j]
			m.Gain[i] = g - part
			m.Regret[i] += part
			m.Square[i] += float64(part * part)
			w := max(m.Regret[i], 0) / (1 + m.Square[i])
			m.Weights[i] = w
			m.Sum[j] += w
		}
	}
	for j, sum := range m.Sum[:m.n] {
		scale := min(1/sum, math.MaxFloat64) * m.Trust[j]
		for i := j; i < len(m.Weights); i += stride {
			m.Weights[i] *= scale
		}
	}
}
