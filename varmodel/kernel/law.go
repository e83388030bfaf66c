package kernel

import "github.com/orffvar/forecaster/varmodel/internal/regression"

// Law is a statement of a kernel about all coordinates of an increment together.
type Law = regression.Law

// Laws of kernels; see their documentation in Law.
const (
	NoLaw          = regression.NoLaw
	FieldLaw       = regression.FieldLaw
	SumLaw         = regression.SumLaw
	ScaledFieldLaw = regression.ScaledFieldLaw
)
