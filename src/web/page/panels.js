// The panels beside the board: players and clocks, the state of the game, candidates, moves and comments.
import { tone, verdict } from "./board.js";
import { $, brief, h, patch, percent, share, signed, stone } from "./dom.js";
import * as tree from "./tree.js";
import { say, side } from "./words.js";

const time = (seconds) => {
  const whole = Math.max(0, seconds), minutes = Math.floor(whole / 60);
  if (whole < 10) return whole.toFixed(1);
  if (minutes >= 60) return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${String(Math.floor(whole % 60)).padStart(2, "0")}`;
  return `${minutes}:${String(Math.floor(whole % 60)).padStart(2, "0")}`;
};

function clock(shown, since) {
  if (!shown) return null;
  const left = shown.seconds - (shown.running ? (performance.now() - since) / 1000 : 0);
  const more = shown.phase === "main" ? "" : shown.phase === "byoyomi" ? `×${shown.stones}` : `/${shown.stones}`;
  const state = `${shown.running ? "running" : ""} ${shown.running && left < 10 ? "short" : ""}`;
  return h("span", { class: `clock ${state}` }, time(left), more && h("small", {}, more));
}

// Players, side to move, and clocks.
export function players(view, since) {
  const row = (color, index) => {
    const engine = view.terms?.players[index] === "engine";
    const name = view.names[index] || (engine ? say("engine") : side(color));
    const over = view.end != null;
    return h("div", { class: "player" + (!over && view.to_move === color ? " turn" : "") }, stone(color), h("b", {}, name),
      view.scores && h("span", { class: "dim" }, say("captured", { n: view.taken[1 - index] })), clock(view.clocks[index], since));
  };
  patch($("players"), row("B", 0), row("W", 1));
}

// How much time the move being chosen gets, and has taken.
export function plan(view, since) {
  const box = $("plan"), { plan } = view;
  box.hidden = !plan || view.task !== "move";
  if (box.hidden) return;
  const spent = plan.elapsed + (performance.now() - since) / 1000, shown = Math.max(plan.most, Math.min(plan.hard, spent), 0.01);
  const at = (seconds) => `${Math.min(100, (100 * seconds) / shown).toFixed(1)}%`;
  patch(box,
    h("span", {}, say("plan", { spent: spent.toFixed(1), planned: brief1(plan.planned), most: brief1(plan.most), hard: brief1(plan.hard) })),
    h("svg", { width: "100%", height: 8, "aria-hidden": "true" }, h("rect", { class: "whole", width: "100%", height: 8, rx: 4 }), h("rect", { class: spent > plan.planned ? "spent over" : "spent", width: at(spent), height: 8, rx: 4 }), h("line", { x1: at(plan.planned), x2: at(plan.planned), y1: 0, y2: 8 })));
}

const brief1 = (seconds) => (seconds < 10 ? seconds.toFixed(1) : String(Math.round(seconds)));

function result(view) {
  const { result, why } = view.end, winner = result[0] === "B" || result[0] === "W" ? result[0] : null;
  if (!winner) return result === "0" || /^draw|jigo/i.test(result) ? say("draw") : result;
  const how = result.slice(2), loser = winner === "B" ? "W" : "B";
  const reason = why === "time" || how === "T" ? say("byTime") : why === "resignation" || (why === "record" && /^R/i.test(how)) ? say("byResign")
    : why === "rules" ? (view.game === "gomoku" ? say("five") : say("noMove", { side: side(loser) })) : /^[\d.]+$/.test(how) ? say("byPoints", { points: how }) : why === "record" ? say("record") : why;
  return [h("b", {}, say("won", { side: side(winner) })), h("span", {}, reason)];
}

// One line with the state of the game.
export function status(view, analysis) {
  const parts = [];
  if (view.end) {
    parts.push(result(view));
    if (view.end.why === "count" && view.count) parts.push(h("span", { class: "dim" }, say(view.count.certain ? "certain" : "byCount")), h("span", { class: "dim" }, say("disagree")));
  } else if (view.task === "count") parts.push(say("counting"));
  else if (view.task === "move") parts.push(h("b", {}, say("thinks", { name: view.names[view.to_move === "B" ? 0 : 1] || say("engine") })));
  else if (view.task === "ponder" && !view.terms) parts.push(h("b", {}, say("toMove", { side: side(view.to_move) })), say("ponders"));
  else parts.push(h("b", {}, say("toMove", { side: side(view.to_move) })));
  if (analysis && !view.end) {
    if (!analysis.proven) parts.push(h("span", {}, `${say("winrate")} ${percent(share(view.to_move, analysis.winrate))}`));
    if (analysis.lead != null) parts.push(h("span", {}, `${say("lead")} ${signed(view.to_move === "B" ? analysis.lead : -analysis.lead)}`));
    if (analysis.proven) parts.push(h("b", {}, analysis.proven === "0" ? say("provenDraw") : say("proven", { side: side(analysis.proven) })));
  }
  if (view.count && view.end?.why !== "count") parts.push(h("span", {}, `${say("count")}: ${view.count.result}`));
  if (!view.passes && !view.end && view.game === "nogo" && view.legal) {
    const may = (bit) => [...view.legal].filter((bits) => Number(bits) & bit).length;
    parts.push(h("span", { class: "dim" }, say("legalCount", { b: may(1), w: may(2) })));
  }
  patch($("status"), parts);
}

// Candidates with their numbers and lines.
export function candidates(panel, { view, analysis, hover, play }) {
  if (!analysis) {
    patch(panel, h("p", { class: "note" }, say(view.end && !view.passes ? "finished" : view.terms ? "noAnalysis" : "notSearched")), notes(view));
    return;
  }
  const mover = analysis.to_move, best = analysis.candidates[0], points = analysis.candidates.some((c) => c.lead != null);
  const head = h("tr", {}, h("th", {}, say("move")), h("th", {}, say("winrate")), points && h("th", {}, say("lead")), h("th", {}, say("visitCount")), h("th", {}, say("prior")), h("th", { class: "text" }, say("line")));
  const rows = analysis.candidates.slice(0, 12).map((c) =>
    h("tr", { "data-pick": c.at, title: say("playLine"), onmouseenter: () => hover(c.pv), onmouseleave: () => hover(null), onclick: () => play(c.pv) },
      h("td", {}, h("span", { class: "key " + tone(c, best, mover) }), c.at),
      h("td", {}, c.proven ? verdict(c.proven, mover) : percent(share(mover, c.winrate))),
      points && h("td", {}, signed(c.lead == null ? null : mover === "B" ? c.lead : -c.lead)),
      h("td", {}, brief(c.visits)), h("td", {}, percent(c.prior)), h("td", { class: "pv" }, c.pv.slice(1).join(" "))));
  const total = h("p", { class: "note" }, `${brief(analysis.visits)} ${say("visits")}`, analysis.speed ? ` · ${say("speed", { n: brief(analysis.speed) })}` : "", view.engine ? ` · ${view.engine}` : "");
  patch(panel, h("div", { class: "scroll" }, h("table", { id: "candidates" }, head, rows)), total, notes(view));
}

const notes = (view) => (view.notes || []).map((text) => h("p", { class: "note" }, text));

// The tree and the comment of the shown position.
export function moves(panel, { view, nodes, go, send, server }) {
  const old = panel.querySelector("textarea");
  // A comment that is being written stays with its position until the field is left.
  const node = old && old === document.activeElement ? Number(old.dataset.node) : view.current;
  const comment = h("textarea", { "data-node": node, placeholder: say("comment"), "aria-label": say("comment"), readonly: !server, onchange: (event) => send({ do: "comment", node: Number(event.target.dataset.node), text: event.target.value }) });
  comment.value = view.comment || "";
  const buttons = server && h("div", { class: "bar" }, h("button", { onclick: () => send({ do: "promote" }) }, say("promote")), h("button", { onclick: () => send({ do: "delete" }), disabled: view.current === 0 }, say("deleteNode")));
  patch(panel, h("div", { class: "tree" }, tree.draw(nodes, view.current, go)), (server || view.comment) && comment, buttons, notes(view));
  const box = panel.querySelector(".tree"), here = box.querySelector(".here");
  if (here) {
    const x = Number(here.getAttribute("cx")), y = Number(here.getAttribute("cy"));
    if (x < box.scrollLeft + 30 || x > box.scrollLeft + box.clientWidth - 40) box.scrollLeft = x - box.clientWidth / 2;
    if (y < box.scrollTop + 20 || y > box.scrollTop + box.clientHeight - 30) box.scrollTop = y - box.clientHeight / 2;
  }
}
