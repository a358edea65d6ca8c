// The single-file page: a review without a server. Moves are those of the game and of lines that the
// search has found.
import { begin, redraw } from "./app.js";
import { $ } from "./dom.js";
import { makeTree, pathTo } from "./gametree.js";
import * as replay from "./replay.js";
import { store } from "./store.js";
import { side } from "./words.js";

const review = JSON.parse($("review").textContent);
const letter = (name) => (name === "black" ? "B" : "W");
const { game } = review, scores = game.game === "go";
const board = { ...game, setup: game.setup.map(({ color, at }) => ({ color: letter(color), at })) };

const reviewed = (moves) => review.positions[moves - review.positions[0]?.moves];
const evalOf = (found) => (found && found.winrate != null ? { winrate: found.winrate, lead: found.lead ?? null, visits: found.visits, proven: found.winner ? letter(found.winner) : null } : null);
const nodes = game.moves.map((move, index) => ({ id: index + 1, parent: index, color: letter(move.color), at: move.at, comment: move.comment, remark: Boolean(move.comment), eval: evalOf(reviewed(index + 1)) }));

function show(node) {
  store.tree = makeTree([{ id: 0, eval: evalOf(reviewed(0)) }, ...nodes]);
  const path = pathTo(store.tree, node), last = path[path.length - 1], found = node <= game.moves.length ? reviewed(node) : null;
  store.view = {
    ...replay.position(board, path),
    game: game.game, width: game.width, height: game.height, passes: scores, scores, rules: game.rules, komi: game.komi, handicap: 0, names: [game.black, game.white], terms: null,
    current: node, live: game.moves.length, to_move: found ? letter(found.to_move) : last ? replay.other(last.color) : "B", last: last?.at,
    end: node === game.moves.length && game.result ? { result: game.result, why: "record" } : null, count: null, clocks: [null, null], analysing: false, reviewing: false, task: null, notes: [], comment: last?.comment || (node === 0 ? game.comment : ""),
  };
  history.replaceState(null, "", node && node <= game.moves.length ? "#" + node : location.pathname + location.search);
  redraw();
  return null;
}

const host = {
  live: false, tabs: ["review", "analysis", "moves"], layers: ["candidates", ...(game.game === "nogo" ? ["legal"] : []), "numbers", "none"],
  send: async (command) => (command.do === "go" ? show(command.node) : command.do === "line" ? show(replay.addLine(nodes, command.moves, command.node, store.view.to_move)) : null),
};

const named = () => Math.min(game.moves.length, Number(location.hash.slice(1)) || 0);
Object.assign(store, { review, reviewed: [0, ...game.moves.map((_, index) => index + 1)] });
begin(host);
document.title = `${game.black || side("B")} – ${game.white || side("W")}`;
addEventListener("hashchange", () => show(named()));
show(named());
