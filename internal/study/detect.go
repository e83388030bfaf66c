package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
)

// Surprises are the anomaly scores of the rows of a data set, made as the model
// went over it: each by the forecast made before the row was seen.
type Surprises struct {
	series []surpriseRun
}

type surpriseRun struct {
	s      *eval.Surprise
	yhat   []float64 // of the next row
	known  bool
	scores []Surprise // of each row
}

// Surprise is the score of a row: above 1 it is an alarm. Score is NaN while there
// is none.
type Surprise struct {
	Score float64
	view  eval.View
	who   []share // the variables behind it, of an alarm alone
}

// share is how much of a score a variable is answerable for.
type share struct {
	variable int
	share    float64
}

func NewSurprises(data *eval.Dataset) *Surprises {
	s := &Surprises{series: make([]surpriseRun, len(data.Series))}
	for i := range s.series {
		s.series[i] = surpriseRun{s: eval.NewSurprise(data.Dim()), yhat: make([]float64, data.Dim())}
	}
	return s
}

// step implements observer.
func (s *Surprises) step(_ eval.Forecaster, st eval.Step) {
	r := &s.series[st.Series]
	var yhat []float64
	if r.known {
		yhat = r.yhat
	}
	row := Surprise{Score: math.NaN()}
	if score, ok := r.s.Observe(st.Y, yhat); ok {
		row.Score = score
		var shares []float64
		row.view, shares = r.s.Leading()
		if score > AlarmLimit {
			row.who = largest(shares, 3)
		}
	}
	r.scores = append(r.scores, row)
	if r.known = st.Forecast != nil; r.known {
		copy(r.yhat, st.Forecast) // its first step
	}
}

// largest returns the n largest shares, largest first, without those below a
// twentieth.
func largest(shares []float64, n int) []share {
	var all []share
	for j, v := range shares {
		if v >= .05 {
			all = append(all, share{j, v})
		}
	}
	slices.SortStableFunc(all, func(a, b share) int { return cmp.Compare(b.share, a.share) })
	return all[:min(n, len(all))]
}

// flat returns the scores of all rows in the order of the series.
func (s *Surprises) Flat() []float64 {
	var all []float64
	for i := range s.series {
		for _, r := range s.series[i].scores {
			all = append(all, r.Score)
		}
	}
	return all
}

// zScores is the usual rule of a dashboard: how far the value furthest away, of
// all variables, is from the mean of the window rows before, in their standard
// deviations.
func zScores(data *eval.Dataset, window int) []float64 {
	var all []float64
	for _, s := range data.Series {
		windows := make([]rolling, data.Dim())
		for j := range windows {
			windows[j].ring = make([]float64, 0, window)
		}
		for _, y := range s.Rows {
			worst := math.NaN()
			for j, v := range y {
				if math.IsNaN(v) {
					continue
				}
				w := &windows[j]
				if mean, sd := w.moments(); len(w.ring) > 1 && !(math.Abs(v-mean)/sd <= worst) && v != mean {
					worst = math.Abs(v-mean) / sd // infinite where nothing ever moved
				}
				w.add(v)
			}
			all = append(all, worst)
		}
	}
	return all
}

// rolling holds the last values of a variable.
type rolling struct {
	ring         []float64
	at           int
	origin       float64 // that the sums are taken from
	sum, squares float64
}

func (r *rolling) moments() (mean, sd float64) {
	n := float64(len(r.ring))
	m := r.sum / n
	return r.origin + m, math.Sqrt(max(0, r.squares/n-m*m))
}

func (r *rolling) add(v float64) {
	if len(r.ring) < cap(r.ring) {
		r.ring = append(r.ring, v)
	} else {
		old := r.ring[r.at] - r.origin
		r.sum -= old
		r.squares -= old * old
		r.ring[r.at] = v
		r.at = (r.at + 1) % len(r.ring)
	}
	r.sum += v - r.origin
	r.squares += (v - r.origin) * (v - r.origin)
	if r.at == 0 { // once a window: rounding errors do not add up
		r.origin, _ = r.moments()
		r.sum, r.squares = 0, 0
		for _, u := range r.ring {
			r.sum += u - r.origin
			r.squares += (u - r.origin) * (u - r.origin)
		}
	}
}

// Detection is how an anomaly score agrees with the labels.
type Detection struct {
	Score         string        `json:"score"`
	Threshold     report.Number `json:"threshold"`
	N             int           `json:"n"`
	Labelled      int           `json:"labelled"`
	Alarms        int           `json:"alarms"`
	Precision     report.Number `json:"precision"`
	Recall        report.Number `json:"recall"`
	F1            report.Number `json:"f1"`
	AUPRC         report.Number `json:"auprc"`
	AUROC         report.Number `json:"auroc"`
	BestF1        report.Number `json:"best_f1"`
	BestThreshold report.Number `json:"best_threshold"`
}

// The thresholds of a surprise and of a z-score.
const (
	AlarmLimit = 1
	zLimit     = 3
)

// zWindows are those of the z-scores that a score is compared with.
var zWindows = []int{100, 1000}

func Detect(name string, scores []float64, threshold float64, l *Labels) Detection {
	s, truth := l.pick(scores), l.truth()
	d := eval.Detect(s, truth, threshold)
	bestAt, best := eval.BestF1(s, truth)
	return Detection{
		Score: name, Threshold: report.Number(threshold), N: len(s),
		Labelled: d.TruePositives + d.FalseNegatives, Alarms: d.TruePositives + d.FalsePositives,
		Precision: report.Number(d.Precision), Recall: report.Number(d.Recall), F1: report.Number(d.F1),
		AUPRC: report.Number(eval.AUPRC(s, truth)), AUROC: report.Number(eval.AUROC(s, truth)),
		BestF1: report.Number(best.F1), BestThreshold: report.Number(bestAt),
	}
}

