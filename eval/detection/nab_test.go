package detection

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// scrambled returns n scores in [0, 2) from a linear congruential generator.
func scrambled(seed, n int) []float64 {
	scores := make([]float64, n)
	for i := range scores {
		seed = (seed*1103515245 + 12345) % (1 << 31)
		scores[i] = float64((seed>>8)%1000) / 500
	}
	return scores
}

// The scores are those that an independent implementation has printed for the same
// numbers, at the best threshold and at 1.7.
func TestScoreNAB(t *testing.T) {
	series := []Labelled{
		{Scores: scrambled(1, 200), Windows: [][2]int{{60, 79}, {120, 149}}},
		{Scores: scrambled(2, 200), Windows: [][2]int{{100, 119}}},
	}
	at, best := ScoreNAB(series, 1.7)
	if !(math.Abs(best.Score-80.02) <= .005) || !(math.Abs(at.Score-42.52) <= .005) {
		t.Errorf("best %+v, at 1.7 %+v", best, at)
	}
}

// Silence is worth 0, an alarm at the first row of each window 100, and one more
// elsewhere costs .11 of half a window.
func TestScoreNABOfTheExtremes(t *testing.T) {
	silent := Labelled{Scores: make([]float64, 1000), Windows: [][2]int{{400, 450}, {700, 720}}}
	if at, _ := ScoreNAB([]Labelled{silent}, 1); at.Score != 0 {
		t.Errorf("silence: %+v", at)
	}
	perfect := Labelled{Scores: make([]float64, 1000), Windows: silent.Windows}
	perfect.Scores[400], perfect.Scores[700] = 2, 2
	if at, best := ScoreNAB([]Labelled{perfect}, 1); !(math.Abs(at.Score-100) <= .1) || best.Threshold != 2 {
		t.Errorf("perfect: %+v, %+v", at, best)
	}
	perfect.Scores[200] = 2 // before any window
	perfect.Scores[10] = 2  // not scored
	if at, _ := ScoreNAB([]Labelled{perfect}, 1); !(math.Abs(at.Score-(100-100*.11/4)) <= .1) {
		t.Errorf("with a false alarm: %+v", at)
	}
	if at, best := ScoreNAB([]Labelled{{Scores: silent.Scores}}, 1); !math.IsNaN(at.Score) || !math.IsNaN(best.Score) {
		t.Errorf("without windows: %+v, %+v", at, best)
	}
}

func TestVUSPR(t *testing.T) {
	labels := make([]bool, 1000)
	scores := make([]float64, 1000)
	for i := 500; i < 600; i++ {
		labels[i] = true
		scores[i] = 1
	}
	perfect := VUSPR(scores, labels)
	for i := range scores { // the same, 20 rows late
		scores[i] = 0
		if i >= 520 && i < 620 {
			scores[i] = 1
		}
	}
	late := VUSPR(scores, labels)
	for i := range scores { // as many rows elsewhere
		scores[i] = 0
		if i >= 100 && i < 200 {
			scores[i] = 1
		}
	}
	wrong := VUSPR(scores, labels)
	if !(perfect > .85 && late > .6 && late < perfect && wrong < .2) {
		t.Errorf("perfect %.3f, late %.3f, wrong %.3f", perfect, late, wrong)
	}
	// The buffers forgive being late: without them the area is smaller.
	for i := range scores {
		scores[i] = 0
		if i >= 520 && i < 620 {
			scores[i] = 1
		}
	}
	if sharp := AUPRC(scores, labels); !(sharp < late) {
		t.Errorf("area %.3f without buffers, %.3f with them", sharp, late)
	}
	if !math.IsNaN(VUSPR([]float64{1, 2}, []bool{false, false})) {
		t.Error("a volume of nothing")
	}
}

// Time has no direction for the volume: rows in the opposite order, with stretches at either end of them, have the same.
func TestVUSPRInBothDirections(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, stretches := range [][][2]int{{{0, 3}}, {{290, 300}}, {{0, 20}, {35, 60}, {280, 300}}, {{100, 101}, {140, 190}}} {
		scores, labels := make([]float64, 300), make([]bool, 300)
		for i := range scores {
			scores[i] = rng.Float64()
		}
		for _, s := range stretches {
			for i := s[0]; i < s[1]; i++ {
				labels[i], scores[i] = true, scores[i]+.5
			}
		}
		want := VUSPR(scores, labels)
		slices.Reverse(scores)
		slices.Reverse(labels)
		if got := VUSPR(scores, labels); !(math.Abs(got-want) <= 1e-12) { // sums of 300 shares in another order
			t.Errorf("%v: %v backwards, %v forwards", stretches, got, want)
		}
	}
}
