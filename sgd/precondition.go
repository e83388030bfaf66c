package sgd

import (
	"errors"
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/sgd/internal/numeric"
	"github.com/orffvar/forecaster/sgd/rates"
)

// Preconditioner changes the direction of the steps of a DoublyStochastic:
// AdaGrad or Hessian.
type Preconditioner interface {
	build(cfg *DoublyStochasticConfig) (preconditioner, error)
}

// preconditioner is the state of a Preconditioner.
type preconditioner interface {
	// apply replaces the gradient g of block i by the direction of the step. phi has the features of the
	// mini-batch.
	apply(g []float64, i int, m Map, phi []float64)

	// grow makes room for n blocks after the features were divided by f.
	grow(n int, f float64)

	// forget drops the statistics of block i.
	forget(i int)

	state(c *snapshot.Codec)
}

// AdaGrad divides each entry of the gradient by the root of Epsilon plus the sum
// of its squares so far (Duchi et al. 2011).
type AdaGrad struct {
	Epsilon float64 // > 0, in units of a squared gradient
}

func (p AdaGrad) build(cfg *DoublyStochasticConfig) (preconditioner, error) {
	if !(p.Epsilon > 0) || math.IsInf(p.Epsilon, 0) {
		return nil, fmt.Errorf("sgd: AdaGrad Epsilon must be > 0 and finite, got %g", p.Epsilon)
	}
	params := cfg.Blocks[0].Dims().Params
	return &adaGrad{p.Epsilon, params, make([]float64, len(cfg.Blocks)*params)}, nil
}

type adaGrad struct {
	epsilon float64
	params  int
	sum     []float64
}

func (p *adaGrad) apply(g []float64, i int, _ Map, _ []float64) {
	sum := p.sum[i*p.params : (i+1)*p.params]
	for k, v := range g {
		sum[k] += v * v
		g[k] = v / math.Sqrt(p.epsilon+sum[k])
	}
}

func (p *adaGrad) grow(n int, f float64) {
	vec.Scale(1/(f*f), p.sum) // gradients shrink with the features
	p.sum = append(p.sum, make([]float64, n*p.params-len(p.sum))...)
}

func (p *adaGrad) forget(i int) { clear(p.sum[i*p.params : (i+1)*p.params]) }

func (p *adaGrad) state(c *snapshot.Codec) { c.Float64s(p.sum) }

// Hessian multiplies the gradient of a block by the inverse of its Hessian
//
//	H_i = 1/n sum_s Phi_i(x_s) Phi_i(x_s)^T + lambda I
//
// of the squared loss with all outputs known (Brault 2017, chapter 8). With all
// samples in the batch and rate 1 a step is an exact minimisation over the
// block; with one block it is the closed form. It needs DecayBlock, since
// shrinking the other blocks as well moves the fixed point.
type Hessian struct {
	// Forgetting is the weight of the old average of a block when a new mini-batch is added: 0 uses only the current
	// mini-batch, 0.99 damps the noise of small ones. A mini-batch of n samples, fewer than the parameters of a block, also
	// needs a rate that decreases from about n / parameters: in directions without other samples its gradient is amplified
	// by parameters / n.
	Forgetting float64

	// Output is B, p x p' row-major, of a decomposable map. The inverse is then computed factor by factor (a Stein
	// equation), in O(features^3) instead of O(parameters^3). nil: any map.
	Output []float64
}

func (p Hessian) build(cfg *DoublyStochasticConfig) (preconditioner, error) {
	d := cfg.Blocks[0].Dims()
	switch {
	case cfg.Decay != rates.DecayBlock:
		return nil, errors.New("sgd: the Hessian preconditioner needs DecayBlock")
	case !(cfg.Lambda > 0):
		return nil, fmt.Errorf("sgd: the Hessian preconditioner needs Lambda > 0, got %g", cfg.Lambda)
	case !(p.Forgetting >= 0 && p.Forgetting < 1):
		return nil, fmt.Errorf("sgd: Hessian Forgetting must lie in [0, 1), got %g", p.Forgetting)
	}
	h := &hessian{forgetting: p.Forgetting, lambda: cfg.Lambda, dims: d, size: d.Params}
	if p.Output != nil {
		inner := d.Params / d.Features
		if d.Params%d.Features != 0 || len(p.Output) != d.Out*inner {
			return nil, fmt.Errorf("sgd: Hessian Output must be %d x %d for these sizes, got %d numbers", d.Out, inner, len(p.Output))
		}
		h.size = d.Features
		h.gain, h.basis = numeric.Gram(p.Output, d.Out, inner)
		h.rows = make([]float64, d.Params)
	} else {
		h.unit = make([]float64, d.Out)
		h.rows = make([]float64, d.Out*d.Params)
	}
	h.chol = vec.NewCholesky(h.size)
	h.grow(len(cfg.Blocks), 1)
	return h, nil
}

