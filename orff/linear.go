package orff

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// Linear is the exact map of the kernel <x, z> + bias: phi(x) = x, followed by
// sqrt(bias) when the bias is not zero. Next to random features it is the linear part and
// the intercept of a model.
type Linear struct {
	d           int
	bias, scale float64
}

// NewLinear maps R^d; bias >= 0.
func NewLinear(d int, bias float64) (*Linear, error) {
	if d < 1 || !(bias >= 0) || math.IsInf(bias, 1) {
		return nil, fmt.Errorf("orff: linear features need d >= 1 and a finite bias >= 0, got %d and %g", d, bias)
	}
	return &Linear{d: d, bias: math.Sqrt(bias), scale: 1}, nil
}

func (f *Linear) In() int { return f.d }

func (f *Linear) Len() int {
	if f.bias != 0 {
		return f.d + 1
	}
	return f.d
}

// FeaturesTo writes phi(x).
func (f *Linear) FeaturesTo(phi, x []float64) {
	if len(phi) != f.Len() || len(x) != f.d {
		panic(badLength)
	}
	for i, v := range x {
		phi[i] = f.scale * v
	}
	if f.bias != 0 {
		phi[f.d] = f.scale * f.bias
	}
}

// GradientTo writes the first d numbers of c.
func (f *Linear) GradientTo(g, x, phi, c []float64) {
	for i := range g {
		g[i] = f.scale * c[i]
	}
}

func (f *Linear) Smooth() error           { return nil }
func (f *Linear) State(c *snapshot.Codec) { c.Section("linear") }

func (f *Linear) redraw(*Rand) bool    { return true }
func (f *Linear) weigh(s float64) bool { f.scale *= s; return true }

func (f *Linear) kernel(x, z []float64) float64 {
	return f.scale * f.scale * (dot(x, z) + f.bias*f.bias)
}

func (f *Linear) variance(x, z []float64) float64 { return 0 }
