// What is chosen, what comes in, and when it is drawn.

import {Feed} from "/feed.js";
import {Samples} from "/samples.js";
import {VariableChart, setZoom} from "/charts.js";
import * as format from "/format.js";
import * as panels from "/panels.js";
import {showInsight} from "/insight.js";

const $ = (id) => document.getElementById(id);
const shownAtFirst = 4;

let list; // the newest message "series"
let found; // answer to a search among more series than a list has; undefined = none
let chosen; // its element that is shown
let variables = []; // names shown
let horizon;
let paused = false;
let samples = new Samples(1);
let charts = [];
let status;
let ranked = {anomaly_score: [], skill_vs_persistence: []}; // the series of list
let lastEvent = -1; // number
const drifts = new Map(); // times of each series

/** The choice is kept in the address, so that it can be sent to someone. */
function wanted() {
  return new URLSearchParams(location.hash.slice(1));
}

function remember() {
  const p = new URLSearchParams({series: chosen.name});
  for (const v of variables) p.append("variable", v);
  if (horizon) p.set("horizon", horizon);
  history.replaceState(null, "", "#" + p);
  document.title = `${chosen.name} · forecaster`;
}

/** Shows a series: the variables asked for that it has, or its first ones. */
function choose(series, names = []) {
  chosen = series;
  variables = series.variables.filter((v) => names.includes(v)).slice(0, list.limits.shown);
  if (!variables.length) variables = series.variables.slice(0, shownAtFirst);
  $("empty").textContent = list.known > list.limits.series
    ? `Waiting for samples. This page keeps the history of ${format.count(list.limits.series)} of ${format.count(list.known)} series; that of ${series.name} begins now. The outputs have everything.`
    : "Waiting for samples. The history of this series begins now.";
  drawChoices();
  request();
}

/** Asks for what is chosen. */
function request() {
  const p = new URLSearchParams({series: chosen.name});
  for (const v of variables) p.append("variable", v);
  if (horizon) p.set("horizon", horizon);
  remember();
  setZoom(null);
  pause(false); // what was drawn is gone
  samples = new Samples(chosen.samples);
  for (const c of charts) c.destroy();
  $("list").replaceChildren();
  charts = variables.map((name) => new VariableChart($("list"), name, Math.min(3, list.levels.length), 1 / chosen.dim));
  feed.open(p);
}

function drawChoices() {
  drawSeries();
  $("horizons").hidden = list.horizons.length < 2;
  $("horizons").querySelector(".segments").replaceChildren(...list.horizons.map((h) =>
    choice("radio", "horizon", String(h), h === 1 ? "1 step before" : String(h), h === horizon)));
  const short = format.shortener(chosen.variables, 32);
  const chips = chosen.variables.map((v) => choice("checkbox", "variable", v, short(v), variables.includes(v)));
  $("variables").classList.toggle("whole", chips.length > list.limits.shown);
  $("variables").querySelector(".chips").replaceChildren(...chips);
  const left = chosen.dim - chosen.variables.length;
  $("variables").querySelector("legend").textContent = "Variables" + (chosen.variables.length > list.limits.shown ? `, at most ${list.limits.shown} at once` : "") + (left ? ` (${left} more are not kept)` : "");
  limitChips();
}

const few = 8; // series that need no search

/** More series than a list has are searched and sorted by the server. */
const tooMany = () => list.known > list.series.length;

let searches = 0;
async function search() {
  const text = $("search").value.trim();
  const by = $("sort").value;
  const n = ++searches;
  let answer;
  if (tooMany() && (text || by !== "seen")) {
    try {
      answer = await ask({search: text, sort: by === "seen" ? "" : by});
    } catch {
      return; // the connection is lost, which the head of the page says: what was found stays
    }
  }
  if (n !== searches) return; // another search has begun
  found = answer;
  drawSeries();
}

async function ask(parameters) {
  const response = await fetch("/api/v1/series?" + new URLSearchParams(parameters));
  if (!response.ok) throw new Error(response.statusText);
  return response.json();
}

