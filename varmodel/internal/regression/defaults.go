package regression

import "github.com/orffvar/forecaster/varmodel/internal/check"

// DefaultRidge is the ridge of every learner, in units of the sum of squares of
// features of about unit size.
const DefaultRidge = 100

// DefaultRLS fills in the defaults of recursive least squares and checks the
// result.
func DefaultRLS(ridge, forgetting *float64) error {
	check.SetDefault(ridge, DefaultRidge)
	check.SetDefault(forgetting, 1)
	if err := check.Positive("Ridge", *ridge); err != nil {
		return err
	}
	return check.Forgetting(*forgetting)
}
