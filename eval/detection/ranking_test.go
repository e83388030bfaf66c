package detection

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestDetect(t *testing.T) {
	d := Detect([]float64{.9, .8, .3, .1, math.NaN()}, []bool{true, false, true, false, true}, .5)
	if d.TruePositives != 1 || d.FalsePositives != 1 || d.FalseNegatives != 2 || d.TrueNegatives != 1 {
		t.Errorf("%+v", d)
	}
	nearly(t, "precision", d.Precision, .5, 0)
	nearly(t, "recall", d.Recall, 1./3, 0)
	nearly(t, "F1", d.F1, .4, 1e-15) // 2 * (1/2)(1/3) / (1/2 + 1/3)

	if d := Detect([]float64{0, 0}, []bool{false, false}, 1); !math.IsNaN(d.Precision) || !math.IsNaN(d.Recall) || !math.IsNaN(d.F1) {
		t.Errorf("nothing to find and nothing found: %+v", d)
	}
}

func TestAreasByHand(t *testing.T) {
	// Ranks: label at 1, 3 and 4 of five.
	scores, labels := []float64{5, 4, 3, 2, 1}, []bool{true, false, true, true, false}
	nearly(t, "AUPRC", AUPRC(scores, labels), (1+2./3+3./4)/3, 1e-15)
	nearly(t, "AUROC", AUROC(scores, labels), 4./6, 1e-15) // of 3 x 2 pairs, 4 in order

	same := []float64{1, 1, 1, 1, 1}
	nearly(t, "AUPRC of ties", AUPRC(same, labels), 3./5, 1e-15)
	nearly(t, "AUROC of ties", AUROC(same, labels), .5, 1e-15)

	if all := []bool{true, true}; !math.IsNaN(AUROC(scores[:2], all)) || AUPRC(scores[:2], all) != 1 {
		t.Error("all labelled: want no AUROC and AUPRC 1")
	}
	if !math.IsNaN(AUPRC(scores[:1], []bool{false})) {
		t.Error("nothing labelled: want no AUPRC")
	}
}

// AUROC is the probability that a labelled entry scores higher, ties half: all
// pairs counted.
func TestAUROCCountsPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		n := 2 + r.IntN(30)
		scores, labels := make([]float64, n), make([]bool, n)
		for i := range scores {
			scores[i], labels[i] = float64(r.IntN(6)), r.IntN(2) == 0
			if scores[i] == 5 {
				scores[i] = math.NaN() // the lowest of all
			}
		}
		wins, total := 0., 0.
		value := func(i int) float64 {
			if math.IsNaN(scores[i]) {
				return math.Inf(-1)
			}
			return scores[i]
		}
		for i := range n {
			for j := range n {
				if labels[i] && !labels[j] {
					total++
					if value(i) > value(j) {
						wins++
					} else if value(i) == value(j) {
						wins += .5
					}
				}
			}
		}
		if total > 0 {
			nearly(t, "AUROC", AUROC(scores, labels), wins/total, 1e-14)
		}
	}
}

// No threshold has a larger F1.
func TestBestF1(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	for range 50 {
		n := 1 + r.IntN(30)
		scores, labels := make([]float64, n), make([]bool, n)
		for i := range scores {
			scores[i], labels[i] = float64(r.IntN(8)), r.IntN(3) == 0
		}
		labels[0] = true
		threshold, best := BestF1(scores, labels)
		if got := Detect(scores, labels, threshold); got.F1 != best.F1 {
			t.Errorf("threshold %v gives %v, not %v", threshold, got.F1, best.F1)
		}
		for _, s := range append([]float64{math.Inf(-1)}, scores...) {
			if d := Detect(scores, labels, s); !(d.F1 <= best.F1) {
				t.Errorf("threshold %v has %v, more than %v", s, d.F1, best.F1)
			}
		}
	}
}

// nearly fails the test unless got is within tol of want.
func nearly(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s = %.15g, want %.15g within %.3g", what, got, want, tol)
	}
}
