package grafana

import (
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
)

type rule struct {
	UID, Title, Condition string
	Data                  []struct {
		RefID         string `yaml:"refId"`
		DatasourceUID string `yaml:"datasourceUid"`
		Model         struct {
			RefID, Query, Expression, Type string
			Conditions                     []struct {
				Evaluator evaluator
			}
		}
	}
}

func rules(t *testing.T) []rule {
	t.Helper()
	var alerting struct {
		APIVersion int `yaml:"apiVersion"`
		Groups     []struct{ Rules []rule }
	}
	readProvisioning(t, "alerting/forecaster.yaml", &alerting)
	var all []rule
	for _, g := range alerting.Groups {
		all = append(all, g.Rules...)
	}
	if len(all) == 0 || alerting.APIVersion != 1 {
		t.Fatalf("%+v", alerting)
	}
	return all
}

// TestRules: each rule asks the data source, and its steps refer to one another.
func TestRules(t *testing.T) {
	uids := make(map[string]bool)
	for _, r := range rules(t) {
		if uids[r.UID] || r.UID == "" || r.Title == "" {
			t.Errorf("rule %q %q", r.UID, r.Title)
		}
		uids[r.UID] = true
		known := make(map[string]bool)
		for i, d := range r.Data {
			switch {
			case i == 0 && (d.DatasourceUID != "forecaster-influxdb" || d.Model.Query == ""),
				i > 0 && (d.DatasourceUID != "__expr__" || d.Model.Type == "" || !known[d.Model.Expression]):
				t.Errorf("%s: step %+v", r.UID, d)
			}
			known[d.RefID] = true
		}
		if !known[r.Condition] {
			t.Errorf("%s: the condition %q is no step", r.UID, r.Condition)
		}
	}
}

// TestOperationalRules: the alerts on the program itself are those of Prometheus, with
// the same expressions, so that one page explains both.
func TestOperationalRules(t *testing.T) {
	type step struct {
		DatasourceUID string `yaml:"datasourceUid"`
		Model         struct {
			Expr, Expression string
			Conditions       []struct{ Evaluator evaluator }
		}
	}
	var ours struct {
		Groups []struct {
			Rules []struct {
				UID, Title, Condition, For string
				Labels                     map[string]string
				Data                       []step
			}
		}
	}
	readProvisioning(t, "alerting/operations.yaml", &ours)
	var theirs struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr, For string
				Labels           map[string]string
			}
		}
	}
	b, err := os.ReadFile("../prometheus/rules.yaml")
	if err == nil {
		err = yaml.Unmarshal(b, &theirs)
	}
	if err != nil {
		t.Fatal(err)
	}
	uids := make(map[string]bool)
	want := theirs.Groups[0].Rules
	if len(want) != len(ours.Groups[0].Rules) || len(want) == 0 {
		t.Fatalf("%d rules, Prometheus has %d", len(ours.Groups[0].Rules), len(want))
	}
	for i, r := range ours.Groups[0].Rules {
		w := want[i]
		if r.Title != w.Alert || r.Data[0].Model.Expr != w.Expr || strings.TrimPrefix(r.For, "0s") != w.For || r.Labels["severity"] != w.Labels["severity"] {
			t.Errorf("%s: %+v, want %+v", r.Title, r, w)
		}
		if uids[r.UID] || len(r.UID) > 40 || r.Condition != "fires" || len(r.Data) != 2 ||
			r.Data[0].DatasourceUID != "forecaster-prometheus" || r.Data[1].DatasourceUID != "__expr__" || r.Data[1].Model.Expression != "now" {
			t.Errorf("%+v", r)
		}
		uids[r.UID] = true
		for _, v := range firing(r.Data[0].Model.Expr) { // Prometheus fires for whatever is there, Grafana if a threshold agrees
			if c := r.Data[1].Model.Conditions; len(c) != 1 || !c[0].Evaluator.fires(v) {
				t.Errorf("%s: %+v does not fire for %g", r.Title, c, v)
			}
		}
	}
	var sources struct {
		Datasources []struct{ UID, Type, URL string }
	}
	readProvisioning(t, "datasources/prometheus.yaml", &sources)
	if s := sources.Datasources; len(s) != 1 || s[0].UID != "forecaster-prometheus" || s[0].Type != "prometheus" || s[0].URL != "${PROMETHEUS_URL}" {
		t.Errorf("%+v", s)
	}
}

type evaluator struct {
	Type   string
	Params []float64
}

func (e evaluator) fires(v float64) bool {
	switch e.Type {
	case "gt":
		return v > e.Params[0]
	case "gte":
		return v >= e.Params[0]
	case "lt":
		return v < e.Params[0]
	}
	return false
}

