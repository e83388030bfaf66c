package livepage

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/orffvar/forecaster/eval/scoring"
)

// limited returns a page with a variable a with the limit a <= 35, and a variable b without a limit. a counts to 29,
// and is expected to reach its limit in half a second, with a probability of .73.
func limited(t *testing.T) *feeder {
	t.Helper()
	f := newFeeder(t, Config{Horizons: []int{1, 2, 3}, Levels: []float64{.9}, Limits: func(variables []string) (all []scoring.Limit) {
		for _, v := range variables {
			l := scoring.Limit{Low: math.Inf(-1), High: math.Inf(1)}
			if v == "a" {
				l.High = 35
			}
			all = append(all, l)
		}
		return all
	}}, "s", "a", "b")
	b := f.batch(30)
	for i := range b.Observations {
		b.Observations[i].TimeToLimit = []float64{.5, math.NaN()}
	}
	for i := range b.Forecasts {
		b.Forecasts[i].Reach = []float64{.1 + .21*float64(b.Forecasts[i].Horizon), math.NaN()}
	}
	f.write(b)
	return f
}

func TestLimitOfAVariable(t *testing.T) {
	f := limited(t)
	var m struct {
		Forecast struct {
			Variables []struct {
				Limit []*float64
				Reach []float64 `json:"limit_probability"`
				At    *float64  `json:"time_to_limit"`
			}
		}
	}
	get(t, f.page, "/api/v1/forecast?series=s&variable=a&samples=1", 200, &m)
	if a := m.Forecast.Variables[0]; len(a.Limit) != 2 || a.Limit[0] != nil || *a.Limit[1] != 35 || *a.At != .5 || math.Abs(a.Reach[2]-.73) > 1e-12 {
		t.Errorf("%+v", m)
	}
	m.Forecast.Variables = nil
	get(t, f.page, "/api/v1/forecast?series=s&variable=b&samples=1", 200, &m)
	if b := m.Forecast.Variables[0]; b.Limit != nil || b.At != nil {
		t.Errorf("%+v", m)
	}
	// The limit is out of reach again.
	b := f.batch(1)
	b.Observations[0].TimeToLimit = []float64{math.NaN(), math.NaN()}
	f.write(b)
	m.Forecast.Variables = nil
	get(t, f.page, "/api/v1/forecast?series=s&variable=a&samples=1", 200, &m)
	if a := m.Forecast.Variables[0]; len(a.Limit) != 2 || a.At != nil {
		t.Errorf("%+v", m)
	}
}

// ruled counts, per plot, the pixels with the colour of the limit in the row of the value 35.
const ruled = `[...document.querySelectorAll(".plot")].map((box) => {
	const canvas = box.querySelector("canvas"), over = box.querySelector(".u-over");
	const want = getComputedStyle(document.documentElement).getPropertyValue("--outside").trim().match(/[0-9a-f]{2}/gi).map((x) => parseInt(x, 16));
	let most = 0;
	const {width, height} = canvas, d = canvas.getContext("2d").getImageData(0, 0, width, height).data;
	for (let y = 0; y < height; y++) {
		let n = 0;
		for (let x = 0; x < width; x++) {
			const i = 4 * (y * width + x);
			if (want.every((c, k) => Math.abs(c - d[i + k]) < 24)) n++;
		}
		most = Math.max(most, n);
	}
	return most;
})`

func TestLimitInABrowser(t *testing.T) {
	f := limited(t)
	w := openBrowser(t, 1200, 900)
	w.do(chromedp.Navigate(serve(t, f).URL + "/#series=s"))
	w.until(`document.querySelectorAll(".plot canvas").length === 2 && !document.querySelector("#legend-limit").hidden`)
	if rows := value[[]int](w, ruled); len(rows) != 2 || rows[0] < 200 || rows[1] > 100 {
		t.Errorf("pixels of the limit: %v", rows)
	}
	readouts := value[[]string](w, `[...document.querySelectorAll(".readout")].map((r) => r.innerText.replace(/\s+/g, " "))`)
	if !strings.Contains(readouts[0], "limit reached 73 %") || !strings.Contains(readouts[0], "expected in 0.5 s") || strings.Contains(readouts[1], "limit") || strings.Contains(readouts[1], "expected in") {
		t.Errorf("%q", readouts)
	}
	label := value[string](w, `document.querySelector(".plot").getAttribute("aria-label")`)
	if !strings.Contains(label, "limit 35, reached within the forecast with 73 %, expected in 0.5 s") {
		t.Error(label)
	}
	if !slices.Contains(value[[]string](w, `[...document.querySelectorAll(".legend li:not([hidden])")].map((x) => x.textContent)`), "limit") {
		t.Error("the legend has no limit")
	}
	b := f.batch(1)
	b.Observations[0].TimeToLimit = []float64{0, math.NaN()}
	b.Observations[0].Y[0] = 36
	f.write(b)
	w.until(`document.querySelector(".readout").innerText.includes("beyond it now")`)
}
