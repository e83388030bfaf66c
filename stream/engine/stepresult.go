package engine

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
)

// stepResult is what the models made of one sample, for the Scorer: that it has come and
// the forecasts after it, or that something happened to its series. The results of a
// series are in the order in which its samples came to the engine.
type stepResult struct {
	kind    resultKind
	warmUp  bool  // forecasts of y are not scored
	due     bool  // scores of the series are to be written
	dueAll  bool  // scores over all series are to be written
	arrival int32 // see Results.arrival
	insight int32 // end of Results.insights when it was made; 0 = none
	series  *scoredSeries
	time    int64 // of the sample
	row     int64 // number of samples of the series before it, without missing ones

	y             []float64        // dim; NaN = missing
	inputs        []float64        // for the baselines, before y; nil = none
	levelSetScore float64          // score of the model itself; NaN = none
	yhat          []float64        // H x dim, forecasts of the model after y; nil = none
	spacing       assemble.Spacing // to the next sample; 0 = not known yet
	phases        eval.Phases

	// What the model itself says about yhat: lower bounds, then upper bounds, L x H x dim
	// each; lower and upper ends of the joint region, H x dim each; nil = nothing.
	bounds, region []float64

	learnt bounds // that the model has found in the data

	missing int64 // samples missing before this one; of a break, those that were not filled in

	event *stream.Event // nil for other kinds
}

// resultKind says which fields of a stepResult count.
type resultKind uint8

const (
	resultBegin  resultKind = iota // the series, or its variables, are new
	resultSample                   // a sample was learnt from
	resultFill                     // a missing sample was filled in
	resultBreak                    // the lags were dropped: samples are missing that were not filled in
	resultEvent                    // an event is to be written
)
