package study

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/eval/detection"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/internal/report"
)

// Detection is the agreement of an anomaly score with the labels.
type Detection struct {
	Score         string        `json:"score"`
	Threshold     report.Number `json:"threshold"`
	N             int           `json:"n"`
	Labelled      int           `json:"labelled"`
	Alarms        int           `json:"alarms"`  // number of rows with a score above the threshold
	Flagged       int           `json:"flagged"` // number of rows between the beginning and the end of an anomaly
	PerThousand   report.Number `json:"alarms_per_1000"`
	FalsePer1000  report.Number `json:"false_alarms_per_1000"`
	Precision     report.Number `json:"precision"`
	Recall        report.Number `json:"recall"`
	F1            report.Number `json:"f1"`
	AUPRC         report.Number `json:"auprc"`
	AUROC         report.Number `json:"auroc"`
	BestF1        report.Number `json:"best_f1"`
	BestThreshold report.Number `json:"best_threshold"`
	VUSPR         report.Number `json:"vus_pr"`
	NAB           report.Number `json:"nab"` // NAB score at the threshold
	NABBest       report.Number `json:"nab_best"`
	NABThreshold  report.Number `json:"nab_threshold"` // threshold of NABBest
}

// The thresholds of an anomaly score and of a z-score.
const (
	AlarmLimit = 1
	zLimit     = 3
)

// zWindows are the windows of the baseline z-scores, in rows.
var zWindows = []int{100, 1000}

// DetectRows compares the scores of all rows with the labels. Precision, recall and F1 count all rows between the
// beginning and the end of an anomaly. The second detection is that of the state score, which level sets do not have.
func DetectRows(name string, rows *Anomalies, threshold float64, data *Samples, l *Labels) []Detection {
	scores, flagged := rows.flat()
	all := []Detection{detect(name, scores, flagged, threshold, data, l)}
	if !rows.LevelSets {
		all = append(all, detectAbove(name+", state", rows.flatStates(), threshold, data, l))
	}
	return all
}

// detectAbove compares scores with the labels; each row above the threshold is an anomaly of its own.
func detectAbove(name string, scores []float64, threshold float64, data *Samples, l *Labels) Detection {
	return detect(name, scores, above(scores, threshold), threshold, data, l)
}

func detect(name string, scores []float64, flagged []bool, threshold float64, data *Samples, l *Labels) Detection {
	s, truth := l.pick(scores), l.truth()
	var marks []float64
	for i, known := range l.known {
		if known && flagged[i] {
			marks = append(marks, 1)
		} else if known {
			marks = append(marks, 0)
		}
	}
	d := detection.Detect(marks, truth, .5)
	alarms := detection.Detect(s, truth, threshold)
	bestAt, best := detection.BestF1(s, truth)
	at, nab := detection.ScoreNAB(l.labelled(data, scores), threshold)
	perThousand := func(n int) report.Number { return report.Number(1000 * float64(n) / float64(len(s))) }
	return Detection{
		Score: name, Threshold: report.Number(threshold), N: len(s),
		Labelled: d.TruePositives + d.FalseNegatives, Alarms: alarms.TruePositives + alarms.FalsePositives,
		Flagged:     d.TruePositives + d.FalsePositives,
		PerThousand: perThousand(alarms.TruePositives + alarms.FalsePositives), FalsePer1000: perThousand(alarms.FalsePositives),
		VUSPR: report.Number(detection.VUSPR(s, truth)),
		NAB:   report.Number(at.Score), NABBest: report.Number(nab.Score), NABThreshold: report.Number(nab.Threshold),
		Precision: report.Number(d.Precision), Recall: report.Number(d.Recall), F1: report.Number(d.F1),
		AUPRC: report.Number(detection.AUPRC(s, truth)), AUROC: report.Number(detection.AUROC(s, truth)),
		BestF1: report.Number(best.F1), BestThreshold: report.Number(bestAt),
	}
}

// BaselineDetections returns the detections of the baselines. The first history rows of each series are its history.
func BaselineDetections(data *Samples, history int, l *Labels) []Detection {
	var all []Detection
	add := func(name string, score func(rows [][]float64) []float64) {
		var scores []float64
		for i := range data.Series {
			scores = append(scores, score(data.Series[i].Rows)...)
		}
		all = append(all, detectAbove(name, scores, zLimit, data, l))
	}
	for _, w := range zWindows {
		add(fmt.Sprintf("z-score of %d rows", w), func(rows [][]float64) []float64 { return detection.ZScores(rows, w) })
	}
	add("last value, z-score of 1000 steps", func(rows [][]float64) []float64 { return detection.ZScores(increments(rows), 1000) })
	if history > data.Dim() && data.Dim() > 1 {
		add("PCA residual of the history", func(rows [][]float64) []float64 { return detection.PCAResiduals(rows, history) })
	}
	return all
}

// increments returns the differences of consecutive rows, which are the errors of persistence. The first one is NaN.
func increments(rows [][]float64) [][]float64 {
	steps := make([][]float64, len(rows))
	for i, y := range rows {
		steps[i] = make([]float64, len(y))
		for j, v := range y {
			steps[i][j] = math.NaN()
			if i > 0 {
				steps[i][j] = v - rows[i-1][j]
			}
		}
	}
	return steps
}

