package thesis

import (
	"cmp"
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/internal/tools/testseries"
	"gonum.org/v1/gonum/mat"
)

// oracle predicts with the true function.
type oracle struct {
	h func(dst, x []float64)
}

func (oracle) Fit(x, y [][]float64) error                   { return nil }
func (oracle) Slide(oldX, oldY, newX, newY []float64) error { return nil }
func (o oracle) PredictTo(dst, x []float64)                 { o.h(dst, x) }

func settingName(c simulate.SettingConfig) string {
	if c.Toeplitz {
		return fmt.Sprintf("setting %d Toeplitz", c.Setting)
	}
	return fmt.Sprintf("setting %d white", c.Setting)
}

func settings(seed uint64) []simulate.SettingConfig {
	var cs []simulate.SettingConfig
	for n := 1; n <= 3; n++ {
		cs = append(cs, simulate.SettingConfig{Setting: n, Seed: seed}, simulate.SettingConfig{Setting: n, Toeplitz: true, Seed: seed})
	}
	return cs
}

// The floors of the specification, section 6.2.
func TestSettingFloors(t *testing.T) {
	want := [][2]float64{{.9, .56921}, {1, 1.21337}, {9e-4, 5.6921e-4}, {.01, .0063657}, {.009, .0056921}, {.1, .1213369}}
	for i, c := range settings(1) {
		mse, sd := simulate.NewSetting(c).Floor()
		near(t, settingName(c)+" floor", mse, want[i][0], 1e-12)
		near(t, settingName(c)+" floor sd", sd, want[i][1], 1e-5*want[i][1])
	}
}

// The errors of the true function have the mean and standard deviation of the floor, within the 2 % of the check: about
// 8 standard errors at N = 1e5.
func TestC6_2_PerfectModel(t *testing.T) {
	for _, c := range settings(2) {
		s := simulate.NewSetting(c)
		r := mustSCV(t, oracle{s.PredictTo}, simulate.Collect("s", s, 100_000), 2)
		mse, sd := s.Floor()
		near(t, settingName(c)+" MSE", r.MSE, mse, .02*mse)
		near(t, settingName(c)+" SD", r.SD, sd, .02*sd)
	}
}

func TestSettingMatrix(t *testing.T) {
	for seed := range uint64(20) {
		for _, c := range settings(seed) {
			c.Dim = 5 // the default
			s := simulate.NewSetting(c)
			a, off := s.A(), 0
			for i := range a {
				for j := range a {
					if i != j && a[i][j] != 0 {
						off++
					}
				}
			}
			if off != 5 {
				t.Errorf("%s: %d off-diagonal cells, want 5", settingName(c), off)
			}
			var eigen mat.Eigen
			if !eigen.Factorize(mat.NewDense(5, 5, slices.Concat(a...)), mat.EigenNone) {
				t.Fatal("no eigenvalues")
			}
			if r := cmplx.Abs(slices.MaxFunc(eigen.Values(nil), func(a, b complex128) int { return cmp.Compare(cmplx.Abs(a), cmplx.Abs(b)) })); !(r < 1) {
				t.Errorf("%s: spectral radius %v", settingName(c), r)
			}
		}
	}
}

func TestSettingDim(t *testing.T) {
	for _, dim := range []int{1, 2, 3, 12} {
		for _, c := range settings(4) {
			c.Dim = dim
			s := simulate.NewSetting(c)
			d := simulate.Collect("s", s, 20_000)
			mse, _ := s.Floor()
			// The mean of at least 20,000 squares of normals: five standard errors
			// when they are independent, twice that for those correlated by .9.
			near(t, settingName(c), mustSCV(t, oracle{s.PredictTo}, d, 2).MSE, mse, 10*mse*math.Sqrt(2./20_000))
		}
	}
}

// The first and the twentieth row of every generator are frozen: after a change of the random streams, seeds would give
// other data.
func TestGeneratorsAreFrozen(t *testing.T) {
	for _, c := range []struct {
		name string
		g    simulate.Generator
		want [2]float64 // last variable in rows 1 and 20
	}{
		{"setting 1", simulate.NewSetting(simulate.SettingConfig{Setting: 1, Seed: 42}), [2]float64{1.14445925369, 9.81187117097}},
		{"setting 2 Toeplitz", simulate.NewSetting(simulate.SettingConfig{Setting: 2, Toeplitz: true, Seed: 42}), [2]float64{0.00059991308591, 0.148117138544}},
		{"setting 3", simulate.NewSetting(simulate.SettingConfig{Setting: 3, Seed: 42}), [2]float64{-0.0267873719457, -0.292869033987}},
		{"white noise", simulate.NewWhiteNoise(3, 42), [2]float64{0.331251835365, 0.400042743817}},
		{"random walk", testseries.NewRandomWalk(3, 42), [2]float64{0.258286435378, 6.29765693198}},
		{"oscillators", simulate.NewOscillators(4, 24, 42), [2]float64{-1.01095537829, 1.69726623505}},
		{"network", simulate.NewNetwork(42), [2]float64{0.515923648441, -0.0412821713153}},
		{"hostile", testseries.NewHostile(42), [2]float64{-0.239122379462, -5.80490896272}},
	} {
		rows := simulate.Collect(c.name, c.g, 20).Series[0].Rows
		last := c.g.Dim() - 1
		for k, row := range []int{0, 19} {
			if got := rows[row][last]; !(math.Abs(got-c.want[k]) <= 1e-9) {
				t.Errorf("%s, row %d: %.12g, want %.12g", c.name, row, got, c.want[k])
			}
		}
	}
}

