// Names of points. The program's names skip the letter I, as boards of Go do; boards of Gomoku have all letters.
const COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ", ALL = "ABCDEFGHIJKLMNOPQRSTUVWXY";

const letters = (game) => (game === "gomoku" ? ALL : COLUMNS);

export const columnName = (game, x) => letters(game)[x];

// Points are numbered row by row from the top.
export const indexOf = (size, at) => (at === "pass" || !at ? -1 : (size.height - Number(at.slice(1))) * size.width + COLUMNS.indexOf(at[0]));
export const vertexOf = (size, index) => COLUMNS[index % size.width] + (size.height - Math.floor(index / size.width));

// A point as people read it on the board.
export const shown = (game, at) => (at && at !== "pass" && game === "gomoku" ? ALL[COLUMNS.indexOf(at[0])] + at.slice(1) : at);

// The program's name of what a person has typed; null if it is no point of the board.
export function typed(view, text) {
  const word = text.trim().toUpperCase();
  if (word === "PASS") return view.passes ? "pass" : null;
  const x = letters(view.game).indexOf(word[0] ?? "?"), row = Number(word.slice(1));
  return x >= 0 && x < view.width && Number.isInteger(row) && row >= 1 && row <= view.height ? COLUMNS[x] + row : null;
}
