package engine

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
)

// stepResult passes one step of a series from the models to the scorer; see resultKind. The
// results of a series are in the order of its samples.
type stepResult struct {
	kind        resultKind
	warmUp      bool  // forecasts with the target y are not scored
	due         bool  // scores of the series are due
	dueAll      bool  // scores over all series are due
	arrival     int32 // see Results.arrival
	observation int   // index of the Observation in Results; set by the scorer
	insight     int32 // the insight is Results.insights[insight-1]; 0 = none
	series      *scoredSeries
	time        int64 // time of the sample
	row         int64 // number of samples of the series before this one, without missing ones

	y             []float64        // dim; NaN = missing
	inputs        []float64        // exogenous inputs, which baselines take before y; nil = none
	levelSetScore float64          // level set score of the model; NaN = none
	yhat          []float64        // H x dim, forecasts of the model after y; nil = none
	spacing       assemble.Spacing // time to the next sample; 0 = unknown
	phases        eval.Phases

	// Intervals of the model for yhat; nil = none. bounds: lower, then upper ends, L x H x dim each. region: lower,
	// then upper ends of the joint region, H x dim each.
	bounds, region []float64

	learnt bounds // bounds that the model has learnt from the data

	missing int64 // number of samples missing before this one; for a break, only of those not filled in

	event *stream.Event // nil for other kinds
}

// resultKind is the kind of a stepResult. Each kind uses only some of its fields.
type resultKind uint8

const (
	resultBegin  resultKind = iota // the series is new, or has new variables
	resultSample                   // a sample was learnt
	resultFill                     // a missing sample was filled in and learnt
	resultBreak                    // the lags were dropped: see Engine.dropLags
	resultEvent                    // only event is set
)
