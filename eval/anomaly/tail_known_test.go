package anomaly

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/orffvar/forecaster/eval/scoring"
)

// A tail forgets: after twice its memory everything that was learnt has half the weight. The
// bins always have the weight of all values.
func TestTailForgets(t *testing.T) {
	var tail sampleTail
	rng := rand.New(rand.NewPCG(61, 62))
	for i := range 5 * tailMemory {
		tail.learn(rng.ExpFloat64())
		if !(math.Abs(float64(tail.beyond[0])-tail.n) <= 1e-6) || !(tail.n <= 2*tailMemory) {
			t.Fatalf("after %d values the weight is %v, that of the bins %v", i+1, tail.n, tail.beyond[0])
		}
	}
	if !(tail.n >= tailMemory) {
		t.Errorf("the weight is %v", tail.n)
	}
}

// A value that has come k times in n is not less probable than that, however far it lies beyond
// the others.
func TestRepeatedValuesAreProbable(t *testing.T) {
	for _, times := range []int{1, 2, 5} {
		var tail sampleTail
		rng := rand.New(rand.NewPCG(63, 64))
		for range 1000 {
			tail.learn(rng.Float64())
		}
		for range times {
			tail.learn(20)
		}
		if got, most := tail.surprisal(20), math.Log(float64(1000+times+1)/float64(times)); !(got <= most+1e-12) {
			t.Errorf("%d times: surprisal %v, at most %v", times, got, most)
		}
	}
}

// The mean length of excursions is learnt, and long ones are less probable than an exponential law of
// that mean has it by the factor alone.
func TestLengthTail(t *testing.T) {
	const mean = 12
	rng := rand.New(rand.NewPCG(71, 72))
	tail := lengthTail{slowPrior, lengthPrior}
	for range 20 * slowMost {
		tail.learn(mean * rng.ExpFloat64())
	}
	// The mean of slowMost lengths has a standard error of 7 %.
	near(t, "the mean length", tail.mean, mean, 3*.07*mean)
	for _, length := range []float64{1, 10, 60} {
		law := length / (lengthFactor * tail.mean)
		// log1p(x) lies between x - x^2/2 and x.
		if got := tail.surprisal(length); !(got <= law) || !(got >= law-law*law/slowMost) {
			t.Errorf("length %v: surprisal %v, that of the law is %v", length, got, law)
		}
	}
}

// Losses of forecasts of h steps overlap: autocovariances count up to the lag h - 1, with
// Bartlett's weights, however short the series is.
func TestStandardErrorCountsOverlaps(t *testing.T) {
	const n = 60 // 4 (60/100)^(2/9) = 3.6
	rng := rand.New(rand.NewPCG(65, 66))
	losses := make([]float64, n)
	var x float64
	for i := range losses {
		x = .9*x + rng.NormFloat64()
		losses[i] = x
	}
	var mean float64
	for _, v := range losses {
		mean += v / n
	}
	var all scoring.Losses
	for _, v := range losses {
		all.Add(v)
	}
	for _, horizon := range []int{1, 4, 5, 12, 24} {
		lags := max(3, horizon-1)
		var sum float64
		for k := -lags; k <= lags; k++ {
			size := max(k, -k)
			for i := size; i < n; i++ {
				sum += (1 - float64(size)/float64(lags+1)) * (losses[i] - mean) * (losses[i-size] - mean)
			}
		}
		h := float64(horizon)
		want := math.Sqrt(sum/n/n) / math.Sqrt((n+1-2*h+h*(h-1)/n)/n)
		near(t, "the standard error", all.StandardError(horizon), want, 1e-12*want)
	}
}

// A scale changes no skill: forecasts, targets and the last values all have it.
func TestSkillsHaveNoUnits(t *testing.T) {
	score := func(scale []float64) (scoring.Score, scoring.Score) {
		s := scoring.NewScorer(scoring.ScorerConfig{Dim: 2, Horizons: []int{1, 2}, Scale: scale})
		rng := rand.New(rand.NewPCG(67, 68))
		for range 50 {
			y := []float64{5 + rng.NormFloat64(), 100 * rng.NormFloat64()}
			s.Observe(y)
			forecast := []float64{5, 3, 6, 9}
			s.Push(forecast, nil, nil, []float64{y[0], y[1], y[0], y[1]})
		}
		return s.Running(0, 1), s.Running(scoring.All, 0)
	}
	one, all := score(nil)
	for _, scale := range [][]float64{{1, 1}, {7, .01}, {1e-6, 1e6}} {
		o, a := score(scale)
		for _, c := range [][2]float64{
			{o.SkillVsNaive, one.SkillVsNaive}, {o.MASE, one.MASE}, {o.NMSE, one.NMSE}, {o.SkillVsVAR, one.SkillVsVAR},
			{a.SkillVsNaive, all.SkillVsNaive}, {a.NMSE, all.NMSE}, {a.SkillVsVAR, all.SkillVsVAR},
		} {
			near(t, "a score without units", c[0], c[1], 1e-9*math.Abs(c[1]))
		}
	}
}

// A rough logarithm has the error that it names, and is 0 for 1.
func TestRoughLog(t *testing.T) {
	if got := roughLog(1); got != 0 {
		t.Errorf("log(1) is %v", got)
	}
	for x := 1.; x < 1e6; x *= 1.0007 {
		near(t, "log", roughLog(x), math.Log(x), 2e-5)
	}
}

// When peaks of earlier samples are forgotten, every other one of those that are known stays.
func TestPeaksThatStay(t *testing.T) {
	for n, want := range [][]float64{{}, {6}, {5}, {5, 4}, {5, 3}, {5, 3, 2}, {5, 3, 1}} {
		var p peaks
		for x := 6; x > 6-n; x-- {
			p.take(float64(x))
		}
		p.n = 2 * peaksTop
		p.enter(0, true, 1)
		if got := p.top[:p.kept]; !slices.Equal(got, want) || p.n != (2*peaksTop+1)/2. {
			t.Errorf("of %d peaks %v stay, want %v", n, got, want)
		}
		if s := p.surprisal(7); math.IsNaN(s) {
			t.Errorf("%d peaks have no surprisal", n)
		}
	}
}
