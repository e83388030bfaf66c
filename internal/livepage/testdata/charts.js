// What the charts of the page are made of, computed by hand from a message of the API.
// TestPageData runs this in the page; check(what, got, want) collects the differences.

const {Samples} = await import("/samples.js");
const {VariableChart, TrendChart, ShareChart, setZoom} = await import("/charts.js");
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

const message = {
  horizon: 1, time: [10, 20, 30, 40], anomaly_score: [9, 2, 5, 3],
  forecast: {time: [40, 50, 60], variables: [{
    name: "a", yhat: [4, 5, 6], yhat_lower: [[4, 4, 4.5], [4, 4.5, 5]], yhat_upper: [[4, 6, 7.5], [4, 5.5, 7]],
    yhat_joint_lower: [4, 3, 3.5], yhat_joint_upper: [4, 8, 8.5], limit_probability: [0, .25, .5],
  }]},
  variables: [{
    name: "a", y: [1, 2, 3, 4], yhat: [1, 2.5, 3, 9], yhat_lower: [0, 2.25, 2, 7], yhat_upper: [2, 12, 4, 10],
    anomaly_score: [1, 1, 1, 1], share: [null, .5, .2, .6],
  }],
};
const samples = new Samples(4);
samples.add(message);
check("spacing", samples.spacing, 10);

const list = document.createElement("div");
list.style.width = "600px";
document.body.append(list);
const chart = new VariableChart(list, "a", 2, .5);
const box = chart.parent;
chart.update(samples, 3, [5, 30, 45]);

const _ = null;
const columns = [
  [20, 30, 40, 50, 60],
  [2.25, 2, 7, _, _], [12, 4, 10, _, _], // the interval that had been forecast
  [_, _, 4, 4, 4.5], [_, _, 4, 6, 7.5], [_, _, 4, 4.5, 5], [_, _, 4, 5.5, 7], // the fan, from the newest sample on
  [2.5, 3, 9, _, _], [2, 3, 4, _, _], [_, _, 4, 5, 6],
  [2, _, _, _, _], // outside: (2.5 - 2) / (2.5 - 2.25) = 2
  [_, _, 4, _, _], // far outside: (9 - 4) / (9 - 7) = 2.5
  [_, _, 4, 3, 3.5], [_, _, 4, 8, 8.5],
];
columns.forEach((want, i) => check("column " + i, chart.plot.data[i], want));
check("columns", chart.plot.data.length, columns.length);
check("bands", chart.plot.bands.map((b) => b.series), [[2, 1], [4, 3], [6, 5]]);
check("lines", chart.plot.series.slice(1).map((x) => [x.stroke?.() ?? null, x.width, x.dash ?? null, x.points.show()]).filter((x) => x[1] > 0), [
  [css("forecast"), 1.25, null, false], [css("observed"), 1.75, null, false], [css("forecast"), 2.25, [5, 4], false],
  [css("outside"), 1, null, true], [css("outside"), 1, null, true], [css("forecast"), 1, [2, 3], false], [css("forecast"), 1, [2, 3], false],
]);
check("scores with a part of this variable", chart.score, [2, null, 3]);
check("drifts that are shown", chart.drifts, [30]);

// Lines from 2 to 9 and intervals from 2 to 12, and 6 % of that beside them.
const drawn = () => new Promise((done) => setTimeout(done)); // uPlot draws after the present task
const scale = () => [chart.plot.scales.y.min, chart.plot.scales.y.max].map((x) => Number(x.toFixed(6)));
await drawn();
check("range of values", scale(), [1.4, 12.6]);

// Shading: unusual samples halfway to their neighbours, the future behind the newest sample, drifts as lines.
let painted = [];
const ctx = {fillRect(...r) { painted.push([ctx.fillStyle, ...r]); }, stroke() { painted.push(["stroke", ctx.strokeStyle, ctx.lineWidth / devicePixelRatio]); }};
for (const name of ["save", "restore", "beginPath", "moveTo", "lineTo"]) ctx[name] = (...at) => painted.push([name, ...at]);
ctx.setLineDash = (dash) => painted.push(["dash", ...dash.map((x) => x / devicePixelRatio)]);
chart.shade({ctx, bbox: {left: 0, top: 7, width: 390, height: 100}, data: chart.plot.data, valToPos: (t) => (t - 20) * 10});
check("shading", painted, [
  ["save"], [css("alarm"), 0, 7, 50, 100], [css("alarm"), 150, 7, 50, 100], [css("future"), 200, 7, 190, 100],
  ["dash", 5, 4], ["beginPath"], ["moveTo", 100, 7], ["lineTo", 100, 107], ["stroke", css("outside"), 1.5], ["restore"],
]);

