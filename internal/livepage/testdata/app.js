// What is chosen and shown, with a server that says what this script lets it say: the page without its own
// script, a fake EventSource and a fake fetch, and then the script. TestPageData runs this.

document.documentElement.innerHTML = await (await fetch("/index.html").then((r) => (r.ok ? r : fetch("/")))).text(); // its scripts do not run
const $ = (id) => document.getElementById(id);
const opened = [];
window.EventSource = class extends EventTarget {
  static CLOSED = 2;
  constructor(url) {
    super();
    this.readyState = 1;
    this.asked = Object.fromEntries([...new Set(new URL(url, location).searchParams.keys())].map((k) => [k, new URL(url, location).searchParams.getAll(k).join()]));
    opened.push(this);
  }
  close() { this.readyState = 2; }
};
const say = (type, data) => opened.at(-1).dispatchEvent(new MessageEvent(type, {data: JSON.stringify(data)}));
const asked = () => opened.at(-1).asked;
const answers = [];
window.fetch = (url) => new Promise((done) => answers.push({url: String(url), done: (body) => done({ok: true, json: async () => body})}));
const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))); // drawn, however long that takes
const change = (e, v) => { if (v !== undefined) e.value = v; e.dispatchEvent(new Event("change", {bubbles: true})); };

location.hash = "#series=two&variable=c&variable=b&variable=gone&horizon=2";
await import("/app.js");
const one = {name: "one", variables: ["x"], dim: 1, samples: 5};
const two = {name: "two", variables: ["a", "b", "c", "d", "e", "f"], dim: 8, samples: 100};
const list = (series, more) => ({series, known: series.length, seen: series.length, horizons: [1, 2], levels: [.9], limits: {series: 20, samples: 1000, variables: 6, shown: 5}, ...more});
say("series", list([one, two]));
check("what the address asks for", asked(), {series: "two", variable: "b,c", horizon: "2"});
check("the address is what is shown", location.hash, "#series=two&variable=b&variable=c&horizon=2");
check("title", document.title, "two · forecaster");
const titles = () => [...document.querySelectorAll("#list h2")].map((h) => h.textContent);
check("charts", titles(), ["b", "c"]);
check("chips", [...$("variables").querySelectorAll("input")].map((i) => i.value + i.checked + i.disabled), ["afalsefalse", "btruefalse", "ctruefalse", "dfalsefalse", "efalsefalse", "ffalsefalse"]);
check("a name that is whole needs no title", [...$("variables").querySelectorAll("label")].map((l) => l.title).join(""), "");
check("legend of the chips", $("variables").querySelector("legend").textContent, "Variables, at most 5 at once (2 more are not kept)");
check("legend of the past", $("legend-past").textContent, "forecast 2 steps before");
check("horizons", [...$("horizons").querySelectorAll("label")].map((l) => l.textContent + l.firstChild.checked), ["1 step beforefalse", "2true"]);
check("few series need no search", [$("finder").hidden, $("series").size, $("series").disabled, $("series").value, $("matches").textContent], [true, 1, false, "two", ""]);

// Five variables at most, one at least.
const tick = (...names) => { for (const i of $("variables").querySelectorAll("input")) i.checked = names.includes(i.value); change($("variables").querySelector("input")); };
const blocked = () => [...$("variables").querySelectorAll("input")].filter((i) => i.disabled).map((i) => i.value).join("");
tick("a", "b", "c", "d", "e");
check("five", [titles().join(""), blocked(), asked().variable], ["abcde", "f", "a,b,c,d,e"]);
tick("d");
check("one", [titles().join(""), blocked()], ["d", "d"]);

// Messages are shown in a frame; while the page is paused they are kept.
const data = (...y) => ({horizon: 2, time: y, anomaly_score: y.map(() => .5), forecast: null,
  variables: [{name: "d", y, yhat: y.map(() => null), yhat_lower: y.map(() => null), yhat_upper: y.map(() => null)}]});
