package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
)

// surprises are the anomaly scores of the rows of a data set, made as the model
// went over it: each by the forecast made before the row was seen.
type surprises struct {
	series []surpriseRun
}

type surpriseRun struct {
	s      *eval.Surprise
	yhat   []float64 // of the next row
	known  bool
	scores []surprise // of each row
}

// surprise is the score of a row: above 1 it is an alarm. Score is NaN while there
// is none.
type surprise struct {
	score float64
	view  eval.View
	who   []share // the variables behind it, of an alarm alone
}

// share is how much of a score a variable is answerable for.
type share struct {
	variable int
	share    float64
}

func newSurprises(data *eval.Dataset) *surprises {
	s := &surprises{series: make([]surpriseRun, len(data.Series))}
	for i := range s.series {
		s.series[i] = surpriseRun{s: eval.NewSurprise(data.Dim()), yhat: make([]float64, data.Dim())}
	}
	return s
}

// step implements observer.
func (s *surprises) step(_ eval.Forecaster, st eval.Step) {
	r := &s.series[st.Series]
	var yhat []float64
	if r.known {
		yhat = r.yhat
	}
	row := surprise{score: math.NaN()}
	if score, ok := r.s.Observe(st.Y, yhat); ok {
		row.score = score
		var shares []float64
		row.view, shares = r.s.Leading()
		if score > alarmLimit {
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
func (s *surprises) flat() []float64 {
	var all []float64
	for i := range s.series {
		for _, r := range s.series[i].scores {
			all = append(all, r.score)
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

// detection is how an anomaly score agrees with the labels.
type detection struct {
	Score         string `json:"score"`
	Threshold     number `json:"threshold"`
	N             int    `json:"n"`
	Labelled      int    `json:"labelled"`
	Alarms        int    `json:"alarms"`
	Precision     number `json:"precision"`
	Recall        number `json:"recall"`
	F1            number `json:"f1"`
	AUPRC         number `json:"auprc"`
	AUROC         number `json:"auroc"`
	BestF1        number `json:"best_f1"`
	BestThreshold number `json:"best_threshold"`
}

// The thresholds of a surprise and of a z-score.
const (
	alarmLimit = 1
	zLimit     = 3
)

// zWindows are those of the z-scores that a score is compared with.
var zWindows = []int{100, 1000}

func detect(name string, scores []float64, threshold float64, l *labels) detection {
	s, truth := l.pick(scores), l.truth()
	d := eval.Detect(s, truth, threshold)
	bestAt, best := eval.BestF1(s, truth)
	return detection{
		Score: name, Threshold: number(threshold), N: len(s),
		Labelled: d.TruePositives + d.FalseNegatives, Alarms: d.TruePositives + d.FalsePositives,
		Precision: number(d.Precision), Recall: number(d.Recall), F1: number(d.F1),
		AUPRC: number(eval.AUPRC(s, truth)), AUROC: number(eval.AUROC(s, truth)),
		BestF1: number(best.F1), BestThreshold: number(bestAt),
	}
}

// zDetections are those that every score is compared with.
func zDetections(data *eval.Dataset, l *labels) []detection {
	var all []detection
	for _, w := range zWindows {
		all = append(all, detect(fmt.Sprintf("z-score of %d rows", w), zScores(data, w), zLimit, l))
	}
	return all
}

func detectionTable(all []detection) report.Table {
	t := report.Table{
		Title: "Anomalies", Numeric: 1,
		Caption: fmt.Sprintf("anomalies: %s of %s rows are labelled", thousands(int64(all[0].Labelled)), thousands(int64(all[0].N))),
		Header:  []string{"anomaly score", "alarm above", "alarms", "precision", "recall", "F1", "area under PR", "best F1 possible"},
	}
	for _, d := range all {
		t.Rows = append(t.Rows, []string{
			d.Score, d.Threshold.String(), thousands(int64(d.Alarms)), d.Precision.fixed(3), d.Recall.fixed(3), d.F1.fixed(3), d.AUPRC.fixed(3),
			fmt.Sprintf("%s above %s", d.BestF1.fixed(3), d.BestThreshold.fixed(2)),
		})
	}
	return t
}

// labelFlags adds the flags of commands that compare scores with labels.
func labelFlags(cmd *cobra.Command) {
	cmd.Flags().String("labels", "", `file of times and a column "anomaly" of 0 and 1, to compare the anomaly scores with`)
	cmd.Flags().String("history", "", "file to learn from before, which is not scored")
}

// readLabelled reads the files that labelFlags name: the history is put before
// data, as so many rows a series, and the labels of the rows [from, to) of the file
// itself are returned, nil without --labels.
func readLabelled(cmd *cobra.Command, c *config.Config, data *eval.Dataset, from, to int) (l *labels, before int, err error) {
	if path, _ := cmd.Flags().GetString("history"); path != "" {
		if before, err = readHistory(cmd.Context(), c, path, data); err != nil {
			return nil, 0, err
		}
	}
	if path, _ := cmd.Flags().GetString("labels"); path != "" {
		if to > 0 {
			to += before
		}
		l, err = readLabels(cmd.Context(), c, path, data, before+from, to)
	}
	return l, before, err
}

// labels say which rows of a data set are anomalous.
type labels struct {
	known, anomalous []bool // of all rows, in the order of the series
}

func (l *labels) pick(scores []float64) []float64 {
	var s []float64
	for i, known := range l.known {
		if known {
			s = append(s, scores[i])
		}
	}
	return s
}

func (l *labels) truth() []bool {
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

// readLabels reads a file with the times of the rows and a column of 0 and 1. Rows
// of data from row from on that it does not mention are not compared.
func readLabels(ctx context.Context, c *config.Config, path string, data *eval.Dataset, from, to int) (*labels, error) {
	lc := *c
	lc.Input.File = &config.FileInput{Path: path}
	lc.Input.CSV.ValueColumns = nil
	lc.Pipeline.Variables, lc.Pipeline.Interval = nil, 0
	lc.Model.Exogenous = nil
	marks, refused, err := readDataset(ctx, &lc)
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
	l := &labels{}
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

// readHistory puts the rows of a file before those of data and returns how many
// each series has got: the model learns from them, but they are not scored.
func readHistory(ctx context.Context, c *config.Config, path string, data *eval.Dataset) (rows int, err error) {
	hc := *c
	f := *c.Input.File
	f.Path = path
	hc.Input.File = &f
	before, _, err := readDataset(ctx, &hc)
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
