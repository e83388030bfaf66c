package varmodel

import (
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/vec"
)

// frame is a series at one time: what the experts look at, computed once for all
// of them.
type frame struct {
	scaler *scaler
	local  *localMean
	past   history
	recent *increments // those before the last sample of past
	long   []float64   // increments that the source forecasts, in typical steps
	inputs *inputs     // nil without

	order  int                    // lags of all coordinates
	levels []float64              // standardised lags, order x dim
	wanted [targetKinds][]float64 // see want
}

func newFrame(dim, order, depth int, s *scaler, l *localMean, in *inputs) *frame {
	f := &frame{
		scaler: s, local: l, inputs: in, order: order,
		recent: newIncrements(dim, depth),
		long:   lanes.Rows(1, dim),
		levels: lanes.Rows(order, dim),
	}
	for t := range f.wanted {
		f.wanted[t] = lanes.Rows(1, dim)
	}
	return f
}

// prepare computes what follows from the past and the statistics.
func (f *frame) prepare() {
	levelsTo(f.levels, f.scaler, &f.past, f.order)
}

// scale returns the origin of a target, its unit and the inverse of that.
func (f *frame) scale(t target) (origin, unit, inverse []float64) {
	switch t {
	case increment:
		return f.past.lag(0), f.scaler.steps, f.scaler.perStep
	case local:
		return f.local.mean, f.local.unit, f.local.inverse
	}
	return f.scaler.mean, f.scaler.unit, f.scaler.inverse
}

// ownLagsTo writes the features of ownLags.
func (f *frame) ownLagsTo(phi []float64, order int) {
	m := order + 1
	steps, stride := f.recent.rows(0), f.recent.stride
	for j := range f.past.dim {
		row, inverse := phi[j*m:(j+1)*m], f.scaler.perStep[j]
		row[0], row[1] = 1, f.levels[j]
		for l := range row[2:] {
			row[2+l] = steps[l*stride+j] * inverse
		}
	}
}

// want sets wanted to what the experts of a target should have said of the next
// sample y, in its units; NaN stays.
func (f *frame) want(t target, y []float64) {
	origin, _, inverse := f.scale(t)
	lanes.Standardise(f.wanted[t], y, origin, inverse, targetLimit)
}

// increments are the last steps of a series: a row for each, the newest first.
type increments struct {
	count, stride int       // rows that are kept, and how far apart they are
	next          int       // place of the newest
	values        []float64 // rows, more than are kept
}

// strideOf is the number of elements between rows that have one for each of dim
// coordinates: a row fills registers of eight, or a few rows fill one.
func strideOf(dim int) int {
	switch {
	case dim <= 2:
		return dim
	case dim <= 4:
		return 4
	}
	return vec.Stride(dim)
}

func newIncrements(dim, count int) *increments {
	stride := strideOf(dim)
	n := count + 64 // moved once in 64 samples
	return &increments{count: count, stride: stride, next: 64 * stride, values: vec.Aligned(n * stride)}
}

// push appends the step from the sample before to the last one.
func (n *increments) push(last, before []float64) {
	if n.next == 0 {
		size := (n.count - 1) * n.stride // the oldest is not kept
		n.next = len(n.values) - size
		copy(n.values[n.next:], n.values[:size])
	}
	n.next -= n.stride
	row := n.values[n.next:][:len(last)]
	before = before[:len(last)]
	for j, v := range last {
		row[j] = v - before[j]
	}
}

// rows returns the steps before the given number of samples: a view.
func (n *increments) rows(back int) []float64 {
	return n.values[n.next+back*n.stride : n.next+n.count*n.stride]
}

// clear makes all steps of a coordinate zero.
func (n *increments) clear(j int) {
	rows := n.rows(0)
	for i := j; i < len(rows); i += n.stride {
		rows[i] = 0
	}
}

// follow takes the steps from a history.
func (n *increments) follow(h *history) {
	last := h.lag(n.count)
	for l := n.count - 1; l >= 0; l-- {
		next := h.lag(l)
		n.push(next, last)
		last = next
	}
}
