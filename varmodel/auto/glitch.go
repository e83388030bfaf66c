package auto

import (
	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/varmodel/series"
)

const (
	glitchFactor = 5000 // a step this many times the mean absolute step is a glitch …
	glitchHold   = 2    // … unless the values stay there for more samples than this
	glitchAfter  = 50   // steps before the first glitch
)

// glitch replaces values out of all proportion by missing ones: steps of thousands of
// times the mean absolute step, unless the values stay there. The threshold is high
// because real series jump by hundreds of usual steps.
type glitch struct {
	*lanes.Glitch
	dim int
}

func newGlitch(dim int) *glitch {
	return &glitch{lanes.NewGlitch(dim, glitchFactor, glitchAfter, glitchHold, series.WinsorAfter, series.WinsorLimit, scaleRate), dim}
}

func (g *glitch) State(c *snapshot.Codec) {
	c.Section("glitch")
	c.Float64s(g.Mean[:g.dim])
	c.Float64s(g.Count[:g.dim])
	for j, v := range g.Held[:g.dim] {
		held := int(v)
		c.Index(&held, glitchHold+1)
		g.Held[j] = float64(held)
	}
}
