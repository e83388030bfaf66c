package study

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/build"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/stream"
)

// AnomalyReport is the output of anomalies.
type AnomalyReport struct {
	Dataset    string        `json:"dataset"`
	Level      report.Number `json:"level"` // of the intervals
	Score      string        `json:"score"`
	Threshold  report.Number `json:"threshold"`
	Stretches  []stretch     `json:"stretches"`
	Rows       []anomaly     `json:"rows"`
	Detections []Detection   `json:"detections,omitempty"`
}

// anomaly is the score of a row.
type anomaly struct {
	Series    string          `json:"series"`
	Row       int             `json:"row"`
	Time      string          `json:"time"`
	Score     report.Number   `json:"score"`
	View      string          `json:"view,omitempty"`
	Anomalous bool            `json:"is_anomaly"`          // part of an anomaly, with the rows between its alarms
	Variables []variableShare `json:"variables,omitempty"` // of an anomaly

	at int64
}

// stretch is an anomaly, with the largest score of its rows, and described by its most
// anomalous row of the view with the largest sum of scores.
type stretch struct {
	Series    string          `json:"series"`
	From      string          `json:"from"`
	To        string          `json:"to"`
	Rows      int             `json:"rows"`
	Score     report.Number   `json:"score"`
	View      string          `json:"view,omitempty"`
	Normal    bool            `json:"new_normal"` // it became the new normal
	Variables []variableShare `json:"variables,omitempty"`

	first   int                   // row
	sums    map[eval.View]float64 // of the scores of its rows, by view
	highest map[eval.View]anomaly // row of the view with the highest score
}

// add adds the row a, whose score is one of the view.
func (s *stretch) add(view eval.View, a anomaly) {
	if s.sums == nil {
		s.sums, s.highest = make(map[eval.View]float64), make(map[eval.View]anomaly)
	}
	s.Score = max(s.Score, a.Score)
	s.sums[view] += float64(a.Score)
	if a.Score > s.highest[view].Score {
		s.highest[view] = a
	}
	lead := view
	for v := range s.sums {
		if s.sums[v] > s.sums[lead] || s.sums[v] == s.sums[lead] && v < lead {
			lead = v
		}
	}
	s.View, s.Variables = s.highest[lead].View, s.highest[lead].Variables
}

// variableShare is a share of a score by the name of the variable.
type variableShare struct {
	Name     string        `json:"name"`
	Share    report.Number `json:"share"`
	Observed report.Number `json:"observed"`
	Expected report.Number `json:"expected"` // by the forecast one step before
	Lower    report.Number `json:"lower"`    // interval of that forecast; null until it is calibrated
	Upper    report.Number `json:"upper"`
}

// LevelSetLimit is the threshold of the rank that level sets give.
const LevelSetLimit = .99

// IntervalLevel is the level of the intervals beside anomalies, in a slice; empty = none.
func IntervalLevel(c *config.Config) []float64 { return c.Model.Levels[:min(1, len(c.Model.Levels))] }

// AnomaliesOf returns the anomaly scores of the samples of records: those of the one-step
// forecasts of the model of c, or those of level sets. Without a second sample it is an error.
func AnomaliesOf(ctx context.Context, c *config.Config, records *Records, samples *Samples, levelSets bool) (*Anomalies, error) {
	if err := samples.checkForecast(1); err != nil {
		return nil, err
	}
	one := *c
	m := &one.Model
	m.Horizon, m.Levels, m.Joint, one.Pipeline.Emit, one.Evaluate.Interval = 1, IntervalLevel(c), false, nil, 0
	if levelSets {
		m.Type, m.Anomaly.LevelSets = "persistence", true
	}
	e, err := build.NewEngine(&one, stream.AllSeries)
	if err != nil {
		return nil, err
	}
	s := &Anomalies{LevelSets: levelSets}
	_, err = records.learn(ctx, e, func(b *stream.Batch, _ int) { s.Add(b) })
	return s, err
}

// List fills in the rows that have a score, without the first ones of each series,
// and the anomalies among them, highest first.
func (r *AnomalyReport) List(data *Samples, all [][]RowScore, without int) {
	r.Rows, r.Stretches = []anomaly{}, []stretch{}
	for i, s := range data.Series {
		began := make(map[int64]int) // index of the stretch by the time of its first row
		for row := without; row < len(s.Rows); row++ {
			sc := all[i][row]
			if math.IsNaN(sc.Score) {
				continue
			}
			a := anomaly{Series: s.Name, Row: row - without, Score: report.Number(sc.Score), at: s.Times[row]}
			a.Time = rowTime(a.at)
			if sc.view >= 0 {
				a.View = sc.view.String()
			}
			for _, w := range sc.who {
				a.Variables = append(a.Variables, variableShare{
					s.Variables[w.variable], report.Number(w.share), report.Number(w.observed), report.Number(w.expected), report.Number(w.lower), report.Number(w.upper),
				})
			}
			a.Anomalous = sc.anomalous
			r.Rows = append(r.Rows, a)
			if !sc.anomalous {
				continue
			}
			k, known := began[sc.begin]
			if !known {
				k = len(r.Stretches)
				began[sc.begin] = k
				first, _ := slices.BinarySearch(s.Times[:row], sc.begin)
				first = max(first, without)
				r.Stretches = append(r.Stretches, stretch{Series: a.Series, From: rowTime(s.Times[first]), first: first - without})
			}
			st := &r.Stretches[k]
			last, _ := slices.BinarySearch(s.Times[:len(s.Rows)-1], max(a.at, sc.end))
			st.To, st.Rows, st.Normal = rowTime(s.Times[last]), last-without-st.first+1, st.Normal || sc.normal
			st.add(sc.view, a)
		}
	}
	slices.SortStableFunc(r.Stretches, func(x, y stretch) int { return cmp.Compare(y.Score, x.Score) })
}

