package lanes

import "math"

// Steps are the typical steps of n variables from one sample to the next: the root of
// the mean square of those that are not zero. The vectors have vec.Stride(n) elements, of
// which the first n count.
type Steps struct {
	Target          []float64 // the last step in units of those before it, limited; NaN if none, or if nothing has moved yet
	Count, Square   []float64 // steps that were not zero, and their mean square
	Unit, Inverse   []float64 // root of Square, or 1 while there is none, and its inverse
	Largest, Recent []float64 // largest step but for the last; the last

	all    []float64
	n      int
	limits [5]float64
}

// The limits of Steps.
const (
	stepOne     = iota
	stepAfter   // steps before one is limited …
	stepWinsor  // … to so many units
	stepWinsor2 // its square
	stepRate    // least weight of a step in the mean
)

const stepsRows = 7

// NewSteps returns what is known before the first step. After so many steps one counts
// for at most winsor units, and has at least the weight rate in the mean.
func NewSteps(n int, after, winsor, rate float64) *Steps {
	all, row := statistics(stepsRows, n)
	s := &Steps{
		Target: row(0), Count: row(1), Square: row(2), Unit: row(3), Inverse: row(4), Largest: row(5), Recent: row(6),
		all: all, n: n, limits: [...]float64{1, after, winsor, winsor * winsor, rate},
	}
	s.Derive()
	return s
}

// Add takes the step from the sample last to the sample x; where either is NaN there
// is none.
func (s *Steps) Add(x, last []float64) {
	if len(x) != s.n || len(last) != s.n {
		panic("lanes: Steps.Add: lengths differ")
	}
	steps(s, x, last)
}

// Derive sets what follows from Square.
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
		if s.Count[j]+size > 0 {
			s.Target[j] = Clip(step*s.Inverse[j], winsor)
		}
		if s.Recent[j] > s.Largest[j] {
			s.Largest[j] = s.Recent[j]
		}
		s.Recent[j] = size
		if size == 0 {
			continue
		}
		s.Count[j]++
		square, mean := size*size, s.Square[j]
		if limit := winsor2 * mean; square > limit && s.Count[j] > after {
			square = limit
		}
		s.Square[j] += float64((square - mean) * Falling(s.Count[j], rate))
		s.derive(j)
	}
}
