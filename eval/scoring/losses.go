package scoring

import (
	"math"
)

// mostLosses bounds the losses that are held: beyond it, neighbours are joined. An autocorrelation that
// the standard error allows for then reaches over a few hundred rows, or over a few of these means.
const mostLosses = 1 << 17

// Losses are the losses of a model on all rows, in their order, in bounded memory: they are held as
// means of batches of rows. The zero value is empty. Invariant: fewer than 131,072 means.
type Losses struct {
	means []float64 // NaN = no target in the batch
	width int       // rows per batch
	known int       // rows that have a loss

	// The last batch, which is not complete.
	sum  float64
	n    int // losses in it
	rows int
}

// Add appends the loss of a row; NaN is a row without a target.
func (l *Losses) Add(v float64) {
	l.width = max(l.width, 1)
	if l.rows++; !math.IsNaN(v) {
		l.sum, l.n, l.known = l.sum+v, l.n+1, l.known+1
	}
	if l.rows < l.width {
		return
	}
	l.means = append(l.means, l.sum/float64(l.n)) // 0/0 = NaN
	l.sum, l.n, l.rows = 0, 0, 0
	if len(l.means) < mostLosses {
		return
	}
	for i := range mostLosses / 2 {
		a, b := l.means[2*i], l.means[2*i+1]
		switch {
		case math.IsNaN(a):
			a = b
		case !math.IsNaN(b):
			a = (a + b) / 2
		}
		l.means[i] = a
	}
	l.means, l.width = l.means[:mostLosses/2], 2*l.width
}

// horizon returns a horizon of h rows in batches, rounded up.
func (l *Losses) horizon(h int) int { return (h-1)/max(l.width, 1) + 1 }

// StandardError returns the standard error of the mean loss of forecasts h rows ahead.
func (l *Losses) StandardError(h int) float64 { return StandardError(l.means, l.horizon(h)) }

// Compare compares l with the losses of another model on the same rows, h rows ahead, as [Compare] does.
func (l *Losses) Compare(other *Losses, h int) (Comparison, error) {
	c, err := Compare(l.means, other.means, CompareOptions{Horizon: l.horizon(h)})
	if l.width > 1 {
		c.N = min(l.known, other.known)
	}
	return c, err
}
