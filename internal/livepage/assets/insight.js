// What the model says about itself: the weights of its experts, and which variable influences which.

import * as format from "/format.js";
import {ShareChart} from "/charts.js";

const $ = (id) => document.getElementById(id);
const shares = new ShareChart($("experts-chart"), "Weights of the experts");

/** Shows a message "insight"; a panel without content is hidden. */
export function showInsight(message) {
  $("experts-card").hidden = !(message.experts?.time.length > 1);
  if (!$("experts-card").hidden) showExperts(message.experts);
  $("influence-card").hidden = !message.influence;
  if (message.influence) showInfluence(message.influence);
}

function showExperts(e) {
  const colors = e.experts.map((_, k) => "expert-" + k);
  const rank = e.experts.map((_, k) => k).sort((a, b) => e.weights[b].at(-1) - e.weights[a].at(-1));
  $("experts-legend").replaceChildren(...rank.map((k) => {
    const li = document.createElement("li");
    const key = li.appendChild(document.createElement("i"));
    key.className = "key share";
    key.style.background = `var(--${colors[k]})`;
    li.append(`${e.experts[k]} ${format.percent(e.weights[k].at(-1), 0)}`);
    return li;
  }));
  shares.update(e.time, e.experts, e.weights, colors);
}

const maxNodes = 16; // of a picture that can be read
const listed = 8;

function showInfluence(m) {
  const edges = [];
  m.influence.forEach((row, to) => row.forEach((value, from) => {
    if (from !== to && value) edges.push({from, to, value, size: Math.abs(value)});
  }));
  edges.sort((a, b) => b.size - a.size);
  $("influence-list").replaceChildren(...edges.slice(0, listed).map((e) => {
    const li = document.createElement("li");
    const names = li.appendChild(document.createElement("span"));
    names.textContent = `${format.short(m.variables[e.from], 20)} → ${format.short(m.variables[e.to], 20)}`;
    names.title = `${m.variables[e.from]} → ${m.variables[e.to]}`;
    const value = li.appendChild(document.createElement("b"));
    value.textContent = format.skill(e.value);
    value.dataset.kind = e.value > 0 ? "up" : "down";
    return li;
  }));
  const few = m.variables.length <= maxNodes;
  $("influence-graph").toggleAttribute("hidden", !few);
  if (few) drawGraph(m.variables, edges);
}

const svg = (name, attributes) => {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  return e;
};

/** Variables on a circle, and the strongest influences between them as arrows. */
function drawGraph(variables, edges) {
  const [cx, cy, radius] = [180, 125, 88];
  const place = variables.map((_, k) => {
    const angle = (2 * Math.PI * k) / variables.length - Math.PI / 2;
    return {x: cx + radius * Math.cos(angle), y: cy + radius * Math.sin(angle), cos: Math.cos(angle), sin: Math.sin(angle)};
  });
  const parts = [];
  const largest = edges[0]?.size ?? 1;
  for (const e of edges.slice(0, 2 * variables.length).filter((e) => e.size > 0.1 * largest).reverse()) {
    const a = place[e.from];
    const b = place[e.to];
    const strength = e.size / largest;
    // Bent to one side, so that an arrow and its opposite do not lie on each other; it ends before the node.
    const mid = {x: (a.x + b.x) / 2 + (b.y - a.y) * 0.14, y: (a.y + b.y) / 2 - (b.x - a.x) * 0.14};
    const length = Math.hypot(b.x - mid.x, b.y - mid.y);
    const tip = {x: b.x - ((b.x - mid.x) / length) * 8, y: b.y - ((b.y - mid.y) / length) * 8};
    const [ux, uy] = [(tip.x - mid.x) / (length - 8), (tip.y - mid.y) / (length - 8)];
    const head = 4 + 3 * strength;
    const group = svg("g", {class: e.value > 0 ? "up" : "down", opacity: (0.35 + 0.65 * strength).toFixed(2)});
    group.append(
      svg("path", {d: `M${a.x} ${a.y}Q${mid.x} ${mid.y} ${tip.x - ux * head} ${tip.y - uy * head}`, "stroke-width": (0.75 + 2.5 * strength).toFixed(2), fill: "none"}),
      svg("path", {class: "head", d: `M${tip.x} ${tip.y}L${tip.x - ux * head - uy * head * 0.6} ${tip.y - uy * head + ux * head * 0.6}L${tip.x - ux * head + uy * head * 0.6} ${tip.y - uy * head - ux * head * 0.6}z`}),
    );
    parts.push(group);
  }
  variables.forEach((name, k) => {
    const p = place[k];
    parts.push(svg("circle", {cx: p.x, cy: p.y, r: 5}));
    const label = svg("text", {
      x: p.x + 10 * p.cos, y: p.y + 12 * p.sin + 4, "text-anchor": p.cos > 0.3 ? "start" : p.cos < -0.3 ? "end" : "middle",
    });
    label.textContent = format.short(name, 14);
    parts.push(label);
  });
  $("influence-graph").replaceChildren(...parts);
}
