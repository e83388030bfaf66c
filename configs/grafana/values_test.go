package grafana

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/influxdata/line-protocol/v2/lineprotocol"
)

// point is a point that the run of fill has written, as its file of line protocol has it.
type point struct {
	measurement string
	tags        map[string]string
	fields      map[string]float64 // numbers
	at          time.Time
}

// points reads a file of line protocol.
func points(t *testing.T, path string) (all []point) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for d := lineprotocol.NewDecoderWithBytes(text); d.Next(); {
		p := point{tags: make(map[string]string), fields: make(map[string]float64)}
		name, err := d.Measurement()
		check(err)
		p.measurement = string(name)
		for {
			key, value, err := d.NextTag()
			check(err)
			if key == nil {
				break
			}
			p.tags[string(key)] = string(value)
		}
		for {
			key, value, err := d.NextField()
			check(err)
			if key == nil {
				break
			}
			switch v := value.Interface().(type) {
			case float64:
				p.fields[string(key)] = v
			case int64:
				p.fields[string(key)] = float64(v)
			case string:
				p.fields[string(key)] = 1 // it is there
			}
		}
		p.at, err = d.Time(lineprotocol.Nanosecond, time.Time{})
		check(err)
		all = append(all, p)
	}
	return all
}

// question is what somebody asks of a dashboard: its choices, and the range of time.
type question struct {
	points   []point
	set      map[string]string
	from, to time.Time
}

// value is a number of a group at a time.
type value struct {
	group string
	at    time.Time
	v     float64
}

// pick returns a field of a measurement within the range; tags are pairs of a tag and its value. The group of a value
// is the values of tags, with commas between them, as their names have.
func (q *question) pick(measurement, field, group string, tags ...string) (all []value) {
	for _, p := range q.points {
		v, found := p.fields[field]
		fits := found && p.measurement == measurement && !p.at.Before(q.from) && !p.at.After(q.to)
		for i := 0; fits && i < len(tags); i += 2 {
			fits = p.tags[tags[i]] == tags[i+1]
		}
		if fits {
			var of []string
			for name := range strings.SplitSeq(group, ",") {
				of = append(of, p.tags[name])
			}
			all = append(all, value{strings.Join(of, ","), p.at, v})
		}
	}
	slices.SortStableFunc(all, func(a, b value) int { return a.at.Compare(b.at) })
	return all
}

// series is pick of the chosen series.
func (q *question) series(measurement, field, group string, tags ...string) []value {
	return q.pick(measurement, field, group, append(tags, q.set["tag"], q.set["value"])...)
}

// score is the chosen score of the chosen variable.
func (q *question) score(field string) []value {
	return q.series("forecast_metrics", field, "", "target", q.set["variable"], "horizon", q.set["horizon"], "model", q.set["model"])
}

// scores are those of all models.
func (q *question) scores(field, target string) []value {
	return q.series("forecast_metrics", field, "model", "target", target, "horizon", q.set["horizon"])
}

// windows merges the values of each group and half minute.
func windows(all []value, merge func([]float64) float64) []float64 {
	parts := make(map[value][]float64)
	for _, x := range all {
		key := value{group: x.group, at: x.at.Truncate(window)}
		parts[key] = append(parts[key], x.v)
	}
	var merged []float64
	for _, values := range parts {
		merged = append(merged, merge(values))
	}
	return merged
}

// whole merges all values of each group.
func whole(all []value, merge func([]float64) float64) []float64 {
	parts := make(map[string][]float64)
	for _, x := range all {
		parts[x.group] = append(parts[x.group], x.v)
	}
	var merged []float64
	for _, values := range parts {
		merged = append(merged, merge(values))
	}
	return merged
}

func last(values []float64) float64 { return values[len(values)-1] }

func mean(values []float64) float64 { return sum(values) / float64(len(values)) }

func sum(values []float64) (s float64) {
	for _, v := range values {
		s += v
	}
	return s
}

// alarms counts scores above 1.
func alarms(values []float64) (n float64) {
	for _, v := range values {
		if v > 1 {
			n++
		}
	}
	return n
}

