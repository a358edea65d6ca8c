// The page: one store, one draw. A host answers commands: `tengen board`, or the page itself if it is a
// file (local.js).
import * as board from "./board.js";
import * as book from "./book.js";
import { $, enable, follow, h, keepFocus, options, patch, placeToast, recall, remember, toast } from "./dom.js";
import * as edit from "./edit.js";
import { pathTo, sibling } from "./gametree.js";
import * as graph from "./graph.js";
import { announce, click, tell, tellChange } from "./heard.js";
import { listenToKeys } from "./keys.js";
import * as learn from "./learn.js";
import { indexOf, typed, vertexOf } from "./names.js";
import * as panels from "./panels.js";
import * as picture from "./picture.js";
import * as reviews from "./review.js";
import { currentLine, isPlaying, store } from "./store.js";
import { label, refusal, say, switchLanguage } from "./words.js";


const look = { layer: recall("layer") || "candidates", tab: "", ghost: -1, aim: -1, cursor: -1, line: null, node: null, hint: null, evaluation: recall("evaluation") === "on", sound: recall("sound") !== "off" };
let host = null, drawing = false, pressed = false, slider = null;

async function send(command) {
  const refused = await host.send(command);
  if (refused) toast(refusal(refused));
  return !refused;
}

const placeIn = (line) => line.findIndex((node) => node.id === store.view.current);
// The number of moves up to here: there are nodes without one.
const played = () => pathTo(store.tree, store.view.current).filter((node) => node.at).length;
const go = (node) => node != null && node !== store.view.current && send({ do: "go", node });
function step(by) {
  const line = currentLine(), at = placeIn(line);
  return go(line[Math.max(0, Math.min(line.length - 1, at + by))].id);
}

// The position as it is shown: with the stones that are being set up, of which no rules are known.
const shownView = () => (edit.isOn() ? { ...store.view, stones: edit.stones(store.view), legal: "" } : store.view);

// The evaluation of the shown position, by a search or the review.
function analysis() {
  const { view, analysis: found } = store, place = store.reviewed.indexOf(view.current);
  const reviewed = place < 0 ? null : reviews.asAnalysis(reviews.positionAt(store.review, place), view.current);
  if (!found || found.node !== view.current) return reviewed;
  // The move that was played, with the value of the position after it, where the search has not visited it.
  const played = reviewed?.candidates.find((one) => one.visits === 0 && !found.candidates.some((other) => other.at === one.at));
  return played ? { ...found, candidates: [...found.candidates, played] } : found;
}

// The kinds of marks that there are for this game.
const layers = () => (host.layers ?? board.LAYER_NAMES).filter((name) => (name !== "territory" || store.view.scores) && (name !== "legal" || store.view.legal));
const chosenLayer = () => (layers().includes(look.layer) ? look.layer : "candidates");
const choosing = () => Boolean(store.view.choosing);

// Whether what the search thinks is kept from a person who plays or learns. Reviewed positions may be looked back at.
function isHidden() {
  const { view } = store, isPlayed = host.live && isPlaying(view) && (view.current === view.live || !store.reviewed.includes(view.current));
  return learn.isOpen() || (isPlayed && !look.evaluation && (look.hinting || !view.analysing));
}

// What can be done now; a key does what its button may.
export function can(name) {
  const { view } = store;
  if (!view) return false;
  const over = Boolean(view.end), learning = learn.isOn() || edit.isOn();
  switch (name) {
    case "engine": return host.live && !over && !learning;
    case "pass": return host.live && view.passes && !over && !choosing() && !learning;
    case "count": return host.live && view.scores && !learning;
    case "resign": return host.live && !over && (view.terms?.players ?? []).includes("human") && !learning;
    case "undo": return host.live && (view.current !== 0 || ["resignation", "time"].includes(view.end?.why)) && !learning;
    case "analyse": return host.live && !learning;
    case "hint": return host.live && view.end?.why !== "rules" && !learning;
    case "rematch": return host.live && over && view.current === view.live && view.terms?.players.includes("human");
    case "takeBack": return host.live && Boolean(view.step);
    case "doAgain": return host.live && Boolean(view.undone);
    default: return true;
  }
}

