// Texts and numbers of the page, computed by hand. TestPageData runs this in the page.

const format = await import("/format.js");
const panels = await import("/panels.js");
const {Samples} = await import("/samples.js");
const {showInsight} = await import("/insight.js");
const $ = (id) => document.getElementById(id);
const table = (f, rows) => { for (const [...args] of rows) { const want = args.pop(); check(`${f.name}(${JSON.stringify(args)})`, f(...args), want); } };

// Before there is anything to see.
check("nothing yet", ["skill", "coverage-chart", "experts-chart"].map((id) => [$(id).getAttribute("aria-label"), $(id).getAttribute("role")]),
  ["Skill over time", "Coverage over time", "Weights of the experts"].map((name) => [name + ": nothing yet", "img"]));
panels.showMetrics({horizon: 1, level: null, scores: [], past: {}, every: 0}, [], 0);
check("no scores at all", $("quality-hint").textContent, "There are no scores: evaluate.interval is 0.");
panels.showMetrics({horizon: 1, level: null, scores: [], past: {}, every: 1000}, [], 0);
check("no scores", [$("quality-hint").textContent, $("coverage").hidden, $("coverage").querySelector(".goal").getAttribute("x"), $("coverage").querySelector(".fill").getAttribute("width")], ["The first scores come after 1,000 samples of the series (evaluate.interval), or at the end of a replay.", true, "0", "0"]);

table(format.number, [[null, "–"], [0, "0"], [-1.25, "−1.25"], [12345.678, "12,346"], [.001, "0.001"], [.00099, "9.90e−4"], [1e6, "1.00e6"], [-1e6, "−1.00e6"]]);
table(format.within, [[null, 1, "–"], [4, 2, "4.000"], [-4, 200, "−4.0"], [4, 5000, "4"], [4, 1e-5, "4"], [1e7, 1, "1.000000000e7"], [1e7, 1e9, "1.00e7"], [1e7, 0, "1.00e7"],
  [-4.21374e9, 4e7, "−4.21374e9"], [2e-5, 1e-5, "2.000e−5"], [2.6e-5, 1e-8, "2.600000e−5"], [0, 1e-5, "0"], [5e-4, 1, "5.00e−4"]]);
table(format.percent, [[null, "–"], [.123, "12.3 %"], [.5, 0, "50 %"]]);
table(format.level, [[.9, "90 %"], [.995, "99.5 %"]]);
table(format.skill, [[null, "–"], [.25, "+0.25"], [-.25, "−0.25"], [.004, "0.00"], [-9.99, "−9.99"], [-10, "−more than 10"]]);
table(format.count, [[null, "–"], [1234, "1,234"]]);
table(format.short, [["abcdef", 6, "abcdef"], ["abcdefg", 6, "abc…fg"], ["x".repeat(40), "x".repeat(40)], ["x".repeat(41), "x".repeat(20) + "…" + "x".repeat(19)]]);
table(format.duration, [[.5, "0.5 s"], [59, "59 s"], [60, "1 min"], [3599, "60 min"], [5400, "1.5 h"], [86399, "24 h"], [86400, "1 d"], [1e6, "12 d"]]);
const named = document.createElement("b");
format.setName(named, "abcdefg", 6);
check("a long name", [named.textContent, named.title], ["abc…fg", "abcdefg"]);
format.setName(named, "abc", 6);
check("a short name", [named.textContent, named.hasAttribute("title")], ["abc", false]);
const shorten = format.shortener(["host.one.cpu", "host.two.cpu"], 9);
check("shortener", [shorten("host.one.cpu"), shorten("host.two.cpu")], ["…t.one.c…", "…t.two.c…"]);
const ends = format.shortener(["xxxxxxa", "xxxxxxb"], 4);
check("shortener of ends", [ends("xxxxxxa"), ends("xxxxxxb")], ["…xa", "…xb"]);
check("shortener of one", format.shortener(["abcdefg"], 6)("abcdefg"), "abc…fg");

