// The board: grid, stones, and overlays. It draws its input and reports clicked points.
import { $, brief, h, patch, percent, share, signed } from "./dom.js";
import { announce } from "./heard.js";
import { columnName, indexOf as indexIn, shown, vertexOf } from "./names.js";
import { ended, listed, pair, say, side } from "./words.js";

const CELL = 60, R = 28;

let size = { game: "", width: 0, height: 0 };
let on = { play() {}, hover() {}, aim() {}, walk() {}, leave() {} };
let aimed = null;

const LEFT = 64, TOP = 40;
const place = (index) => [LEFT + (index % size.width) * CELL, TOP + Math.floor(index / size.width) * CELL];
const indexOf = (at) => indexIn(size, at);

export const nameOf = (view, at) => shown(view.game, at);
export const stoneAt = (view, at) => view.stones[indexIn(view, at)];
export const lastOf = (view) => indexIn(view, view.last);

// What is on a point without a stone: whose it is in a count, or who may play there, if not both.
function openness(view, index) {
  const fate = view.count?.points[index], bits = view.legal[index];
  if (fate === "B" || fate === "W") return say(fate === "B" ? "mark_black" : "mark_white");
  if (isForbidden(view, index)) return say("forbidden");
  if (view.end || view.game === "gomoku" || !bits || bits === "3") return say("empty");
  return listed(say("empty"), bits === "0" ? say("closed") : say("onlyFor", { side: side(bits === "1" ? "B" : "W") }));
}

// Says what is on a point, for those who hear the board: with its candidate, if that is shown.
export function tellPoint(view, index, analysis) {
  const stone = view.stones[index], dead = view.count?.points[index] === "d", candidate = analysis?.candidates.find(({ at }) => indexIn(view, at) === index);
  const what = stone === "." ? openness(view, index) : listed(side(stone), dead && say("dead"));
  const mark = (view.marks ?? []).filter((found) => found.at === index).map((found) => found.text || say(`mark_${found.kind}`));
  announce(listed(shown(view.game, vertexOf(view, index)), what, index === lastOf(view) && say("lastMove"), ...mark, candidate && worth(candidate, analysis.to_move)));
}

export function listen(handlers) {
  on = handlers;
  const board = $("board"), frame = $("frame");
  const point = (event) => {
    const matrix = board.getScreenCTM(), { x: px, y: py } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const x = Math.round((px - LEFT) / CELL), y = Math.round((py - TOP) / CELL);
    const inside = x >= 0 && y >= 0 && x < size.width && y < size.height;
    return { index: inside ? y * size.width + x : -1, pixels: CELL * matrix.a };
  };
  board.addEventListener("pointermove", (event) => { if (event.pointerType !== "touch") on.hover(point(event).index); });
  board.addEventListener("pointerleave", () => on.hover(-1));
  frame.addEventListener("blur", () => on.leave());
  // Only keys bring the focus to the board: after a click arrows walk through the game.
  frame.addEventListener("mousedown", (event) => { event.preventDefault(); document.activeElement?.blur(); });
  // The wheel walks; small steps of a touchpad add up.
  let turned = 0;
  frame.addEventListener("wheel", (event) => {
    if (event.ctrlKey) return;
    event.preventDefault();
    turned += event.deltaY * (event.deltaMode ? 30 : 1);
    const steps = Math.trunc(turned / 60);
    turned -= 60 * steps;
    if (steps) on.walk(Math.sign(steps));
  }, { passive: false });
  board.addEventListener("click", (event) => {
    const { index, pixels } = point(event);
    // A finger is larger than a point of a large board: the first touch aims, the second plays.
    const aims = event.pointerType === "touch" && pixels < 26;
    // Otherwise the second click of a double click is no second move.
    if (index < 0 || (event.detail > 1 && !aims)) return;
    if (aims && aimed !== index) {
      aimed = index;
      on.aim(index);
      return;
    }
    aimed = null;
    on.play(index);
  });
}

function stars() {
  const { width, height } = size;
  if (width !== height || width < 9) return [];
  const edge = width < 13 ? 2 : 3, far = width - 1 - edge, middle = (width - 1) / 2;
  const lines = width % 2 ? (width >= 15 ? [edge, middle, far] : [edge, far]) : [edge, far];
  const points = lines.flatMap((x) => lines.map((y) => [x, y]));
  if (width % 2 && width < 15) points.push([middle, middle]);
  return points.map(([x, y]) => y * width + x);
}

