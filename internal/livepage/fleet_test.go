package livepage

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/orffvar/forecaster/internal/tools/testserver"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
)

// fleet returns a page with the given number of series of two variables. Series 123 has an anomaly, and series 45 the
// lowest skill.
func fleet(t *testing.T, series int) *feeder {
	t.Helper()
	name := func(i int) string {
		return fmt.Sprintf("cpu,cluster=production-europe-west,host=node-%03d.example.org,role=storage", i)
	}
	first := newFeeder(t, Config{Horizons: []int{1, 2, 3}, Levels: []float64{.9}}, name(0), "usage_user", "usage_system")
	for i := range series {
		f := first
		if i > 0 {
			f = first.of(name(i), "usage_user", "usage_system")
		}
		b := f.batch(30)
		for k := range b.Observations {
			o := &b.Observations[k]
			for j := range o.Y {
				o.Y[j] += 3 * math.Sin(float64(k+i+j))
			}
			if i == 123 && k == 20 {
				o.AnomalyScore = 3.5
			}
		}
		skill := .5
		if i == 45 {
			skill = -.75
		}
		f.metrics(b, skill)
		b.Events = append(b.Events, stream.Event{Series: name(i), Time: f.time(0), Kind: event.Series, Text: "2 variables"})
		f.write(b)
	}
	return first
}

// wide returns a page with one series of many variables with long names.
func wide(t *testing.T, variables int) *feeder {
	t.Helper()
	var names []string
	for j := range variables {
		names = append(names, fmt.Sprintf("diskio_reads_per_second_of_the_device_%02d_in_rack_%02d", j, j/4))
	}
	f := newFeeder(t, Config{Horizons: []int{1, 2, 3}, Levels: []float64{.9, .5}}, "storage", names...)
	b := f.batch(120)
	f.metrics(b, .25)
	b.Insights = append(b.Insights, f.insight(1), f.insight(2))
	f.write(b)
	return f
}

// fire sets the value of an element, and dispatches the event.
func (b *browser) fire(selector, text, event string) {
	b.t.Helper()
	value[any](b, fmt.Sprintf(`(() => {
		const e = document.querySelector(%q);
		e.value = %q;
		e.dispatchEvent(new Event(%q, {bubbles: true}));
	})()`, selector, text, event))
}

// TestFleetInABrowser: each of 300 series can be found by its name, and the series with the anomaly and with the lowest
// skill by the order.
func TestFleetInABrowser(t *testing.T) {
	f := fleet(t, 300)
	server := serve(t, f)
	w := openBrowser(t, 1280, 900)
	w.do(chromedp.Navigate(server.URL))
	w.until(`document.querySelectorAll(".plot canvas").length === 2 && document.querySelector("#matches").textContent === "(300 of 300)"`)
	w.fire("#search", "node-299", "input")
	w.until(`document.querySelector("#matches").textContent === "(1 of 300)"`)
	option := `document.querySelector("#series").options[0]`
	if got := value[string](w, option+`.textContent`); !strings.HasPrefix(got, "…") || !strings.Contains(got, "host=node-299") {
		t.Errorf("the option says %q", got)
	}
	const whole = "cpu,cluster=production-europe-west,host=node-299.example.org,role=storage"
	if got := value[string](w, option+`.title`); got != whole {
		t.Errorf("under the pointer the option says %q", got)
	}
	w.fire("#series", whole, "change")
	w.until(`new URLSearchParams(location.hash.slice(1)).get("series").includes("node-299") && document.querySelectorAll(".plot canvas").length === 2`)
	w.fire("#search", "", "input")
	for order, want := range map[string]string{"anomaly": "node-123", "skill": "node-045", "name": "node-000"} {
		w.fire("#sort", order, "change")
		w.until(fmt.Sprintf(`document.querySelector("#series").options.length === 300 && %s.value.includes(%q)`, option, want))
	}

	// New series are one line with their number.
	if n := value[int](w, `document.querySelectorAll("#events li").length`); n != 1 {
		t.Errorf("%d lines of events", n)
	}
	if got := w.text("#events .kind"); got != "200 new series" { // counts the kept events, although the page connects several times
		t.Errorf("the events begin with %q", got)
	}
}

