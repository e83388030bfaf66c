package study

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/footprint"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/assemble"
	"github.com/orffvar/forecaster/stream/format/sniff"
	"github.com/orffvar/forecaster/varmodel/auto"
)

// Limits of a description: the rows that are held per series, the series that are described, and the rows that the model
// learns to find seasons and to measure its cost.
const (
	describedRows   = 20000
	describedSeries = 20
	triedRows       = 3000
)

// Description describes a file without forecasting it.
type Description struct {
	Dataset string            `json:"dataset"`
	Assumed string            `json:"assumed"` // assumptions about the format
	Noted   string            `json:"noted"`   // assumptions that are safe for ordinary data
	Rows    int               `json:"rows"`
	Series  []DescribedSeries `json:"series"` // the first series
	Number  int               `json:"number_of_series"`
	Refused int64             `json:"refused"`
	Model   string            `json:"model"`

	Proposed []string `json:"proposed"` // settings for other commands

	Refusals wire.Refusals `json:"-"`

	Micros report.Number `json:"microseconds_per_row"` // processing time of the model
	Bytes  int64         `json:"bytes_per_series"`     // memory of the model, for the series that needs most
}

// DescribedSeries describes a series.
type DescribedSeries struct {
	Name      string              `json:"series"`
	Rows      int                 `json:"rows"`
	From      string              `json:"from"`
	To        string              `json:"to"`
	Spacing   string              `json:"spacing"` // most frequent step between two rows
	Regular   report.Number       `json:"regular"` // share of the steps that equal Spacing
	Gaps      int                 `json:"gaps"`
	Lacking   int64               `json:"lacking_rows"` // number of rows missing in the gaps
	Seasons   []int               `json:"seasons"`      // periods in rows
	Variables []DescribedVariable `json:"variables"`
	Alike     []Alike             `json:"correlated"`

	steps map[int64]int
	first int64
	last  int64
	times []int64
	rows  [][]float64 // last rows
}

// DescribedVariable describes a variable. Trend, Seasons and Levels come from the last rows alone.
type DescribedVariable struct {
	Name      string           `json:"name"`
	Known     int              `json:"known"`
	Missing   int              `json:"missing"`
	Least     report.Number    `json:"min"`
	Mean      report.Number    `json:"mean"`
	SD        report.Number    `json:"sd"`
	Largest   report.Number    `json:"max"`
	Repeats   report.Number    `json:"repeats"` // share of the values that equal the previous value
	Longest   int              `json:"longest_run"`
	Sentinels []sniff.Sentinel `json:"sentinels"`
	Kind      string           `json:"kind"` // no values, constant, counter, count, share, percentage or measurement
	Resets    int              `json:"resets"`
	Trend     report.Number    `json:"trend_share"`   // share of the variance that a straight line explains
	Seasons   []report.Number  `json:"season_shares"` // by season: share of the remaining variance that it explains alone
	Levels    []Level          `json:"level_changes"`

	moments moments
	course  assemble.Course
	before  float64
	run     int
}

// Level is a lasting change of the mean.
type Level struct {
	Time string        `json:"time"`
	From report.Number `json:"from"`
	To   report.Number `json:"to"`
}

// Alike is a pair of variables whose detrended values are correlated.
type Alike struct {
	A           string        `json:"a"`
	B           string        `json:"b"`
	Correlation report.Number `json:"correlation"`
}

type moments struct{ n, mean, m2 float64 }

func (m *moments) add(v float64) {
	m.n++
	d := v - m.mean
	m.mean += d / m.n
	m.m2 += d * (v - m.mean)
}

// DescribeRecords describes records. It runs the model of c on the last rows.
func DescribeRecords(ctx context.Context, c *config.Config, records *Records) (*Description, error) {
	d := &Description{Dataset: records.Name, Model: c.Model.Type, Series: []DescribedSeries{}}
	var series []*DescribedSeries
	to := &collector{}
	to.see = func(i int, at int64, row []float64) {
		if i == len(series) {
			series = append(series, newDescribedSeries(&to.samples.Series[i], at))
		}
		if i < describedSeries {
			series[i].add(at, row)
		}
	}
	samples, err := records.collect(ctx, c, to)
	if err != nil {
		return nil, err
	}
	d.Rows, d.Number, d.Refused = samples.Len(), len(samples.Series), samples.Refusals.Total()
	d.Refusals = samples.Refusals
	for _, s := range series[:min(len(series), describedSeries)] {
		if err := d.try(ctx, c, s); err != nil {
			return nil, err
		}
		s.finish()
		d.Series = append(d.Series, *s)
	}
	d.Proposed = append([]string{}, d.proposals(c)...)
	return d, nil
}