func count(values []float64) float64 { return float64(len(values)) }

// window is v.windowPeriod and $__interval in the tests.
const window = 30 * time.Second

// answer is the numbers that a panel shall show, in any order; those of the column, where a table has several.
type answer struct {
	numbers func(q *question) []float64
	column  string
	ahead   bool // PromQL has another question

	// until ends the range of time where the number tells a right query from its neighbours; nil = at the end.
	until func(q *question) time.Time
}

// afterFirst is just after the first value that fits.
func afterFirst(all []value, fits func(v float64) bool) time.Time {
	return all[slices.IndexFunc(all, func(x value) bool { return fits(x.v) })].at.Add(time.Second)
}

// unexpected are those whose numbers follow the clock, or are texts.
var unexpected = []string{
	"forecast/Events/A", "fleet/Events/A", "system/Events/A", "system/Age of the newest sample/A", "system/Reach of the forecasts/A",
	"forecast/Latest forecast/E", "forecast/Variables behind an anomaly/A", "quality/Experts in the mixture/A", "system/Newest sample/A",
}

// expected has what the panels say in words, computed from the points: board, title, query.
var expected = map[string]answer{
	"forecast/Skill against persistence/A": {numbers: func(q *question) []float64 { return whole(q.score("skill_vs_persistence"), last) }},
	"forecast/Coverage/A":                  {numbers: func(q *question) []float64 { return whole(q.score("coverage"), last) }},
	"forecast/Scored samples/A":            {numbers: func(q *question) []float64 { return whole(q.score("n"), last) }},
	"forecast/Alarms/A":                    {numbers: func(q *question) []float64 { return whole(q.series("observation", "anomaly_score", ""), alarms) }},
	"forecast/Latest forecast/A":           {numbers: func(q *question) []float64 { return windows(q.series("observation", q.set["variable"], ""), mean) }},
	"forecast/Latest forecast/B":           {numbers: func(q *question) []float64 { return q.newest("") }},
	"forecast/Latest forecast/C":           {numbers: func(q *question) []float64 { return q.newest("_lower") }},
	"forecast/Latest forecast/D":           {numbers: func(q *question) []float64 { return q.newest("_upper") }},
	"forecast/Anomaly score of the sample/A": {numbers: func(q *question) []float64 {
		return windows(q.series("observation", "anomaly_score", ""), slices.Max[[]float64])
	}},
	"forecast/Reach of the horizons/A":    {numbers: func(q *question) []float64 { return q.newest("") }, column: "forecast", ahead: true},
	"forecast/Forecasts of one horizon/A": {numbers: func(q *question) []float64 { return windows(q.series("observation", q.set["variable"], ""), mean) }},
	"forecast/Forecasts of one horizon/B": {numbers: func(q *question) []float64 { return windows(q.forecasts(""), mean) }},
	"forecast/Forecasts of one horizon/C": {numbers: func(q *question) []float64 { return windows(q.forecasts("_lower"), mean) }},
	"forecast/Forecasts of one horizon/D": {numbers: func(q *question) []float64 { return windows(q.forecasts("_upper"), mean) }},

	"fleet/Series/A": {numbers: func(q *question) []float64 { return []float64{float64(len(q.newestScores()))} }},
	"fleet/Series in alarm/A": {numbers: func(q *question) []float64 { return []float64{alarms(q.newestScores())} }, until: func(q *question) time.Time {
		return afterFirst(q.pick("observation", "anomaly_score", ""), func(v float64) bool { return v > 2 }) // and another is between 1 and 2
	}},
	"fleet/Alarms/A": {numbers: func(q *question) []float64 { return whole(q.pick("observation", "anomaly_score", ""), alarms) }},
	"fleet/Most unusual/A": {numbers: func(q *question) []float64 {
		return whole(q.pick("observation", "anomaly_score", q.set["tag"]), slices.Max[[]float64])
	}, column: "score"},
	"fleet/Alarms over time/A": {numbers: func(q *question) []float64 {
		return windows(q.pick("observation", "anomaly_score", q.set["tag"]), alarms)
	}},

	"quality/Mean squared error (SCV)/A":  {numbers: func(q *question) []float64 { return windows(q.scores("scv_mse", q.set["target"]), last) }},
	"quality/Root mean squared error/A":   {numbers: func(q *question) []float64 { return windows(q.scores("rmse", q.set["target"]), last) }},
	"quality/Skill against persistence/A": {numbers: func(q *question) []float64 { return windows(q.scores("skill_vs_persistence", q.set["target"]), last) }},
	"quality/Skill against VAR(1)/A":      {numbers: func(q *question) []float64 { return windows(q.scores("skill_vs_var", q.set["target"]), last) }},
	"quality/Coverage/A":                  {numbers: func(q *question) []float64 { return windows(q.scores("coverage", q.set["target"]), last) }},
	"quality/Coverage/B":                  {numbers: func(q *question) []float64 { return windows(q.scores("joint_coverage", "_all"), last) }},
	"quality/Width of the interval/A":     {numbers: func(q *question) []float64 { return windows(q.scores("width", q.set["target"]), last) }},

	"quality/Latest scores/A": {numbers: func(q *question) []float64 {
		return whole(q.series("forecast_metrics", "rmse", "model,horizon", "target", q.set["target"]), last)
	}, column: "rmse"},
	"fleet/Least helped/A": {numbers: func(q *question) []float64 {
		all := q.pick("forecast_metrics", "skill_vs_persistence", q.set["tag"]+",model,horizon", "target", "_all")
		return whole(slices.DeleteFunc(all, func(v value) bool { return strings.HasPrefix(v.group, "_all") || strings.HasPrefix(v.group, ",") }), last)
	}, column: "skill"},

	"system/Alarms/A": {numbers: func(q *question) []float64 { return whole(q.pick("observation", "anomaly_score", ""), alarms) }},
	"system/Drifts/A": {numbers: func(q *question) []float64 {
		return []float64{float64(len(q.pick("forecast_events", "text", "", "kind", "drift")))}
	}, until: func(q *question) time.Time { // one drift, and two seasons
		return afterFirst(q.pick("forecast_events", "text", "", "kind", "drift"), func(float64) bool { return true })
	}},
	"system/Samples/A": {numbers: func(q *question) []float64 { return windows(q.pick("observation", "anomaly_score", ""), count) }},
}