const observed = () => document.querySelector(".readout dd")?.textContent;
check("nothing yet", $("empty").hidden, false);
say("data", data(1, 2));
await frame();
check("data", [observed(), $("empty").hidden], ["2.000", true]);
const numbers = () => [...$("numbers").querySelectorAll("tbody tr")].map((r) => r.cells[0].textContent + r.cells[1].textContent);
check("a table that is closed is not written", numbers(), []);
$("numbers").open = true;
$("numbers").dispatchEvent(new Event("toggle"));
await frame();
check("numbers", numbers(), ["d2"]);
say("status", {working: true, state: "", model: "m"});
check("working", [$("state").textContent, $("state").dataset.kind], ["Working", "working"]);
say("status", {working: false, state: "no data yet", model: "m"});
check("not working", [$("state").textContent, $("state").dataset.kind], ["No data yet", "waiting"]);
$("pause").click();
check("paused", [$("state").textContent, $("pause").getAttribute("aria-pressed")], ["Paused; still receiving", "true"]);
say("data", data(3));
await frame();
check("a paused page stands still", observed(), "2.000");
$("pause").click();
await frame();
check("and catches up", observed(), "3.000");
dispatchEvent(new CustomEvent("zoomchange", {detail: [1, 2]}));
check("zoomed", [$("unzoom").hidden, $("pause").getAttribute("aria-pressed")], [false, "true"]);
$("unzoom").click();
check("all again", [$("unzoom").hidden, $("pause").getAttribute("aria-pressed")], [true, "false"]);
change($("window"), "60");

// Drifts belong to their series; the server sends all events again when the connection is another one.
const event = (id, kind, series, time) => ({id, kind, series, time, text: ""});
say("events", {events: [event(1, "drift", "two", 2), event(2, "drift", "one", 1), event(3, "gap", "two", 2)]});
await frame();
check("a drift", [$("legend-drift").hidden, $("events").children.length], [false, 3]);
say("events", {events: [event(1, "gap", "two", 2)]});
await frame();
check("all events again", [$("legend-drift").hidden, $("events").children.length], [true, 1]);

// The number of samples that are shown is that which is chosen.
const label = () => document.querySelector("#list [aria-label]").getAttribute("aria-label").split(" up to")[0];
change($("window"), "120");
say("data", data(...Array.from({length: 70}, (_, k) => k + 4)));
await frame();
check("all samples", label(), "d: 73 samples");
change($("window"), "60");
await frame();
check("fewer samples", label(), "d: 60 samples");

// Another horizon asks again; another series shows its first four variables.
const radio = $("horizons").querySelector("input");
radio.checked = true;
change(radio);
check("one step", [asked(), $("legend-past").textContent, $("empty").hidden], [{series: "two", variable: "d", horizon: "1"}, "forecast one step before", true]);
const wide = {...one, name: "wide", variables: ["p", "q", "r", "s", "t"], dim: 5};
say("series", list([one, two, wide]));
check("a longer list changes nothing", [asked().series, titles()], ["two", ["d"]]);
change($("series"), "wide");
check("another series", asked(), {series: "wide", variable: "p,q,r,s", horizon: "1"});
say("series", list([one, two, {...wide, variables: ["p", "z"], dim: 2}]));
check("a series with new variables", [asked().variable, titles()], ["p", ["p"]]);
say("series", list([one, two]));
check("a series that is gone", asked().series, "one");
check("its address", location.hash, "#series=one&variable=x&horizon=1");

// Many series: searched and ordered, here by the page.
const many = Array.from({length: 12}, (_, k) => ({name: "s" + k, variables: ["x"], dim: 1, samples: 5}));
const options = () => [...$("series").options].map((o) => o.textContent).join(" ");
say("series", list(many));
check("many", [$("finder").hidden, $("series").size, $("matches").textContent, asked().series], [false, 5, "(12 of 12)", "s0"]);
say("ranking", {anomaly_score: [, .5, 2].map((x) => x ?? null), skill_vs_persistence: [.5, null, -.5]});
change($("sort"), "anomaly");
check("by anomaly score", options().slice(0, 31), "s2 (2.00) s1 (0.50) s0 (–) s3 (");
change($("sort"), "skill");
check("by skill", options().slice(0, 27), "s2 (−0.50) s0 (+0.50) s1 (–");
change($("sort"), "name");
check("by name", options(), "s0 s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11");
$("search").value = " S1 ";
$("search").dispatchEvent(new Event("input"));
check("found", [options(), $("matches").textContent], ["s1 s10 s11", "(3 of 12)"]);
$("search").value = "";
change($("sort"), "seen");