func newDescribedSeries(s *Series, at int64) *DescribedSeries {
	d := &DescribedSeries{Name: s.Name, From: rowTime(at), first: at, last: at, steps: make(map[int64]int), Seasons: []int{}, Alike: []Alike{}}
	for _, name := range s.Variables {
		nan := report.Number(math.NaN())
		d.Variables = append(d.Variables, DescribedVariable{
			Name: name, Least: nan, Largest: nan, before: math.NaN(),
			Sentinels: []sniff.Sentinel{}, Seasons: []report.Number{}, Levels: []Level{},
		})
	}
	return d
}

// add adds a row.
func (s *DescribedSeries) add(at int64, row []float64) {
	const most = 10000 // largest number of different steps that are counted
	if step := at - s.last; s.Rows > 0 && (len(s.steps) < most || s.steps[step] > 0) {
		s.steps[step]++
	}
	s.Rows++
	s.last = at
	if len(s.rows) >= 2*describedRows {
		s.times = s.times[:copy(s.times, s.times[describedRows:])]
		s.rows = s.rows[:copy(s.rows, s.rows[describedRows:])]
	}
	s.times, s.rows = append(s.times, at), append(s.rows, slices.Clone(row))
	for j, y := range row {
		s.Variables[j].add(y)
	}
}

func (v *DescribedVariable) add(y float64) {
	if math.IsNaN(y) {
		v.Missing++
		return
	}
	v.Known++
	v.moments.add(y)
	v.course.Add(y)
	if y == v.before {
		v.run++
	} else {
		v.run = 1
	}
	v.Longest = max(v.Longest, v.run)
	v.before = y
}

// finish computes the properties that need all rows.
func (s *DescribedSeries) finish() {
	s.To = rowTime(s.last)
	spacing, n, all := int64(0), 0, max(s.Rows-1, 1)
	alike, sum := make(map[string]int), make(map[string]int64) // by name of the spacing: number and sum of the steps
	for step, count := range s.steps {
		name := config.SpacingText(time.Duration(step))
		alike[name] += count
		sum[name] += step * int64(count)
	}
	for step := range s.steps {
		count := alike[config.SpacingText(time.Duration(step))]
		if count > n || count == n && step < spacing {
			spacing, n = step, count
		}
	}
	s.Spacing, s.Regular = config.SpacingText(time.Duration(spacing)), report.Number(float64(n)/float64(all))
	mean := float64(sum[s.Spacing]) / float64(n) // months differ in length
	if s.Rows == 1 {
		s.Spacing, s.Regular = "-", report.Number(math.NaN())
	}
	for step, count := range s.steps {
		if spacing > 0 && step > 3*spacing/2 {
			s.Gaps += count
			s.Lacking += int64(count) * ((step+spacing/2)/spacing - 1)
		}
	}
	from := max(0, len(s.rows)-describedRows)
	times, rows := s.times[from:], s.rows[from:]
	places := func(period int) []int {
		switch {
		case spacing == 0:
			return rowPlaces(len(rows))
		case period == auto.MonthPhases && s.Spacing == config.SpacingText(24*time.Hour):
			return monthPlaces(times)
		}
		return timePlaces(times, mean)
	}
	columns := make([][]float64, len(s.Variables))
	for j := range s.Variables {
		columns[j] = make([]float64, len(rows))
		for i, row := range rows {
			columns[j][i] = row[j]
		}
		s.Variables[j].finish(times, places, columns[j], s.Seasons)
		columns[j], _ = detrend(columns[j])
	}
	s.correlate(columns)
}

