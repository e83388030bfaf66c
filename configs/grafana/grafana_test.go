// Package grafana has the dashboards and what provisions them. Its tests check
// their structure and run every query against a real InfluxDB.
package grafana

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/orffvar/forecaster/internal/testserver"
)

type dashboard struct {
	UID, Title, Description string
	Time                    struct{ From, To string }
	Templating              struct{ List []variable }
	Panels                  []panel
	Annotations             struct{ List []annotation }
	Links                   []struct{ Tags []string }
	Tags                    []string
}

type variable struct {
	Name, Label, Type string
	IncludeAll, Multi bool
	Datasource        *datasource
	Query             json.RawMessage
	Definition        string
	Current           struct{ Value json.RawMessage }
}

type annotation struct {
	Name, IconColor string
	Datasource      datasource
	Target          struct{ RefID, Query string }
}

type datasource struct{ Type, UID string }

type panel struct {
	ID                       int
	Title, Description, Type string
	Datasource               datasource
	GridPos                  struct{ X, Y, W, H int }
	Targets                  []struct {
		RefID, Query string
		Datasource   datasource
	}
	FieldConfig struct{ Defaults struct{ Unit string } }
}

func dashboards(t *testing.T) map[string]dashboard {
	t.Helper()
	files, err := filepath.Glob("dashboards/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no dashboards", err)
	}
	all := make(map[string]dashboard)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var d dashboard
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[filepath.Base(name)] = d
	}
	return all
}

// flux returns the query of a variable.
func (v *variable) flux(t *testing.T) string {
	t.Helper()
	var q struct{ Query string }
	if err := json.Unmarshal(v.Query, &q); err != nil {
		t.Fatalf("variable %s: %v", v.Name, err)
	}
	return q.Query
}

func TestStructure(t *testing.T) {
	uids := make(map[string]string)
	for name, d := range dashboards(t) {
		t.Run(name, func(t *testing.T) {
			if other := uids[d.UID]; other != "" || !regexp.MustCompile(`^forecaster-[a-z]+$`).MatchString(d.UID) {
				t.Errorf("uid %q (also of %q)", d.UID, other)
			}
			uids[d.UID] = name
			if d.Title == "" || d.Description == "" || !slices.Contains(d.Tags, "forecaster") || len(d.Links) == 0 {
				t.Error("title, description, tag or link is missing")
			}
			want := datasource{"influxdb", "${datasource}"}
			vars := d.Templating.List
			if len(vars) == 0 || vars[0].Name != "datasource" || vars[0].Type != "datasource" {
				t.Error("the first variable is not the data source")
			}
			names := make(map[string]bool)
			for _, v := range vars {
				if names[v.Name] || v.Label == "" {
					t.Errorf("variable %q is there twice, or has no label", v.Name)
				}
				names[v.Name] = true
				if v.Type == "query" && (v.Datasource == nil || *v.Datasource != want || v.flux(t) != v.Definition) {
					t.Errorf("variable %s: data source %v, query %q", v.Name, v.Datasource, v.Definition)
				}
			}
			if len(d.Annotations.List) == 0 {
				t.Error("no annotations")
			}
			for _, a := range d.Annotations.List {
				if a.Name == "" || a.IconColor == "" || a.Datasource != want || a.Target.Query == "" {
					t.Errorf("annotation %+v", a)
				}
			}
			ids := make(map[int]bool)
			for i, p := range d.Panels {
				if ids[p.ID] || p.ID <= 0 {
					t.Errorf("panel %q has the id %d", p.Title, p.ID)
				}
				ids[p.ID] = true
				if p.Title == "" || p.Description == "" || p.FieldConfig.Defaults.Unit == "" || len(p.Targets) == 0 {
					t.Errorf("panel %d %q: title, description, unit or query is missing", p.ID, p.Title)
				}
				g := p.GridPos
				if g.X < 0 || g.Y < 0 || g.W < 1 || g.H < 1 || g.X+g.W > 24 {
					t.Errorf("panel %q is at %+v", p.Title, g)
				}
				for _, q := range d.Panels[:i] {
					o := q.GridPos
					if g.X < o.X+o.W && o.X < g.X+g.W && g.Y < o.Y+o.H && o.Y < g.Y+g.H {
						t.Errorf("panels %q and %q overlap", p.Title, q.Title)
					}
				}
				refs := make(map[string]bool)
				for _, q := range p.Targets {
					if refs[q.RefID] || q.RefID == "" || q.Datasource != want {
						t.Errorf("panel %q: query %q of the data source %v", p.Title, q.RefID, q.Datasource)
					}
					refs[q.RefID] = true
					for _, m := range regexp.MustCompile(`\$\{(\w+)`).FindAllStringSubmatch(q.Query, -1) {
						if !names[m[1]] {
							t.Errorf("panel %q uses the variable %s, which is not defined", p.Title, m[1])
						}
					}
				}
				if p.Datasource != want {
					t.Errorf("panel %q has the data source %v", p.Title, p.Datasource)
				}
			}
		})
	}
	d := dashboards(t)["forecast.json"]
	if d.Time.From != "now-1h" || d.Time.To != "now+15m" {
		t.Errorf("the forecast dashboard shows %s to %s: the future must be visible", d.Time.From, d.Time.To)
	}
	var names []string
	for _, v := range d.Templating.List {
		names = append(names, v.Name)
	}
	if want := []string{"datasource", "series", "target", "horizon", "model"}; !slices.Equal(names, want) {
		t.Errorf("variables %v, want %v", names, want)
	}
}

