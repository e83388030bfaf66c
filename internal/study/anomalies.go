package study

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/orffvar/forecaster/eval/anomaly"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
)

// AnomalyReport is the output of anomalies. In JSON the rows come before it: see RowWriter.
type AnomalyReport struct {
	Dataset    string        `json:"dataset"`
	Level      report.Number `json:"level"` // level of the intervals
	Score      string        `json:"score"`
	Threshold  report.Number `json:"threshold"`
	Stretches  []stretch     `json:"stretches"`
	Detections []Detection   `json:"detections,omitempty"`

	// RowNumbers prints rows, counted from 0 in each series, in place of times: a file without a clock has times of 1970.
	RowNumbers bool `json:"-"`

	scored, unscored int // number of rows with a score
}

// Unscored is the number of rows without a score.
func (r *AnomalyReport) Unscored() int { return r.unscored }

// stretch is an anomaly, with the times, the score, the cause and the shares of its events.
type stretch struct {
	Series    string          `json:"series"`
	From      string          `json:"from"`
	To        string          `json:"to"`
	Rows      int             `json:"rows"`
	Score     report.Number   `json:"score"`
	State     report.Number   `json:"state_score"` // largest state score; null for level sets
	View      string          `json:"view,omitempty"`
	Normal    bool            `json:"new_normal"`    // it became the new normal
	False     report.Number   `json:"false_per_day"` // expected alarms with at least this score; null for level sets
	Variables []variableShare `json:"variables,omitempty"`

	first int // index of the first row
}

// variableShare is the share of a variable in a score, with its values in one row. For an anomaly, this is the row
// in which the variable is furthest from its forecast.
type variableShare struct {
	Name     string        `json:"name"`
	Share    report.Number `json:"share"`
	Time     string        `json:"time"`
	Observed report.Number `json:"observed"`
	Expected report.Number `json:"expected"` // one-step forecast
	Lower    report.Number `json:"lower"`    // interval of that forecast; null until it is calibrated
	Upper    report.Number `json:"upper"`
}

func newVariableShare(name string, share float64, v *rowValue) variableShare {
	return variableShare{
		name, report.Number(share), rowTime(v.time), report.Number(v.observed), report.Number(v.expected), report.Number(v.lower), report.Number(v.upper),
	}
}

// LevelSetLimit is the alarm threshold of the level-set score, which is a rank in [0, 1].
const LevelSetLimit = .99

// IntervalLevel returns the level of the intervals beside anomalies, as a slice; empty: no intervals.
func IntervalLevel(c *config.Config) []float64 { return c.Model.Levels[:min(1, len(c.Model.Levels))] }

// AnomaliesOf adds the anomaly scores of records to s: from the one-step forecasts of the model of c, or from level
// sets. It returns an error unless a series has two samples. samples are the outline of records. steps counts the
// records.
func AnomaliesOf(ctx context.Context, c *config.Config, records *Records, samples *Samples, s *Anomalies, steps *atomic.Int64) error {
	if err := samples.checkForecast(1); err != nil {
		return err
	}
	one := *c
	m := &one.Model
	m.Horizon, m.Levels, m.Joint, one.Pipeline.Emit, one.Evaluate.Interval = 1, IntervalLevel(c), false, nil, 0
	if s.LevelSets {
		m.Type, m.Anomaly.LevelSets = "persistence", true
	}
	e, err := wire.NewEngine(&one, stream.AllSeries)
	if err != nil {
		return err
	}
	return records.teach(ctx, &learner{engine: e, model: m.Type, see: func(b *stream.Batch, n int) { s.Add(b); steps.Add(int64(n)) }})
}

// List sets the anomalies, highest score first. Anomalies within the history are left out.
func (r *AnomalyReport) List(all *Anomalies) {
	r.Stretches, r.scored, r.unscored = []stretch{}, all.scored, all.unscored
	for _, s := range all.series {
		for k := range s.found {
			a := &s.found[k]
			if a.last < all.Skip {
				continue
			}
			first, from := a.first, a.from
			if first < all.Skip {
				first, from = all.Skip, s.began
			}
			st := stretch{
				Series: s.Name, From: rowTime(from), To: rowTime(a.to), Rows: a.last - first + 1,
				Score: report.Number(a.Score), State: report.Number(a.StateScore), View: viewName(a.Cause), Normal: a.Normal,
				False: report.Number(a.FalsePerDay), first: first - all.Skip,
			}
			for _, j := range a.Blamed() {
				st.Variables = append(st.Variables, newVariableShare(s.Variables[j], a.Shares[j], &a.furthest[j]))
			}
			r.Stretches = append(r.Stretches, st)
		}
	}
	slices.SortStableFunc(r.Stretches, func(x, y stretch) int { return cmp.Compare(y.Score, x.Score) })
}

