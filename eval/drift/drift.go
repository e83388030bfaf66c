// Package drift has the vocabulary of drift: lasting changes of the forecast errors, who
// detects them, and how a model adapts to them. Package varmodel/interval has a detector for
// every model.
package drift

import "github.com/orffvar/forecaster/eval"

// Change is a lasting change of the forecast errors.
type Change struct {
	Since    int        // samples from the change, as estimated, to the sample that gave the alarm
	Variable int        // variable with the alarm, or -1: all
	Bias     bool       // the errors have a sign; else they are larger than before
	Action   Adaptation // the response
}

// Adaptation is a response of a model to a change of its series.
type Adaptation string

// The adaptations.
const (
	None        Adaptation = "none"
	Forget      Adaptation = "forget"       // give past samples less weight
	ResetScaler Adaptation = "reset_scaler" // learn the mean and the scale of the samples again
	Restart     Adaptation = "restart"      // forget all that was learnt and learn the samples since the change again
)

// Detector watches the errors of its own forecasts.
type Detector interface {
	// Drift returns the drift that the last Observe has detected, or false.
	Drift() (d Change, ok bool)
}

// Adapter adapts to a series that has changed.
type Adapter interface {
	// Adapt answers a change about since samples ago, at least 1. A model ignores an adaptation that
	// it does not have.
	Adapt(a Adaptation, since int)
}

// Watch is a Companion that detects lasting changes of the forecast errors.
type Watch interface {
	eval.Companion

	// Drift returns the drift that the last Observe has detected, or false.
	Drift() (d Change, ok bool)
}
