package report

import (
	"bytes"
	"errors"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/tools/recorded"
)

// run feeds n steps of two series of a straight line. The errors of the forecasts are 1/2, those of persistence 1.
func run(n int) *Trace {
	t := NewTrace(Config{Model: "line", Horizon: 1, Variables: []string{"a", "b/c"}, Levels: []float64{.9, .5}})
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	for i := range n {
		for s := range 2 {
			y := float64(i)
			t.Step(Step{
				Series: s, Time: start + int64(i)*1e9, Y: []float64{y, 100 * y}, Forecast: []float64{y + .5, 100*y + 50},
				// The wide interval contains every value, the narrow one only those of the second variable.
				Lower: []float64{y, 100 * y, y, 100 * y}, Upper: []float64{y + 2, 100*y + 200, y + .9, 100*y + 200},
				Scored: i > 10, Anomaly: float64(i%100) / 50, Labelled: i%100 > 90,
			})
		}
		if i%10 == 0 {
			t.Weights([]string{"x", "y"}, []float64{1, 0, .5, .5})
		}
	}
	t.Future(start+int64(n)*1e9, []float64{float64(n), 0}, nil, nil)
	return t
}

// If the experts of a series change, each expert keeps its own weights.
func TestWeightsOfOtherExperts(t *testing.T) {
	tr := NewTrace(Config{Model: "auto", Horizon: 1, Variables: []string{"a"}})
	for i := range 3 * maxBins {
		tr.Step(Step{Time: int64(i), Y: []float64{1}, Scored: true})
		if i < maxBins {
			tr.Weights([]string{"last", "ar"}, []float64{.25, .75})
		} else {
			tr.Weights([]string{"last", "rff", "ar"}, []float64{.5, .5, 0})
		}
	}
	if !slices.Equal(tr.experts, []string{"last", "ar", "rff"}) {
		t.Errorf("experts %v", tr.experts)
	}
	var sums [3]float64
	for _, b := range tr.bins {
		for e, w := range b.weights {
			sums[e] += w
		}
	}
	if want := [3]float64{maxBins*.25 + 2*maxBins*.5, maxBins * .75, 2 * maxBins * .5}; sums != want {
		t.Errorf("sums of weights %v, want %v", sums, want)
	}
	if tr.weights() == nil {
		t.Error("no picture")
	}
}

// An expert has a band if its mean share over the bins is at least a hundredth, however many steps a bin has; at most nine
// have one, the largest, in the order of the experts.
func TestBandsOfExperts(t *testing.T) {
	bins := func(shares ...[]float64) *Trace {
		tr := &Trace{bins: make([]bin, len(shares))}
		for i, all := range shares {
			weighted := []float64{1, 100, 0}[i%3]
			for e, share := range all {
				if i == 0 {
					tr.experts = append(tr.experts, string(rune('a'+e)))
				}
				tr.bins[i].weights = append(tr.bins[i].weights, share*weighted)
			}
			tr.bins[i].weighted = weighted
		}
		return tr
	}
	for _, c := range []struct {
		tr   *Trace
		want []int
	}{
		{bins([]float64{.96, .04}, []float64{1, 0}), []int{0, 1}},
		{bins([]float64{1, 0}, []float64{.96, .04}), []int{0, 1}},
		{bins([]float64{.97, .015, .015}, []float64{.97, .03, 0}), []int{0, 1}},
		{bins([]float64{.98, .02}, []float64{1, 0}, []float64{0, 1}), []int{0, 1}},
		{bins([]float64{.98, .02}, []float64{1}), []int{0, 1}},
		{bins([]float64{1.04, -.04}, []float64{.99, .01}), []int{0}},
		{bins([]float64{.06, .12, .08, .09, .1, .11, .07, .13, .14, .05, .05}), []int{0, 1, 2, 3, 4, 5, 6, 7, 8}},
		{bins([]float64{.05, .12, .08, .09, .1, .11, .07, .13, .14, .06, .05}), []int{1, 2, 3, 4, 5, 6, 7, 8, 9}},
	} {
		if got := c.tr.bands(); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.tr.bins, got, c.want)
		}
	}
}

func TestTrace(t *testing.T) {
	for _, n := range []int{5, 300, 20_000} {
		tr := run(n)
		if len(tr.bins) > maxBins || len(tr.last) > shownSamples {
			t.Errorf("%d steps: %d bins, %d samples", n, len(tr.bins), len(tr.last))
		}
		steps, labelled, scored := 0, 0, 0.
		for i, b := range tr.bins {
			if i < len(tr.bins)-1 && b.steps != tr.width || b.time != tr.bins[0].time+int64(i*tr.width/2)*1e9 {
				t.Errorf("%d steps: bin %d has %d steps of %d from %d", n, i, b.steps, tr.width, b.time)
			}
			rows := [2]int{steps / 2, (steps + b.steps - 1) / 2} // first and last
			score := 0.
			for row := rows[0]; row <= rows[1]; row++ {
				score = max(score, float64(row%100)/50)
			}
			if b.score != score {
				t.Errorf("%d steps: bin %d of the rows %v has the score %v, want %v", n, i, rows, b.score, score)
			}
			steps += b.steps
			labelled += b.labelled
			scored += b.n[1]
		}
		if steps != 2*n || scored != float64(2*(n-1)) || labelled != 2*(n/100*9) {
			t.Errorf("%d steps: the bins have %d, %v scored, %d labelled", n, steps, scored, labelled)
		}
		for i, v := range tr.relativeErrors() {
			if i > 1 && v != .25 { // (1/2)^2
				t.Errorf("%d steps, bin %d: %v, want 1/4", n, i, v)
			}
		}
		if n < 20 {
			continue
		}
		m := tr.measured()
		if len(m) != 2 || m[0].X != .5 || m[0].Y != .5 || m[1].X != .9 || m[1].Y != 1 {
			t.Errorf("%d steps: coverage %v", n, m)
		}
	}
}

