package auto

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Three samples in a row that are half the width of the range away from it are a level shift; the
// first sample back in the range ends it. Two are a spike, samples nearer widen the range, and the
// first samples of a series make it.
func TestShifts(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []float64 // after a range of 0 to 10
		want   []shiftNews
	}{
		{"shift and return", []float64{16, -6, 30, 40, 11, 10, 5}, []shiftNews{0, 0, levelShifts, 0, 0, levelReturns, 0}},
		{"spike of two samples", []float64{16, 16, 5, 16, 16}, make([]shiftNews, 5)},
		{"ramp", []float64{14, 20, 29, 43}, make([]shiftNews, 4)},
		{"second shift", []float64{16, 16, 16, 25, 25, 25}, []shiftNews{0, 0, levelShifts, 0, 0, levelShifts}},
	} {
		s := newShifts(2)
		for _, v := range []float64{5, 0, 10} {
			if s.Observe(1, v, true) != levelStays {
				t.Errorf("%s: news of the first samples", c.name)
			}
		}
		var got []shiftNews
		for _, v := range c.values {
			got = append(got, s.Observe(1, v, false))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// An AR(.8) moves to another level in three steps, none of which is a novelty: they are below five times the
// largest step before. From the third sample on, forecasts of h steps are the last value for 2h
// samples; when the series returns they are so no longer.
func TestLongHorizonsWaitAfterALevelShift(t *testing.T) {
	const at, back, H = 500, 508, 12
	for _, without := range [][]Ingredient{nil, {Shifts}} {
		m := newAuto(t, Config{Dim: 1, Horizon: H, Without: without})
		f, dst := m.NewSeries(), make([]float64, H)
		rng := rand.New(rand.NewPCG(57, 58))
		var x, last, largest float64
		same, other, moved := 0, 0, 0 // forecasts that are the last value after the shift or not, and the longest that are not after the return
		for i := range back + 2 {
			x = .8*x + rng.NormFloat64()
			level := 0.
			if i >= at && i < back {
				level = 12 * float64(min(i-at+1, 3))
			}
			if i < at {
				largest = max(largest, math.Abs(x-last))
			}
			if step := math.Abs(level + x - last); i >= at && i < back && step > 4*largest {
				t.Fatalf("a step of %.1f, the largest before is %.1f", step, largest)
			}
			last = level + x
			if err := f.Observe([]float64{last}); err != nil {
				t.Fatal(err)
			}
			f.ForecastTo(dst)
			for _, h := range anchors(H) {
				switch waits := i >= at+2 && i < back && i-at-2 < noveltyWait*h; {
				case waits && dst[h-1] == last:
					same++
				case waits:
					other++
				case i >= back && h == H && dst[h-1] != last:
					moved++
				}
			}
		}
		if (other == 0) != (without == nil) || same == 0 && without == nil || moved == 0 {
			t.Errorf("without %q: after the shift %d forecasts are the last value and %d are not, %d of the longest are not after the return", without, same, other, moved)
		}
	}
}
