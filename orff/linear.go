package orff

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/orff/internal/check"
	"github.com/orffvar/forecaster/orff/random"
)

// linearScalar is the exact map of the kernel <x, z> + bias: phi(x) = x, followed by sqrt(bias) if the bias is not
// zero. Added to random features, it is the linear part and the intercept of a model.
type linearScalar struct {
	d           int
	bias, scale float64
}

// NewLinear returns the map of the kernel <x, z> + bias on R^d, with bias >= 0.
func NewLinear(d int, bias float64) (Scalar, error) {
	if d < 1 || !(bias >= 0) || math.IsInf(bias, 1) {
		return nil, fmt.Errorf("orff: linear features need d >= 1 and a finite bias >= 0, got %d and %g", d, bias)
	}
	return &linearScalar{d: d, bias: math.Sqrt(bias), scale: 1}, nil
}

func (f *linearScalar) In() int { return f.d }

func (f *linearScalar) Len() int {
	if f.bias != 0 {
		return f.d + 1
	}
	return f.d
}

// FeaturesTo writes phi(x).
func (f *linearScalar) FeaturesTo(phi, x []float64) {
	if len(phi) != f.Len() || len(x) != f.d {
		panic(check.BadLength)
	}
	for i, v := range x {
		phi[i] = f.scale * v
	}
	if f.bias != 0 {
		phi[f.d] = f.scale * f.bias
	}
}

// GradientTo writes the first d numbers of c.
func (f *linearScalar) GradientTo(g, x, phi, c []float64) {
	for i := range g {
		g[i] = f.scale * c[i]
	}
}

func (f *linearScalar) Smooth() error           { return nil }
func (f *linearScalar) State(c *snapshot.Codec) { c.Section("linear") }

func (f *linearScalar) RedrawFrom(*random.Rand) bool { return true }
func (f *linearScalar) Weigh(s float64) bool         { f.scale *= s; return true }

func (f *linearScalar) Kernel(x, z []float64) float64 {
	return f.scale * f.scale * (vec.Dot(x, z) + f.bias*f.bias)
}

func (f *linearScalar) Variance(x, z []float64) float64 { return 0 }

func (f *linearScalar) KernelSmooth() error { return nil }

func (f *linearScalar) KernelSlopeTo(g, _, z []float64) {
	for i, v := range z {
		g[i] = f.scale * f.scale * v
	}
}
