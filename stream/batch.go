package stream

import "github.com/orffvar/forecaster/eval"

// Batch is what the engine produced from some consecutive records. Its slices
// belong to whoever holds it and are reused after Reset.
type Batch struct {
	Forecasts    []Forecast
	Observations []Observation
	Metrics      []Metric
	Events       []Event
	DeadLetters  []DeadLetter

	Next     int64  // offset after the last record applied
	Snapshot []byte // engine state at Next; nil unless a checkpoint is due
}

// Forecast is the forecast of all variables of a series for one time.
type Forecast struct {
	Series  *Series
	Model   string
	Origin  int64 // time of the last sample it is based on, ns
	Time    int64 // target time, ns
	Horizon int   // steps ahead, >= 1
	Yhat    []float64
	Lower   []float64 // levels x dim, NaN while not calibrated
	Upper   []float64
}

// Observation is a sample with what the one-step forecast had said of it.
type Observation struct {
	Series   *Series
	Time     int64
	Y        []float64 // NaN = missing
	Residual []float64 // y - yhat of the one-step forecast; NaN = none
}

// Metric is a score of a model on a series.
type Metric struct {
	Series  *Series
	Target  string // variable, or AllTargets
	Horizon int
	Model   string
	Time    int64
	Score   eval.Score
}

// AllTargets is the target of a metric averaged over the variables.
const AllTargets = "_all"

// Event says that something worth knowing happened to a series.
type Event struct {
	Series string
	Time   int64
	Kind   string // reset, gap, warmup, lineage, ...
	Text   string
}

// DeadLetter is a message that could not be used.
type DeadLetter struct {
	Message Message // a copy
	Reason  Reason
	Detail  string
}
