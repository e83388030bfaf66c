package engine

import (
	"github.com/orffvar/forecaster/stream"

	"github.com/orffvar/forecaster/stream/refuse"
)

// Results holds the output of an Engine for consecutive records: the points in Batch, and step
// results, which Score turns into points. The slices are valid until Reset.
type Results struct {
	stream.Batch

	Silent bool // the points are not written, because another version has already written them

	results  []stepResult     // not scored yet
	insights []stream.Insight // see stepResult.insight
	parts    []Results        // one per shard; absorb moves their step results here, their floats stay
	points   int              // estimated number of points from results and waiting samples
	numbers  int              // estimated number of floats in waiting samples and their points
	series   int              // number of series with samples that have waited since the last Score
	samples  int              // number of samples that have waited since the last Score

	// arrivals counts samples and refusals in the order of their arrival. arrival is the number of the present one.
	// stepResult.arrival is the number of its sample.
	arrivals, arrival int32
	unsorted          bool // results are not in order of arrival

	floats arena[float64] // memory of the vectors of points
	bytes  arena[byte]    // memory of copied messages
}

// Points returns the number of points in the batch plus the estimated number of points that Score will add.
func (b *Results) Points() int {
	return b.points + len(b.Forecasts) + len(b.Observations) + len(b.Metrics) + len(b.Insights) + len(b.Events) + len(b.DeadLetters)
}

// Bytes returns the estimated memory of the points counted by Points, in bytes.
func (b *Results) Bytes() int {
	n := b.floats.used + b.numbers
	for i := range b.parts {
		n += b.parts[i].floats.used
	}
	return 8*n + b.bytes.used + 128*b.Points()
}

// Reset empties the batch. It keeps memory that is not excessive. Old points stay in that memory
// until they are overwritten, and keep their names and texts alive.
func (b *Results) Reset() {
	b.scored()
	b.floats.reset()
	b.bytes.reset()
	for i := range b.parts {
		b.parts[i].Reset()
	}
	*b = Results{Batch: stream.Batch{
		Forecasts: emptied(b.Forecasts), Observations: emptied(b.Observations), Metrics: emptied(b.Metrics),
		Insights: emptied(b.Insights), Events: emptied(b.Events), DeadLetters: emptied(b.DeadLetters),
	},
		results: b.results, insights: b.insights, parts: b.parts, floats: b.floats, bytes: b.bytes,
	}
}

// arrive begins the next arrival, and returns its number.
func (b *Results) arrive() int32 {
	b.arrival = b.arrivals
	b.arrivals++
	return b.arrival
}

// gather counts a sample of s before it waits.
func (b *Results) gather(s *series) {
	b.samples++
	if s.waiting == 0 {
		b.series++
	}
}

// Gathers reports whether b should grow beyond its usual size, because it has fewer than groupSize samples per
// series.
func (b *Results) Gathers() bool { return b.samples < groupSize*b.series }

// add appends a result of the current arrival.
func (b *Results) add(r stepResult) {
	r.arrival = b.arrival
	if n := len(b.results); n > 0 && b.results[n-1].arrival > r.arrival {
		b.unsorted = true
	}
	if r.kind == resultEvent {
		b.points++
	}
	b.results = append(b.results, r)
}

// absorb moves the step results of p, one of b.parts, to b.
func (b *Results) absorb(p *Results) {
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
func (b *Results) scored() {
	if len(b.results) > 0 {
		clear(b.results)
		b.results, b.insights = emptied(b.results), emptied(b.insights)
	}
	b.points, b.numbers, b.series, b.samples = 0, 0, 0, 0
	b.arrivals, b.arrival, b.unsorted = 0, 0, false
}

// vector returns a copy of v that lives as long as the batch.
func (b *Results) vector(v []float64) []float64 { return b.floats.copy(v) }

// room returns n numbers of undefined value that live as long as the batch.
func (b *Results) room(n int) []float64 { return b.floats.take(n) }

// refuse appends a dead letter with a copy of m.
func (b *Results) refuse(m *stream.Message, err *refuse.Error) {
	c := *m
	c.Key, c.Value = b.bytes.copy(m.Key), b.bytes.copy(m.Value)
	b.DeadLetters = append(b.DeadLetters, stream.DeadLetter{Message: c, Error: *err})
}
