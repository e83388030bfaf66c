package interval

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// One coordinate, one step, two levels, and a sequence of hits and misses: after the n-th
// outcome that counts the logarithm of a level's own factor has moved by
// max(n^-.6/2, .01) (miss - (1 - level)), and that of the common one by
// max(n^-.6, .04) (miss - (1 - level)). The first error has no scale to be compared with and
// does not count. Each logarithm stays within 3 of its start.
func TestConformalFactorsOfHitsAndMisses(t *testing.T) {
	levels := []float64{.5, .9}
	s, err := NewIntervals(Config{Dim: 1, Horizon: 1, Levels: levels})
	if err != nil {
		t.Fatal(err)
	}
	// Values in no interval, between the two, and in both; y differs from the last value, or
	// it would be one that sticks.
	const outside, between, inside = 2, 1, 0
	kinds := []int{inside, outside, between, inside, inside, outside, inside, between, inside, inside}
	rng := rand.New(rand.NewPCG(1, 2))
	for len(kinds) < 1000 { // the nominal coverage, in an order that the state does not tell
		switch k := rng.IntN(20); {
		case k < 2:
			kinds = append(kinds, outside)
		case k < 10:
			kinds = append(kinds, between)
		default:
			kinds = append(kinds, inside)
		}
	}
	var own, common [2]float64
	forecast, sign := []float64{0}, 1.
	s.Issue(forecast)
	s.Observe([]float64{1})
	s.Issue(forecast)
	for i, kind := range kinds {
		narrow, wide := s.half[0], s.half[1]
		if !(narrow < wide) {
			t.Fatalf("outcome %d: half widths %v and %v", i, narrow, wide)
		}
		y := map[int]float64{outside: 1.5 * wide, between: (narrow + wide) / 2, inside: narrow * (.5 + .1*float64(i%3))}[kind]
		sign = -sign
		s.Observe([]float64{sign * y})
		s.Issue(forecast)
		n := float64(i + 1)
		for l, level := range levels {
			miss := 0.
			if kind == outside || kind == between && l == 0 {
				miss = 1
			}
			own[l] = min(max(own[l]+max(.5*math.Pow(n, -.6), .01)*(miss-(1-level)), -3), 3)
			common[l] = min(max(common[l]+max(math.Pow(n, -.6), .04)*(miss-(1-level)), -3), 3)
			gauss := math.Erfinv(level) * math.Sqrt(math.Pi)
			// Each step has some roundings of numbers up to 3.
			modeltest.Near(t, "log of the own factor", math.Log(s.own[l]), own[l], 1e-15*(10+n))
			modeltest.Near(t, "log of the common factor", math.Log(s.common[l]/gauss), common[l], 1e-15*(10+n))
		}
		if t.Failed() {
			t.Fatalf("after %d outcomes", i+1)
		}
	}
}

// An interval contains those of lower levels, whatever the factors have become.
func TestIntervalsAreNested(t *testing.T) {
	levels := []float64{.9, .5, .7}
	s, err := NewIntervals(Config{Dim: 2, Horizon: 3, Levels: levels})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(51, 52))
	half := make([]float64, 3*3*2)
	for range 100 {
		for i := range s.own {
			s.own[i] = math.Exp(rng.NormFloat64())
		}
		for i := range s.scale {
			s.scale[i] = 1
		}
		s.halfTo(half)
		for i := range 3 * 2 {
			if most, least, between := half[i], half[6+i], half[12+i]; !(least <= between && between <= most) {
				t.Fatalf("half widths %v, %v, %v at the levels .5, .7, .9", least, between, most)
			}
		}
	}
}

// A value that has not changed for ten memories of the mean error, 200 samples, begins with its first error again, which is
// the whole mean then.
func TestErrorsBeforeALongStandstillAreForgotten(t *testing.T) {
	s, err := NewIntervals(Config{Dim: 1, Horizon: 1, Levels: []float64{.9}})
	if err != nil {
		t.Fatal(err)
	}
	step := func(y, forecast float64) {
		s.Issue([]float64{forecast})
		s.Observe([]float64{y})
	}
	for i := range 100 {
		step(float64(i), float64(i)-.5)
	}
	for range 250 {
		step(99, 99)
	}
	step(7, 3)
	modeltest.Near(t, "the mean error", s.scale[0], 4, 0)
}
