package grafana

import (
	"cmp"
	"fmt"
	"maps"
	"math"
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

// points reads line protocol.
func points(t *testing.T, text string) (all []point) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for d := lineprotocol.NewDecoderWithBytes([]byte(text)); d.Next(); {
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
	limited  bool // tables have the first rows: in Flux and PromQL
	ends     bool // windows end at multiples of window and include that time, as in PromQL; else they begin there
}

// value is a number of a group at a time, which is in a window.
type value struct {
	group      string
	at, window time.Time
	v          float64
}

// pick returns a field of a measurement within the range; tags are pairs of a tag and its value. The group of a value
// is the values of tags, with commas between them, as their names have.
func (q *question) pick(measurement, field, group string, tags ...string) []value {
	return q.fields(measurement, func(f string) bool { return f == field }, group, tags...)
}

// fields is pick of several fields; the group "field" is the name of the field.
func (q *question) fields(measurement string, field func(string) bool, group string, tags ...string) (all []value) {
	for _, p := range q.points {
		fits := p.measurement == measurement && !p.at.Before(q.from) && !p.at.After(q.to)
		for i := 0; fits && i < len(tags); i += 2 {
			fits = p.tags[tags[i]] == tags[i+1]
		}
		if !fits {
			continue
		}
		for f, v := range p.fields {
			if !field(f) {
				continue
			}
			var of []string
			for name := range strings.SplitSeq(group, ",") {
				if name == "field" {
					of = append(of, f)
				} else {
					of = append(of, p.tags[name])
				}
			}
			at := p.at.Truncate(window)
			if q.ends {
				at = p.at.Add(window - 1).Truncate(window)
			}
			all = append(all, value{strings.Join(of, ","), p.at, at, v})
		}
	}
	slices.SortStableFunc(all, func(a, b value) int { return a.at.Compare(b.at) })
	return all
}

// choices returns the values of a variable of a board, sorted.
func (q *question) choices(variable string) []string {
	of := map[string]struct{ measurement, tag string }{
		"value": {"observation", q.set["tag"]}, "value2": {"observation", q.set["tag2"]}, "horizon": {"forecast", "horizon"}, "model": {"forecast", "model"},
		"target": {"forecast_metrics", "target"}, "models": {"forecast_metrics", "model"},
	}[variable]
	seen := make(map[string]bool)
	for _, p := range q.points {
		switch {
		case variable == "variable" && p.measurement == "forecast":
			for f := range p.fields {
				if name, ok := strings.CutSuffix(f, "_upper"); ok {
					seen[name] = true
				}
			}
		case strings.HasPrefix(variable, "tag") && p.measurement == "observation":
			for tag := range p.tags {
				seen[tag] = true
			}
		case p.measurement == of.measurement:
			seen[p.tags[of.tag]] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
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
		key := value{group: x.group, window: x.window}
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

// answer is the numbers that a panel shall show, in any order; those of the columns, where a table has several.
type answer struct {
	numbers func(q *question) []float64
	prom    func(q *question) []float64 // in PromQL, where it answers another question
	rows    func(q *question) int       // of a table of texts, of which only PromQL makes numbers
	columns []string

	// until ends the range of time where the number tells a right query from its neighbours; nil = at the end.
	until func(q *question) time.Time
}

// afterFirst is just after the first value that fits.
func afterFirst(all []value, fits func(v float64) bool) time.Time {
	return all[slices.IndexFunc(all, func(x value) bool { return fits(x.v) })].at.Add(time.Second)
}

// expected has what the panels say in words, computed from the points: board, title, query.
var expected = map[string]answer{
	"forecast/Skill against persistence/A": {numbers: func(q *question) []float64 { return whole(q.score("skill_vs_persistence"), last) }},
	"forecast/Coverage/A":                  {numbers: func(q *question) []float64 { return whole(q.score("coverage"), last) }},
	"forecast/Scored samples/A":            {numbers: func(q *question) []float64 { return whole(q.score("n"), last) }},
	"forecast/Alarms/A":                    {numbers: func(q *question) []float64 { return whole(q.series("observation", "anomaly_score", ""), alarms) }},
	"forecast/Latest forecast/A":           {numbers: func(q *question) []float64 { return windows(q.series("observation", q.set["variable"], ""), mean) }},
	"forecast/Latest forecast/B":           newest(""),
	"forecast/Latest forecast/C":           newest("_lower"),
	"forecast/Latest forecast/D":           newest("_upper"),
	"forecast/Latest forecast/E": {numbers: func(q *question) (all []float64) {
		for _, v := range q.unusual() {
			all = append(all, v.v)
		}
		return all
	}, prom: func(q *question) (all []float64) { // the last value of each window with an anomaly
		at := make(map[time.Time]bool)
		for _, v := range q.unusual() {
			at[v.window] = true
		}
		return windows(slices.DeleteFunc(q.series("observation", q.set["variable"], ""), func(v value) bool { return !at[v.window] }), last)
	}},
	"forecast/Anomaly score of the sample/A": {numbers: func(q *question) []float64 {
		return windows(q.series("observation", "anomaly_score", ""), slices.Max[[]float64])
	}},
	"forecast/Variables behind an anomaly/A": {numbers: func(q *question) []float64 {
		return windows(q.fields("observation", func(f string) bool { return strings.HasSuffix(f, "_share") }, "field", q.set["tag"], q.set["value"]), mean)
	}},
	"forecast/Reach of the horizons/A": {numbers: newest("").numbers, columns: []string{"_value", "forecast"}, prom: func(q *question) (ahead []float64) {
		for _, v := range q.targets() {
			ahead = append(ahead, v.at.Sub(q.to).Seconds())
		}
		return ahead
	}},
	"forecast/Events/A": {numbers: func(q *question) []float64 { return whole(q.series("forecast_events", "text", "kind"), count) }, rows: func(q *question) int {
		return q.latestEvents(q.series("forecast_events", "text", "kind,dc"))
	}},
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
		return q.first(100, -1, whole(q.pick("observation", "anomaly_score", q.set["tag"]), slices.Max[[]float64]))
	}, columns: []string{"score"}},
	"fleet/Alarms over time/A": {numbers: func(q *question) []float64 {
		return windows(q.pick("observation", "anomaly_score", q.set["tag"]), alarms)
	}},

	"fleet/Events/A": events,

	"quality/Mean squared error (SCV)/A":  {numbers: func(q *question) []float64 { return windows(q.scores("scv_mse", q.set["target"]), last) }},
	"quality/Root mean squared error/A":   {numbers: func(q *question) []float64 { return windows(q.scores("rmse", q.set["target"]), last) }},
	"quality/Skill against persistence/A": {numbers: func(q *question) []float64 { return windows(q.scores("skill_vs_persistence", q.set["target"]), last) }},
	"quality/Skill against VAR(1)/A":      {numbers: func(q *question) []float64 { return windows(q.scores("skill_vs_var", q.set["target"]), last) }},
	"quality/Coverage/A":                  {numbers: func(q *question) []float64 { return windows(q.scores("coverage", q.set["target"]), last) }},
	"quality/Coverage/B":                  {numbers: func(q *question) []float64 { return windows(q.scores("joint_coverage", "_all"), last) }},
	"quality/Width of the interval/A":     {numbers: func(q *question) []float64 { return windows(q.scores("width", q.set["target"]), last) }},

	"quality/Latest scores/A": {numbers: func(q *question) []float64 {
		field := func(f string) bool { return slices.Contains(latestScores, f) }
		return whole(q.fields("forecast_metrics", field, "field,model,horizon", "target", q.set["target"], q.set["tag"], q.set["value"]), last)
	}, columns: latestScores, prom: func(q *question) []float64 {
		return whole(q.series("forecast_metrics", "rmse", "model,horizon", "target", q.set["target"]), last)
	}},
	"quality/Experts in the mixture/A": {numbers: func(q *question) []float64 {
		return windows(q.fields("forecast_experts", func(string) bool { return true }, "field", q.set["tag"], q.set["value"]), last)
	}},
	"fleet/Least helped/A": {numbers: func(q *question) []float64 {
		all := q.pick("forecast_metrics", "skill_vs_persistence", q.set["tag"]+",model,horizon", "target", "_all")
		return q.first(200, 1, whole(slices.DeleteFunc(all, func(v value) bool { return strings.HasPrefix(v.group, "_all") || strings.HasPrefix(v.group, ",") }), last))
	}, columns: []string{"skill"}},

	"system/Age of the newest sample/A": {numbers: func(q *question) []float64 {
		all := q.pick("observation", "anomaly_score", "")
		return []float64{q.to.Sub(all[len(all)-1].at).Seconds()}
	}},
	"system/Newest sample/A": {numbers: func(q *question) []float64 { // InfluxDB takes the greater of two that are as new
		all := q.pick("observation", "anomaly_score", "")
		newest := all[len(all)-1].v
		for _, v := range all {
			if v.at.Equal(all[len(all)-1].at) {
				newest = max(newest, v.v)
			}
		}
		return []float64{newest}
	}},
	"system/Reach of the forecasts/A": {numbers: func(q *question) []float64 {
		all := q.targets()
		return []float64{slices.MaxFunc(all, func(a, b value) int { return a.at.Compare(b.at) }).at.Sub(q.to).Seconds()}
	}},
	"system/Events/A": events,
	"system/Alarms/A": {numbers: func(q *question) []float64 { return whole(q.pick("observation", "anomaly_score", ""), alarms) }},
	"system/Drifts/A": {numbers: func(q *question) []float64 {
		return []float64{float64(len(q.pick("forecast_events", "text", "", "kind", "drift")))}
	}, until: func(q *question) time.Time { // one drift, and two seasons
		return afterFirst(q.pick("forecast_events", "text", "", "kind", "drift"), func(float64) bool { return true })
	}},
	"system/Samples/A": {numbers: func(q *question) []float64 { return windows(q.pick("observation", "anomaly_score", ""), count) }},
}

var events = answer{numbers: func(q *question) []float64 { return whole(q.pick("forecast_events", "text", "kind"), count) }, rows: func(q *question) int {
	return q.latestEvents(q.pick("forecast_events", "text", "kind,dc,host,id"))
}}

// latestEvents is the number of events in a table that ends after 200: in InfluxQL after 200 of each group.
func (q *question) latestEvents(all []value) int {
	if q.limited {
		return min(len(all), 200)
	}
	return int(sum(whole(all, func(of []float64) float64 { return min(count(of), 200) })))
}

// first are the first n numbers where tables are limited, in the order of sign.
func (q *question) first(n int, sign float64, all []float64) []float64 {
	slices.SortFunc(all, func(a, b float64) int { return cmp.Compare(sign*a, sign*b) })
	if q.limited {
		return all[:min(n, len(all))]
	}
	return all
}

var latestScores = []string{"mse", "rmse", "mae", "mase", "skill_vs_persistence", "coverage"}

// newest is the forecast of the newest origin: that with the last target of each horizon. PromQL has in each window the
// forecast of the shortest horizon.
func newest(suffix string) answer {
	return answer{numbers: func(q *question) []float64 {
		ahead := *q
		ahead.to = q.to.Add(24 * time.Hour)
		return whole(ahead.series("forecast", q.set["variable"]+suffix, "horizon", "model", q.set["model"]), last)
	}, prom: func(q *question) (all []float64) {
		shortest := make(map[time.Time]value)
		for _, v := range q.series("forecast", q.set["variable"]+suffix, "horizon", "model", q.set["model"]) {
			if old, found := shortest[v.window]; !found || len(v.group) < len(old.group) || len(v.group) == len(old.group) && v.group <= old.group {
				shortest[v.window] = v
			}
		}
		for _, v := range shortest {
			all = append(all, v.v)
		}
		return all
	}}
}

// targets are the last targets of each horizon of the chosen series, or of all.
func (q *question) targets() (all []value) {
	ahead := *q
	ahead.to = q.to.Add(24 * time.Hour)
	var tags []string
	if q.set["model"] != "" {
		tags = []string{"model", q.set["model"], q.set["tag"], q.set["value"]}
	}
	newest := make(map[string]value)
	for _, v := range ahead.fields("forecast", func(f string) bool { return strings.HasSuffix(f, "_upper") }, "horizon", tags...) {
		newest[v.group] = v
	}
	return slices.Collect(maps.Values(newest))
}

// unusual are the values of the chosen variable in the samples of an anomaly.
func (q *question) unusual() []value {
	at := make(map[time.Time]bool)
	for _, v := range q.series("observation", q.set["variable"]+"_score", "") {
		at[v.at] = true
	}
	return slices.DeleteFunc(q.series("observation", q.set["variable"], ""), func(v value) bool { return !at[v.at] })
}

// annotated are the events that a board marks in its graphs: drifts, or the others.
func (q *question) annotated(ofSeries, drifts bool) []value {
	return slices.DeleteFunc(q.pick("forecast_events", "text", "kind,id,"+q.set["tag"]), func(v value) bool {
		f := strings.SplitN(v.group, ",", 3)
		return (f[0] == "drift") != drifts || ofSeries && f[1] != "_all" && f[2] != q.set["value"]
	})
}

func (q *question) forecasts(suffix string) []value {
	return q.series("forecast", q.set["variable"]+suffix, "", "horizon", q.set["horizon"], "model", q.set["model"])
}

func (q *question) newestScores() []float64 {
	return whole(q.pick("observation", "anomaly_score", q.set["tag"]), last)
}

// compare compares numbers in any order; zeros, which some languages leave out, do not count.
func compare(what string, got, want []float64) (problem string) {
	order := func(all []float64) []float64 {
		all = slices.DeleteFunc(slices.Clone(all), func(v float64) bool { return v == 0 })
		slices.Sort(all)
		return all
	}
	got, want = order(got), order(want)
	if len(want) == 0 {
		return what + ": the data have nothing to show"
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%s: %d numbers, want %d: %.6g, want %.6g", what, len(got), len(want), got, want)
	}
	for i, w := range want {
		if math.Abs(got[i]-w) > 1e-9*math.Max(1, math.Abs(w)) { // the sums of means in another order
			return fmt.Sprintf("%s: %.12g, want %.12g, the %dth of %d", what, got[i], w, i+1, len(want))
		}
	}
	return ""
}
