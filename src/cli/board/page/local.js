// The single-file page: a review without a server. Moves are those of the game and of lines that the
// search has found; captures are computed here, for display.
import { begin, redraw, store } from "./app.js";
import { COLUMNS } from "./board.js";
import { $ } from "./dom.js";
import { side } from "./words.js";

const review = JSON.parse($("review").textContent);
const { game } = review;
const letter = (name) => (name === "black" ? "B" : "W");
const other = (color) => (color === "B" ? "W" : "B");
const captures = game.game === "go";

const nodes = game.moves.map((move, index) => ({ id: index + 1, parent: index, color: letter(move.color), at: move.at, comment: move.comment }));
const position = (moves) => review.positions[moves - review.positions[0]?.moves];
const evalOf = (found) => (found && found.winrate != null ? { winrate: found.winrate, lead: found.lead ?? null, visits: found.visits, proven: found.winner ? letter(found.winner) : null } : null);
nodes.forEach((node) => { node.eval = evalOf(position(node.id)); });
let current = 0;

const indexOf = (at) => (game.height - Number(at.slice(1))) * game.width + COLUMNS.indexOf(at[0]);

// The stones of a block, and whether it has a liberty.
function block(stones, start) {
  const found = new Set([start]), todo = [start];
  let free = false;
  while (todo.length) {
    const at = todo.pop(), x = at % game.width;
    for (const near of [x > 0 ? at - 1 : -1, x < game.width - 1 ? at + 1 : -1, at - game.width, at + game.width]) {
      if (near < 0 || near >= stones.length || found.has(near)) continue;
      if (stones[near] === ".") free = true;
      else if (stones[near] === stones[start]) { found.add(near); todo.push(near); }
    }
  }
  return { found, free };
}

function place(stones, taken, color, at) {
  if (at === "pass") return;
  const index = indexOf(at);
  stones[index] = color;
  if (!captures) return;
  const take = (start) => {
    const { found, free } = block(stones, start);
    if (free) return;
    taken[stones[start] === "B" ? 0 : 1] += found.size;
    for (const stone of found) stones[stone] = ".";
  };
  stones.forEach((stone, start) => { if (stone === other(color)) take(start); });
  take(index);
}

function show(node) {
  current = node;
  const path = [];
  for (let at = node; at > 0; at = nodes.find((found) => found.id === at).parent) path.unshift(nodes.find((found) => found.id === at));
  const stones = Array(game.width * game.height).fill("."), taken = [0, 0];
  for (const { color, at } of game.setup) stones[indexOf(at)] = letter(color);
  for (const move of path) place(stones, taken, move.color, move.at);
  const last = path[path.length - 1], found = node <= game.moves.length ? position(node) : null;
  store.view = {
    game: game.game, width: game.width, height: game.height, passes: captures, scores: captures, rules: game.rules, komi: game.komi, handicap: 0, names: [game.black, game.white], terms: null,
    current, live: game.moves.length, to_move: found ? letter(found.to_move) : last ? other(last.color) : "B", stones: stones.join(""), legal: "", taken, last: last?.at,
    end: node === game.moves.length && game.result ? { result: game.result, why: "record" } : null, count: null, clocks: [null, null], analysing: false, reviewing: false, task: null, notes: [], comment: last?.comment || (node === 0 ? game.comment : ""),
  };
  store.tree = { root: evalOf(position(0)), nodes };
  history.replaceState(null, "", node && node <= game.moves.length ? "#" + node : location.pathname + location.search);
  redraw();
  return null;
}

// Adds a line as a variation and shows its first move.
function playLine(moves, start) {
  let at = start, first = null, color = store.view.to_move;
  for (const move of moves) {
    let next = nodes.find((node) => node.parent === at && node.at === move && node.color === color);
    if (!next) {
      next = { id: nodes.length + 1, parent: at, color, at: move };
      nodes.push(next);
    }
    first ??= next.id;
    at = next.id;
    color = other(color);
  }
  return show(first ?? start);
}

const host = {
  live: false,
  send: async (command) => (command.do === "go" ? show(command.node) : command.do === "line" ? playLine(command.moves, command.node) : null),
};

Object.assign(store, { review, reviewed: [0, ...game.moves.map((_, index) => index + 1)] });
begin(host);
document.title = `${game.black || side("B")} – ${game.white || side("W")}`;
addEventListener("hashchange", () => show(Math.min(game.moves.length, Number(location.hash.slice(1)) || 0)));
show(Math.min(game.moves.length, Number(location.hash.slice(1)) || 0));
