// What the engine's book of openings knows of the shown position.
import { verdict } from "./board.js";
import { brief, h, patch, percent } from "./dom.js";
import { shown } from "./names.js";
import { say } from "./words.js";

// Moves the best first: a click plays one. Those after which the book ends are dim.
export function draw(panel, { view, hidden, hover, play }) {
  if (hidden || !view.book.length) {
    patch(panel, h("p", { class: "note" }, say(hidden ? "isHidden" : "notInBook")));
    return;
  }
  const name = (at) => shown(view.game, at), mover = view.to_move;
  const head = h("thead", {}, h("tr", {}, h("th", {}, say("move")), h("th", {}, say("winrate")), h("th", {}, say("loss")), h("th", {}, say("visitCount")), h("th", { class: "text" }, say("line"))));
  const rows = view.book.map((row) =>
    h("tr", { "data-pick": row.at, class: row.known ? "" : "dim", title: say(row.known ? "bookMove" : "bookEnds"), onmouseenter: () => hover(row.pv), onmouseleave: () => hover(null), onclick: () => play(row.at) },
      h("td", {}, h("button", { class: "plain", onfocus: () => hover(row.pv), onblur: () => hover(null) }, name(row.at))),
      h("td", {}, row.proven ? verdict(row.proven, mover) : percent(row.winrate)),
      h("td", {}, percent(row.loss)), h("td", {}, brief(row.visits)), h("td", { class: "pv" }, row.pv.slice(1).map(name).join(" "))));
  patch(panel, h("table", { id: "book" }, head, h("tbody", {}, rows)));
}