function ground(game) {
  size = { game: game.game, width: game.width, height: game.height };
  const right = LEFT + (size.width - 1) * CELL, bottom = TOP + (size.height - 1) * CELL;
  const [width, height] = [right + 40, bottom + 64];
  const board = $("board");
  board.setAttribute("viewBox", `0 0 ${width} ${height}`);
  board.style.aspectRatio = `${width} / ${height}`;
  const shade = (id, stops) => h("radialGradient", { id, cx: "36%", cy: "30%", r: "78%" }, stops.map(([offset, color]) => h("stop", { offset, "stop-color": color })));
  let lines = "";
  for (let x = 0; x < size.width; x++) lines += `M${LEFT + x * CELL} ${TOP}V${bottom}`;
  for (let y = 0; y < size.height; y++) lines += `M${LEFT} ${TOP + y * CELL}H${right}`;
  const labels = h("g", { class: "labels", "font-size": 20, "text-anchor": "middle" });
  for (let x = 0; x < size.width; x++) labels.append(h("text", { x: LEFT + x * CELL, y: bottom + 54 }, columnName(game.game, x)));
  for (let y = 0; y < size.height; y++) labels.append(h("text", { x: 19, y: TOP + y * CELL + 7 }, String(size.height - y)));
  board.replaceChildren(
    h("defs", {}, shade("sB", [["0", "#6a6e75"], [".45", "#25272b"], ["1", "#060708"]]), shade("sW", [["0", "#ffffff"], [".6", "#f3f1ea"], ["1", "#c9c5b9"]])),
    h("rect", { width, height, fill: "var(--wood)" }),
    h("path", { class: "grid", d: lines, "stroke-width": 1.5 }),
    h("rect", { x: LEFT, y: TOP, width: right - LEFT, height: bottom - TOP, fill: "none", stroke: "var(--grid)", "stroke-width": 2.6 }),
    ...stars().map((index) => { const [cx, cy] = place(index); return h("circle", { class: "star", cx, cy, r: 5 }); }),
    labels, h("g", { id: "under" }), h("g", { id: "stones" }), h("g", { id: "over" }));
}

function disc(index, color, kind, mark) {
  const [cx, cy] = place(index);
  const group = h("g", { class: kind || "stone" }, h("circle", { cx, cy, r: R, fill: `url(#s${color})`, stroke: color === "B" ? "#000" : "#8f8c83", "stroke-width": 1 }));
  if (mark) group.append(h("text", { x: cx, y: cy + 8, "text-anchor": "middle", "font-size": 23, "font-weight": 600, fill: color === "B" ? "#fff" : "#111" }, mark));
  return group;
}

// Colour class of a candidate by its loss against the best.
export function tone(candidate, best, mover) {
  if (candidate.proven) return candidate.proven === mover ? "best" : candidate.proven === "0" ? "fair" : "bad";
  if (candidate === best) return "best";
  const loss = share(mover, best.winrate) - share(mover, candidate.winrate);
  return loss < 0.02 ? "good" : loss < 0.06 ? "fair" : loss < 0.15 ? "poor" : "bad";
}

// Name of a proven result for the side to move.
export const verdict = (proven, mover) => say(proven === "0" ? "draws" : proven === mover ? "wins" : "loses");

// What a candidate is worth for the side to move, in words.
export const worth = (candidate, mover) => (candidate.proven ? verdict(candidate.proven, mover) : `${say("winrate")} ${percent(share(mover, candidate.winrate))}`);

function bubble(candidate, { candidates: [best], to_move: mover, visits, lead: total }) {
  const [cx, cy] = place(indexOf(candidate.at));
  const seen = candidate.visits > 0;
  const text = candidate.proven ? verdict(candidate.proven, mover) : (100 * share(mover, candidate.winrate)).toFixed(0);
  const small = candidate !== best && candidate.visits < visits / 40;
  const lead = candidate.lead ?? (candidate === best ? total : null);
  const under = lead != null ? signed(mover === "B" ? lead : -lead) : seen ? brief(candidate.visits) : say("played");
  const title = pair(shown(size.game, candidate.at), listed(percent(share(mover, candidate.winrate)), `${candidate.visits} ${say("visits")}`, `${say("policy")} ${percent(candidate.prior)}`));
  return h("g", { class: `candidate ${tone(candidate, best, mover)} ${small ? "far" : ""}`, "data-at": candidate.at },
    h("circle", { cx, cy, r: small ? 20 : 27, fill: "var(--c)", stroke: candidate === best ? "#fff" : "none", "stroke-width": 3 }),
    h("text", { x: cx, y: small ? cy + 6 : cy + 1, "text-anchor": "middle", "font-size": small ? (text.length > 2 ? 12 : 16) : text.length > 3 ? 15 : 21, "font-weight": 650 }, text),
    !small && h("text", { x: cx, y: cy + 18, "text-anchor": "middle", "font-size": 14 }, under),
    h("title", {}, title));
}

const square = (index, side, fill, opacity) => {
  const [x, y] = place(index);
  return h("rect", { x: x - side / 2, y: y - side / 2, width: side, height: side, rx: 3, fill, "fill-opacity": opacity });
};

