package series

import (
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
)

// History keeps the last samples of one series without gaps: a missing coordinate is replaced by its forecast or, before
// the first forecast, by the first value that is observed later.
//
// The memory grows with the series: there is room for size rows, and size grows by a quarter up to most. A lag l >= size
// must not be requested before there are l samples.
type History struct {
	Dim, Depth  int       // Depth: number of rows that everything but seasons may request
	size, least int       // number of rows that there is room for now, and at first
	most        int       // largest size; see Keep
	rows        []float64 // ring of size x dim
	observed    []bool    // of each value of rows
	beside      int       // number of values that the owner keeps with each row
	kept        []float64 // these values, size x beside; see besideLag
	next        int       // row of the next sample. Invariant: 0 <= next < size
	Count       int       // number of samples pushed
	Seen        []bool    // by coordinate: it was observed at least once
	Unseen      int       // number of coordinates that were never observed
	first       []float64 // by coordinate: value before its first sample
	back        int       // lag 0 is this many samples before the last; see at
}

const keptMost = 1 << 16 // largest number of rows: more than any order or season needs

func NewHistory(dim, depth int) *History { return NewGrowingHistory(dim, depth, depth) }

// NewGrowingHistory returns a history of a depth, which begins with room for size rows.
func NewGrowingHistory(dim, size, depth int) *History {
	size = min(size, depth)
	return &History{
		Dim: dim, Depth: depth, size: size, least: size, most: depth,
		rows: make([]float64, size*dim), observed: make([]bool, size*dim),
		Seen: make([]bool, dim), Unseen: dim, first: make([]float64, dim),
	}
}

// Push appends y, with guess in place of NaN. The lags before the first sample of a coordinate have the value of that
// sample, as if the coordinate had never moved.
func (h *History) Push(y, guess []float64) {
	d := len(y)
	row, observed, seen := h.rows[h.next*d:][:d], h.observed[h.next*d:][:d], h.Seen[:d]
	for j, v := range y {
		observed[j] = v == v
		switch {
		case v == v && seen[j]:
		case v == v:
			seen[j] = true
			h.Unseen--
			h.Fill(j, v)
		case seen[j]:
			v = guess[j]
		default:
			v = 0
		}
		row[j] = v
	}
	h.advance()
}

// advance moves next to the row of the next sample.
func (h *History) advance() {
	h.Count++
	if h.next++; h.next < h.size {
		return
	}
	if h.size == h.most {
		h.next = 0
		return
	}
	h.resize(h.grown(h.size))
}

// grown returns the next size: a quarter more, and at least 64 rows more.
func (h *History) grown(size int) int { return min(size+max(size/4, 64), h.most) }

// Keep lets the history grow to n rows.
func (h *History) Keep(n int) {
	if n <= h.most {
		return
	}
	full := h.size == h.most
	if h.most = n; full {
		h.resize(h.grown(h.size))
	}
}

// Reserve makes room for lags below n at once.
func (h *History) Reserve(n int) {
	size := h.size
	for size < min(n, h.most) {
		size = h.grown(size)
	}
	if size > h.size {
		h.resize(size)
	}
}

// resize makes room for more rows, before the oldest sample in the ring.
func (h *History) resize(size int) {
	rows := turned(h.rows, h.next*h.Dim, size*h.Dim)
	for i := h.size * h.Dim; i < len(rows); i += h.Dim {
		copy(rows[i:], h.first)
	}
	h.observed, h.kept = turned(h.observed, h.next*h.Dim, size*h.Dim), turned(h.kept, h.next*h.beside, size*h.beside)
	h.next, h.size, h.rows = h.size, size, rows
}

// turned returns a slice of length n that begins with v[from:] and v[:from].
func turned[T any](v []T, from, n int) []T {
	t := make([]T, n)
	copy(t[copy(t, v[from:]):], v[:from])
	return t
}

// KeepBeside lets the history keep n values of its owner with each row, zeros at first.
func (h *History) KeepBeside(n int) { h.beside, h.kept = n, make([]float64, h.size*n) }

