// What is heard: a click for each stone, and for screen readers each move and result, once.
import { $ } from "./dom.js";
import { shown } from "./names.js";
import { resultText } from "./result.js";
import { say, side } from "./words.js";

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

export const announce = (text) => { $("said").textContent = text; };

// Tells what has changed: the move, its captures, whose turn it is, or how the game ended.
export function tell(view, tree, sound) {
  const key = [view.game, view.current, view.end?.result, view.width].join();
  if (before?.key === key) return;
  const old = before;
  before = { key, current: view.current, live: view.live, taken: view.taken };
  if (!old) return;
  const node = tree.nodes.get(view.current), played = view.current !== old.current && node?.parent === old.current;
  const parts = [];
  if (view.current !== old.current && node?.at) parts.push(`${side(node.color)} ${node.at === "pass" ? say("pass") : shown(view.game, node.at)}.`);
  const captured = view.taken[0] + view.taken[1] - old.taken[0] - old.taken[1];
  if (played && captured > 0) parts.push(`${say("captured", { n: captured })}.`);
  parts.push(view.end ? `${resultText(view)}.` : `${say("toMove", { side: side(view.to_move) })}.`);
  announce(parts.join(" "));
  if (sound && played && node.at && node.at !== "pass" && view.current === view.live && document.hasFocus()) click();
}
