package auto

import (
	"math/rand/v2"
	"testing"
)

// After a step far beyond all earlier ones, nothing that was learnt applies: the forecast of
// h steps is the last value for h samples, when the first outcome after the step is known.
func TestLongHorizonsWaitForAnOutcomeAfterANovelty(t *testing.T) {
	const at, H = 250, 12
	m := newAuto(t, Config{Dim: 1, Horizon: H, Without: []Ingredient{Glitches}})
	f, dst := m.NewSeries(), make([]float64, H)
	rng := rand.New(rand.NewPCG(21, 22))
	var x, level float64
	moved := make([]bool, H+1) // a forecast of this horizon was another value before the novelty
	for i := range at + 4*H {
		x = .9*x + rng.NormFloat64()
		if i == at {
			level = 500
		}
		y := level + x
		if err := f.Observe([]float64{y}); err != nil {
			t.Fatal(err)
		}
		f.ForecastTo(dst)
		for _, h := range anchors(H) {
			switch {
			case i < at:
				moved[h] = moved[h] || dst[h-1] != y
			case i-at < noveltyWait*h && dst[h-1] != y:
				t.Errorf("%d samples after the novelty the forecast of %d steps is %v, the last value %v", i-at, h, dst[h-1], y)
			}
		}
	}
	for _, h := range anchors(H) {
		if !moved[h] {
			t.Errorf("the forecast of %d steps was always the last value", h)
		}
	}
}