// TestLargeFleetInABrowser: with more series than a list has, any series can be found, and is then drawn.
func TestLargeFleetInABrowser(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1}, Levels: []float64{.9}}, "s", "x")
	var last *feeder
	for i := range MaxSeries + 500 {
		last = f.of(fmt.Sprintf("node-%05d", i), "x")
		b := last.batch(20)
		if i == MaxSeries+100 {
			b.Observations[19].AnomalyScore = 4
		}
		last.write(b)
	}
	server := serve(t, f)
	w := openBrowser(t, 1280, 900)
	w.do(chromedp.Navigate(server.URL))
	w.until(`document.querySelector(".plot canvas") && document.querySelector("#matches").textContent === "(1,500 of 1,500, 1,000 listed)"`)
	option := `document.querySelector("#series").options[0]`
	w.fire("#sort", "anomaly", "change")
	w.until(option + `.value === "node-01100" && ` + option + `.textContent.includes("4.00")`)
	w.fire("#search", "node-0149", "input")
	w.until(`document.querySelector("#matches").textContent === "(10 of 1,500)"`)
	w.fire("#series", "node-01499", "change")
	w.until(`location.hash.includes("node-01499") && !document.querySelector("#empty").hidden`)
	last.feed(30)
	w.until(`document.querySelector(".plot canvas") && document.querySelector("#empty").hidden`)

	// The address keeps the selection.
	w.do(chromedp.Reload())
	w.until(`document.title.startsWith("node-01499") && document.querySelector(".plot canvas")`)
}

// TestZoomAndZone: dragging and keys zoom, and pause the page; a button resets the zoom. Times are in UTC or in the
// zone of the browser.
func TestZoomAndZone(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1, 3}, Levels: []float64{.9}}, "s", "a")
	f.feed(60)
	server := serve(t, f)
	w := openBrowser(t, 1280, 900)
	w.do(chromedp.Navigate(server.URL))
	w.until(`document.querySelector(".plot canvas") && !document.querySelector("#horizons").hidden`)
	w.do(chromedp.Focus(".plot"), chromedp.KeyEvent("+"))
	w.until(`!document.querySelector("#unzoom").hidden && document.querySelector("#pause").getAttribute("aria-pressed") === "true"`)
	w.click("#unzoom")
	w.until(`document.querySelector("#unzoom").hidden && document.querySelector("#pause").getAttribute("aria-pressed") === "false"`)
	value[any](w, `(() => {
		const over = document.querySelector(".u-over");
		const box = over.getBoundingClientRect();
		const mouse = (type, x, target) => target.dispatchEvent(new MouseEvent(type, {bubbles: true, clientX: box.left + x, clientY: box.top + 50, movementX: 100, button: 0, buttons: 1}));
		mouse("mouseenter", 100, over);
		mouse("mousemove", 100, over);
		mouse("mousedown", 100, over);
		mouse("mousemove", 200, over);
		mouse("mousemove", 300, over);
		mouse("mouseup", 300, document);
	})()`)
	w.until(`!document.querySelector("#unzoom").hidden`)
	w.do(chromedp.Focus(".plot"), chromedp.KeyEvent("0"))
	w.until(`document.querySelector("#unzoom").hidden`)

	utc := w.text(".chart time")
	w.fire("#zone", "local", "change")
	w.until(`document.querySelector("#zone-name").textContent !== ""`)
	zone := value[string](w, "Intl.DateTimeFormat().resolvedOptions().timeZone")
	if got := w.text("#zone-name"); got != zone {
		t.Errorf("the zone is called %q, want %q", got, zone)
	}
	w.fire("#zone", "utc", "change")
	w.until(fmt.Sprintf(`document.querySelector(".chart time").textContent === %q && document.querySelector("#zone-name").textContent === "UTC"`, utc))
}

