package livepage

import "testing"

// The head of the page sets the stored colour theme before anything is drawn. The button cycles through all themes and
// names the current one, even without a storage. An unknown stored theme counts as none.
func TestColoursAreThereBeforeThePage(t *testing.T) {
	got := inPage(t, `(async () => {
		const found = [];
		const open = async (stored, broken) => {
			if (stored === null) localStorage.removeItem("theme"); else localStorage.setItem("theme", stored);
			const frame = document.createElement("iframe");
			document.body.append(frame);
			const w = frame.contentWindow;
			frame.contentDocument.open();
			if (broken) Object.defineProperty(w, "localStorage", {get() { throw new Error("not allowed"); }});
			const seen = [];
			const root = () => frame.contentDocument.documentElement;
			w.addEventListener("themechange", () => seen.push(root().dataset.theme + (frame.contentDocument.body ? " body" : " head")));
			const loaded = new Promise((done) => w.addEventListener("load", done));
			frame.contentDocument.write('<!doctype html><html><head><script src="/theme.js"></scr' + 'ipt></head><body><button id="theme"></button></body></html>');
			frame.contentDocument.close();
			await loaded;
			found.push(stored + (broken ? " broken" : "") + ": " + seen.join(", "));
			const button = frame.contentDocument.getElementById("theme");
			const labels = [];
			for (let i = 0; i < 4; i++) {
				labels.push(root().dataset.theme + "/" + button.getAttribute("aria-label") + "/" + button.title + "/" + (broken ? "" : localStorage.getItem("theme")));
				button.click();
			}
			found.push(labels.join("; "));
			found.push(seen.length);
			frame.remove();
		};
		await open(null);
		await open("dark");
		await open("pink");
		await open("light", true);
		localStorage.removeItem("theme");
		return found.join("\n");
	})().then((r) => { window.result = r; }, (e) => { window.result = e.stack; })`)
	want := `null: system head, system body
system/Colours: as the system says/Colours: as the system says/null; light/Colours: light/Colours: light/light; dark/Colours: dark/Colours: dark/dark; system/Colours: as the system says/Colours: as the system says/system
6
dark: dark head, dark body
dark/Colours: dark/Colours: dark/dark; system/Colours: as the system says/Colours: as the system says/system; light/Colours: light/Colours: light/light; dark/Colours: dark/Colours: dark/dark
6
pink: system head, system body
system/Colours: as the system says/Colours: as the system says/pink; light/Colours: light/Colours: light/light; dark/Colours: dark/Colours: dark/dark; system/Colours: as the system says/Colours: as the system says/system
6
light broken: system head, system body
system/Colours: as the system says/Colours: as the system says/; light/Colours: light/Colours: light/; dark/Colours: dark/Colours: dark/; system/Colours: as the system says/Colours: as the system says/
6`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The page reports a broken stream as lost. It retries a stream that the server rejects. It reports nothing about a
// closed stream.
func TestPageHearsThatItIsRefused(t *testing.T) {
	got := inPage(t, `import("/feed.js").then(({Feed}) => {
		const opened = [], heard = [], timers = [];
		window.setTimeout = (f, ms) => { timers.push(f); heard.push("in " + ms); return timers.length; };
		window.clearTimeout = (n) => { if (n) heard.push("not " + n); };
		window.EventSource = class extends EventTarget {
			static CLOSED = 2;
			constructor(url) { super(); this.readyState = 1; opened.push(this); heard.push(url); }
			close() { this.readyState = 2; heard.push("closed"); }
			fail(closed) { if (closed) this.readyState = 2; this.dispatchEvent(new Event("error")); }
		};
		const handlers = {connected(yes) { heard.push(yes ? "connected" : "lost"); }, refused() { heard.push("refused"); }};
		for (const name of ["status", "series", "ranking", "data", "metrics", "insight", "events"]) handlers[name] = (m) => heard.push(name + " " + m.n);
		const feed = new Feed(handlers);
		feed.watch(); // nothing was asked for
		feed.open("series=a");
		for (const name of ["status", "series", "ranking", "data", "metrics", "insight", "events"]) {
			opened[0].dispatchEvent(new MessageEvent(name, {data: '{"n":1}'}));
		}
		opened[0].fail(false);
		opened[0].fail(true);
		timers[0]();
		feed.open("series=b");
		opened[0].fail(true);
		feed.heard -= 5000;
		feed.close();
		feed.heard -= 6000;
		feed.watch();
		window.result = heard.join(", ");
	})`)
	want := "/api/v1/stream?series=a, connected, status 1, connected, series 1, connected, ranking 1, connected, data 1, connected, metrics 1, connected, insight 1, connected, events 1, " +
		"lost, lost, in 2000, refused, not 1, closed, /api/v1/stream?series=b, not 1, closed"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
