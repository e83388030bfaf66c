package varmodel

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/snapshot"
	"github.com/orffvar/forecaster/orff"
)

// Section 6 of the specification with the models and maps of this program; eval
// has the checks of the procedures alone.

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %.13g, want %.13g +- %g", what, got, want, tol)
	}
}

// Online and refitted to each window persistence is the same model: the prequential
// score of the fixture from row 3 on is its SCV-MSE with the window 3.
func TestC6_1_PrequentialSCVOfFixture(t *testing.T) {
	fixture := &eval.Dataset{Name: "fixture", Variables: []string{"a", "b"}, Series: []eval.Series{{Rows: [][]float64{
		{.1, .4}, {.5, -.2}, {-.3, .6}, {.7, .1}, {.2, -.5}, {-.1, .3},
	}}}}
	r, err := eval.Prequential(newModel(t, "persistence", 2, 1), fixture, eval.Options{From: 3})
	if err != nil {
		t.Fatal(err)
	}
	score := r.Score(eval.All, 0)
	near(t, "SCV-MSE", score.SCVMSE, .4316666666667, 1e-13)
	near(t, "SD", score.SCVSD, .1388844443733, 1e-13)
}

// oracle forecasts with the true function.
type oracle struct {
	predictTo func(dst, x []float64)
	last      []float64
}

func (o *oracle) NewSeries() eval.Forecaster { return &oracle{predictTo: o.predictTo} }
func (o *oracle) State(*snapshot.Codec)      {}

func (o *oracle) Observe(y []float64) error {
	o.last = slices.Clone(y)
	return nil
}

func (o *oracle) ForecastTo(dst []float64) bool {
	if o.last == nil {
		return false
	}
	o.predictTo(dst, o.last)
	return true
}

func settings(seed uint64) (all []eval.SettingConfig) {
	for n := 1; n <= 3; n++ {
		for _, toeplitz := range []bool{false, true} {
			all = append(all, eval.SettingConfig{Setting: n, Toeplitz: toeplitz, Seed: seed})
		}
	}
	return all
}

func settingName(c eval.SettingConfig) string {
	return fmt.Sprintf("setting %d, Toeplitz %v", c.Setting, c.Toeplitz)
}

// The prequential errors of the true function have the mean and the standard
// deviation of the floor, within the 2 % of the check: at N = 5e4 about 6 standard
// errors of the mean.
func TestC6_2_PerfectForecaster(t *testing.T) {
	for _, c := range settings(2) {
		s := eval.NewSetting(c)
		r, err := eval.Prequential(&oracle{predictTo: s.PredictTo}, eval.Collect("s", s, 50_000), eval.Options{From: 1})
		if err != nil {
			t.Fatal(err)
		}
		mse, sd := s.Floor()
		near(t, settingName(c)+" MSE", r.Score(eval.All, 0).SCVMSE, mse, .02*mse)
		near(t, settingName(c)+" SD", r.Score(eval.All, 0).SCVSD, sd, .02*sd)
	}
}

// windowedORFF is one block of D frequencies, ridge 1e-6.
func windowedORFF(t *testing.T, d int, sigma float64, seed uint64) eval.Fitter {
	t.Helper()
	f, err := orff.NewFourier(orff.Gaussian{Sigma: sigma}, 5, d, orff.BlockRand(seed, 1))
	if err != nil {
		t.Fatal(err)
	}
	return eval.NewBlockRidge(eval.BlockRidgeConfig{Out: 5, Lambda: 1e-6, Blocks: []eval.Block{{Len: f.Len(), FeaturesTo: f.FeaturesTo}}})
}

func scv(t *testing.T, f eval.Fitter, d *eval.Dataset, window int) float64 {
	t.Helper()
	r, err := eval.SCV(f, d, window)
	if err != nil {
		t.Fatal(err)
	}
	return r.MSE
}

