// The charts: what was observed and forecast of a variable, and scores over time.

import uPlot from "/vendor/uplot/uPlot.esm.js";
import * as format from "/format.js";

/** The colours of the present theme that charts have asked for, by name. theme.js announces each change. */
let palette = {};
const css = (name) => (palette[name] ??= getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim());

const charts = new Set();
addEventListener("themechange", () => {
  palette = {};
  for (const c of charts) c.plot?.redraw(false);
});

const color = (name) => () => css(name);
const zoned = (t) => (format.localTime() ? new Date(t * 1000) : uPlot.tzDate(new Date(t * 1000), "Etc/UTC"));
const font = '12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

const axis = {stroke: color("muted"), font, grid: {stroke: color("grid"), width: 1}, ticks: {show: false}, gap: 6};
const timeAxis = () => ({
  ...axis, space: 76,
  size: (u, labels) => (labels?.some((l) => l.includes("\n")) ? 40 : 25),
  values: (u, ticks, axis, space, increment) => format.timeTicks(ticks, increment),
});
const valueAxis = (size, values) => ({
  ...axis, size, space: 34,
  values: values ?? ((u, ticks, axis, space, increment) => format.valueTicks(ticks, increment)),
});

/** Chart is a uPlot that keeps the width of its parent. */
class Chart {
  constructor(parent, height) {
    this.parent = parent;
    this.pixels = height;
    this.observer = new ResizeObserver(() => {
      const width = parent.clientWidth;
      if (this.plot && width > 0 && width !== this.plot.width) this.plot.setSize({width, height});
    });
    this.observer.observe(parent);
    charts.add(this);
  }

  draw(options, data) {
    if (this.plot) {
      this.plot.setData(data);
    } else if (this.parent.clientWidth > 0) {
      this.plot = new uPlot({width: this.parent.clientWidth, height: this.pixels, tzDate: zoned, legend: {show: false}, ...options()}, data, this.parent);
    }
  }

  destroy() {
    charts.delete(this);
    this.observer.disconnect();
    this.plot?.destroy();
  }
}

/** The times that the charts of the variables show: [from, to], or null for all of them. */
let zoom = null;

/** Shows a part of the time, or all of it; the page hears "zoomchange". */
export function setZoom(range) {
  zoom = range;
  for (const c of charts) c.zoomed?.();
  dispatchEvent(new CustomEvent("zoomchange", {detail: range}));
}

const zoomKeys = {"+": 0.5, "=": 0.5, "-": 2};

/** How far outside is far: twice the distance to the bound. */
const far = 2;

/** A variable: observed, what had been forecast for it, and the forecast. */
export class VariableChart extends Chart {
  constructor(list, name, levels, equal) {
    const card = document.createElement("article");
    card.className = "card chart";
    const head = card.appendChild(document.createElement("header"));
    const title = head.appendChild(document.createElement("h2"));
    format.setName(title, name, 64);
    const time = head.appendChild(document.createElement("time"));
    const readout = head.appendChild(document.createElement("dl"));
    readout.className = "readout";
    const box = card.appendChild(document.createElement("div"));
    box.className = "plot";
    box.tabIndex = 0;
    box.setAttribute("role", "img");
    list.append(card);
    super(box, 190);
    this.card = card;
    this.time = time;
    this.readout = readout;
    this.name = name;
    this.levels = levels;
    this.equal = equal;
    box.addEventListener("keydown", (event) => this.key(event));
    box.addEventListener("blur", () => this.plot?.setCursor({left: -10, top: -10}));
  }

  destroy() {
    super.destroy();
    this.card.remove();
  }

