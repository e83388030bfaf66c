package timestamp

import "slices"

// MisreadOrder compares the same dates in two orders. It reports whether times has gaps of months while other is
// evenly spaced.
func MisreadOrder(times, other []int64) bool {
	const regular, holes = .9, .5 // limits of filled: at least regular without gaps, at most holes with gaps
	return filled(times) < holes && filled(other) >= regular
}

// filled returns the number of distinct times divided by the number of times that an even series with their median
// spacing has between the first and the last; 1 with too few times.
func filled(times []int64) float64 {
	const fewest = 10
	times = slices.Compact(slices.Sorted(slices.Values(times)))
	n := len(times) - 1
	if n+1 < fewest {
		return 1
	}
	steps := make([]int64, n)
	for i := range steps {
		steps[i] = times[i+1] - times[i]
	}
	slices.Sort(steps)
	return float64(steps[n/2]) * float64(n) / float64(times[n]-times[0])
}
