package varmodel

import (
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
		long:   vec.Rows(1, dim),
		levels: vec.Rows(order, dim),
	}
	for t := range f.wanted {
		f.wanted[t] = vec.Rows(1, dim)
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
	for j := range f.past.dim {
		row := phi[j*m : (j+1)*m]
		row[0], row[1] = 1, f.levels[j]
		f.incrementsTo(row[2:], j)
	}
}

// incrementsTo writes the last increments of coordinate j in typical steps.
func (f *frame) incrementsTo(dst []float64, j int) {
	inverse := f.scaler.perStep[j]
	for l, v := range f.recent.of(j, len(dst)) {
		dst[l] = v * inverse
	}
}

// want sets wanted to what the experts of a target should have said of the next
// sample y, in its units; NaN stays.
func (f *frame) want(t target, y []float64) {
	origin, _, inverse := f.scale(t)
	vec.Standardise(f.wanted[t], y, origin, inverse, targetLimit)
}

// increments are the last steps of each coordinate, the newest first, contiguous.
type increments struct {
	count, size int // steps that are kept; room for one coordinate
	next        int // place of the newest
	values      []float64
}

func newIncrements(dim, count int) *increments {
	size := count + 64 // moved once in 64 samples
	return &increments{count: count, size: size, next: 64, values: make([]float64, dim*size)}
}

// push appends the step from the sample before to the last one.
func (n *increments) push(last, before []float64) {
	if n.next == 0 {
		for j := range last {
			v := n.values[j*n.size : (j+1)*n.size]
			copy(v[n.size-n.count:], v[:n.count])
		}
		n.next = n.size - n.count
	}
	n.next--
	for j, v := range last {
		n.values[j*n.size+n.next] = v - before[j]
	}
}

// of returns the last k steps of a coordinate: a view.
func (n *increments) of(j, k int) []float64 {
	i := j*n.size + n.next
	return n.values[i : i+k]
}

// clear makes all steps of a coordinate zero.
func (n *increments) clear(j int) { clear(n.of(j, n.count)) }

// follow takes the steps from a history.
func (n *increments) follow(h *history) {
	last := h.lag(n.count)
	for l := n.count - 1; l >= 0; l-- {
		next := h.lag(l)
		n.push(next, last)
		last = next
	}
}
