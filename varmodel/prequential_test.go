package varmodel

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/eval/snapshot"
	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
	"github.com/orffvar/forecaster/varmodel/internal/regression"
	"github.com/orffvar/forecaster/varmodel/series"
)

// C6.1: SCV-MSE (section 8.3): refit on the window of w samples before sample i, e_i = 1/d ‖s_i −
// h(s_{i−1})‖², mean over i; the column printed as variance is the standard deviation of e.
//
// Online and refitted to each window persistence is the same model: the prequential
// score of the fixture from row 3 on is its SCV-MSE with the window 3.
func TestC6_1_PrequentialSCVOfFixture(t *testing.T) {
	fixture := &scoring.Dataset{Name: "fixture", Variables: []string{"a", "b"}, Series: []scoring.Series{{Rows: [][]float64{
		{.1, .4}, {.5, -.2}, {-.3, .6}, {.7, .1}, {.2, -.5}, {-.1, .3},
	}}}}
	r, err := scoring.Prequential(newModel(t, "persistence", 2, 1), fixture, scoring.Options{From: 3})
	if err != nil {
		t.Fatal(err)
	}
	score := r.Score(scoring.All, 0)
	modeltest.Near(t, "SCV-MSE", score.SCVMSE, .4316666666667, 1e-13)
	modeltest.Near(t, "SD", score.SCVSD, .1388844443733, 1e-13)
}

// oracle forecasts with the true function.
type oracle struct {
	predictTo func(dst, x []float64)
	last      []float64
}

func (o *oracle) NewSeries() eval.Forecaster { return &oracle{predictTo: o.predictTo} }

func (o *oracle) State(*snapshot.Codec) {}

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

func settings(seed uint64) (all []simulate.SettingConfig) {
	for n := 1; n <= 3; n++ {
		for _, toeplitz := range []bool{false, true} {
			all = append(all, simulate.SettingConfig{Setting: n, Toeplitz: toeplitz, Seed: seed})
		}
	}
	return all
}

func settingName(c simulate.SettingConfig) string {
	return fmt.Sprintf("setting %d, Toeplitz %v", c.Setting, c.Toeplitz)
}

// C6.2: The true model reaches the floor: mean tr S/d and standard deviation √(2 tr S²)/d for
// Gaussian noise of covariance S.
//
// The prequential errors of the true function have the mean and the standard
// deviation of the floor, within the 2 % of the check: at N = 5e4 about 6 standard
// errors of the mean.
func TestC6_2_PerfectForecaster(t *testing.T) {
	for _, c := range settings(2) {
		s := simulate.NewSetting(c)
		r, err := scoring.Prequential(&oracle{predictTo: s.PredictTo}, simulate.Collect("s", s, 50_000), scoring.Options{From: 1})
		if err != nil {
			t.Fatal(err)
		}
		mse, sd := s.Floor()
		modeltest.Near(t, settingName(c)+" MSE", r.Score(scoring.All, 0).SCVMSE, mse, .02*mse)
		modeltest.Near(t, settingName(c)+" SD", r.Score(scoring.All, 0).SCVSD, sd, .02*sd)
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

func (current) Features() int { return 1 }

func (current) Observe(*series.Scaler, *series.History) {}

func (current) FeaturesTo(phi []float64, _ *series.Scaler, past *series.History) {
	phi[0] = past.Lag(0)[0]
}

func (current) State(*snapshot.Codec) {}

// C6.5: Pairs never straddle two series: there are Σ (length − 1) of them.
//
// A model that series share learns len-1 pairs of each but the first, which waits for
// a typical step, and none from the end of one series to the beginning of another.
func TestC6_5_OnlinePairsStayInsideSeries(t *testing.T) {
	l := &recorder{}
	m := &regression.Model{Dim: 1, Horizon: 1, Depth: 1, Design: current{}, Learner: l}
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
