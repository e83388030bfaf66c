package stream

import (
	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/anomaly"
)

// Batch holds the results of consecutive records. Its slices belong to the holder of the
// batch and are reused after Reset.
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
	Since      int64 // offset of the checkpoint that has what the changes are to; 0 = the whole state
	Last       Mark  // of the last message that the state has
	Saved      int64 // bytes of the state, once it is saved

	results  []stepResult // not scored yet
	insights []Insight    // of results
	parts    []Batch      // of shards that learn at the same time: their numbers, and their results until absorb
	points   int          // that these and the samples that wait are likely to become
	numbers  int          // of these points, not yet in floats
	series   int          // of the samples …
	samples  int          // … that have waited since the last Score

	// Arrivals are samples and refusals, numbered as they came. A result has the number of
	// the arrival that it comes of.
	arrivals, arrival int32
	unsorted          bool // results are not in order of arrival

	floats arena[float64] // of the vectors of the points
	bytes  arena[byte]    // of the copies of messages
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
	// unless EngineConfig.Joint.
	JointLower, JointUpper []float64

	// Y is what was observed Horizon samples after Origin, length dim: not known when the
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

	// AnomalyScore says how improbable the sample is, see eval.AnomalyScorer. Above 1: an
	// alarm. NaN: not known yet.
	AnomalyScore float64

	// Cause is the view with the largest score. It means nothing while AnomalyScore is NaN.
	Cause anomaly.View

	// VariableScores are the parts of AnomalyScore that the variables explain. NaN: not
	// known yet.
	VariableScores []float64

	// Share is the share of each variable in AnomalyScore. Its sum is 1. Nil unless
	// Anomalous.
	Share []float64

	// Anomalous marks the samples of an anomaly that are odd enough for an alarm: the first
	// of them begins it, and the last one ends it. Anomaly is what is known of it so far; nil unless
	// Anomalous.
	Anomalous bool
	Anomaly   *anomaly.Event

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
	Score   eval.Score
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

// AllSeries is the name of the series of an event that concerns every series. Names of
// metrics over all series begin with AllSeries; see EngineConfig.Pool.
const AllSeries = "_all"

// AllTargets is the target of a metric averaged over the variables.
const AllTargets = "_all"

// Event says that something worth knowing happened to a series.
type Event struct {
	Series string
	Tags   []Tag // as of Series
	Time   int64
	Kind   string // one of the Event constants
	Text   string

	Anomaly *Anomaly // of the kind EventAnomaly; nil for others
}

// Anomaly is one phase of an anomaly: its beginning, its end, or its change into the new
// normal.
type Anomaly struct {
	anomaly.Event
	Phase     string // AnomalyBegin, AnomalyNewNormal or AnomalyEnd
	Variables []string
}

// The phases of an anomaly.
const (
	AnomalyBegin     = "begin"
	AnomalyNewNormal = "new_normal"
	AnomalyEnd       = "end"
)

// EventKinds are the kinds of events.
var EventKinds = []string{
	EventSeries, EventSchemaChange, EventRefused, EventTime, EventGap, EventAnomaly, EventSeason, EventDrift, EventReset, EventReload,
}

// The kinds of events.
const (
	EventSeries       = "series"        // a new series was seen
	EventSchemaChange = "schema_change" // its variables changed: a new model
	EventRefused      = "refused"       // records were refused: the first of a reason, the tenth, the hundredth…; of the series of Pool
	EventTime         = "time"          // the time has gone back: the samples before had a wrong one
	EventGap          = "gap"           // missing samples were filled in, or the lags dropped
	EventAnomaly      = "anomaly"       // an anomaly has begun, has become the new normal, or has ended
	EventSeason       = "season"        // the forecasts use other seasons than before
	EventDrift        = "drift"         // the model's errors are not what they were
	EventReset        = "reset"         // the state went bad: a new model
	EventReload       = "reload"        // the configuration was read again; of the series AllSeries
)

// DeadLetter is a message that could not be used.
type DeadLetter struct {
	Message Message // a copy
	DataError
}

// Points returns the number of points in the batch and of the points that scoring will add
// to it. The limit of a batch counts both.
func (b *Batch) Points() int {
	return b.points + len(b.Forecasts) + len(b.Observations) + len(b.Metrics) + len(b.Insights) + len(b.Events) + len(b.DeadLetters)
}

// Bytes returns about how much memory the points take: what its limit on bytes
// counts.
func (b *Batch) Bytes() int {
	n := b.floats.used + b.numbers
	for i := range b.parts {
		n += b.parts[i].floats.used
	}
	return 8*n + b.bytes.used + 128*b.Points()
}

// Reset empties the batch and keeps its memory, unless that is far more than it needed, with
// the names and texts that its points refer to.
func (b *Batch) Reset() {
	b.scored()
	b.floats.reset()
	b.bytes.reset()
	for i := range b.parts {
		b.parts[i].Reset()
	}
	*b = Batch{
		Forecasts: emptied(b.Forecasts), Observations: emptied(b.Observations), Metrics: emptied(b.Metrics),
		Insights: emptied(b.Insights), Events: emptied(b.Events), DeadLetters: emptied(b.DeadLetters),
		results: b.results, insights: b.insights, parts: b.parts, floats: b.floats, bytes: b.bytes,
	}
}

// arrive begins with the results of something that has come, and returns its number.
func (b *Batch) arrive() int32 {
	b.arrival = b.arrivals
	b.arrivals++
	return b.arrival
}

// gather counts a sample of s that is about to wait.
func (b *Batch) gather(s *series) {
	b.samples++
	if s.waiting == 0 {
		b.series++
	}
}

// Gathers reports whether b is to become larger than usual: its samples belong to so many
// series that each has few of them.
func (b *Batch) Gathers() bool { return b.samples < groupSize*b.series }

// add appends a result of the present arrival.
func (b *Batch) add(r stepResult) {
	r.arrival = b.arrival
	if n := len(b.results); n > 0 && b.results[n-1].arrival > r.arrival {
		b.unsorted = true
	}
	if r.kind == resultEvent {
		b.points++
	}
	b.results = append(b.results, r)
}

// absorb appends the results of p.
func (b *Batch) absorb(p *Batch) {
	for _, r := range p.results {
		if r.insight > 0 {
			r.insight += int32(len(b.insights))
		}
		b.arrival = r.arrival
		b.add(r)
	}
	b.insights = append(b.insights, p.insights...)
	p.scored()
}

// scored drops the step results.
func (b *Batch) scored() {
	if len(b.results) > 0 {
		clear(b.results)
		b.results, b.insights = emptied(b.results), emptied(b.insights)
	}
	b.points, b.numbers, b.series, b.samples = 0, 0, 0, 0
	b.arrivals, b.arrival, b.unsorted = 0, 0, false
}

// vector returns a copy of v that lives as long as the batch.
func (b *Batch) vector(v []float64) []float64 { return b.floats.copy(v) }

// room returns n numbers, of any value, that live as long as the batch.
func (b *Batch) room(n int) []float64 { return b.floats.take(n) }

// refuse appends a dead letter with a copy of m.
func (b *Batch) refuse(m *Message, err *DataError) {
	c := *m
	c.Key, c.Value = b.bytes.copy(m.Key), b.bytes.copy(m.Value)
	b.DeadLetters = append(b.DeadLetters, DeadLetter{c, *err})
}
