package livepage

import (
	"context"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/event"
)

// browser is a tab of a headless Chromium.
type browser struct {
	t       *testing.T
	ctx     context.Context
	allowed string // part of a message that is allowed on the console
}

// chromium is the browser that all tests share.
var chromium struct {
	ctx  context.Context
	stop []context.CancelFunc // last first
}

func TestMain(m *testing.M) {
	code := m.Run()
	for _, stop := range chromium.stop {
		stop()
	}
	os.Exit(code)
}

// startChromium starts the shared browser. Without Chromium the test is skipped, or fails if
// FORECASTER_REQUIRE_SERVICES is set, as in CI.
func startChromium(t *testing.T) {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		const text = "Chromium is not installed; on Debian: apt-get install chromium"
		if os.Getenv("FORECASTER_REQUIRE_SERVICES") != "" {
			t.Fatal(text)
		}
		t.Skip(text)
	}
	profile, err := os.MkdirTemp("", "forecaster-chromium-")
	if err != nil {
		t.Fatal(err)
	}
	options := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	options = append(options,
		chromedp.ExecPath(path), chromedp.UserDataDir(profile), chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Env("TZ=Asia/Kathmandu"),        // local time is UTC+5:45
		chromedp.WSURLReadTimeout(2*time.Minute), // a busy machine may take long to start it
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // root cannot use the sandbox
	}
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, closeBrowser := chromedp.NewContext(ctx)
	chromium.ctx = ctx
	chromium.stop = []context.CancelFunc{closeBrowser, stop, func() { _ = os.RemoveAll(profile) }}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
}

// openBrowser opens a tab. A message of the page on the console fails the test.
func openBrowser(t *testing.T, width, height int64) *browser {
	t.Helper()
	if chromium.ctx == nil {
		startChromium(t)
	}
	ctx, cancel := context.WithTimeout(chromium.ctx, 5*time.Minute)
	t.Cleanup(cancel)
	ctx, closeTab := chromedp.NewContext(ctx)
	t.Cleanup(closeTab)
	b := &browser{t: t, ctx: ctx}
	messages := chromedp.Console(ctx)
	b.do(chromedp.EmulateViewport(width, height))
	t.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil {
			t.Errorf("closing the tab: %v", err)
		}
		for m, err := range messages {
			if err != nil {
				break
			}
			if b.allowed == "" || !strings.Contains(m.Text, b.allowed) {
				t.Errorf("the browser said: %s", m)
			}
		}
	})
	return b
}

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

