package eval

import "github.com/orffvar/forecaster/internal/snapshot"

// Companion follows one series beside its model: it sees the samples and the
// forecasts, and no forecast depends on it. So it can work while the model is at
// later samples already.
type Companion interface {
	// Observe takes the next sample, y of length dim; NaN marks a missing
	// coordinate. It does not keep y.
	Observe(y []float64)

	// Issue takes the forecasts made after the last sample, H x dim. It does not keep
	// them. When there are none it is not called, and ResetLags is.
	Issue(forecast []float64)

	// ResetLags says that the targets of the forecasts under way will not come.
	ResetLags()

	// State saves or restores all that later results depend on.
	State(c *snapshot.Codec)
}

// Intervals is a Companion that knows how far off the forecasts may be.
type Intervals interface {
	Companion

	// BoundsTo writes the bounds of the forecasts issued last as Bounder does.
	BoundsTo(lower, upper []float64) (ok bool)
}

// DriftWatch is a Companion that notices when the errors of the forecasts are no
// longer what they were.
type DriftWatch interface {
	Companion

	// Drift returns what the last Observe has found as DriftDetector does.
	Drift() (d Drift, ok bool)
}