const readout = () => [...chart.readout.children].map((g) => g.children[0].textContent + " " + g.children[1].textContent);
const newest = ["observed 4.000", "forecast was 9.000", "interval 7.000 … 10.000", "unusual 3.00", "next 5.000", "limit reached 50 %"];
check("the newest", readout(), newest);
check("its time", chart.time.textContent, "1970-01-01 00:00:40");
check("label", box.getAttribute("aria-label"), "a: 3 samples up to 1970-01-01 00:00:40, the newest 4; forecast of the next 5, 2 ahead 6; " +
  "2 outside the interval; 2 unusual; a drift was found at 1970-01-01 00:00:30. Arrow keys read single samples, plus and minus zoom, 0 shows all.");

// The keyboard reads samples one by one.
const press = (key) => box.dispatchEvent(new KeyboardEvent("keydown", {key, cancelable: true}));
const at = (key) => { press(key); return chart.plot.cursor.idx; };
check("keys", ["ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowRight", "End", "ArrowRight", "Home", "PageDown", "PageUp"].map(at), [1, 0, 0, 1, 4, 4, 0, 4, 0]);
check("a key that moves is not passed on", press("ArrowLeft"), false);
check("another key is", press("a"), true);
at("ArrowRight");
check("the second", readout(), ["observed 3.000", "forecast was 3.000", "interval 2.000 … 4.000", "drift found"]);
at("End");
check("the future", readout(), ["forecast 6.000", "interval 4.500 … 7.500", "joint 3.500 … 8.500", "limit reached 50 %"]);
at("ArrowLeft");
check("the next", readout(), ["forecast 5.000", "interval 4.000 … 6.000", "joint 3.000 … 8.000", "limit reached 25 %"]);
check("its time", chart.time.textContent, "1970-01-01 00:00:50");
press("Escape");
check("the newest again", readout(), newest);

// Plus and minus zoom around the sample under the cursor, or the newest: half or twice as far to either side.
const zooms = [];
addEventListener("zoomchange", (event) => zooms.push(event.detail));
press("+");
await drawn();
check("range when zoomed", scale(), [1.52, 10.48]); // from 30 to 50: lines from 3 to 9, intervals from 2 to 10
for (const key of ["+", "-", "=", "0"]) press(key);
at("End");
press("-");
await drawn();
at("Home");
press("+");
press("0");
check("zooms", zooms, [[30, 50], [35, 45], [30, 50], [35, 45], null, null, [20, 40], null]);
const cleared = [];
chart.select({select: {left: 100, width: 100}, posToVal: (x) => x / 10, setSelect(...to) { cleared.push(to); }});
check("the mark is taken away", cleared, [[{left: 0, width: 0, top: 0, height: 0}, false]]);
chart.select({select: {left: 100, width: 7}, posToVal: (x) => x / 10, setSelect() {}}); // a click
check("marked", zooms.slice(8), [[10, 20]]);
setZoom(null);

// A limit: a line, in the picture when it is near; when it is expected; a state that is away from normal.
const limited = new Samples(4);
const withLimits = (limit, time_to_limit) => limited.add({...message, reset: true, state_score: [1, 1, 1, 1.5],
  forecast: {...message.forecast, variables: [{...message.forecast.variables[0], limit, time_to_limit}]}});
press("Escape");
withLimits([null, 14], 90);
chart.update(limited, 3, []);
await drawn();
check("range with a limit", scale(), [1.28, 14.72]); // from 2 to 14, and 6 % of that
check("a limit that is expected", readout().slice(3), ["unusual 3.00", "away 1.50", "next 5.000", "limit reached 50 %", "expected in 1.5 min"]);
check("its label", box.getAttribute("aria-label").split("; ").slice(2, 3), ["limit 14, reached within the forecast with 50 %, expected in 1.5 min"]);
painted = [];
chart.plot.hooks.draw.at(-1)({bbox: {left: 5, top: 10, width: 100, height: 50}, valToPos: (y) => y + 16.2, ctx});
check("the line of the limit", painted, [["save"], ["dash", 9, 4, 2, 4], ["beginPath"], ["moveTo", 5, 30.5], ["lineTo", 105, 30.5], ["stroke", css("outside"), 1], ["restore"]]);
withLimits([null, 30], 90); // the past forecast, 9, counts as a line: four line heights of 7 above it are 37
chart.update(limited, 3, []);
await drawn();
check("range with a limit in reach", scale(), [.32, 31.68]);
withLimits([-1, 38], 0);
limited.score = [0, 0, 1, 1.01];
chart.update(limited, 3, []);
await drawn();
check("a far limit is left out", scale(), [-1.78, 12.78]); // from -1 to 12
check("beyond it", readout().slice(3), ["unusual 1.01", "away 1.50", "next 5.000", "limit reached 50 %", "expected beyond it now"]);
check("in words", box.getAttribute("aria-label").split("; ")[2], "limit −1 and 38, reached within the forecast with 50 %, beyond it now");

