package varmodel

import "testing"

// What a season said is 1, and what happened 2 and 0 in turns: with n terms, of weight .97 one
// after the other, the share is the slope b less 1 + 2/n standard errors. The first terms have
// none; by hand, without forgetting, after four terms b = 1, the squares of the rests make
// 4/(4 3) = 1/3, and 1 - 1.5 sqrt(1/3) = .134.
func TestShareOfASeasonNeedsTerms(t *testing.T) {
	s := slope{every: 1, memory: .97, least: naturalTerms}
	for i, want := range []float64{0, 0, 0.1829908211450073, 0.07847515439078678, 0.4755774897271724, 0.34886142201719306, 0.5844545973293547, 0.47214908418997104} {
		s.add(1, float64(2-2*(i%2)), false)
		near(t, "the share", s.value, want, 1e-14)
	}
	// What always happens as it was said has a share of 1 from the second term on.
	s = slope{every: 1, memory: .97, least: naturalTerms}
	s.add(1, 1, false)
	s.add(1, 1, false)
	near(t, "the share", s.value, 1, 1e-15)
}
