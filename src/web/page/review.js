// A review: statistics of both sides, and the loss and a better move for each mistake.
import { h, patch, percent, stone } from "./dom.js";
import { say } from "./words.js";

const KINDS = ["inaccuracy", "mistake", "blunder", "thrown_away"];

// The review's entry for the position after this many moves.
export const positionAt = (review, moves) => review && review.positions[moves - review.positions[0]?.moves];

// A reviewed position in the format of a search.
export function asAnalysis(position, node) {
  if (!position || !position.candidates.length) return null;
  const letter = (side) => (side === "black" ? "B" : side === "white" ? "W" : null);
  const mover = letter(position.to_move), other = mover === "B" ? "W" : "B";
  // Proven wins come first, even if the search preferred another move, and proven losses last.
  const rank = (candidate) => (candidate.wins == null ? 1 : candidate.wins ? 0 : 2);
  const candidates = [...position.candidates].sort((a, b) => rank(a) - rank(b));
  return {
    node, task: "review", to_move: mover, winrate: position.winrate ?? 0.5, lead: position.lead ?? null, visits: position.visits, speed: 0, proven: letter(position.winner), owners: position.owners ?? null, done: true,
    candidates: candidates.map((c) => ({ at: c.move, visits: c.visits, winrate: c.winrate, lead: c.lead ?? null, prior: c.prior, proven: c.wins == null ? null : c.wins ? mover : other, pv: c.pv })),
    policy: [],
  };
}

// Moves highlighted on the graph.
export function marks(review) {
  if (!review) return [];
  const found = review.positions.filter((p) => p.played?.class);
  return found.map((p) => ({ index: p.moves + 1, kind: p.played.class, rate: positionAt(review, p.moves + 1)?.winrate ?? 0.5 }));
}

// The moves before which mistakes were made.
export const mistakes = (review) => (review ? review.positions.filter((p) => p.played?.class).map((p) => p.moves) : []);

function figures(review) {
  const [black, white] = review.players, { game } = review;
  const row = (name, tell) => h("tr", {}, h("td", {}, say(name)), h("td", {}, tell(black)), h("td", {}, tell(white)));
  const of = (tell) => (tally) => (tally.moves ? tell(tally) : "–");
  return h("table", { class: "figures" },
    h("tr", {}, h("th", {}), h("th", {}, stone("B"), " ", game.black || say("black")), h("th", {}, stone("W"), " ", game.white || say("white"))),
    row("accuracy", of((t) => percent(t.accuracy))), row("averageLoss", of((t) => percent(t.average_loss))), row("firstChoice", of((t) => percent(t.first_choices / t.moves, 0))),
    row("inaccuracies", (t) => t.inaccuracies), row("mistakes", (t) => t.mistakes), row("blunders", (t) => t.blunders), row("thrownAway", (t) => t.thrown_away));
}

// The mean loss of both sides in the thirds of the game.
function phases(review) {
  const count = review.game.moves.length, names = ["opening", "middle", "ending"];
  const loss = (third, color) => {
    const own = review.positions.filter((p) => p.played?.loss != null && p.played.counts && Math.min(2, Math.floor((3 * p.moves) / count)) === third && review.game.moves[p.moves].color === color);
    return own.length ? percent(own.reduce((sum, p) => sum + Math.max(0, p.played.loss), 0) / own.length) : "–";
  };
  return h("table", {}, h("tr", {}, h("th", {}, say("phase")), h("th", {}, stone("B")), h("th", {}, stone("W"))),
    names.map((name, third) => h("tr", {}, h("td", {}, say(name)), h("td", {}, loss(third, "black")), h("td", {}, loss(third, "white")))));
}

function list(review, { moves, goto, play, hover }) {
  const bad = review.positions.filter((p) => p.played?.class);
  if (!bad.length) return h("p", { class: "note" }, say("noMistakes"));
  const order = (p) => KINDS.indexOf(p.played.class) * 10 + (p.played.loss || 0);
  const head = h("tr", {}, h("th", {}, say("move")), h("th", { class: "text" }, say("played")), h("th", {}, say("loss")), h("th", { class: "text" }, ""), h("th", { class: "text" }, say("better")));
  const rows = [...bad].sort((a, b) => order(b) - order(a)).map((p) => {
    const played = review.game.moves[p.moves], color = played.color === "black" ? "B" : "W", better = p.played.better;
    return h("tr", { "data-pick": p.moves, class: p.moves === moves ? "here" : "", onclick: () => goto(p.moves) },
      h("td", {}, String(p.moves + 1)), h("td", { class: "text" }, stone(color), " ", played.at), h("td", {}, percent(p.played.loss)), h("td", { class: "text" }, h("span", { class: "chip " + p.played.class }, say(p.played.class))),
      h("td", { class: "text" }, better.length ? h("button", { title: say("playLine"), onmouseenter: () => p.moves === moves && hover(better), onmouseleave: () => hover(null), onclick: (event) => { event.stopPropagation(); play(p.moves, better); } }, better[0]) : ""));
  });
  return h("div", { class: "scroll" }, h("table", { id: "mistakes" }, head, rows));
}

export function draw(panel, { view, review, progress, moves, goto, play, hover, send, server }) {
  const parts = [];
  if (server) {
    const start = view.reviewing
      ? h("button", { onclick: () => send({ do: "review", on: false }) }, say("stopReview"))
      : h("button", { id: "start-review", class: review ? "" : "main", onclick: () => send({ do: "review", on: true }) }, say("startReview"));
    const save = review && h("button", { id: "save-review", title: say("saveReviewTip"), onclick: () => { location.href = "reviewed.sgf"; } }, say("saveReview"));
    parts.push(h("div", { class: "bar" }, start, save));
  }
  if (view.reviewing && progress) parts.push(h("p", { class: "note" }, say("reviewing", { done: progress[0], all: progress[1] })), h("progress", { value: progress[0], max: progress[1] }));
  else if (!review) parts.push(h("p", { class: "note" }, say("noReview")));
  if (review) {
    parts.push(list(review, { moves, goto, play, hover }), figures(review), phases(review));
    const s = review.settings;
    parts.push(h("p", { class: "note" }, [s.search, s.network, ...s.changed].join(" · ")));
  }
  patch(panel, parts);
}
