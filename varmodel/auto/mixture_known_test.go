package auto

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/varmodel/internal/modeltest"
)

// Two experts, of which one always forecasts a step of 1 and the other none, over ten
// outcomes. With the forecast f of the mixture, the gains of an outcome y are
// 2 (f - y) (f - 1) and 2 (f - y) f, and a weight is max(R, 0)/(1 + S) for the sum R of an
// expert's gains and the sum S of their squares, divided by the sum of both. By hand:
//
//	y = 1: f = 1/2, gains 1/2 and -1/2. R = 1/2, -1/2; S = 1/4, 1/4; weights 1, 0
//	y = 0: f = 1, gains 0 and 2. R = 1/2, 3/2; S = 1/4, 17/4; 2/5 and 2/7 make 7/12, 5/12
//	y = 1: f = 7/12, gains 25/72 and -35/72. R = 61/72, 73/72; S = 1921/5184, 23257/5184
//
// and so on, with sixty digits: every zero or one outcome leaves the typical step at 1.
func TestMLPolyOverTenSteps(t *testing.T) {
	outcomes := []float64{1, 0, 1, 1, 0, 1, 0, 0, 1, 1}
	want := []float64{1, 7. / 12, .7698469891718281, .8544298424090560, .6406209020275521, .7534708913126864, .5426438861771630, .1242649502179485, .5386379085283633, .6321308682310115}
	m := newMixture(1, 2, 1, -1, false, nil)
	m.steps.Square[0], m.steps.Count[0] = 1, 1 // without a unit the first outcome would not count
	m.steps.Derive()
	weights, forecast, last, experts := make([]float64, 2), make([]float64, 1), []float64{0}, []float64{1, 0}
	share := .5
	for i, y := range outcomes {
		m.forecastTo(forecast, last, experts)
		modeltest.Near(t, "the forecast", forecast[0], share, 1e-14) // some roundings of numbers up to 1, as below
		m.Observe([]float64{y}, last, true)
		m.weightsTo(weights)
		modeltest.Near(t, "the weight of the first expert", weights[0], want[i], 1e-13)
		modeltest.Near(t, "the sum of the weights", weights[0]+weights[1], 1, 1e-15)
		share = weights[0]
	}
}

// The first expert forecasts the last value and the second one a step of 1; the outcome is a
// step of -1/2. No convex combination comes nearer than the first expert, so the aggregate is
// that, and the stack has one deviation from it, of size 1. It learns every four outcomes, by
// ridge regression with the precision R + 300 after R <- .9995^4 R + 4:
//
//	theta <- theta + 4 (-1/2 - theta)/(R + 300)
//
// No expert is below 0, so the forecast stays there: the stack does not leave the experts.
func TestStackOfOneDeviation(t *testing.T) {
	m := newMixture(1, 2, 1, 0, true, nil)
	forecast, last, experts := make([]float64, 1), []float64{0}, []float64{0, 1}
	var theta, precision float64
	for i := range 40 {
		m.steps.Square[0], m.steps.Count[0] = 1, 1 // the unit remains 1
		m.steps.Derive()
		m.forecastTo(forecast, last, experts)
		if forecast[0] != 0 {
			t.Fatalf("forecast %v after %d outcomes, below all experts", forecast[0], i)
		}
		m.Observe([]float64{-.5}, last, true)
		if i%4 == 3 {
			precision = math.Pow(.9995, 4)*precision + 4
			theta += 4 * (-.5 - theta) / (precision + 300)
		}
		modeltest.Near(t, "the weight of the deviation", m.stack.Weights()[1], theta, 1e-6*math.Abs(theta)) // the factorisation adds 1e-6 of the diagonal
		modeltest.Near(t, "the weight of the first expert", m.stack.Weights()[0], 0, 0)
	}
	if !(theta <= -.05) { // -20/(40 + 300), and a little forgetting
		t.Errorf("the stack has learnt %v", theta)
	}
}

// The candidates of a mixture (aggregate, stack and last value) gain by the forecast that was
// issued, whichever candidate was nearest to it: with half the loss' derivative e, limited,
// candidate k gains 2 e (forecast - Z_k).
func TestCandidatesGainByTheIssuedForecast(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	m := newMixture(1, 3, 1, 0, true, nil)
	forecast, last, experts := make([]float64, 1), []float64{0}, make([]float64, 3)
	stride := m.selection.stride
	different := 0
	for range 400 {
		y := last[0] + rng.NormFloat64()
		experts[0] = last[0]
		experts[1] = .7*y + .3*last[0] + .3*rng.NormFloat64()
		experts[2] = .3*y + .7*last[0] - .2 + .3*rng.NormFloat64()
		m.forecastTo(forecast, last, experts)
		unit := m.unit(0)
		issued, target := (forecast[0]-last[0])/unit, (y-last[0])/unit
		if math.Abs(issued-m.aggregate.Mean[0]) > 1e-6 {
			different++
		}
		var want [3]float64
		for k := range want {
			want[k] = m.selection.Regret[k*stride] + 2*(issued-target)*(issued-m.selection.Z[k*stride])
		}
		if !(math.Abs(target) <= outcomeLimit) {
			t.Fatal("the series has an outlier")
		}
		first := m.steps.Count[0] == 0
		m.Observe([]float64{y}, last, true)
		for k, w := range want {
			if got := m.selection.Regret[k*stride]; !first && !(math.Abs(got-w) <= 1e-12*(1+math.Abs(w))) { // roundings
				t.Fatalf("candidate %d: regret %v, want %v", k, got, w)
			}
		}
		last[0] = y
	}
	if different < 100 {
		t.Errorf("the forecast was another one than the aggregate's %d times of 400", different)
	}
}

// One mixture with as many outcomes a term, all equal: forecasts of 1 and outcomes of 1. Each
// term has the sums 1 and 1; after n of them the factor is
// (n - (1 + 2/n) root of the squared rests)/n, and 0 while that is negative. By hand, without
// the forgetting of .0002 a term: 1 - 3 < 0, 2 - 2 sqrt(2) < 0, (3 - 5/3 sqrt(3))/3 = .0377, and
// with it and rests of 1 - factor the figures below.
func TestShrinkageNeedsTerms(t *testing.T) {
	s := shrinkage{every: 1, errors: 1}
	for i, want := range []float64{0, 0, .03757632028592898, .2567616422940125, .4072667281207941, .5114570450026423, .5863366055395498, .6422001088261818} {
		s.add(1, 1)
		s.endOutcome()
		modeltest.Near(t, "the factor", s.factor, want, 1e-14)
		if t.Failed() {
			t.Fatalf("after %d terms", i+1)
		}
	}
}
