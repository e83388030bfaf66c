// Package detection compares anomaly scores, and the edges of a graph, with labels. [ZScores] and
// [PCAResiduals] are simple scores that a better one should beat.
package detection

import (
	"cmp"
	"math"
	"slices"
)

// Detection is how alarms agree with labels. An undefined field (no alarm, no
// label) is NaN.
type Detection struct {
	TruePositives, FalsePositives, FalseNegatives, TrueNegatives int

	Precision float64 // share of the alarms that are right
	Recall    float64 // share of the labelled that raised an alarm
	F1        float64 // harmonic mean of the two
}

// Detect raises an alarm where the score exceeds the threshold and compares it
// with the labels. A NaN score raises none. It panics when the lengths differ.
func Detect(scores []float64, labels []bool, threshold float64) Detection {
	mustPair(scores, labels)
	var d Detection
	for i, label := range labels {
		switch alarm := scores[i] > threshold; {
		case alarm && label:
			d.TruePositives++
		case alarm:
			d.FalsePositives++
		case label:
			d.FalseNegatives++
		default:
			d.TrueNegatives++
		}
	}
	tp := float64(d.TruePositives)
	d.Precision = share(tp, tp+float64(d.FalsePositives))
	d.Recall = share(tp, tp+float64(d.FalseNegatives))
	d.F1 = share(2*tp, 2*tp+float64(d.FalsePositives+d.FalseNegatives))
	return d
}

// AUPRC is the area under the curve of precision over recall, as the average
// precision: the mean, over the labelled, of the precision at the threshold that
// just includes them. Random scores have the share of the labelled. NaN when
// nothing is labelled.
func AUPRC(scores []float64, labels []bool) float64 {
	area, positives := 0., 0.
	eachThreshold(scores, labels, func(newPositives, truePositives, alarms float64) {
		area += newPositives * truePositives / alarms
		positives += newPositives
	})
	return share(area, positives)
}

// AUROC is the area under the receiver operating characteristic: the probability
// that a labelled entry has a larger score than an unlabelled one, ties counting
// half. Random scores have .5. NaN when all labels are equal.
func AUROC(scores []float64, labels []bool) float64 {
	area, tp, fp := 0., 0., 0.
	eachThreshold(scores, labels, func(newPositives, truePositives, alarms float64) {
		newNegatives := alarms - truePositives - fp
		area += newNegatives * (tp + newPositives/2)
		tp, fp = truePositives, alarms-truePositives
	})
	return share(area, tp*fp)
}

// BestF1 returns the threshold with the largest F1 and its Detection: a bound
// on what any threshold reaches, known only afterwards.
func BestF1(scores []float64, labels []bool) (threshold float64, d Detection) {
	mustPair(scores, labels)
	positives := 0.
	for _, label := range labels {
		if label {
			positives++
		}
	}
	order := ranked(scores)
	best, at, seen := -1., 0, 0
	eachThreshold(scores, labels, func(_, truePositives, alarms float64) {
		seen = int(alarms)
		if f1 := 2 * truePositives / (alarms + positives); f1 > best {
			best, at = f1, seen
		}
	})
	threshold = math.Inf(-1)
	if at < len(order) {
		threshold = scores[order[at]] // the largest score without an alarm
		if math.IsNaN(threshold) {
			threshold = math.Inf(-1)
		}
	}
	return threshold, Detect(scores, labels, threshold)
}

// eachThreshold goes through the distinct scores in descending order and calls
// f with the labelled entries of that score, and the labelled and all entries of
// at least that score.
func eachThreshold(scores []float64, labels []bool, f func(newPositives, truePositives, alarms float64)) {
	mustPair(scores, labels)
	order := ranked(scores)
	tp := 0.
	for i := 0; i < len(order); {
		fresh, j := 0., i
		for ; j < len(order) && cmp.Compare(scores[order[j]], scores[order[i]]) == 0; j++ {
			if labels[order[j]] {
				fresh++
			}
		}
		tp += fresh
		f(fresh, tp, float64(j))
		i = j
	}
}

// ranked returns the indices by descending score, NaN last.
func ranked(scores []float64) []int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order
}

func mustPair(scores []float64, labels []bool) {
	if len(scores) != len(labels) {
		panic("detection: scores and labels of different lengths")
	}
}

// share is a/b, or NaN when b is zero.
func share(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}
