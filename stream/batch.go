package stream

import (
	"github.com/orffvar/forecaster/eval/anomaly"
	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/stream/refuse"
)

// Batch holds the points made from consecutive records, for the sinks. Its slices belong to an engine.Results and
// are reused after Results.Reset.
type Batch struct {
	Forecasts    []Forecast
	Observations []Observation
	Metrics      []Metric
	Insights     []Insight
	Events       []Event
	DeadLetters  []DeadLetter

	Records   int64 // records applied: learnt or refused, not skipped; a refused row of an Assembly counts beside its parts
	Series    int   // number of series so far
	Watermark int64 // largest time of a learnt sample, ns; 0 = none
	Next      int64 // offset after the last record applied

	Checkpoint bool  // a checkpoint of the state at Next follows; the batch ends there
	Since      int64 // Next of the checkpoint to which the changes apply; 0 = the checkpoint has the whole state
	Last       Mark  // last message in the state
	Saved      int64 // bytes of the state, set after it is saved
}

// Forecast is the forecast of all variables of a series for one time.
type Forecast struct {
	Series  *Series
	Model   string
	Origin  int64 // time of the last sample before the forecast, ns
	Row     int64 // number of samples of Series before the sample at Origin, without missing ones
	Time    int64 // target time, ns
	Horizon int   // steps ahead, >= 1
	Yhat    []float64
	Lower   []float64 // levels x dim, NaN while not calibrated
	Upper   []float64

	// Bounds of the joint region, length dim, NaN while not calibrated; nil unless engine.Config.Joint.
	JointLower, JointUpper []float64

	// Reach is the probability per variable that it has reached its limit by Time, see scoring.Limit. NaN: not
	// known, or no limit. Nil unless engine.Config.Limits.
	Reach []float64

	// Y is the sample Horizon steps after Origin, length dim. It is unknown when the forecast is made: nil, unless
	// a sink waits for the sample.
	Y []float64
}

// Observation is a sample with the errors of its one-step forecast and its anomaly scores.
type Observation struct {
	Series   *Series
	Time     int64
	Missing  int64     // number of missing samples between the previous sample and this one
	Y        []float64 // NaN = missing
	Residual []float64 // y - yhat of the one-step forecast; NaN = none

	// AnomalyScore is the improbability of the sample, see anomaly.Scorer. Above 1: an alarm. NaN: not known yet.
	AnomalyScore float64

	// StateScore is the distance of the sample from the normal samples of the series, see
	// anomaly.Scorer.StateScore. It stays high while an anomaly lasts. Above 1: as rare as an alarm. NaN: not known
	// yet.
	StateScore float64

	// Cause is the view with the largest score. It is undefined while AnomalyScore is NaN.
	Cause anomaly.View

	// VariableScores are the anomaly scores of the variables, see anomaly.Scorer.VariablesTo. NaN: not known yet.
	VariableScores []float64

	// Share is the share of each variable in AnomalyScore; the shares sum to 1. Nil unless Anomalous.
	Share []float64

	// Anomalous marks the samples of an anomaly that are odd enough for an alarm. The anomaly begins at the first
	// and ends at the last of them. Anomaly is the anomaly so far; nil unless Anomalous.
	Anomalous bool
	Anomaly   *anomaly.Event

	// Reach is the probability per variable that it reaches its limit within the horizon. TimeToLimit is the number
	// of seconds until this probability exceeds 1/2. NaN: not known, or not within the horizon. Nil unless
	// engine.Config.Limits.
	Reach, TimeToLimit []float64

	// LevelSetScore is the anomaly score in [0, 1] of a model that is an eval.Detector. NaN: none.
	LevelSetScore float64
}

// Metric is a score of a model on a series.
type Metric struct {
	Series  *Series
	Target  string // variable, or AllTargets
	Horizon int
	Model   string
	Time    int64
	Score   scoring.Score
}

// Insight describes the inside of a model: expert weights and influence matrix. It is emitted with the metrics.
type Insight struct {
	Series    *Series
	Model     string
	Time      int64
	Experts   []string  // experts that the model mixes; nil = no mixture
	Weights   []float64 // expert weights, dim x experts; each row sums to 1
	Influence []float64 // dim x dim, see eval.Influencer; nil = unknown
}

// DeadLetter is a message that could not be used.
type DeadLetter struct {
	Message Message // a copy
	refuse.Error
}

// AllTargets is the target of a metric averaged over the variables.
const AllTargets = "_all"
