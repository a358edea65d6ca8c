// Games that are watched while they are played. Each page walks by itself: it changes nothing for others.
import { begin, redraw } from "./app.js";
import { $, h, options, patch } from "./dom.js";
import { makeTree, pathTo } from "./gametree.js";
import { listen } from "./live.js";
import * as replay from "./replay.js";
import { store } from "./store.js";
import { pair, say, side } from "./words.js";

let board = Number(location.hash.slice(1)) || 0, game = null, list = { games: [], score: "" };
let nodes = [], current = 0, searched = false, held = null;

// How long the end of a game is shown before the next one, in milliseconds.
const PAUSE = 4000;

const same = (a, b) => a && a.title === b.title && a.game === b.game && a.width === b.width && a.height === b.height && JSON.stringify(a.setup) === JSON.stringify(b.setup);
const last = () => game.moves.length;

function show(node) {
  current = node;
  store.tree = makeTree([{ id: 0, eval: game.evals[0] ?? null }, ...nodes]);
  const path = pathTo(store.tree, node), move = path[path.length - 1], newest = node === last();
  store.view = {
    ...replay.position(game, path),
    game: game.game, width: game.width, height: game.height, passes: game.passes, scores: game.passes, rules: game.rules, komi: game.komi, handicap: game.handicap, names: game.names, terms: null,
    current, live: last(), to_move: newest || !move ? (newest ? game.to_move : nodes[0].color) : replay.other(move.color), last: move?.at,
    end: newest && game.end ? { result: game.end[0], why: game.end[1] } : null, count: null, clocks: game.clocks, plan: game.plan, analysing: false, reviewing: false, task: newest ? game.task : null, notes: move?.note ? [pair(move.at, move.note)] : [], engine: game.engine, comment: "",
  };
  redraw();
  return null;
}

// The end of a game stays for a while if the next one begins at once.
function takeGame(next) {
  next.received = performance.now();
  if (held) held.next = next;
  else if (game?.end && next.title !== game.title) {
    held = { next };
    held.timer = setTimeout(() => { const { next } = held; held = null; receive(next); }, PAUSE);
  } else receive(next);
}

// The board's newest state: who looks at the last move is taken along.
function receive(next) {
  const along = !same(game, next) || current === last();
  const kept = same(game, next) ? nodes.filter((node) => node.id > 1e6) : [];
  game = next;
  nodes = game.moves.map(({ color, at, note }, index) => ({ id: index + 1, parent: index, color, at, note, eval: game.evals[index + 1] ?? null }));
  // Variations stay as long as their moves lead somewhere.
  for (const node of kept) if (node.parent === 0 || nodes.some(({ id }) => id === node.parent)) nodes.push(node);
  store.since = next.received;
  if (store.analysis && store.analysis.node > last()) store.analysis = null;
  show(along || !(current === 0 || nodes.some(({ id }) => id === current)) ? last() : current);
}

function drawList() {
  const name = ({ title, names, moves, result }, index) => `${title || index + 1} · ${names[0] || side("B")} – ${names[1] || side("W")} · ${result || moves}`;
  $("games").hidden = list.games.length < 2 && !list.score;
  patch($("games"), list.games.length > 1 && options("board", list.games.map((_, index) => index), board, choose, (index) => name(list.games[index], index)), list.score && h("span", { class: "dim" }, list.score));
  if (!game) patch($("status"), say("waiting"));
}

function choose(index) {
  board = index;
  clearTimeout(held?.timer);
  [game, nodes, current, store.analysis, held] = [null, [], 0, null, null];
  history.replaceState(null, "", "#" + index);
  connect("events?" + board);
}

const host = {
  live: false, tabs: ["analysis", "moves"],
  // Engines of a match report no candidates.
  get layers() { return searched ? undefined : ["candidates", "legal", "numbers", "none"]; },
  send: async (command) => (command.do === "go" ? show(command.node) : command.do === "line" ? show(replay.addLine(nodes, command.moves, command.node, store.view.to_move)) : null),
};

begin(host);
document.title = say("watching");
const take = (act) => (event) => { act(event); redraw(); };
const connect = listen("events?" + board, {
  games: (found) => { list = found; drawList(); },
  game: take(takeGame),
  analysis: take((found) => { if (!held) store.analysis = found; searched ||= Boolean(found); }),
});
drawList();
