package rates

import (
	"errors"
	"fmt"
	"math"
)

// Schedule gives the learning rate gamma_t of step t = 1, 2, ...
type Schedule interface {
	// Rate returns gamma_t.
	Rate(t int) float64

	// Validate returns why the schedule cannot be used with ridge lambda and
	// mode of decay, or nil.
	Validate(lambda float64, decay Decay) error
}

// InverseTime is gamma_t = Theta/(t + T0) (Dai et al. 2014, with an offset).
//
// The rate O(1/t) of Dai et al. needs Theta lambda in (1, 2) or a positive
// integer; at 1/2 the largest coefficient is already 50 times the bound after
// 2000 steps. Their proof assumes a loss with a bounded derivative: with the
// squared loss, T0 = 0 and Theta = 1/lambda the iterate explodes.
// NewInverseTime chooses a T0 that is safe.
type InverseTime struct {
	Theta, T0 float64
}

// NewInverseTime returns Theta = 1/lambda with the first rate limited to
// 0.5/kappa for fewer than 8 frequencies a block and to 1/kappa from there on,
// where kappa = ||K(x, x)|| (1 for a Gaussian kernel with Gamma = I).
func NewInverseTime(lambda, kappa float64, block int) (InverseTime, error) {
	if !(lambda > 0) || !(kappa > 0) || math.IsInf(lambda, 0) || math.IsInf(kappa, 0) {
		return InverseTime{}, fmt.Errorf("sgd: inverse-time schedule needs finite lambda > 0 and kappa > 0, got %g and %g", lambda, kappa)
	}
	first := 0.5 / kappa
	if block >= 8 {
		first = 1 / kappa
	}
	theta := 1 / lambda
	return InverseTime{Theta: theta, T0: theta / first}, nil
}

// Rate returns Theta/(t + T0).
func (s InverseTime) Rate(t int) float64 { return s.Theta / (float64(t) + s.T0) }

// Validate checks the condition on Theta lambda in mode DecayAll.
func (s InverseTime) Validate(lambda float64, decay Decay) error {
	if !(s.Theta > 0) || !(s.T0 >= 0) || math.IsInf(s.Theta, 0) || math.IsInf(s.T0, 0) {
		return fmt.Errorf("sgd: inverse-time schedule needs finite theta > 0 and t0 >= 0, got %g and %g", s.Theta, s.T0)
	}
	if decay == DecayBlock || lambda == 0 {
		return validRate(s.Rate(1), lambda)
	}
	v := s.Theta * lambda
	whole := v > 0.5 && math.Abs(v-math.Round(v)) <= 1e-9*v
	if !whole && (v <= 1 || v >= 2) {
		return fmt.Errorf("sgd: theta*lambda must lie in (1, 2) or be a positive integer, got %g", v)
	}
	// The factor 1 - gamma_1 lambda meets weights that are zero. Later ones are
	// positive, or whole schedules that start again at the step where one is 0.
	return nil
}

// InverseScaling is gamma_t = Gamma0 (1 + Gamma1 t)^-Power. Power 1/2 gives the
// rate O(1/sqrt t) of convex problems.
type InverseScaling struct {
	Gamma0, Gamma1, Power float64
}

// Rate returns Gamma0 (1 + Gamma1 t)^-Power.
func (s InverseScaling) Rate(t int) float64 {
	return s.Gamma0 * math.Pow(1+s.Gamma1*float64(t), -s.Power)
}

// Validate checks the three numbers and gamma_t lambda < 1.
func (s InverseScaling) Validate(lambda float64, _ Decay) error {
	if !(s.Gamma1 >= 0) || !(s.Power >= 0) || math.IsInf(s.Gamma1, 0) || math.IsInf(s.Power, 0) {
		return fmt.Errorf("sgd: inverse-scaling schedule needs finite gamma1 >= 0 and power >= 0, got %g and %g", s.Gamma1, s.Power)
	}
	return validRate(s.Gamma0, lambda)
}

// InverseRoot is gamma_t = c/sqrt(t), the default of NORMA (Kivinen et al. 2004).
type InverseRoot float64

// Rate returns c/sqrt(t).
func (s InverseRoot) Rate(t int) float64 { return float64(s) / math.Sqrt(float64(t)) }

// Validate checks c > 0 and c lambda < 1.
func (s InverseRoot) Validate(lambda float64, _ Decay) error { return validRate(float64(s), lambda) }

// Constant is gamma_t = c, for streams that drift: in mode DecayAll samples are
// forgotten after about 1/(c lambda) steps.
type Constant float64

// Rate returns c.
func (s Constant) Rate(int) float64 { return float64(s) }

// Validate checks c > 0 and c lambda < 1.
func (s Constant) Validate(lambda float64, _ Decay) error { return validRate(float64(s), lambda) }

var errRate = errors.New("sgd: learning rate out of range")

func validRate(first, lambda float64) error {
	if !(first > 0) || math.IsInf(first, 0) {
		return fmt.Errorf("%w: the first rate must be > 0, got %g", errRate, first)
	}
	if first*lambda >= 1 {
		return fmt.Errorf("%w: rate*lambda must be < 1, got %g", errRate, first*lambda)
	}
	return nil
}
