package lanes

import (
	"math"

	"github.com/orffvar/forecaster/internal/vec"
)

// Glitch finds values of n variables that are out of all proportion: a value is a
// glitch if its increment s from the sample before is larger than factor times the mean
// size m of the increments that are not zero, unless the values stay there. With t
// counting these,
//
//	glitch:    |s_t| > factor m_{t-1}, t > after, and fewer than hold glitches just before
//	otherwise: m_t = m_{t-1} + a_t (min(|s_t|, winsor m_{t-1}) - m_{t-1})
//
// The minimum applies once t > settled.
type Glitch struct {
	Mean, Count []float64 // m and t
	Held        []float64 // glitches in a row

	all    []float64
	n      int
	limits [8]float64
}

// Indices of Glitch.limits.
const (
	gliOne = iota
	gliFactor
	gliAfter
	gliHold
	gliSettled
	gliWinsor
	gliRate
	gliNaN
)

const glitchRows = 3

// NewGlitch returns the statistics of no increments; rate is that of a_t.
func NewGlitch(n int, factor, after, hold, settled, winsor, rate float64) *Glitch {
	all, row := statistics(glitchRows, n)
	return &Glitch{
		Mean: row(0), Count: row(1), Held: row(2), all: all, n: n,
		limits: [...]float64{1, factor, after, hold, settled, winsor, rate, math.NaN()},
	}
}

// HoldTo copies the sample x with NaN in place of its glitches, and learns the increments
// of the others. last is the sample before, NaN where there is none. dst needs the
// capacity that Rows gives.
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
		g.Mean[j] += float64(Weight(g.Count[j], p[gliRate]) * (size - mean))
	}
}
