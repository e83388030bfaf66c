// Everything beside the charts of the variables. Text from outside is only ever set as textContent.

import * as format from "/format.js";
import {TrendChart, interval} from "/charts.js";

const $ = (id) => document.getElementById(id);

/** A row of a table; the first cell heads it. */
function row(cells) {
  const tr = document.createElement("tr");
  cells.forEach((cell, i) => {
    const td = tr.appendChild(document.createElement(i === 0 ? "th" : "td"));
    if (i === 0) td.scope = "row";
    td.textContent = cell.text ?? cell;
    if (cell.title && cell.title !== cell.text) td.title = cell.title;
    if (cell.kind) td.dataset.kind = cell.kind;
  });
  return tr;
}

const nameLength = 18; // of variables in tables

const better = (x) => (x >= 0.005 ? "good" : x <= -0.005 ? "bad" : "");

/** The state of the job in the bar. */
export function showStatus(s) {
  $("model").textContent = s.model;
  $("model").hidden = !s.model;
  $("rate").textContent = `${format.number(s.records_per_second)}/s`;
  $("records").textContent = format.count(s.records);
  $("lag").textContent = format.count(s.lag);
  $("watermark").textContent = format.time(s.watermark);
  $("refused").textContent = format.count(s.dead_letters);
}

export function showState(kind, text) {
  const state = $("state");
  if (state.dataset.kind === kind && state.textContent === text) return; // or it would be read out again
  state.dataset.kind = kind;
  state.textContent = text;
}

/** What the page keeps, and the note of this run. */
export function showLimits(list) {
  $("note").textContent = list.note ?? "";
  $("note").hidden = !list.note;
  const l = list.limits;
  const kept = list.seen > list.known ? `${format.count(list.known)} of ${format.count(list.seen)} series can be found here: those with samples since the start, ${format.count(l.listed)} at most. ` : "";
  $("limits").textContent = `${kept}This page keeps the last ${format.count(l.samples)} samples of at most ${format.count(l.series)} series: those that were looked at last and those with anomalies, ` +
    `the first ${l.variables} variables of each (fewer samples where there are many variables or series). The outputs have everything.`;
  const name = list.levels.length ? format.level(list.levels[0]) : "";
  $("legend-band").textContent = list.levels.length > 1
    ? `intervals of ${list.levels.map(format.level).join(", ")}` : `${name} interval`;
}

/** The legend has intervals when there are some. */
export function showIntervals(samples) {
  const some = [...samples.variables.values()].some((v) => v.forecast?.yhat_lower[0]?.[0] != null || v.yhat_lower.some((x) => x != null));
  for (const item of document.querySelectorAll(".legend .interval")) item.hidden = !some;
}

export function showHorizon(h) {
  $("legend-past").textContent = `forecast ${h === 1 ? "one step" : h + " steps"} before`;
}

const trends = {
  skill: new TrendChart($("skill"), {
    label: "Skill over time", names: ["against persistence", "against VAR(1)"], colors: ["line-a", "line-b"], values: format.skill,
    range: (low, high) => [Math.max(-1, Math.min(low, 0) - 0.05), Math.min(1, Math.max(high, 0.1) + 0.05)],
  }),
  coverage: new TrendChart($("coverage-chart"), {
    label: "Coverage over time", names: ["measured"], colors: ["line-c"], values: (x) => format.percent(x, 0),
    range: (low, high, goal) => [Math.max(0, Math.min(low, goal - 0.1) - 0.02), Math.min(1, Math.max(high, goal + 0.05) + 0.02)],
  }),
};

/** When the first scores come, which a series has after every so many samples. */
const noScores = (every) => every
  ? `The first scores come after ${format.count(every)} samples of the series (evaluate.interval), or at the end of a replay.`
  : "There are no scores: evaluate.interval is 0.";

