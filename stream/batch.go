package stream

import (
	"github.com/orffvar/forecaster/eval/anomaly"
	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/stream/refuse"
)

// Batch holds the points of consecutive records, for the sinks. Its slices belong to the
// engine.Results that it is a part of, and are reused after Results.Reset.
type Batch struct {
	Forecasts    []Forecast
	Observations []Observation
	Metrics      []Metric
	Insights     []Insight
	Events       []Event
	DeadLetters  []DeadLetter

	Records   int64 // applied: learnt from or refused, not skipped; a refused row of an Assembly beside its parts
	Series    int   // seen so far
	Watermark int64 // largest time of a sample learnt from, ns; 0 = none
	Next      int64 // offset after the last record applied

	Checkpoint bool  // the state at Next is to be saved, or its changes: this batch ends there
	Since      int64 // Next of the checkpoint that the changes build on; 0 = the state is whole
	Last       Mark  // of the last message that the state has
	Saved      int64 // bytes of the state, once it is saved
}

// Forecast is the forecast of all variables of a series for one time.
type Forecast struct {
	Series  *Series
	Model   string
	Origin  int64 // time of the last sample it is based on, ns
	Row     int64 // number of samples of Series before that one, without missing ones
	Time    int64 // target time, ns
	Horizon int   // steps ahead, >= 1
	Yhat    []float64
	Lower   []float64 // levels x dim, NaN while not calibrated
	Upper   []float64

	// The ends of the joint region, length dim, NaN while it is not calibrated; nil
	// unless engine.Config.Joint.
	JointLower, JointUpper []float64

	// Reach is the probability that each variable has reached its limit by Time, see scoring.Limit;
	// NaN: not known, or no limit. Nil unless engine.Config.Limits.
	Reach []float64

	// Y is the sample Horizon steps after Origin, length dim: not known when the
	// forecast is made, so nil unless a sink has waited for it.
	Y []float64
}

// Observation is a sample with the errors of its one-step forecast and its anomaly scores.
type Observation struct {
	Series   *Series
	Time     int64
	Missing  int64     // number of samples missing between the one before and this one
	Y        []float64 // NaN = missing
	Residual []float64 // y - yhat of the one-step forecast; NaN = none

	// AnomalyScore says how improbable the sample is, see anomaly.Scorer. Above 1: an
	// alarm. NaN: not known yet.
	AnomalyScore float64

	// StateScore says how far the sample is from what the series was when it was normal, for as long as
	// that lasts, see anomaly.Scorer.StateScore. Above 1 it is as rare as an alarm. NaN: not known yet.
	StateScore float64

	// Cause is the view with the largest score. It means nothing while AnomalyScore is NaN.
	Cause anomaly.View

	// VariableScores are the parts of AnomalyScore that the variables explain. NaN: not
	// known yet.
	VariableScores []float64

	// Share is the share of each variable in AnomalyScore. Its sum is 1. Nil unless
	// Anomalous.
	Share []float64

	// Anomalous marks the samples of an anomaly that are odd enough for an alarm: the first
	// of them begins it, and the last one ends it. Anomaly is the anomaly so far; nil unless
	// Anomalous.
	Anomalous bool
	Anomaly   *anomaly.Event

	// Reach is the probability that each variable reaches its limit within the horizon, and TimeToLimit the
	// seconds until it is more likely than not that it has; NaN: not known, or not within the horizon. Nil
	// unless engine.Config.Limits.
	Reach, TimeToLimit []float64

	// LevelSetScore is the score of the model itself, in [0, 1], if the model is an
	// eval.Detector. NaN: none.
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

// Insight describes the inside of a model: its experts and its influence matrix. It comes
// with the metrics.
type Insight struct {
	Series    *Series
	Model     string
	Time      int64
	Experts   []string  // that the model mixes; nil = it does not
	Weights   []float64 // of the experts, dim x experts; each row sums to 1
	Influence []float64 // dim x dim, see eval.Influencer; nil = unknown
}

// DeadLetter is a message that could not be used.
type DeadLetter struct {
	Message Message // a copy
	refuse.Error
}

// AllTargets is the target of a metric averaged over the variables.
const AllTargets = "_all"
