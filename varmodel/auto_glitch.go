package varmodel

import (
	"github.com/orffvar/forecaster/internal/lanes"
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
	*lanes.Glitch
	dim int
}

func newGlitch(dim int) *glitch {
	return &glitch{lanes.NewGlitch(dim, glitchFactor, glitchAfter, glitchHold, winsorAfter, winsorLimit, scaleRate), dim}
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
