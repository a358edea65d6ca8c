// The tree of variations, drawn from the left; a click goes to the position. Of a large one only the part around
// the shown position is drawn.
import { h } from "./dom.js";
import { childrenOf } from "./gametree.js";

const STEP = 27, ROW = 28, WIDE = 60, HIGH = 25;
let known = { tree: null, version: -1, spots: null };

// Column and row of each node, and the number of its move: the first move of a position stays in its row, others begin
// new ones.
export function layout(tree) {
  if (known.tree === tree && known.version === tree.version && known.size === tree.nodes.size) return known;
  const spots = new Map([[0, [0, 0, 0]]]);
  let rows = 1, columns = 1;
  const todo = [0];
  while (todo.length) {
    const at = todo.pop(), [column, row, number] = spots.get(at), next = childrenOf(tree, at);
    columns = Math.max(columns, column + 1);
    next.forEach((child, place) => spots.set(child, [column + 1, place === 0 ? row : rows++, number + (tree.nodes.get(child).at ? 1 : 0)]));
    for (let place = next.length - 1; place >= 0; place--) todo.push(next[place]);
  }
  known = { tree, version: tree.version, size: tree.nodes.size, spots, rows, columns };
  return known;
}

export function draw(tree, current, go) {
  const { spots, rows, columns } = layout(tree), [middle, level] = spots.get(current) ?? [0, 0];
  const at = (id) => { const [column, row] = spots.get(id); return [16 + column * STEP, 16 + row * ROW]; };
  const isNear = (id) => { const [column, row] = spots.get(id); return Math.abs(column - middle) <= WIDE && Math.abs(row - level) <= HIGH; };
  const edges = [], dots = [];
  const dot = (node) => {
    const [cx, cy] = at(node.id), { color } = node, mark = node.id === 0 ? "" : node.at ? String(spots.get(node.id)[2]) : "+";
    return h("g", { onclick: () => go(node.id), "data-id": node.id },
      h("circle", { cx, cy, r: 10.5, fill: color === "B" ? "#15171a" : color === "W" ? "#fbfaf6" : "var(--soft)", stroke: "#7d7a73" }),
      mark && h("text", { x: cx, y: cy + 3.5, fill: color === "B" ? "#fff" : color === "W" ? "#111" : "var(--fg)" }, mark),
      node.remark && h("circle", { class: "remark", cx: cx + 8, cy: cy - 8, r: 3.4 }),
      node.id === current && h("circle", { class: "here", cx, cy, r: 12.5 }));
  };
  for (const node of tree.nodes.values()) {
    if (!spots.has(node.id) || !isNear(node.id)) continue;
    dots.push(dot(node));
    if (node.id === 0) continue;
    const [x, y] = at(node.parent), [u, v] = at(node.id);
    edges.push(y === v ? `M${x} ${y}H${u}` : `M${x} ${y}V${v - 10}Q${x} ${v} ${x + 10} ${v}H${u}`);
  }
  const width = 32 + columns * STEP, height = 32 + (rows - 1) * ROW;
  return h("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, h("path", { class: "edge", d: edges.join("") }), ...dots);
}
