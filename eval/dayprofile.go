package eval

import (
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
	counts [dayBins]float64 // samples
	visits [dayBins]int64   // days
	values []float64        // dayBins x dim
}

// enter sets the time of the next sample.
func (p *dayProfile) enter(time int64) {
	bin := time % int64(dayLen) / (int64(dayLen) / dayBins)
	if bin < 0 {
		bin += dayBins
	}
	if bin != p.bin || p.counts[bin] == 0 {
		p.visits[bin]++
	}
	p.bin = bin
}

// at returns the mean of variable j at this time of day.
func (p *dayProfile) at(j int) *float64 { return &p.values[int(p.bin)*(len(p.values)/dayBins)+j] }

// value returns the mean of variable j at this time of day. It is known from the second
// day on.
func (p *dayProfile) value(j int) (mean float64, known bool) {
	return *p.at(j), p.visits[p.bin] > 1 && p.visits[(p.bin+1)%dayBins] > 1
}

// learn takes the value of variable j.
func (p *dayProfile) learn(j int, value float64) {
	mean := p.at(j)
	*mean += lanes.Weight(p.counts[p.bin]+1, 1./dayMost) * (value - *mean)
}

// count ends a sample.
func (p *dayProfile) count() { p.counts[p.bin]++ }

// shift adds d to the means of variable j.
func (p *dayProfile) shift(j int, d float64) {
	for dim := len(p.values) / dayBins; j < len(p.values); j += dim {
		p.values[j] += d
	}
}

func (p *dayProfile) state(c *snapshot.Codec) {
	c.Int64(&p.bin)
	c.Float64s(p.counts[:])
	for i := range p.visits {
		c.Int64(&p.visits[i])
	}
	c.Float64s(p.values)
	if p.bin < 0 || p.bin >= dayBins {
		c.Fail("time of day %d outside [0, %d)", p.bin, dayBins)
		p.bin = 0
	}
}
