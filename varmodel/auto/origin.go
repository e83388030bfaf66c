package auto

import "github.com/orffvar/forecaster/eval/snapshot"

// origin holds the forecasts made at one origin, and the features behind them, until their targets
// are observed.
type origin struct {
	phi       []float64   // features of the direct learners
	inputs    []float64   // features of the exogenous inputs, for each anchor
	last      []float64   // last sample
	local     []float64   // local mean
	step, sd  []float64   // units of the targets: typical step, standard deviation from the local mean; 0 for a constant
	forecasts [][]float64 // for each anchor, anchorExperts x dim
	seasons   []float64   // anchors x dim: season of the target
	mixed     []float64   // anchors x dim: increment of the mixture before shrinkage
	trends    []float64   // anchors x dim: increment of the trend
	moves     []float64   // anchors x dim: believed part of trends; forecasts start at last + moves
	shrunk    []float64   // anchors x dim: forecasts of the mixture after shrinkage
	smooth    []float64   // anchors x dim: forecasts by smoothing
	awake     []bool      // for each anchor: the iterated mixture has a forecast
	calendar  calendarForecast
}

func newOrigin(g *directLearners, calendar bool) origin {
	d, anchors := g.dim, len(g.steps)
	p := origin{
		phi:    make([]float64, g.Features()),
		inputs: make([]float64, 3*g.inputs*anchors),
		last:   make([]float64, d), local: make([]float64, d),
		step: make([]float64, d), sd: make([]float64, d),
		forecasts: make([][]float64, anchors),
		seasons:   make([]float64, anchors*d), mixed: make([]float64, anchors*d),
		trends: make([]float64, anchors*d), moves: make([]float64, anchors*d),
		shrunk: make([]float64, anchors*d), smooth: make([]float64, anchors*d),
		awake: make([]bool, anchors),
	}
	for k := range p.forecasts {
		p.forecasts[k] = make([]float64, anchorExperts*d)
	}
	if calendar {
		p.calendar = newCalendarForecast(anchors, d)
	}
	return p
}

// State saves or restores the forecasts of the origin.
func (p *origin) State(c *snapshot.Codec) {
	for _, v := range [][]float64{p.phi, p.inputs, p.last, p.local, p.step, p.sd, p.seasons, p.mixed, p.trends, p.moves, p.shrunk, p.smooth} {
		c.Float64s(v)
	}
	for _, v := range p.forecasts {
		c.Float64s(v)
	}
	for k := range p.awake {
		c.Bool(&p.awake[k])
	}
	if p.calendar.last != nil {
		p.calendar.State(c)
	}
}
