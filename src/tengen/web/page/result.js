// The end of a game in words.
import { aside, listed, pair, say, side } from "./words.js";

// The winner and the reason; the winner is null for a draw and for results in other words.
export function result(view) {
  const { result, why } = view.end, winner = result[0] === "B" || result[0] === "W" ? result[0] : null;
  if (!winner) return [null, result === "0" || /^draw|jigo/i.test(result) ? say("draw") : result];
  const how = result.slice(2), loser = winner === "B" ? "W" : "B";
  const reason = why === "time" || /^T(ime)?$/i.test(how) ? say("byTime") : why === "resignation" || (why === "record" && /^R/i.test(how)) ? say("byResign")
    : why === "rules" ? (view.game === "gomoku" ? say("five") : say("noMove", { side: side(loser) })) : /^[\d.]+$/.test(how) ? say("byPoints", { points: how }) : why === "record" ? say("record") : why;
  return [say("won", { side: side(winner) }), reason];
}

export const resultText = (view) => listed(result(view));

// A count taken apart.
export function countText(view) {
  const { parts, area } = view.count;
  const of = (index) => (area ? say("areaOf", { stones: parts[index].stones, empty: parts[index].empty }) : say("territoryOf", { empty: parts[index].empty, prisoners: parts[index].prisoners }));
  const total = (index) => (area ? parts[index].stones : parts[index].prisoners) + parts[index].empty;
  return [aside(`${side("B")} ${total(0)}`, of(0)), aside(`${side("W")} ${total(1)}`, of(1)), `${say("komi")} ${view.count.komi}`].join(" · ");
}

// A count is an estimate unless both sides have passed.
export const estimate = (view) => (view.end?.why === "count" ? "" : pair(say("estimate"), resultText({ ...view, end: { result: view.count.result, why: "count" } })));

// Who thinks about the next move.
export const thinker = (view) => say("thinks", { name: view.names[view.to_move === "B" ? 0 : 1] || say("engine") });
