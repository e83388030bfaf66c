package rates_test

import (
	"math"
	"testing"

	"github.com/orffvar/forecaster/sgd/internal/fixture"

	"github.com/orffvar/forecaster/sgd/rates"
)

// C5.8: Rate ϑ/t: the contribution of step i at time T is γ_i Π (1 − γ_j λ), at most ϑ/T for ϑλ ≥
// 1 (Dai et al. 2014).
func TestC5_8_CoefficientsOfInverseTime(t *testing.T) {
	const steps, lambda = 2000, .01
	for _, c := range []struct{ product, want float64 }{{1, 1}, {1.5, 1}, {2, 1}, {3, 1}, {.5, 50.5}} {
		s := rates.InverseTime{Theta: c.product / lambda}
		var top, squares, least float64
		least = math.Inf(1)
		shrunk := 1.0
		for i := steps; i >= 1; i-- { // a_T^i = -gamma_i prod_{j > i} (1 - gamma_j lambda)
			a := math.Abs(s.Rate(i) * shrunk)
			top, least = max(top, a), min(least, a)
			squares += a * a
			shrunk *= 1 - s.Rate(i)*lambda
		}
		// The five values are printed with three digits.
		fixture.Near(t, "max |a| T/theta", []float64{top * steps / s.Theta}, []float64{c.want}, .05*c.want/50)
		if !(c.product < 1) && !(squares <= s.Theta*s.Theta/steps*(1+1e-12)) {
			t.Errorf("sum of squares %g exceeds theta^2/T", squares)
		}
		if c.product == 1 && !(top-least <= 1e-9*top) {
			t.Errorf("theta*lambda = 1: coefficients between %g and %g are not all equal", least, top)
		}
		err := s.Validate(lambda, rates.DecayAll)
		if (err == nil) != (c.product >= 1) {
			t.Errorf("theta*lambda = %g: Validate says %v", c.product, err)
		}
	}
}

func TestSchedulesRefuse(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, err := range map[string]error{
		"theta 0":            rates.InverseTime{Theta: 0, T0: 1}.Validate(.1, rates.DecayAll),
		"theta inf":          rates.InverseTime{Theta: inf}.Validate(.1, rates.DecayAll),
		"t0 < 0":             rates.InverseTime{Theta: 10, T0: -1}.Validate(.1, rates.DecayAll),
		"theta*lambda 2.5":   rates.InverseTime{Theta: 25, T0: 50}.Validate(.1, rates.DecayAll),
		"theta*lambda .9":    rates.InverseTime{Theta: 9, T0: 50}.Validate(.1, rates.DecayAll),
		"block, rate*lambda": rates.InverseTime{Theta: 25, T0: 0}.Validate(.1, rates.DecayBlock),
		"scaling gamma0":     rates.InverseScaling{Gamma0: 0, Gamma1: 1, Power: .5}.Validate(.1, rates.DecayAll),
		"scaling gamma1":     rates.InverseScaling{Gamma0: 1, Gamma1: -1, Power: .5}.Validate(.1, rates.DecayAll),
		"scaling power":      rates.InverseScaling{Gamma0: 1, Gamma1: 1, Power: nan}.Validate(.1, rates.DecayAll),
		"constant 0":         rates.Constant(0).Validate(.1, rates.DecayAll),
		"constant NaN":       rates.Constant(nan).Validate(.1, rates.DecayAll),
		"constant*lambda 1":  rates.Constant(10).Validate(.1, rates.DecayBlock),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, err := range map[string]error{
		"theta*lambda 1, t0 = 0": rates.InverseTime{Theta: 10}.Validate(.1, rates.DecayAll),
		"theta*lambda 1.5":       rates.InverseTime{Theta: 15, T0: 5}.Validate(.1, rates.DecayAll),
		"theta*lambda 3":         rates.InverseTime{Theta: 30}.Validate(.1, rates.DecayAll),
		"no ridge":               rates.InverseTime{Theta: 30}.Validate(0, rates.DecayAll),
		"block":                  rates.InverseTime{Theta: 5, T0: 9}.Validate(.1, rates.DecayBlock),
		"scaling":                rates.InverseScaling{Gamma0: 1, Gamma1: 1, Power: .5}.Validate(.1, rates.DecayAll),
		"constant":               rates.Constant(.5).Validate(.1, rates.DecayAll),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, v := range []float64{0, -1, nan, inf} {
		if _, err := rates.NewInverseTime(v, 1, 1); err == nil {
			t.Errorf("NewInverseTime accepts lambda %g", v)
		}
		if _, err := rates.NewInverseTime(.1, v, 1); err == nil {
			t.Errorf("NewInverseTime accepts kappa %g", v)
		}
	}
}

func TestScheduleDefaults(t *testing.T) {
	for _, c := range []struct {
		kappa float64
		block int
		first float64
	}{{1, 1, .5}, {2, 7, .25}, {1, 8, 1}, {4, 32, .25}} {
		s := fixture.Must(rates.NewInverseTime(1e-3, c.kappa, c.block))
		if err := s.Validate(1e-3, rates.DecayAll); err != nil {
			t.Error(err)
		}
		// gamma_t = theta/(t + theta/first): below first by 1/(1 + first/theta).
		fixture.Near(t, "first rate", []float64{s.Rate(1)}, []float64{c.first}, 1.1e-3*c.first)
		if !(s.Rate(1) <= c.first) {
			t.Errorf("first rate %g above the limit %g", s.Rate(1), c.first)
		}
	}
	fixture.Near(t, "constant", []float64{rates.Constant(.05).Rate(7)}, []float64{.05}, 0)
	fixture.Near(t, "inverse scaling", []float64{rates.InverseScaling{Gamma0: 2, Gamma1: 3, Power: .5}.Rate(5)}, []float64{.5}, 1e-15)
}
