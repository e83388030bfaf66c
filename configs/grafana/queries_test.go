package grafana

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/tools/testserver"
)

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

// testTags asks for a bound as somebody does who knows InfluxQL.
func testTags(t *testing.T, s *influxServer) {
	if rows, _ := s.query(`SELECT cpu_lower FROM forecast WHERE host='web1' AND horizon='12'`); len(rows) < 500 {
		t.Errorf("%d rows", len(rows))
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
	if status := write(t, address, org, bucket, token, b.String()); status != http.StatusNoContent {
		t.Fatal(status)
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
