package varmodel

import (
	"math"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// history keeps the last samples of one series with no gaps: a missing
// coordinate is filled with the forecast that stood for it, or, before any
// forecast, with the first value that is observed later.
//
// Rows lie in a ring that is written twice, so that the last depth rows are
// always one contiguous slice.
type history struct {
	dim, depth int
	rows       []float64 // 2*depth x dim
	next       int       // row of the next sample, < depth
	count      int       // samples pushed
	seen       []bool    // coordinate has been observed at least once
	fresh      []bool    // coordinate was observed in the last sample
}

func newHistory(dim, depth int) *history {
	return &history{
		dim: dim, depth: depth,
		rows: make([]float64, 2*depth*dim),
		seen: make([]bool, dim), fresh: make([]bool, dim),
	}
}

// push appends y, filled from guess where it is NaN, and sets diff to the
// difference to the sample before, NaN unless both were observed. Before the
// first sample of a coordinate all its lags have the value of that sample: a
// series that has just begun has never moved.
func (h *history) push(y, guess, diff []float64) {
	last := h.lag(0)
	row := h.rows[h.next*h.dim : (h.next+1)*h.dim]
	for j, v := range y {
		missing := math.IsNaN(v)
		diff[j] = math.NaN()
		switch {
		case missing && h.seen[j]:
			v = guess[j]
		case missing:
			v = 0
		case !h.seen[j]:
			h.seen[j] = true
			for i := range 2 * h.depth {
				h.rows[i*h.dim+j] = v
			}
		case h.fresh[j]:
			diff[j] = v - last[j]
		}
		h.fresh[j] = !missing
		row[j] = v
	}
	copy(h.rows[(h.next+h.depth)*h.dim:], row)
	h.next = (h.next + 1) % h.depth
	h.count++
}

// extend appends a forecast as if it had been observed.
func (h *history) extend(y []float64) {
	copy(h.rows[h.next*h.dim:], y)
	copy(h.rows[(h.next+h.depth)*h.dim:], y)
	h.next = (h.next + 1) % h.depth
	h.count++
}

// lag returns the sample l steps before the last one, l < depth: a view.
func (h *history) lag(l int) []float64 {
	i := h.next + h.depth - 1 - l
	return h.rows[i*h.dim : (i+1)*h.dim]
}

// any reports whether any coordinate has been observed.
func (h *history) any() bool {
	for _, s := range h.seen {
		if s {
			return true
		}
	}
	return false
}

// copyFrom makes h the history o, of the same shape.
func (h *history) copyFrom(o *history) {
	copy(h.rows, o.rows)
	h.next, h.count = o.next, o.count
	copy(h.seen, o.seen)
	copy(h.fresh, o.fresh)
}

func (h *history) State(c *snapshot.Codec) {
	c.Section("history")
	c.Float64s(h.rows)
	c.Index(&h.next, h.depth)
	c.Int(&h.count)
	for j := range h.seen {
		c.Bool(&h.seen[j])
		c.Bool(&h.fresh[j])
	}
}