let typing;
function searchSoon() {
  clearTimeout(typing);
  if (tooMany()) typing = setTimeout(search, 250); // after the last letter
  else drawSeries();
}

/** Lists the series that match the search, in the chosen order, with what they are ordered by. */
function drawSeries() {
  const many = list.known > few;
  $("finder").hidden = !many;
  const wantedName = found ? "" : $("search").value.trim().toLowerCase();
  const order = $("sort").value;
  const by = found ? "seen" : order; // what was found is in order
  const ranking = found ? found.ranking : ranked;
  const all = (found ?? list).series;
  const key = {anomaly: (i) => -(ranking.anomaly_score[i] ?? -1), skill: (i) => ranking.skill_vs_persistence[i] ?? Infinity}[by];
  const rows = all.map((s, i) => ({s, i})).filter(({s}) => s.name.toLowerCase().includes(wantedName));
  if (by === "name") rows.sort((a, b) => a.s.name.localeCompare(b.s.name, undefined, {numeric: true}));
  else if (key) rows.sort((a, b) => key(a.i) - key(b.i) || a.i - b.i);
  const value = {anomaly: (i) => ranking.anomaly_score[i]?.toFixed(2) ?? "–", skill: (i) => format.skill(ranking.skill_vs_persistence[i])}[order];
  const short = format.shortener(all.map((s) => s.name));
  const options = rows.map(({s, i}) => {
    const option = new Option(short(s.name) + (value ? ` (${value(i)})` : ""), s.name, false, s.name === chosen?.name);
    if (short(s.name) !== s.name) option.title = s.name;
    return option;
  });
  const select = $("series");
  const top = select.scrollTop;
  select.replaceChildren(...options);
  if (!rows.some(({s}) => s.name === chosen?.name)) select.selectedIndex = -1;
  select.size = many ? 5 : 1;
  select.scrollTop = top;
  select.disabled = list.known < 2;
  const matches = found ? found.matches : tooMany() ? list.known : rows.length;
  const shown = rows.length < matches ? `, ${format.count(rows.length)} listed` : "";
  $("matches").textContent = many ? `(${format.count(matches)} of ${format.count(list.known)}${shown})` : "";
}

function choice(type, name, value, text, checked) {
  const label = document.createElement("label");
  const input = label.appendChild(document.createElement("input"));
  Object.assign(input, {type, name, value, checked});
  const span = label.appendChild(document.createElement("span"));
  span.textContent = text;
  if (text !== value && type === "checkbox") label.title = value;
  return label;
}

/** The last chip stays, and there is a limit. */
function limitChips() {
  for (const input of $("variables").querySelectorAll("input")) {
    input.disabled = input.checked ? variables.length === 1 : variables.length >= list.limits.shown;
  }
}

let frame;
function draw() {
  frame ??= requestAnimationFrame(() => {
    frame = undefined;
    $("empty").hidden = samples.time.length > 0;
    if (paused || !samples.time.length) return;
    const shown = Number($("window").value);
    for (const c of charts) c.update(samples, shown, drifts.get(chosen.name) ?? []);
    panels.showIntervals(samples);
    $("legend-limit").hidden = !charts.some((c) => c.limit?.length);
    $("legend-drift").hidden = !charts.some((c) => c.drifts?.length);
    $("legend-joint").hidden = !charts.some((c) => c.fan?.joint[0].some((x) => x != null));
    panels.showNumbers(samples, variables);
  });
}

function drawState(connected) {
  if (!connected) panels.showState("lost", "No connection: last data received");
  else if (paused) panels.showState("paused", "Paused; still receiving");
  else if (!status) panels.showState("waiting", "Connecting");
  else if (status.working) panels.showState("working", "Working");
  else panels.showState("waiting", status.state.charAt(0).toUpperCase() + status.state.slice(1));
}

if (innerWidth < 600) $("window").value = "60";

