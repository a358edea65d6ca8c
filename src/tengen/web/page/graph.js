// Winrate and lead over the game: a click goes to the move.
import { $, follow, h, patch, percent, signed } from "./dom.js";
import { say } from "./words.js";

const LEFT = 34, RIGHT = 42, TOP = 10, BOTTOM = 20;
let places = [];

export function listen(go) {
  follow($("graph"), (event) => {
    const box = $("graph").getBoundingClientRect();
    if (!places.length) return;
    const inner = box.width - LEFT - RIGHT, x = (event.clientX - box.left - LEFT) / inner;
    go(places[Math.max(0, Math.min(places.length - 1, Math.round(x * (places.length - 1))))]);
  });
}

// `line` is a list of nodes with their evaluations; marks are highlighted moves.
export function draw({ line, now, scores, marks }) {
  const svg = $("graph"), box = svg.getBoundingClientRect(), width = Math.max(200, box.width), height = Math.max(80, box.height);
  places = line.map((node) => node.id);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const steps = Math.max(1, line.length - 1), inner = width - LEFT - RIGHT, low = height - BOTTOM;
  const x = (i) => LEFT + (inner * i) / steps, y = (rate) => TOP + (low - TOP) * (1 - rate);
  const known = line.map((node, i) => [i, node.eval]).filter(([, found]) => found);
  const parts = [h("line", { class: "half", x1: LEFT, x2: width - RIGHT, y1: y(0.5), y2: y(0.5) })];
  for (const rate of [0, 0.5, 1]) parts.push(h("text", { x: LEFT - 5, y: y(rate) + 4, "text-anchor": "end" }, percent(rate, 0)));
  if (known.length) {
    const points = known.map(([i, found]) => `${x(i).toFixed(1)},${y(found.winrate).toFixed(1)}`);
    const [first, last] = [known[0][0], known[known.length - 1][0]];
    parts.push(h("polygon", { class: "area", points: `${x(first)},${low} ${points.join(" ")} ${x(last)},${low}` }), h("polyline", { class: "curve", points: points.join(" ") }));
    const leads = known.filter(([, found]) => scores && found.lead != null);
    if (leads.length) {
      const most = Math.max(10, ...leads.map(([, found]) => Math.abs(found.lead)));
      const line = leads.map(([i, found]) => `${x(i).toFixed(1)},${y(0.5 + found.lead / most / 2).toFixed(1)}`);
      parts.push(h("polyline", { class: "score", points: line.join(" ") }), h("text", { x: width - RIGHT + 5, y: y(1) + 4 }, signed(most)), h("text", { x: width - RIGHT + 5, y: y(0) + 4 }, signed(-most)));
    }
  }
  const at = line.findIndex((node) => node.id === now);
  // One evaluation alone has no line.
  if (line[at]?.eval) parts.push(h("circle", { class: "spot", cx: x(at), cy: y(line[at].eval.winrate), r: 3.5 }));
  if (at >= 0) parts.push(h("line", { class: "now", x1: x(at), x2: x(at), y1: TOP - 4, y2: low + 4 }));
  for (const { index, kind, rate } of marks || []) parts.push(h("circle", { class: kind, cx: x(index), cy: y(rate), r: 4.5 }));
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((n) => steps / n <= 8) || 1000;
  // Nodes without a move have no number.
  let number = 0;
  line.forEach((node, i) => {
    number += node.at ? 1 : 0;
    if (i === 0 || (node.at && number % step === 0)) parts.push(h("text", { x: x(i), y: height - 6, "text-anchor": "middle" }, String(number)));
  });
  if (!known.length) parts.push(h("text", { x: width / 2, y: y(0.5) - 8, "text-anchor": "middle" }, say("noCurve")));
  patch(svg, parts);
}
