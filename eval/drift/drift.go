// Package drift declares drift, a lasting change of the forecast errors: its detectors, and the adaptations of a
// model. Package varmodel/interval has a detector for every model.
package drift

import "github.com/orffvar/forecaster/eval"

// Change is a lasting change of the forecast errors.
type Change struct {
	Since    int        // estimated number of samples from the change to the alarm
	Variable int        // variable with the alarm; -1 = all
	Bias     bool       // true: the mean error has changed; false: the errors have become larger
	Action   Adaptation // response to the change
}

// Adaptation is a response of a model to a change of its series.
type Adaptation string

// Adaptations.
const (
	None        Adaptation = "none"
	Forget      Adaptation = "forget"       // give past samples less weight
	ResetScaler Adaptation = "reset_scaler" // learn the mean and the scale of the samples again
	Restart     Adaptation = "restart"      // forget everything and learn the samples since the change again
)

// Detector detects changes of the errors of its own forecasts.
type Detector interface {
	// Drift returns the drift detected by the last Observe; ok is false if there is none.
	Drift() (d Change, ok bool)
}

// Adapter adapts to a change of its series.
type Adapter interface {
	// Adapt responds to a change about since >= 1 samples ago. A model ignores an adaptation that it does not
	// support.
	Adapt(a Adaptation, since int)
}

// Watch is a Companion that detects lasting changes of the forecast errors.
type Watch interface {
	eval.Companion

	// Drift returns the drift detected by the last Observe; ok is false if there is none.
	Drift() (d Change, ok bool)
}
