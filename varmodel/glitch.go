package varmodel

import (
	"math"

	"github.com/orffvar/forecaster/internal/snapshot"
)

const (
	glitchFactor = 5000 // a step this many times the usual one is a glitch …
	glitchHold   = 2    // … unless it stays for longer than this many samples
	glitchAfter  = 50   // steps seen before anything is called a glitch
)

// glitch takes out values that are out of all proportion: a step of thousands
// of times the usual one is treated as missing, unless the values stay there.
// It is very tolerant, because real series jump by hundreds of usual steps.
type glitch struct {
	step, steps []float64 // mean size of the non-zero steps, and their number
	held        []int     // values taken out in a row
}

func newGlitch(dim int) *glitch {
	return &glitch{step: make([]float64, dim), steps: make([]float64, dim), held: make([]int, dim)}
}

// hold replaces the glitches of y by NaN. last is the sample before, seen says
// which of its coordinates exist.
func (g *glitch) hold(y, last []float64, seen []bool) {
	n := len(y)
	last, seen = last[:n], seen[:n]
	means, counts, held := g.step[:n], g.steps[:n], g.held[:n]
	for j, v := range y {
		if v != v || !seen[j] {
			continue
		}
		step, mean, count := math.Abs(v-last[j]), means[j], counts[j]
		if step > glitchFactor*mean && count > glitchAfter && held[j] < glitchHold {
			y[j] = math.NaN()
			held[j]++
			continue
		}
		held[j] = 0
		if step == 0 {
			continue
		}
		if limit := winsorLimit * mean; step > limit && count >= winsorAfter {
			step = limit
		}
		counts[j] = count + 1
		means[j] = mean + falling(count+1, scaleRate)*(step-mean)
	}
}

func (g *glitch) State(c *snapshot.Codec) {
	c.Section("glitch")
	c.Float64s(g.step)
	c.Float64s(g.steps)
	for j := range g.held {
		c.Index(&g.held[j], glitchHold+1)
	}
}
