package auto

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/varmodel/interval"
)

// chain is a nonlinear process in which coordinate 0 drives coordinate 1, and
// coordinate 2 is on its own.
func chain(n int) [][]float64 {
	rng := rand.New(rand.NewPCG(31, 32))
	x := make([][]float64, n)
	p := []float64{0, 0, 0}
	for t := range x {
		p = []float64{
			.6*p[0] + rng.NormFloat64(),
			.3*p[1] + 2*math.Tanh(p[0]) + .3*rng.NormFloat64(),
			.8*p[2] + rng.NormFloat64(),
		}
		x[t] = p
	}
	return x
}

// The Jacobian of auto and of orffvar against central differences of its forecast, with weights
// and statistics held. With a step of 1e-5 standard deviations rounding leaves
// 1e-10 and the third derivative less; 1e-6 is asked for.
func TestJacobianOfAuto(t *testing.T) {
	alone, err := NewORFFVAR(ORFFVARConfig{Dim: 3, Horizon: 1, Order: 2, Seed: 1, Frequencies: 20})
	if err != nil {
		t.Fatal(err)
	}
	mixtures := map[string]eval.Model{"orffvar": alone}
	for _, experts := range [][]string{nil, {"ar96", "orff3"}, {"ar6", "var2"}, {"orff1-mean", "orff1-additive", "orff3-local"}} {
		mixtures[fmt.Sprint(experts)] = newAuto(t, Config{Dim: 3, Horizon: 1, Experts: experts, Without: []Ingredient{partSeasons}})
	}
	mixtures["little noise"] = newAuto(t, Config{Dim: 3, Horizon: 1, Without: []Ingredient{partSeasons}})
	mixtures["held values"] = mixtures["little noise"]
	for name, m := range mixtures {
		s := m.NewSeries().(*autoSeries)
		rows := chain(700)
		for i := range rows {
			if name == "held values" && i%3 != 0 {
				rows[i][2] = rows[i-1][2]
			}
		}
		if name == "little noise" {
			for i, y := range twoKinds(700) {
				rows[i][0] = y[0]
			}
		}
		for _, y := range rows {
			if err := s.Observe(y); err != nil {
				t.Fatal(err)
			}
		}
		if o := s.exact.own[0]; (o != nil && o.used) != (name == "little noise") {
			t.Fatalf("%s: least squares %+v", name, o)
		}
		if f := s.holds.factor(2); (f != 1) != (name == "held values") {
			t.Fatalf("%s: a factor of %g", name, f)
		}
		const d = 3
		n := d * s.Lags()
		jac := make([]float64, d*n)
		if !s.JacobianTo(jac) {
			t.Fatal("no derivative")
		}
		worst, scale := 0., 0.
		for i := range n {
			at := &s.past.Lag(i / d)[i%d]
			x, h := *at, 1e-5*s.scaler.Sd[i%d]
			var f [2][d]float64
			for side, v := range []float64{x + h, x - h} {
				*at = v
				s.frame.recent.fillFrom(s.past)
				s.forecast()
				copy(f[side][:], s.next)
			}
			*at = x
			for j := range d {
				want := (f[0][j] - f[1][j]) / (2 * h) * s.scaler.Sd[i%d] / s.scaler.Sd[j]
				worst, scale = max(worst, math.Abs(jac[j*n+i]-want)), max(scale, math.Abs(want))
			}
		}
		if !(worst <= 1e-6*scale) || !(scale >= .1) {
			t.Errorf("%s: derivatives of up to %.3g, off by up to %.3g", name, scale, worst)
		}
	}
}

// The graph of auto has the edge that there is, and not the ones that there are not.
func TestInfluenceGraphOfAuto(t *testing.T) {
	rows := chain(1200)
	newModel := func() (eval.Model, error) {
		return New(Config{Dim: 3, Horizon: 1, Experts: []string{"ar6", "var1", "orff1", "orff3"}})
	}
	g, err := interval.InfluenceGraph(newModel, rows, 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("influence %.3f, evidence %.1f", g.Influence, g.Evidence)
	if !g.Edge(1, 0) {
		t.Error("0 does not drive 1")
	}
	for _, e := range [][2]int{{0, 2}, {2, 0}, {2, 1}} {
		if !(math.Abs(g.Influence[e[0]*3+e[1]]) <= .2*math.Abs(g.Influence[1*3+0])) {
			t.Errorf("influence of %d on %d", e[1], e[0])
		}
	}
}
