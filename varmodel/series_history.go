package varmodel

import "github.com/orffvar/forecaster/internal/snapshot"

// history keeps the last samples of one series with no gaps: a missing
// coordinate is filled with the forecast that stood for it, or, before any
// forecast, with the first value that is observed later.
//
// A series that ends young never needs all of its rows: there is room for size of them,
// which doubles until it is depth. Lags of l >= size must not be asked for before there are
// so many samples.
type history struct {
	dim, depth  int
	size, least int       // rows there is room for now, and at first
	rows        []float64 // ring of size x dim
	observed    []bool    // of each value of rows
	next        int       // row of the next sample, < size
	count       int       // samples pushed
	seen        []bool    // coordinate has been observed at least once
	unseen      int       // those that have not
	first       []float64 // value of each coordinate before its first sample
	back        int       // lag 0 is this many samples before the last; see at
}

func newHistory(dim, depth int) *history { return newGrowingHistory(dim, depth, depth) }

// newGrowingHistory returns a history of the given depth with room for size rows at first.
func newGrowingHistory(dim, size, depth int) *history {
	size = min(size, depth)
	return &history{
		dim: dim, depth: depth, size: size, least: size,
		rows: make([]float64, size*dim), observed: make([]bool, size*dim),
		seen: make([]bool, dim), unseen: dim, first: make([]float64, dim),
	}
}

// push appends y, filled from guess where it is NaN. Before the first sample of a
// coordinate all its lags have the value of that sample: a series that has just begun
// has never moved.
func (h *history) push(y, guess []float64) {
	d := len(y)
	row, observed := h.rows[h.next*d:(h.next+1)*d], h.observed[h.next*d:(h.next+1)*d]
	for j, v := range y {
		missing := v != v
		switch {
		case missing && h.seen[j]:
			v = guess[j]
		case missing:
			v = 0
		case !h.seen[j]:
			h.seen[j] = true
			h.unseen--
			h.fill(j, v)
		}
		observed[j] = !missing
		row[j] = v
	}
	h.advance()
}

// advance goes on to the row of the next sample.
func (h *history) advance() {
	h.count++
	if h.next++; h.next < h.size {
		return
	}
	if h.size == h.depth {
		h.next = 0
		return
	}
	h.resize(min(2*h.size, h.depth))
}

// reserve makes room for lags below n.
func (h *history) reserve(n int) {
	size := h.size
	for size < min(n, h.depth) {
		size = min(2*size, h.depth)
	}
	if size > h.size {
		h.resize(size)
	}
}

// resize makes room for more rows: those before the first sample of the ring.
func (h *history) resize(size int) {
	rows, observed := make([]float64, size*h.dim), make([]bool, size*h.dim)
	for i := copy(rows, h.rows); i < len(rows); i += h.dim {
		copy(rows[i:], h.first)
	}
	copy(observed, h.observed)
	h.size, h.rows, h.observed = size, rows, observed
}

// fill gives all lags of a coordinate one value.
func (h *history) fill(j int, v float64) {
	for i := range h.size {
		h.rows[i*h.dim+j] = v
	}
	h.first[j] = v
}

// extend appends a forecast as if it had been observed.
func (h *history) extend(y []float64) {
	copy(h.rows[h.next*h.dim:], y)
	h.advance()
}

// lag returns the sample l steps before the last one, l < size: a view.
func (h *history) lag(l int) []float64 {
	i := h.row(l)
	return h.rows[i*h.dim : (i+1)*h.dim]
}

// observedAt tells which coordinates of lag l were observed: a view.
func (h *history) observedAt(l int) []bool {
	i := h.row(l)
	return h.observed[i*h.dim : (i+1)*h.dim]
}

func (h *history) row(l int) int {
	i := h.next - 1 - l - h.back
	if i < 0 {
		i += h.size
	}
	return i
}

// at returns the history as it was the given number of samples ago, sharing the
// rows. Only its lags may be used.
func (h *history) at(back int) history {
	v := *h
	v.back = back
	return v
}

// any reports whether any coordinate has been observed.
func (h *history) any() bool { return h.unseen < h.dim }

// alignWith makes the lags those of o, whose rows h shares.
func (h *history) alignWith(o *history) {
	h.size, h.rows, h.observed = o.size, o.rows, o.observed
	h.next, h.count = o.next, o.count
}

// reset drops the samples: the next sample is the first of a new run. The values stay
// as substitutes for missing ones.
func (h *history) reset() {
	h.count = 0
	clear(h.observed)
}

// copyFrom makes h the history o, of the same shape.
func (h *history) copyFrom(o *history) {
	copy(h.rows, o.rows)
	h.next, h.count = o.next, o.count
	copy(h.observed, o.observed)
	copy(h.seen, o.seen)
	copy(h.first, o.first)
	h.unseen = o.unseen
}

func (h *history) State(c *snapshot.Codec) {
	c.Section("history")
	size := h.size
	c.Index(&size, h.depth+1)
	if c.Decoding() && c.Err() == nil && size != h.size {
		if size < h.least {
			c.Fail("history of %d rows, at least %d are needed", size, h.least)
			return
		}
		h.size, h.rows, h.observed = size, make([]float64, size*h.dim), make([]bool, size*h.dim)
	}
	c.Float64s(h.rows)
	c.Float64s(h.first)
	c.Index(&h.next, h.size)
	c.Int(&h.count)
	for i := range h.observed {
		c.Bool(&h.observed[i])
	}
	h.unseen = 0
	for j := range h.seen {
		if c.Bool(&h.seen[j]); !h.seen[j] {
			h.unseen++
		}
	}
}