// Medians over seven draws of A, N = 1000, window 500, against the means of the
// specification: settings 1 and 3 within 10 %, ORFFVAR within 5 % of VAR(1); in
// setting 2, which depends on A, ORFFVAR between the floor and 1.6 of it and
// below .9 of VAR(1). The median, because a draw of A close to the unit circle
// makes a series so large that the ridge costs a fifth of the error.
func TestC6_3_SettingsReproduce(t *testing.T) {
	want := []struct {
		vars, orff, sigma float64
		d                 int
	}{
		{.9132, .9170, 200, 25}, {1.017, 1.022, 200, 25}, {0, 0, 1, 25}, {0, 0, 1, 50}, {.00936, .00958, 50, 25}, {.1045, .1045, 50, 25},
	}
	median := func(v []float64) float64 {
		slices.Sort(v)
		return v[len(v)/2]
	}
	for i, w := range want {
		var vars, features []float64
		var c eval.SettingConfig
		for seed := range uint64(7) {
			c = settings(seed)[i]
			d := eval.Collect("s", eval.NewSetting(c), 1000)
			vars = append(vars, scv(t, eval.NewVAR1(5), d, 500))
			features = append(features, scv(t, windowedORFF(t, w.d, w.sigma, seed), d, 500))
		}
		v, o := median(vars), median(features)
		t.Logf("%s: VAR(1) %.6f, ORFFVAR %.6f", settingName(c), v, o)
		floor, _ := eval.NewSetting(c).Floor()
		if c.Setting == 2 {
			if q := o / floor; !(q >= 1 && q <= 1.6) || !(o <= .9*v) {
				t.Errorf("%s: ORFFVAR %v, VAR(1) %v, floor %v", settingName(c), o, v, floor)
			}
			continue
		}
		near(t, settingName(c)+" VAR(1)", v, w.vars, .1*w.vars)
		near(t, settingName(c)+" ORFFVAR", o, w.orff, .1*w.orff)
		near(t, settingName(c)+" ratio", o/v, 1, .05)
	}
}

// Setting 2, white, N = 2000: the error falls with D as in Table 8.2, from above
// VAR(1) to less than 1.6 times the floor, the bound of C6.3.
func TestC6_4_ErrorFallsWithFeatures(t *testing.T) {
	s := eval.NewSetting(eval.SettingConfig{Setting: 2, Seed: 3})
	d := eval.Collect("s", s, 2000)
	vars := scv(t, eval.NewVAR1(5), d, 1000)
	floor, _ := s.Floor()
	var mean []float64
	for _, features := range []int{1, 5, 10, 25, 50, 100} {
		seeds := 3
		if features == 100 {
			seeds = 1
		}
		var sum float64
		for seed := range seeds {
			sum += scv(t, windowedORFF(t, features, 1, uint64(seed)), d, 1000) / float64(seeds)
		}
		mean = append(mean, sum)
	}
	t.Logf("D = 1, 5, 10, 25, 50, 100: %.6f, VAR(1) %.6f", mean, vars)
	for i := 1; i < len(mean)-1; i++ {
		if !(mean[i] <= mean[i-1]) {
			t.Errorf("the error rises with D: %v", mean)
		}
	}
	if !(mean[0] >= vars) || !(mean[5] <= 1.6*floor) || !(mean[5] <= .9*vars) {
		t.Errorf("errors %v, VAR(1) %v, floor %v", mean, vars, floor)
	}
}

// recorder is a learner that keeps the pairs it is given.
type recorder struct{ x, e []float64 }

func (r *recorder) PredictTo(y, _ []float64) { clear(y) }

func (r *recorder) Update(x, e []float64) {
	r.x, r.e = append(r.x, x[0]), append(r.e, e[0])
}

func (*recorder) State(*snapshot.Codec) {}

// current is the design whose only feature is the last value.
type current struct{}

func (current) features() int                                      { return 1 }
func (current) observe(*scaler, *history)                          {}
func (current) featuresTo(phi []float64, _ *scaler, past *history) { phi[0] = past.lag(0)[0] }
func (current) State(*snapshot.Codec)                              {}

// A model that series share learns len-1 pairs of each but the first, which waits for
// a typical step, and none from the end of one series to the beginning of another.
func TestC6_5_OnlinePairsStayInsideSeries(t *testing.T) {
	l := &recorder{}
	m := &regression{dim: 1, horizon: 1, depth: 1, design: current{}, learner: l}
	total := 0
	for s, n := range []int{50, 1, 40} {
		f := m.NewSeries()
		for i := range n {
			if err := f.Observe([]float64{float64(1000*s + i)}); err != nil {
				t.Fatal(err)
			}
		}
		total += max(n-1-1, 0)
	}
	if len(l.x) != total {
		t.Errorf("%d pairs, want %d", len(l.x), total)
	}
	for i, x := range l.x {
		if last := math.Mod(x, 1000); !(last >= 1 && last <= 48) {
			t.Errorf("a pair begins at %g", x)
		}
		if e := l.e[i]; !(e > 0 && e <= 1.5) { // a step of 1 in typical steps of 1
			t.Errorf("the step from %g is %g", x, e)
		}
	}
}
