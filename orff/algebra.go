package orff

import (
	"fmt"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
)

// ScalarSum is the map of sum_i w_i k_i: the maps one after the other, each
// times sqrt(w_i).
type ScalarSum struct {
	parts []Scalar
	g     []float64 // scratch, d
}

// NewScalarSum takes over maps of the same input and gives them weights >= 0.
func NewScalarSum(weights []float64, parts ...Scalar) (*ScalarSum, error) {
	if len(parts) == 0 || len(weights) != len(parts) {
		return nil, fmt.Errorf("orff: a sum needs one weight per map, got %d weights and %d maps", len(weights), len(parts))
	}
	for i, p := range parts {
		if p.In() != parts[0].In() {
			return nil, fmt.Errorf("orff: the maps of a sum must share their input, lengths are %d and %d", parts[0].In(), p.In())
		}
		if err := giveWeight(p, weights[i]); err != nil {
			return nil, err
		}
	}
	return &ScalarSum{parts: append([]Scalar(nil), parts...), g: make([]float64, parts[0].In())}, nil
}

func (f *ScalarSum) In() int { return f.parts[0].In() }

func (f *ScalarSum) Len() int {
	n := 0
	for _, p := range f.parts {
		n += p.Len()
	}
	return n
}

// FeaturesTo writes the features of all parts.
func (f *ScalarSum) FeaturesTo(phi, x []float64) {
	if len(phi) != f.Len() {
		panic(badLength)
	}
	for _, p := range f.parts {
		n := p.Len()
		p.FeaturesTo(phi[:n], x)
		phi = phi[n:]
	}
}

// Check asks all parts.
func (f *ScalarSum) Check(x []float64) error { return checkAll(f.parts, x) }

// State saves or restores the parts.
func (f *ScalarSum) State(c *snapshot.Codec) {
	c.Section("scalar sum")
	for _, p := range f.parts {
		p.State(c)
	}
}

func (f *ScalarSum) redraw(r *Rand) bool  { return redrawAll(f.parts, r) }
func (f *ScalarSum) weigh(s float64) bool { return weighAll(f.parts, s) }

func (f *ScalarSum) kernel(x, z []float64) float64 {
	var k float64
	for _, p := range f.parts {
		k += Kernel(p, x, z)
	}
	return k
}

func (f *ScalarSum) variance(x, z []float64) float64 {
	var v float64
	for _, p := range f.parts {
		v += Variance(p, x, z)
	}
	return v
}

// GradientTo adds the gradients of the parts.
func (f *ScalarSum) GradientTo(g, x, phi, c []float64) {
	clear(g)
	for _, p := range f.parts {
		n := p.Len()
		addGradientOf(g, f.g, p, x, phi[:n], c[:n])
		phi, c = phi[n:], c[n:]
	}
}

// addGradientOf adds the gradient of c.phi(x) to g.
func addGradientOf(g, scratch []float64, s Scalar, x, phi, c []float64) {
	s.(SmoothScalar).GradientTo(scratch, x, phi, c)
	vec.Axpy(1, scratch, g)
}

func (f *ScalarSum) Smooth() error {
	for _, p := range f.parts {
		if err := smooth(p); err != nil {
			return err
		}
	}
	return nil
}

// ScalarProduct is the map of k_1 k_2: the Kronecker product of the two feature
// vectors, phi[i*r_2 + j] = phi_1[i] phi_2[j].
type ScalarProduct struct {
	a, b              Scalar
	pa, pb, ca, cb, g []float64 // scratch
}

// NewScalarProduct takes over two maps of the same input, drawn independently.
func NewScalarProduct(a, b Scalar) (*ScalarProduct, error) {
	if a.In() != b.In() {
		return nil, fmt.Errorf("orff: the maps of a product must share their input, lengths are %d and %d", a.In(), b.In())
	}
	n, m := a.Len(), b.Len()
	return &ScalarProduct{a: a, b: b, pa: make([]float64, n), pb: make([]float64, m), ca: make([]float64, n), cb: make([]float64, m), g: make([]float64, a.In())}, nil
}

func (f *ScalarProduct) In() int  { return f.a.In() }
func (f *ScalarProduct) Len() int { return len(f.pa) * len(f.pb) }

// FeaturesTo writes phi_1 (x) phi_2.
func (f *ScalarProduct) FeaturesTo(phi, x []float64) {
	if len(phi) != f.Len() {
		panic(badLength)
	}
	f.a.FeaturesTo(f.pa, x)
	f.b.FeaturesTo(f.pb, x)
	clear(phi)
	vec.AddOuter(phi, 1, f.pa, f.pb)
}

// GradientTo is the product rule.
func (f *ScalarProduct) GradientTo(g, x, phi, c []float64) {
	f.a.FeaturesTo(f.pa, x)
	f.b.FeaturesTo(f.pb, x)
	vec.MatVec(f.ca, c, f.pb)
	vec.MatTVec(f.cb, c, f.pa)
	clear(g)
	addGradientOf(g, f.g, f.a, x, f.pa, f.ca)
	addGradientOf(g, f.g, f.b, x, f.pb, f.cb)
}

func (f *ScalarProduct) Smooth() error           { return smooth(f.a, f.b) }
func (f *ScalarProduct) Check(x []float64) error { return checkBoth(f.a, f.b, x) }

// State saves or restores both maps.
func (f *ScalarProduct) State(c *snapshot.Codec) {
	c.Section("scalar product")
	f.a.State(c)
	f.b.State(c)
}

func (f *ScalarProduct) redraw(r *Rand) bool  { return redraw(f.a, r) && redraw(f.b, r) }
func (f *ScalarProduct) weigh(s float64) bool { return weigh(f.a, s) }

func (f *ScalarProduct) kernel(x, z []float64) float64 { return Kernel(f.a, x, z) * Kernel(f.b, x, z) }

func (f *ScalarProduct) variance(x, z []float64) float64 {
	return productVariance(Kernel(f.a, x, z), Variance(f.a, x, z), Kernel(f.b, x, z), Variance(f.b, x, z))
}

// productVariance is the variance of a product of two independent variables.
func productVariance(k1, v1, k2, v2 float64) float64 {
	return v1*v2 + v1*k2*k2 + v2*k1*k1
}