function draw() {
  drawing = false;
  const { view } = store;
  if (!view || pressed) return;
  if (look.node !== view.current) {
    // A line that was shown belongs to another position; another may be under the mouse now.
    Object.assign(look, { node: view.current, line: null, hint: null, still: true });
    learn.moved(view.current);
  }
  const keep = keepFocus();
  tell(view, store.tree, look.sound);
  const line = currentLine(), at = placeIn(line), hidden = isHidden(), found = hidden ? null : analysis(), server = host.live;
  const open = !view.end && !choosing() && server;
  panels.title(view);
  const chosen = chosenLayer();
  const layer = view.count && chosen === "candidates" && (view.end || !view.analysing) ? "territory" : chosen;
  const next = learn.isOpen() ? null : !server || store.reviewed.includes(view.current) ? line[at + 1] : null;
  board.draw({ view: shownView(), analysis: edit.isOn() ? null : found, layer, path: pathTo(store.tree, view.current), line: learn.line() ?? look.line, ghost: look.ghost, aim: look.aim, cursor: look.cursor, hint: look.hint, open: (open || view.count) && !edit.isMarking(), next });
  panels.bar(view, hidden ? null : found ?? line[at]?.eval);
  panels.players(view, store.since, host.players);
  panels.plan(view, store.since);
  panels.remark(view, learn.isOpen());
  if (server) panels.collection(view, store.titles, send);
  panels.status(view, found, look.aim >= 0 && aimed());
  panels.tellBest(view, found);
  tellReview(view);
  $("graph").toggleAttribute("hidden", hidden);
  $("graph").setAttribute("aria-label", say("graph"));
  if (!hidden) graph.draw({ line, now: view.current, scores: view.scores, marks: reviews.marks(store.review, line, store.reviewed) });
  drawBars(view, line, at);
  drawPanel(view, found, hidden);
  placeToast();
  keep();
}

const aimed = () => say("aimed", { at: board.nameOf(store.view, vertexOf(store.view, look.aim)) });

// Says how a review gets on, and what was wrong with a move of it.
function tellReview({ reviewing, current, game }) {
  const { review, progress, reviewed } = store, found = learn.isOn() ? null : reviews.positionAt(review, reviewed.indexOf(current));
  const [done, all] = (reviewing && progress) || [0, 0];
  tellChange("review", all ? Math.floor((4 * done) / all) : "", say("reviewing", { done, all }));
  const wrong = Boolean(found) && reviews.isWrong(found);
  tellChange("mistake", wrong ? current : "", wrong && reviews.words(review, found, game));
}

function drawBars(view, line, at) {
  Object.assign($("slider"), { max: line.length - 1, ...(slider.isHeld() ? {} : { value: at }) });
  $("slider").setAttribute("aria-valuetext", `${say("move")} ${played()}`);
  for (const name of ["first", "back"]) enable($(name), at > 0);
  for (const name of ["next", "last"]) enable($(name), at < line.length - 1);
  $("engine").textContent = say(choosing() ? "moveNow" : "engineMove");
  for (const name of ["analyse", "evaluation"]) $(name).setAttribute("aria-pressed", String(name === "analyse" ? view.analysing : look.evaluation));
  $("pass").hidden = !view.passes;
  $("count").hidden = !view.scores;
  for (const name of ["engine", "pass", "count", "resign", "undo", "hint", "analyse"]) enable($(name), can(name));
  $("rematch").hidden = !can("rematch");
  $("resign").hidden = can("rematch");
  $("evaluation").hidden = !host.live || !isPlaying(view);
  for (const name of ["takeBack", "doAgain"]) $(name).hidden = !can(name);
  if (view.step) $("takeBack").title = say(`step_${view.step}`);
  $("sound").setAttribute("aria-pressed", String(look.sound));
  patch($("layers"), options("layer", layers(), chosenLayer(), show, say));
}

function drawPanel(view, found, hidden) {
  const tabs = view.book ? [...host.tabs, "book"] : host.tabs;
  if (!tabs.includes(look.tab)) look.tab = tabs[0];
  patch($("tabs"), options("tab", tabs, look.tab, choose, say));
  const panel = $("panel"), shared = { view, send, server: host.live, save: host.save, hover };
  panel.setAttribute("aria-labelledby", `tab-${look.tab}`);
  if (panel.dataset.tab !== look.tab) panel.replaceChildren();
  panel.dataset.tab = look.tab;
  if (look.tab === "analysis") panels.candidates(panel, { ...shared, analysis: found, hidden, play: playLine });
  else if (look.tab === "book") book.draw(panel, { view, hidden, hover, play });
  else if (look.tab === "moves") panels.moves(panel, { ...shared, tree: store.tree, go, hidden: learn.isOpen(), edit: host.live && !learn.isOn() && edit.tools(), picture: host.live && (() => picture.save(`${view.game}-${played()}.png`)) });
  else {
    const goto = (moves) => go(store.reviewed[moves]);
    const play = async (moves, line) => { if (store.reviewed[moves] === store.view.current || (await goto(moves))) await send({ do: "line", moves: line, node: store.reviewed[moves] }); };
    if (learn.isOn()) learn.draw(panel);
    else patch(panel, reviews.parts({ ...shared, review: store.review, progress: store.progress, moves: store.reviewed.indexOf(view.current), goto, play, learn: store.review && host.live && learn.buttons() }));
  }
}