  /** Draws the last samples. */
  update(samples, shown, drifts) {
    const v = samples.variables.get(this.name);
    if (!v) return;
    const from = Math.max(0, samples.time.length - shown);
    const past = samples.time.slice(from);
    this.spacing = samples.spacing;
    this.last = past.length - 1;
    this.origin = past[this.last];
    const y = v.y.slice(from);

    this.limit = (v.forecast?.limit ?? []).filter((x) => x != null);
    this.toLimit = v.forecast?.time_to_limit;
    this.drifts = drifts.filter((t) => t >= past[0] && t <= this.origin);

    const fan = {time: [], yhat: [], lower: [], upper: [], joint: [[], []], reach: []};
    if (v.forecast) {
      samples.forecast.time.forEach((t, i) => {
        if (t <= this.origin) return;
        fan.time.push(t);
        fan.yhat.push(v.forecast.yhat[i]);
        v.forecast.yhat_lower.forEach((bounds, l) => (fan.lower[l] ??= []).push(bounds[i]));
        v.forecast.yhat_upper.forEach((bounds, l) => (fan.upper[l] ??= []).push(bounds[i]));
        fan.joint[0].push(v.forecast.yhat_joint_lower?.[i] ?? null);
        fan.joint[1].push(v.forecast.yhat_joint_upper?.[i] ?? null);
        fan.reach.push(v.forecast.limit_probability?.[i] ?? null);
      });
    }
    const before = (values) => values.slice(from).concat(fan.time.map(() => null));
    // The fan starts at the newest observation.
    const after = (values) => past.map((_, i) => (i === this.last && values?.some((x) => x != null) ? y[i] : null)).concat(values ?? fan.time.map(() => null));
    const marks = (low, high) => y.map((x, i) => (this.distance[i] > low && this.distance[i] <= high ? x : null)).concat(fan.time.map(() => null));
    this.past = {yhat: v.yhat.slice(from), lower: v.yhat_lower.slice(from), upper: v.yhat_upper.slice(from), y};
    this.distance = y.map((x, i) => distance(x, this.past.yhat[i], this.past.lower[i], this.past.upper[i]));
    // A sample is unusual here if the variable has its part in it: at least an equal share.
    const share = v.share.slice(from);
    this.score = samples.score.slice(from).map((s, i) => (share[i] == null || share[i] >= .999 * this.equal ? s : null));
    this.state = samples.state.slice(from);
    const data = [past.concat(fan.time), before(v.yhat_lower), before(v.yhat_upper)];
    for (let l = 0; l < this.levels; l++) data.push(after(fan.lower[l]), after(fan.upper[l]));
    data.push(before(v.yhat), before(v.y), after(fan.yhat), marks(1, far), marks(far, Infinity), after(fan.joint[0]), after(fan.joint[1]));

    this.fan = fan;
    const known = y.filter((x) => x != null);
    this.height = Math.max(...known) - Math.min(...known) || Math.abs(known[0]) || 1;
    this.draw(() => this.options(), data);
    this.read();
    this.describe();
  }

  options() {
    const hidden = {stroke: null, width: 0, points: {show: false}};
    const line = (name, width, dash) => ({stroke: color(name), width, dash, points: {show: false}});
    const marks = (size, fill) => ({
      paths: () => null, stroke: color("outside"),
      points: {show: true, size, width: 1.5, stroke: color("outside"), fill: color(fill)},
    });
    const series = [{}, hidden, hidden];
    const bands = [{series: [2, 1], fill: color("band-past")}];
    for (let l = 0; l < this.levels; l++) {
      series.push(hidden, hidden);
      bands.push({series: [4 + 2 * l, 3 + 2 * l], fill: color("band")});
    }
    series.push(line("forecast", 1.25), line("observed", 1.75), line("forecast", 2.25, [5, 4]), marks(7, "card"), marks(9, "outside"));
    series.push(line("forecast", 1, [2, 3]), line("forecast", 1, [2, 3])); // the joint region
    return {
      series, bands,
      scales: {x: {time: true, range: (u, from, to) => zoom ?? [from, to]}, y: {range: (u) => range(u.data, this.levels, this.limit)}},
      axes: [timeAxis(), valueAxis(innerWidth < 600 ? 50 : 62)],
      cursor: {sync: {key: "samples"}, drag: {x: true, y: false, setScale: false}, y: false, points: {show: false}},
      padding: [8, 24, 0, 0],
      hooks: {
        drawClear: [(u) => this.shade(u)],
        draw: [(u) => this.limit.forEach((y) => rule(u, y, css("outside"), [9, 4, 2, 4]))],
        setCursor: [() => this.read()],
        setSelect: [(u) => this.select(u)],
      },
    };
  }