// ZDetections are those that every score is compared with.
func ZDetections(data *eval.Dataset, l *Labels) []Detection {
	var all []Detection
	for _, w := range zWindows {
		all = append(all, Detect(fmt.Sprintf("z-score of %d rows", w), zScores(data, w), zLimit, l))
	}
	return all
}

func DetectionTable(all []Detection) report.Table {
	t := report.Table{
		Title: "Anomalies", Numeric: 1,
		Caption: fmt.Sprintf("anomalies: %s of %s rows are labelled", report.Thousands(int64(all[0].Labelled)), report.Thousands(int64(all[0].N))),
		Header:  []string{"anomaly score", "alarm above", "alarms", "precision", "recall", "F1", "area under PR", "best F1 possible"},
	}
	for _, d := range all {
		t.Rows = append(t.Rows, []string{
			d.Score, d.Threshold.String(), report.Thousands(int64(d.Alarms)), d.Precision.Fixed(3), d.Recall.Fixed(3), d.F1.Fixed(3), d.AUPRC.Fixed(3),
			fmt.Sprintf("%s above %s", d.BestF1.Fixed(3), d.BestThreshold.Fixed(2)),
		})
	}
	return t
}

// Labels say which rows of a data set are anomalous.
type Labels struct {
	known, anomalous []bool // of all rows, in the order of the series
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

// labelColumns are the names that a column of labels may have.
var labelColumns = []string{"anomaly", "is_anomaly", "label", "anomalous"}

// ReadLabels reads a file with the times of the rows and a column of 0 and 1. Rows
// of data from row from on that it does not mention are not compared.
func ReadLabels(ctx context.Context, c *config.Config, path string, data *eval.Dataset, from, to int) (*Labels, error) {
	lc := *c
	lc.Input.File = &config.FileInput{Path: path}
	lc.Input.CSV.ValueColumns = nil
	lc.Pipeline.Variables, lc.Pipeline.Interval = nil, 0
	lc.Model.Exogenous = nil
	marks, refused, err := ReadDataset(ctx, &lc)
	if err != nil {
		return nil, fmt.Errorf("--labels: %w", err)
	}
	if refused != "" {
		return nil, fmt.Errorf("--labels: %s: %s", path, refused)
	}
	column := slices.IndexFunc(marks.Variables, func(v string) bool { return slices.Contains(labelColumns, strings.ToLower(v)) })
	if column < 0 && len(marks.Variables) == 1 {
		column = 0
	}
	if column < 0 {
		return nil, fmt.Errorf("--labels: %s: no column is named %s; it has %s",
			path, strings.Join(labelColumns, ", "), strings.Join(marks.Variables, ", "))
	}
	l := &Labels{}
	for _, s := range data.Series {
		mark, err := sameSeries(marks, data, s.Name)
		if err != nil {
			return nil, fmt.Errorf("--labels: %w", err)
		}
		at := make(map[int64]float64, len(mark.Times))
		for i, t := range mark.Times {
			at[t] = mark.Rows[i][column]
		}
		for i, t := range s.Times {
			v, known := at[t]
			l.known = append(l.known, known && !math.IsNaN(v) && i >= from && (to == 0 || i < to))
			l.anomalous = append(l.anomalous, v != 0 && !math.IsNaN(v))
		}
	}
	if !slices.Contains(l.known, true) {
		return nil, fmt.Errorf("--labels: %s has none of the times of the rows", path)
	}
	return l, nil
}

// sameSeries returns the series of other that belongs to that of data with the
// name: files of one series each need not name it alike.
func sameSeries(other, data *eval.Dataset, name string) (*eval.Series, error) {
	if len(other.Series) == 1 && len(data.Series) == 1 {
		return &other.Series[0], nil
	}
	for i := range other.Series {
		if other.Series[i].Name == name {
			return &other.Series[i], nil
		}
	}
	return nil, fmt.Errorf("%s has no series %q", other.Name, name)
}

// ReadHistory puts the rows of a file before those of data and returns how many
// each series has got: the model learns from them, but they are not scored.
func ReadHistory(ctx context.Context, c *config.Config, path string, data *eval.Dataset) (rows int, err error) {
	hc := *c
	f := *c.Input.File
	f.Path = path
	hc.Input.File = &f
	before, _, err := ReadDataset(ctx, &hc)
	if err != nil {
		return 0, fmt.Errorf("--history: %w", err)
	}
	if !slices.Equal(before.Variables, data.Variables) {
		return 0, fmt.Errorf("--history: %s has not the variables of %s", path, data.Name)
	}
	for i := range data.Series {
		s := &data.Series[i]
		b, err := sameSeries(before, data, s.Name)
		if err != nil {
			return 0, fmt.Errorf("--history: %w", err)
		}
		if len(data.Series) > 1 && i > 0 && len(b.Rows) != rows {
			return 0, errors.New("--history: the series have different numbers of rows")
		}
		if b.Times[len(b.Times)-1] >= s.Times[0] {
			return 0, fmt.Errorf("--history: %s does not end before %s begins", path, data.Name)
		}
		rows = len(b.Rows)
		s.Times, s.Rows = append(b.Times, s.Times...), append(b.Rows, s.Rows...)
	}
	return rows, nil
}
