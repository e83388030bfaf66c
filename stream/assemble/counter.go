package assemble

import (
	"math"
	"time"
)

// counter is the last value of a column, in a closed row, that counts something since a time.
type counter struct {
	time  int64
	value float64 // NaN = none
}

// rate returns how much the counter has risen in a second, until the value v at time t that counts since a time,
// 1 = unknown. It is NaN when nobody knows: at the first value, and when the counter has begun again at an
// unknown time, as a smaller value shows.
func (k *counter) rate(v float64, t, since int64) float64 {
	before := *k
	k.time, k.value = t, v
	switch {
	case math.IsNaN(before.value) || t <= before.time:
		return math.NaN()
	case since > before.time && since < t: // it has begun again
		return v / time.Duration(t-since).Seconds()
	case v < before.value:
		return math.NaN()
	}
	return (v - before.value) / time.Duration(t-before.time).Seconds()
}
