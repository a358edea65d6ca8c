// Learning from mistakes: the position before each, the answer hidden; every attempt is judged by a search.
import { h, patch, percent, share, signed, stone } from "./dom.js";
import { tellChange } from "./heard.js";
import { shown } from "./names.js";
import { cost, isWrong, POINTS, positionAt, words } from "./review.js";
import { person, store } from "./store.js";
import { aside, listed, pair, say, side } from "./words.js";

// Two moves are as good if their winrates differ by less: a review lists 5 percent, the rest is noise of two searches.
const WIN = 0.07;
// So near to 0 and 1 a winrate says little, and points count.
const DECIDED = 0.05;

// `seen` has what was judged, by position and move. The best move and the one that was played are judged like an attempt:
// the searches of a review are shorter, and their numbers differ.
const state = { on: false, list: [], place: 0, phase: "ask", at: null, solved: new Map(), color: null, seen: new Map(), asked: "" };
let does = { send() {}, go() {}, redraw() {} };

export const begin = (actions) => { does = actions; };
export const isOn = () => state.on;
// Whether the answer is still hidden.
export const isOpen = () => state.on && state.phase !== "shown";

const position = () => positionAt(store.review, state.list[state.place]);
const moverOf = (p) => (p.to_move === "black" ? "B" : "W");

// The mistakes of a side, or of both, the largest loss first.
function chosen(color) {
  const own = store.review.positions.filter((p) => isWrong(p) && (!color || moverOf(p) === color) && p.candidates.length > 0);
  return own.sort((a, b) => cost(b) - cost(a)).map((p) => p.moves);
}

export function start(color) {
  Object.assign(state, { on: true, color, list: chosen(color), place: 0, solved: new Map(), seen: new Map() });
  return enter(0);
}

async function enter(place) {
  if (place >= state.list.length) return stop();
  Object.assign(state, { place, phase: "ask", at: null, asked: "" });
  does.redraw();
  await does.go(nodeOf());
  search();
}

const nodeOf = () => store.reviewed[state.list[state.place]];
const bestOf = (p) => p.candidates[0].move;
const playedOf = (p) => store.review.game.moves[p.moves].at;
const key = (at) => `${nodeOf()} ${at}`;
const seen = (at) => state.seen.get(key(at));

// Has the next move judged that is still to be: an attempt first. Returns false if it cannot be played.
async function search() {
  const p = position(), next = p && [state.phase === "judging" && state.at, bestOf(p), playedOf(p)].find((at) => at && !seen(at));
  if (!next || state.asked === key(next)) return true;
  state.asked = key(next);
  return does.send({ do: "judge", at: next, node: nodeOf() });
}

export function stop() {
  state.on = false;
  tellChange("lesson", "");
  does.redraw();
}

// Another position is shown: of one's own will, or by another page. The lesson waits, or ends with its game.
export function moved(node) {
  if (state.on && (!store.review || !store.reviewed.includes(node)) && state.phase !== "shown") state.on = false;
}

export async function attempt(at) {
  if (store.view.current !== nodeOf()) return does.go(nodeOf());
  const { phase, at: before } = state;
  Object.assign(state, { phase: "judging", at });
  does.redraw();
  if (await search()) return;
  Object.assign(state, { phase, at: before, asked: "" });
  does.redraw();
}

// By how much one judgement is better than another for a side: in winrate, and in points where the game is decided.
function gap(mover, one, other) {
  const decided = [one, other].every(({ winrate, lead }) => lead != null && Math.min(winrate, 1 - winrate) < DECIDED);
  return { rate: share(mover, one.winrate) - share(mover, other.winrate), points: decided ? (mover === "B" ? 1 : -1) * (one.lead - other.lead) : 0 };
}
const isLarge = ({ rate, points }, least = WIN) => rate >= least || points >= POINTS;

