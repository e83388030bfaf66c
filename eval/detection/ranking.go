// Package detection compares anomaly scores, and the edges of a graph, with labels. [ZScores] and [PCAResiduals]
// are baselines for anomaly scores.
package detection

import (
	"cmp"
	"math"
	"slices"
)

// Detection measures the agreement of alarms with labels. An undefined field (no alarm, no label) is NaN.
type Detection struct {
	TruePositives, FalsePositives, FalseNegatives, TrueNegatives int

	Precision float64 // share of alarms that are labelled
	Recall    float64 // share of labelled entries that are alarms
	F1        float64 // harmonic mean of Precision and Recall
}

// Detect compares alarms, scores above the threshold, with the labels. A NaN score is no alarm. Detect panics if
// the lengths differ.
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

// AUPRC returns the area under the curve of precision over recall as average precision: the mean, over labelled
// entries, of the precision at the threshold that just includes the entry. For random scores it is the share of
// labelled entries. NaN without labels.
func AUPRC(scores []float64, labels []bool) float64 {
	area, positives := 0., 0.
	eachThreshold(scores, labels, func(newPositives, truePositives, alarms float64) {
		area += newPositives * truePositives / alarms
		positives += newPositives
	})
	return share(area, positives)
}

// AUROC returns the area under the receiver operating characteristic: the probability that a labelled entry has a
// larger score than an unlabelled one; ties count half. For random scores it is .5. NaN if all labels are equal.
func AUROC(scores []float64, labels []bool) float64 {
	area, tp, fp := 0., 0., 0.
	eachThreshold(scores, labels, func(newPositives, truePositives, alarms float64) {
		newNegatives := alarms - truePositives - fp
		area += newNegatives * (tp + newPositives/2)
		tp, fp = truePositives, alarms-truePositives
	})
	return share(area, tp*fp)
}

// BestF1 returns the threshold with the largest F1, and its Detection. It is an upper bound for all thresholds,
// known only afterwards.
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
		threshold = scores[order[at]] // largest score that is no alarm
		if math.IsNaN(threshold) {
			threshold = math.Inf(-1)
		}
	}
	return threshold, Detect(scores, labels, threshold)
}

// eachThreshold calls f for each distinct score, descending, with the number of labelled entries at that score, and
// the numbers of labelled and of all entries at or above it.
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

// ranked returns the indices of scores in descending order, NaN last.
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

// share returns a/b, NaN if b is zero.
func share(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}
