// Elements of HTML and SVG, and stored preferences.
const SVG = new Set(["svg", "g", "path", "circle", "line", "text", "polyline", "polygon", "rect", "radialGradient", "stop", "defs", "title"]);

export const $ = (id) => document.getElementById(id);

// An element with attributes and children. A title belongs to SVG only: pages have none here.
export function h(name, attributes, ...children) {
  const element = SVG.has(name) ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value == null || value === false) continue;
    if (key.startsWith("on")) (element.handlers ??= {})[key] = element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}

const similar = (old, next) => old.nodeName === next.nodeName && old.id === next.id && old.dataset?.key === next.dataset?.key;

// Makes an element like another: itself it stays, with its focus, scroll position, and a press on it.
function become(old, next) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== next.data) old.data = next.data;
    return;
  }
  for (const { name } of [...old.attributes]) if (!next.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of next.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const name in old.handlers) if (!next.handlers?.[name]) old[name] = null;
  Object.assign(old, next.handlers);
  old.handlers = next.handlers;
  patch(old, [...next.childNodes]);
  // A field that is being edited keeps its text.
  if ("value" in next && old.value !== next.value && old !== document.activeElement) old.value = next.value;
}

// Replaces an element's children; those of the same kind stay and change.
export function patch(parent, ...children) {
  const wanted = children.flat(Infinity).filter((child) => child != null && child !== false && child !== "");
  wanted.forEach((child, place) => {
    const next = child instanceof Node ? child : document.createTextNode(child), old = parent.childNodes[place];
    if (!old) parent.append(next);
    else if (similar(old, next)) become(old, next);
    else old.replaceWith(next);
  });
  while (parent.childNodes.length > wanted.length) parent.lastChild.remove();
}

export const stone = (color) => h("i", { class: "stone " + color });

// A file opened from a folder may have no storage.
export function remember(key, value) {
  try {
    localStorage.setItem("tengen." + key, value);
  } catch { /* not stored then */ }
}

export function recall(key) {
  try {
    return localStorage.getItem("tengen." + key);
  } catch {
    return null;
  }
}

// A group of buttons of which one is chosen: one stop of the Tab key; the arrow keys go on in it (keys.js).
export function options(kind, names, now, choose, word) {
  const stop = names.includes(now) ? now : names[0];
  const state = (chosen) => (kind === "tab" ? { role: "tab", "aria-selected": chosen, "aria-controls": "panel" } : { role: "radio", "aria-checked": chosen });
  return names.map((name) => h("button", { type: "button", id: kind === "tab" && `tab-${name}`, ...state(String(name === now)), tabindex: name === stop ? 0 : -1, [`data-${kind}`]: name, onclick: () => choose(name) }, word(name)));
}

// A button that has the focus keeps it while it can do nothing.
export function enable(button, can) {
  button.disabled = !can && button !== document.activeElement;
  button.setAttribute("aria-disabled", String(!can));
}

const isThere = (one) => !one.disabled && one.getClientRects().length > 0;
const isStop = (one) => one.matches("button, select, input, textarea, [tabindex]") && one.tabIndex >= 0 && isThere(one);

// Looks where the focus is; what it returns moves it on if the element is gone: to what has taken its place (of the same
// `data-place`, or after it), else to its panel, or to the board.
export function keepFocus() {
  const old = document.activeElement ?? document.body, place = old.closest("[data-place]")?.dataset.place, parent = old.parentElement ?? old, panel = old.closest("#panel");
  const number = [...parent.children].indexOf(old);
  return () => {
    if (old === document.body || isThere(old)) return;
    const beside = parent.isConnected ? [...parent.children].slice(number) : [];
    const parts = [...document.querySelectorAll(`[data-place="${place}"]`), ...beside, panel, $("frame")].filter(Boolean);
    parts.flatMap((part) => [part, ...part.querySelectorAll("*")]).find(isStop)?.focus();
  };
}

let hiding = 0, shown = "";
const lasting = new Map();
// A message lies over the names and the state of the game: neither over the board nor over the buttons, where these are seen.
export function placeToast() {
  const { left, width } = $("play").getBoundingClientRect(), { top } = $("acts").getBoundingClientRect(), seen = top > 60 && top < innerHeight;
  Object.assign($("toast").style, seen ? { left: `${left + width / 2}px`, bottom: `${innerHeight - top + 3}px`, maxWidth: `${width}px` } : { left: "", bottom: "", maxWidth: "" });
}

function write(text, button) {
  shown = text;
  const box = $("toast"), keep = keepFocus();
  placeToast();
  box.replaceChildren(h("span", {}, text), ...(button ? [h("button", { onclick: () => { rest(); button.act(); } }, button.word)] : []));
  box.hidden = !text;
  keep();
  clearTimeout(hiding);
}

const rest = () => write(...([...lasting.values()].at(-1) ?? [""]));

// A message, with a button to answer it if given; it goes by itself.
export function toast(text, { button } = {}) {
  write(text, button);
  hiding = setTimeout(rest, button ? 8000 : 5000);
}

// The message of a kind that stays, and comes back after others, until it is empty.
export function hold(kind, text, button) {
  const before = lasting.get(kind)?.[0];
  lasting.delete(kind);
  if (text) lasting.set(kind, [text, button]);
  if (text || shown === before) rest();
}

// Acts where a pointer presses, moves and lets go. A finger does so across only, and where it taps: up and down it scrolls
// the page. Returns what tells whether a pointer is down, and whether it acts.
export function follow(element, act) {
  let start = null, acts = true;
  const see = (event) => {
    const across = Math.abs(event.clientX - start.clientX), along = Math.abs(event.clientY - start.clientY);
    acts = event.pointerType !== "touch" || across > along;
    return across + along;
  };
  const end = () => { start = null; acts = true; };
  element.addEventListener("pointerdown", (event) => { start = event; see(event); if (acts) act(event); });
  element.addEventListener("pointermove", (event) => {
    if (!event.buttons) end();
    if (start) see(event);
    if (start && acts) act(event);
  });
  addEventListener("pointerup", (event) => { if (start && (see(event) < 10 || acts)) act(event); end(); });
  addEventListener("pointercancel", end);
  return { isHeld: () => start !== null, acts: () => acts };
}

// Gives a file to the person.
export function download(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Black's winrate converted to a side's.
export const share = (side, black) => (side === "B" ? black : 1 - black);
export const percent = (value, digits = 1) => (value == null ? "–" : (100 * value).toFixed(digits).replace(/^-(?=[0.]*$)/, "") + "%");
export const brief = (n) => (n >= 1e6 ? (n / 1e6).toFixed(1) + "M" : n >= 1e4 ? Math.round(n / 1e3) + "k" : n >= 1e3 ? (n / 1e3).toFixed(1) + "k" : String(n));
export const signed = (n) => (n == null ? "–" : (n > 0 ? "+" : n < 0 ? "−" : "±") + Math.abs(n).toFixed(1));