  /** Zooms to what the pointer has marked. */
  select(u) {
    const {left, width} = u.select;
    if (width < 8) return;
    setZoom([u.posToVal(left, "x"), u.posToVal(left + width, "x")]);
    u.setSelect({left: 0, width: 0, top: 0, height: 0}, false);
  }

  zoomed() {
    this.plot?.setData(this.plot.data);
  }

  /** Zooms in or out around the sample under the cursor. */
  scale(factor) {
    const u = this.plot;
    const time = u.data[0];
    const [from, to] = zoom ?? [time[0], time.at(-1)];
    const middle = time[u.cursor.idx ?? this.last];
    const range = [Math.max(time[0], middle - (middle - from) * factor), Math.min(time.at(-1), middle + (to - middle) * factor)];
    setZoom(range[0] === time[0] && range[1] === time.at(-1) ? null : range);
  }

  /** Shows which samples are unusual, and where the future begins. */
  shade(u) {
    const {ctx, bbox} = u;
    const at = (t) => Math.round(u.valToPos(t, "x", true));
    const time = u.data[0];
    const fill = (from, to, name) => {
      from = Math.max(from, bbox.left);
      to = Math.min(to, bbox.left + bbox.width);
      if (from >= to) return;
      ctx.fillStyle = css(name);
      ctx.fillRect(from, bbox.top, to - from, bbox.height);
    };
    ctx.save();
    for (let i = 0; i <= this.last; i++) {
      if (!(this.score[i] > 1)) continue;
      let k = i;
      while (this.score[k + 1] > 1) k++;
      fill(at(i ? (time[i - 1] + time[i]) / 2 : time[i]), at(k < this.last ? (time[k] + time[k + 1]) / 2 : time[k]), "alarm");
      i = k;
    }
    fill(at(this.origin), Infinity, "future");
    ctx.strokeStyle = css("outside");
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
    for (const t of this.drifts) {
      ctx.beginPath();
      ctx.moveTo(at(t), bbox.top);
      ctx.lineTo(at(t), bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  }

  /** Writes the values under the cursor, or the newest. */
  read() {
    const i = this.plot?.cursor.idx ?? this.last;
    const n = (x) => format.within(x, this.height);
    const rows = [];
    const addLimit = (p) => p != null && rows.push(["limit reached", format.percent(p, 0)]);
    const addInterval = (low, high) => low != null && rows.push(["interval", `${n(low)} … ${n(high)}`]);
    const {past, fan} = this;
    if (i > this.last) {
      const k = i - this.last - 1;
      this.time.textContent = format.time(fan.time[k], this.spacing);
      rows.push(["forecast", n(fan.yhat[k])]);
      addInterval(fan.lower[0]?.[k], fan.upper[0]?.[k]);
      if (fan.joint[0][k] != null) rows.push(["joint", `${n(fan.joint[0][k])} … ${n(fan.joint[1][k])}`]);
      addLimit(fan.reach[k]);
    } else {
      this.time.textContent = format.time(this.plot?.data[0][i], this.spacing);
      rows.push(["observed", n(past.y[i])], ["forecast was", n(past.yhat[i])]);
      addInterval(past.lower[i], past.upper[i]);
      if (this.score[i] > 1) rows.push(["unusual", this.score[i].toFixed(2)]);
      if (this.state[i] > 1) rows.push(["away", this.state[i].toFixed(2)]);
      if (this.drifts.includes(this.plot?.data[0][i])) rows.push(["drift", "found"]);
      if (i === this.last && fan.yhat.length) rows.push(["next", n(fan.yhat[0])]);
      if (i === this.last) addLimit(fan.reach.at(-1));
      if (i === this.last && this.toLimit != null) rows.push(["expected", this.toLimit > 0 ? `in ${format.duration(this.toLimit)}` : "beyond it now"]);
    }
    this.readout.replaceChildren(...rows.map(([name, value]) => {
      const group = document.createElement("div");
      group.dataset.name = name;
      const dt = group.appendChild(document.createElement("dt"));
      dt.textContent = name;
      const dd = group.appendChild(document.createElement("dd"));
      dd.textContent = value;
      return group;
    }));
  }

  describe() {
    const p = this.past;
    const count = (values) => values.filter((s) => s > 1).length;
    const outside = count(this.distance);
    const unusual = count(this.score);
    let text = `${this.name}: ${p.y.length} samples up to ${format.time(this.origin, this.spacing)}, the newest ${format.number(p.y[this.last])}`;
    if (this.fan.yhat.length) {
      text += `; forecast of the next ${format.number(this.fan.yhat[0])}, ${this.fan.yhat.length} ahead ${format.number(this.fan.yhat.at(-1))}`;
    }
    if (this.limit.length) {
      text += `; limit ${this.limit.map(format.number).join(" and ")}`;
      const p = this.fan.reach.at(-1);
      if (p != null) text += `, reached within the forecast with ${format.percent(p, 0)}`;
      if (this.toLimit != null) text += this.toLimit > 0 ? `, expected in ${format.duration(this.toLimit)}` : ", beyond it now";
    }
    if (outside) text += `; ${outside} outside the interval`;
    if (unusual) text += `; ${unusual} unusual`;
    if (this.drifts.length) text += `; a drift was found at ${this.drifts.map((t) => format.time(t, this.spacing)).join(", ")}`;
    this.parent.setAttribute("aria-label", text + ". Arrow keys read single samples, plus and minus zoom, 0 shows all.");
  }

  key(event) {
    if (this.plot && (zoomKeys[event.key] || event.key === "0")) {
      event.preventDefault();
      if (event.key === "0") setZoom(null);
      else this.scale(zoomKeys[event.key]);
      return;
    }
    const step = {ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10}[event.key];
    const u = this.plot;
    if (!u || !(step || event.key === "Home" || event.key === "End" || event.key === "Escape")) return;
    event.preventDefault();
    if (event.key === "Escape") {
      u.setCursor({left: -10, top: -10});
      return;
    }
    const end = u.data[0].length - 1;
    const i = event.key === "Home" ? 0 : event.key === "End" ? end : Math.min(end, Math.max(0, (u.cursor.idx ?? this.last) + step));
    u.setCursor({left: u.valToPos(u.data[0][i], "x"), top: u.over.clientHeight / 2});
  }
}

/** How far from its forecast a value is: 1 at the bound of the interval. */
function distance(y, yhat, lower, upper) {
  if (y == null || yhat == null || lower == null) return null;
  const width = y < yhat ? yhat - lower : upper - yhat;
  return y === yhat ? 0 : Math.abs(y - yhat) / Math.max(width, Number.MIN_VALUE);
}

export const interval = (low, high) => `${format.number(low)} … ${format.number(high)}`;

/** How much of the height intervals may take beside the lines: those of the first samples can be huge. */
const room = 4;

/** The range of values of the times that are shown: lines and intervals. */
function range(data, levels, limit) {
  const lines = [Infinity, -Infinity];
  const bands = [Infinity, -Infinity];
  const time = data[0];
  let from = 0;
  let to = time.length;
  if (zoom) {
    from = time.findIndex((t) => t >= zoom[0]);
    to = time.findLastIndex((t) => t <= zoom[1]) + 1;
  }
  const widen = (r, column) => {
    for (let i = Math.max(0, from); i < to; i++) {
      const x = column[i];
      if (x == null) continue;
      if (x < r[0]) r[0] = x;
      if (x > r[1]) r[1] = x;
    }
  };
  const first = 3 + 2 * levels;
  for (let i = 1; i < first; i++) widen(bands, data[i]);
  for (let i = first; i < first + 3; i++) widen(lines, data[i]);
  if (lines[0] > lines[1]) return [0, 1];
  const height = lines[1] - lines[0] || Math.abs(lines[1]) || 1;
  let low = Math.max(Math.min(lines[0], bands[0]), lines[0] - height * room);
  let high = Math.min(Math.max(lines[1], bands[1]), lines[1] + height * room);
  // A limit that is near is in the picture.
  for (const y of limit) {
    if (y < low && y > lines[0] - height * room) low = y;
    if (y > high && y < lines[1] + height * room) high = y;
  }
  const margin = (high - low || height) * 0.06;
  return [low - margin, high + margin];
}

/** Scores over time with a line to compare them with. */
export class TrendChart extends Chart {
  constructor(parent, {label, names, colors, range, values}) {
    super(parent, 130);
    parent.setAttribute("role", "img");
    parent.setAttribute("aria-label", `${label}: nothing yet`);
    Object.assign(this, {label, names, colors, range, values});
  }

  update(time, columns, goal) {
    this.goal = goal;
    this.draw(() => this.options(), [time, ...columns]);
    const newest = columns.map((c, i) => `${this.names[i]} ${this.values(c.at(-1))}`);
    this.parent.setAttribute("aria-label", `${this.label}: ${newest.join(", ")} now; the line to compare with is ${this.values(goal)}.`);
  }

  options() {
    return {
      series: [{}, ...this.colors.map((name) => ({stroke: color(name), width: 1.75, points: {show: false}}))],
      scales: {x: {time: true}, y: {range: (u, low, high) => this.range(low ?? this.goal, high ?? this.goal, this.goal)}},
      axes: [{...timeAxis(), space: 64}, {...valueAxis(46, (u, ticks) => ticks.map((x) => this.values(x))), space: 26}],
      cursor: {show: false},
      padding: [8, 18, 0, 0],
      hooks: {draw: [(u) => this.rule(u)]},
    };
  }

  rule(u) {
    rule(u, this.goal, css("ink"), [4, 3]);
  }
}

/** Draws a level across a chart. */
function rule(u, level, stroke, dash) {
  const {ctx, bbox} = u;
  const y = Math.round(u.valToPos(level, "y", true)) + 0.5;
  if (y < bbox.top || y > bbox.top + bbox.height) return;
  ctx.save();
  ctx.strokeStyle = stroke;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash(dash.map((n) => n * devicePixelRatio));
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}

/** Shares of a whole over time, one on top of the other. */
export class ShareChart extends Chart {
  constructor(parent, label) {
    super(parent, 150);
    parent.setAttribute("role", "img");
    parent.setAttribute("aria-label", `${label}: nothing yet`);
    this.label = label;
  }

  /** Columns are the shares; colors the names of as many properties of the style. */
  update(time, names, columns, colors) {
    if (names.join("\0") !== this.names) {
      this.plot?.destroy();
      this.plot = undefined;
      this.names = names.join("\0");
    }
    this.colors = colors;
    const sums = [];
    columns.forEach((c, k) => sums.push(k === 0 ? c : c.map((x, i) => x + sums[k - 1][i])));
    this.draw(() => this.options(), [time, ...sums.reverse()]); // the whole first: the parts are painted over it
    const newest = columns.map((c, k) => `${names[k]} ${format.percent(c.at(-1), 0)}`);
    this.parent.setAttribute("aria-label", `${this.label}: ${newest.join(", ")} now.`);
  }

  options() {
    const paint = this.colors.map(color).reverse();
    return {
      series: [{}, ...paint.map((fill) => ({stroke: color("card"), width: 1, fill, points: {show: false}}))],
      scales: {x: {time: true}, y: {range: [0, 1]}},
      axes: [{...timeAxis(), space: 64}, {...valueAxis(46, (u, ticks) => ticks.map((x) => format.percent(x, 0))), space: 40}],
      cursor: {show: false},
      padding: [8, 18, 0, 0],
    };
  }
}
