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
	for j, v := range y {
		if math.IsNaN(v) || !seen[j] {
			continue
		}
		step := math.Abs(v - last[j])
		if g.steps[j] > glitchAfter && step > glitchFactor*g.step[j] && g.held[j] < glitchHold {
			y[j] = math.NaN()
			g.held[j]++
			continue
		}
		g.held[j] = 0
		if step == 0 {
			continue
		}
		g.steps[j]++
		if g.steps[j] > winsorAfter {
			step = clip(step, winsorLimit*g.step[j])
		}
		g.step[j] += falling(g.steps[j], scaleRate) * (step - g.step[j])
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