// svgOfPage matches a figure; TestFiguresAsRecorded has them.
var svgOfPage = regexp.MustCompile(`(?s)<svg.*?</svg>`)

// The page is equal each time, uses no other files, and stays small for any length of the run. One of a short run is that of
// testdata/page.html.
func TestPage(t *testing.T) {
	page := func(n int) string {
		r := &Report{
			Title: "a <file>", Facts: []string{"10 rows"}, Made: "a test", Traces: []*Trace{run(n), run(n)},
			Tables: []Table{{Title: "Scores", Numeric: 1, Header: []string{"model", "mse"}, Rows: [][]string{{"line", "0.25"}}}},
		}
		var b bytes.Buffer
		if err := r.WriteHTML(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := page(20_000)
	if text != page(20_000) {
		t.Error("two pages of the same run differ")
	}
	if len(text) > 500<<10 {
		t.Errorf("%d KiB", len(text)>>10)
	}
	for _, want := range []string{"a &lt;file&gt;", "Errors over time", "Coverage by level", "Experts in the mixture", "Anomaly score", "90 % interval", "currentColor", "@media print", ".scroll { overflow: visible }"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, bad := range []string{"src=", "href=", "@import", "url(", "<script", "#010203", "NaN"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	var b bytes.Buffer
	short := &Report{
		Title: "a <file>", Facts: []string{"10 rows", "", "& more"}, Made: "a test", Traces: []*Trace{drawnRun("persistence", 1), drawnRun("auto", .5)},
		Tables: []Table{{Title: "Scores", Numeric: 1, Header: []string{"model", "mse"}, Rows: [][]string{{"line", "0.25"}}, Caption: "A caption.", More: "and more"}},
	}
	if err := short.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	recorded.Check(t, "testdata/page.html", strings.ReplaceAll(svgOfPage.ReplaceAllString(strings.ReplaceAll(b.String(), style, ""), "<svg/>"), "><", ">\n<"))
	empty := &Report{Title: "nothing", Traces: []*Trace{NewTrace(Config{Model: "m", Horizon: 1, Variables: []string{"a"}})}}
	if err := empty.WriteHTML(&bytes.Buffer{}); err != nil {
		t.Error(err)
	}
}

func TestFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plots")
	names, err := (&Report{Traces: []*Trace{run(500)}}).WriteFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	// Two forecasts, errors, coverage, weights, anomalies.
	if len(names) != 12 {
		t.Errorf("%q", names)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".svg") {
			if !bytes.Contains(b, []byte("<svg")) || len(b) > 200<<10 {
				t.Errorf("%s: %d KiB", name, len(b)>>10)
			}
			continue
		}
		if c, err := png.DecodeConfig(bytes.NewReader(b)); err != nil || c.Width != 1200 && c.Width != 640 {
			t.Errorf("%s: %v %v", name, c, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "forecast-b_c.png")); err != nil {
		t.Error(err)
	}
	// A file may be incomplete if it cannot be closed.
	if err := writeFile(names[0], func(w io.Writer) error { return w.(io.Closer).Close() }); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a file that is closed before: %v", err)
	}
}

// A missing, constant or short series draws the available parts.
func TestOddSeries(t *testing.T) {
	nan := math.NaN()
	for _, y := range [][]float64{{nan, nan, nan, nan}, {3, 3, 3, 3}, {1}, {1, nan, 3, nan}} {
		tr := NewTrace(Config{Model: "m", Horizon: 2, Variables: []string{"a"}, Levels: []float64{.9}})
		for i, v := range y {
			tr.Step(Step{Time: int64(i), Y: []float64{v}, Forecast: []float64{v}, Lower: []float64{nan}, Upper: []float64{nan}, Anomaly: nan})
		}
		if err := (&Report{Traces: []*Trace{tr}}).WriteHTML(&bytes.Buffer{}); err != nil {
			t.Errorf("%v: %v", y, err)
		}
	}
}

func TestDateTicks(t *testing.T) {
	at := func(s string) float64 {
		v, err := time.Parse(time.DateTime, s)
		if err != nil {
			t.Fatal(err)
		}
		return float64(v.Unix())
	}
	for _, c := range []struct{ from, to, want string }{
		{"2026-01-01 00:00:10", "2026-01-01 00:02:00", "00:00:30 00:01:00 00:01:30 00:02:00"},
		{"2026-01-01 22:10:00", "2026-01-02 01:10:00", "23:00 Jan 2 01:00"},
		{"2026-01-30 12:00:00", "2026-02-03 12:00:00", "Jan 31 Feb 2"},
		{"2025-11-20 00:00:00", "2026-07-03 00:00:00", "Jan 2026 Apr 2026 Jul 2026"},
		{"1959-01-01 00:00:00", "2009-07-01 00:00:00", "1960 1980 2000"},
	} {
		var got []string
		for _, tick := range dateTicks(4).Ticks(at(c.from), at(c.to)) {
			got = append(got, tick.Label)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s to %s: %q, want %q", c.from, c.to, got, c.want)
		}
	}
}
