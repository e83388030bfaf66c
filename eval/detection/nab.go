package detection

import (
	"cmp"
	"math"
	"slices"
)

// Labelled holds the anomaly scores of a series and the windows in which an alarm is true. A window is given by its
// first and last row. Windows are disjoint and ascend.
type Labelled struct {
	Scores  []float64
	Windows [][2]int
}

// NAB is a score of the Numenta Anomaly Benchmark: 0 without alarms, 100 with one alarm at the first row of each
// window. It has no lower limit.
type NAB struct {
	Score     float64
	Threshold float64 // least score that is an alarm
}

// Weights of the standard profile, and limits of the unscored first rows.
const (
	nabFalsePositive = .11
	nabProbation     = .15
	nabProbationMost = 750 // rows
)

// nabAlarm is a possible alarm with its value.
type nabAlarm struct {
	score, value float64
	window       int // window that it detects; -1 = false alarm
}

// ScoreNAB returns the NAB score at the given threshold, and at the best threshold, which is known only afterwards.
// In the standard profile the first alarm in a window earns up to 1, more if it is earlier. A missed window costs
// 1. A false alarm costs up to .11, less shortly after a window. The first 15 % of the rows of a series, at most
// 750, are not scored. The scores are NaN without any window.
//
// Source: Lavin and Ahmad, Evaluating Real-time Anomaly Detection Algorithms (2015).
func ScoreNAB(series []Labelled, threshold float64) (at, best NAB) {
	var alarms []nabAlarm
	windows := 0
	for _, s := range series {
		alarms = append(alarms, nabAlarms(s, windows)...)
		windows += len(s.Windows)
	}
	// Score relative to a detector that never raises an alarm.
	value := -float64(windows)
	normal := func() float64 { return 50 * (value + float64(windows)) / float64(windows) }
	at, best = NAB{normal(), threshold}, NAB{normal(), math.Inf(1)}
	if windows == 0 {
		return NAB{math.NaN(), threshold}, NAB{math.NaN(), math.NaN()}
	}
	slices.SortStableFunc(alarms, func(a, b nabAlarm) int { return cmp.Compare(b.score, a.score) })
	earned := make([]float64, windows) // includes the 1 that a missed window would cost; 0 = missed
	for i := 0; i < len(alarms); {
		score := alarms[i].score
		for ; i < len(alarms) && alarms[i].score == score; i++ {
			a := alarms[i]
			if a.window < 0 {
				value += a.value
			} else if gain := 1 + a.value; gain > earned[a.window] {
				value += gain - earned[a.window]
				earned[a.window] = gain
			}
		}
		if score >= threshold {
			at.Score = normal()
		}
		if v := normal(); v > best.Score {
			best = NAB{v, score}
		}
	}
	return at, best
}

// nabAlarms returns the value of an alarm at each scored row. NaN scores are no alarms.
func nabAlarms(s Labelled, before int) []nabAlarm {
	var alarms []nabAlarm
	n := len(s.Scores)
	probation := min(int(nabProbation*float64(n)), nabProbationMost)
	next := 0 // index of the first window that has not ended
	for i, score := range s.Scores {
		for next < len(s.Windows) && i > s.Windows[next][1] {
			next++
		}
		if i < probation || math.IsNaN(score) {
			continue
		}
		a := nabAlarm{score: score, window: -1}
		switch {
		case next < len(s.Windows) && i >= s.Windows[next][0]:
			w := s.Windows[next]
			a.window = before + next
			a.value = nabSigmoid(-float64(w[1]-i+1)/float64(w[1]-w[0]+1)) / nabSigmoid(-1)
		case next == 0:
			a.value = -nabFalsePositive
		default:
			w := s.Windows[next-1]
			a.value = nabFalsePositive * nabSigmoid(float64(i-w[1])/float64(max(1, w[1]-w[0])))
		}
		alarms = append(alarms, a)
	}
	return alarms
}

// nabSigmoid returns the value of an alarm y window lengths after the end of a window.
func nabSigmoid(y float64) float64 {
	if y > 3 {
		return -1
	}
	return 2/(1+math.Exp(5*y)) - 1
}

// vusBuffer is the largest number of rows around a labelled stretch, both sides together, in which an alarm counts
// in part.
const vusBuffer = 100

// VUSPR returns the volume under the surface of precision over recall and buffer length: the area under precision
// and recall, averaged over buffers of 0 to 100 rows. Labels fade out over half a buffer on either side. Recall
// also counts the share of labelled stretches that are detected at all. NaN without labels.
//
// Source: Paparrizos et al., Volume Under the Surface (PVLDB 2022), with 250 thresholds.
func VUSPR(scores []float64, labels []bool) float64 {
	mustPair(scores, labels)
	order := ranked(scores)
	sum := 0.
	soft, found := make([]float64, len(labels)), make([]int, len(labels))
	for buffer := 0; buffer <= vusBuffer; buffer++ {
		soften(soft, labels, buffer)
		sum += softAUPRC(soft, labels, order, found)
	}
	return sum / (vusBuffer + 1)
}

// soften sets soft to the labels, faded out over a buffer.
func soften(soft []float64, labels []bool, buffer int) {
	for i, l := range labels {
		soft[i] = 0
		if l {
			soft[i] = 1
		}
	}
	half := buffer / 2
	for i, l := range labels {
		if !l {
			continue
		}
		if i+1 == len(labels) || !labels[i+1] {
			for k := 1; k <= half && i+k < len(labels); k++ {
				soft[i+k] = min(1, soft[i+k]+math.Sqrt(1-float64(k)/float64(buffer)))
			}
		}
		if i == 0 || !labels[i-1] {
			for k := 1; k <= half && i-k >= 0; k++ {
				soft[i-k] = min(1, soft[i-k]+math.Sqrt(1-float64(k)/float64(buffer)))
			}
		}
	}
}

// softAUPRC returns the area under precision and recall for soft labels. order has the rows by descending score;
// stretch is scratch memory.
func softAUPRC(soft []float64, labels []bool, order []int, stretch []int) float64 {
	const thresholds = 250
	total, sharp, stretches := 0., 0., 0
	for i, s := range soft {
		total += s
		if labels[i] {
			sharp++
		}
		if s > 0 && (i == 0 || soft[i-1] == 0) {
			stretches++
		}
		stretch[i] = stretches - 1
	}
	if sharp == 0 {
		return math.NaN()
	}
	positives := (sharp + total) / 2
	seen := make([]bool, stretches)
	found, tp, area, recall, at := 0, 0., 0., 0., 0
	n := len(order)
	for k := range thresholds {
		last := k * (n - 1) / (thresholds - 1)
		for ; at <= last; at++ {
			i := order[at]
			tp += soft[i]
			if soft[i] > 0 && !seen[stretch[i]] {
				seen[stretch[i]] = true
				found++
			}
		}
		r := min(tp/positives, 1) * float64(found) / float64(stretches)
		area += (r - recall) * tp / float64(at)
		recall = r
	}
	return area
}
