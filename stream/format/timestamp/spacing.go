package timestamp

import "slices"

// MisreadOrder compares the spacing of the same dates read in two orders. It reports whether the times
// of the first leave holes of months where those of the other are evenly spaced.
func MisreadOrder(times, other []int64) bool {
	const regular, holes = .9, .5 // shares of the rows that an even series would have
	return filled(times) < holes && filled(other) >= regular
}

// filled returns the number of distinct times as a share of those that a series of their median
// spacing would have between the first and the last; 1 where they are too few to tell.
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