// Marks over and under the stones, by the selected layer.
const LAYERS = {
  candidates({ view, analysis, over }) {
    if (!analysis) return;
    const list = analysis.candidates.filter((c) => indexOf(c.at) >= 0);
    for (const c of [...list].reverse()) if (view.stones[indexOf(c.at)] === ".") over.push(bubble(c, analysis));
  },
  policy({ view, analysis, over }) {
    if (!analysis) return;
    const most = Math.max(1, ...analysis.policy);
    analysis.policy.slice(0, -1).forEach((value, index) => {
      if (value < 5 || view.stones[index] !== ".") return;
      const [x, y] = place(index);
      over.push(square(index, 52, "var(--best)", 0.16 + (0.78 * value) / most),
        h("text", { x, y: y + 6, "text-anchor": "middle", "font-size": 16, "font-weight": 600, fill: value / most > 0.4 ? "#fff" : "#111" }, (value / 10).toFixed(value < 100 ? 1 : 0)));
    });
  },
  territory({ view, analysis, over }) {
    const count = view.count;
    if (count) {
      [...count.points].forEach((fate, index) => {
        const color = fate === "B" || fate === "W" ? fate : fate === "d" ? (view.stones[index] === "B" ? "W" : "B") : null;
        if (color) over.push(square(index, 22, color === "B" ? "var(--black-owns)" : "var(--white-owns)", 0.92));
      });
      return;
    }
    (analysis?.owners || []).forEach((value, index) => {
      if (Math.abs(value) < 12) return;
      over.push(square(index, 8 + (26 * Math.abs(value)) / 100, value > 0 ? "var(--black-owns)" : "var(--white-owns)", 0.85));
    });
  },
  legal({ view, under }) {
    [...view.legal].forEach((bits, index) => {
      if (view.stones[index] !== ".") return;
      const [x, y] = place(index), dot = (dx, color) => h("circle", { cx: x + dx, cy: y, r: 11, fill: color === "B" ? "#111" : "#fff", stroke: "#555", "stroke-width": 1 });
      if (bits === "1") under.push(dot(0, "B"));
      else if (bits === "2") under.push(dot(0, "W"));
      else if (bits === "3") under.push(dot(-11, "B"), dot(11, "W"));
      else under.push(h("path", { d: `M${x - 12} ${y - 12}l24 24m0 -24l-24 24`, stroke: "var(--bad)", "stroke-width": 5, "stroke-linecap": "round" }));
    });
  },
  // The numbers of the moves on their stones.
  numbers({ view, path, over }) {
    const moves = path.filter(({ at }) => at), numbers = new Map(moves.map(({ at, color }, place) => [indexOf(at), [color, place + 1]]));
    for (const [index, [color, number]] of numbers) {
      if (index < 0 || view.stones[index] !== color) continue;
      const [x, y] = place(index);
      over.push(h("text", { x, y: y + 8, "text-anchor": "middle", "font-size": number > 99 ? 20 : 24, "font-weight": 600, fill: color === "B" ? "#fff" : "#111" }, String(number)));
    }
  },
  none() {},
};
export const LAYER_NAMES = Object.keys(LAYERS);

// The stones of a line, numbered.
function numbered(line, first) {
  const colors = first === "B" ? "BW" : "WB", spots = line.map((at, number) => [indexOf(at), number]);
  return spots.filter(([index]) => index >= 0).map(([index, number]) => disc(index, colors[number % 2], "stone", String(number + 1)));
}

// Points where the side to move may not play though they are empty: of games in which that is rare.
const isForbidden = (view, index) => view.game === "gomoku" && !view.end && view.stones[index] === "." && view.legal && !(Number(view.legal[index]) & (view.to_move === "B" ? 1 : 2));

const cross = (index, color, arm = 9, width = 3) => {
  const [x, y] = place(index);
  return h("path", { d: `M${x - arm} ${y - arm}l${2 * arm} ${2 * arm}m0 ${-2 * arm}l${-2 * arm} ${2 * arm}`, stroke: color, "stroke-width": width, "stroke-linecap": "round" });
};

// The stones of the rows that have won.
function five(view) {
  if (view.game !== "gomoku" || view.end?.why !== "rules") return [];
  const last = indexOf(view.last), color = view.stones[last], won = [];
  if (!color || color === ".") return [];
  for (const [dx, dy] of [[1, 0], [0, 1], [1, 1], [1, -1]]) {
    const row = [last];
    for (const way of [-1, 1]) {
      for (let x = (last % size.width) + way * dx, y = Math.floor(last / size.width) + way * dy; x >= 0 && y >= 0 && x < size.width && y < size.height && view.stones[y * size.width + x] === color; x += way * dx, y += way * dy) row.push(y * size.width + x);
    }
    if (row.length >= 5) won.push(...row);
  }
  return won;
}

