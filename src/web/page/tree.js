// The tree of variations, drawn from the left; a click goes to the position.
import { h } from "./dom.js";

const STEP = 27, ROW = 28, MOST = 4000;

// Column and row of each node: the first move of a position stays in its row, others begin new ones.
export function layout(nodes) {
  const children = new Map();
  for (const node of nodes) children.set(node.parent, [...(children.get(node.parent) || []), node.id]);
  const spots = new Map([[0, [0, 0]]]);
  let rows = 1;
  const todo = [0];
  while (todo.length) {
    const at = todo.pop(), [column, row] = spots.get(at);
    const next = children.get(at) || [];
    next.forEach((child, place) => spots.set(child, [column + 1, place === 0 ? row : rows++]));
    todo.push(...[...next].reverse());
  }
  return { spots, rows };
}

export function draw(nodes, current, go) {
  const shown = nodes.slice(0, MOST), { spots, rows } = layout(shown);
  const at = (id) => { const [column, row] = spots.get(id); return [16 + column * STEP, 16 + row * ROW]; };
  const edges = [], dots = [];
  let columns = 1;
  const dot = (id, color, mark, remark) => {
    const [cx, cy] = at(id);
    columns = Math.max(columns, spots.get(id)[0] + 1);
    return h("g", { onclick: () => go(id), "data-id": id },
      h("circle", { cx, cy, r: 10.5, fill: color === "B" ? "#15171a" : color === "W" ? "#fbfaf6" : "var(--soft)", stroke: "#7d7a73" }),
      mark && h("text", { x: cx, y: cy + 3.5, fill: color === "B" ? "#fff" : "#111" }, mark),
      remark && h("circle", { class: "remark", cx: cx + 8, cy: cy - 8, r: 3.4 }),
      id === current && h("circle", { class: "here", cx, cy, r: 12.5 }));
  };
  dots.push(dot(0, "", "", false));
  for (const node of shown) {
    const [x, y] = at(node.parent), [u, v] = at(node.id);
    edges.push(y === v ? `M${x} ${y}H${u}` : `M${x} ${y}V${v - 10}Q${x} ${v} ${x + 10} ${v}H${u}`);
    dots.push(dot(node.id, node.color, String(spots.get(node.id)[0]), Boolean(node.comment)));
  }
  const width = 32 + columns * STEP, height = 32 + (rows - 1) * ROW;
  return h("svg", { width, height, viewBox: `0 0 ${width} ${height}` }, h("path", { class: "edge", d: edges.join("") }), ...dots);
}
