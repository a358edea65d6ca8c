// Learning from mistakes: the position before each, the answer hidden; every attempt is judged by a search.
import { h, patch, percent, share, signed, stone } from "./dom.js";
import { shown } from "./names.js";
import { isWrong, positionAt, words } from "./review.js";
import { person, store } from "./store.js";
import { say, side } from "./words.js";

// Differences below these do not count: shares of the win rate, and points.
const WIN = 0.03, POINTS = 1.5;

// `best` has the judgement of each position's best move, by the same search as an attempt: the searches of a review are
// shorter, and their numbers differ.
const state = { on: false, list: [], place: 0, phase: "ask", at: null, solved: new Map(), color: null, best: new Map() };
let does = { send() {}, go() {}, redraw() {} };

export const begin = (actions) => { does = actions; };
export const isOn = () => state.on;
// Whether the answer is still hidden.
export const isOpen = () => state.on && state.phase !== "shown";

const position = () => positionAt(store.review, state.list[state.place]);
const moverOf = (p) => (p.to_move === "black" ? "B" : "W");

// The mistakes of a side, or of both, the largest loss first.
function chosen(color) {
  const weight = (p) => Math.max(p.played.loss ?? 0, (p.played.points ?? 0) / 40) + (p.played.class === "thrown_away" ? 1 : 0);
  const own = store.review.positions.filter((p) => isWrong(p) && (!color || moverOf(p) === color) && p.candidates.length > 0);
  return own.sort((a, b) => weight(b) - weight(a)).map((p) => p.moves);
}

export function start(color) {
  Object.assign(state, { on: true, color, list: chosen(color), place: 0, solved: new Map(), best: new Map() });
  return enter(0);
}

async function enter(place) {
  if (place >= state.list.length) return stop();
  Object.assign(state, { place, phase: "ask", at: null });
  does.redraw();
  await does.go(nodeOf());
  if (state.place === place && state.phase === "ask") search(bestOf(position()));
}

const nodeOf = () => store.reviewed[state.list[state.place]];
const bestOf = (p) => p.candidates[0].move;
const search = (at) => does.send({ do: "judge", at, node: nodeOf() });

export function stop() {
  state.on = false;
  does.redraw();
}

// Another position is shown: of one's own will, or by another page. The lesson waits, or ends with its game.
export function moved(node) {
  if (state.on && (!store.review || !store.reviewed.includes(node)) && state.phase !== "shown") state.on = false;
}

export async function attempt(at) {
  if (store.view.current !== nodeOf()) return does.go(nodeOf());
  if (await search(at)) {
    Object.assign(state, { phase: "judging", at, judged: null, asked: false });
    does.redraw();
  }
}

// How good an attempt is against the best move (its judgement, or the review's): `best`, `good`, `better` than what was
// played, `played` or `no`.
export function judge(p, judged, most = p) {
  const mover = moverOf(p), rate = (black) => share(mover, black), own = (lead) => (mover === "B" ? lead : -lead);
  const after = positionAt(store.review, p.moves + 1);
  if (judged.at === bestOf(p) || p.candidates.some((c) => c.move === judged.at && c.wins === true)) return "best";
  if (judged.at === store.review.game.moves[p.moves].at) return "played";
  if (judged.proven) return judged.proven === mover ? "good" : judged.proven === "0" ? "better" : "no";
  const loss = rate(most.winrate) - rate(judged.winrate), known = most.lead != null && judged.lead != null;
  const points = known ? own(most.lead) - own(judged.lead) : 0;
  if (loss <= WIN && points <= POINTS) return "good";
  const before = after?.winrate == null ? 0 : rate(most.winrate) - rate(after.winrate);
  const saved = known && after?.lead != null ? own(judged.lead) - own(after.lead) : 0;
  return before - loss > WIN || (saved > POINTS && before - loss > -WIN) ? "better" : "no";
}

