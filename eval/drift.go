package eval

// Drift is a lasting change of the forecast errors.
type Drift struct {
	Since    int        // samples from the change, as estimated, to the sample that gave the alarm
	Variable int        // variable with the alarm, or -1: all
	Bias     bool       // the errors have a sign; else they are larger than before
	Action   Adaptation // the response
}

// Adaptation is a response of a model to a change of its series.
type Adaptation string

// The adaptations.
const (
	AdaptNone    Adaptation = "none"
	AdaptForget  Adaptation = "forget"       // give past samples less weight
	AdaptScaler  Adaptation = "reset_scaler" // learn the mean and the scale of the samples again
	AdaptRestart Adaptation = "restart"      // forget all that was learnt and learn the samples since the change again
)
