// What is heard: a click for each stone, and for screen readers each move and result, once.
import { $ } from "./dom.js";
import { pathTo } from "./gametree.js";
import { shown } from "./names.js";
import { countText, estimate, resultText, thinker } from "./result.js";
import { ended, say, side } from "./words.js";

let before = null, context = null;

// The sound of a stone: a short noise that fades.
export function click() {
  try {
    context ??= new AudioContext();
    const length = Math.floor(context.sampleRate * 0.05), buffer = context.createBuffer(1, length, context.sampleRate), data = buffer.getChannelData(0);
    for (let i = 0; i < length; i++) data[i] = (Math.random() * 2 - 1) * Math.exp(-i / (length / 9)) * 0.5;
    const source = context.createBufferSource(), filter = context.createBiquadFilter();
    Object.assign(source, { buffer });
    Object.assign(filter, { type: "bandpass" });
    filter.frequency.value = 1900;
    source.connect(filter).connect(context.destination);
    source.start();
  } catch { /* without sound then */ }
}

let waiting = [];
// Speaks; what comes at the same moment is spoken after it.
export function announce(text) {
  if (!waiting.length) setTimeout(() => { $("said").textContent = waiting.join(" "); waiting = []; }, 20);
  waiting.push(text);
}

const known = new Map();
// Speaks a text when the value that it stands for is another than before; "" is nothing to speak of.
export function tellChange(what, value, text) {
  if (value !== "" && known.get(what) !== value && text) announce(text);
  known.set(what, value);
}

// The same for what changes faster than people listen.
let best = { value: "", when: 0 };
export function tellOften(value, text) {
  const now = performance.now();
  if (value === best.value || (text && now - best.when < 4000)) return;
  best = { value, when: text ? now : 0 };
  if (text) announce(text);
}

// Tells what has changed: the moves, their captures, whose turn it is, how the game ended, and a count.
export function tell(view, tree, sound) {
  const node = tree.nodes.get(view.current);
  // The node may arrive after the position.
  if (!node) return;
  const key = [view.game, view.current, view.end?.result, view.width].join();
  if (before && before.key !== key) tellMoves(view, tree, sound, node);
  before = { key, current: view.current, taken: view.taken };
  tellChange("count", view.count?.points ?? "", view.count && ended(`${estimate(view)} ${countText(view)}`.trim()));
}

function tellMoves(view, tree, sound, node) {
  // Tengen's answer may come with the move that it answers.
  const path = pathTo(tree, view.current), start = path.findIndex((one) => one.id === before.current);
  const since = start >= 0 || before.current === 0 ? path.slice(start + 1) : [], played = since.length === 1 || since.length === 2;
  const parts = [];
  for (const { color, at } of played ? since : view.current !== before.current ? [node] : []) {
    if (!at) continue;
    parts.push(ended(`${side(color)} ${at === "pass" ? say("pass") : shown(view.game, at)}`));
    const other = color === "B" ? 1 : 0, captured = view.taken[other] - before.taken[other];
    if (played && captured > 0) parts.push(ended(say("captured", { n: captured })));
  }
  parts.push(view.end ? ended(resultText(view)) : view.choosing ? thinker(view) : ended(say("toMove", { side: side(view.to_move) })));
  announce(parts.join(say("gap")));
  if (sound && played && node.at && node.at !== "pass" && view.current === view.live && document.hasFocus()) click();
}
