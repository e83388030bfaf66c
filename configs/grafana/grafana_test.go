// Package grafana has the dashboards and what provisions them. Its tests check
// their structure and run every query against a real InfluxDB.
package grafana

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/orffvar/forecaster/internal/tools/testserver"
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
	Name, Label, Type, Regex string
	IncludeAll, Multi        bool
	Datasource               *datasource
	Query                    json.RawMessage
	Definition               string
	Current                  struct{ Value json.RawMessage }
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
		RefID, Query, Expr string
		Datasource         datasource
	}
	FieldConfig struct {
		Defaults struct {
			Unit, DisplayName string
			Color, Thresholds map[string]any
		}
	}
}

// read returns the dashboards of a language, by the name of the file.
func (l *language) read(t *testing.T) map[string]dashboard {
	t.Helper()
	all := make(map[string]dashboard)
	for i := range boards {
		name := boards[i].uid + ".json"
		text, err := os.ReadFile(filepath.Join("dashboards"+l.suffix(), name))
		if err != nil {
			t.Fatal(err)
		}
		var d dashboard
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = d
	}
	return all
}

// TestGenerated compares the dashboards with what boards_test.go says. UPDATE_DOCS=1 writes
// them.
func TestGenerated(t *testing.T) {
	for i := range languages {
		l := &languages[i]
		folder := "dashboards" + l.suffix()
		for j := range boards {
			path := filepath.Join(folder, boards[j].uid+".json")
			text := l.dashboard(&boards[j])
			if os.Getenv("UPDATE_DOCS") != "" {
				if err := os.MkdirAll(folder, 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != string(text) {
				t.Errorf("%s is out of date: UPDATE_DOCS=1 go test ./configs/grafana -run Generated", path)
			}
		}
		if files, err := os.ReadDir(folder); err != nil || len(files) != len(boards) {
			t.Errorf("%d files in %s, %v", len(files), folder, err)
		}
	}
}

// text returns the query of a variable.
func (v *variable) text(t *testing.T) string {
	t.Helper()
	var q struct{ Query string }
	if err := json.Unmarshal(v.Query, &q); err != nil {
		t.Fatalf("variable %s: %v", v.Name, err)
	}
	return q.Query
}

func TestStructure(t *testing.T) {
	for i := range languages {
		t.Run(languages[i].name, func(t *testing.T) { testStructure(t, &languages[i]) })
	}
}

func testStructure(t *testing.T, l *language) {
	uids := make(map[string]string)
	for name, d := range l.read(t) {
		t.Run(name, func(t *testing.T) {
			if other := uids[d.UID]; other != "" || !regexp.MustCompile(`^forecaster-[a-z]+`+l.suffix()+`$`).MatchString(d.UID) {
				t.Errorf("uid %q (also of %q)", d.UID, other)
			}
			uids[d.UID] = name
			if d.Title == "" || d.Description == "" || !slices.Contains(d.Tags, "forecaster"+l.suffix()) || len(d.Links) == 0 {
				t.Error("title, description, tag or link is missing")
			}
			want := datasource{l.source, "${datasource}"}
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
				if v.Type == "query" && (v.Datasource == nil || *v.Datasource != want || v.text(t) != v.Definition) {
					t.Errorf("variable %s: data source %v, query %q", v.Name, v.Datasource, v.Definition)
				}
			}
			if len(d.Annotations.List) == 0 && l.events != nil {
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
				if f := p.FieldConfig.Defaults; p.Type == stat && f.Color == nil && f.Thresholds == nil {
					t.Errorf("panel %q: Grafana paints a number from 80 on red", p.Title)
				} else if strings.Count(f.DisplayName, "${") > 1 && strings.Contains(f.DisplayName[2:strings.Index(f.DisplayName, "}")], "${") {
					t.Errorf("panel %q: Grafana puts in no variable inside of another: %s", p.Title, f.DisplayName)
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
					for _, m := range regexp.MustCompile(`\$\{(\w+)`).FindAllStringSubmatch(q.Query+q.Expr, -1) {
						if !names[m[1]] && m[1] != "__from" {
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
	d := l.read(t)["forecast.json"]
	if d.Time.From != "now-1h" || d.Time.To != "now+15m" {
		t.Errorf("the forecast dashboard shows %s to %s: the future must be visible", d.Time.From, d.Time.To)
	}
	var names []string
	for _, v := range d.Templating.List {
		names = append(names, v.Name)
	}
	if want := []string{"datasource", "tag", "value", "tag2", "value2", "variable", "horizon", "model"}; !slices.Equal(names, want) {
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
	for name, d := range languages[0].read(t) {
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

// A server answers the queries of a dashboard.
type server interface {
	// values are those of a variable.
	values(query string) []string
	// ask returns the number of rows, or points, that the query of a panel returns, and the numbers of its columns.
	ask(query string, a asked) (rows int, numbers []float64)
}

// asked says for which kind of panel, range of time and columns a query is asked. Without columns: those of the values.
type asked struct {
	kind     string
	from, to time.Time
	columns  []string
}

// TestQueries fills a database by a run of the program and executes every query of every
// dashboard, with the last value of each variable.
func TestQueries(t *testing.T) {
	t.Run("InfluxDB 1.8", func(t *testing.T) {
		t.Parallel()
		db := testserver.StartInfluxDB(t)
		bucket := db.CreateDatabase("forecasts")
		written := fill(t, db.URL, bucket, db.Org, db.Token)
		t.Run("rules", func(t *testing.T) { testRules(t, &fluxServer{t, db, bucket}) })
		written = append(written, crowd(t, db.URL, bucket, db.Org, db.Token)...)
		t.Run("Flux", func(t *testing.T) { testQueries(t, &languages[0], &fluxServer{t, db, bucket}, written) })
		t.Run("InfluxQL", func(t *testing.T) { testQueries(t, &languages[1], &influxServer{t, db}, written) })
		t.Run("tags", func(t *testing.T) { testTags(t, &influxServer{t, db}) })
	})
	t.Run("InfluxDB 2.7", func(t *testing.T) {
		t.Parallel()
		db := testserver.StartInfluxDB2(t)
		bucket := db.CreateDatabase("forecasts")
		written := append(fill(t, db.URL, bucket, db.Org, db.Token), crowd(t, db.URL, bucket, db.Org, db.Token)...)
		testQueries(t, &languages[0], &fluxServer{t, db, bucket}, written)
	})
	t.Run("VictoriaMetrics", func(t *testing.T) {
		t.Parallel()
		db := testserver.StartVictoriaMetrics(t)
		written := append(fill(t, db.URL, "forecasts", "", ""), crowd(t, db.URL, "forecasts", "", "")...)
		db.WaitForRows()
		testQueries(t, &languages[2], &promServer{t, db}, written)
	})
}

func testQueries(t *testing.T, l *language, db server, written []point) {
	for i := range boards {
		b := &boards[i]
		t.Run(b.uid, func(t *testing.T) {
			d := l.read(t)[b.uid+".json"]
			from, to := b.span()
			q := &question{points: written, set: make(map[string]string), from: from, to: to, ends: l.source == "prometheus", limited: l.name != "influxql"}
			for i, v := range d.Templating.List[1:] { // after the data source
				q.set[v.Name] = choose(t, db, &v, l.put(v.text(t), q), q.choices(b.variables[i]))
			}
			for _, a := range d.Annotations.List {
				n, _ := db.ask(l.put(a.Target.Query, q), asked{table, from, to, nil})
				if want := q.annotated(b.events != "", a.Name == "Drift"); n != len(want) || n == 0 && a.Name != "Drift" {
					t.Errorf("annotation %q: %d rows, want %d", a.Name, n, len(want))
				}
			}
			for _, p := range d.Panels {
				for _, target := range p.Targets {
					if problem := l.checkPanel(db, b, &p, target.RefID, target.Query+target.Expr, *q); problem != "" {
						t.Error(problem)
					}
				}
			}
		})
	}
}

// withoutSamples matches a query that has numbers where there are no samples.
var withoutSamples = regexp.MustCompile(`vector\(|fill\(\d`)

// checkPanel compares the answer to the query of a panel with the points that the database was given.
func (l *language) checkPanel(db server, b *board, p *panel, ref, text string, q question) (problem string) {
	what, query := b.uid+"/"+p.Title+"/"+ref, text
	e, known := expected[what]
	if !known {
		return what + ": values_test.go does not have it"
	}
	numbers := e.numbers
	if q.ends && e.prom != nil {
		numbers = e.prom
	}
	if e.until != nil {
		q.to = e.until(&q)
	}
	text = l.put(text, &q)
	n, got := db.ask(text, asked{p.Type, q.from, q.to, e.columns})
	if q.ends { // ranges are open where they begin, and the first window ends there
		q.from = q.from.Add(1)
		if p.Type == line {
			q.from = q.from.Add(-window)
		}
	}
	if e.rows != nil && !q.ends {
		if want := e.rows(&q); n != want || n == 0 {
			return fmt.Sprintf("%s: %d rows, want %d\n%s", what, n, want, text)
		}
		return ""
	}
	if problem := compare(what+"\n"+text, got, numbers(&q)); problem != "" || !withoutSamples.MatchString(text) {
		return problem
	}
	for _, before := range []time.Duration{90 * time.Minute, 5 * time.Hour} { // zeros before the first sample, and without any
		early := q
		early.from, early.to = q.from.Add(-before), q.to.Add(-before)
		_, got := db.ask(l.put(query, &early), asked{p.Type, early.from, early.to, e.columns})
		if want := numbers(&early); sum(got) != sum(want) {
			return fmt.Sprintf("%s: the sum is %g %v earlier, want %g\n%s", what, sum(got), before, sum(want), query)
		}
	}
	return ""
}

// choose returns what Grafana puts in the place of a variable: the last of its values, of
// several all. They must be the wanted ones.
func choose(t *testing.T, db server, v *variable, query string, want []string) string {
	t.Helper()
	var all []string
	for _, value := range db.values(query) {
		if v.Regex != "" {
			m := regexp.MustCompile(strings.Trim(v.Regex, "/")).FindStringSubmatch(value)
			if m == nil {
				continue
			}
			value = m[1]
		}
		all = append(all, value)
	}
	if slices.Sort(all); !slices.Equal(all, want) {
		t.Fatalf("variable %s has the values %q, want %q:\n%s", v.Name, all, want, query)
	}
	if !v.IncludeAll {
		return all[len(all)-1]
	}
	for i := range all {
		all[i] = regexp.QuoteMeta(all[i])
		if _, ok := db.(*promServer); ok {
			all[i] = strings.ReplaceAll(all[i], `\`, `\\`)
		}
	}
	return "(" + strings.Join(all, "|") + ")"
}

// put puts in what Grafana puts in, and the end of the range in the place of the clock.
func (l *language) put(query string, q *question) string {
	for _, name := range slices.Sorted(maps.Keys(q.set)) {
		query = strings.NewReplacer("${"+name+"}", q.set[name], "${"+name+":regex}", q.set[name]).Replace(query)
	}
	query = strings.NewReplacer("$timeFilter", fmt.Sprintf("time >= %dms and time <= %dms", q.from.UnixMilli(), q.to.UnixMilli()), "${__from}", fmt.Sprint(q.from.UnixMilli()),
		"$__interval", "30s", "$__range", fmt.Sprintf("%ds", int(q.to.Sub(q.from).Seconds())),
		"v.timeRangeStart", q.from.UTC().Format(time.RFC3339), "v.timeRangeStop", q.to.UTC().Format(time.RFC3339), "v.windowPeriod", "30s").Replace(query)
	switch {
	case l.source == "prometheus":
		return strings.ReplaceAll(query, "now()", fmt.Sprint(q.to.Unix()))
	case l.name == "" && strings.Contains(query, "now()"):
		return "option now = () => " + q.to.UTC().Format(time.RFC3339) + "\n" + query
	}
	return query
}

// span is the time range of a board: whole windows, and the second after them.
func (b *board) span() (from, to time.Time) {
	at := func(s string) time.Time {
		d, _ := time.ParseDuration(strings.TrimPrefix(s, "now")) // nothing behind now is zero
		return time.Now().Truncate(window).Add(d)
	}
	return at(b.from), at(b.to).Add(time.Second)
}

type fluxServer struct {
	t      *testing.T
	db     *testserver.InfluxDB
	bucket string
}

func (s *fluxServer) query(flux string) []map[string]string {
	return s.db.Query(strings.ReplaceAll(flux, "v.defaultBucket", fmt.Sprintf("%q", s.bucket)))
}

func (s *fluxServer) values(query string) (all []string) {
	for _, r := range s.query(query) {
		all = append(all, r["_value"])
	}
	return all
}

func (s *fluxServer) ask(query string, a asked) (n int, numbers []float64) {
	rows := s.query(query)
	for _, r := range rows {
		for _, c := range a.columns {
			if r[c] != "" {
				numbers = append(numbers, number(s.t, r[c]))
			}
		}
		if v, err := strconv.ParseFloat(r["_value"], 64); err == nil && a.columns == nil {
			numbers = append(numbers, v)
		}
	}
	return len(rows), numbers
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

type influxServer struct {
	t  *testing.T
	db *testserver.InfluxDB
}

// query returns the rows of an InfluxQL query, of all series, and the names of its columns.
func (s *influxServer) query(query string) (rows [][]any, columns []string) {
	s.t.Helper()
	resp, err := http.PostForm(s.db.URL+"/query", url.Values{"db": {"forecasts"}, "q": {query}})
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		Error   string
		Results []struct {
			Error  string
			Series []struct {
				Columns []string
				Values  [][]any
			}
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || answer.Error != "" || answer.Results[0].Error != "" {
		s.t.Fatalf("%+v %v\n%s", answer, err, query)
	}
	for _, series := range answer.Results[0].Series {
		rows, columns = append(rows, series.Values...), series.Columns
	}
	return rows, columns
}

func (s *influxServer) values(query string) (all []string) {
	rows, _ := s.query(query)
	for _, r := range rows {
		value := r[0]
		if strings.Contains(query, "TAG VALUES") {
			value = r[1] // behind the name of the tag
		}
		all = append(all, fmt.Sprint(value))
	}
	return all
}

func (s *influxServer) ask(query string, a asked) (n int, numbers []float64) {
	rows, columns := s.query(query)
	for _, r := range rows {
		for i := 1; i < len(columns); i++ { // behind the time
			if v, ok := r[i].(float64); ok && (a.columns == nil || slices.Contains(a.columns, columns[i])) {
				numbers = append(numbers, v)
			}
		}
	}
	return len(rows), numbers
}

type promServer struct {
	t  *testing.T
	db *testserver.VictoriaMetrics
}

// values asks as Grafana does for label_values(metric, label) and label_names(metric).
func (s *promServer) values(query string) (all []string) {
	now := time.Now()
	if m := regexp.MustCompile(`^label_names\((.*)\)$`).FindStringSubmatch(query); m != nil {
		s.db.Get("labels", url.Values{"match[]": {m[1]}, "start": {fmt.Sprint(now.Add(-time.Hour).Unix())}}, &all)
		return all
	}
	m := regexp.MustCompile(`^label_values\((.*), (\w+)\)$`).FindStringSubmatch(query)
	s.db.Get("label/"+m[2]+"/values", url.Values{"match[]": {m[1]}, "start": {fmt.Sprint(now.Add(-time.Hour).Unix())}}, &all)
	return all
}

func (s *promServer) ask(query string, a asked) (n int, numbers []float64) {
	if a.kind != line {
		all := s.db.Query(query, a.to, a.to, 0)
		for _, series := range all {
			numbers = append(numbers, number(s.t, fmt.Sprint(series.Value[1])))
		}
		return len(all), numbers
	}
	for _, series := range s.db.Query(query, a.from, a.to, window) {
		for _, v := range series.Values {
			numbers = append(numbers, number(s.t, fmt.Sprint(v[1])))
		}
	}
	return len(numbers), numbers
}

// testTags asks for a bound as somebody does who knows InfluxQL.
func testTags(t *testing.T, s *influxServer) {
	if rows, _ := s.query(`SELECT cpu_lower FROM forecast WHERE host='web1' AND horizon='12'`); len(rows) < 500 {
		t.Errorf("%d rows", len(rows))
	}
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

// crowd adds more than the tables of Flux and PromQL show: hosts with a sample and a score half an hour ago, and events of
// another series of a host; and shares of two samples in a window.
func crowd(t *testing.T, address, bucket, org, token string) []point {
	t.Helper()
	var b strings.Builder
	at := time.Now().Truncate(window).Add(-30 * time.Minute)
	for i := range 150 {
		share := float64(i) / 150 // below the score of an alarm, and on both sides of the skills of the other hosts
		fmt.Fprintf(&b, "observation,host=a%03d,dc=eu anomaly_score=%g %d\n", i, share, at.UnixNano())
		fmt.Fprintf(&b, "forecast_metrics,host=a%03d,dc=eu,model=auto,horizon=1,target=_all skill_vs_persistence=%g %d\n", i, share-.5, at.UnixNano())
	}
	for i, share := range []float64{.25, .75} {
		fmt.Fprintf(&b, "observation,host=web1,dc=eu cpu_share=%g %d\n", share, at.Add(time.Duration(10*(i+1))*time.Second-10*time.Minute).UnixNano()) // where fill has no alarm
	}
	for i := range 250 {
		fmt.Fprintf(&b, "forecast_events,host=web1,dc=us,kind=gap text=\"no samples\" %d\n", at.Add(time.Duration(i)*time.Second).UnixNano())
	}
	req, err := http.NewRequest("POST", address+"/api/v2/write?"+url.Values{"org": {org}, "bucket": {bucket}}.Encode(), strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Token "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent {
		t.Fatal(resp.Status)
	}
	return points(t, b.String())
}

// fill runs the program over two hours of two hosts into a database, and returns the points. Both
// hosts have a spike, a lasting change and a gap.
func fill(t *testing.T, address, bucket, org, token string) []point {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "forecaster")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/forecaster").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const step, samples = 10 * time.Second, 720
	rng := rand.New(rand.NewPCG(1, 2))
	begin := time.Now().Truncate(step).Add(-(samples - 1) * step)
	data := ""
	for i := range samples {
		for _, host := range []string{"web1", "web 2"} {
			if i == samples-100 || host == "web 2" && i > samples-100 && i < samples-95 { // the hosts have other numbers of scores
				continue
			}
			size := 1.
			if i > samples-200 {
				size = 5
			}
			cpu := math.Sin(float64(i)/20) + .1*size*rng.NormFloat64()
			mem := 2*math.Sin(float64(i)/20+1) + .1*size*rng.NormFloat64()
			if i == samples-300 {
				mem += map[string]float64{"web1": 20, "web 2": 1}[host] // scores of 3 and 1.4
			}
			data += fmt.Sprintf(`{"time":%q,"host":%q,"dc":"eu","cpu":%.3f,"mem":%.3f}`+"\n", begin.Add(time.Duration(i)*step).UTC().Format(time.RFC3339), host, cpu, mem)
		}
	}
	file := filepath.Join(dir, "hosts.jsonl")
	if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	written := filepath.Join(dir, "written.lp")
	args := []string{"run"}
	for _, setting := range []string{
		"input.file.path=" + file, "input.json.tags=host,dc",
		"pipeline.interval=10s", "model.horizon=30", "model.limits=mem <= 1.9", "model.joint=true", "model.drift.detect=true", "evaluate.interval=2",
		"output.file.path=" + written, "output.file.format=influx",
		"output.influxdb.url=" + address, "output.influxdb.org=" + org, "output.influxdb.token=" + token, "output.influxdb.bucket=" + bucket,
	} {
		args = append(args, "--set", setting)
	}
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	return points(t, string(text))
}
