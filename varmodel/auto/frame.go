package auto

import (
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/vec"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
	"github.com/orffvar/forecaster/varmodel/series"
)

// frame holds the state of a series at one time: the statistics, the past, and the inputs that all experts share.
type frame struct {
	scaler *series.Scaler
	local  *localMean
	past   series.History
	recent *increments             // increments that end with the last sample of past
	long   []float64               // dim: increments forecast by the source, in typical steps
	inputs *series.ExogenousInputs // nil without exogenous inputs

	order   int                    // number of lags of all coordinates
	lags    []float64              // standardised lags, order x dim
	targets [targetKinds][]float64 // standardised targets of each kind, dim; see setTargets
}

func newFrame(dim, order, depth int, s *series.Scaler, l *localMean, in *series.ExogenousInputs) *frame {
	f := &frame{
		scaler: s, local: l, inputs: in, order: order,
		recent: newIncrements(dim, depth),
		long:   lanes.Rows(1, dim),
		lags:   lanes.Rows(order, dim),
	}
	for t := range f.targets {
		f.targets[t] = lanes.Rows(1, dim)
	}
	return f
}

// prepare computes lags from past and scaler.
func (f *frame) prepare() {
	series.LagsTo(f.lags, f.scaler, &f.past, f.order)
}

// scale returns zero, unit and inverse = 1 / unit of a target, dim each. Standardised target = (y - zero) / unit.
func (f *frame) scale(t target) (zero, unit, inverse []float64) {
	switch t {
	case incrementTarget:
		return f.past.Lag(0), f.scaler.Steps, f.scaler.PerStep
	case localTarget:
		return f.local.mean, f.local.unit, f.local.inverse
	}
	return f.scaler.Mean, f.scaler.Unit, f.scaler.Inverse
}

// ownLagsTo writes the features of the own lags, dim x (order + 1). The row of a coordinate holds 1, the
// standardised value, and the last order - 1 increments in typical steps.
func (f *frame) ownLagsTo(phi []float64, order int) {
	m := order + 1
	steps, stride := f.recent.rows(0), f.recent.stride
	for j := range f.past.Dim {
		row, inverse := phi[j*m:(j+1)*m], f.scaler.PerStep[j]
		row[0], row[1] = 1, f.lags[j]
		for l := range row[2:] {
			row[2+l] = steps[l*stride+j] * inverse
		}
	}
}

// setTargets sets targets[t] to the standardised next sample y. NaN stays NaN.
func (f *frame) setTargets(t target, y []float64) {
	zero, _, inverse := f.scale(t)
	lanes.Standardise(f.targets[t], y, zero, inverse, regression.TargetLimit)
}

// increments holds the last increments of a series, one row per sample, newest first.
type increments struct {
	count, stride int       // number of rows, and elements from row to row
	next          int       // index of the newest row in values
	values        []float64 // rows, after free space for later rows
}

// strideOf returns the stride of increments for dim coordinates. Either a row fills whole registers of eight
// elements, or several rows fill one register.
func strideOf(dim int) int {
	switch {
	case dim <= 2:
		return dim
	case dim <= 4:
		return 4
	}
	return vec.Stride(dim)
}

const spareRows = 9 // samples between two moves of the rows

func newIncrements(dim, count int) *increments {
	stride := strideOf(dim)
	n := count + spareRows
	return &increments{count: count, stride: stride, next: spareRows * stride, values: vec.Aligned(n * stride)}
}

// Push adds the row last - before, and drops the oldest row.
func (n *increments) Push(last, before []float64) {
	if n.next == 0 {
		size := (n.count - 1) * n.stride // the oldest row is dropped
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

// rows returns a view of the increments from lag back to the oldest.
func (n *increments) rows(back int) []float64 {
	return n.values[n.next+back*n.stride : n.next+n.count*n.stride]
}

// change updates the increments after by was added to the sample of coordinate j at a lag.
func (n *increments) change(lag, j int, by float64) {
	rows := n.rows(0)
	if i := lag*n.stride + j; lag < n.count {
		rows[i] += by
	}
	if i := (lag-1)*n.stride + j; lag > 0 && lag <= n.count {
		rows[i] -= by
	}
}

// clear sets all increments of a coordinate to zero.
func (n *increments) clear(j int) {
	rows := n.rows(0)
	for i := j; i < len(rows); i += n.stride {
		rows[i] = 0
	}
}

// copyFrom copies the rows of o, which has the same shape.
func (n *increments) copyFrom(o *increments) {
	n.next = len(n.values) - n.count*n.stride
	copy(n.values[n.next:], o.rows(0))
}

// fillFrom computes all increments from a history.
func (n *increments) fillFrom(h *series.History) {
	last := h.Lag(n.count)
	for l := n.count - 1; l >= 0; l-- {
		next := h.Lag(l)
		n.Push(next, last)
		last = next
	}
}