// firing are numbers that an expression lets through: the first of them next to the limit that it compares with, 0 where the
// limit is no number.
func firing(expr string) []float64 {
	m := regexp.MustCompile(` (==|>=|>|<) ([0-9]+)?`).FindStringSubmatch(expr)
	limit, _ := strconv.ParseFloat(m[2], 64)
	switch m[1] {
	case "==":
		return []float64{limit}
	case ">=":
		return []float64{limit, limit + 1e3}
	case "<":
		return []float64{math.Nextafter(limit, math.Inf(-1)), limit - 1e3}
	}
	return []float64{math.Nextafter(limit, math.Inf(1)), limit + 1e3}
}

func testRules(t *testing.T, s *fluxServer) {
	from, to := (&board{from: "now-1h", to: "now"}).span()
	for _, r := range rules(t) {
		rows := s.query(languages[0].put(r.Data[0].Model.Query, &question{from: from, to: to}))
		if r.UID == "forecaster-drift" && len(rows) == 0 {
			continue // no alarm in the last hour
		}
		if len(rows) == 0 || rows[0]["_value"] == "" {
			t.Errorf("rule %s: rows %v", r.UID, rows)
		}
	}
	newest := s.query(`from(bucket: v.defaultBucket) |> range(start: -1h) |> filter(fn: (r) => r._measurement == "observation" and r._field == "anomaly_score") |> last()`)
	end, err := time.Parse(time.RFC3339Nano, newest[0]["_time"])
	if err != nil {
		t.Fatal(err)
	}
	// fill has a spike 299 samples of ten seconds before the end, and a lasting change 100 samples later.
	type trial struct {
		uid, from string
		at        time.Duration // of now, after the newest sample
		fires     bool
	}
	tried := make(map[trial]bool)
	for _, c := range []trial{
		{"forecaster-silent", "-24h", 20 * time.Second, false},
		{"forecaster-silent", "-24h", 3 * time.Minute, true},
		{"forecaster-silent", "-24h", 23 * time.Hour, true},
		{"forecaster-anomaly", "-10m", -3100 * time.Second, false},
		{"forecaster-anomaly", "-10m", -2980 * time.Second, true},
		{"forecaster-anomaly", "-10m", -2200 * time.Second, false},
		{"forecaster-limit", "-10m", -3890 * time.Second, false}, // mem is at its minimum
		{"forecaster-limit", "-10m", -3480 * time.Second, true},  // and reaches its limit in eleven samples
		{"forecaster-limit", "-10m", -2630 * time.Second, false}, // at the next minimum
		{"forecaster-skill", "-1h", -110 * time.Minute, true},    // sixty samples are learnt
		{"forecaster-skill", "-1h", 0, false},
		{"forecaster-drift", "-1h", -2000 * time.Second, false}, // just before the change
		{"forecaster-drift", "-1h", -1500 * time.Second, true},
		{"forecaster-drift", "-1h", 50 * time.Minute, false},
	} {
		tried[trial{uid: c.uid, fires: c.fires}] = true
		i := slices.IndexFunc(rules(t), func(r rule) bool { return r.UID == c.uid })
		r := rules(t)[i]
		limit := r.Data[len(r.Data)-1].Model.Conditions[0].Evaluator
		now := end.Add(c.at).Format(time.RFC3339Nano)
		rows := s.query("option now = () => " + now + "\n" + strings.NewReplacer("v.timeRangeStart", c.from, "v.timeRangeStop", "now()").Replace(r.Data[0].Model.Query))
		fires := slices.ContainsFunc(rows, func(row map[string]string) bool {
			v, err := strconv.ParseFloat(row["_value"], 64)
			return err != nil || limit.fires(v)
		})
		if fires != c.fires || c.from != "-1h" && len(rows) != 2 {
			t.Errorf("%s %v after the newest sample: fires: %v, %v", c.uid, c.at, fires, rows)
		}
		for _, row := range rows { // these rules read the last value
			if at, err := time.Parse(time.RFC3339Nano, row["_time"]); (c.uid == "forecaster-skill" || c.uid == "forecaster-limit") && row["host"] == "web1" && (err != nil || end.Add(c.at).Sub(at) > time.Minute) {
				t.Errorf("%s %v after the newest sample looks at one of %s", c.uid, c.at, row["_time"])
				break
			}
		}
	}
	for _, r := range rules(t) {
		if !tried[trial{uid: r.UID, fires: true}] || !tried[trial{uid: r.UID}] {
			t.Errorf("%s: no trial in which it fires, or none in which it is silent", r.UID)
		}
	}
}
