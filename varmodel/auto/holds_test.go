package auto

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// A sensor that moves in bursts: as an AR(.5) with probability .9 behind a change, of .1 while the
// last value is held. The best forecast moves .9 or .1 of the way to half of the last value.
// Without the factors that cannot be told from the value; learning costs a tenth of the
// least error at most.
func TestHoldsOfBursts(t *testing.T) {
	const n = 4000
	rng := rand.New(rand.NewPCG(51, 52))
	x, best := make([][]float64, n), make([]float64, n)
	v, moves := 0., .9
	for i := range x {
		best[i] = v - moves*.5*v
		if rng.Float64() < moves {
			v, moves = .5*v+rng.NormFloat64(), .9
		} else {
			moves = .1
		}
		x[i] = []float64{v}
	}
	ratio := func(without ...Ingredient) float64 {
		next := nextOf(t, newAuto(t, Config{Dim: 1, Horizon: 1, Without: without}), nil)
		var ours, least float64
		for i, y := range x[:n-1] {
			v := next(y)[0]
			if i > n/4 {
				ours += math.Pow(x[i+1][0]-v, 2)
				least += math.Pow(x[i+1][0]-best[i+1], 2)
			}
		}
		return ours / least
	}
	with, without := ratio(), ratio(partHold)
	if !(with <= 1.1) || !(without >= with+.02) {
		t.Errorf("%.3f of the least error, %.3f without factors", with, without)
	}
}

// A slope of .5 with outcomes of .5 times the forecast: no factor before holdOutcomes, then
// close to the slope. With outcomes that are noise of the same size the factor stays near 1.
func TestHoldFactor(t *testing.T) {
	var exact, noisy holdSlope
	rng := rand.New(rand.NewPCG(53, 54))
	for i := range 40 {
		if i < holdOutcomes && exact.factor() != 1 {
			t.Fatalf("a factor of %g after %d outcomes", exact.factor(), i)
		}
		exact.learn(1, .5)
		noisy.learn(.1, .09+rng.NormFloat64()) // a slope of .9, known to 10/sqrt(40) = 1.6
	}
	// Errors were .5 before the factor was known: a standard error of .5 sqrt(20)/40 = .06. Of a distance
	// of .5 the share 1/(1 + (3 * .06/.5)^2) = .89 is believed.
	if got := exact.factor(); !(math.Abs(got-.555) <= .02) {
		t.Errorf("factor %.3f, want .555", got)
	}
	if got := noisy.factor(); !(math.Abs(got-1) <= .3) {
		t.Errorf("factor %.3f of noise", got)
	}
}

// A variable that always moves has no factors: without the ingredient its forecasts have the same bits.
func TestHoldsLeaveOthersAlone(t *testing.T) {
	x := modeltest.RandomSeries(rand.New(rand.NewPCG(55, 56)), 400, 2, 0)
	with := modeltest.Record(t, newAuto(t, Config{Dim: 2, Horizon: 1}).NewSeries(), x, 2)
	without := modeltest.Record(t, newAuto(t, Config{Dim: 2, Horizon: 1, Without: []Ingredient{partHold}}).NewSeries(), x, 2)
	if err := modeltest.Same(with, without); err != nil {
		t.Error(err)
	}
}
