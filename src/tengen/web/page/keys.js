// Keys. On the board itself arrows move a cursor, elsewhere they walk through the game.
import { $ } from "./dom.js";
import { store } from "./store.js";

const KEYS = { ArrowLeft: "back", ArrowRight: "next", ArrowUp: "up", ArrowDown: "down", Home: "first", End: "last", " ": "engine", a: "analyse", h: "hint", p: "pass", u: "undo", l: "layer", m: "type", Escape: "escape" };
const CURSOR = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// Keys of the focused board; whether it was one.
function onBoard(event, act) {
  if (CURSOR[event.key]) act.cursor(...CURSOR[event.key]);
  else if (event.key === "Enter" || event.key === " ") act.place();
  else if (event.key === "Escape") $("frame").blur();
  else return false;
  return true;
}

// Arrows in a group of which one is chosen: they choose.
function inGroup(event) {
  const group = event.target.closest?.("[role=radiogroup], [role=tablist]"), way = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
  if (!group || !way) return false;
  const all = [...group.querySelectorAll("[role=radio], [role=tab]")];
  if (!all.includes(event.target)) return false;
  const next = all[(all.indexOf(event.target) + way + all.length) % all.length];
  next.focus();
  next.click();
  return true;
}

function pressed(event, act, can) {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if ((event.ctrlKey || event.metaKey) && (key === "z" || key === "y") && !event.target.closest?.("textarea, input:not([type=range]), dialog")) {
    const name = key === "y" || event.shiftKey ? "doAgain" : "takeBack";
    if (can(name)) act[name]();
    return event.preventDefault();
  }
  if (key === "Escape" && event.target === $("typed")) return event.target.blur();
  if (!event.ctrlKey && !event.metaKey && !event.altKey && inGroup(event)) return event.preventDefault();
  const typing = event.target.closest?.("textarea, select, input:not([type=range]), dialog[open]") || ([" ", "Enter"].includes(event.key) && event.target.closest?.("button, [data-pick]"));
  if (event.ctrlKey || event.metaKey || event.altKey || typing || !store.view) return;
  if (document.activeElement === $("frame") && onBoard(event, act)) return event.preventDefault();
  if (event.target.closest?.("#slider") && event.key.startsWith("Arrow")) return;
  const name = KEYS[key];
  if (key === "n") act.mistake(event.shiftKey ? -1 : 1);
  else if (key === "b") { $("frame").focus(); act.cursor(0, 0); }
  else if (!name || !can(name) || (name === "engine" && event.repeat)) return;
  else act[name]();
  event.preventDefault();
}

// `can` tells which of the actions are possible now.
export const listenToKeys = (act, can) => addEventListener("keydown", (event) => pressed(event, act, can));