// value returns the value of a JavaScript expression.
func value[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits for a condition in JavaScript.
func (b *browser) until(condition string) {
	b.t.Helper()
	for end := time.Now().Add(time.Minute); ; {
		if value[bool](b, "Boolean("+condition+")") {
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("in vain: %s; the page says %q", condition, value[string](b, "document.body.innerText"))
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// click clicks an element by script: a pointer misses an element that the page moves.
func (b *browser) click(selector string) {
	b.t.Helper()
	value[any](b, fmt.Sprintf("document.querySelector(%q).click()", selector))
}

// text returns the text of an element.
func (b *browser) text(selector string) string {
	b.t.Helper()
	return value[string](b, fmt.Sprintf("document.querySelector(%q).textContent", selector))
}

// serve returns a server of the page of f.
func serve(t *testing.T, f *feeder) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(f.page)
	t.Cleanup(server.Close)
	t.Cleanup(f.page.EndStreams)
	return server
}

// painted is the number of pixels in the first chart with about the colour of the forecast: more blue than red.
const painted = `(() => {
	const c = document.querySelector(".plot canvas");
	const p = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
	let n = 0;
	for (let i = 0; i < p.length; i += 4) n += p[i + 3] > 0 && p[i + 2] > p[i] + 40;
	return n;
})()`

func TestPageInABrowser(t *testing.T) {
	for _, size := range []struct{ width, height int64 }{{400, 800}, {1600, 1000}} {
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			f := newFeeder(t, Config{
				Horizons: []int{1, 2, 3}, Levels: []float64{.9, .5}, Note: "This is a development broker.",
				Status: func() Status { return Status{Lag: 42} },
			}, "first", "a", "b", "c", "d", "e")
			second := f.of("second", "x")
			second.feed(10)
			b := f.batch(30)
			b.Events = []stream.Event{{Series: "first", Time: 1e9, Kind: event.Gap, Text: "2 samples missing"}}
			f.write(b)
			second.write(second.batch(1))
			server := serve(t, f)

			w := openBrowser(t, size.width, size.height)
			w.do(chromedp.Navigate(server.URL + "/#series=first"))
			w.until(`document.querySelectorAll(".plot canvas").length === 4 && document.querySelector("#rate").textContent.endsWith("/s")`)
			if n := value[int](w, painted); n < 200 {
				t.Errorf("%d pixels of forecasts are painted", n)
			}
			for selector, want := range map[string]string{
				"#model": "orffvar", "#state": "Working", "#lag": "42", "#note": "This is a development broker.",
				".chart h2": "a", "#legend-band": "intervals of 90 %, 50 %", "#events p": "2 samples missing",
			} {
				if got := w.text(selector); got != want {
					t.Errorf("%s says %q, want %q", selector, got, want)
				}
			}
			if got := value[int64](w, "document.documentElement.scrollWidth"); got > size.width {
				t.Errorf("the page is %d pixels wide", got)
			}

			// New samples are shown without a request.
			w.until(`document.querySelector(".readout").textContent.includes("observed29")`)
			more := f.batch(1)
			f.metrics(more, .25)
			f.write(more)
			w.until(`document.querySelector(".readout").textContent.includes("observed30")`)
			w.until(`document.querySelector("#vs-persistence .big").textContent === "+0.25"`)
			if got := w.text("#coverage .big"); got != "90.0 %" {
				t.Errorf("coverage %q", got)
			}
			if !value[bool](w, `document.querySelector("#experts-card").hidden && document.querySelector("#influence-card").hidden`) {
				t.Error("there are panels without content")
			}
			f.write(&stream.Batch{Insights: []stream.Insight{f.insight(1), f.insight(2)}})
			w.until(`document.querySelector("#experts-card canvas") && document.querySelector("#experts-legend").textContent === "second 75 %first 25 %"`)
			w.until(`document.querySelector("#influence-list").textContent === "a → e+0.50"`)
			if n := value[int](w, `document.querySelectorAll("#influence-graph circle").length`); n != 5 {
				t.Errorf("%d variables in the graph of influences", n)
			}
			if got := w.text("#vs-var .caption"); got != "not known yet" {
				t.Errorf("skill against VAR(1): %q", got)
			}

			// A drift and the joint region are drawn and read.
			if !value[bool](w, `document.querySelector("#legend-drift").hidden && document.querySelector("#legend-joint").hidden`) {
				t.Error("the legend has a line that is not drawn")
			}
			drift := f.batch(1)
			at := drift.Observations[0].Time
			drift.Events = []stream.Event{{Series: "first", Time: at, Kind: event.Drift, Text: "the errors have been larger than usual for about 7 samples"}}
			for i := range drift.Forecasts {
				p := &drift.Forecasts[i]
				for _, y := range p.Yhat {
					p.JointLower, p.JointUpper = append(p.JointLower, y-4), append(p.JointUpper, y+4)
				}
			}
			f.write(drift)
			w.until(`!document.querySelector("#legend-drift").hidden && !document.querySelector("#legend-joint").hidden`)
			w.until(`document.querySelector(".readout").textContent.includes("driftfound")`)
			w.until(`document.querySelector(".plot").getAttribute("aria-label").includes("a drift was found at")`)

			// The arrow keys select single samples.
			w.do(chromedp.Focus(".plot"), chromedp.KeyEvent(kb.ArrowLeft), chromedp.KeyEvent(kb.ArrowLeft))
			w.until(`document.querySelector(".readout").textContent.includes("observed29")`)
			w.do(chromedp.KeyEvent(kb.End))
			w.until(`document.querySelector(".readout").textContent.includes("forecast37")`) // 34 + 3
			w.until(`document.querySelector(".readout").textContent.includes("joint33.00 … 41.00")`)

			// Other variables, another horizon, another series.
			w.click(`#variables label:nth-child(5)`)
			w.until(`document.querySelectorAll(".plot canvas").length === 5`)
			w.click(`#horizons label:nth-child(3)`)
			w.until(`document.querySelector("#legend-past").textContent === "forecast 3 steps before"`)
			w.until(`document.querySelector(".readout").textContent.includes("forecast was34")`)
			w.do(chromedp.SetValue("#series", "second"))
			value[any](w, `document.querySelector("#series").dispatchEvent(new Event("change", {bubbles: true}))`)
			w.until(`document.querySelectorAll(".plot canvas").length === 1 && document.querySelector(".chart h2").textContent === "x"`)
			if got := value[string](w, "location.hash"); got != "#series=second&variable=x&horizon=3" {
				t.Errorf("the address is %q", got)
			}

			// The selection survives a broken connection.
			w.allowed = "net::ERR_"
			value[any](w, `new MutationObserver(() => window.wasLost ||= document.querySelector("#state").dataset.kind === "lost")
				.observe(document.querySelector("#state"), {attributes: true})`) // it is lost only for as long as it takes to connect again
			server.CloseClientConnections()
			w.until(`window.wasLost`)
			second.feed(3)
			w.until(`document.querySelector(".readout").textContent.includes("observed13") && document.querySelector("#state").dataset.kind === "working"`)
		})
	}
}

// TestScoresOfAllVariables: the table shows the number of hidden variables, and shows them on request.
func TestScoresOfAllVariables(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1}, Levels: []float64{.9}}, "few", "a", "b")
	many := make([]string, MaxVariables+6)
	for j := range many {
		many[j] = fmt.Sprintf("sensor %d", j)
	}
	for _, g := range []*feeder{f, f.of("twelve", many[:12]...), f.of("many", many...)} {
		b := g.batch(30)
		g.metrics(b, .5)
		g.write(b)
	}
	server := serve(t, f)
	w := openBrowser(t, 1280, 900)
	rows := `document.querySelector("#scores tbody").rows.length`
	open := func(series string) {
		w.do(chromedp.Navigate("about:blank"), chromedp.Navigate(server.URL+"/#series="+series))
	}
	open("few")
	w.until(rows + ` === 3 && document.querySelector("#scores-finder").hidden`)
	if got := strings.TrimSpace(w.text("#scores-title")); got != "Scores by variable" {
		t.Errorf("all variables: %q", got)
	}
	open("twelve")
	w.until(rows + ` === 5`)
	if got := strings.TrimSpace(w.text("#scores-title")); got != "Scores by variable (4 of 12)" {
		t.Errorf("four of twelve: %q", got)
	}
	if got := w.text("#scores-all"); got != "Show all 12" {
		t.Errorf("the button says %q", got)
	}
	w.click("#scores-all")
	w.until(rows + ` === 13 && document.querySelector("#scores-all").getAttribute("aria-expanded") === "true"`)
	if got := strings.TrimSpace(w.text("#scores-title")); got != "Scores by variable" {
		t.Errorf("all twelve: %q", got)
	}
	w.click("#scores-all")
	w.until(rows + ` === 5`)
	w.do(chromedp.SendKeys("#scores-search", "SENSOR 1"))
	w.until(rows + ` === 3`) // 1, 10 and 11
	if got := strings.TrimSpace(w.text("#scores-title")); got != "Scores by variable (3 of 12)" {
		t.Errorf("found: %q", got)
	}
	open("many")
	w.until(rows + ` === 5`)
	w.click("#scores-all")
	w.until(fmt.Sprintf(`%s === %d`, rows, 1+MaxVariables))
	if got := strings.TrimSpace(w.text("#scores-title")); got != fmt.Sprintf("Scores by variable (%d of %d)", MaxVariables, len(many)) {
		t.Errorf("all that are kept: %q", got)
	}
}

