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

let hiding = 0;
// A message, with a button to answer it if given; it goes by itself unless it `stays`.
export function toast(text, { button, stays } = {}) {
  const box = $("toast"), hide = () => (box.hidden = true);
  box.replaceChildren(h("span", {}, text), ...(button ? [h("button", { onclick: () => { hide(); button.act(); } }, button.word)] : []));
  box.hidden = false;
  clearTimeout(hiding);
  if (!stays) hiding = setTimeout(hide, button ? 12000 : 5000);
}

// Black's winrate converted to a side's.
export const share = (side, black) => (side === "B" ? black : 1 - black);
export const percent = (value, digits = 1) => (value == null ? "–" : (100 * value).toFixed(digits) + "%");
export const brief = (n) => (n >= 1e6 ? (n / 1e6).toFixed(1) + "M" : n >= 1e4 ? Math.round(n / 1e3) + "k" : n >= 1e3 ? (n / 1e3).toFixed(1) + "k" : String(n));
export const signed = (n) => (n == null ? "–" : (n > 0 ? "+" : n < 0 ? "−" : "±") + Math.abs(n).toFixed(1));
