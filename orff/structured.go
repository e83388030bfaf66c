package orff

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// NewSORF returns Fourier features of the Gaussian kernel of bandwidth sigma. Their frequencies are products of
// Walsh-Hadamard transforms and random signs (Yu et al. 2016):
//
//	W = (sqrt(d)/sigma) H D1 H D2 H D3, H normalised,
//
// with d padded to a power of two, and one such block per d (padded) frequencies. W x costs O(D log d). The kernel has
// a bias that shrinks only with d: NewSORF returns an error below 32 padded dimensions.
func NewSORF(sigma float64, d, D int, r random.Rand) (*Fourier, error) {
	if err := structuredSizes("SORF", sigma, d, D); err != nil {
		return nil, err
	}
	pad := powerOfTwo(d)
	if pad < 32 {
		return nil, fmt.Errorf("orff: SORF is biased in low dimensions: d = %d pads to %d, it needs 32; use Orthogonal or independent frequencies", d, pad)
	}
	return structured(sigma, d, D, newSORF(sigma, d, D), &r), nil
}

// NewFastfood returns Fourier features of the Gaussian kernel of bandwidth sigma with the frequencies (Le, Sarlos and
// Smola 2013)
//
//	W = (1/(sigma sqrt(d))) S H G P H B, H of entries +-1,
//
// B random signs, P a permutation, G normal, S radii. Each row is exactly N(0, I/sigma^2); the rows of a block are
// dependent. W x costs O(D log d).
func NewFastfood(sigma float64, d, D int, r random.Rand) (*Fourier, error) {
	if err := structuredSizes("Fastfood", sigma, d, D); err != nil {
		return nil, err
	}
	return structured(sigma, d, D, newFastfood(sigma, d, D), &r), nil
}

func structuredSizes(what string, sigma float64, d, D int) error {
	if err := check.Sizes(what+" features", d, D); err != nil {
		return err
	}
	return check.Positive("sigma of "+what, sigma)
}

func structured(sigma float64, d, D int, p projection, r *random.Rand) *Fourier {
	f := newFourier(spectrum.Gaussian{Sigma: sigma}, d, D)
	f.fast = p
	p.RedrawFrom(r)
	return f
}

func powerOfTwo(n int) int {
	p := 1
	for p < n {
		p *= 2
	}
	return p
}

// blockwise applies one square transform per block of pad frequencies.
type blockwise struct {
	n, pad int
	buf    []float64 // scratch, pad
}

func newBlockwise(d, n int) blockwise {
	pad := powerOfTwo(d)
	return blockwise{n: n, pad: pad, buf: make([]float64, pad)}
}

func (b *blockwise) blocks() int { return (b.n + b.pad - 1) / b.pad }

// apply sets t = W x. forward replaces the padded x by block i of W x.
func (b *blockwise) apply(t, x []float64, forward func(i int, v []float64)) {
	for i := range b.blocks() {
		clear(b.buf[copy(b.buf, x):])
		forward(i, b.buf)
		copy(t[i*b.pad:], b.buf)
	}
}

// pull sets g = W^T v. backward applies the transpose of block i.
func (b *blockwise) pull(g, v []float64, backward func(i int, v []float64)) {
	clear(g)
	for i := range b.blocks() {
		clear(b.buf[copy(b.buf, v[i*b.pad:]):])
		backward(i, b.buf)
		for k := range g {
			g[k] += b.buf[k]
		}
	}
}

type sorf struct {
	blockwise
	signs []float64 // per block D1, D2, D3, each of length pad
	scale float64   // three transforms are unnormalised: sqrt(pad) pad^(-3/2) / (2 pi sigma)

	forward, backward func(i int, v []float64) // made once: a closure per call would allocate
}

func newSORF(sigma float64, d, n int) *sorf {
	s := &sorf{blockwise: newBlockwise(d, n)}
	s.signs = make([]float64, 3*s.pad*s.blocks())
	s.scale = 1 / (2 * math.Pi * sigma * float64(s.pad))
	s.forward, s.backward = s.applyBlock, s.pullBlock
	return s
}

