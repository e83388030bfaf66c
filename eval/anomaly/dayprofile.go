package anomaly

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
)

const (
	dayBins = 48          // bins per day
	dayLen  = 86400 * 1e9 // ns
	dayMost = 200         // largest number of samples in the mean of a bin
	dayOdd  = 3           // consecutive days with an excursion after which a bin learns it
)

// dayProfile holds the mean of each variable by time of day.
type dayProfile struct {
	bin    int64
	counts [dayBins]uint8 // number of samples per bin, at most dayMost
	visits [dayBins]dayVisits

	// Rows of means, relative to the origins of the variables. 32 bits halve the state. Bins without samples, which
	// are most bins of a young series, share the first row.
	values []float32
	rows   [dayBins]uint8 // row of each bin
	dim    int
}

// dayVisits holds the history of a bin. Bits 0 and 1: number of days with samples, at most 2. Bits 2 and 3: number
// of consecutive odd days, at most dayOdd; on an odd day Level did not learn some sample of the bin. Bit 4: the
// last day was odd.
type dayVisits = uint8

const (
	visitDays  dayVisits = 1<<2 - 1
	visitOdd   dayVisits = 1 << 2
	visitOdds  dayVisits = dayOdd * visitOdd
	visitIsOdd dayVisits = 1 << 4
)

func newDayProfile(dim int) dayProfile {
	return dayProfile{values: make([]float32, dim), dim: dim}
}

// enter sets the time of the next sample.
func (p *dayProfile) enter(time int64) {
	bin := time % int64(dayLen) / (int64(dayLen) / dayBins)
	if bin < 0 {
		bin += dayBins
	}
	if v := p.visits[bin]; bin != p.bin || v == 0 {
		if v&visitIsOdd == 0 {
			v &= visitDays
		}
		p.visits[bin] = v&^(visitIsOdd|visitDays) | min(v&visitDays+1, 2)
	}
	p.bin = bin
}

// row returns the means of the variables at this time of day, relative to their origins.
func (p *dayProfile) row() []float32 { return p.rowOf(int(p.bin)) }

func (p *dayProfile) rowOf(bin int) []float32 {
	from := int(p.rows[bin]) * p.dim
	return p.values[from : from+p.dim]
}

// own gives a bin its own row, with the values of the shared row.
func (p *dayProfile) own(bin int) {
	const more = 8 // number of rows added at a time
	n := len(p.values)
	if n == cap(p.values) {
		p.values = append(make([]float32, 0, n+more*p.dim), p.values...)
	}
	p.rows[bin] = uint8(n / p.dim)
	p.values = append(p.values, p.values[:p.dim]...)
}

// rowTo copies row into dst. known reports whether another day had samples in this bin and in the next one.
func (p *dayProfile) rowTo(dst []float64) (known bool) {
	for j, v := range p.row() {
		dst[j] = float64(v)
	}
	return p.seen() && p.visits[(p.bin+1)%dayBins]&visitDays > 1
}

// repeats records that the current sample is part of an excursion. It reports whether there was an excursion at
// this time on dayOdd consecutive days. If so, the samples of the bin so far get the weight of one.
func (p *dayProfile) repeats() bool {
	v := &p.visits[p.bin]
	if *v&visitIsOdd == 0 {
		*v |= visitIsOdd
		*v = *v&^visitOdds | min(*v&visitOdds+visitOdd, visitOdds)
		if *v&visitOdds == visitOdds {
			p.counts[p.bin] = min(p.counts[p.bin], 1)
		}
	}
	return *v&visitOdds == visitOdds
}

// learn learns a sample at the distance steps from row.
func (p *dayProfile) learn(steps []float64) {
	if p.rows[p.bin] == 0 {
		p.own(int(p.bin))
	}
	p.counts[p.bin] = min(p.counts[p.bin]+1, dayMost)
	means, rate := p.row(), lanes.Weight(float64(p.counts[p.bin]), 1./dayMost)
	for j, step := range steps {
		means[j] = moved(means[j], rate*step)
	}
}

// seen reports whether another day had samples at this time.
func (p *dayProfile) seen() bool { return p.visits[p.bin]&visitDays > 1 }

// shift adds d to the means of variable j.
func (p *dayProfile) shift(j int, d float64) {
	for ; j < len(p.values); j += p.dim {
		p.values[j] = moved(p.values[j], d)
	}
}

// moved returns x + d, clipped to finite numbers.
func moved(x float32, d float64) float32 {
	return float32(lanes.Clip(float64(x)+d, math.MaxFloat32))
}

func (p *dayProfile) state(c *snapshot.Codec) {
	c.Int64(&p.bin)
	c.Uint8s(p.counts[:])
	c.Uint8s(p.visits[:])
	all := make([]float32, 0, dayBins*p.dim)
	for bin := range p.rows {
		all = append(all, p.rowOf(bin)...)
	}
	if c.Float32s(all); c.Decoding() {
		*p = dayProfile{bin: p.bin, counts: p.counts, visits: p.visits, values: p.values[:p.dim], dim: p.dim}
		for bin, n := range p.counts {
			if n > 0 {
				p.own(bin)
			}
			copy(p.rowOf(bin), all[bin*p.dim:])
		}
	}
	if p.bin < 0 || p.bin >= dayBins {
		c.Fail("time of day %d outside [0, %d)", p.bin, dayBins)
		p.bin = 0
	}
}
