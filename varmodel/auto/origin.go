package auto

import "github.com/orffvar/forecaster/eval/snapshot"

// origin holds the forecasts that one anchor made at one origin, and what they were made from, until their
// target is observed.
type origin struct {
	all       []float64 // the slices below, one after the other, so that they are near each other
	phi       []float64 // features of the direct learner
	last      []float64 // last sample
	local     []float64 // local mean
	step, sd  []float64 // units of the targets: typical step, standard deviation from the local mean; 0 for a constant
	season    []float64 // season of the target
	mixed     []float64 // increment of the mixture before shrinkage
	trend     []float64 // increment of the trend
	shrunk    []float64 // forecasts of the mixture after shrinkage
	smooth    []float64 // forecasts by smoothing
	forecasts []float64 // anchorExperts x dim
	awake     bool      // the iterated mixture has a forecast
	calendar  calendarForecast
}

func newOrigin(g *directLearners, calendar bool) origin {
	d := g.dim
	var p origin
	rows := []*[]float64{&p.last, &p.local, &p.step, &p.sd, &p.season, &p.mixed, &p.trend, &p.shrunk, &p.smooth}
	p.all = make([]float64, g.Features()+(len(rows)+anchorExperts)*d)
	p.phi = p.all[:g.Features()]
	rest := p.all[len(p.phi):]
	for _, row := range rows {
		*row, rest = rest[:d], rest[d:]
	}
	p.forecasts = rest
	if calendar {
		p.calendar = newCalendarForecast(d)
	}
	return p
}

// State saves or restores the forecasts of the origin.
func (p *origin) State(c *snapshot.Codec) {
	c.Float64s(p.all)
	c.Bool(&p.awake)
	if p.calendar.last != nil {
		p.calendar.State(c)
	}
}
