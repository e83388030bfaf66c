package scoring

import (
	"math"

	"github.com/orffvar/forecaster/internal/vec"
	"gonum.org/v1/gonum/stat"
)

// mostLosses bounds the number of stored losses. Beyond it, neighbours are averaged. The lag of the standard error
// then still covers a few hundred rows, or a few averages.
const mostLosses = 1 << 17

// Losses holds the losses of a model on all rows, in order and in bounded memory, as means over batches of rows.
// The zero value is empty. Invariant: fewer than 131,072 means.
type Losses struct {
	means []float64 // NaN = no target in the batch
	width int       // rows per batch
	known int       // number of rows with a loss

	// The last batch, which is incomplete.
	sum  float64
	n    int // number of losses in it
	rows int
}

// Add appends the loss of a row; NaN = no target.
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

// horizon converts a horizon of h rows to batches, rounded up.
func (l *Losses) horizon(h int) int { return (h-1)/max(l.width, 1) + 1 }

// StandardError returns the standard error of the mean loss of forecasts h rows ahead, NaN for fewer than 8 losses.
//
// The variance of the mean uses Bartlett weights (Newey and West 1987) up to the lag max(h-1, 4 (N/100)^(2/9)):
// losses of h-step forecasts overlap by h-1 steps, and losses of real series also cluster. It is divided by the
// square of the factor of Harvey, Leybourne and Newbold.
func (l *Losses) StandardError(h int) float64 {
	var d []float64
	for _, v := range l.means {
		if vec.Finite(v) {
			d = append(d, v)
		}
	}
	horizon := l.horizon(h)
	if len(d) < 8 || len(d) <= horizon {
		return math.NaN()
	}
	return standardError(d, stat.Mean(d, nil), horizon)
}

// Compare is [Compare] of l with the losses of another model on the same rows, h rows ahead.
func (l *Losses) Compare(other *Losses, h int) (Comparison, error) {
	c, err := Compare(l.means, other.means, l.horizon(h))
	if l.width > 1 {
		c.N = min(l.known, other.known)
	}
	return c, err
}
