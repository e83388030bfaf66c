package auto

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/varmodel/series"
)

// A review finds glitches, at both ends too, and in runs. It leaves levels, schedules, and what may begin a schedule.
func TestReview(t *testing.T) {
	const rows = 50
	nan := math.NaN()
	level := func(from, to int) map[int]float64 {
		x := make(map[int]float64)
		for i := from; i < to; i++ {
			x[i] = 60
		}
		return x
	}
	for _, c := range []struct {
		name string
		at   map[int]float64 // added to noise of 1; NaN: missing
		odd  []int
	}{
		{"nothing", nil, nil},
		{"one", map[int]float64{20: 60}, []int{20}},
		{"at the ends", map[int]float64{1: -60, 30: 60, 48: 100}, []int{1, 30, 48}},
		{"runs", map[int]float64{10: 60, 11: 90, 30: -80, 31: 60, 32: 70}, []int{10, 11, 30, 31, 32}},
		{"level of five rows", level(20, 25), nil},
		{"level that begins", level(48, 50), nil},
		{"schedule", map[int]float64{9: 60, 21: 90, 33: 60, 45: 90}, nil},
		{"schedule with a gap", map[int]float64{9: 60, 21: 90, 45: 90}, []int{9, 21, 45}},
		{"two of one size", map[int]float64{9: 60, 33: 65}, nil},
		{"two sizes", map[int]float64{9: 60, 33: 90}, []int{9, 33}},
		{"behind missing rows", map[int]float64{0: nan, 1: nan, 2: nan, 3: nan, 20: 60, 30: 65}, []int{20, 30}},
	} {
		rng := rand.New(rand.NewPCG(79, 80))
		past, g := series.NewHistory(1, rows), newGate(1)
		for i := range rows {
			past.Push([]float64{rng.NormFloat64() + c.at[i]}, []float64{0})
		}
		var odd []int
		for _, r := range g.of[0].review(0, past) {
			odd = append(odd, rows-1-r.lag)
			if math.Abs(r.v) > 4 {
				t.Errorf("%s: %v replaces row %d", c.name, r.v, rows-1-r.lag)
			}
		}
		if !slices.Equal(odd, c.odd) {
			t.Errorf("%s: rows %v are odd, want %v", c.name, odd, c.odd)
		}
	}
}