export function redraw() {
  if (drawing || pressed) return;
  drawing = true;
  requestAnimationFrame(draw);
}

export function choose(tab) {
  look.tab = tab;
  edit.stopMarking();
  redraw();
}

function hover(line) {
  if (look.still && line) return;
  look.line = line;
  redraw();
}

const playLine = (moves) => send({ do: "line", moves, node: store.view.current });

function show(name) {
  look.layer = name;
  remember("layer", name);
  redraw();
}

// A move of a person, or an attempt at a better one.
export function play(at) {
  look.aim = -1;
  if (!host.live) return;
  if (edit.isOn()) {
    if (at === "pass") return;
    edit.click(indexOf(store.view, at));
    return board.tellPoint(shownView(), indexOf(store.view, at));
  }
  if (edit.isMarking()) return at !== "pass" && edit.mark(indexOf(store.view, at));
  if (learn.isOpen()) return learn.attempt(at);
  // A click on a count changes which stones are dead.
  if (store.view.count && at !== "pass" && board.stoneAt(store.view, at) !== ".") return send({ do: "mark_dead", at, node: store.view.current });
  return send({ do: "play", at, node: store.view.current });
}

// Plays what was typed: a point such as D4, or a pass; several are a line.
function playTyped(text) {
  const words = text.trim().split(/[\s,;]+/), moves = words.map((word) => typed(store.view, word)), wrong = moves.indexOf(null);
  if (wrong >= 0) return toast(say("noPoint", { text: words[wrong] }));
  $("typed").value = "";
  return moves.length > 1 ? playLine(moves) : play(moves[0]);
}

// The best move after a short search at full strength.
async function hint() {
  const node = store.view.current, analysed = store.view.analysing;
  look.hinting = !analysed;
  if (!analysed) await send({ do: "analyse", on: true });
  for (let turn = 0; turn < 40 && store.view.current === node; turn++) {
    const found = store.analysis?.node === node ? store.analysis : null;
    // The end of a search for a move says little: it was perhaps drawn.
    if (found && ((found.done ? found.task !== "move" : found.visits >= 300) || turn > 25)) { look.hint = found.candidates[0]?.at ?? null; break; }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  if (!analysed) await send({ do: "analyse", on: false });
  look.hinting = false;
  if (look.hint) toast(say("hintIs", { at: board.nameOf(store.view, look.hint) }));
  redraw();
}

export const act = {
  back: () => step(-1), next: () => step(1), first: () => step(-1e6), last: () => step(1e6),
  up: () => go(sibling(store.tree, store.view.current, -1)), down: () => go(sibling(store.tree, store.view.current, 1)),
  engine: () => send({ do: choosing() ? "hurry" : "move" }),
  analyse: () => send({ do: "analyse", on: !store.view.analysing }),
  pass: () => play("pass"),
  undo: () => send({ do: "undo" }),
  takeBack: async () => {
    const { step } = store.view;
    if ((await send({ do: "take_back" })) && step === "replaced") toast(say("step_replaced"), { button: { word: say("doAgain"), act: act.doAgain } });
  },
  doAgain: () => send({ do: "do_again" }),
  count: () => send({ do: "count" }),
  resign: () => send({ do: "resign" }),
  hint,
  evaluation: () => { look.evaluation = !look.evaluation; remember("evaluation", look.evaluation ? "on" : "off"); draw(); announce(look.evaluation ? $("evalbar").title : say("isHidden")); },
  sound: () => { look.sound = !look.sound; remember("sound", look.sound ? "on" : "off"); if (look.sound) click(); redraw(); },
  rematch: () => {
    const { terms } = store.view;
    return send({ do: "new", terms: { ...terms, players: [...terms.players].reverse(), names: [...terms.names].reverse() } });
  },
  layer: () => { const names = layers(); show(names[(names.indexOf(chosenLayer()) + 1) % names.length]); announce(say(look.layer)); },
  escape: () => { edit.stopMarking(); Object.assign(look, { line: null, aim: -1, hint: null }); redraw(); },
  type: () => $("typed").focus(),
  cursor: (dx, dy) => {
    const { width, height } = store.view, last = board.lastOf(store.view);
    const from = look.cursor >= 0 ? look.cursor : last >= 0 ? last : Math.floor(height / 2) * width + Math.floor(width / 2);
    const first = look.cursor < 0 && !dx && !dy, clamp = (value, most) => Math.max(0, Math.min(most - 1, value));
    look.cursor = first ? from : clamp(Math.floor(from / width) + dy, height) * width + clamp((from % width) + dx, width);
    board.tellPoint(shownView(), look.cursor, !edit.isOn() && !isHidden() && chosenLayer() === "candidates" ? analysis() : null);
    redraw();
  },
  leave: () => { look.cursor = -1; redraw(); },
  place: () => look.cursor >= 0 && play(vertexOf(store.view, look.cursor)),
  mistake: (way) => {
    const path = [{ id: 0 }, ...pathTo(store.tree, store.view.current)];
    const at = Math.max(...path.map(({ id }) => store.reviewed.indexOf(id))), bad = reviews.mistakes(store.review);
    const found = way > 0 ? bad.find((moves) => moves > at) : bad.reverse().find((moves) => moves < at);
    if (found != null) go(store.reviewed[found]);
  },
};

// Between press and release nothing is redrawn: the element under the pointer stays what was pressed, and
// browsers drop the click on one that is gone. Graph and sliders follow the pointer.
function listenToPresses() {
  const set = (value) => { pressed = value; if (!value) redraw(); };
  addEventListener("pointerdown", (event) => set(!event.target.closest?.("#graph, input")), true);
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => setTimeout(() => set(false)), true);
  // The button was released where this page could not see it.
  addEventListener("pointermove", (event) => { if (pressed && !event.buttons) set(false); }, true);
}

