// The page: one store, one draw. A host answers commands: `tengen board`, or the page itself if it is a
// file (local.js).
import * as board from "./board.js";
import { $, h, patch, recall, remember, toast } from "./dom.js";
import * as graph from "./graph.js";
import * as panels from "./panels.js";
import * as reviews from "./review.js";
import { label, refusal, say, switchLanguage } from "./words.js";

export const store = { view: null, since: 0, tree: { root: null, nodes: [] }, analysis: null, progress: null, review: null, reviewed: [] };
const look = { layer: recall("layer") || "candidates", tab: "", ghost: -1, aim: -1, line: null };
let host = null, drawing = false, pressed = false;

// Nodes from the beginning to the shown position, continued along first variations.
export function currentLine() {
  const byId = new Map(store.tree.nodes.map((node) => [node.id, node])), first = new Map();
  for (const node of store.tree.nodes) if (!first.has(node.parent)) first.set(node.parent, node);
  const line = [];
  for (let at = byId.get(store.view.current); at; at = byId.get(at.parent)) line.unshift(at);
  for (let next = first.get(store.view.current); next; next = first.get(next.id)) line.push(next);
  return [{ id: 0, eval: store.tree.root, at: null }, ...line];
}

async function send(command) {
  const refused = await host.send(command);
  if (refused) toast(refusal(refused));
  return !refused;
}

const moveNumber = (line) => line.findIndex((node) => node.id === store.view.current);
const go = (node) => node != null && node !== store.view.current && send({ do: "go", node });
function step(by) {
  const line = currentLine(), at = moveNumber(line);
  return go(line[Math.max(0, Math.min(line.length - 1, at + by))].id);
}

// The evaluation of the shown position, by a search or the review.
function analysis() {
  const { view, analysis: found } = store;
  if (found && found.node === view.current) return found;
  const place = store.reviewed.indexOf(view.current);
  return place < 0 ? null : reviews.asAnalysis(reviews.positionAt(store.review, place), view.current);
}

// The kinds of marks that there are for this game.
const layers = () => (host.layers ?? board.LAYER_NAMES).filter((name) => (name !== "territory" || store.view.scores) && (name !== "legal" || store.view.legal));
const thinking = () => store.view.task === "move";

function draw() {
  drawing = false;
  const { view } = store;
  if (!view || pressed) return;
  const line = currentLine(), at = moveNumber(line), found = analysis(), server = host.live;
  const open = !view.end && !thinking() && server;
  $("what").textContent = `${say(view.game)} ${view.width}×${view.height}` + (view.scores ? ` · ${view.rules} · ${say("komi")} ${view.komi}` : view.rules && view.game !== "nogo" ? ` · ${view.rules}` : "");
  const chosen = layers().includes(look.layer) ? look.layer : "candidates";
  const layer = view.count && chosen === "candidates" && (view.end || !view.analysing) ? "territory" : chosen;
  board.draw({ view, analysis: found, layer, line: look.line, ghost: look.ghost, aim: look.aim, open: open || view.count, next: !server || store.reviewed.includes(view.current) ? line[at + 1] : null });
  panels.players(view, store.since);
  panels.plan(view, store.since);
  panels.status(view, found);
  const marks = store.review && line[1] && store.reviewed[1] === line[1].id ? reviews.marks(store.review) : [];
  graph.draw({ line, now: view.current, scores: view.scores, marks });
  drawBars(view, line, at);
  drawPanel(view, found, at);
}

function drawBars(view, line, at) {
  Object.assign($("slider"), { max: line.length - 1, value: at });
  $("first").disabled = $("back").disabled = at <= 0;
  $("next").disabled = $("last").disabled = at >= line.length - 1;
  $("engine").textContent = say(thinking() ? "moveNow" : "engineMove");
  $("engine").disabled = Boolean(view.end);
  $("analyse").setAttribute("aria-pressed", String(view.analysing));
  $("pass").hidden = $("count").hidden = !view.passes;
  $("pass").disabled = Boolean(view.end) || thinking();
  $("undo").disabled = view.current === 0;
  $("resign").disabled = Boolean(view.end);
  const choose = (name) => h("button", { role: "radio", "aria-checked": String(look.layer === name), "data-layer": name, onclick: () => show(name) }, say(name));
  patch($("layers"), layers().map(choose));
}

function drawPanel(view, found, at) {
  const tab = (name) => h("button", { role: "tab", "aria-selected": String(look.tab === name), "data-tab": name, onclick: () => { look.tab = name; redraw(); } }, say(name));
  patch($("tabs"), host.tabs.map(tab));
  const panel = $("panel"), shared = { view, send, server: host.live, hover };
  if (panel.dataset.tab !== look.tab) panel.replaceChildren();
  panel.dataset.tab = look.tab;
  if (look.tab === "analysis") panels.candidates(panel, { ...shared, analysis: found, play: playLine });
  else if (look.tab === "moves") panels.moves(panel, { ...shared, nodes: store.tree.nodes, go });
  else {
    const goto = (moves) => go(store.reviewed[moves]);
    const play = async (moves, line) => { if (store.reviewed[moves] === store.view.current || (await goto(moves))) await send({ do: "line", moves: line, node: store.reviewed[moves] }); };
    reviews.draw(panel, { ...shared, review: store.review, progress: store.progress, moves: store.reviewed.indexOf(view.current), goto, play });
  }
}

export function redraw() {
  if (drawing || pressed) return;
  drawing = true;
  requestAnimationFrame(draw);
}