/** Scores of a series of dim variables, of which some are in charts. */
export function showMetrics(m, inCharts, dim) {
  const all = m.scores.find((s) => s.target === "_all");
  const steps = m.horizon === 1 ? "one step" : `${m.horizon} steps`;
  const until = m.past.time?.length ? ` up to ${format.time(m.past.time.at(-1))}` : "";
  $("quality-hint").textContent = all
    ? `Forecasts ${steps} ahead, all variables, ${format.count(all.n)} scored samples${until}.` : noScores(m.every);
  showSkill($("vs-persistence"), all?.skill_vs_persistence, "repeating the last value");
  showSkill($("vs-var"), all?.skill_vs_var, "a linear autoregression");
  showCoverage($("coverage"), all, m.level);
  $("coverage").hidden = m.level == null;

  const p = m.past;
  if (p.time?.length > 1) {
    trends.skill.update(p.time, [p.skill_vs_persistence, p.skill_vs_var], 0);
    const measured = m.level != null && p.coverage.some((x) => x != null);
    $("coverage-card").hidden = !measured;
    if (measured) trends.coverage.update(p.time, [p.coverage], m.level);
  }
  scores = {list: m.scores, inCharts, dim};
  drawScores();
}

let scores = {list: [], inCharts: [], dim: 0};
let allScores = false;

/** The scores of the variables in the charts, of all variables, or of those that match the search. */
function drawScores() {
  const known = scores.list.filter((s) => s.target !== "_all");
  if (!scores.list.length) return;
  const more = known.some((s) => !scores.inCharts.includes(s.target));
  const text = more ? $("scores-search").value.trim().toLowerCase() : "";
  const listed = known.filter((s) => text ? s.target.toLowerCase().includes(text) : allScores || scores.inCharts.includes(s.target));
  $("scores-finder").hidden = !more;
  $("scores-all").textContent = allScores ? "Those in charts" : `Show all ${format.count(known.length)}`;
  $("scores-all").setAttribute("aria-expanded", allScores);
  $("scores-count").textContent = listed.length < scores.dim ? `(${format.count(listed.length)} of ${format.count(scores.dim)})` : "";
  const short = format.shortener(known.map((s) => s.target), 13); // five columns fit beside the charts
  const rows = scores.list.filter((s) => s.target === "_all" ? !text : listed.includes(s)).map((s) => row([
    s.target === "_all" ? "all" : {text: short(s.target), title: s.target},
    {text: format.skill(s.skill_vs_persistence), kind: better(s.skill_vs_persistence)},
    {text: format.skill(s.skill_vs_var), kind: better(s.skill_vs_var)},
    format.percent(s.coverage), format.number(s.rmse),
  ]));
  $("scores").tBodies[0].replaceChildren(...rows);
}
$("scores-search").addEventListener("input", drawScores);
$("scores-all").addEventListener("click", () => {
  allScores = !allScores;
  $("scores-search").value = "";
  drawScores();
});

function showSkill(tile, skill, other) {
  const [value, caption] = tile.querySelectorAll("p");
  value.textContent = format.skill(skill);
  tile.dataset.kind = better(skill);
  if (skill == null) caption.textContent = "not known yet";
  else if (Math.abs(skill) < 0.005) caption.textContent = `the same squared error as ${other}`;
  else if (skill > 0) caption.textContent = `${format.percent(skill, 0)} less squared error than ${other}`;
  else if (skill > -1) caption.textContent = `${format.percent(-skill, 0)} more squared error than ${other}`;
  else caption.textContent = `${format.number(1 - skill)} times the squared error of ${other}`;
}

function showCoverage(tile, score, nominal) {
  const [value, caption] = tile.querySelectorAll("p");
  const measured = score?.coverage;
  value.textContent = format.percent(measured);
  const width = (selector, attribute, x) => tile.querySelector(selector).setAttribute(attribute, 100 * x);
  width(".fill", "width", measured ?? 0);
  width(".goal", "x", nominal ?? 0);
  if (measured == null) {
    tile.dataset.kind = "";
    caption.textContent = score ? "there is no calibrated interval" : "not known yet";
    return;
  }
  // Two points, or what chance alone explains in that many samples.
  const slack = Math.max(0.02, 2 * Math.sqrt((nominal * (1 - nominal)) / score.n));
  const off = measured - nominal;
  const verdict = off < -slack ? "the intervals are too narrow" : off > slack ? "the intervals are too wide"
    : Math.abs(off) <= 0.02 ? "as nominal" : `with ${format.count(score.n)} samples, the difference can be chance`;
  tile.dataset.kind = Math.abs(off) > slack ? "bad" : Math.abs(off) <= 0.02 ? "good" : "";
  caption.textContent = `inside the ${format.level(nominal)} interval: ${verdict}`;
}

