// Setting up a position: clicks put stones down or take them away until all of it is done at once. And marks, which clicks
// put on points one by one.
import { h, options } from "./dom.js";
import { vertexOf } from "./names.js";
import { store } from "./store.js";
import { say, side } from "./words.js";

const MARKS = ["triangle", "square", "circle", "cross", "label"];
const state = { node: null, tool: "B", turn: "B", changes: new Map(), marking: false, mark: "triangle" };
let does = { send() {}, redraw() {} };

export const begin = (actions) => { does = actions; };
export const isOn = () => state.node != null && state.node === store.view?.current;

export function start() {
  Object.assign(state, { node: store.view.current, tool: "B", turn: store.view.to_move, changes: new Map() });
  does.redraw();
}

export const isMarking = () => state.marking;
export const stopMarking = () => { state.marking = false; };

// A click: the mark, or none where it is already; labels are letters in turn.
export function mark(index) {
  const { view } = store;
  // A second click may come before the page has heard of the first.
  if (state.marked !== view) [state.marked, state.letters] = [view, view.marks.map(({ text }) => text)];
  const letter = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].find((one) => !state.letters.includes(one)) ?? "Z";
  if (state.mark === "label") state.letters.push(letter);
  return does.send({ do: "mark", kind: state.mark, text: state.mark === "label" ? letter : "", at: vertexOf(view, index), node: view.current });
}

function stop() {
  Object.assign(state, { node: null, marking: false });
  does.redraw();
}

// A click: the stone of the tool, or none where it is already.
export function click(index) {
  const { view } = store, now = state.changes.get(index) ?? view.stones[index], wanted = now === state.tool ? "." : state.tool;
  if (wanted === view.stones[index]) state.changes.delete(index);
  else state.changes.set(index, wanted);
  does.redraw();
}

// The stones as they will be.
export const stones = (view) => (isOn() ? [...view.stones].map((stone, index) => state.changes.get(index) ?? stone).join("") : view.stones);

async function finish() {
  const { view } = store, points = [...state.changes].map(([index, stone]) => [vertexOf(view, index), stone === "." ? null : stone]);
  if (await does.send({ do: "set_up", points, to_move: state.turn, node: view.current })) stop();
}

// The tools, in a panel.
export function tools() {
  const end = (word) => h("button", { id: "edit-end", onclick: stop }, say(word));
  if (state.marking) return [h("div", { class: "bar", role: "radiogroup", "aria-label": say("marks"), "data-place": "edit" }, options("mark", MARKS, state.mark, (kind) => { state.mark = kind; does.redraw(); }, (kind) => say(`mark_${kind}`)), end("editDone"))];
  if (!isOn()) return h("div", { class: "bar", "data-place": "edit" }, h("button", { id: "edit", onclick: start }, say("edit")), h("button", { id: "mark", onclick: () => { state.marking = true; does.redraw(); } }, say("marks")));
  const choices = (name, values, word) => options(name, values, state[name], (value) => { state[name] = value; does.redraw(); }, word);
  return [h("div", { class: "bar", role: "radiogroup", "aria-label": say("edit"), "data-place": "edit" }, choices("tool", ["B", "W", "."], (value) => (value === "." ? say("erase") : side(value)))),
    h("div", { class: "bar", role: "radiogroup", "aria-label": say("toMove", { side: "" }) }, choices("turn", ["B", "W"], (value) => say("toMove", { side: side(value) }))),
    h("div", { class: "bar", "data-place": "edit" }, h("button", { class: "main", id: "edit-done", onclick: finish }, say("editDone")), end("cancel"))];
}