func TestWhiteNoiseAndRandomWalk(t *testing.T) {
	const n = 20_000
	for j := range 2 {
		var t1, t2 running
		w, x := simulate.Collect("w", simulate.NewWhiteNoise(2, 5), n).Series[0].Rows, simulate.Collect("x", testseries.NewRandomWalk(2, 6), n).Series[0].Rows
		for i := 1; i < n; i++ {
			t1.observe(w[i][j])
			t2.observe(x[i][j] - x[i-1][j])
		}
		// Five standard errors of a mean and of a variance.
		for _, v := range []running{t1, t2} {
			near(t, "mean", v.mean, 0, 5/math.Sqrt(n))
			near(t, "variance", v.deviation()*v.deviation(), 1, 5*math.Sqrt(2./n))
		}
	}
}

// The oscillators can be forecast, but not by a linear model.
func TestOscillators(t *testing.T) {
	d := simulate.Collect("o", simulate.NewOscillators(4, 24, 7), 4000)
	v := mustSCV(t, NewVAR1(4), d, 1000).MSE
	_, sd := moments(d.Series[0].Rows, 0)
	t.Logf("variance %.3f, VAR(1) %.3f", sd*sd, v)
	if !(sd*sd >= 2 && sd*sd <= 3) || !(v >= .3) {
		t.Errorf("variance %v, VAR(1) error %v", sd*sd, v)
	}
}

// Edges agrees with the function: an input has an effect exactly if there is an edge.
func TestNetworkEdges(t *testing.T) {
	for seed := range uint64(10) {
		g := simulate.NewNetwork(seed)
		edges := g.Edges()
		x, y, z := make([]float64, 10), make([]float64, 10), make([]float64, 10)
		for i := range x {
			x[i] = .3
		}
		g.PredictTo(y, x)
		for j := range x {
			x[j] = .5
			g.PredictTo(z, x)
			x[j] = .3
			for i := range z {
				if i != j && (z[i] != y[i]) != edges[i][j] {
					t.Errorf("seed %d: edge %d -> %d is %v", seed, j+1, i+1, edges[i][j])
				}
			}
		}
		for i := 1; i < 10; i++ {
			n := 0
			for _, e := range edges[i] {
				if e {
					n++
				}
			}
			if n < 1 || n > 2 || edges[i][i] {
				t.Errorf("seed %d: variable %d has %d influences", seed, i+1, n)
			}
		}
		d := simulate.Collect("n", g, 3000)
		near(t, "error of the best prediction", mustSCV(t, oracle{g.PredictTo}, d, 2).MSE, .09, 5*.09*math.Sqrt(2./30_000))
	}
}

// Hostile data have every promised defect.
func TestHostile(t *testing.T) {
	rows := simulate.Collect("h", testseries.NewHostile(1), 6000).Series[0].Rows
	var missing, lost, outliers, repeats int
	for i, y := range rows {
		all := true
		for _, v := range y {
			if math.IsInf(v, 0) {
				t.Fatalf("row %d is infinite", i)
			}
			all = all && math.IsNaN(v)
		}
		if all {
			lost++
			continue
		}
		if math.IsNaN(y[7]) {
			missing++
		}
		if math.Abs(y[2]) == 1e6 {
			outliers++
		}
		if i > 0 && y[3] == rows[i-1][3] {
			repeats++
		}
		if y[0] != 3.7 {
			t.Errorf("row %d: constant is %v", i, y[0])
		}
	}
	if jump := rows[1000][1] - rows[999][1]; !(math.Abs(jump+100) <= 10) {
		t.Errorf("jump of %v at row 1000, want -100", jump)
	}
	if missing < 400 || lost == 0 || outliers == 0 || repeats < 700 {
		t.Errorf("%d missing, %d rows lost, %d outliers, %d repeats", missing, lost, outliers, repeats)
	}
}