// besideLag returns the owner's values of lag l, as a view.
func (h *History) besideLag(l int) []float64 {
	i := h.row(l)
	return h.kept[i*h.beside : (i+1)*h.beside]
}

// Fill sets all lags of coordinate j to v.
func (h *History) Fill(j int, v float64) {
	for i := range h.size {
		h.rows[i*h.Dim+j] = v
	}
	h.first[j] = v
}

// Extend appends a forecast as if it had been observed.
func (h *History) Extend(y []float64) {
	copy(h.rows[h.next*h.Dim:], y)
	h.advance()
}

// Lag returns the sample l steps before the last one, 0 <= l < Size(), as a view.
func (h *History) Lag(l int) []float64 {
	i := h.row(l)
	return h.rows[i*h.Dim : (i+1)*h.Dim]
}

// ObservedAt reports for each coordinate whether it was observed at lag l, as a view.
func (h *History) ObservedAt(l int) []bool {
	i := h.row(l)
	return h.observed[i*h.Dim : (i+1)*h.Dim]
}

// Size returns the number of rows that there is room for.
func (h *History) Size() int { return h.size }

func (h *History) row(l int) int {
	i := h.next - 1 - l - h.back
	if i < 0 {
		i += h.size
	}
	return i
}

// At returns the history as it was back samples ago. It shares the rows. Use only its lags.
func (h *History) At(back int) History {
	v := *h
	v.back = back
	return v
}

// Any reports whether any coordinate has been observed.
func (h *History) Any() bool { return h.Unseen < h.Dim }

// AlignWith sets the lags of h to those of o, whose rows h shares.
func (h *History) AlignWith(o *History) {
	h.size, h.rows, h.observed, h.beside, h.kept = o.size, o.rows, o.observed, o.beside, o.kept
	h.next, h.Count = o.next, o.Count
}

// Reset drops the samples: the next sample is the first of a new run. The last values still replace missing ones.
func (h *History) Reset() {
	h.Count = 0
	clear(h.observed)
}

// CopyFrom sets h to a copy of o, which has the same shape.
func (h *History) CopyFrom(o *History) {
	copy(h.rows, o.rows)
	h.next, h.Count = o.next, o.Count
	copy(h.observed, o.observed)
	copy(h.Seen, o.Seen)
	copy(h.first, o.first)
	h.Unseen = o.Unseen
}

func (h *History) State(c *snapshot.Codec) {
	c.Section("history")
	size := h.size
	c.Len(&h.most, keptMost)
	c.Len(&size, h.most)
	if c.Decoding() && c.Err() == nil && size != h.size {
		if size < h.least {
			c.Fail("history of %d rows, at least %d are needed", size, h.least)
			return
		}
		h.size, h.rows, h.observed = size, make([]float64, size*h.Dim), make([]bool, size*h.Dim)
		h.KeepBeside(h.beside)
	}
	c.Float64s(h.rows)
	c.Float64s(h.kept)
	c.Float64s(h.first)
	c.Index(&h.next, h.size)
	c.Int(&h.Count)
	for i := range h.observed {
		c.Bool(&h.observed[i])
	}
	h.Unseen = 0
	for j := range h.Seen {
		if c.Bool(&h.Seen[j]); !h.Seen[j] {
			h.Unseen++
		}
	}
}

// LagsTo writes the standardised lags z_t, z_{t-1}, …, order x dim.
func LagsTo(dst []float64, s *Scaler, past *History, order int) {
	StandardisedTo(dst, s.Mean, s.Inverse, past, order)
}

// StandardisedTo writes (lag - mean) * inverse, limited, for order lags; dst is from lanes.Rows, which has room after its
// length.
func StandardisedTo(dst, mean, inverse []float64, past *History, order int) {
	newest, d := past.row(0), past.Dim
	n := min(order, newest+1) // number of lags before the ring wraps around
	lanes.Standardise(dst[:n*d], past.rows[(newest+1-n)*d:(newest+1)*d], mean, inverse, InputLimit)
	if n < order {
		lanes.Standardise(dst[n*d:order*d], past.rows[(past.size-order+n)*d:], mean, inverse, InputLimit)
	}
}
