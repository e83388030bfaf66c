package eval

// Drift says that a series no longer is what its model has learnt.
type Drift struct {
	Since    int        // samples from the change, as estimated, to the sample that gave the alarm
	Variable int        // whose forecasts gave it, or All
	Bias     bool       // the errors have a sign; else they are larger than before
	Action   Adaptation // what was done
}

// DriftDetector is a Forecaster that watches its own errors.
type DriftDetector interface {
	Forecaster

	// Drift returns what the last Observe has found, and false when that is
	// nothing.
	Drift() (d Drift, ok bool)
}

// Adaptation is what a model can do when its series has changed.
type Adaptation string

// The adaptations.
const (
	AdaptNone    Adaptation = "none"
	AdaptForget  Adaptation = "forget"       // give what was learnt before less weight
	AdaptScaler  Adaptation = "reset_scaler" // learn the mean and the scale of the samples again
	AdaptRestart Adaptation = "restart"      // forget all that was learnt and learn the samples since the change again
)

// Adapter is a Forecaster that can be told that its series has changed.
type Adapter interface {
	Forecaster

	// Adapt does a, knowing that the change was about that many samples ago, at
	// least 1. What a model has no means for it leaves undone.
	Adapt(a Adaptation, since int)
}