// TestAxe: axe-core reports nothing, with 2 variables of many series and with 60 variables.
func TestAxe(t *testing.T) {
	script := testserver.Axe(t)
	for name, page := range map[string]*feeder{"2 variables": fleet(t, 20), "60 variables": wide(t, 60)} {
		for _, theme := range []string{"light", "dark"} {
			t.Run(name+" "+theme, func(t *testing.T) {
				server := serve(t, page)
				w := openBrowser(t, 1280, 900)
				w.do(chromedp.Navigate(server.URL))
				value[any](w, fmt.Sprintf(`localStorage.setItem("theme", %q)`, theme))
				w.do(chromedp.Reload())
				w.until(`document.querySelector(".plot canvas") && document.querySelector("#scores tbody").rows.length > 1`)
				value[any](w, script+"; 0")
				value[any](w, `axe.run().then((r) => { window.found = r.violations; }), 0`)
				w.until(`window.found`)
				var violations []struct {
					ID, Impact, Help string
					Nodes            []struct{ HTML, FailureSummary string }
				}
				if err := json.Unmarshal([]byte(value[string](w, "JSON.stringify(window.found)")), &violations); err != nil {
					t.Fatal(err)
				}
				for _, v := range violations {
					for _, n := range v.Nodes[:min(3, len(v.Nodes))] {
						t.Errorf("%s: %s (%s): %s %s", v.Impact, v.Help, v.ID, n.HTML, n.FailureSummary)
					}
				}
			})
		}
	}
}

var fleetTo = flag.String("fleet-screenshots", "", "folder for pictures of many series and variables, for TestFleetScreenshots")

