package eval

// Detector is a Forecaster that also says how unusual the last samples are.
type Detector interface {
	Forecaster

	// Anomaly returns a score in [0, 1] of the last lags, made before they were
	// learnt: about a fraction 1-s of all samples has a score above s. It returns
	// false while too little was seen, or after a sample without any value.
	Anomaly() (score float64, ok bool)
}
