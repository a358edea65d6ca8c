// Positions from moves, for pages without a board behind them: captures of Go and the legal points of NoGo are
// computed here, for display.
import { indexOf } from "./names.js";

export const other = (color) => (color === "B" ? "W" : "B");

function neighbours(game, at) {
  const x = at % game.width, near = [x > 0 ? at - 1 : -1, x < game.width - 1 ? at + 1 : -1, at - game.width, at + game.width];
  return near.filter((point) => point >= 0 && point < game.width * game.height);
}

// The stones of a block, and whether it has a liberty.
function block(game, stones, start) {
  const found = new Set([start]), todo = [start];
  let free = false;
  while (todo.length) {
    for (const near of neighbours(game, todo.pop())) {
      if (stones[near] === ".") free = true;
      else if (stones[near] === stones[start] && !found.has(near)) { found.add(near); todo.push(near); }
    }
  }
  return { found, free };
}

function place(game, stones, taken, { color, at }) {
  if (at === "pass") return;
  const index = indexOf(game, at);
  stones[index] = color;
  if (game.game !== "go") return;
  const take = (start) => {
    if (stones[start] === ".") return;
    const { found, free } = block(game, stones, start);
    if (free) return;
    taken[stones[start] === "B" ? 0 : 1] += found.size;
    for (const stone of found) stones[stone] = ".";
  };
  neighbours(game, index).filter((near) => stones[near] === other(color)).forEach(take);
  take(index);
}

// One digit per point: 1 if legal for Black, 2 for White, 3 for both. A move of NoGo takes no block's last liberty.
function legalOfNoGo(game, stones) {
  return stones.map((stone, at) => {
    if (stone !== ".") return "0";
    const legal = (color) => {
      const after = [...stones];
      after[at] = color;
      return [at, ...neighbours(game, at)].every((near) => after[near] === "." || block(game, after, near).free);
    };
    return String((legal("B") ? 1 : 0) + (legal("W") ? 2 : 0));
  }).join("");
}

// The position after moves, from a game with `setup`, colours being letters.
export function position(game, moves) {
  const stones = Array(game.width * game.height).fill("."), taken = [0, 0];
  for (const { color, at } of game.setup) stones[indexOf(game, at)] = color;
  for (const move of moves) place(game, stones, taken, move);
  return { stones: stones.join(""), taken, legal: game.game === "nogo" ? legalOfNoGo(game, stones) : "" };
}

// Adds a line as a variation; returns its first node.
export function addLine(nodes, moves, start, color) {
  let at = start, first = start;
  moves.forEach((move, place) => {
    let next = nodes.find((node) => node.parent === at && node.at === move && node.color === color);
    if (!next) {
      next = { id: Math.max(1e6, ...nodes.map((node) => node.id)) + 1, parent: at, color, at: move };
      nodes.push(next);
    }
    if (place === 0) first = next.id;
    [at, color] = [next.id, other(color)];
  });
  return first;
}
