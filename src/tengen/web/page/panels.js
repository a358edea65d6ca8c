// The panels beside the board: players and clocks, the state of the game, candidates, moves and comments.
import { tone, verdict, worth } from "./board.js";
import { $, brief, h, patch, percent, share, signed, stone } from "./dom.js";
import { childrenOf } from "./gametree.js";
import { announce, tellOften } from "./heard.js";
import { shown } from "./names.js";
import { countText, estimate, result, resultText, thinker } from "./result.js";
import * as tree from "./tree.js";
import { aside, ended, listed, note, pair, rules, say, side } from "./words.js";

const time = (seconds) => {
  const whole = Math.max(0, seconds), minutes = Math.floor(whole / 60);
  if (whole < 10) return whole.toFixed(1);
  if (minutes >= 60) return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${String(Math.floor(whole % 60)).padStart(2, "0")}`;
  return `${minutes}:${String(Math.floor(whole % 60)).padStart(2, "0")}`;
};

const secondsLeft = (clock, since) => clock.seconds - (clock.running ? (performance.now() - since) / 1000 : 0);

function clock(shown, since) {
  if (!shown) return null;
  const left = secondsLeft(shown, since);
  const more = shown.phase === "main" ? "" : shown.phase === "byoyomi" ? `×${shown.stones}` : `/${shown.stones}`;
  const state = `${shown.running ? "running" : ""} ${shown.running && left < 10 ? "short" : ""}`;
  return h("span", { class: `clock ${state}` }, time(left), more && h("small", {}, more));
}

// The game, its board and rules.
export function title(view) {
  const more = view.scores ? [rules(view.rules), `${say("komi")} ${view.komi}`, view.handicap > 1 && `${say("handicap")} ${view.handicap}`] : view.game === "nogo" ? [] : [rules(view.rules)];
  patch($("what"), [`${say(view.game)} ${view.width}×${view.height}`, ...more].filter(Boolean).join(" · "));
}

// How well Tengen plays, in words.
export function levelName(level) {
  if (level?.strength) return `${say("levelOf", { n: level.strength })}`;
  if (level?.visits) return `${level.visits} ${say("visits")}`;
  return level?.seconds ? `${level.seconds} ${say("seconds")}` : say("fullStrength");
}

// Players, side to move, and clocks; `change` is what a click on a name does, if anything.
export function players(view, since, change) {
  const row = (color, index) => {
    const engine = view.terms?.players[index] === "engine";
    const own = view.names[index], name = !own ? (engine ? say("engine") : side(color)) : engine && own !== "Tengen" ? aside(own, say("engine")) : own;
    const rank = view.ranks?.[index], more = engine ? levelName(view.terms.level) : rank;
    const over = view.end != null, who = [name !== side(color) && h("span", { class: "unseen" }, pair(side(color), "")), h("b", {}, name), more && h("span", { class: "dim" }, more)];
    return h("div", { class: "player" + (!over && view.to_move === color ? " turn" : "") }, stone(color), change ? h("button", { class: "plain who", title: say("changePlayers"), onclick: change }, who, h("span", { class: "more", "aria-hidden": "true" }, "▾")) : who,
      view.scores && h("span", { class: "dim taken" }, say("captured", { n: view.taken[1 - index] })), clock(view.clocks[index], since));
  };
  patch($("players"), row("B", 0), row("W", 1));
}

const warned = [Infinity, Infinity];
// Says that a person's time is running out.
export function warn(view, since) {
  view.clocks.forEach((clock, index) => {
    if (!clock?.running || view.terms?.players[index] !== "human") return;
    const left = secondsLeft(clock, since), limit = [10, 30, 60].find((seconds) => left <= seconds) ?? Infinity;
    if (limit < warned[index]) announce(say("timeLeft", { side: side(index ? "W" : "B"), n: Math.max(0, Math.ceil(left)) }));
    warned[index] = limit;
  });
}

// Says the best move of the analysis that runs, once it has looked around.
export function tellBest(view, analysis) {
  const found = view.analysing && analysis && (analysis.done ? analysis.task !== "move" : analysis.visits >= 100) ? analysis.candidates[0] : null;
  if (found) tellOften(`${view.current} ${found.at}`, ended(listed(shown(view.game, found.at), worth(found, analysis.to_move))));
  else if (!view.analysing) tellOften("", "");
}

// The bar beside the board: Black's share of the win rate from below.
export function bar(view, found) {
  const box = $("evalbar"), rate = found?.proven === "B" ? 1 : found?.proven === "W" ? 0 : found?.winrate;
  box.classList.toggle("unknown", rate == null);
  box.style.setProperty("--black", String(100 * (rate ?? 0.5)) + "%");
  const lead = found?.lead, text = rate == null ? say("noEvaluation") : listed(`${side("B")} ${percent(rate, 0)}`, lead != null && `${say("lead")} ${signed(lead)}`);
  box.title = text;
  box.setAttribute("aria-label", text);
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

// One line with the state of the game, or with the point that was touched first.
export function status(view, analysis, aimed) {
  const parts = [];
  if (aimed) parts.push(h("b", {}, aimed));
  else if (view.end) {
    const [winner, reason] = result(view);
    parts.push(winner ? [h("b", {}, winner), h("span", {}, reason)] : reason);
    if (view.end.why === "count" && view.count) parts.push(h("span", { class: "dim" }, say(view.count.certain ? "certain" : "byCount")), h("span", { class: "dim" }, say("disagree")));
  } else if (view.task === "count") parts.push(say("counting"));
  else if (view.task === "move") parts.push(h("b", {}, thinker(view)));
  else if (view.task === "ponder" && !view.terms) parts.push(h("b", {}, say("toMove", { side: side(view.to_move) })), say("ponders"));
  else parts.push(h("b", {}, say("toMove", { side: side(view.to_move) })));
  if (analysis && !view.end) {
    if (!analysis.proven) parts.push(h("span", {}, `${say("winrate")} ${percent(share(view.to_move, analysis.winrate))}`));
    if (analysis.lead != null) parts.push(h("span", {}, `${say("lead")} ${signed(view.to_move === "B" ? analysis.lead : -analysis.lead)}`));
    if (analysis.proven) parts.push(h("b", {}, analysis.proven === "0" ? say("provenDraw") : say("proven", { side: side(analysis.proven) })));
  }
  if (view.count) parts.push(h("span", { id: "counted" }, h("b", {}, estimate(view)), " ", countText(view), " ", h("span", { class: "dim" }, say("deadTip"))));
  if (!view.passes && !view.end && view.game === "nogo" && view.legal) {
    const may = (bit) => [...view.legal].filter((bits) => Number(bits) & bit).length;
    parts.push(h("span", { class: "dim" }, say("legalCount", { b: may(1), w: may(2) })));
  }
  patch($("status"), parts);
}

// What the file says of the shown position, and at the beginning of the game.
export function remark(view, hidden) {
  const text = hidden ? "" : [view.current === 0 && view.info?.text, view.comment].filter(Boolean).join("\n\n");
  $("remark").hidden = !text;
  patch($("remark"), text);
}

// The games of a file, one of which is shown.
export function collection({ games: [count, place] }, titles, send) {
  // After a choice by mouse the next key applies to the board, as after a click on a button.
  const choosesBy = (mouse) => ({ target }) => { target.mouse = mouse; }, choose = ({ target }) => { if (target.mouse) target.blur(); show(Number(target.value)); };
  const show = (n) => send({ do: "game", place: n }), name = (n) => (titles[n] ? pair(n + 1, titles[n]) : String(n + 1));
  const turn = (id, by, word) => h("button", { id, disabled: place + by < 0 || place + by >= count, title: say(id), "aria-label": say(id), onclick: () => show(place + by) }, word);
  Object.assign($("games"), { hidden: count < 2, role: "group" });
  patch($("games"), count > 1 && [turn("gameBefore", -1, "‹"), h("select", { id: "which", "aria-label": say("game"), onpointerdown: choosesBy(true), onkeydown: choosesBy(false), onchange: choose }, Array.from({ length: count }, (_, n) => h("option", { value: n, selected: n === place }, name(n)))), turn("gameAfter", 1, "›"), h("span", { class: "dim" }, say("gameOf", { n: count }))]);
}

// For print: the players, and the moves up to the shown position.
export function sheet(view, path) {
  const moves = path.filter(({ at }) => at).map(({ at }, place) => `${place + 1}. ${at === "pass" ? say("pass") : shown(view.game, at)}`);
  $("sheet").replaceChildren(h("p", {}, [0, 1].map((index) => view.names[index] || side(index ? "W" : "B")).join(" – ")), h("p", {}, moves.join("  ")));
}

// Candidates with their numbers and lines.
export function candidates(panel, { view, analysis, hidden, hover, play }) {
  if (!analysis) {
    patch(panel, h("p", { class: "note" }, say(hidden ? "isHidden" : view.end && !view.passes ? "finished" : view.terms ? "noAnalysis" : "notSearched")), notes(view));
    return;
  }
  const mover = analysis.to_move, best = analysis.candidates[0], points = analysis.candidates.some((c) => c.lead != null);
  const head = h("thead", {}, h("tr", {}, h("th", {}, say("move")), h("th", {}, say("winrate")), points && h("th", {}, say("lead")), h("th", {}, say("visitCount")), h("th", {}, say("prior")), h("th", { class: "text" }, say("line"))));
  const name = (at) => shown(view.game, at), leadOf = (c) => c.lead ?? (c === best ? analysis.lead : null);
  const rows = analysis.candidates.slice(0, 12).map((c) =>
    h("tr", { "data-pick": c.at, title: say("playLine"), onmouseenter: () => hover(c.pv), onmouseleave: () => hover(null), onclick: () => play(c.pv) },
      h("td", {}, h("span", { class: "key " + tone(c, best, mover) }), h("button", { class: "plain", onfocus: () => hover(c.pv), onblur: () => hover(null) }, name(c.at))),
      h("td", {}, c.proven ? verdict(c.proven, mover) : percent(share(mover, c.winrate))),
      points && h("td", {}, signed(leadOf(c) == null ? null : mover === "B" ? leadOf(c) : -leadOf(c))),
      h("td", {}, brief(c.visits)), h("td", {}, percent(c.prior)), h("td", { class: "pv" }, c.pv.slice(1).map(name).join(" "))));
  const total = h("p", { class: "note" }, `${brief(analysis.visits)} ${say("visits")}`, analysis.speed ? ` · ${say("speed", { n: brief(analysis.speed) })}` : "", view.engine ? ` · ${note(view.engine)}` : "");
  patch(panel, h("table", { id: "candidates" }, head, h("tbody", {}, rows)), total, notes(view));
}

const notes = (view) => (view.notes || []).map((text) => h("p", { class: "note" }, note(text)));

// What the file says of the game.
const about = (view) => Object.entries(view.info ?? {}).map(([name, text]) => h("p", { class: "note about" }, h("b", {}, say(`info_${name}`)), " ", name === "result" ? resultText({ ...view, end: { result: text, why: "record" } }) : text));

// The tree, the moves from here, and the comment of the shown position.
export function moves(panel, { view, tree: nodes, go, send, server, hidden, edit, picture }) {
  const old = panel.querySelector("textarea");
  // A comment that is being written stays with its position and game until the field is left, and longer if it is refused.
  const { node, serial } = old && old === document.activeElement ? old.dataset : { node: view.current, serial: view.serial };
  const write = async ({ target }) => {
    const text = target.value;
    if (!(await send({ do: "comment", node: Number(target.dataset.node), serial: Number(target.dataset.serial), text }))) { target.focus(); target.value = text; }
  };
  const comment = h("textarea", { "data-node": node, "data-serial": serial, placeholder: say("comment"), "aria-label": say("comment"), readonly: !server, onchange: write });
  comment.value = view.comment || "";
  const next = childrenOf(nodes, view.current).map((id) => nodes.nodes.get(id));
  const branches = !hidden && next.length > 1 && h("div", { class: "bar branches" }, h("span", { class: "dim" }, say("variations")), next.slice(0, 40).map((child) => h("button", { onclick: () => go(child.id) }, child.at ? [stone(child.color), " ", shown(view.game, child.at)] : say("setUp"))));
  const buttons = server && h("div", { class: "bar" }, h("button", { onclick: () => send({ do: "promote" }) }, say("promote")), h("button", { onclick: () => send({ do: "delete" }), disabled: view.current === 0 }, say("deleteNode")), h("button", { id: "picture", onclick: picture }, say("picture")));
  const editing = Array.isArray(edit);
  patch(panel, editing && edit, !hidden && h("div", { class: "tree", tabindex: 0, role: "group", "aria-label": say("moves") }, tree.draw(nodes, view.current, go)), branches, !hidden && (server || view.comment) && comment, !editing && buttons, !editing && edit, about(view), notes(view));
  const box = panel.querySelector(".tree"), here = box?.querySelector(".here");
  if (here) {
    const x = Number(here.getAttribute("cx")), y = Number(here.getAttribute("cy"));
    if (x < box.scrollLeft + 30 || x > box.scrollLeft + box.clientWidth - 40) box.scrollLeft = x - box.clientWidth / 2;
    if (y < box.scrollTop + 20 || y > box.scrollTop + box.clientHeight - 30) box.scrollTop = y - box.clientHeight / 2;
  }
}
