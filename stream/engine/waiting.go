package engine

import (
	"unsafe"

	"github.com/orffvar/forecaster/stream/assemble"
)

// groupSize is the number of samples per series that a batch gathers if the source has as many. The processor
// caches then load a series once for all of them.
const groupSize = 16

// waiting is a sample that is not learnt yet. Waiting samples are learnt series by series. No result depends on
// this: a sample whose series shares state with others does not wait (see ordered), and Score sorts the points by
// arrival.
type waiting struct {
	series  *series
	sample  assemble.Sample
	inputs  []float64 // (H+1) x inputs
	arrival int32     // see Results.arrival
	due     bool      // scores of the series are due after it
	dueAll  bool      // scores over all series are due after it
	next    int32     // index in Engine.queue of the next sample of the series; -1 = none
}

// wait appends w to Engine.queue for Settle.
func (e *Engine) wait(w waiting) {
	i, s := int32(len(e.queue)), w.series
	w.next = -1
	e.queue = append(e.queue, w)
	if s.waiting == 0 {
		s.first = i
		s.shard.waiting = append(s.shard.waiting, s)
	} else {
		e.queue[s.last].next = i
	}
	s.last = i
	s.waiting++
}

// enqueue appends in to the queue, or learns from it at once if it is ordered.
func (e *Engine) enqueue(dst *Results, s *series, in *assemble.Sample) error {
	w := waiting{series: s, sample: *in}
	w.sample.Y = dst.vector(in.Y)
	if len(e.inputs) > 0 {
		e.assembler.InputsTo(e.inputs, in, e.c.Horizon)
		w.inputs = dst.vector(e.inputs)
	}
	if !in.Missing {
		dst.Series = len(e.series)
		dst.Watermark, e.latest = later(dst.Watermark, in.Time), in.Time
		w.due, w.dueAll = e.measured(in)
	}
	ordered := e.ordered(&w)
	if ordered {
		if err := e.Settle(dst); err != nil {
			return err
		}
	}
	w.arrival = dst.arrive()
	dst.points += e.points(&w)
	dst.numbers += e.floats(&w)
	if !ordered {
		dst.gather(s)
	}
	e.wait(w)
	if ordered {
		return e.Settle(dst)
	}
	return nil
}

// ordered reports whether w must be learnt after all earlier samples and before all later ones, because it reads
// state that other series change, or changes state that they read.
func (e *Engine) ordered(w *waiting) bool {
	switch s := w.series; {
	case e.c.Scope == Shared, w.dueAll, e.c.Evaluation.Losses != nil, e.c.Evaluation.Errors != nil, e.c.Evaluation.Inside != nil:
		return true
	case e.budget.limit == 0:
		return false
	case s.growth != nil && s.growth.next == nil && len(s.growth.times)+s.waiting+1 >= e.c.GrowAfter:
		return true
	default:
		return remeasured(w.sample.Row + 1)
	}
}

// Settle learns the waiting samples and appends the results to dst, which must be the batch passed to LearnMessage.
func (e *Engine) Settle(dst *Results) error {
	if len(e.queue) == 0 {
		return nil
	}
	if err := e.learnShards(dst); err != nil {
		return err
	}
	clear(e.queue)
	e.queue = emptied(e.queue)
	return nil
}

// measured reports whether scores of the series, or over all series, are due after in.
func (e *Engine) measured(in *assemble.Sample) (due, dueAll bool) {
	if e.c.MetricsEvery == 0 {
		return false, false
	}
	due = (in.Row+1)%int64(e.c.MetricsEvery) == 0
	// in.Time > e.pooled: two scores at one time would be one point.
	if e.samples++; e.samples >= int64(e.c.MetricsEvery)*int64(len(e.series)) && in.Time > e.pooled {
		e.samples, e.pooled = 0, in.Time
		dueAll = true
	}
	return due, dueAll
}

// points estimates the number of points of a sample, without events.
func (e *Engine) points(w *waiting) int {
	if w.sample.Missing {
		return 0
	}
	n := 1
	if w.sample.Spacing != 0 {
		n += len(e.c.Emit)
	}
	if w.due {
		n += (1 + len(e.c.Baselines)) * len(e.c.Emit) * (1 + len(w.sample.Y))
	}
	return n
}

// floats estimates the memory of a sample, of its results and of their points, in float64s.
func (e *Engine) floats(w *waiting) int {
	const fixed = int(unsafe.Sizeof(waiting{})+unsafe.Sizeof(stepResult{})) / 8
	ends := 2 * len(e.c.Levels) * e.c.Horizon
	if len(e.c.Levels) > 1 { // scorer.atHorizon copies them
		ends += 2 * len(e.c.Levels) * len(e.c.Emit)
	}
	return fixed + len(w.sample.Y)*(2+e.c.Horizon+ends)
}
