package stream

// turn is what the judge is told: that a sample has come and what was forecast
// after it, or that something happened to its series. The turns of a Batch are in
// the order in which they came to the engine.
type turn struct {
	kind turnKind
	of   *judged
	time int64 // of the sample

	y       []float64 // dim; NaN = missing
	inputs  []float64 // that the baselines are told before y; nil = none
	unusual float64   // score of the model itself; NaN = none
	yhat    []float64 // H x dim, what the model forecasts after y; nil = nothing
	step    step      // to the next sample; 0 = not known yet

	// What the model itself says of yhat: lower bounds, then upper bounds, L x H x dim
	// each; lower and upper ends of the joint region, H x dim each; nil = nothing.
	bounds, region []float64

	due     bool // the scores of the series are
	dueAll  bool // those over all series are
	missing int  // samples that a break has left out

	event Event
}

// turnKind says which fields of a turn count.
type turnKind int

const (
	turnBegin  turnKind = iota // the series, or its variables, are new
	turnSample                 // a sample was learnt from
	turnFill                   // a missing sample was filled in
	turnBreak                  // the lags were dropped: samples are missing that were not filled in
	turnEvent                  // an event is to be told
)
