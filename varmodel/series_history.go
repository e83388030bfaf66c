package varmodel

import "github.com/orffvar/forecaster/internal/snapshot"

// history keeps the last samples of one series with no gaps: a missing
// coordinate is filled with the forecast that stood for it, or, before any
// forecast, with the first value that is observed later.
//
// A series that ends young never needs all of its rows: there is room for size of them,
// which grows by a quarter until it is most. Lags of l >= size must not be asked for before
// there are so many samples.
type history struct {
	dim, depth  int       // depth: rows that all but seasons may ask for
	size, least int       // rows there is room for now, and at first
	most        int       // rows that are kept; see keep
	rows        []float64 // ring of size x dim
	observed    []bool    // of each value of rows
	beside      int       // numbers that the owner keeps beside each row …
	kept        []float64 // … size x beside; see besideLag
	next        int       // row of the next sample, < size
	count       int       // samples pushed
	seen        []bool    // coordinate has been observed at least once
	unseen      int       // those that have not
	first       []float64 // value of each coordinate before its first sample
	back        int       // lag 0 is this many samples before the last; see at
}

const keptMost = 1 << 16 // rows, more than any order or season needs

func newHistory(dim, depth int) *history { return newGrowingHistory(dim, depth, depth) }

// newGrowingHistory returns a history of the given depth with room for size rows at first.
func newGrowingHistory(dim, size, depth int) *history {
	size = min(size, depth)
	return &history{
		dim: dim, depth: depth, size: size, least: size, most: depth,
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
	if h.size == h.most {
		h.next = 0
		return
	}
	h.resize(h.grown(h.size))
}

// grown is the next size after another one.
func (h *history) grown(size int) int { return min(size+max(size/4, 64), h.most) }

// keep lets the history keep n rows, as samples come.
func (h *history) keep(n int) {
	if n <= h.most {
		return
	}
	full := h.size == h.most
	if h.most = n; full {
		h.resize(h.grown(h.size))
	}
}

// reserve makes room for lags below n.
func (h *history) reserve(n int) {
	size := h.size
	for size < min(n, h.most) {
		size = h.grown(size)
	}
	if size > h.size {
		h.resize(size)
	}
}

// resize makes room for more rows: those before the first sample of the ring.
func (h *history) resize(size int) {
	rows := turned(h.rows, h.next*h.dim, size*h.dim)
	for i := h.size * h.dim; i < len(rows); i += h.dim {
		copy(rows[i:], h.first)
	}
	h.observed, h.kept = turned(h.observed, h.next*h.dim, size*h.dim), turned(h.kept, h.next*h.beside, size*h.beside)
	h.next, h.size, h.rows = h.size, size, rows
}

// turned returns a slice of length n that begins with v from the given place on, and v before it.
func turned[T any](v []T, from, n int) []T {
	t := make([]T, n)
	copy(t[copy(t, v[from:]):], v[:from])
	return t
}

// keepBeside lets the history keep n numbers of its owner with each row, zeros at first.
func (h *history) keepBeside(n int) { h.beside, h.kept = n, make([]float64, h.size*n) }

// besideLag returns the numbers beside lag l: a view.
func (h *history) besideLag(l int) []float64 {
	i := h.row(l)
	return h.kept[i*h.beside : (i+1)*h.beside]
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
	h.size, h.rows, h.observed, h.beside, h.kept = o.size, o.rows, o.observed, o.beside, o.kept
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
	c.Len(&h.most, keptMost)
	c.Len(&size, h.most)
	if c.Decoding() && c.Err() == nil && size != h.size {
		if size < h.least {
			c.Fail("history of %d rows, at least %d are needed", size, h.least)
			return
		}
		h.size, h.rows, h.observed = size, make([]float64, size*h.dim), make([]bool, size*h.dim)
		h.keepBeside(h.beside)
	}
	c.Float64s(h.rows)
	c.Float64s(h.kept)
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
