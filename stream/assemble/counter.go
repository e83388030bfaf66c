package assemble

import (
	"math"
	"slices"
	"time"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// counter is the last value of a counter in a closed row.
type counter struct {
	time   int64
	value  float64 // NaN = none
	resets int64
}

// rate returns the increase of the counter per second, from its last value to the value v at time t. since is the
// start of the counter, 1 = unknown.
//
//	rate = (v - last) / (t - last time), after a reset at a known time v / (t - since).
//
// It is NaN at the first value, and after a reset at an unknown time, which a smaller value reveals.
func (k *counter) rate(v float64, t, since int64) float64 {
	before := *k
	k.time, k.value = t, v
	switch {
	case math.IsNaN(before.value) || t <= before.time:
		return math.NaN()
	case since > before.time && since < t: // a reset at a known time
		k.resets++
		return v / time.Duration(t-since).Seconds()
	case v < before.value:
		k.resets++
		return math.NaN()
	}
	return (v - before.value) / time.Duration(t-before.time).Seconds()
}

// startUnknown is the start time of a counter whose record gives none.
const startUnknown = 1

// state transfers k.
func (k *counter) state(c *snapshot.Codec) {
	c.Int64(&k.time)
	c.Float64(&k.value)
	c.Int64(&k.resets)
}

// counts reports whether the grid may have counters.
func (a *Assembler) counts() bool { return a.c.Assembly.Rates || len(a.c.Rates) > 0 }

// newCounts returns the counters of a new series, nil with an Assembly.
func (a *Assembler) newCounts() []counter {
	if a.c.Assembly != nil {
		return nil // the grid has the counters
	}
	return slices.Repeat([]counter{{value: math.NaN()}}, len(a.c.Rates))
}

// toRates replaces the counters in a.y, the sample of s at time t, by rates.
func (a *Assembler) toRates(s *admitted, t int64) {
	for k, name := range a.c.Rates {
		if j, ok := s.vars.index[name]; ok && !math.IsNaN(a.y[j]) {
			a.y[j] = s.counts[k].rate(a.y[j], t, startUnknown)
		}
	}
}

// Resets returns the number of counter resets.
func (a *Assembler) Resets() (n int64) {
	for _, s := range a.series {
		for _, k := range s.counts {
			n += k.resets
		}
	}
	for _, g := range a.grids {
		for _, k := range g.counts {
			n += k.resets
		}
	}
	return n
}
