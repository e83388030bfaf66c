// What is chosen, what comes in, and when it is drawn.

import {Feed} from "/feed.js";
import {Samples} from "/samples.js";
import {VariableChart} from "/charts.js";
import * as panels from "/panels.js";
import {showInsight} from "/insight.js";

const $ = (id) => document.getElementById(id);
const shownAtFirst = 4;

let list; // the newest message "series"
let chosen; // its element that is shown
let variables = []; // names shown
let horizon;
let paused = false;
let samples = new Samples(1);
let charts = [];
let status;
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
  drawChoices();
  request();
}

/** Asks for what is chosen. */
function request() {
  const p = new URLSearchParams({series: chosen.name});
  for (const v of variables) p.append("variable", v);
  if (horizon) p.set("horizon", horizon);
  remember();
  pause(false); // what was drawn is gone
  samples = new Samples(chosen.samples);
  for (const c of charts) c.destroy();
  $("list").replaceChildren();
  charts = variables.map((name) => new VariableChart($("list"), name, Math.min(3, list.levels.length)));
  feed.open(p);
}

function drawChoices() {
  $("series").replaceChildren(...list.series.map((s) => new Option(s.name, s.name, false, s.name === chosen.name)));
  $("series").disabled = list.series.length < 2;
  $("horizons").hidden = list.horizons.length < 2;
  $("horizons").querySelector(".segments").replaceChildren(...list.horizons.map((h) =>
    choice("radio", "horizon", String(h), h === 1 ? "1 step before" : String(h), h === horizon)));
  const chips = chosen.variables.map((v) => choice("checkbox", "variable", v, v, variables.includes(v)));
  $("variables").querySelector(".chips").replaceChildren(...chips);
  const left = chosen.dim - chosen.variables.length;
  $("variables").querySelector("legend").textContent = "Variables" + (chosen.variables.length > list.limits.shown ? `, at most ${list.limits.shown} at once` : "") + (left ? ` (${left} more are not kept)` : "");
  limitChips();
}

function choice(type, name, value, text, checked) {
  const label = document.createElement("label");
  const input = label.appendChild(document.createElement("input"));
  Object.assign(input, {type, name, value, checked});
  const span = label.appendChild(document.createElement("span"));
  span.textContent = text;
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
    if (paused || !samples.time.length) return;
    const shown = Number($("window").value);
    for (const c of charts) c.update(samples, shown, drifts.get(chosen.name) ?? []);
    panels.showIntervals(samples);
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
    const names = chosen ? variables : wanted().getAll("variable");
    choose(now ?? message.series.find((s) => s.name === wanted().get("series")) ?? message.series[0], names);
  },
  data(message) {
    samples.add(message);
    draw();
  },
  metrics: panels.showMetrics,
  insight: showInsight,
  events(message) {
    if (message.events[0].id === 0) {
      panels.clearEvents();
      drifts.clear();
    }
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
  if (input === $("series")) {
    choose(list.series.find((s) => s.name === input.value));
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
