package thesis

import (
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/orff"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/orff/spectrum"
)

// windowedORFF returns one block of D frequencies with the ridge 1e-6.
func windowedORFF(t *testing.T, d int, sigma float64, seed uint64) Fitter {
	t.Helper()
	f, err := orff.NewFourier(spectrum.Gaussian{Sigma: sigma}, 5, d, random.Block(seed, 1))
	if err != nil {
		t.Fatal(err)
	}
	return NewBlockRidge(BlockRidgeConfig{Out: 5, Lambda: 1e-6, Blocks: []Block{{Len: f.Len(), FeaturesTo: f.FeaturesTo}}})
}

func windowedMSE(t *testing.T, f Fitter, d *scoring.Dataset, window int) float64 {
	t.Helper()
	r, err := SCV(f, d, window)
	if err != nil {
		t.Fatal(err)
	}
	return r.MSE
}

// C6.3: The three simulated settings x_{t+1} = A f(x_t) + u (section 8.3.2) with the parameters of
// the author's notebooks reproduce the errors of VAR and ORFFVAR of Table 8.1.
//
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
		var c simulate.SettingConfig
		for seed := range uint64(7) {
			c = settings(seed)[i]
			d := simulate.Collect("s", simulate.NewSetting(c), 1000)
			vars = append(vars, windowedMSE(t, NewVAR1(5), d, 500))
			features = append(features, windowedMSE(t, windowedORFF(t, w.d, w.sigma, seed), d, 500))
		}
		v, o := median(vars), median(features)
		t.Logf("%s: VAR(1) %.6f, ORFFVAR %.6f", settingName(c), v, o)
		floor, _ := simulate.NewSetting(c).Floor()
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

// C6.4: The error falls with the number of features (Table 8.2).
//
// Setting 2, white, N = 2000: the error falls with D as in Table 8.2, from above
// VAR(1) to less than 1.6 times the floor, the bound of C6.3.
func TestC6_4_ErrorFallsWithFeatures(t *testing.T) {
	s := simulate.NewSetting(simulate.SettingConfig{Setting: 2, Seed: 3})
	d := simulate.Collect("s", s, 2000)
	vars := windowedMSE(t, NewVAR1(5), d, 1000)
	floor, _ := s.Floor()
	var mean []float64
	for _, features := range []int{1, 5, 10, 25, 50, 100} {
		seeds := 3
		if features == 100 {
			seeds = 1
		}
		var sum float64
		for seed := range seeds {
			sum += windowedMSE(t, windowedORFF(t, features, 1, uint64(seed)), d, 1000) / float64(seeds)
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