// More than the list has: searched by the server, and an answer that comes late is dropped.
say("series", list(many, {known: 100, seen: 100}));
check("more", $("matches").textContent, "(100 of 100, 12 listed)");
$("search").value = "z";
change($("sort"), "name");
$("search").value = "zz";
change($("sort"), "anomaly");
check("questions", answers.map((a) => a.url), ["/api/v1/series?search=z&sort=name", "/api/v1/series?search=zz&sort=anomaly"]);
answers[1].done({series: [{...one, name: "zz1"}], ranking: {anomaly_score: [1.5], skill_vs_persistence: [null]}, matches: 40});
await frame();
check("an answer", [options(), $("matches").textContent], ["zz1 (1.50)", "(40 of 100, 1 listed)"]);
answers[0].done({series: [{...one, name: "z9"}], ranking: {anomaly_score: [1], skill_vs_persistence: [1]}, matches: 1});
await frame();
check("a stale one", options(), "zz1 (1.50)");
change($("series"), "zz1");
check("one that was found", asked().series, "zz1");
check("it begins now", $("empty").textContent, "Waiting for samples. This page keeps the history of 20 of 100 series; that of zz1 begins now. The outputs have everything.");

say("events", {events: [event(1, "gap", "two", 2)]});
change($("zone"), "local");
check("times of events", $("events").querySelector("time").textContent, "1970-01-01 05:30:02");
check("zone", [$("zone-name").textContent, localStorage.getItem("zone")], [Intl.DateTimeFormat().resolvedOptions().timeZone, "local"]);
change($("zone"), "utc");
check("zone", [$("zone-name").textContent, localStorage.getItem("zone")], ["UTC", "utc"]);

// A link to a series that is not listed is asked for; the first one is shown when there is none. After a refusal all begins again.
$("search").value = "";
change($("sort"), "seen");
location.hash = "#series=far&variable=x";
opened.at(-1).readyState = 2;
const later = window.setTimeout;
let due;
window.setTimeout = (f) => { due = f; };
opened.at(-1).dispatchEvent(new Event("error"));
window.setTimeout = later;
check("lost", [$("state").textContent, $("state").dataset.kind], ["No connection: last data received", "lost"]);
due();
check("asked for again", opened.at(-1).asked, {});
say("series", list(many, {known: 100, seen: 100}));
check("asks for the series of the address", answers.at(-1).url, "/api/v1/series?search=far");
answers.at(-1).done({series: [{...one, name: "farther"}, {...one, name: "far"}]});
await frame();
check("it is shown", asked(), {series: "far", variable: "x", horizon: "1"});

// A page that comes back from the cache of the browser asks again; one that leaves ends its stream.
let n = opened.length;
dispatchEvent(new PageTransitionEvent("pageshow", {persisted: false}));
check("a page that was loaded", opened.length, n);
dispatchEvent(new PageTransitionEvent("pagehide"));
check("left", opened.at(-1).readyState, 2);
dispatchEvent(new PageTransitionEvent("pageshow", {persisted: true}));
check("back", [opened.length, asked().series], [n + 1, "far"]);

// A silent server is asked again; messages of the stream before do not count.
const {Feed} = await import("/feed.js");
const heard = [];
const feed = new Feed({connected: (yes) => heard.push(yes), status: (m) => heard.push(m), refused: () => heard.push("refused")});
feed.watch();
check("not opened yet", heard, []);
feed.open("series=a");
const first = opened.at(-1);
say("status", 1);
const now = Date.now;
const begun = now();
Date.now = () => begun + 4900;
feed.watch();
check("heard", [heard, opened.at(-1) === first], [[true, 1], true]);
Date.now = () => begun + 6000;
feed.watch();
check("silent", [heard, first.readyState, opened.at(-1) !== first, asked()], [[true, 1, false], 2, true, {series: "a"}]);
first.dispatchEvent(new MessageEvent("status", {data: "2"}));
first.dispatchEvent(new Event("error"));
check("the stream before", heard.length, 3);
opened.at(-1).dispatchEvent(new Event("error"));
check("an error that the browser repairs", heard, [true, 1, false, false]);
feed.close();
Date.now = () => begun + 60000;
feed.watch();
check("closed", heard.length, 4);
Date.now = now;