func TestColoursCanBeChosen(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1}}, "s", "a")
	f.feed(9)
	server := serve(t, f)
	w := openBrowser(t, 800, 600)
	w.do(chromedp.Navigate(server.URL))
	w.until(`document.querySelector(".plot canvas")`)
	if got := value[string](w, "document.documentElement.dataset.theme"); got != "system" {
		t.Errorf("at first the colours are %q", got)
	}
	w.click("#theme")
	w.click("#theme")
	if got := value[string](w, "getComputedStyle(document.body).color"); got != "rgb(232, 237, 243)" {
		t.Errorf("dark text is %s", got)
	}
	w.do(chromedp.Reload())
	w.until(`document.documentElement.dataset.theme === "dark" && document.querySelector(".plot canvas")`)
	if got := value[string](w, `document.querySelector("#theme").getAttribute("aria-label")`); got != "Colours: dark" {
		t.Errorf("the button is called %q", got)
	}
	if value[bool](w, `[...document.querySelectorAll(".legend .interval")].some((e) => e.offsetParent)`) {
		t.Error("there are no intervals, but the legend has them")
	}
}

// TestNamesDoNoHarmInABrowser is TestNamesFromOutside in a real browser.
func TestNamesDoNoHarmInABrowser(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1}, Note: hostile}, hostile, hostile, "__proto__", "constructor")
	b := f.batch(9)
	b.Events = []stream.Event{{Series: hostile, Kind: "<img src=x>", Text: hostile}}
	f.metrics(b, 1)
	f.write(b)
	server := serve(t, f)
	w := openBrowser(t, 1000, 800)
	w.do(chromedp.Navigate(server.URL))
	w.until(`document.querySelectorAll(".plot canvas").length === 3 && document.querySelector("#events b")`)
	w.until(`document.querySelector("#scores tbody").rows.length === 4`)
	want := valid(hostile)
	for _, selector := range []string{".chart h2", "#note", "#events b", "#events p", "#variables span", "#scores tr:nth-child(2) th"} {
		// The title of a shortened name is the whole name.
		if got := value[string](w, fmt.Sprintf(`((e) => e.title || e.parentElement.title || e.textContent)(document.querySelector(%q))`, selector)); got != want {
			t.Errorf("%s says %q", selector, got)
		}
	}
	if n := value[int](w, `document.querySelectorAll("img").length`); n != 1 { // the logo
		t.Errorf("%d images", n)
	}
	w.click("#variables label:nth-child(2)")
	w.until(`document.querySelectorAll(".plot canvas").length === 2`)
}

