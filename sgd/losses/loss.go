package losses

import (
	"fmt"
	"math"

	"github.com/orffvar/forecaster/sgd/internal/numeric"
)

// Loss is a convex loss of one coordinate of a prediction f for a target y.
// Targets that are NaN are missing: Sum and GradientTo skip them.
type Loss interface {
	// Value returns the loss.
	Value(f, y float64) float64

	// Slope returns a subgradient in f; 0 where f is a minimiser.
	Slope(f, y float64) float64
}

// Sum returns the sum of the loss over the coordinates that are known.
func Sum(l Loss, f, y []float64) float64 {
	if len(f) != len(y) {
		panic(numeric.BadLength)
	}
	var s float64
	for k, v := range y {
		if !math.IsNaN(v) {
			s += l.Value(f[k], v)
		}
	}
	return s
}

// GradientTo sets e to a subgradient of Sum in f; a missing coordinate has
// none and gets 0 (the multi-task loss of Brault 2017, section 6.4). e may be f.
func GradientTo(e []float64, l Loss, f, y []float64) {
	if len(f) != len(y) || len(e) != len(y) {
		panic(numeric.BadLength)
	}
	for k, v := range y {
		if math.IsNaN(v) {
			e[k] = 0
		} else {
			e[k] = l.Slope(f[k], v)
		}
	}
}

// Squared is (f - y)^2 / 2, the loss of convention H.
type Squared struct{}

// Value returns (f - y)^2 / 2.
func (Squared) Value(f, y float64) float64 { return (f - y) * (f - y) / 2 }

// Slope returns f - y.
func (Squared) Slope(f, y float64) float64 { return f - y }

// huber is Squared for |f - y| <= c and linear beyond (Huber 1964).
type huber struct{ c float64 }

// NewHuber returns the loss with threshold c > 0, in units of y.
func NewHuber(c float64) (Loss, error) {
	if !(c > 0) {
		return nil, fmt.Errorf("sgd: Huber threshold must be > 0, got %g", c)
	}
	return huber{c}, nil
}

// Value returns (f - y)^2 / 2, or c (|f - y| - c/2) beyond the threshold.
func (l huber) Value(f, y float64) float64 {
	if r := math.Abs(f - y); r > l.c {
		return l.c * (r - l.c/2)
	}
	return (f - y) * (f - y) / 2
}

// Slope returns f - y, limited to [-c, c].
func (l huber) Slope(f, y float64) float64 { return max(-l.c, min(l.c, f-y)) }

// pinball is max(tau r, (tau - 1) r) with r = y - f, whose minimiser in f is
// the tau-quantile of y (Koenker and Bassett 1978).
type pinball struct{ tau float64 }

// NewPinball returns the loss of the tau-quantile, tau in (0, 1).
func NewPinball(tau float64) (Loss, error) {
	if !(tau > 0 && tau < 1) {
		return nil, fmt.Errorf("sgd: pinball level must lie in (0, 1), got %g", tau)
	}
	return pinball{tau}, nil
}

// Value returns the loss.
func (l pinball) Value(f, y float64) float64 {
	v, _ := PinballEnvelope(l.tau, y-f, 0)
	return v
}

// Slope returns -tau below the target, 1 - tau above it and 0 on it.
func (l pinball) Slope(f, y float64) float64 {
	_, s := PinballEnvelope(l.tau, y-f, 0)
	return s
}

// insensitive is max(0, |f - y| - eps), the loss of support vector regression
// (Vapnik 1995).
type insensitive struct{ eps float64 }

// NewInsensitive returns the loss with a tube of half width eps >= 0.
func NewInsensitive(eps float64) (Loss, error) {
	if !(eps >= 0) || math.IsInf(eps, 0) {
		return nil, fmt.Errorf("sgd: half width of the insensitive loss must be >= 0 and finite, got %g", eps)
	}
	return insensitive{eps}, nil
}

// Value returns the loss.
func (l insensitive) Value(f, y float64) float64 { return max(0, math.Abs(f-y)-l.eps) }

// Slope returns the sign of f - y outside the tube and 0 inside.
func (l insensitive) Slope(f, y float64) float64 {
	switch r := f - y; {
	case r > l.eps:
		return 1
	case r < -l.eps:
		return -1
	}
	return 0
}
