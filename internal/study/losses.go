package study

import (
	"math"

	"github.com/orffvar/forecaster/eval/scoring"
)

// mostLosses is the number of losses that are held; of more, neighbours are joined. An autocorrelation
// that the standard error allows for reaches over a few hundred rows then, or over a few of these means.
const mostLosses = 1 << 17

// Losses are the losses of a model on all rows, in their order, or means of neighbours, so that at
// most mostLosses are held. The standard error is then computed from means of batches.
type Losses struct {
	means []float64 // NaN = no target in it
	width int       // rows of each
	known int       // rows that have a loss

	sum  float64 // of the batch that is not complete
	n    int     // losses in it
	rows int     // rows of it
}

func (l *Losses) add(v float64) {
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

// horizon returns the horizon h of rows in batches.
func (l *Losses) horizon(h int) int { return (h-1)/max(l.width, 1) + 1 }

// standardError is the standard error of the mean loss at horizon h.
func (l *Losses) standardError(h int) float64 { return scoring.StandardError(l.means, l.horizon(h)) }

// compare compares the losses of another model on the same rows at horizon h.
func (l *Losses) compare(other *Losses, h int) (scoring.Comparison, error) {
	c, err := scoring.Compare(l.means, other.means, scoring.CompareOptions{Horizon: l.horizon(h)})
	if l.width > 1 {
		c.N = min(l.known, other.known)
	}
	return c, err
}