func readProvisioning(t *testing.T, name string, v any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("provisioning", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

type rule struct {
	UID, Title, Condition string
	Data                  []struct {
		RefID         string `yaml:"refId"`
		DatasourceUID string `yaml:"datasourceUid"`
		Model         struct{ RefID, Query, Expression, Type string }
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
		Model         struct{ Expr, Expression string }
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
	}
	var sources struct {
		Datasources []struct{ UID, Type, URL string }
	}
	readProvisioning(t, "datasources/prometheus.yaml", &sources)
	if s := sources.Datasources; len(s) != 1 || s[0].UID != "forecaster-prometheus" || s[0].Type != "prometheus" || s[0].URL != "${PROMETHEUS_URL}" {
		t.Errorf("%+v", s)
	}
}

func TestProvisioning(t *testing.T) {
	var sources struct {
		APIVersion  int `yaml:"apiVersion"`
		Datasources []struct {
			UID, Type, URL string
			JSONData       map[string]any    `yaml:"jsonData"`
			SecureJSONData map[string]string `yaml:"secureJsonData"`
		}
	}
	readProvisioning(t, "datasources/influxdb.yaml", &sources)
	if len(sources.Datasources) != 1 || sources.APIVersion != 1 {
		t.Fatalf("%+v", sources)
	}
	s := sources.Datasources[0]
	if s.UID != "forecaster-influxdb" || s.Type != "influxdb" || s.JSONData["version"] != "Flux" || s.SecureJSONData["token"] != "${INFLUX_TOKEN}" {
		t.Errorf("%+v", s)
	}
	for name, d := range dashboards(t) {
		if got := d.Templating.List[0].Current.Value; string(got) != `"`+s.UID+`"` {
			t.Errorf("%s begins with the data source %s, want %s", name, got, s.UID)
		}
	}
	var boards struct {
		APIVersion int `yaml:"apiVersion"`
		Providers  []struct {
			Name, Type string
			Options    struct{ Path string }
		}
	}
	readProvisioning(t, "dashboards/forecaster.yaml", &boards)
	compose, err := os.ReadFile("../../docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	if len(boards.Providers) != 1 || !strings.Contains(string(compose), "./configs/grafana/dashboards:"+boards.Providers[0].Options.Path+":ro") {
		t.Errorf("%+v does not fit docker-compose.yml", boards)
	}
}

// TestQueries fills a database by a replay and runs every query of every dashboard with the last value of each variable.
func TestQueries(t *testing.T) {
	t.Run("1.8", func(t *testing.T) { testQueries(t, testserver.StartInfluxDB(t)) })
	t.Run("2.7", func(t *testing.T) { testQueries(t, testserver.StartInfluxDB2(t)) })
}

func testQueries(t *testing.T, db *testserver.InfluxDB) {
	bucket := db.CreateDatabase("forecasts")
	fill(t, db, bucket)
	for name, d := range dashboards(t) {
		t.Run(name, func(t *testing.T) {
			values := make(map[string]string)
			for _, v := range d.Templating.List {
				if v.Type != "query" {
					continue
				}
				rows := db.Query(query(v.flux(t), bucket, d, values))
				if len(rows) == 0 {
					t.Fatalf("variable %s has no values", v.Name)
				}
				var all []string
				for _, r := range rows {
					all = append(all, r["_value"])
				}
				t.Logf("%s: %v", v.Name, all)
				values[v.Name] = all[len(all)-1]
				if v.IncludeAll {
					for i := range all {
						all[i] = regexp.QuoteMeta(all[i])
					}
					values[v.Name] = "(" + strings.Join(all, "|") + ")" // as Grafana does
				}
			}
			for _, a := range d.Annotations.List {
				rows := db.Query(query(a.Target.Query, bucket, d, values))
				if len(rows) == 0 || rows[0]["time"] == "" || rows[0]["text"] == "" {
					t.Errorf("annotation %q: rows %v", a.Name, rows)
				}
				t.Logf("annotation %s: %v", a.Name, rows)
			}
			for _, p := range d.Panels {
				for _, q := range p.Targets {
					rows := db.Query(query(q.Query, bucket, d, values))
					if len(rows) == 0 {
						t.Errorf("panel %q, query %s: no rows", p.Title, q.RefID)
						continue
					}
					for _, r := range rows {
						if r["_value"] == "" && r["mse"] == "" {
							t.Errorf("panel %q, query %s: a row without a value: %v", p.Title, q.RefID, r)
							break
						}
					}
					t.Logf("%s %s: %d rows, such as %v", p.Title, q.RefID, len(rows), rows[0])
				}
			}
		})
	}
	for _, r := range rules(t) {
		hour := dashboard{}
		hour.Time.From, hour.Time.To = "now-1h", "now"
		rows := db.Query(query(r.Data[0].Model.Query, bucket, hour, nil))
		if len(rows) == 0 || rows[0]["_value"] == "" {
			t.Errorf("rule %s: rows %v", r.UID, rows)
		}
		t.Logf("%s: %v", r.UID, rows[0])
	}
}

// query puts in what Grafana puts in.
func query(flux, bucket string, d dashboard, values map[string]string) string {
	time := func(s string) string {
		if s == "now" {
			return "now()"
		}
		return strings.Replace(strings.TrimPrefix(s, "now"), "+", "", 1)
	}
	names := slices.Sorted(maps.Keys(values))
	for _, n := range names {
		flux = strings.NewReplacer("${"+n+"}", values[n], "${"+n+":regex}", values[n]).Replace(flux)
	}
	option := fmt.Sprintf("option v = {defaultBucket: %q, timeRangeStart: %s, timeRangeStop: %s, windowPeriod: 30s}\n",
		bucket, time(d.Time.From), time(d.Time.To))
	if strings.HasPrefix(flux, "import") {
		head, rest, _ := strings.Cut(flux, "\n")
		return head + "\n" + option + rest
	}
	return option + flux
}

// fill lets the program replay two hours of two series into the database, with a
// value out of the ordinary, a change for good and a gap in the second of them.
func fill(t *testing.T, db *testserver.InfluxDB, bucket string) {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "forecaster")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/forecaster").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const step, samples = 10 * time.Second, 720
	rng := rand.New(rand.NewPCG(1, 2))
	begin := time.Now().Truncate(step).Add(-(samples - 1) * step)
	data := "time,host,cpu,mem\n"
	for i := range samples {
		if i == samples-100 {
			continue
		}
		for _, name := range []string{"host 1", "host.2"} {
			size := 1.
			if i > samples-200 {
				size = 5
			}
			cpu := math.Sin(float64(i)/20) + .1*size*rng.NormFloat64()
			mem := 2*math.Sin(float64(i)/20+1) + .1*size*rng.NormFloat64()
			if i == samples-300 {
				mem += 20
			}
			data += fmt.Sprintf("%s,%s,%.3f,%.3f\n", begin.Add(time.Duration(i)*step).UTC().Format(time.RFC3339), name, cpu, mem)
		}
	}
	file := filepath.Join(dir, "hosts.csv")
	if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"run"}
	for _, setting := range []string{
		"input.file.path=" + file, "input.csv.series_column=host", "input.csv.time_column=time",
		"pipeline.interval=10s", "model.horizon=30", "pipeline.emit=1,30", "model.joint=true", "evaluate.interval=6",
		"output.influxdb.url=" + db.URL, "output.influxdb.org=" + db.Org, "output.influxdb.token=" + db.Token, "output.influxdb.bucket=" + bucket,
	} {
		args = append(args, "--set", setting)
	}
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
