// What the page knows: the newest state of the game, its tree, analysis and review.
import { lineThrough, makeTree } from "./gametree.js";

export const store = { view: null, since: 0, tree: makeTree([{ id: 0 }]), analysis: null, progress: null, review: null, reviewed: [], titles: [] };

// Nodes from the beginning to the shown position, continued along first variations.
export const currentLine = () => lineThrough(store.tree, store.view.current);

// Whether a person plays against Tengen, and the game is not over, also where an earlier position is shown.
export function isPlaying(view) {
  const players = view.terms?.players ?? [];
  return players.includes("engine") && players.includes("human") && !view.over;
}

// The colour of the only person who plays; null for two or none.
export function person(view) {
  const [black, white] = view.terms?.players ?? [];
  return black === white || !black ? null : black === "human" ? "B" : "W";
}
