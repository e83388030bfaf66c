package eval

import "github.com/orffvar/forecaster/eval/snapshot"

// Companion observes the samples and forecasts of one series. No forecast depends on it, so
// it can work while the model is already at later samples.
type Companion interface {
	// Observe takes the next sample, y of length dim; NaN marks a missing
	// coordinate. It does not keep y.
	Observe(y []float64)

	// Issue takes the forecasts made after the last sample, H x dim. It does not keep them. Without forecasts,
	// ResetLags is called instead.
	Issue(forecast []float64)

	// ResetLags drops the pending forecasts, because their targets will not come.
	ResetLags()

	// State saves or restores all that later results depend on.
	State(c *snapshot.Codec)
}

// Intervals is a Companion that computes prediction intervals.
type Intervals interface {
	Companion

	// SetPhases sets the phases of the next sample to be observed, see Seasonal. Without it the series has no
	// cycles.
	SetPhases(now Phases)

	// BoundsTo writes the bounds of the last forecasts passed to Issue, like Bounder.BoundsTo.
	BoundsTo(lower, upper []float64) (ok bool)
}
