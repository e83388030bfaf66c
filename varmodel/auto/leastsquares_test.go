package auto

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval/snapshot"
)

// twoKinds returns two coordinates: the first with little noise, the second with much noise.
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
	s := newAuto(t, Config{Dim: 2, Horizon: 1}).NewSeries().(*autoSeries)
	var ours, mixture float64
	for i, y := range x {
		if err := s.Observe(y); err != nil {
			t.Fatal(err)
		}
		if i >= n/2 && i+1 < n {
			e := s.next[0] - x[i+1][0]
			ours += e * e / (n / 2)
			e = y[0] + s.panel.mixture.unit(0)*s.panel.mixture.out[0] - x[i+1][0]
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

// A coordinate whose noise becomes large loses its least squares, and gets none at once.
func TestLeastSquaresEnd(t *testing.T) {
	x := twoKinds(900)
	rng := rand.New(rand.NewPCG(5, 6))
	s := newAuto(t, Config{Dim: 2, Horizon: 1}).NewSeries().(*autoSeries)
	for i, y := range x {
		if i == 500 && (s.exact.own[0] == nil || !s.exact.own[0].used) {
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
	if due := s.exact.due[0]; due < exactAgain*500 || due > exactAgain*900 {
		t.Errorf("the next ones begin after %d samples", due)
	}
}

// A series that is saved before the least squares begin, in their trial, in a search for lags,
// and while they are in use goes on with the same forecasts.
func TestLeastSquaresState(t *testing.T) {
	x := twoKinds(900)
	for i, y := range pipe(900, 60) {
		x[i] = append(x[i], y[0], y[2])
	}
	x[650][0], x[700][1] = math.NaN(), math.NaN()
	const d = 4
	for _, at := range []int{90, 180, 402, 600} {
		m := newAuto(t, Config{Dim: d, Horizon: 1})
		f := m.NewSeries()
		runClocked(t, f, x[:at], 0, 1)
		c := snapshot.NewEncoder(nil)
		m.State(c)
		f.State(c)
		m2 := newAuto(t, Config{Dim: d, Horizon: 1})
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

// pipe is a coordinate that follows another one after the given number of samples.
func pipe(n, delay int) [][]float64 {
	rng := rand.New(rand.NewPCG(8, 9))
	x := make([][]float64, n)
	for i := range x {
		x[i] = []float64{.1 * rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		if i >= delay {
			x[i][0] += x[i-delay][2]
		}
	}
	return x
}

// The lag after which a coordinate follows another one is found, and used: the error is that of
// the noise, and as much again for 53 weights from some 500 samples. It is 1.01 without. A break ends it, because
// the other coordinate's past is gone.
func TestCrossLag(t *testing.T) {
	const n, delay = 1500, 60
	x := pipe(n, delay)
	s := newAuto(t, Config{Dim: 3, Horizon: 1}).NewSeries().(*autoSeries)
	var mse float64
	for i, y := range x {
		if err := s.Observe(y); err != nil {
			t.Fatal(err)
		}
		if i >= n/2 && i+1 < n {
			e := s.next[0] - x[i+1][0]
			mse += e * e / (n / 2)
		}
	}
	o := s.exact.own[0]
	if o == nil || o.cross != (crossLag{2, delay}) || s.exact.own[1] != nil || s.exact.own[2] != nil {
		t.Fatalf("lags found: %+v", s.exact.own)
	}
	if !(mse <= 2*.01) {
		t.Errorf("error %.4f, of the noise .01", mse)
	}
	if jac := make([]float64, 9*s.Lags()); !s.JacobianTo(jac) || !(math.Abs(jac[(delay-1)*3+2]-s.scaler.Sd[2]/s.scaler.Sd[0]) < .05) {
		t.Errorf("derivative at the lag: %.3f", jac[(delay-1)*3+2])
	}
	s.ResetLags()
	if s.exact.own[0] != nil {
		t.Error("the lag survives a break")
	}
	if err := s.Observe(x[0]); err != nil {
		t.Fatal(err)
	}
}

// Independent walks, and coordinates with a common season, do not follow another coordinate.
func TestCrossLagOfNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 11))
	const n, d = 900, 5
	walks, season := make([][]float64, n), make([][]float64, n)
	for i := range n {
		walks[i], season[i] = make([]float64, d), make([]float64, d)
		for j := range d {
			if walks[i][j] = rng.NormFloat64(); i > 0 {
				walks[i][j] += walks[i-1][j]
			}
			season[i][j] = math.Sin(2*math.Pi*float64(i)/24) + rng.NormFloat64()
		}
	}
	for name, x := range map[string][][]float64{"walks": walks, "season": season} {
		s := newAuto(t, Config{Dim: d, Horizon: 1}).NewSeries().(*autoSeries)
		for _, y := range x {
			if err := s.Observe(y); err != nil {
				t.Fatal(err)
			}
			for j, o := range s.exact.own {
				if o != nil && o.cross.lag > 0 {
					t.Fatalf("%s: coordinate %d follows %+v", name, j, o.cross)
				}
			}
		}
	}
}