export function help() {
  const keys = [["← →", "kWalk"], ["↑ ↓", "kVariations"], ["Home End", "kEnds"], ["Space", "kSpace"], ["A", "kA"], ["H", "kH"], ["P", "kP"], ["U", "kU"], ["Ctrl+Z", "kZ"], ["Ctrl+Y", "kY"], ["B", "kB"], ["M", "kM"], ["L", "kL"], ["N Shift+N", "kN"], ["Esc", "kEsc"]];
  const dialog = $("dialog"), live = ["kSpace", "kA", "kH", "kP", "kU", "kZ", "kY", "kB", "kM"];
  dialog.setAttribute("aria-label", say("helpTitle"));
  dialog.replaceChildren(h("h2", {}, say("helpTitle")),
    h("table", {}, keys.filter(([, key]) => host.live || !live.includes(key)).map(([name, key]) => h("tr", {}, h("td", {}, name.split(" ").map((k) => [h("kbd", {}, k), " "])), h("td", { class: "text" }, say(key))))),
    host.live && h("p", { class: "note" }, say("helpText"), " ", say("helpTouch")),
    h("div", { class: "ends" }, h("button", { class: "main", onclick: () => dialog.close() }, say("close"))));
  dialog.showModal();
}

export function begin(chosen) {
  host = chosen;
  look.tab = host.tabs[0];
  for (const element of document.querySelectorAll(".server")) element.hidden = !host.live;
  learn.begin({ send, go, redraw });
  edit.begin({ send, redraw });
  board.listen({
    play: (index) => play(vertexOf(store.view, index)),
    hover: (index) => {
      if (index === look.ghost) return;
      look.ghost = index;
      // Hovering over a candidate shows its line.
      const found = index >= 0 && look.layer === "candidates" && !isHidden() && analysis()?.candidates.find((c) => c.at === vertexOf(store.view, index));
      hover(found && found.pv.length > 1 ? found.pv : null);
    },
    aim: (index) => { look.aim = index; announce(aimed()); redraw(); },
    walk: (by) => step(by),
    leave: act.leave,
  });
  graph.listen(go);
  for (const id of ["first", "back", "next", "last", "engine", "analyse", "pass", "undo", "count", "resign", "hint", "rematch", "evaluation", "takeBack", "doAgain", "sound"]) $(id).addEventListener("click", () => can(id) && act[id]());
  const walk = () => go(currentLine()[Number($("slider").value)]?.id);
  slider = follow($("slider"), walk);
  $("slider").addEventListener("input", () => slider.acts() && walk());
  $("say").addEventListener("submit", (event) => { event.preventDefault(); playTyped($("typed").value); });
  $("language").addEventListener("click", () => { switchLanguage(); label(); redraw(); });
  $("help").addEventListener("click", help);
  addEventListener("resize", redraw);
  addEventListener("beforeprint", () => store.view && panels.sheet(store.view, pathTo(store.tree, store.view.current)));
  listenToPresses();
  listenToKeys(act, can);
  addEventListener("pointermove", (event) => { if (event.movementX || event.movementY) look.still = false; }, true);
  // After a mouse click the next key applies to the board.
  addEventListener("pointerup", (event) => { if (!event.target.closest?.("dialog")) event.target.closest?.("button, #slider")?.blur(); });
  // Running clocks are redrawn; nothing else needs the time.
  setInterval(() => { if (pressed || !store.view) return;
    if (store.view.clocks.some((clock) => clock?.running)) { panels.players(store.view, store.since, host.players); panels.warn(store.view, store.since); }
    if (store.view.plan) panels.plan(store.view, store.since);
  }, 100);
  label();
}
