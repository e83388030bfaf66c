package maclaurin

import (
	"errors"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/orff/internal/bound"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/random"
)

// products evaluates features that are products of factors. Feature j has degree[j] factors, in consecutive elements:
//
//	Z_j = coef_j prod_i factor_i.
type products struct {
	degree  []int
	log     []float64 // log of the coefficient; -Inf for 0
	coef    []float64 // the coefficient
	factors []float64 // factors at the last x
	pull    []float64 // derivative of the result by each factor
}

// logDomain is the largest degree whose product is computed without logarithms. Beyond it, the product of the factors
// could overflow even if its product with the coefficient does not.
const logDomain = 60

func newProducts(n int) products {
	return products{degree: make([]int, n), log: make([]float64, n), coef: make([]float64, n)}
}

// resize makes room for the factors of all degrees, and returns their number.
func (p *products) resize() (total int) {
	for _, n := range p.degree {
		total += n
	}
	p.factors = grown(p.factors, total)
	p.pull = grown(p.pull, total)
	return total
}

// grown returns a slice of length n. It reuses the memory of v if it is large enough.
func grown(v []float64, n int) []float64 {
	if cap(v) < n {
		return make([]float64, n)
	}
	return v[:n]
}

// drawDegrees draws the degrees of all features, and sets the coefficients sqrt(a_N/P_N).
func (p *products) drawDegrees(s Series, law DegreeLaw, r *random.Rand) {
	for j := range p.degree {
		p.degree[j] = law.Degree(r)
	}
	p.setCoefficients(s, law)
}

func (p *products) setCoefficients(s Series, law DegreeLaw) {
	for j, n := range p.degree {
		p.setLog(j, (math.Log(s.Coefficient(n))-math.Log(law.Probability(n)))/2)
	}
}

func (p *products) setLog(j int, log float64) { p.log[j], p.coef[j] = log, math.Exp(log) }

// featuresTo writes z = scale Z.
func (p *products) featuresTo(z []float64, scale float64) {
	rest := p.factors
	for j, n := range p.degree {
		z[j] = scale * p.product(j, rest[:n])
		rest = rest[n:]
	}
}

// product returns coef_j times the product of the factors f.
func (p *products) product(j int, f []float64) float64 {
	if len(f) <= logDomain {
		v := p.coef[j]
		for _, t := range f {
			v *= t
		}
		return v
	}
	log, sign := p.log[j], 1.0
	for _, t := range f {
		log += math.Log(math.Abs(t))
		if t < 0 {
			sign = -sign
		}
	}
	return sign * math.Exp(log)
}

// pullFrom sets pull to the derivatives of sum_j scale c_j Z_j by the factors, without a division.
func (p *products) pullFrom(c []float64, scale float64) {
	at := 0
	for j, n := range p.degree {
		f, d := p.factors[at:at+n], p.pull[at:at+n]
		at += n
		if n > logDomain {
			for i := range f {
				t := f[i]
				f[i] = 1
				d[i] = scale * c[j] * p.product(j, f)
				f[i] = t
			}
			continue
		}
		before := scale * c[j] * p.coef[j]
		for i, t := range f {
			d[i] = before
			before *= t
		}
		after := 1.0
		for i := n - 1; i >= 0; i-- {
			d[i] *= after
			after *= f[i]
		}
	}
}

// state saves or restores the degrees, then the numbers of the factors, width per factor.
func (p *products) state(c *snapshot.Codec, numbers *[]float64, width int) {
	for j := range p.degree {
		c.Index(&p.degree[j], maxDegree+1)
	}
	if c.Decoding() {
		total := 0
		for _, n := range p.degree {
			total += n
		}
		if len(c.Bytes()) < 8*width*total {
			c.Fail("%d factors of random products do not follow", total)
			clear(p.degree)
		}
		*numbers = grown(*numbers, width*p.resize())
	}
	c.Float64s(*numbers)
}

func maclaurinUniform(eps float64, p bound.Set, d int, c1, l1 float64) (bound.Inequality, string, error) {
	eps = min(eps, 16*p.Radius*l1)
	return bound.MaclaurinOnASet(eps, d, p.Radius, c1, l1), "Kar and Karnick, net over pairs", nil
}

// productBound bounds |Z(x) Z(z)| if the product of a factor at x and a factor at z is at most t: (P/(P-1)) f(P t) for
// the geometric law, otherwise the largest a_n/P_n t^n.
func productBound(s Series, law DegreeLaw, t float64) (float64, error) {
	var c float64
	if g, ok := law.(Geometric); ok {
		c = g.P / (g.P - 1) * s.At(g.P*t)
	} else {
		for n, power := 0, 1.0; n < maxDegree; n, power = n+1, power*t {
			if a := s.Coefficient(n); a > 0 {
				c = max(c, a/law.Probability(n)*power)
			}
		}
	}
	if !numeric.Finite([]float64{c}) {
		return 0, errors.New("orff: no error bound: the features are unbounded at this radius, use a smaller one or a truncated series")
	}
	return c, nil
}
