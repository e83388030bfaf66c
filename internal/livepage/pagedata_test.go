package livepage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPageData runs the scripts of testdata. They compare the output of the page with values computed by hand: data of
// uPlot, shading, keys, axis labels, captions, tables.
func TestPageData(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1}, Levels: []float64{.9}}, "s", "a")
	f.feed(3)
	server := serve(t, f)
	w := openBrowser(t, 1200, 900)
	for _, name := range []string{"charts.js", "panels.js", "app.js"} {
		script, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "app.js" { // it starts the script of the page itself
			w.do(chromedp.Navigate(server.URL + "/style.css"))
		} else {
			w.do(chromedp.Navigate("about:blank"), chromedp.Navigate(server.URL))
			w.until(`document.querySelectorAll(".plot canvas").length === 1`)
		}
		value[bool](w, `(async () => {
			const differ = [];
			const check = (what, got, want) => {
				if (JSON.stringify(got) !== JSON.stringify(want)) differ.push(what + ": " + JSON.stringify(got) + ", want " + JSON.stringify(want));
			};
			`+string(script)+`
			return differ;
		})().then((differ) => { window.result = differ.join("\n"); }, (e) => { window.result = e.stack; }); true`)
		w.until("window.result !== undefined")
		if got := strings.TrimSpace(value[string](w, "window.result")); got != "" {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}
