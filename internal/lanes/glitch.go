package lanes

import (
	"math"

	"github.com/orffvar/forecaster/internal/vec"
)

// Glitch takes out values that are out of all proportion: a step of so many times the
// usual size that it is treated as missing, unless the values stay there. The vectors
// have vec.Stride(n) elements, of which the first n count.
type Glitch struct {
	Mean, Count []float64 // mean size of the steps that were not zero, and their number
	Held        []float64 // values taken out in a row

	all    []float64
	n      int
	limits [8]float64
}

// The limits of Glitch.
const (
	gliOne     = iota
	gliFactor  // usual sizes that make a glitch,
	gliAfter   // after so many steps
	gliHold    // values taken out in a row
	gliSettled // steps before one is limited …
	gliWinsor  // … to so many usual sizes
	gliRate    // least weight of a step in the mean
	gliNaN
)

const glitchRows = 3

// NewGlitch returns what is known before the first step. A step of more than factor
// times the usual size, which more than after steps tell, is a glitch, at most hold
// of them in a row. After settled steps one counts for at most winsor times the usual
// size, and has at least the weight rate in the mean.
func NewGlitch(n int, factor, after, hold, settled, winsor, rate float64) *Glitch {
	all, row := statistics(glitchRows, n)
	return &Glitch{
		Mean: row(0), Count: row(1), Held: row(2), all: all, n: n,
		limits: [...]float64{1, factor, after, hold, settled, winsor, rate, math.NaN()},
	}
}

// HoldTo copies the sample x, with NaN for its glitches. last is the sample before, NaN
// where there is none. All have one length; dst needs room behind it: see Rows.
func (g *Glitch) HoldTo(dst, x, last []float64) {
	if len(dst) != g.n || len(x) != g.n || len(last) != g.n {
		panic("lanes: Glitch.HoldTo: lengths differ")
	}
	glitch(g, dst[:vec.Stride(g.n)], x, last)
}

func glitchPortable(g *Glitch, dst, x, last []float64) {
	p := &g.limits
	for j, from := range last {
		dst[j] = x[j]
		size, mean := math.Abs(x[j]-from), g.Mean[j]
		switch {
		case size != size:
			continue
		case size > p[gliFactor]*mean && g.Count[j] > p[gliAfter] && g.Held[j] < p[gliHold]:
			dst[j] = p[gliNaN]
			g.Held[j]++
			continue
		}
		g.Held[j] = 0
		if size == 0 {
			continue
		}
		g.Count[j]++
		if limit := p[gliWinsor] * mean; size > limit && g.Count[j] > p[gliSettled] {
			size = limit
		}
		g.Mean[j] += float64(Falling(g.Count[j], p[gliRate]) * (size - mean))
	}
}