// finish computes the properties of a variable from its values y in the last rows. places returns the positions of the
// rows in a season with a period.
func (v *DescribedVariable) finish(times []int64, places func(period int) []int, y []float64, seasons []int) {
	v.Mean, v.SD = report.Number(v.moments.mean), report.Number(math.Sqrt(v.moments.m2/v.moments.n))
	if v.Known == 0 {
		v.Mean, v.Repeats, v.Trend, v.Kind = report.Number(math.NaN()), report.Number(math.NaN()), report.Number(math.NaN()), "no values"
		return
	}
	v.Least, v.Largest, v.Resets = report.Number(v.course.Least), report.Number(v.course.Largest), v.course.Resets
	v.Repeats = report.Number(float64(v.course.Same) / float64(max(v.Known-1, 1)))
	v.Sentinels = append(v.Sentinels, sniff.Sentinels(slices.DeleteFunc(slices.Clone(y), math.IsNaN))...)
	switch {
	case v.Least == v.Largest:
		v.Kind = "constant"
	case v.course.Counter():
		v.Kind = "counter"
	case v.Least >= 0 && v.Largest <= 100 && v.Largest > 1 && percentage(v.Name):
		v.Kind = "percentage"
	case v.Least >= 0 && v.Largest <= 1 && !v.course.Whole:
		v.Kind = "share"
	case v.Least >= 0 && v.course.Whole:
		v.Kind = "count"
	default:
		v.Kind = "measurement"
	}
	rest, share := detrend(y)
	v.Trend = report.Number(share)
	for i, p := range seasons {
		share, _ := seasonOf(rest, places(p), p)
		v.Seasons = append(v.Seasons, report.Number(share))
		if i == 0 {
			_, y = seasonOf(y, places(p), p)
		}
	}
	for _, at := range levelChanges(y) {
		v.Levels = append(v.Levels, Level{rowTime(times[at.row]), report.Number(at.before), report.Number(at.after)})
	}
}

// percentage reports whether the name of a variable suggests a percentage.
func percentage(name string) bool {
	name = strings.ToLower(name)
	return strings.ContainsAny(name, "%") || slices.ContainsFunc([]string{"pct", "percent", "humidity", "usage", "utilization", "utilisation", "idle"}, func(w string) bool { return strings.Contains(name, w) })
}

// correlate lists the pairs of variables whose detrended values have a correlation of at least 0.8, highest first.
func (s *DescribedSeries) correlate(columns [][]float64) {
	const least, most = .8, 10
	for i := range columns {
		for j := range i {
			var a, b []float64
			for k := range columns[i] {
				if x, y := columns[j][k], columns[i][k]; !math.IsNaN(x) && !math.IsNaN(y) {
					a, b = append(a, x), append(b, y)
				}
			}
			if r := stat.Correlation(a, b, nil); len(a) > 10 && math.Abs(r) >= least {
				s.Alike = append(s.Alike, Alike{s.Variables[j].Name, s.Variables[i].Name, report.Number(r)})
			}
		}
	}
	slices.SortStableFunc(s.Alike, func(x, y Alike) int {
		return cmp.Compare(math.Abs(float64(y.Correlation)), math.Abs(float64(x.Correlation)))
	})
	s.Alike = s.Alike[:min(most, len(s.Alike))]
}

// try runs the model on the last rows of a series, to find its seasons and the cost of the model.
func (d *Description) try(ctx context.Context, c *config.Config, s *DescribedSeries) error {
	one := *c
	one.Evaluate.Interval = 0
	one.Pipeline.Rate = nil // the held rows are rates already
	e, err := wire.NewEngine(&one, stream.AllSeries)
	if err != nil {
		return err
	}
	names := make([]string, len(s.Variables))
	for j := range names {
		names[j] = s.Variables[j].Name
	}
	r := &Records{Name: d.Dataset}
	for i := max(0, len(s.rows)-triedRows); i < len(s.rows); i++ {
		r.list = append(r.list, decoded{Record: stream.Record{Message: &stream.Message{}, Series: s.Name, Time: s.times[i], Names: names, Values: s.rows[i]}})
	}
	l := &learner{engine: e, model: c.Model.Type, see: func(*stream.Batch, int) {}}
	if err := r.teach(ctx, l); err != nil {
		return err
	}
	d.Micros = max(d.Micros, report.Number(l.elapsed.Seconds()*1e6/float64(len(r.list))))
	d.Bytes = max(d.Bytes, footprint.Of(e))
	e.Seasons(func(_ *stream.Series, samples []int) { s.Seasons = slices.Clone(samples) })
	return nil
}

// Headline returns the name of the file and its numbers of rows, series and variables.
func (d *Description) Headline() string {
	variables := 0
	for i := range d.Series {
		variables = max(variables, len(d.Series[i].Variables))
	}
	text := fmt.Sprintf("%s: %s of %s, %s", d.Dataset, plural.Count(d.Rows, "row"), plural.Count(d.Number, "series"), plural.Count(variables, "variable"))
	if d.Refused > 0 {
		text += fmt.Sprintf("; %s refused", plural.Thousands(d.Refused))
	}
	return text
}

// Cost returns the time and the memory of the model in words.
func (d *Description) Cost() string {
	return fmt.Sprintf("Model %s: %s µs per row, %s s for the file; about %s kB of memory per series.", d.Model, d.Micros.Digits(2),
		report.Number(float64(d.Micros)*float64(d.Rows)/1e6).Digits(2), plural.Thousands(d.Bytes/1000))
}