// Marks of the file.
function mark({ kind, at, to, text }, view) {
  const [x, y] = place(at), stone = view.stones[at], ink = stone === "B" ? "#fff" : "#111", line = { fill: "none", stroke: ink, "stroke-width": 4 };
  const under = stone === "." && h("circle", { cx: x, cy: y, r: 17, fill: "var(--wood)" });
  switch (kind) {
    case "triangle": return [under, h("path", { ...line, d: `M${x} ${y - 15}l14 24h-28z` })];
    case "square": return [under, h("rect", { ...line, x: x - 11, y: y - 11, width: 22, height: 22 })];
    case "circle": return [under, h("circle", { ...line, cx: x, cy: y, r: 13 })];
    case "cross": return [under, cross(at, ink, 11, 4)];
    case "selected": return [h("rect", { x: x - 9, y: y - 9, width: 18, height: 18, fill: "var(--best)" })];
    case "black": case "white": return [square(at, 20, kind === "black" ? "var(--black-owns)" : "var(--white-owns)", 0.9)];
    case "dim": return [square(at, CELL, "#000", 0.25)];
    case "label": return [under, h("text", { x, y: y + 9, "text-anchor": "middle", "font-size": text.length > 2 ? 17 : 25, "font-weight": 650, fill: ink }, text.slice(0, 4))];
    default: {
      const [u, v] = place(to), angle = Math.atan2(v - y, u - x), head = (turn) => `L${u - 18 * Math.cos(angle + turn)} ${v - 18 * Math.sin(angle + turn)}`;
      return [h("path", { fill: "none", stroke: "var(--best)", "stroke-width": 5, d: `M${x} ${y}L${u} ${v}` + (kind === "arrow" ? `M${u} ${v}${head(0.5)}M${u} ${v}${head(-0.5)}` : "") })];
    }
  }
}

// Draws a position: `line` is shown as numbered stones on the board, `ghost` is the point under the mouse,
// `cursor` that of the keyboard, `path` has the moves to the position.
export function draw({ view, analysis, layer, path, line, ghost, aim, cursor, hint, open, next }) {
  if (view.width !== size.width || view.height !== size.height || view.game !== size.game || !$("stones")) ground(view);
  $("board").classList.toggle("open", Boolean(open));
  $("frame").setAttribute("aria-label", `${say("boardOf", { game: say(view.game), size: `${view.width}×${view.height}` })} ${view.last ? ended(pair(say("lastMove"), shown(view.game, view.last))) : ""}`);
  const under = [], over = [], last = indexOf(view.last), dead = (index) => view.count?.points[index] === "d";
  const stones = [...view.stones].flatMap((color, index) => (color === "." ? [] : [disc(index, color, dead(index) ? "stone dead" : "stone")]));
  if (last >= 0 && view.stones[last] !== "." && (layer !== "numbers" || line)) {
    const [cx, cy] = place(last);
    over.push(h("circle", { cx, cy, r: 11, fill: "none", stroke: view.stones[last] === "B" ? "#fff" : "#111", "stroke-width": 4 }));
  }
  for (const index of five(view)) {
    const [cx, cy] = place(index);
    over.push(h("circle", { class: "won", cx, cy, r: R - 3, fill: "none", "stroke-width": 5 }));
  }
  [...view.stones].forEach((_, index) => { if (isForbidden(view, index)) under.push(h("g", { class: "forbidden" }, cross(index, "var(--bad)"))); });
  if (line) over.push(...numbered(line, view.to_move));
  else {
    over.push(...(view.marks ?? []).flatMap((found) => mark(found, view)).filter(Boolean));
    LAYERS[layer]({ view, analysis, path, under, over });
    if (next && indexOf(next.at) >= 0 && view.stones[indexOf(next.at)] === ".") {
      const [cx, cy] = place(indexOf(next.at));
      over.push(h("circle", { cx, cy, r: R, fill: "none", stroke: next.color === "B" ? "#000" : "#fff", "stroke-width": 3, "stroke-dasharray": "7 6" }));
    }
    if (hint && indexOf(hint) >= 0) {
      const [cx, cy] = place(indexOf(hint));
      over.push(h("circle", { class: "hint", cx, cy, r: R - 2, fill: "none", stroke: "var(--best)", "stroke-width": 6 }));
    }
    const pointed = aim >= 0 ? aim : ghost;
    if (open && pointed >= 0 && view.stones[pointed] === ".") over.push(disc(pointed, view.to_move, aim >= 0 ? "aim" : "ghost"));
  }
  if (cursor >= 0) over.push(h("g", { class: "cursor" }, square(cursor, 54, "none", 0)));
  patch($("under"), under);
  patch($("stones"), stones);
  patch($("over"), over);
}