function hover(line) {
  if (look.still && line) return;
  look.line = line;
  redraw();
}

// After a click other lines may be under the mouse: they are shown once it moves.
const playLine = (moves) => { Object.assign(look, { line: null, still: true }); return send({ do: "line", moves, node: store.view.current }); };

function show(name) {
  look.layer = name;
  remember("layer", name);
  redraw();
}

export const act = {
  back: () => step(-1), next: () => step(1), first: () => step(-1e6), last: () => step(1e6),
  engine: () => send({ do: thinking() ? "hurry" : "move" }),
  analyse: () => send({ do: "analyse", on: !store.view.analysing }),
  pass: () => store.view.passes && send({ do: "play", at: "pass", node: store.view.current }),
  undo: () => send({ do: "undo" }),
  count: () => send({ do: "count" }),
  resign: () => send({ do: "resign" }),
  layer: () => { const names = layers(); show(names[(names.indexOf(look.layer) + 1) % names.length]); },
  escape: () => { Object.assign(look, { line: null, aim: -1 }); redraw(); },
  mistake: (way) => {
    const at = store.reviewed.indexOf(store.view.current), bad = reviews.mistakes(store.review);
    const found = way > 0 ? bad.find((moves) => moves > at) : bad.reverse().find((moves) => moves < at);
    if (found != null) go(store.reviewed[found]);
  },
};

const KEYS = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", " ": "engine", a: "analyse", p: "pass", u: "undo", l: "layer", Escape: "escape" };

// Between press and release nothing is redrawn: the element under the pointer stays what was pressed, and
// browsers drop the click on one that is gone. Graph and sliders follow the pointer.
function listenToPresses() {
  const set = (value) => { pressed = value; if (!value) redraw(); };
  addEventListener("pointerdown", (event) => set(!event.target.closest?.("#graph, input")), true);
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => setTimeout(() => set(false)), true);
  // The button was released where this page could not see it.
  addEventListener("pointermove", (event) => { if (pressed && !event.buttons) set(false); }, true);
}

function listenToKeys() {
  addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("textarea, select, input:not([type=range]), dialog[open]") || ([" ", "Enter"].includes(event.key) && event.target.closest?.("button"));
    if (event.ctrlKey || event.metaKey || event.altKey || typing || !store.view) return;
    const name = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    const live = ["engine", "analyse", "pass", "undo"].includes(name);
    if (event.key.toLowerCase() === "n") act.mistake(event.shiftKey ? -1 : 1);
    else if (!name || (live && !host.live)) return;
    else if (name === "engine" && event.repeat) return;
    else act[name]();
    event.preventDefault();
  });
}

export function help() {
  const keys = [["← →", "kWalk"], ["Home End", "kEnds"], ["Space", "kSpace"], ["A", "kA"], ["P", "kP"], ["U", "kU"], ["L", "kL"], ["N", "kN"], ["Esc", "kEsc"]];
  const dialog = $("dialog");
  dialog.replaceChildren(h("h2", {}, say("helpTitle")),
    h("table", {}, keys.filter(([, key]) => host.live || !["kSpace", "kA", "kP", "kU"].includes(key)).map(([name, key]) => h("tr", {}, h("td", {}, name.split(" ").map((k) => [h("kbd", {}, k), " "])), h("td", { class: "text" }, say(key))))),
    host.live && h("p", { class: "note" }, say("helpText")),
    h("div", { class: "ends" }, h("button", { class: "main", onclick: () => dialog.close() }, say("close"))));
  dialog.showModal();
}

export function begin(chosen) {
  host = chosen;
  look.tab = host.tabs[0];
  if (!host.live) {
    for (const element of document.querySelectorAll(".server")) element.hidden = true;
  }
  board.listen({
    play: (index) => {
      look.aim = -1;
      const at = board.vertexOf(index);
      // A candidate can be played by a click like any point; so can the first point of a line.
      if (host.live && !thinking()) send({ do: "play", at, node: store.view.current });
    },
    hover: (index) => {
      if (index === look.ghost) return;
      look.ghost = index;
      // Hovering over a candidate shows its line.
      const shown = index >= 0 && look.layer === "candidates" && analysis()?.candidates.find((c) => c.at === board.vertexOf(index));
      hover(shown && shown.pv.length > 1 ? shown.pv : null);
    },
    aim: (index) => { look.aim = index; redraw(); },
  });
  graph.listen(go);
  for (const id of ["first", "back", "next", "last", "engine", "analyse", "pass", "undo", "count", "resign"]) $(id).addEventListener("click", () => act[id]());
  $("slider").addEventListener("input", (event) => go(currentLine()[Number(event.target.value)]?.id));
  $("language").addEventListener("click", () => { switchLanguage(); label(); redraw(); });
  $("help").addEventListener("click", help);
  addEventListener("resize", redraw);
  listenToPresses();
  listenToKeys();
  addEventListener("pointermove", (event) => { if (event.movementX || event.movementY) look.still = false; }, true);
  // After a mouse click the next key applies to the board.
  addEventListener("pointerup", (event) => { if (!event.target.closest?.("dialog")) event.target.closest?.("button")?.blur(); });
  // Running clocks are redrawn; nothing else needs the time.
  setInterval(() => { if (pressed || !store.view) return;
    if (store.view.clocks.some((clock) => clock?.running)) panels.players(store.view, store.since);
    if (store.view.plan) panels.plan(store.view, store.since);
  }, 100);
  label();
}