// Tables returns the description as tables.
func (d *Description) Tables() []report.Table {
	series := report.Table{
		Title: "Series", Numeric: 3, Header: []string{"series", "from", "to", "rows", "spacing", "regular\nsteps", "gaps", "lacking\nrows", "seasons"},
		Caption: "regular steps: share of the steps that are the spacing. Seasons are those that the model finds in the last rows, in rows.",
		Spare:   []string{"lacking\nrows"},
	}
	if d.Number > len(d.Series) {
		series.More = fmt.Sprintf("and %d more series", d.Number-len(d.Series))
	}
	variables := report.Table{
		Title: "Variables", Numeric: 2, Header: []string{"series", "variable", "min", "mean", "max", "sd", "missing", "repeats", "kind", "trend", "season"},
		Caption: "repeats: share of the values that equal the one before. trend: share of the variance that a straight line explains;\n" +
			"season: share of what it leaves that the strongest season explains.",
		Spare: []string{"sd", "repeats"},
	}
	notes := report.Table{Title: "Look at", Numeric: 3, Header: []string{"series", "variable", "what"}}
	for i := range d.Series {
		s := &d.Series[i]
		seasons := make([]string, len(s.Seasons))
		for k, p := range s.Seasons {
			seasons[k] = plural.Thousands(p)
			if p == auto.MonthPhases && s.Spacing == config.SpacingText(24*time.Hour) {
				seasons[k] += " (month)"
			}
		}
		series.Rows = append(series.Rows, []string{
			s.Name, TableTime(s.From), TableTime(s.To), plural.Thousands(s.Rows), s.Spacing, strings.TrimPrefix((100*s.Regular).Digits(3)+" %", "- %"),
			plural.Thousands(s.Gaps), plural.Thousands(s.Lacking), cmp.Or(strings.Join(seasons, ", "), "-"),
		})
		for j := range s.Variables {
			v := &s.Variables[j]
			season := "-"
			if len(v.Seasons) > 0 {
				season = slices.Max(v.Seasons).Fixed(2)
			}
			variables.Rows = append(variables.Rows, []string{
				s.Name, v.Name, v.Least.Digits(5), v.Mean.Digits(5), v.Largest.Digits(5), v.SD.Digits(3), plural.Thousands(v.Missing),
				v.Repeats.Fixed(2), v.Kind, v.Trend.Fixed(2), season,
			})
			for _, text := range v.notes() {
				notes.Rows = append(notes.Rows, []string{s.Name, v.Name, text})
			}
		}
		for _, a := range s.Alike {
			notes.Rows = append(notes.Rows, []string{s.Name, a.A, fmt.Sprintf("correlation %s with %s", a.Correlation.Fixed(2), a.B)})
		}
	}
	AlignTimes(series, 1, 2)
	if d.Number == 1 {
		for _, t := range []*report.Table{&variables, &notes} {
			for i := range t.Rows {
				t.Rows[i] = t.Rows[i][1:]
			}
			t.Header, t.Numeric = t.Header[1:], t.Numeric-1
		}
	}
	tables := []report.Table{series, variables}
	if len(notes.Rows) > 0 {
		tables = append(tables, notes)
	}
	return tables
}

// notes lists unusual properties of a variable.
func (v *DescribedVariable) notes() (texts []string) {
	for _, f := range v.Sentinels {
		texts = append(texts, fmt.Sprintf("%v comes %d times, far from all other values: a missing value?", report.Number(f.Value), f.Count))
	}
	if v.Kind == "counter" {
		texts = append(texts, "rises but for resets, as a counter does; resets: "+plural.Thousands(v.Resets))
	}
	if all := v.Known + v.Missing; v.Known > 0 && 2*v.Missing >= all {
		texts = append(texts, fmt.Sprintf("%d %% of the values are missing", 100*v.Missing/all))
	}
	others := max(v.Known-v.course.Same-1, 1) // number of runs, without the longest
	if v.Kind != "constant" && v.Longest >= 20 && v.Longest >= 10*(v.Known-v.Longest)/others {
		texts = append(texts, fmt.Sprintf("the same value %s times in a row", plural.Thousands(v.Longest)))
	}
	for _, l := range v.Levels {
		texts = append(texts, fmt.Sprintf("mean of %s until %s, %s from then on", l.From.Digits(4), TableTime(l.Time), l.To.Digits(4)))
	}
	return texts
}
