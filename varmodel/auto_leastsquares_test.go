package varmodel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/internal/snapshot"
)

// twoKinds is a coordinate with little noise beside one with much.
func twoKinds(n int) [][]float64 {
	rng := rand.New(rand.NewPCG(3, 4))
	x := twoSines(.01)(rng, n)
	for i := range x {
		x[i] = append(x[i], rng.NormFloat64())
	}
	return x
}

// Two sines obey a linear recursion of order four, so little more than the noise remains: the
// error is that of the noise, and as much again for what the noise of the lags and the weights add.
// The autoregression of the mixture alone has four times the error of the noise.
func TestLeastSquaresOfLittleNoise(t *testing.T) {
	const n = 1500
	x := twoKinds(n)
	s := newAuto(t, AutoConfig{Dim: 2, Horizon: 1}).NewSeries().(*autoSeries)
	var ours, mixture float64
	for i, y := range x {
		if err := s.Observe(y); err != nil {
			t.Fatal(err)
		}
		if i >= n/2 && i+1 < n {
			e := s.next[0] - x[i+1][0]
			ours += e * e / (n / 2)
			e = y[0] + s.mixture.unit(0)*s.mixture.out[0] - x[i+1][0]
			mixture += e * e / (n / 2)
		}
	}
	if !(ours <= 2*1e-4) || !(mixture >= 3e-4) {
		t.Errorf("error %.3g, of the mixture %.3g, of the noise 1e-4", ours, mixture)
	}
	if s.exact.own[0] == nil || s.exact.own[1] != nil {
		t.Errorf("least squares %v", s.exact.own)
	}
}

// A coordinate whose noise becomes large loses its least squares.
func TestLeastSquaresEnd(t *testing.T) {
	x := twoKinds(900)
	rng := rand.New(rand.NewPCG(5, 6))
	s := newAuto(t, AutoConfig{Dim: 2, Horizon: 1}).NewSeries().(*autoSeries)
	for i, y := range x {
		if i == 500 && s.exact.own[0] == nil {
			t.Error("no least squares")
		}
		if i >= 500 {
			y[0] += 3 * rng.NormFloat64()
		}
		if err := s.Observe(y); err != nil {
			t.Fatal(err)
		}
	}
	if s.exact.own[0] != nil {
		t.Error("the least squares go on")
	}
}

// A series that is saved before the least squares begin, in their trial, and while they are
// in use goes on with the same forecasts.
func TestLeastSquaresState(t *testing.T) {
	x := twoKinds(900)
	x[650][0], x[700][1] = math.NaN(), math.NaN()
	for _, at := range []int{90, 180, 600} {
		m := newAuto(t, AutoConfig{Dim: 2, Horizon: 1})
		f := m.NewSeries()
		runClocked(t, f, x[:at], 0, 1)
		c := snapshot.NewEncoder(nil)
		m.State(c)
		f.State(c)
		m2 := newAuto(t, AutoConfig{Dim: 2, Horizon: 1})
		g := m2.NewSeries()
		d := snapshot.NewDecoder(c.Bytes())
		m2.State(d)
		g.State(d)
		if err := d.Finish(); err != nil {
			t.Fatalf("row %d: %v", at, err)
		}
		want, got := runClocked(t, f, x[at:], 0, 1), runClocked(t, g, x[at:], 0, 1)
		for i := range want {
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("restored at %d: row %d differs", at, at+i)
			}
		}
	}
}
