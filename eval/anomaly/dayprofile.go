package anomaly

import (
	"math"

	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/internal/lanes"
)

const (
	dayBins = 48          // of a day
	dayLen  = 86400 * 1e9 // ns
	dayMost = 200         // samples that a bin is averaged over
	dayOdd  = 3           // a bin learns an excursion that comes on this number of days in a row
)

// dayProfile is the mean of each variable by time of day.
type dayProfile struct {
	bin    int64
	counts [dayBins]uint8 // samples, at most dayMost
	visits [dayBins]dayVisits

	// Rows of means, less the origins of the variables: 32 bits halve the state. Bins without samples,
	// most of them in a young series, share the first row.
	values []float32
	rows   [dayBins]uint8 // row of a bin
	dim    int
}

// dayVisits describes a bin. Bits 0 and 1 count the days with samples, at most 2. Bits 2 and 3 count the odd days in a
// row, at most dayOdd: on an odd day Level did not learn some sample of the bin. Bit 4 is set if the last day was odd.
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

// row returns the means of the variables at this time of day, less their origins.
func (p *dayProfile) row() []float32 { return p.rowOf(int(p.bin)) }

func (p *dayProfile) rowOf(bin int) []float32 {
	from := int(p.rows[bin]) * p.dim
	return p.values[from : from+p.dim]
}

// own gives a bin a row of its own, filled like a bin without samples.
func (p *dayProfile) own(bin int) {
	const more = 8 // rows that are added at a time
	n := len(p.values)
	if n == cap(p.values) {
		p.values = append(make([]float32, 0, n+more*p.dim), p.values...)
	}
	p.rows[bin] = uint8(n / p.dim)
	p.values = append(p.values, p.values[:p.dim]...)
}

// rowTo sets dst to row. It is known if another day had samples in this bin and in the next one.
func (p *dayProfile) rowTo(dst []float64) (known bool) {
	for j, v := range p.row() {
		dst[j] = float64(v)
	}
	return p.seen() && p.visits[(p.bin+1)%dayBins]&visitDays > 1
}

// repeats notes that the current sample is part of an excursion, and reports whether one has come on dayOdd days in a row
// at this time. The samples of the bin so far then have the weight of one.
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

// learn counts a sample whose variables are steps away from row.
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

// seen reports whether there were samples at this time of another day.
func (p *dayProfile) seen() bool { return p.visits[p.bin]&visitDays > 1 }

// shift adds d to the means of variable j.
func (p *dayProfile) shift(j int, d float64) {
	for ; j < len(p.values); j += p.dim {
		p.values[j] = moved(p.values[j], d)
	}
}

// moved returns x + d, limited to finite numbers.
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