func TestPageWaitsForTheFirstSample(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1}, Status: func() Status { return Status{State: "no partition is assigned", Lag: -1} }}, "s", "a")
	server := serve(t, f)
	w := openBrowser(t, 800, 600)
	w.do(chromedp.Navigate(server.URL + "/#series=unknown"))
	w.until(`document.querySelector("#state").textContent === "No partition is assigned"`)
	f.feed(5)
	w.until(`document.querySelector(".plot canvas") && document.title === "s · forecaster"`)
}

var (
	shotsOf = flag.String("page", "", "address of a running page, for TestScreenshots")
	shotsTo = flag.String("screenshots", "", "folder for them")
)

// TestScreenshots takes the pictures of the documentation from a running job:
//
//	forecaster demo --rate 20 &
//	go test ./internal/livepage -run Screenshots -page http://127.0.0.1:8090/ -screenshots $PWD/docs/images
func TestScreenshots(t *testing.T) {
	if *shotsOf == "" || *shotsTo == "" {
		t.Skip("neither -page nor -screenshots is given")
	}
	for _, shot := range []struct {
		name, theme   string
		width, height int64
		scale         float64
	}{
		{"live-page.png", "light", 1600, 1000, 1},
		{"live-page-dark.png", "dark", 1600, 1000, 1},
		{"live-page-narrow.png", "dark", 400, 900, 2},
		{"live-page-narrow-light.png", "light", 400, 900, 2},
	} {
		w := openBrowser(t, shot.width, shot.height)
		w.do(chromedp.EmulateViewport(shot.width, shot.height, chromedp.EmulateScale(shot.scale)), chromedp.Navigate(*shotsOf))
		value[any](w, fmt.Sprintf(`localStorage.setItem("theme", %q)`, shot.theme))
		w.do(chromedp.Reload())
		w.until(`document.querySelector(".plot canvas") && !document.querySelector("#vs-persistence .big").textContent.startsWith("–")`)
		w.do(chromedp.Sleep(2 * time.Second)) // until the charts have moved on
		png, err := chromedp.Run(w.ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(*shotsTo, shot.name)
		if err := os.WriteFile(path, png, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d KiB", path, len(png)>>10)
	}
}