// newest is the forecast of the newest origin: that with the last target of each horizon.
func (q *question) newest(suffix string) []float64 {
	ahead := *q
	ahead.to = q.to.Add(24 * time.Hour)
	return whole(ahead.series("forecast", q.set["variable"]+suffix, "horizon", "model", q.set["model"]), last)
}

func (q *question) forecasts(suffix string) []value {
	return q.series("forecast", q.set["variable"]+suffix, "", "horizon", q.set["horizon"], "model", q.set["model"])
}

func (q *question) newestScores() []float64 {
	return whole(q.pick("observation", "anomaly_score", q.set["tag"]), last)
}

// compare compares numbers in any order; zeros, which some languages leave out, do not count. What PromQL has in windows is
// not compared: its windows begin behind the sample that begins them elsewhere.
func compare(t *testing.T, what string, got, want []float64) {
	t.Helper()
	order := func(all []float64) []float64 {
		all = slices.DeleteFunc(slices.Clone(all), func(v float64) bool { return v == 0 })
		slices.Sort(all)
		return all
	}
	got, want = order(got), order(want)
	if len(want) == 0 {
		t.Errorf("%s: the data have nothing to show", what)
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, want %d: %.6g, want %.6g", what, len(got), len(want), got, want)
		return
	}
	for i, w := range want {
		if math.Abs(got[i]-w) > 1e-9*math.Max(1, math.Abs(w)) { // the sums of means in another order
			t.Errorf("%s: %.12g, want %.12g, the %dth of %d", what, got[i], w, i+1, len(want))
			return
		}
	}
}