func DetectionTable(all []Detection) report.Table {
	t := report.Table{
		Title: "Anomalies", Numeric: 1,
		Caption: fmt.Sprintf("anomalies: %s of %s rows are labelled", plural.Thousands(all[0].Labelled), plural.Thousands(all[0].N)),
		Header:  []string{"anomaly score", "alarm above", "alarms\nper 1,000", "false\nper 1,000", "precision", "recall", "F1", "area under PR", "VUS-PR", "NAB", "best NAB"},
		Spare:   []string{"area under PR", "alarm above", "best NAB", "F1"},
	}
	for _, d := range all {
		t.Rows = append(t.Rows, []string{
			d.Score, d.Threshold.String(), d.PerThousand.Fixed(2), d.FalsePer1000.Fixed(2), d.Precision.Fixed(3), d.Recall.Fixed(3), d.F1.Fixed(3),
			d.AUPRC.Fixed(3), d.VUSPR.Fixed(3), d.NAB.Fixed(1), fmt.Sprintf("%s from %s", d.NABBest.Fixed(1), d.NABThreshold.Fixed(2)),
		})
	}
	return t
}

// Labels mark the anomalous rows of a data set.
type Labels struct {
	known, anomalous []bool // by row, series after series
	start            []int  // by series: index of its first row
}

func (l *Labels) pick(scores []float64) []float64 {
	var s []float64
	for i, known := range l.known {
		if known {
			s = append(s, scores[i])
		}
	}
	return s
}

func (l *Labels) truth() []bool {
	var t []bool
	for i, known := range l.known {
		if known {
			t = append(t, l.anomalous[i])
		}
	}
	return t
}

// labelColumns are the possible names of a column of labels.
var labelColumns = []string{"anomaly", "is_anomaly", "label", "anomalous"}

// NewLabels returns the labels of samples from another file, marks, which has times and a column of 0 and 1. A row of
// samples without a mark, or outside [from, to), is not compared. So marks of anomalies alone are an error.
func NewLabels(marks, samples *Samples, from, to int) (*Labels, error) {
	if marks.Refusals.Total() > 0 {
		return nil, fmt.Errorf("%s: %s", marks.Name, marks.Refusals.String())
	}
	l := &Labels{}
	met := false // a row has a time of the labels
	for i := range samples.Series {
		s := &samples.Series[i]
		mark, err := sameSeries(marks, samples, s.Name)
		if err != nil {
			return nil, err
		}
		column := slices.IndexFunc(mark.Variables, func(v string) bool { return slices.Contains(labelColumns, strings.ToLower(v)) })
		if column < 0 && len(mark.Variables) == 1 {
			column = 0
		}
		if column < 0 {
			return nil, fmt.Errorf("%s: no column is named %s; it has %s",
				marks.Name, strings.Join(labelColumns, ", "), strings.Join(mark.Variables, ", "))
		}
		at := make(map[int64]float64, len(mark.Times))
		for i, t := range mark.Times {
			v := mark.Rows[i][column]
			if v != 0 && v != 1 && !math.IsNaN(v) {
				return nil, fmt.Errorf("%s: %s: column %s has %g, and labels are 1 for an anomaly and 0 for any other row; convert them, or name the column of the labels %s",
					marks.Name, rowTime(t), mark.Variables[column], v, labelColumns[0])
			}
			at[t] = v
		}
		l.start = append(l.start, len(l.known))
		ones, zeros, unknown := false, false, false
		for i, t := range s.Times {
			v, known := at[t]
			met = met || known
			ones, zeros, unknown = ones || v == 1, zeros || known && v == 0, unknown || !known || math.IsNaN(v)
			l.known = append(l.known, known && !math.IsNaN(v) && i >= from && (to == 0 || i < to))
			l.anomalous = append(l.anomalous, v == 1)
		}
		if ones && unknown && !zeros {
			return nil, fmt.Errorf("%s lists only anomalies of %s, and rows without a label are not compared, so that no alarm could be false; give the other rows the label 0, or list windows with the columns %s and %s",
				marks.Name, s.Name, startColumns[0], endColumns[0])
		}
	}
	switch {
	case !met:
		return nil, fmt.Errorf("%s has none of the times of the rows of %s: %s; correct the times of the labels", marks.Name, samples.Name, samples.span())
	case !slices.Contains(l.known, true):
		return nil, fmt.Errorf("%s has no label for the rows of %s that are compared: they are missing there", marks.Name, samples.Name)
	}
	return l, nil
}

// Labelled reports whether a row is known to be anomalous.
func (l *Labels) Labelled(series, row int) bool {
	i := l.start[series] + row
	return l.known[i] && l.anomalous[i]
}

// sameSeries returns the series of other with the name of a series in samples. If both files have one series, the names
// may differ.
func sameSeries(other, samples *Samples, name string) (*Series, error) {
	if len(other.Series) == 1 && len(samples.Series) == 1 {
		return &other.Series[0], nil
	}
	for i := range other.Series {
		if other.Series[i].Name == name {
			return &other.Series[i], nil
		}
	}
	return nil, fmt.Errorf("%s has no series %q", other.Name, name)
}
