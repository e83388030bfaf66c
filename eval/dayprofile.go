package eval

import (
	"math"

	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/internal/snapshot"
)

const (
	dayBins = 48          // of a day
	dayLen  = 86400 * 1e9 // ns
	dayMost = 200         // samples that a bin is averaged over
)

// dayProfile is the mean of each variable by time of day.
type dayProfile struct {
	bin    int64
	counts [dayBins]uint8 // samples, at most dayMost
	visits [dayBins]uint8 // days, at most 2
	values []float32      // dayBins x dim, less the origin of each variable: half the state
}

// enter sets the time of the next sample.
func (p *dayProfile) enter(time int64) {
	bin := time % int64(dayLen) / (int64(dayLen) / dayBins)
	if bin < 0 {
		bin += dayBins
	}
	if bin != p.bin || p.counts[bin] == 0 {
		p.visits[bin] = min(p.visits[bin]+1, 2)
	}
	p.bin = bin
}

// row returns the means of the variables at this time of day, less their origins.
func (p *dayProfile) row() []float32 {
	dim := len(p.values) / dayBins
	from := int(p.bin) * dim
	return p.values[from : from+dim]
}

// rowTo sets dst to row. It is known from the second day on.
func (p *dayProfile) rowTo(dst []float64) (known bool) {
	for j, v := range p.row() {
		dst[j] = float64(v)
	}
	return p.visits[p.bin] > 1 && p.visits[(p.bin+1)%dayBins] > 1
}

// learn counts a sample whose variables are steps away from row.
func (p *dayProfile) learn(steps []float64) {
	p.counts[p.bin] = min(p.counts[p.bin]+1, dayMost)
	means, rate := p.row(), lanes.Weight(float64(p.counts[p.bin]), 1./dayMost)
	for j, step := range steps {
		means[j] = moved(means[j], rate*step)
	}
}

// seen reports whether there were samples at this time of another day.
func (p *dayProfile) seen() bool { return p.visits[p.bin] > 1 }

// shift adds d to the means of variable j.
func (p *dayProfile) shift(j int, d float64) {
	for dim := len(p.values) / dayBins; j < len(p.values); j += dim {
		p.values[j] = moved(p.values[j], d)
	}
}

// moved returns x + d, which is finite.
func moved(x float32, d float64) float32 {
	return float32(lanes.Clip(float64(x)+d, math.MaxFloat32))
}

func (p *dayProfile) state(c *snapshot.Codec) {
	c.Int64(&p.bin)
	c.Uint8s(p.counts[:])
	c.Uint8s(p.visits[:])
	c.Float32s(p.values)
	if p.bin < 0 || p.bin >= dayBins {
		c.Fail("time of day %d outside [0, %d)", p.bin, dayBins)
		p.bin = 0
	}
}
