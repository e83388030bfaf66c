package lanes

import "math"

// Steps has the typical steps of n variables: root mean squares of the nonzero increments s_t = x_t - x_{t-1}. With t
// the number of nonzero increments,
//
//	Square_t = Square_{t-1} + a_t (min(s_t^2, winsor^2 Square_{t-1}) - Square_{t-1})
//	Unit_t   = sqrt(Square_t)
//
// The minimum applies once t > after.
type Steps struct {
	Target        []float64 // clip(s_t/Unit_{t-1}, winsor); NaN for a missing increment, and up to the first nonzero one, before which there is no unit
	Count, Square []float64 // t and Square_t
	Unit, Inverse []float64 // Unit_t and 1/Unit_t; 1 and 1 while t = 0

	all    []float64
	n      int
	limits [stepLimits]float64
}

// NewSteps returns statistics without increments. rate is the rate of a_t.
func NewSteps(n int, after, winsor, rate float64) *Steps {
	s := &Steps{
		n: n, limits: [stepLimits]float64{
			stepOne: 1, stepAfter: after, stepWinsor: winsor, stepWinsor2: winsor * winsor, stepRate: rate,
		},
	}
	s.all = statistics(n, s.fields())
	s.Derive()
	return s
}

// Add learns the increment x - last.
func (s *Steps) Add(x, last []float64) {
	if len(x) != s.n || len(last) != s.n {
		panic("lanes: Steps.Add: lengths differ")
	}
	steps(s, x, last)
}

// Derive recomputes Unit and Inverse from Square.
func (s *Steps) Derive() {
	for j := range s.n {
		s.derive(j)
	}
}

func (s *Steps) derive(j int) {
	s.Unit[j], s.Inverse[j] = 1, 1
	if root := math.Sqrt(s.Square[j]); root != 0 {
		s.Unit[j], s.Inverse[j] = root, 1/root
	}
}

func stepsPortable(s *Steps, x, last []float64) {
	after, winsor, winsor2, rate := s.limits[stepAfter], s.limits[stepWinsor], s.limits[stepWinsor2], s.limits[stepRate]
	for j := range s.Target {
		s.Target[j] = math.NaN()
	}
	for j, v := range x {
		step := v - last[j]
		size := math.Abs(step)
		if size != size {
			continue
		}
		if s.Count[j] > 0 {
			s.Target[j] = Clip(step*s.Inverse[j], winsor)
		}
		if size == 0 {
			continue
		}
		s.Count[j]++
		square, mean := size*size, s.Square[j]
		if limit := winsor2 * mean; square > limit && s.Count[j] > after {
			square = limit
		}
		s.Square[j] += float64((square - mean) * Weight(s.Count[j], rate))
		s.derive(j)
	}
}
