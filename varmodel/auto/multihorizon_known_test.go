package auto

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// Between two anchors the forecasts follow the iterated path: they lie on the path if both anchors do, and on a straight
// line if the path is straight. The season is added at the end.
func TestForecastsBetweenAnchors(t *testing.T) {
	const H = 24
	s := newAuto(t, Config{Dim: 1, Horizon: H}).NewSeries().(*autoSeries)
	o := s.multihorizon
	curve := func(h int) float64 { return 100 + float64(h)*float64(h) }
	line := func(h int) float64 { return 7 + 10*float64(h) }
	for name, c := range map[string]struct {
		anchor func(h int) float64
		weight float64 // of the curve, which is the path of the lag regression
		want   func(h int) float64
	}{
		"without a path":       {line, 0, line},
		"on the path":          {curve, 1, curve},
		"a path that is apart": {func(h int) float64 { return curve(h) + line(h) }, 1, func(h int) float64 { return curve(h) + line(h) }},
		"half of a path":       {func(h int) float64 { return .5 * curve(h) }, 1, func(h int) float64 { return .5 * curve(h) }},
	} {
		for h := 1; h <= H; h++ {
			o.lags.path[h-1], o.iteratedPath[h-1], o.ahead[h-1] = curve(h), 0, math.Sin(float64(h))
		}
		for k, h := range o.direct.steps {
			o.atAnchors[k] = c.anchor(h)
			clear(o.pathWeights[paths*k:][:paths])
			o.pathWeights[paths*k+ownPath] = c.weight
		}
		dst := make([]float64, H)
		o.forecastTo(dst, []float64{c.anchor(1) + o.ahead[0]}, []float64{0})
		for h := 1; h <= H; h++ {
			if want := c.want(h) + o.ahead[h-1]; !(math.Abs(dst[h-1]-want) <= 1e-12*want) { // rounding
				t.Errorf("%s: %d steps ahead %v, want %v", name, h, dst[h-1], want)
			}
		}
	}
}

// Forecasts of h steps are scored as they were issued h samples before, not as the mixture
// would make them now.
func TestLongHorizonsAreScoredAsIssued(t *testing.T) {
	const d, H = 2, 12
	s := newAuto(t, Config{Dim: d, Horizon: H}).NewSeries().(*autoSeries)
	x := modeltest.RandomSeries(rand.New(rand.NewPCG(41, 42)), 300, d, 0)
	for _, y := range x[:299] {
		if err := s.Observe(y); err != nil {
			t.Fatal(err)
		}
	}
	o := s.multihorizon
	var want []float64
	for k := range o.anchors {
		a := &o.anchors[k]
		for j, v := range a.origin(o.made - a.horizon).mixed {
			want = append(want, v/a.mixture.unit(j))
		}
	}
	o.learn(s, &outcome{sample: x[299]})
	moved := false
	for k, a := range o.anchors {
		for j := range d {
			if got := a.mixture.out[j]; !(math.Abs(got-want[k*d+j]) <= 1e-12*math.Abs(want[k*d+j])) { // rounding of the units
				t.Errorf("horizon %d: scored was %v, issued %v", a.horizon, got, want[k*d+j])
			}
			moved = moved || want[k*d+j] != 0
		}
	}
	if !moved {
		t.Error("all forecasts were the last value")
	}
}