const day = 86400;
const t = Date.UTC(2026, 0, 9, 4, 5, 6) / 1000; // a Friday
table(format.time, [[null, "–"], [t, "2026-01-09 04:05:06"], [t + .25, .5, "2026-01-09 04:05:06.250"], [t, day, "2026-01-09"], [t, day - 1, "2026-01-09 04:05:06"]]);
const ticks = (step, n = 2) => Array.from({length: n}, (_, k) => t + k * step);
table(format.timeTicks, [
  [ticks(.5), .5, ["04:05:06.000\n9 Jan", "04:05:06.500"]],
  [ticks(1), 1, ["04:05:06\n9 Jan", "04:05:07"]],
  [ticks(60), 60, ["04:05\n9 Jan", "04:06"]],
  [ticks(day / 2, 3), day / 2, ["04:05\n9 Jan", "16:05", "04:05\n10 Jan"]],
  [ticks(day), day, ["9 Jan", "10 Jan"]],
  [ticks(31 * day), 27 * day, ["Jan\n2026", "Feb"]],
  [ticks(365 * day), 360 * day, ["2026", "2027"]],
]);
// In the zone of the browser, a quarter of an hour beside that of India.
format.useLocalTime(true);
check("local", [format.localTime(), format.time(t + .25, .5), ...format.timeTicks([t, t + day * .75], day * .75)], [true, "2026-01-09 09:50:06.250", "09:50\n9 Jan", "03:50\n10 Jan"]);
format.useLocalTime(false);
table(format.valueTicks, [
  [[-1, 0, 1], 1, ["−1", "0", "1"]], [[0, 2.5], 2.5, ["0.0", "2.5"]], [[.1, .2], .1, ["0.1", "0.2"]],
  [[0, 1e6], 1e6, ["0", "1e6"]], [[1e6, 1.5e6], 5e5, ["1.0e6", "1.5e6"]], [[0, 5e-4], 5e-4, ["0", "5e−4"]],
]);

// Quality: one sentence for each verdict.
const score = (more) => ({target: "_all", n: 1000, skill_vs_persistence: .25, skill_vs_var: -.5, coverage: .9, rmse: 1.5, ...more});
const quality = (more, past = {}) => {
  panels.showMetrics({horizon: 2, level: .9, scores: [score(more), {...score({}), target: "x"}, {...score({skill_vs_persistence: -.2, coverage: null}), target: "y"}], past}, ["x"], 2);
  return ["vs-persistence", "vs-var", "coverage"].map((id) => `${$(id).dataset.kind}: ${$(id).querySelector(".big").textContent}: ${$(id).querySelector(".caption").textContent}`);
};
check("good", quality({}), ["good: +0.25: 25 % less squared error than repeating the last value", "bad: −0.50: 50 % more squared error than a linear autoregression", "good: 90.0 %: inside the 90 % interval: as nominal"]);
check("hint", $("quality-hint").textContent, "Forecasts 2 steps ahead, all variables, 1,000 scored samples.");
check("meter", [$("coverage").querySelector(".fill").getAttribute("width"), $("coverage").querySelector(".goal").getAttribute("x")], ["90", "90"]);
check("scores", [...$("scores").tBodies[0].rows].map((r) => [...r.cells].map((c) => c.textContent + (c.dataset.kind ? " " + c.dataset.kind : ""))), [
  ["all", "+0.25 good", "−0.50 bad", "90.0 %", "1.5"], ["x", "+0.25 good", "−0.50 bad", "90.0 %", "1.5"],
]);
check("left out", [$("scores-count").textContent, $("scores-all").textContent], ["(1 of 2)", "Show all 2"]);
check("narrow", quality({coverage: .87})[2], "bad: 87.0 %: inside the 90 % interval: the intervals are too narrow");
check("wide", quality({coverage: .93})[2], "bad: 93.0 %: inside the 90 % interval: the intervals are too wide");
check("chance", quality({coverage: .95, n: 100})[2], ": 95.0 %: inside the 90 % interval: with 100 samples, the difference can be chance");
check("no interval", quality({coverage: null})[2], ": –: there is no calibrated interval");
check("skills", [...quality({skill_vs_persistence: .004, skill_vs_var: -2}), ...quality({skill_vs_persistence: null})].filter((_, i) => i < 4 && i !== 2), [
  ": 0.00: the same squared error as repeating the last value", "bad: −2.00: 3 times the squared error of a linear autoregression", ": –: not known yet",
]);
quality({}, {time: [100], skill_vs_persistence: [.1], skill_vs_var: [.3], coverage: [.8]});
check("one score is no curve", $("skill").getAttribute("aria-label"), "Skill over time: nothing yet");
quality({}, {time: [100, 200], skill_vs_persistence: [.1, .2], skill_vs_var: [.3, .4], coverage: [null, null]});
check("no coverage is known", $("coverage-card").hidden, true);
quality({}, {time: [100, 200], skill_vs_persistence: [.1, .2], skill_vs_var: [.3, .4], coverage: [.8, .85]});
check("until", $("quality-hint").textContent, "Forecasts 2 steps ahead, all variables, 1,000 scored samples up to 1970-01-01 00:03:20.");
check("skill over time", $("skill").getAttribute("aria-label"), "Skill over time: against persistence +0.20, against VAR(1) +0.40 now; the line to compare with is 0.00.");
check("coverage over time", $("coverage-chart").getAttribute("aria-label"), "Coverage over time: measured 85 % now; the line to compare with is 90 %.");
check("coverage is shown", $("coverage-card").hidden, false);