// How good an attempt is: `best`, `good`, `better` than what was played, `played` or `no`.
export function judge(p, tried, best, played) {
  // What the review has proven counts more than a search.
  const mover = moverOf(p), wins = p.candidates.find((c) => c.move === tried.at)?.wins;
  if (tried.at === bestOf(p) || wins === true) return "best";
  if (tried.at === playedOf(p)) return "played";
  if (wins === false) return "no";
  if (tried.proven) return tried.proven === mover ? "good" : tried.proven === "0" ? "better" : "no";
  if (!isLarge(gap(mover, best, tried))) return "good";
  return isLarge(gap(mover, tried, played)) ? "better" : "no";
}

// The line that is shown on the board: the answer, once it is known.
export function line() {
  if (!state.on || state.phase !== "shown" || store.view.current !== nodeOf()) return null;
  return position()?.candidates[0]?.pv ?? null;
}

// What is known of an attempt, once all is that it is compared with.
function verdict() {
  const p = position(), [tried, best, played] = [state.at, bestOf(p), playedOf(p)].map((at) => at && seen(at));
  const known = tried && (tried.proven || [bestOf(p), playedOf(p)].includes(tried.at) || (best && played));
  return known ? { name: judge(p, tried, best, played), judged: tried } : null;
}

// Whether a closer look has found that the played move is no mistake.
function isNone(p) {
  const best = seen(bestOf(p)), played = seen(playedOf(p)), [least] = store.review.settings.thresholds;
  return best && played && p.played.class !== "thrown_away" && !isLarge(gap(moverOf(p), best, played), least);
}

// Takes a judgement that has arrived.
function take() {
  const { judged } = store.view;
  if (!judged?.done || judged.node !== nodeOf() || seen(judged.at)) return;
  state.seen.set(key(judged.at), judged);
  search();
}

const reveal = () => { state.phase = "shown"; does.redraw(); };

// The lesson in the panel.
export function draw(panel) {
  const { view } = store, p = position();
  if (!p) { stop(); return; }
  take();
  const mover = moverOf(p), found = verdict(), game = view.game;
  if (found && state.phase === "judging") {
    state.phase = "judged";
    if (["best", "good"].includes(found.name)) state.solved.set(p.moves, true);
    else if (!state.solved.has(p.moves)) state.solved.set(p.moves, false);
  }
  const lesson = say("lesson", { n: state.place + 1, all: state.list.length }), question = say("findBetter", { side: side(mover), move: p.moves + 1 });
  const parts = [h("p", {}, h("b", {}, lesson), " ", stone(mover), " ", question)];
  tellChange("lesson", String(nodeOf()), lesson + say("gap") + question);
  if (state.phase === "ask" && isNone(p)) parts.push(h("p", { class: "verdict good", id: "no-mistake" }, say("noMistake", { at: shown(game, playedOf(p)) })));
  if (state.phase === "judging") parts.push(h("p", {}, say("judging")));
  if (found && state.phase !== "shown") {
    const { judged, name } = found, numbers = listed(percent(share(mover, judged.winrate)), judged.lead != null && signed(mover === "B" ? judged.lead : -judged.lead));
    parts.push(h("p", { id: "verdict", class: `verdict ${name}`, "data-verdict": name }, h("b", {}, pair(shown(game, judged.at), say(`verdict_${name}`))), " ", h("span", { class: "dim" }, numbers)));
    if (judged.pv.length) parts.push(h("p", { class: "note" }, say("answerIs"), " ", judged.pv.slice(0, 8).map((at) => shown(game, at)).join(" ")));
  }
  if (state.phase === "shown") parts.push(h("p", { id: "answer" }, words(store.review, p, game)));
  // What has come since the question.
  const answer = parts.slice(1).map((part) => part.textContent).join(" ");
  tellChange("answer", answer && `${nodeOf()} ${answer}`, answer);
  const solved = [...state.solved.values()].filter(Boolean).length;
  parts.push(h("div", { class: "bar", "data-place": "learn" },
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
  const button = (color, word, main) => h("button", { class: main ? "main" : "", "data-learn": color ?? "both", disabled: !counts(color), onclick: () => start(color) }, aside(word, counts(color)));
  return h("div", { class: "bar", id: "learn", "data-place": "learn" }, h("span", {}, say("learn")),
    own ? button(own, say("learnOwn"), true) : [button("B", side("B"), true), button("W", side("W"), true)], button(null, say("learnBoth"), false));
}
