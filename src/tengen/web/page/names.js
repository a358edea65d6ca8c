import { say } from "./words.js";

// Names of points. The program's names skip the letter I, as boards of Go do; boards of Gomoku have all letters.
// Beyond 25 columns, on long boards of NoGo, they go on with AA.
const LETTERS = [..."ABCDEFGHJKLMNOPQRSTUVWXYZ"], ALL = [..."ABCDEFGHIJKLMNOPQRSTUVWXY"];
const COLUMNS = [...LETTERS, ...LETTERS.map((letter) => "A" + letter)];

const letters = (game) => (game === "gomoku" ? ALL : COLUMNS);

export const columnName = (game, x) => letters(game)[x];

// Column and row of a name.
const parts = (at) => at.match(/^([A-Z]*)(.*)$/).slice(1);

// Points are numbered row by row from the top.
export function indexOf(size, at) {
  if (at === "pass" || !at) return -1;
  const [column, row] = parts(at);
  return (size.height - Number(row)) * size.width + COLUMNS.indexOf(column);
}
export const vertexOf = (size, index) => COLUMNS[index % size.width] + (size.height - Math.floor(index / size.width));

// A pass in a sentence.
const pass = () => say("pass").toLowerCase();

// A move as people read it on the board.
export function shown(game, at) {
  if (at === "pass") return pass();
  return at && game === "gomoku" ? ALL[COLUMNS.indexOf(at[0])] + at.slice(1) : at;
}

// The program's name of what a person has typed; null if it is no point of the board.
export function typed(view, text) {
  // Chinese keyboards write letters and digits of full width, too.
  const word = text.normalize("NFKC").trim().toUpperCase();
  if (word === "PASS" || word === pass().toUpperCase()) return view.passes ? "pass" : null;
  const [column, number] = parts(word), x = letters(view.game).indexOf(column), row = Number(number);
  return x >= 0 && x < view.width && Number.isInteger(row) && row >= 1 && row <= view.height ? COLUMNS[x] + row : null;
}
