// The board as a picture.
import { $, download } from "./dom.js";

// What the page's style sets, which a picture does not have.
const STYLES = ["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "font-family", "font-size", "font-weight", "text-anchor"];

function copy(board) {
  const made = board.cloneNode(true), own = [board, ...board.querySelectorAll("*")];
  [made, ...made.querySelectorAll("*")].forEach((element, place) => {
    const style = getComputedStyle(own[place]);
    for (const name of STYLES) element.setAttribute(name, style.getPropertyValue(name));
    for (const name of ["class", "style", "filter"]) element.removeAttribute(name);
  });
  return made;
}

// Saves the board as it is shown, as a PNG file.
export async function save(name) {
  const board = $("board"), { width, height } = board.viewBox.baseVal, made = copy(board), image = new Image();
  Object.entries({ xmlns: "http://www.w3.org/2000/svg", width, height }).forEach(([key, value]) => made.setAttribute(key, value));
  image.src = "data:image/svg+xml," + encodeURIComponent(new XMLSerializer().serializeToString(made));
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  canvas.getContext("2d").drawImage(image, 0, 0);
  download(await new Promise((done) => canvas.toBlob(done, "image/png")), name);
}