// TestFleetScreenshots makes pictures to look at:
//
//	go test ./internal/livepage -run FleetScreenshots -fleet-screenshots /tmp/pictures
func TestFleetScreenshots(t *testing.T) {
	if *fleetTo == "" {
		t.Skip("-fleet-screenshots is not given")
	}
	for name, f := range map[string]*feeder{"300-series": fleet(t, 300), "60-variables": wide(t, 60)} {
		server := serve(t, f)
		for _, width := range []int64{400, 1280, 1920} {
			w := openBrowser(t, width, 1000)
			w.do(chromedp.Navigate(server.URL))
			w.until(`document.querySelector(".plot canvas") && document.querySelector("#scores tbody").rows.length > 1`)
			if got := value[int64](w, "document.documentElement.scrollWidth"); got > width {
				t.Errorf("%s: the page is %d pixels wide at %d", name, got, width)
			}
			png, err := chromedp.Run(w.ctx, chromedp.CaptureScreenshot())
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(*fleetTo, fmt.Sprintf("%s-%d.png", name, width)), png, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestRanking: the ranking has the order of the list of series. Unknown values are null.
func TestRanking(t *testing.T) {
	f := fleet(t, 130)
	quiet := f.of("quiet", "x")
	quiet.write(&stream.Batch{Observations: []stream.Observation{{Series: quiet.series, Time: 1e9, Y: []float64{1}, Residual: []float64{nan}, VariableScores: []float64{nan}, AnomalyScore: nan}}})
	var m rankingMessage
	get(t, f.page, "/api/v1/ranking", 200, &m)
	if len(m.Anomaly) != 131 || m.Anomaly[123] != 3.5 || m.Anomaly[0] != .5 || m.Skill[45] != -.75 || m.Skill[0] != .5 {
		t.Errorf("%+v", m)
	}
	if !math.IsNaN(m.Anomaly[130]) || !math.IsNaN(m.Skill[130]) {
		t.Errorf("of a series without scores: %v %v", m.Anomaly[130], m.Skill[130])
	}
}

// TestEverySeriesIsReachable: with more series than histories, each series can be found by its name and by the order.
// It has a history from its first request or anomaly on.
func TestEverySeriesIsReachable(t *testing.T) {
	const n = 3 * MaxSeries
	f := newFeeder(t, Config{Horizons: []int{1}, Levels: []float64{.9}}, "s", "x")
	all := make([]*feeder, n)
	for i := range all {
		all[i] = f.of(fmt.Sprintf("node-%05d", i), "x")
		b := all[i].batch(3)
		if i == 2500 {
			b.Observations[1].AnomalyScore = 2.5
		}
		skill := .5
		if i == 2750 {
			skill = -.5
		}
		all[i].metrics(b, skill)
		all[i].write(b)
	}
	find := func(query string) seriesMessage {
		t.Helper()
		var m seriesMessage
		get(t, f.page, "/api/v1/series"+query, 200, &m)
		return m
	}
	if m := find(""); len(m.Series) != MaxSeries || m.Known != n || m.Matches != n || m.Series[0].Name != "node-00000" {
		t.Errorf("%d of %d series", len(m.Series), m.Known)
	}
	if m := find("?search=NODE-0276"); m.Matches != 10 || len(m.Series) != 10 || m.Series[3].Name != "node-02763" || len(m.Ranking.Anomaly) != 10 {
		t.Errorf("the search finds %d: %+v", m.Matches, m.Series)
	}
	if m := find("?sort=anomaly"); m.Series[0].Name != "node-02500" || m.Ranking.Anomaly[0] != 2.5 {
		t.Errorf("first by anomaly: %+v", m.Series[0])
	}
	if m := find("?sort=skill"); m.Series[0].Name != "node-02750" || m.Ranking.Skill[0] != -.5 {
		t.Errorf("first by skill: %+v", m.Series[0])
	}
	var e errorMessage
	get(t, f.page, "/api/v1/series?sort=size", 400, &e)

	// The anomaly began a history, and so does a request.
	var m windowMessage
	get(t, f.page, "/api/v1/forecast?series=node-02500", 200, &m)
	if len(m.Time) != 2 {
		t.Errorf("%d samples since the anomaly, want 2", len(m.Time))
	}
	get(t, f.page, "/api/v1/forecast?series=node-02999", 200, &m)
	if len(m.Time) != 0 {
		t.Errorf("%d samples from before the question", len(m.Time))
	}
	for i := range all {
		if i != 2999 && i%2 == 0 {
			b := all[i].batch(1)
			b.Observations[0].AnomalyScore = 1.5 // each has an anomaly, for which it would get a history
			all[i].write(b)
		}
	}
	all[2999].feed(4)
	get(t, f.page, "/api/v1/forecast?series=node-02999", 200, &m)
	if len(m.Time) != 4 || m.Variables[0].Y[3] != all[2999].value(6, 0) {
		t.Errorf("after the question there are %+v", m)
	}
	if len(f.page.kept) > MaxSeries {
		t.Errorf("%d histories", len(f.page.kept))
	}
}

// TestHistoriesFitTheirMemory: if memory is small, the last requested series has a history, and others lose theirs.
func TestHistoriesFitTheirMemory(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1}, Memory: 3 << 20}, "s", "x")
	for i := range 300 {
		f.of(fmt.Sprint(i), "x").feed(2)
		if i < 5 { // a changed variable restarts the series
			f.of(fmt.Sprint(i), "x", "y").feed(2)
		}
	}
	kept := len(f.page.kept)
	if f.page.bytes > 3<<20 || kept == 0 || kept == 300 {
		t.Fatalf("%d histories with %d bytes", kept, f.page.bytes)
	}
	var m windowMessage
	for i := range 300 {
		get(t, f.page, fmt.Sprint("/api/v1/forecast?series=", i), 200, &m)
		if f.page.bytes > 3<<20 {
			t.Fatalf("%d bytes after %d questions", f.page.bytes, i)
		}
	}
	for i := 300 - kept/2; i < 300; i++ { // the last requested series
		if f.page.find(fmt.Sprint(i)).history == nil {
			t.Errorf("series %d has no history, although only %d were asked for later", i, 299-i)
		}
	}
}
