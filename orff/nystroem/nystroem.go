// Package nystroem has the features of a kernel through landmarks, a subset of the inputs.
package nystroem

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// landmarkScalar is the map of a kernel through M landmarks (Williams and Seeger 2001; Brault 2017, section 2.1.2.2).
// With the Gram matrix U Lambda U^T of the landmarks,
//
//	phi(x) = Lambda^(-1/2) U^T (k(x, x_1), …, k(x, x_M)).
//
// It is exact on the landmarks. Eigenvalues below 1e-10 of the largest give features that are always zero. The landmarks
// cannot change.
type landmarkScalar struct {
	spectrum  spectrum.Spectrum
	d, m      int
	landmarks []float64 // m x d
	root      []float64 // Lambda^(-1/2) U^T, m x m
	scale     float64

	delta, slope, k []float64 // scratch: d, d, m
}

// New factors the Gram matrix of the landmarks, M x d row-major. It uses only the kernel of s, and draws no frequencies.
func New(s spectrum.Spectrum, d int, landmarks []float64) (orff.SmoothScalar, error) {
	if d < 1 || len(landmarks) == 0 || len(landmarks)%d != 0 || !numeric.Finite(landmarks) {
		return nil, fmt.Errorf("orff: Nystroem features need whole finite rows of %d coordinates, got %d numbers", d, len(landmarks))
	}
	if err := check.Parameters(s, d); err != nil {
		return nil, err
	}
	m := len(landmarks) / d
	f := &landmarkScalar{
		spectrum: s, d: d, m: m, scale: 1,
		landmarks: append([]float64(nil), landmarks...), root: make([]float64, m*m),
		delta: make([]float64, d), slope: make([]float64, d), k: make([]float64, m),
	}
	gram := make([]float64, m*m)
	for i := range m {
		f.similaritiesTo(gram[i*m:(i+1)*m], f.landmark(i))
	}
	g, u, err := numeric.EigenSym(m, gram)
	if err != nil {
		return nil, err
	}
	for k, v := range g {
		if v <= 1e-10*g[m-1] {
			continue
		}
		for i := range m {
			f.root[k*m+i] = u.At(i, k) / math.Sqrt(v)
		}
	}
	return f, nil
}

// Landmarks returns m rows of x, row-major with rows of length d, drawn at random without replacement. It returns all
// rows if there are fewer than m.
func Landmarks(x []float64, d, m int, seed uint64) []float64 {
	if d < 1 || len(x)%d != 0 {
		panic("orff: Landmarks needs whole rows")
	}
	rows := append([]float64(nil), x...)
	n := len(x) / d
	m = min(m, n)
	r := random.New(seed)
	for i := range m {
		j := i + r.Intn(n-i)
		for k := range d {
			rows[i*d+k], rows[j*d+k] = rows[j*d+k], rows[i*d+k]
		}
	}
	return rows[:m*d]
}

func (f *landmarkScalar) landmark(i int) []float64 { return f.landmarks[i*f.d : (i+1)*f.d] }

func (f *landmarkScalar) similaritiesTo(k, x []float64) {
	for i := range k {
		numeric.LagTo(f.delta, x, f.landmark(i))
		k[i] = f.spectrum.K0(f.delta)
	}
}

func (f *landmarkScalar) In() int  { return f.d }
func (f *landmarkScalar) Len() int { return f.m }

// FeaturesTo writes phi(x).
func (f *landmarkScalar) FeaturesTo(phi, x []float64) {
	if len(phi) != f.m || len(x) != f.d {
		panic(check.BadLength)
	}
	f.similaritiesTo(f.k, x)
	vec.MatVec(phi, f.root, f.k)
	vec.Scale(f.scale, phi)
}

// GradientTo adds the gradients of k(x, x_i).
func (f *landmarkScalar) GradientTo(g, x, phi, c []float64) {
	vec.MatTVec(f.k, f.root, c)
	clear(g)
	for i, v := range f.k {
		numeric.LagTo(f.delta, x, f.landmark(i))
		spectrum.SlopeTo(f.slope, f.spectrum, f.delta)
		vec.Axpy(f.scale*v, f.slope, g)
	}
}

func (f *landmarkScalar) Smooth() error { return spectrum.CheckSlope(f.spectrum) }

// State saves or restores the landmarks. Their number belongs to the configuration.
func (f *landmarkScalar) State(c *snapshot.Codec) {
	c.Section("nystroem")
	c.Float64s(f.landmarks)
	c.Float64s(f.root)
}

func (f *landmarkScalar) Weigh(s float64) bool { f.scale *= s; return true }

func (f *landmarkScalar) Kernel(x, z []float64) float64 {
	numeric.LagTo(f.delta, x, z)
	return f.scale * f.scale * f.spectrum.K0(f.delta)
}

func (f *landmarkScalar) KernelSmooth() error { return spectrum.CheckSlope(f.spectrum) }

func (f *landmarkScalar) KernelSlopeTo(g, x, z []float64) {
	numeric.LagTo(f.delta, x, z)
	spectrum.SlopeTo(g, f.spectrum, f.delta)
	vec.Scale(f.scale*f.scale, g)
}