panels.showStatus({model: "m", records_per_second: 2.5, records: 1234, lag: 7, watermark: 100, dead_letters: 3});
check("status", ["model", "rate", "records", "lag", "watermark", "refused"].map((id) => $(id).textContent), ["m", "2.5/s", "1,234", "7", "1970-01-01 00:01:40", "3"]);
const limits = (levels, more) => {
  panels.showLimits({levels, seen: 9, known: 9, limits: {samples: 1000, series: 20, variables: 16, listed: 3000}, ...more});
  return [$("legend-band").textContent, $("limits").textContent.split(" page")[0], $("note").hidden];
};
check("legend", limits([.9, .5], {}), ["intervals of 90 %, 50 %", "This", true]);
check("legend of one", limits([.9], {seen: 12, note: "n"}), ["90 % interval", "9 of 12 series can be found here: those with samples since the start, 3,000 at most. This", false]);
panels.showHorizon(1);
check("one step", $("legend-past").textContent, "forecast one step before");
panels.showHorizon(3);
check("more steps", $("legend-past").textContent, "forecast 3 steps before");

// Events: the newest is on top; new series share a line; the list has an end.
panels.clearEvents();
const event = (id, kind, series, text) => ({id, kind, series, time: id, text});
panels.showEvents({events: [event(1, "gap", "s", "1 sample missing"), event(2, "series", "a", ""), event(3, "series", "b", ""), event(4, "series", "c", ""), event(5, "series", "d", ""), event(6, "series", "e", "")]});
const events = () => [...$("events").children].map((li) => [li.querySelector(".kind").textContent, li.querySelector("b").textContent, li.querySelector("time").textContent.slice(-2), li.querySelector("p").textContent]);
check("events", events(), [["5 new series", "a, b, c, …", "06", ""], ["gap", "s", "01", "1 sample missing"]]);
panels.showEvents({events: Array.from({length: 120}, (_, k) => event(k, "anomaly", "s" + k, ""))});
format.useLocalTime(true);
panels.redrawTimes();
check("in local time", [...$("events").querySelectorAll("time")].slice(0, 2).map((e) => [e.textContent, e.dateTime]), [["1970-01-01 05:31:59", "1970-01-01T00:01:59.000Z"], ["1970-01-01 05:31:58", "1970-01-01T00:01:58.000Z"]]);
format.useLocalTime(false);
panels.redrawTimes();
check("many events", [events().length, events()[0][1], events()[99][1]], [100, "s119", "s20"]);

// Alarms of several series at one time are one line; later events of one series have their own.
panels.clearEvents();
const alarm = (id, series, incident, phase, text) => ({...event(id, "anomaly", series, text), incident, phase});
panels.showEvents({events: [alarm(1, "a", 1, "begin", "a is odd"), alarm(2, "a", 1, "end", "a has ended"), alarm(3, "w", 3, "begin", "w is odd"), alarm(4, "x", 3, "begin", "x is odd"),
  alarm(5, "y", 3, "begin", "y is odd"), alarm(6, "z", 3, "begin", "z is odd"), alarm(7, "x", 3, "end", "x has ended")]});
check("an incident", events(), [["anomaly of 4 series", "w, x, y, …", "03", "w is odd"], ["anomaly", "a", "02", "a has ended"], ["anomaly", "a", "01", "a is odd"]]);
check("its events", [...$("events").firstChild.querySelectorAll("details *")].map((p) => p.textContent), ["4 more", "x: x is odd", "y: y is odd", "z: z is odd", "x: x has ended"]);

// The newest numbers.
const samples = new Samples(5);
samples.add({horizon: 1, time: [1, 2], anomaly_score: [0, 0],
  forecast: {time: [3], variables: [{name: "x", yhat: [7], yhat_lower: [[6]], yhat_upper: [[8]]}]},
  variables: [{name: "x", y: [1, 2], yhat: [3, 4], yhat_lower: [null, null], yhat_upper: [null, null], anomaly_score: [.1, 1.25]}]});
$("numbers").open = true;
panels.showNumbers(samples, ["x", "gone"]);
check("numbers", [...$("numbers").querySelectorAll("tbody tr")].map((r) => [...r.cells].map((c) => c.textContent)), [["x", "2", "4", "1.25", "7", "6 … 8"]]);
check("an unusual one", $("numbers").querySelector("tbody").rows[0].cells[3].dataset.kind, "bad");
panels.showIntervals(samples);
check("there are intervals", document.querySelector(".legend .interval").hidden, false);
panels.showIntervals(new Samples(1));
check("there is none", document.querySelector(".legend .interval").hidden, true);

