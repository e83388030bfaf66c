package varmodel

import "github.com/orffvar/forecaster/internal/snapshot"

// ringRows is the number of rows that a ring gets at a time.
const ringRows = 64

// ring holds the last samples of a series by their number. Its memory grows with the
// samples that come: a series that ends young never needs all of it.
type ring struct {
	dim, rows int
	blocks    [][]float64 // ringRows x dim each; nil until one is used
}

// resized returns a ring of more rows with the samples before the given number that r has.
func (r *ring) resized(rows, next int) ring {
	n := ring{dim: r.dim, rows: rows, blocks: make([][]float64, (rows+ringRows-1)/ringRows)}
	for i := max(0, next-r.rows); i < next; i++ {
		copy(n.at(i), r.at(i))
	}
	return n
}

// at is the sample of the given number: a view.
func (r *ring) at(number int) []float64 {
	row := number % r.rows
	block := &r.blocks[row/ringRows]
	if *block == nil {
		*block = make([]float64, min(ringRows, r.rows-row/ringRows*ringRows)*r.dim)
	}
	i := row % ringRows * r.dim
	return (*block)[i : i+r.dim]
}

func (r *ring) state(c *snapshot.Codec, limit int) {
	rows := r.rows
	c.Len(&rows, limit)
	if c.Decoding() && c.Err() == nil {
		empty := ring{dim: r.dim}
		*r = empty.resized(rows, 0)
	}
	for i := range r.blocks {
		used := r.blocks[i] != nil
		if c.Bool(&used); used {
			r.at(i * ringRows) // makes the block
			c.Float64s(r.blocks[i])
		}
	}
}