const feed = new Feed({
  connected(yes) {
    drawState(yes);
  },
  status(message) {
    status = message;
    panels.showStatus(message);
    drawState(true);
  },
  series(message) {
    list = message;
    panels.showLimits(message);
    horizon ??= message.horizons.find((h) => h === Number(wanted().get("horizon"))) ?? message.horizons[0];
    panels.showHorizon(horizon);
    if (!message.series.length) return;
    const now = chosen && message.series.find((s) => s.name === chosen.name);
    if (now && now.variables.join("\0") === chosen.variables.join("\0")) {
      chosen = now;
      drawChoices();
      return;
    }
    if (chosen && !now && tooMany()) { // chosen by a search
      drawChoices();
      return;
    }
    const names = chosen ? variables : wanted().getAll("variable");
    const name = wanted().get("series");
    const listed = now ?? message.series.find((s) => s.name === name);
    if (listed || !name || !tooMany()) {
      choose(listed ?? message.series[0], names);
      return;
    }
    ask({search: name}).catch(() => ({series: []})).then(({series}) => {
      choose(series.find((s) => s.name === name) ?? message.series[0], names);
    });
  },
  ranking(message) {
    ranked = message;
    if (!list || !["anomaly", "skill"].includes($("sort").value) || document.activeElement === $("series")) return;
    if (found) search();
    else drawSeries();
  },
  data(message) {
    samples.add(message);
    draw();
  },
  metrics: (message) => panels.showMetrics(message, variables, chosen?.dim ?? 0),
  insight: showInsight,
  events(message) {
    if (message.events[0].id <= lastEvent) { // all are sent again: the connection is another one
      panels.clearEvents();
      drifts.clear();
    }
    lastEvent = message.events.at(-1).id;
    panels.showEvents(message);
    for (const e of message.events) {
      if (e.kind === "drift") drifts.set(e.series, [...(drifts.get(e.series) ?? []), e.time]);
    }
    draw();
  },
  refused() {
    chosen = undefined; // the server knows nothing of it any more: see what there is
    feed.open("");
  },
});

$("controls").addEventListener("submit", (event) => event.preventDefault());
$("controls").addEventListener("change", (event) => {
  const input = event.target;
  if (input === $("sort")) {
    if (tooMany()) search();
    else drawSeries();
    $("series").scrollTop = 0;
  } else if (input === $("zone")) {
    chooseZone(input.value);
  } else if (input === $("series")) {
    choose((found ?? list).series.find((s) => s.name === input.value));
  } else if (input === $("window")) {
    draw();
  } else if (input.name === "horizon") {
    horizon = Number(input.value);
    panels.showHorizon(horizon);
    request();
  } else if (input.name === "variable") {
    variables = [...$("variables").querySelectorAll("input:checked")].map((i) => i.value);
    limitChips();
    request();
  }
});
$("search").addEventListener("input", searchSoon);
$("unzoom").addEventListener("click", () => setZoom(null));

/** What is zoomed stands still, or it would run out of the picture. */
addEventListener("zoomchange", (event) => {
  const zoomed = Boolean(event.detail);
  if ($("unzoom").hidden !== zoomed) return;
  $("unzoom").hidden = !zoomed;
  pause(zoomed);
  drawState(true);
  draw();
});

function chooseZone(zone) {
  format.useLocalTime(zone === "local");
  try {
    localStorage.setItem("zone", zone);
  } catch {
    // Storage is not allowed here: the choice lasts as long as the page.
  }
  $("zone").value = zone;
  $("zone-name").textContent = zone === "local" ? Intl.DateTimeFormat().resolvedOptions().timeZone : "UTC";
  panels.redrawTimes();
  for (const c of charts) c.plot?.redraw(false, true);
  draw();
}
try {
  chooseZone(localStorage.getItem("zone") === "local" ? "local" : "utc");
} catch {
  chooseZone("utc");
}

function pause(yes) {
  paused = yes;
  $("pause").setAttribute("aria-pressed", yes);
}
$("pause").addEventListener("click", () => {
  pause(!paused);
  drawState(true);
  draw();
});
$("numbers").addEventListener("toggle", draw);
addEventListener("pagehide", () => feed.close());
addEventListener("pageshow", (event) => {
  if (event.persisted) feed.open(feed.parameters);
});

feed.open("");
