package regression

import "github.com/orffvar/forecaster/varmodel/internal/check"

// DefaultRidge is the default ridge of a learner, in units of the sum of squares of features of about unit size.
const DefaultRidge = 100

// DefaultRLS replaces zeros by the defaults of recursive least squares. It returns an error if ridge is not positive
// and finite, or if forgetting is not in (0, 1].
func DefaultRLS(ridge, forgetting *float64) error {
	check.SetDefault(ridge, DefaultRidge)
	check.SetDefault(forgetting, 1)
	if err := check.Positive("Ridge", *ridge); err != nil {
		return err
	}
	return check.Forgetting(*forgetting)
}
