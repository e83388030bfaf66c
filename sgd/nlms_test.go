package sgd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A step of size mu leaves the fraction 1-mu of the error of the same sample.
func TestNLMSStepShrinksTheError(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, mu := range []float64{.05, 1, 1.9} {
		l, err := NewNLMS(NLMSConfig{Features: 9, Outputs: 2, Step: mu})
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			phi, y := randomVector(rng, 9), randomVector(rng, 2)
			before := learnPair(l, phi, y)
			after := make([]float64, 2)
			l.PredictTo(after, phi)
			for o := range y {
				// 1e-6 is added to the squared norm, which is about 9.
				if got, want := y[o]-after[o], (1-mu)*before[o]; math.Abs(got-want) > 1e-5*(1+math.Abs(before[o])) {
					t.Fatalf("mu %g: error %g -> %g, want %g", mu, before[o], got, want)
				}
			}
		}
	}
}

// A block of samples gives what the same samples give one by one.
func TestNLMSLearnBlockEqualsUpdates(t *testing.T) {
	const m, p = 37, 5
	rng := rand.New(rand.NewPCG(15, 16))
	cfg := NLMSConfig{Features: m, Outputs: p, Step: .7}
	a, err := NewNLMS(cfg)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := NewNLMS(cfg)
	for _, n := range []int{1, 16, 3, 0, 8, 16, 33} {
		phi, y, pred := randomVector(rng, n*m), randomVector(rng, n*p), make([]float64, n*p)
		a.LearnBlock(pred, phi, y)
		for s := range n {
			e := learnPair(b, phi[s*m:(s+1)*m], y[s*p:(s+1)*p])
			for o, v := range e {
				// Some hundred roundings of numbers of size one.
				if got := y[s*p+o] - pred[s*p+o]; math.Abs(got-v) > 1e-13 {
					t.Fatalf("block of %d, sample %d: error %v, one by one %v", n, s, got, v)
				}
			}
		}
		for i, w := range b.Weights() {
			if math.Abs(w-a.Weights()[i]) > 1e-13 {
				t.Fatalf("block of %d: weight %d = %v, one by one %v", n, i, a.Weights()[i], w)
			}
		}
	}
}

func TestNLMSConfigErrors(t *testing.T) {
	for field, c := range map[string]NLMSConfig{
		"Features": {Outputs: 1, Step: 1},
		"Outputs":  {Features: 1, Step: 1},
		"Step":     {Features: 1, Outputs: 1, Step: 2},
	} {
		if _, err := NewNLMS(c); err == nil || !contains(err.Error(), field) {
			t.Errorf("bad %s: error %v does not name it", field, err)
		}
	}
}
