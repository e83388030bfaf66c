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