// Experts by their last weight; influences by their size, whatever their sign.
showInsight({experts: {time: [1, 2], experts: ["p", "q"], weights: [[.9, .2], [.1, .8]]}, influence: {variables: ["x", "y", "z"], influence: [[1, .3, 0], [-.6, 1, 0], [0, .1, 1]]}});
check("experts", [...$("experts-legend").children].map((li) => li.textContent), ["q 80 %", "p 20 %"]);
check("influences", [...$("influence-list").children].map((li) => `${li.querySelector("span").textContent} ${li.querySelector("b").textContent} ${li.querySelector("b").dataset.kind}`), ["x → y −0.60 down", "y → x +0.30 up", "y → z +0.10 up"]);
const crowd = Array.from({length: 16}, (_, k) => "e" + k);
showInsight({experts: {time: [1, 2], experts: crowd, weights: crowd.map(() => [1 / 16, 1 / 16])}, influence: {variables: ["x", "y", "z"], influence: [[1, .3, 0], [-.6, 1, 0], [0, .1, 1]]}});
const swatches = [...document.querySelectorAll("#experts-legend i")].map((i) => getComputedStyle(i).backgroundColor);
check("each expert has a colour", [new Set(swatches).size, swatches.includes("rgba(0, 0, 0, 0)")], [16, false]);
const graph = $("influence-graph");
check("graph", [graph.querySelectorAll("circle").length, graph.querySelectorAll("g.up").length, graph.querySelectorAll("g.down").length], [3, 2, 1]);
check("the first variable is on top", ["cx", "cy"].map((a) => Number(graph.querySelector("circle").getAttribute(a)).toFixed(3)), ["180.000", "37.000"]);
check("the strongest is drawn last, widest and darkest", [graph.querySelectorAll("g")[2].getAttribute("class"), graph.querySelectorAll("g")[2].getAttribute("opacity"), graph.querySelectorAll("g")[2].querySelector("path").getAttribute("stroke-width")], ["down", "1.00", "3.25"]);
// Names stand outside of the circle. An arrow ends eight pixels before its node, and its head is as wide on both sides of it.
check("names", [...graph.querySelectorAll("text")].map((e) => [e.textContent, e.getAttribute("text-anchor"), ...["x", "y"].map((a) => Math.round(e.getAttribute(a)))]), [["x", "middle", 180, 29], ["y", "start", 265, 179], ["z", "end", 95, 179]]);
const numbers = (e) => e.getAttribute("d").match(/-?[0-9.]+(e-?[0-9]+)?/g).map(Number);
const nodes = [...graph.querySelectorAll("circle")].map((c) => ["cx", "cy"].map((a) => Number(c.getAttribute(a))));
for (const [i, [from, to, strength]] of [[1, 2, 1 / 6], [1, 0, .5], [0, 1, 1]].entries()) {
  const [line, head] = graph.querySelectorAll("g")[i].children;
  const [ax, ay, mx, my, bx, by] = numbers(line);
  const [tx, ty, lx, ly, rx, ry] = numbers(head);
  const far = (x, y, u, v) => Number(Math.hypot(x - u, y - v).toFixed(6));
  const size = 4 + 3 * strength;
  check(`arrow ${i}`, [far(ax, ay, ...nodes[from]), far(tx, ty, ...nodes[to]), far(bx, by, tx, ty), far((lx + rx) / 2, (ly + ry) / 2, bx, by), far(lx, ly, rx, ry), far(lx, ly, tx, ty)],
    [0, 8, size, 0, 1.2 * size, size * Math.hypot(1, .6)].map((x) => Number(x.toFixed(6))));
  const straight = Math.hypot(nodes[to][0] - nodes[from][0], nodes[to][1] - nodes[from][1]);
  check(`bend ${i}`, far(mx, my, (nodes[from][0] + nodes[to][0]) / 2, (nodes[from][1] + nodes[to][1]) / 2), Number((.14 * straight).toFixed(6)));
}
// More variables than a picture can show have a list alone, of the eight strongest.
for (const [n, hidden] of [[16, false], [17, true]]) {
  const all = Array.from({length: n}, (_, k) => k);
  showInsight({influence: {variables: all.map((k) => `v${k}`), influence: all.map((to) => all.map((from) => (from === 0 ? to : 0)))}});
  check(`${n} variables`, [graph.hasAttribute("hidden"), $("influence-list").children.length, $("influence-list").firstChild.textContent], [hidden, 8, `v0 → v${n - 1}+more than 10`]);
}
showInsight({});
check("without insight", [$("experts-card").hidden, $("influence-card").hidden], [true, true]);
