// An area of the board to which the analysis is limited: two clicks on opposite corners.
import { h } from "./dom.js";
import { tellChange } from "./heard.js";
import { vertexOf } from "./names.js";
import { store } from "./store.js";
import { say } from "./words.js";

const state = { on: false, corner: -1 };
let does = { send() {}, redraw() {} };

export const begin = (actions) => { does = actions; };
export const isOn = () => state.on;
// The first corner, once it is chosen.
export const corner = () => (state.on ? state.corner : -1);

export function stop() {
  Object.assign(state, { on: false, corner: -1 });
  does.redraw();
}

function choose() {
  Object.assign(state, { on: true, corner: -1 });
  does.redraw();
}

// A click: a corner, or the opposite one.
export async function click(index) {
  if (state.corner < 0) {
    state.corner = index;
    return does.redraw();
  }
  const { view } = store, points = [], column = (at) => at % view.width, row = (at) => Math.floor(at / view.width);
  const between = (one, two, at) => Math.min(one, two) <= at && at <= Math.max(one, two);
  for (let at = 0; at < view.width * view.height; at++) {
    if (between(column(state.corner), column(index), column(at)) && between(row(state.corner), row(index), row(at))) points.push(vertexOf(view, at));
  }
  stop();
  if ((await does.send({ do: "area", points })) && !view.analysing) does.send({ do: "analyse", on: true });
}

export function button(view) {
  const step = state.on ? say(state.corner < 0 ? "areaCorner" : "areaOpposite") : "";
  tellChange("area", step, step);
  const [word, act] = state.on ? ["areaStop", stop] : view.area ? ["areaEnd", () => does.send({ do: "area", points: [] })] : ["areaBegin", choose];
  return h("div", { class: "bar" }, h("button", { id: "area", "aria-pressed": String(state.on || Boolean(view.area)), onclick: act }, say(word)), step && h("span", { class: "dim" }, step));
}
