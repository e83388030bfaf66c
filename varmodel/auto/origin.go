package auto

import "github.com/orffvar/forecaster/eval/snapshot"

// origin holds the forecasts of one anchor at one origin, and their inputs, until their target is observed. Slices have
// length dim unless noted.
type origin struct {
	all       []float64 // memory of the slices below, contiguous for the cache
	phi       []float64 // features of the direct learner, Features()
	last      []float64 // last sample
	local     []float64 // local mean
	step, sd  []float64 // typical step, standard deviation around the local mean: units of the targets
	season    []float64 // season at the target
	mixed     []float64 // increment of the mixture before shrinkage
	trend     []float64 // increment of the trend
	shrunk    []float64 // forecast of the mixture after shrinkage
	smooth    []float64 // forecast by smoothing
	forecasts []float64 // anchorExperts x dim: forecasts of the experts
	awake     bool      // true: the iterated mixture has a forecast
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
