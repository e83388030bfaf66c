package livepage

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// inPage runs JavaScript in a page of the server. It returns window.result, which the script sets.
func inPage(t *testing.T, script string) string {
	t.Helper()
	f := newFeeder(t, Config{Horizons: []int{1}}, "s", "a")
	f.feed(3)
	server := serve(t, f)
	w := openBrowser(t, 800, 600)
	w.do(chromedp.Navigate(server.URL))
	value[bool](w, script+"; true")
	w.until("window.result !== undefined")
	return value[string](w, "window.result")
}

// A message with reset replaces all previous messages. Other messages are appended, up to the limit.
func TestPageForgetsWhenItIsTold(t *testing.T) {
	got := inPage(t, `import("/samples.js").then(({Samples}) => {
		const s = new Samples(4);
		const message = (time, reset) => ({time, reset, horizon: 1, forecast: null, anomaly_score: time,
			variables: [{name: "a", y: time, anomaly_score: time}]});
		const found = [];
		for (const m of [message([1, 2, 3]), message([4, 5]), message([9], true), message([10])]) {
			s.add(m);
			found.push(s.time.join(), s.variables.get("a").y.join());
		}
		window.result = found.join(" ");
	})`)
	if want := "1,2,3 1,2,3 2,3,4,5 2,3,4,5 9 9 9,10 9,10"; got != want {
		t.Errorf("the page has %q, want %q", got, want)
	}
}

// Data of a previously selected series is not shown. After seconds of silence, the page shows that the connection is
// lost, and opens another one for the same series.
func TestPageHearsOneSeriesAndSilence(t *testing.T) {
	got := inPage(t, `import("/feed.js").then(({Feed}) => {
		const opened = [], heard = [];
		window.EventSource = class extends EventTarget {
			static CLOSED = 2;
			constructor(url) {
				super();
				this.readyState = 1;
				opened.push(this);
				heard.push(url.split("?")[1]);
			}
			close() { this.readyState = 2; }
			say(data) { this.dispatchEvent(new MessageEvent("data", {data: JSON.stringify(data)})); }
		};
		const feed = new Feed({connected(yes) { heard.push(yes ? "connected" : "lost"); }, data(m) { heard.push(m); }, refused() {}});
		feed.open("a");
		opened[0].say("of a");
		feed.open("b");
		opened[0].say("late of a");
		opened[1].say("of b");
		feed.watch();
		feed.heard -= 6000;
		feed.watch();
		opened[1].say("late of b");
		opened[2].say("again of b");
		window.result = heard.join(", ");
	})`)
	if want := "a, connected, of a, b, connected, of b, lost, b, connected, again of b"; got != want {
		t.Errorf("the page heard %q, want %q", got, want)
	}
}