// Headline returns the numbers of anomalies and of their rows.
func (r *AnomalyReport) Headline() string {
	if r.scored == 0 {
		return r.Dataset + ": no scored row"
	}
	if len(r.Stretches) == 0 {
		return fmt.Sprintf("%s: no anomaly in %s", r.Dataset, plural.Count(r.scored, "scored row"))
	}
	type row struct {
		series string
		at     int
	}
	rows := make(map[row]bool) // a set: anomalies overlap
	for _, s := range r.Stretches {
		for i := range s.Rows {
			rows[row{s.Series, s.first + i}] = true
		}
	}
	return fmt.Sprintf("%s: %s, with %s of %s scored rows", r.Dataset,
		plural.Count(len(r.Stretches), "anomaly"), plural.Thousands(len(rows)), plural.Thousands(r.scored))
}

// Marked returns the series with the highest anomaly (the first series if there is none), without its first rows, and
// marks its anomalies. The main variables of the anomalies come first. Marked returns nil if no row has a score.
func (r *AnomalyReport) Marked(data *Samples, without int) *report.Marked {
	if r.scored == 0 {
		return nil
	}
	name := data.Series[0].Name
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

// viewName returns the name of a view; "" for level sets, which have no views.
func viewName(v anomaly.View) string {
	if v < 0 {
		return ""
	}
	return v.String()
}

func rowTime(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339Nano) }

const anomalyNote = "An anomaly of several rows is one line: cause and variables are those of all its rows, the score is the highest, the values are those furthest from their forecast."

// Tables returns the top anomalies and, with labels, the agreement of the scores with the labels.
func (r *AnomalyReport) Tables(top int) []report.Table {
	all := []report.Table{r.list(top)}
	if len(r.Detections) > 0 {
		all = append(all, DetectionTable(r.Detections))
	}
	return all
}

// list returns the table of the top anomalies. Values are those of the main variable in the row in which it is furthest
// from its forecast.
func (r *AnomalyReport) list(top int) report.Table {
	interval := "interval"
	if r.Level > 0 {
		interval = fmt.Sprintf("%v %% interval", 100*r.Level)
	}
	t := report.Table{
		Title: "Anomalies", Numeric: 4,
		Header: []string{"series", "from", "cause", "variable", "rows", "score", "state", "observed", "expected", interval, "others", "to", "by chance"},
		Spare:  []string{"to", "others", "by chance", "rows", "state"},
	}
	if slices.ContainsFunc(r.Stretches, func(s stretch) bool { return s.Rows > 1 }) {
		t.Caption = anomalyNote
	}
	if !slices.ContainsFunc(r.Stretches, func(s stretch) bool { return s.Series != r.Stretches[0].Series }) {
		t.Spare = append([]string{"series"}, t.Spare...)
	}
	const named = 3 // variables
	for _, s := range r.Stretches[:min(top, len(r.Stretches))] {
		var main variableShare
		name, others := "", ""
		nan := report.Number(math.NaN())
		main.Observed, main.Expected, main.Lower = nan, nan, nan
		for i, v := range s.Variables[:min(named, len(s.Variables))] {
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
		values := report.Apart(5, main.Observed, main.Expected)
		row := []string{
			s.Series, TableTime(s.From), s.View, name, plural.Thousands(s.Rows), s.Score.Fixed(2), s.State.Fixed(2),
			values[0], values[1], "-", others, TableTime(s.To), event.FalseAlarmText(float64(s.False)),
		}
		if r.RowNumbers {
			row[1], row[11], row[12] = fmt.Sprintf("row %d", s.first), fmt.Sprintf("row %d", s.first+s.Rows-1), ""
		}
		if s.Normal {
			row[11] += ", new normal"
		}
		if !math.IsNaN(float64(main.Lower)) {
			row[9] = strings.Join(report.Apart(4, main.Lower, main.Upper), " … ")
		}
		t.Rows = append(t.Rows, row)
	}
	if !r.RowNumbers {
		AlignTimes(t, 1, 11)
	}
	if n := len(r.Stretches) - top; n > 0 {
		t.More = fmt.Sprintf("and %s more; --top %d, or --output json", plural.Thousands(n), len(r.Stretches))
	}
	return t
}

// AlignTimes adds 00:00 to the dates in the given columns if one of the cells there has an hour.
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

// TableTime shortens a time in RFC 3339 without a fraction of a second: midnight to the date, a full minute to minutes.
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
