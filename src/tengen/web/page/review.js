// A review: statistics of both sides, and the loss and a better move for each mistake.
import { h, percent, share, signed, stone } from "./dom.js";
import { shown } from "./names.js";
import { languageName, note, say, side } from "./words.js";

// A loss of so many points is worth a look, also in a game that is decided.
export const POINTS = 4;

const letter = (name) => (name === "black" ? "B" : name === "white" ? "W" : null);

// The review's entry for the position after this many moves.
export const positionAt = (review, moves) => review && review.positions[moves - review.positions[0]?.moves];

// Whether the move played in a position was one to learn from: of its own choice the search knows nothing better.
export const isWrong = (p) => Boolean(p.played?.class) || ((p.played?.points ?? 0) >= POINTS && p.played.counts && p.played.choice !== 1);

// How much a mistake has cost, in winrate or in points, of which 40 count as a game.
export const cost = ({ played }) => Math.max(played.loss ?? 0, (played.points ?? 0) / 40) + (played.class === "thrown_away" ? 1 : 0);

// The better line of a mistake; empty if there is none.
export function betterLine(review, p) {
  const [best] = p.candidates;
  return p.played.better.length || !best || best.move === review.game.moves[p.moves].at ? p.played.better : best.pv;
}

// A reviewed position in the format of a search.
export function asAnalysis(position, node) {
  if (!position || !position.candidates.length) return null;
  const mover = letter(position.to_move), other = mover === "B" ? "W" : "B";
  return {
    node, task: "review", to_move: mover, winrate: position.winrate ?? 0.5, lead: position.lead ?? null, visits: position.visits, speed: 0, proven: letter(position.winner), done: true,
    candidates: position.candidates.map((c) => ({ at: c.move, visits: c.visits, winrate: c.winrate, lead: c.lead ?? null, prior: c.prior, proven: c.wins == null ? null : c.wins ? mover : other, pv: c.pv })),
    policy: [],
  };
}

// Moves highlighted on the graph: those of the review that are on the shown line.
export function marks(review, line, reviewed) {
  if (!review) return [];
  const places = new Map(line.map(({ id }, place) => [id, place])), found = review.positions.filter((p) => p.played?.class && places.has(reviewed[p.moves + 1]));
  return found.map((p) => ({ index: places.get(reviewed[p.moves + 1]), kind: p.played.class, rate: positionAt(review, p.moves + 1)?.winrate ?? 0.5 }));
}

// The moves before which mistakes were made.
export const mistakes = (review) => (review ? review.positions.filter(isWrong).map((p) => p.moves) : []);

// A mistake in a sentence: what was played, what it cost and why, and what was better.
export function words(review, p, game) {
  const move = review.game.moves[p.moves], mover = letter(move.color), after = positionAt(review, p.moves + 1), name = (at) => (at === "pass" ? say("pass") : shown(game, at));
  const rate = (position) => share(mover, position.winrate), [better, ...line] = betterLine(review, p), answer = after?.candidates[0];
  const parts = [say("sentencePlayed", { n: p.moves + 1, side: side(mover), at: name(move.at) })];
  if (p.played.class === "thrown_away") parts.push(say("sentenceThrown"));
  else if (after?.winner && letter(after.winner) !== mover && after.winner !== p.winner) parts.push(say("sentenceLost"));
  else {
    const points = p.played.points;
    const lost = (p.played.loss ?? 0) >= 0.005;
    parts.push(points != null && points >= 0.5 ? say(lost ? "sentenceCostBoth" : "sentenceCostPoints", { loss: percent(p.played.loss, 0), points: points.toFixed(1) }) : say("sentenceCost", { loss: percent(Math.max(0, p.played.loss ?? 0), 0) }));
    if (after && rate(p) >= 0.5 && rate(after) < 0.5) parts.push(say("sentenceTurns"));
  }
  if (answer && after.candidates.length) parts.push(say("sentenceAnswer", { at: name(answer.move) }));
  if (better) parts.push(say("sentenceBetter", { at: name(better), line: line.slice(0, 5).map((at) => ` ${name(at)}`).join("") }));
  return parts.join(say("gap"));
}

function figures(review) {
  const [black, white] = review.players, { game } = review;
  const row = (name, tell) => h("tr", {}, h("th", { scope: "row", class: "text" }, say(name)), h("td", {}, tell(black, "black")), h("td", {}, tell(white, "white")));
  const of = (tell) => (tally, color) => (tally.moves ? tell(tally, color) : "–");
  const lost = (_, color) => {
    const own = review.positions.filter((p) => p.played?.points != null && p.played.counts && p.to_move === color);
    return own.length ? (own.reduce((sum, p) => sum + Math.max(0, p.played.points), 0) / own.length).toFixed(1) : "–";
  };
  return [h("table", { class: "figures" },
    h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, stone("B"), " ", game.black || say("black")), h("th", { scope: "col" }, stone("W"), " ", game.white || say("white")))),
    h("tbody", {}, row("accuracy", of((t) => percent(t.accuracy))), row("averageLoss", of((t) => percent(t.average_loss))), review.positions.some((p) => p.lead != null) && row("pointsLost", of(lost)), row("firstChoice", of((t) => percent(t.first_choices / t.moves, 0))),
      row("inaccuracies", (t) => t.inaccuracies), row("mistakes", (t) => t.mistakes), row("blunders", (t) => t.blunders), row("thrownAway", (t) => t.thrown_away))),
  h("p", { class: "note" }, say("accuracyIs"))];
}

