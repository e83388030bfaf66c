package auto

import (
	"math/rand/v2"
	"testing"

	"github.com/orffvar/forecaster/internal/lanes"
	"github.com/orffvar/forecaster/varmodel/series"
)

// A round of horizon 64 has 64 outcomes on a random walk, and on white noise, whose outcomes are
// not alike, 64^(2/3) = 16. Variance ratios of 4000 samples, 63 independent ones, are
// within half of the truth.
func TestRounds(t *testing.T) {
	const n, h = 4000, 64
	for _, c := range []struct {
		name      string
		keep      float64 // AR(1)
		low, high int
	}{{"random walk", 1, 40, 64}, {"white noise", 0, 16, 16}, {"AR(.95), variance ratio 19", .95, 16, 29}} {
		rng := rand.New(rand.NewPCG(3, 4))
		scaler, x := series.NewScaler(1), make([]float64, n)
		m := newMixture(1, anchorExperts, h, repeatLast, true, nil)
		v, unknown := 0., newRounds(h).length(m.steps, scaler)
		for i := range x {
			v = c.keep*v + rng.NormFloat64()
			x[i] = v
			scaler.Add(x[i : i+1])
			if i >= h {
				m.steps.Add(x[i:i+1], x[i-h:i-h+1])
			}
		}
		if got := newRounds(h).length(m.steps, scaler); got < c.low || got > c.high {
			t.Errorf("%s: %d outcomes per round, want %d to %d", c.name, got, c.low, c.high)
		}
		if unknown != h {
			t.Errorf("%d outcomes per round before the first, want %d", unknown, h)
		}
	}
}

// The outcomes of a round are as many as the typical increment over h steps has of one, the mean over the variables that
// move, at least h^(2/3) and at most h.
func TestLengthOfRounds(t *testing.T) {
	r := newRounds(27)
	for _, c := range []struct {
		one, far, count []float64
		want            int
	}{
		{[]float64{1}, []float64{20}, []float64{5}, 20},
		{[]float64{1}, []float64{1}, []float64{5}, 9},
		{[]float64{1}, []float64{100}, []float64{5}, 27},
		{[]float64{1, 1}, []float64{20, 10}, []float64{5, 5}, 15},
		{[]float64{1, 0}, []float64{20, 10}, []float64{5, 5}, 20}, // the second stands still
		{[]float64{1, 1}, []float64{20, 10}, []float64{5, 0}, 20}, // nothing is known of it
		{[]float64{0}, []float64{0}, []float64{5}, 27},
		{[]float64{2}, []float64{20.8}, []float64{5}, 10},
	} {
		one := &series.Scaler{Diff2: c.one}
		if got := r.length(&lanes.Steps{Count: c.count, Square: c.far}, one); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