/** The newest numbers of the variables shown. */
export function showNumbers(samples, names) {
  if (!$("numbers").open) return;
  const short = format.shortener(names, nameLength);
  const rows = names.filter((name) => samples.variables.has(name)).map((name) => {
    const v = samples.variables.get(name);
    const f = v.forecast;
    return row([
      {text: short(name), title: name}, format.number(v.y.at(-1)), format.number(v.yhat.at(-1)),
      {text: v.anomaly_score.at(-1)?.toFixed(2) ?? "–", kind: v.anomaly_score.at(-1) > 1 ? "bad" : ""},
      format.number(f?.yhat[0]), f?.yhat_lower[0]?.[0] != null ? interval(f.yhat_lower[0][0], f.yhat_upper[0][0]) : "–",
    ]);
  });
  $("numbers").querySelector("tbody").replaceChildren(...rows);
}

const eventsShown = 100;
const eventNames = {series: "new series", schema_change: "new variables", gap: "gap", time: "wrong time", reset: "reset", anomaly: "anomaly", limit: "limit", drift: "drift", season: "season", reload: "configuration"};

/** Puts events on top of the list. */
export function showEvents(message) {
  const list = $("events");
  if (list.querySelector(".hint")) list.replaceChildren();
  for (const e of message.events) {
    if (e.kind === "series" && joinNewSeries(list.firstElementChild, e)) continue;
    if (e.incident != null && joinIncident(list, e)) continue;
    const li = document.createElement("li");
    const kind = li.appendChild(document.createElement("span"));
    kind.className = "kind";
    kind.dataset.kind = e.kind;
    kind.textContent = eventNames[e.kind] ?? e.kind;
    const series = li.appendChild(document.createElement("b"));
    format.setName(series, e.series, 32);
    li.dataset.kind = e.kind;
    const time = li.appendChild(document.createElement("time"));
    time.dateTime = new Date(e.time * 1000).toISOString();
    time.textContent = format.time(e.time);
    const text = li.appendChild(document.createElement("p"));
    text.textContent = e.text;
    li.at = e.time;
    if (e.phase === "begin") {
      li.dataset.incident = e.incident;
      li.series = new Set([e.series]);
    }
    list.prepend(li);
  }
  while (list.children.length > eventsShown) list.lastChild.remove();
}

const seriesNamed = 3;

/** Adds a new series to a line about new series, if the newest is one. */
function joinNewSeries(li, e) {
  if (li?.dataset.kind !== "series") return false;
  li.count = (li.count ?? 1) + 1;
  li.querySelector(".kind").textContent = `${format.count(li.count)} new series`;
  const names = li.querySelector("b");
  if (li.count <= seriesNamed) names.textContent += ", " + format.short(e.series, 32);
  else if (li.count === seriesNamed + 1) names.textContent += ", …";
  const time = li.querySelector("time");
  time.dateTime = new Date(e.time * 1000).toISOString();
  time.textContent = format.time(e.time);
  li.at = e.time;
  li.querySelector("p").textContent = "";
  return true;
}

/** Adds an anomaly to the line of its incident: the alarms of several series at one time. */
function joinIncident(list, e) {
  const li = list.querySelector(`li[data-incident="${e.incident}"]`);
  if (!li || (li.series.size === 1 && li.series.has(e.series))) return false;
  const more = li.querySelector("details") ?? li.appendChild(document.createElement("details"));
  if (!more.firstChild) more.appendChild(document.createElement("summary"));
  const line = more.appendChild(document.createElement("p"));
  line.textContent = `${format.short(e.series, 32)}: ${e.text}`;
  if (e.phase === "begin") li.series.add(e.series);
  const names = [...li.series].slice(0, seriesNamed).map((s) => format.short(s, 32));
  li.querySelector(".kind").textContent = `anomaly of ${format.count(li.series.size)} series`;
  li.querySelector("b").textContent = names.join(", ") + (li.series.size > seriesNamed ? ", …" : "");
  more.firstChild.textContent = `${format.count(more.children.length - 1)} more`;
  return true;
}

/** Writes the times again, in another zone. */
export function redrawTimes() {
  for (const li of $("events").children) {
    if (li.at != null) li.querySelector("time").textContent = format.time(li.at);
  }
}

export function clearEvents() {
  $("events").replaceChildren();
}