// The line that is shown on the board: the answer, once it is known.
export function line() {
  if (!state.on || state.phase !== "shown" || store.view.current !== nodeOf()) return null;
  return position()?.candidates[0]?.pv ?? null;
}

function verdict() {
  const { view } = store, { judged } = view, p = position();
  if (!p || !judged || judged.node !== view.current || !judged.done || judged.node !== nodeOf()) return null;
  if (judged.at === bestOf(p)) state.best.set(judged.node, judged);
  if (judged.at === state.at) state.judged = judged;
  if (state.phase === "ask" || state.judged?.at !== state.at || state.judged.node !== judged.node) return null;
  const most = state.best.get(judged.node), name = judge(p, state.judged, most);
  // An attempt that came before the best move was judged has to wait for that.
  if (!most && state.phase === "judging" && !state.asked && !["best", "played"].includes(name)) {
    state.asked = true;
    search(bestOf(p));
  }
  return most || !state.asked ? { name, judged: state.judged } : null;
}

const reveal = () => { state.phase = "shown"; does.redraw(); };

// The lesson in the panel.
export function draw(panel) {
  const { view } = store, p = position();
  if (!p) { stop(); return; }
  const mover = moverOf(p), found = verdict(), game = view.game;
  if (found && state.phase === "judging") {
    state.phase = "judged";
    if (["best", "good"].includes(found.name)) state.solved.set(p.moves, true);
    else if (!state.solved.has(p.moves)) state.solved.set(p.moves, false);
  }
  const parts = [h("p", {}, h("b", {}, say("lesson", { n: state.place + 1, all: state.list.length })), " ", stone(mover), " ", say("findBetter", { side: side(mover), move: p.moves + 1 }))];
  if (state.phase === "judging") parts.push(h("p", {}, say("judging")));
  if (found && state.phase !== "shown") {
    const { judged, name } = found, numbers = [percent(share(mover, judged.winrate)), judged.lead != null && signed(mover === "B" ? judged.lead : -judged.lead)].filter(Boolean).join(", ");
    parts.push(h("p", { id: "verdict", class: `verdict ${name}`, "data-verdict": name, role: "status" }, h("b", {}, `${shown(game, judged.at)}: ${say(`verdict_${name}`)}`), " ", h("span", { class: "dim" }, numbers)));
    if (judged.pv.length) parts.push(h("p", { class: "note" }, say("answerIs"), " ", judged.pv.slice(0, 8).map((at) => shown(game, at)).join(" ")));
  }
  if (state.phase === "shown") parts.push(h("p", { id: "answer" }, words(store.review, p, game)));
  const solved = [...state.solved.values()].filter(Boolean).length;
  parts.push(h("div", { class: "bar" },
    state.phase !== "shown" && h("button", { id: "show-answer", onclick: reveal }, say("showAnswer")),
    h("button", { id: "next-lesson", class: state.phase === "ask" ? "" : "main", onclick: () => enter(state.place + 1) }, say(state.place + 1 < state.list.length ? "nextLesson" : "endLesson")),
    state.place > 0 && h("button", { onclick: () => enter(state.place - 1) }, say("previousLesson")),
    view.current !== nodeOf() && h("button", { onclick: () => enter(state.place) }, say("backToLesson")),
    h("button", { id: "stop-lesson", onclick: stop }, say("stopLesson"))),
  h("p", { class: "note" }, say("solvedSoFar", { n: solved })));
  patch(panel, parts);
}

// Buttons that begin a lesson.
export function buttons() {
  const own = person(store.view), counts = (color) => chosen(color).length;
  const button = (color, word, main) => h("button", { class: main ? "main" : "", "data-learn": color ?? "both", disabled: !counts(color), onclick: () => start(color) }, `${word} (${counts(color)})`);
  return h("div", { class: "bar", id: "learn" }, h("span", {}, say("learn")),
    own ? button(own, say("learnOwn"), true) : [button("B", side("B"), true), button("W", side("W"), true)], button(null, say("learnBoth"), false));
}