// Headline is the number of anomalies and of their rows.
func (r *AnomalyReport) Headline() string {
	alarms := 0
	for _, s := range r.Stretches {
		alarms += s.Rows
	}
	return fmt.Sprintf("%s: %s, with %s of %s scored rows", r.Dataset,
		report.Count(len(r.Stretches), "anomaly", "anomalies"), report.Thousands(int64(alarms)), report.Thousands(int64(len(r.Rows))))
}

// Marked is the series with the highest score, without its first rows, its anomalies marked; nil
// without a score. The variables of its anomalies come first.
func (r *AnomalyReport) Marked(data *Samples, without int) *report.Marked {
	if len(r.Rows) == 0 {
		return nil
	}
	name := r.Rows[0].Series
	if len(r.Stretches) > 0 {
		name = r.Stretches[0].Series
	}
	s := data.Series[slices.IndexFunc(data.Series, func(s Series) bool { return s.Name == name })]
	m := &report.Marked{Series: name, Variables: s.Variables, Times: s.Times[without:], Rows: s.Rows[without:]}
	for _, a := range r.Stretches {
		if a.Series != name {
			continue
		}
		m.Stretches = append(m.Stretches, [2]int{a.first, a.first + a.Rows - 1})
		if len(a.Variables) > 0 {
			if j := slices.Index(s.Variables, a.Variables[0].Name); !slices.Contains(m.Leading, j) {
				m.Leading = append(m.Leading, j)
			}
		}
	}
	return m
}

func rowTime(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339Nano) }

const anomalyNote = "An anomaly of several rows is one line: cause and values are those of most of its rows, the score is the highest."

// Tables are the first anomalies and, if there are labels, how the scores agree with them.
func (r *AnomalyReport) Tables(top int) []report.Table {
	all := []report.Table{r.list(top)}
	if len(r.Detections) > 0 {
		all = append(all, DetectionTable(r.Detections))
	}
	return all
}

// list lists the first anomalies: where they peak, what was observed there of the variable
// behind it, and what was expected.
func (r *AnomalyReport) list(top int) report.Table {
	interval := "interval"
	if r.Level > 0 {
		interval = fmt.Sprintf("%v %% interval", 100*r.Level)
	}
	t := report.Table{
		Title: "Anomalies", Numeric: 4,
		Header: []string{"series", "from", "cause", "variable", "rows", "score", "observed", "expected", interval, "others", "to"},
		Spare:  []string{"to", "others", "rows"},
	}
	if slices.ContainsFunc(r.Stretches, func(s stretch) bool { return s.Rows > 1 }) {
		t.Caption = anomalyNote
	}
	if !slices.ContainsFunc(r.Stretches, func(s stretch) bool { return s.Series != r.Stretches[0].Series }) {
		t.Spare = append([]string{"series"}, t.Spare...)
	}
	for _, s := range r.Stretches[:min(top, len(r.Stretches))] {
		var main variableShare
		name, others := "", ""
		nan := report.Number(math.NaN())
		main.Observed, main.Expected, main.Lower = nan, nan, nan
		for i, v := range s.Variables {
			text := fmt.Sprintf("%s %.0f %%", v.Name, 100*float64(v.Share))
			switch {
			case i == 0:
				main, name = v, text
			case i > 1:
				others += ", " + text
			default:
				others = text
			}
		}
		row := []string{
			s.Series, TableTime(s.From), s.View, name, report.Thousands(int64(s.Rows)), s.Score.Fixed(2),
			main.Observed.Digits(5), main.Expected.Digits(5), "-", others, TableTime(s.To),
		}
		if s.Normal {
			row[10] += ", new normal"
		}
		if !math.IsNaN(float64(main.Lower)) {
			row[8] = main.Lower.Digits(4) + " … " + main.Upper.Digits(4)
		}
		t.Rows = append(t.Rows, row)
	}
	AlignTimes(t, 1, 10)
	return t
}

// AlignTimes gives all times of some columns an hour, if one of them has one.
func AlignTimes(t report.Table, columns ...int) {
	var dates []*string
	hours := false
	for _, row := range t.Rows {
		for _, column := range columns {
			if date, _, _ := strings.Cut(row[column], ","); len(date) == len(time.DateOnly) {
				dates = append(dates, &row[column])
			} else {
				hours = true
			}
		}
	}
	if !hours {
		return
	}
	for _, cell := range dates {
		n := len(time.DateOnly)
		*cell = (*cell)[:n] + " 00:00" + (*cell)[n:]
	}
}

// TableTime shortens a time in RFC 3339 that is at midnight or has no fraction of a second.
func TableTime(text string) string {
	t, err := time.Parse(time.RFC3339Nano, text)
	switch {
	case err != nil || t.Nanosecond() != 0:
		return text
	case t.Equal(t.Truncate(24 * time.Hour)):
		return t.Format(time.DateOnly)
	case t.Equal(t.Truncate(time.Minute)):
		return t.Format("2006-01-02 15:04")
	}
	return t.Format(time.DateTime)
}