type hessian struct {
	forgetting, lambda float64
	dims               Dims

	size   int        // r or params
	mean   []*vec.Sym // per block: of phi phi^T, or of Phi Phi^T
	visits []int      // per block

	gain, basis []float64 // eigenvalues of B^T B and V; nil: any map

	chol *vec.Cholesky
	rows []float64 // V^T G, p' x r; or Phi(x)^T, p x params
	unit []float64 // p
}

func (h *hessian) apply(g []float64, i int, m Map, phi []float64) {
	mean := h.mean[i]
	h.visits[i]++
	// The first visits have equal weights, so that a poor first mini-batch is soon outweighed.
	keep := min(h.forgetting, 1-1/float64(h.visits[i]))
	if keep > 0 {
		mean.Scale(keep)
	} else {
		mean.SetIdentity(0)
	}
	r := h.dims.Features
	w := (1 - keep) * float64(r) / float64(len(phi))
	if h.gain != nil {
		mean.RankK(w, phi)
		if !h.solveFactors(g, mean) {
			h.giveUp(g, i)
		}
		return
	}
	for s := 0; s < len(phi); s += r {
		h.adjointTo(m, phi[s:s+r])
		mean.RankK(w, h.rows)
	}
	if !h.factor(mean, h.lambda) {
		h.giveUp(g, i)
		return
	}
	h.chol.Solve(g)
}

// giveUp takes no step and forgets a curvature that overflowed.
func (h *hessian) giveUp(g []float64, i int) {
	clear(g)
	h.forget(i)
}

func (h *hessian) forget(i int) {
	h.mean[i].SetIdentity(0)
	h.visits[i] = 0
}

// adjointTo sets rows to Phi(x)^T.
func (h *hessian) adjointTo(m Map, phi []float64) {
	clear(h.rows)
	for k := range h.unit {
		h.unit[k] = 1
		m.AddGradient(h.rows[k*h.size:(k+1)*h.size], 1, phi, h.unit)
		h.unit[k] = 0
	}
}

// solveFactors replaces g by H^-1 g for H = B^T B (x) C + lambda I. With B^T B = V
// diag(gain) V^T that is one system gain_k C + lambda I for row k of V^T G.
func (h *hessian) solveFactors(g []float64, c *vec.Sym) (ok bool) {
	p, r := len(h.gain), h.size
	clear(h.rows)
	for a := range p {
		for k := range p {
			vec.Axpy(h.basis[a*p+k], g[a*r:(a+1)*r], h.rows[k*r:(k+1)*r])
		}
	}
	for k := 0; k < p; {
		gain, first := h.gain[k], k
		for k < p && h.gain[k] == gain { // equal gains share a factor
			k++
		}
		rows := h.rows[first*r : k*r]
		if h.lambda >= 1e20*gain*c.Trace() { // gain 0: a direction in the null space of B
			vec.Scale(1/h.lambda, rows)
			continue
		}
		if !h.factor(c, h.lambda/gain) {
			return false
		}
		h.chol.Solve(rows)
		vec.Scale(1/gain, rows)
	}
	clear(g)
	vec.AddMatMul(g, 1, h.basis, h.rows, p, r, p)
	return true
}

// factor factors S + lambda I. When rounding makes that indefinite the diagonal
// is raised, which only shortens the step.
func (h *hessian) factor(s *vec.Sym, lambda float64) (ok bool) {
	trace := s.Trace()
	if math.IsNaN(trace) || math.IsInf(trace, 0) {
		return false
	}
	for jitter := 0.0; !h.chol.Factor(s, lambda+jitter, 0); {
		jitter = max(10*jitter, 1e-12*trace/float64(h.size))
	}
	return true
}

func (h *hessian) grow(n int, f float64) {
	for _, s := range h.mean {
		s.Scale(1 / (f * f))
	}
	for len(h.mean) < n {
		h.mean = append(h.mean, vec.NewSym(h.size))
		h.visits = append(h.visits, 0)
	}
}

func (h *hessian) state(c *snapshot.Codec) {
	for i, s := range h.mean {
		c.Index(&h.visits[i], math.MaxInt)
		s.State(c)
	}
}