// Fewer samples than are shown, none of them forecast, and no forecast.
const young = new Samples(4);
young.add({horizon: 1, time: [10], anomaly_score: [null], forecast: null, variables: [{name: "a", y: [5], yhat: [null], yhat_lower: [null], yhat_upper: [null]}]});
chart.update(young, 3, []);
await drawn();
check("one sample", [chart.plot.data[0], chart.plot.data[8], chart.plot.data[9]], [[10], [5], [null]]);
check("its label", box.getAttribute("aria-label"), "a: 1 samples up to 1970-01-01 00:00:10, the newest 5. Arrow keys read single samples, plus and minus zoom, 0 shows all.");
check("its values", readout(), ["observed 5.000", "forecast was –"]);
check("its range", scale(), [4.7, 5.3]); // a height of 5, and 6 % of that
chart.destroy();
check("a removed chart", list.children.length, 0);

// What is older than the limit goes; a message with reset begins again.
const short = new Samples(3);
short.add(message);
check("kept", [short.time, short.score, short.variables.get("a").y, short.variables.get("a").share], [[20, 30, 40], [2, 5, 3], [2, 3, 4], [.5, .2, .6]]);

const trend = new TrendChart(list.appendChild(document.createElement("div")), {
  label: "Skill", names: ["p", "v"], colors: ["line-a", "line-b"], values: (x) => "<" + x + ">", range: (low, high, goal) => [low - 1, high + goal],
});
trend.update([1, 2], [[.1, .2], [.3, .4]], 2);
await drawn();
check("trend", trend.plot.data, [[1, 2], [.1, .2], [.3, .4]]);
check("trend in words", trend.parent.getAttribute("aria-label"), "Skill: p <0.2>, v <0.4> now; the line to compare with is <2>.");
check("trend's range", [trend.plot.scales.y.min, trend.plot.scales.y.max], [-.9, 2.4]);
painted = [];
trend.rule({bbox: {left: 5, top: 10, width: 100, height: 50}, valToPos: () => 30.2, ctx});
check("the line to compare with", painted, [["save"], ["dash", 4, 3], ["beginPath"], ["moveTo", 5, 30.5], ["lineTo", 105, 30.5], ["stroke", css("ink"), 1], ["restore"]]);
painted = [];
for (const y of [9.4, 60.4]) trend.rule({bbox: {left: 5, top: 10, width: 100, height: 50}, valToPos: () => y, ctx});
check("no line beyond the chart", painted, []);

const shares = new ShareChart(list.appendChild(document.createElement("div")), "Weights");
shares.update([1, 2], ["x", "y", "z"], [[.5, .25], [.25, .25], [.25, .5]], ["expert-0", "expert-1", "expert-15"]);
check("shares, one on the other, the whole first", shares.plot.data, [[1, 2], [1, 1], [.75, .5], [.5, .25]]);
check("shares are filled without points", shares.plot.series.slice(1).map((x) => [x.points.show(), x.fill(), x.stroke(), x.width]), ["15", "1", "0"].map((k) => [false, css("expert-" + k), css("card"), 1]));
check("shares in words", shares.parent.getAttribute("aria-label"), "Weights: x 25 %, y 25 %, z 50 % now.");

// A chart is as wide as its parent, from one drawing to the next.
for (const width of [400, 700]) {
  list.style.width = width + "px";
  for (let i = 0; i < 100 && shares.plot.width !== width; i++) await new Promise((done) => requestAnimationFrame(done));
  check("the width of the charts", [trend.plot.width, shares.plot.width], [width, width]);
}
list.style.display = "none";
for (let i = 0; i < 3; i++) await new Promise((done) => requestAnimationFrame(done));
check("a chart that is not shown keeps its width", shares.plot.width, 700);
list.style.display = "";
trend.destroy();
shares.destroy();
