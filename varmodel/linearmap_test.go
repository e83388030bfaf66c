package varmodel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/snapshot"
)

// autoregression simulates two variables of different units that follow the same
// x_t = .6 x_{t-1} + .3 x_{t-7} + noise.
func autoregression(n int) [][]float64 {
	r := rand.New(rand.NewPCG(1, 2))
	x := make([][]float64, n)
	for t := range x {
		x[t] = make([]float64, 2)
		for j, unit := range []float64{1, 1000} {
			v := unit * r.NormFloat64()
			if t >= 7 {
				v += .6*x[t-1][j] + .3*x[t-7][j]
			}
			x[t][j] = v
		}
	}
	return x
}

func forecastsOf(t *testing.T, m eval.Model, x [][]float64, horizon int) (out [][]float64) {
	t.Helper()
	f := m.NewSeries()
	for _, y := range x {
		if err := f.Observe(y); err != nil {
			t.Fatal(err)
		}
		dst := make([]float64, horizon*len(y))
		if !f.ForecastTo(dst) {
			t.Fatal("no forecast")
		}
		out = append(out, dst)
	}
	return out
}

// The map learns an autoregression of both variables in spite of their units: 97 weights
// from 2 x 3500 samples of half their weight cost 97/(2 x 3500) of the noise, 2 % with
// forgetting, and the mean of 2 x 500 squares is known to 4.5 %.
func TestLinearMap(t *testing.T) {
	x := autoregression(4000)
	x[50][0], x[3000][1] = math.NaN(), math.NaN()
	const H = 3
	got := forecastsOf(t, newLinearMap(t, H), x, H)
	var sum float64
	for i := 3500; i+1 < len(x); i++ {
		for j, unit := range []float64{1, 1000} {
			e := (got[i][j] - x[i+1][j]) / unit
			sum += e * e / 2 / 499
		}
	}
	if !(math.Abs(sum-1) <= .15) {
		t.Errorf("mean squared error %.3f, noise 1", sum)
	}
}

// The forecasts up to a row are the same whether or not there are rows after it.
func TestLinearMapDoesNotLookAhead(t *testing.T) {
	const H, cut = 5, 700
	x := autoregression(1000)
	want := forecastsOf(t, newLinearMap(t, H), x[:cut], H)
	for _, y := range x[cut:] {
		y[0] = 1e6
	}
	got := forecastsOf(t, newLinearMap(t, H), x, H)
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Fatalf("row %d depends on rows from %d on", i, cut)
		}
	}
}

// A map that is saved and restored goes on with the same forecasts.
func TestLinearMapState(t *testing.T) {
	const H, cut = 4, 333
	x := autoregression(500)
	m := newLinearMap(t, H)
	f, g := m.NewSeries(), m.NewSeries()
	for _, y := range x[:cut] {
		if err := f.Observe(y); err != nil {
			t.Fatal(err)
		}
	}
	c := snapshot.NewEncoder(nil)
	f.State(c)
	d := snapshot.NewDecoder(c.Bytes())
	g.State(d)
	if err := d.Finish(); err != nil {
		t.Fatal(err)
	}
	want, got := make([]float64, 2*H), make([]float64, 2*H)
	for i, y := range x[cut:] {
		for _, o := range []eval.Forecaster{f, g} {
			if err := o.Observe(y); err != nil {
				t.Fatal(err)
			}
		}
		f.ForecastTo(want)
		g.ForecastTo(got)
		if !slices.Equal(got, want) {
			t.Fatalf("row %d differs", cut+i)
		}
	}
}

func newLinearMap(t *testing.T, horizon int) eval.Model {
	t.Helper()
	m, err := NewLinearMap(LinearMapConfig{Dim: 2, Horizon: horizon})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
