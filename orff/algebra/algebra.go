// Package algebra combines kernels: sums, products, and transforms of inputs and outputs. A map that becomes part of
// another map must not be used elsewhere: weights change it in place.
package algebra

import (
	"fmt"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/internal/numeric"
	"github.com/orffvar/forecaster/orff/internal/optional"
	"github.com/orffvar/forecaster/orff/random"
)

// sumScalar is the map of sum_i w_i k_i: the features of the maps, concatenated, each times sqrt(w_i).
type sumScalar struct {
	parts []orff.Scalar
	g     []float64 // scratch, d
}

// NewScalarSum returns the map of sum_i w_i k_i for maps of the same input and weights w_i >= 0. It takes over the maps.
func NewScalarSum(weights []float64, parts ...orff.Scalar) (orff.Scalar, error) {
	if len(parts) == 0 || len(weights) != len(parts) {
		return nil, fmt.Errorf("orff: a sum needs one weight per map, got %d weights and %d maps", len(weights), len(parts))
	}
	for i, p := range parts {
		if p.In() != parts[0].In() {
			return nil, fmt.Errorf("orff: the maps of a sum must share their input, lengths are %d and %d", parts[0].In(), p.In())
		}
		if err := optional.GiveWeight(p, weights[i]); err != nil {
			return nil, err
		}
	}
	return &sumScalar{parts: append([]orff.Scalar(nil), parts...), g: make([]float64, parts[0].In())}, nil
}

func (f *sumScalar) In() int { return f.parts[0].In() }

func (f *sumScalar) Len() int {
	n := 0
	for _, p := range f.parts {
		n += p.Len()
	}
	return n
}

// FeaturesTo writes the features of all parts.
func (f *sumScalar) FeaturesTo(phi, x []float64) {
	if len(phi) != f.Len() {
		panic(check.BadLength)
	}
	for _, p := range f.parts {
		n := p.Len()
		p.FeaturesTo(phi[:n], x)
		phi = phi[n:]
	}
}

// Check returns the first error of a part.
func (f *sumScalar) Check(x []float64) error { return optional.CheckAll(f.parts, x) }

// State saves or restores the parts.
func (f *sumScalar) State(c *snapshot.Codec) {
	c.Section("scalar sum")
	for _, p := range f.parts {
		p.State(c)
	}
}

func (f *sumScalar) RedrawFrom(r *random.Rand) bool { return optional.RedrawAll(f.parts, r) }
func (f *sumScalar) Weigh(s float64) bool           { return optional.WeighAll(f.parts, s) }

func (f *sumScalar) Kernel(x, z []float64) float64 {
	var k float64
	for _, p := range f.parts {
		k += orff.Kernel(p, x, z)
	}
	return k
}

func (f *sumScalar) Variance(x, z []float64) float64 {
	var v float64
	for _, p := range f.parts {
		v += optional.Variance(p, x, z)
	}
	return v
}

// GradientTo adds the gradients of the parts.
func (f *sumScalar) GradientTo(g, x, phi, c []float64) {
	clear(g)
	for _, p := range f.parts {
		n := p.Len()
		addGradientOf(g, f.g, p, x, phi[:n], c[:n])
		phi, c = phi[n:], c[n:]
	}
}

// addGradientOf adds the gradient of c.phi(x) to g.
func addGradientOf(g, scratch []float64, s orff.Scalar, x, phi, c []float64) {
	s.(orff.SmoothScalar).GradientTo(scratch, x, phi, c)
	vec.Axpy(1, scratch, g)
}

func (f *sumScalar) Smooth() error {
	for _, p := range f.parts {
		if err := optional.Smooth(p); err != nil {
			return err
		}
	}
	return nil
}

// productScalar is the map of k_1 k_2: the Kronecker product of the two feature
// vectors, phi[i*r_2 + j] = phi_1[i] phi_2[j].
type productScalar struct {
	a, b              orff.Scalar
	pa, pb, ca, cb, g []float64 // scratch
}

// NewScalarProduct returns the map of k_1 k_2 for two maps of the same input, drawn independently. It takes over the
// maps.
func NewScalarProduct(a, b orff.Scalar) (orff.Scalar, error) {
	if a.In() != b.In() {
		return nil, fmt.Errorf("orff: the maps of a product must share their input, lengths are %d and %d", a.In(), b.In())
	}
	n, m := a.Len(), b.Len()
	return &productScalar{a: a, b: b, pa: make([]float64, n), pb: make([]float64, m), ca: make([]float64, n), cb: make([]float64, m), g: make([]float64, a.In())}, nil
}

func (f *productScalar) In() int  { return f.a.In() }
func (f *productScalar) Len() int { return len(f.pa) * len(f.pb) }

// FeaturesTo writes phi_1 (x) phi_2.
func (f *productScalar) FeaturesTo(phi, x []float64) {
	if len(phi) != f.Len() {
		panic(check.BadLength)
	}
	f.a.FeaturesTo(f.pa, x)
	f.b.FeaturesTo(f.pb, x)
	clear(phi)
	vec.AddOuter(phi, 1, f.pa, f.pb)
}

// GradientTo applies the product rule.
func (f *productScalar) GradientTo(g, x, phi, c []float64) {
	f.a.FeaturesTo(f.pa, x)
	f.b.FeaturesTo(f.pb, x)
	vec.MatVec(f.ca, c, f.pb)
	vec.MatTVec(f.cb, c, f.pa)
	clear(g)
	addGradientOf(g, f.g, f.a, x, f.pa, f.ca)
	addGradientOf(g, f.g, f.b, x, f.pb, f.cb)
}

func (f *productScalar) Smooth() error           { return optional.Smooth(f.a, f.b) }
func (f *productScalar) Check(x []float64) error { return optional.CheckBoth(f.a, f.b, x) }

// State saves or restores both maps.
func (f *productScalar) State(c *snapshot.Codec) {
	c.Section("scalar product")
	f.a.State(c)
	f.b.State(c)
}

func (f *productScalar) RedrawFrom(r *random.Rand) bool {
	return optional.Redraw(f.a, r) && optional.Redraw(f.b, r)
}
func (f *productScalar) Weigh(s float64) bool { return optional.Weigh(f.a, s) }

func (f *productScalar) Kernel(x, z []float64) float64 {
	return orff.Kernel(f.a, x, z) * orff.Kernel(f.b, x, z)
}

func (f *productScalar) Variance(x, z []float64) float64 {
	return numeric.ProductVariance(orff.Kernel(f.a, x, z), optional.Variance(f.a, x, z), orff.Kernel(f.b, x, z), optional.Variance(f.b, x, z))
}

func (f *sumScalar) KernelSmooth() error {
	for _, p := range f.parts {
		if err := optional.KernelSmooth(p); err != nil {
			return err
		}
	}
	return nil
}

func (f *sumScalar) KernelSlopeTo(g, x, z []float64) {
	clear(g)
	for _, p := range f.parts {
		p.(optional.SlopedScalar).KernelSlopeTo(f.g, x, z)
		vec.Axpy(1, f.g, g)
	}
}

func (f *productScalar) KernelSmooth() error { return optional.KernelSmooth(f.a, f.b) }

// KernelSlopeTo applies the product rule.
func (f *productScalar) KernelSlopeTo(g, x, z []float64) {
	f.a.(optional.SlopedScalar).KernelSlopeTo(g, x, z)
	vec.Scale(orff.Kernel(f.b, x, z), g)
	f.b.(optional.SlopedScalar).KernelSlopeTo(f.g, x, z)
	vec.Axpy(orff.Kernel(f.a, x, z), f.g, g)
}
