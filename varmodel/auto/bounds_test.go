package auto

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// Forecasts do not pass a bound once there is evidence of it: of a count that is often 0, a percentage that is often
// 100, and a line that ends at a value that it repeats.
func TestForecastsStopAtBounds(t *testing.T) {
	const H, n = 48, 600
	for name, c := range map[string]struct {
		value     func(r *rand.Rand) func(i int) float64
		low, high float64
		from      int
	}{
		"count by day": {func(r *rand.Rand) func(i int) float64 {
			return func(i int) float64 {
				if i%24 < 18 {
					return 0
				}
				return math.Floor(10 * r.Float64())
			}
		}, 0, math.Inf(1), 200},
		"percentage": {func(r *rand.Rand) func(i int) float64 {
			v := 80.
			return func(int) float64 {
				v += .05*(95-v) + 3*r.NormFloat64()
				return min(v, 100)
			}
		}, math.Inf(-1), 100, 200},
		// Repetitions count 2 log 2 each, so four make odds of 100.
		"disk that is full": {func(*rand.Rand) func(i int) float64 {
			return func(i int) float64 { return min(10+.3*float64(i), 100) }
		}, math.Inf(-1), 100, 304},
	} {
		r := rand.New(rand.NewPCG(5, 6))
		x := column(n, c.value(r))
		s := newAuto(t, Config{Dim: 1, Horizon: H}).NewSeries().(*autoSeries)
		dst, passed := make([]float64, H), 0
		for i, y := range x {
			if err := s.Observe(y); err != nil {
				t.Fatal(err)
			}
			if i < c.from {
				continue
			}
			s.ForecastTo(dst)
			for h, v := range dst {
				if v < c.low || v > c.high {
					t.Fatalf("%s, row %d: the forecast of %d steps is %v", name, i, h+1, v)
				}
			}
			with := s.gate.of[0].bounds
			s.gate.of[0].bounds = [2]bound{newBound(-1), newBound(1)}
			s.ForecastTo(dst)
			s.gate.of[0].bounds = with
			for _, v := range dst {
				if v < c.low || v > c.high {
					passed++
				}
			}
		}
		if passed == 0 {
			t.Errorf("%s: no forecast passes the bound without it: the test says nothing", name)
		}
	}
}

// A walk of whole numbers passes its extreme in one of two steps, so twelve turns in a row have the probability 2^-12
// at each of some thirty extremes per side; each turn counts for .4. A rising line has no bounds, nor does one of stairs, which repeat each value.
func TestNoBoundsWhereNoneAre(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	v := 0.
	for name, value := range map[string]func(i int) float64{
		"walk":   func(int) float64 { v += float64(2*r.IntN(2) - 1); return v },
		"line":   func(i int) float64 { return float64(i) },
		"stairs": func(i int) float64 { return float64(i / 10) },
	} {
		low, high := newBound(-1), newBound(1)
		before, believed := math.NaN(), 0
		for i := range 1000 {
			y := value(i)
			low.learn(y, before)
			high.learn(y, before)
			before = y
			if low.believed() && name == "walk" || high.believed() && i > 20 {
				believed++ // two stairs: the first one is all that is known
			}
		}
		if believed > 0 {
			t.Errorf("%s: %d rows with a bound", name, believed)
		}
	}
}

// An extreme that repeats is a bound with odds of 100. It is none where all values repeat. One that was passed makes the
// next need four times the evidence.
func TestEvidenceOfABound(t *testing.T) {
	b := newBound(1)
	learn := func(values ...float64) {
		before := math.NaN()
		for _, v := range values {
			b.learn(v, before)
			before = v
		}
	}
	learn(1, 2, 3, 4, 5, 5, 5, 5)
	modeltest.Near(t, "three repetitions", b.evidence, 3*boundHold, 1e-15)
	if b.believed() || b.clip(7) != 7 {
		t.Error("a bound after three repetitions")
	}
	learn(5, 5)
	if !b.believed() || b.clip(7) != 5 || b.clip(4) != 4 {
		t.Errorf("after four repetitions a forecast of 7 is %v", b.clip(7))
	}
	learn(6, 6, 6, 6, 6, 6, 6)
	if b.believed() || b.need != boundDoubt*boundProof {
		t.Errorf("a bound was passed: evidence %v of %v", b.evidence, b.need)
	}
	// Four of the eight steps before were repetitions: by Laplace's rule, (4+1)/(8+2) are.
	modeltest.Near(t, "repetitions among repetitions", b.evidence, 6*math.Ln2, 1e-15)
}
