package stream

import (
	"slices"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// spacings is the number of differences that the spacing is the median of: few
// enough to follow a change of the rate soon.
const spacings = 31

// spacing is the running median of the differences between sample times.
type spacing struct {
	ring   [spacings]int64 // in order of arrival
	sorted [spacings]int64 // the same, ascending
	n, at  int             // number of them, and place of the next in ring
}

// add takes the next difference, in nanoseconds, into account.
func (s *spacing) add(d int64) {
	if s.n == spacings {
		i, _ := slices.BinarySearch(s.sorted[:], s.ring[s.at])
		copy(s.sorted[i:], s.sorted[i+1:])
		s.n--
	}
	i, _ := slices.BinarySearch(s.sorted[:s.n], d)
	copy(s.sorted[i+1:s.n+1], s.sorted[i:s.n])
	s.sorted[i] = d
	s.n++
	s.ring[s.at] = d
	s.at = (s.at + 1) % spacings
}

// median returns the lower median, or 0 before the first difference.
func (s *spacing) median() int64 {
	if s.n == 0 {
		return 0
	}
	return s.sorted[(s.n-1)/2]
}

func (s *spacing) state(c *snapshot.Codec) {
	c.Index(&s.n, spacings+1)
	c.Index(&s.at, spacings)
	for i := range s.n {
		c.Int64(&s.ring[i])
	}
	if c.Decoding() {
		s.sorted = s.ring
		slices.Sort(s.sorted[:s.n])
	}
}