// The mean loss of both sides in the thirds of the game.
function phases(review) {
  const count = review.game.moves.length, names = ["opening", "middle", "ending"];
  const loss = (third, color) => {
    const own = review.positions.filter((p) => p.played?.loss != null && p.played.counts && Math.min(2, Math.floor((3 * p.moves) / count)) === third && review.game.moves[p.moves].color === color);
    return own.length ? percent(own.reduce((sum, p) => sum + Math.max(0, p.played.loss), 0) / own.length) : "–";
  };
  return h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "text" }, say("phase")), h("th", { scope: "col" }, stone("B"), h("span", { class: "unseen" }, side("B"))), h("th", { scope: "col" }, stone("W"), h("span", { class: "unseen" }, side("W"))))),
    h("tbody", {}, names.map((name, third) => h("tr", {}, h("th", { scope: "row", class: "text" }, say(name)), h("td", {}, loss(third, "black")), h("td", {}, loss(third, "white"))))));
}

function list(review, { view, moves, goto, play, hover }) {
  const bad = review.positions.filter(isWrong);
  if (!bad.length) return h("p", { class: "note" }, say("noMistakes"));
  const points = bad.some((p) => p.played.points != null);
  const head = h("thead", {}, h("tr", {}, h("th", { scope: "col" }, say("move")), h("th", { scope: "col", class: "text" }, say("played")), h("th", { scope: "col" }, say("loss")), points && h("th", { scope: "col" }, say("points")), h("th", { scope: "col", class: "text" }, say("kind")), h("th", { scope: "col", class: "text" }, say("better"))));
  const rows = [...bad].sort((a, b) => cost(b) - cost(a)).flatMap((p) => {
    const played = review.game.moves[p.moves], color = letter(played.color), better = betterLine(review, p), kind = p.played.class ?? "points_lost";
    const row = h("tr", { "data-pick": p.moves, class: p.moves === moves ? "here" : "", onclick: () => goto(p.moves) },
      h("td", {}, h("button", { class: "plain" }, String(p.moves + 1))), h("td", { class: "text" }, stone(color), h("span", { class: "unseen" }, side(color)), " ", shown(view.game, played.at)), h("td", {}, percent(p.played.loss)), points && h("td", {}, p.played.points == null ? "–" : signed(-p.played.points)), h("td", { class: "text" }, h("span", { class: "chip " + kind }, say(kind))),
      h("td", { class: "text" }, better.length ? h("button", { title: say("playLine"), onmouseenter: () => p.moves === moves && hover(better), onmouseleave: () => hover(null), onclick: (event) => { event.stopPropagation(); play(p.moves, better); } }, shown(view.game, better[0])) : ""));
    return p.moves === moves ? [row, h("tr", { class: "here" }, h("td", { class: "text sentence", colspan: points ? 6 : 5 }, words(review, p, view.game)))] : [row];
  });
  return h("table", { id: "mistakes" }, head, h("tbody", {}, rows));
}

// `learn` are buttons that begin a lesson.
export function parts({ view, review, progress, moves, goto, play, hover, send, server, save, learn }) {
  const parts = [];
  if (server) {
    const start = view.reviewing
      ? h("button", { id: "stop-review", onclick: () => send({ do: "review", on: false }) }, say("stopReview"))
      : h("button", { id: "start-review", class: review ? "" : "main", onclick: () => send({ do: "review", on: true }) }, say("startReview"));
    const keep = review && h("button", { id: "save-review", title: say("saveReviewTip"), onclick: () => save(`reviewed.sgf?${languageName()}`, "reviewed.sgf") }, say("saveReview"));
    parts.push(h("div", { class: "bar" }, start, keep));
  }
  if (view.reviewing && progress) parts.push(h("p", { class: "note" }, say("reviewing", { done: progress[0], all: progress[1] })), h("progress", { value: progress[0], max: progress[1], "aria-label": say("review") }));
  else if (!review) parts.push(h("p", { class: "note" }, say("noReview")));
  if (review) {
    const begun = review.positions[0]?.moves;
    if (begun > 0) parts.push(h("p", { class: "note" }, say("reviewedFrom", { n: begun + 1 })));
    if (server) parts.push(learn);
    parts.push(list(review, { view, moves, goto, play, hover }), figures(review), phases(review));
    const s = review.settings;
    parts.push(h("p", { class: "note" }, [s.search, s.network, ...s.changed].map(note).join(" · ")));
  }
  return parts;
}