func (s *sorf) Diagonal(i, k int) []float64 {
	return s.signs[(3*i+k)*s.pad : (3*i+k+1)*s.pad]
}

func (s *sorf) applyBlock(i int, v []float64) {
	for k := 2; k >= 0; k-- {
		vec.Mul(v, s.Diagonal(i, k))
		vec.Hadamard(v)
	}
	vec.Scale(s.scale, v)
}

func (s *sorf) pullBlock(i int, v []float64) {
	for k := range 3 {
		vec.Hadamard(v)
		vec.Mul(v, s.Diagonal(i, k))
	}
	vec.Scale(s.scale, v)
}

func (s *sorf) turnsTo(t, x []float64) { s.apply(t, x, s.forward) }
func (s *sorf) pullTo(g, v []float64)  { s.pull(g, v, s.backward) }

func (s *sorf) RedrawFrom(r *random.Rand) {
	for i := range s.signs {
		s.signs[i] = r.Sign()
	}
}

func (s *sorf) State(c *snapshot.Codec) {
	c.Section("sorf")
	c.Float64s(s.signs)
}

type fastfood struct {
	blockwise
	signs, normals, radii []float64 // B, G, S of all blocks; S holds the scale
	perm                  []int     // P of all blocks
	sigma                 float64
	tmp                   []float64 // scratch, pad

	forward, backward func(i int, v []float64)
}

func newFastfood(sigma float64, d, n int) *fastfood {
	f := &fastfood{blockwise: newBlockwise(d, n), sigma: sigma}
	all := f.pad * f.blocks()
	f.signs, f.normals, f.radii = make([]float64, all), make([]float64, all), make([]float64, all)
	f.perm = make([]int, all)
	f.tmp = make([]float64, f.pad)
	f.forward, f.backward = f.applyBlock, f.pullBlock
	return f
}

func (f *fastfood) applyBlock(i int, v []float64) {
	at, to := i*f.pad, (i+1)*f.pad
	vec.Mul(v, f.signs[at:to])
	vec.Hadamard(v)
	for j, k := range f.perm[at:to] {
		f.tmp[j] = v[k]
	}
	copy(v, f.tmp)
	vec.Mul(v, f.normals[at:to])
	vec.Hadamard(v)
	vec.Mul(v, f.radii[at:to])
}

func (f *fastfood) pullBlock(i int, v []float64) {
	at, to := i*f.pad, (i+1)*f.pad
	vec.Mul(v, f.radii[at:to])
	vec.Hadamard(v)
	vec.Mul(v, f.normals[at:to])
	for j, k := range f.perm[at:to] {
		f.tmp[k] = v[j]
	}
	copy(v, f.tmp)
	vec.Hadamard(v)
	vec.Mul(v, f.signs[at:to])
}

func (f *fastfood) turnsTo(t, x []float64) { f.apply(t, x, f.forward) }
func (f *fastfood) pullTo(g, v []float64)  { f.pull(g, v, f.backward) }

func (f *fastfood) RedrawFrom(r *random.Rand) {
	for i := range f.blocks() {
		at, to := i*f.pad, (i+1)*f.pad
		for j := at; j < to; j++ {
			f.signs[j] = r.Sign()
		}
		perm := f.perm[at:to]
		for j := range perm {
			perm[j] = j
		}
		for j := range perm {
			k := j + r.Intn(len(perm)-j)
			perm[j], perm[k] = perm[k], perm[j]
		}
		r.NormalsTo(f.normals[at:to])
	}
	for i := range f.blocks() {
		g := f.normals[i*f.pad : (i+1)*f.pad]
		norm := math.Sqrt(numeric.SquaredNorm(g)) * f.sigma * 2 * math.Pi
		for j := range g {
			f.radii[i*f.pad+j] = math.Sqrt(r.ChiSquared(f.pad)/float64(f.pad)) / norm
		}
	}
}

func (f *fastfood) State(c *snapshot.Codec) {
	c.Section("fastfood")
	c.Float64s(f.signs)
	for i := range f.perm {
		c.Index(&f.perm[i], f.pad)
	}
	c.Float64s(f.normals)
	c.Float64s(f.radii)
}
