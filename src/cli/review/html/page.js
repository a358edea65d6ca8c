"use strict";
// Everything is drawn from one state: how many moves are on the board (`now`), and the line that is
// shown instead of the game, if any (`shown`). `draw` makes the page say what the state is.
const review = JSON.parse(document.getElementById("review").textContent);
const { game, positions } = review;
const count = game.moves.length;
const COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ";
const NAMES = { inaccuracy: "inaccuracy", mistake: "mistake", blunder: "blunder", thrown_away: "thrown away" };
const $ = (id) => document.getElementById(id);
let now = 0, shown = null, everyMove = false;

const other = (side) => (side === "black" ? "white" : "black");
const title = (side) => side[0].toUpperCase() + side.slice(1);
const percent = (share) => (share == null ? "–" : (100 * share).toFixed(1) + "%");
const whole = (share) => (share == null ? "–" : (100 * share).toFixed(0));
const share = (side, black) => (side === "black" ? black : 1 - black);
const at = (moves) => positions[moves - positions[0].moves];
const spot = (vertex) => [COLUMNS.indexOf(vertex[0]), game.height - Number(vertex.slice(1))];

function tag(name, attributes, ...children) {
  const svg = ["svg", "g", "path", "circle", "line", "text", "polyline", "polygon", "rect", "radialGradient", "stop", "defs"];
  const element = svg.includes(name)
    ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value != null) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}
const ordinal = (n) => (n == null ? "–" : n + (n % 100 > 10 && n % 100 < 14 ? "th" : ["th", "st", "nd", "rd"][n % 10] || "th"));
const stone = (side) => tag("i", { class: "stone " + side });
const chip = (kind) => kind && tag("span", { class: "chip " + kind }, NAMES[kind]);

// The board. Stones by point after so many moves: NoGo captures nothing, so they only get more.
const CELL = 60, LEFT = 66, TOP = 42;
const place = ([x, y]) => [LEFT + x * CELL, TOP + y * CELL];

function stones(moves) {
  const found = new Map();
  for (const { color, at } of game.setup) found.set(at, color);
  for (const { color, at } of game.moves.slice(0, moves)) found.set(at, color);
  return found;
}

function grid() {
  const parts = [], [right, bottom] = place([game.width - 1, game.height - 1]);
  for (let x = 0; x < game.width; x++) {
    const [px] = place([x, 0]);
    parts.push(`M${px} ${TOP}V${bottom}`);
  }
  for (let y = 0; y < game.height; y++) {
    const [, py] = place([0, y]);
    parts.push(`M${LEFT} ${py}H${right}`);
  }
  const group = tag("g", {}, tag("path", { d: parts.join(""), stroke: "var(--grid)", "stroke-width": 1.4, fill: "none", "stroke-linecap": "square" }));
  const label = (x, y, text) => group.append(tag("text", { x, y, "text-anchor": "middle", "font-size": 19, fill: "var(--grid)" }, text));
  for (let x = 0; x < game.width; x++) label(place([x, 0])[0], bottom + 54, COLUMNS[x]);
  for (let y = 0; y < game.height; y++) label(20, place([0, y])[1] + 7, game.height - y);
  return group;
}

function disc(vertex, side, mark) {
  const [x, y] = place(spot(vertex));
  const group = tag("g", {},
    tag("circle", { cx: x + 1.5, cy: y + 2.5, r: 27.5, fill: "#0003" }),
    tag("circle", { cx: x, cy: y, r: 27.5, fill: `url(#${side})`, stroke: side === "black" ? "#000" : "#8b8b86", "stroke-width": 1 }));
  if (mark != null) group.append(tag("text", { x, y: y + 8, "text-anchor": "middle", "font-size": 23, "font-weight": 600, fill: side === "black" ? "#fff" : "#111" }, mark));
  return group;
}

// On wood, whatever the page is like.
const TONES = { best: "#0b5cad", good: "#23784a", fair: "#8a6d00", poor: "#c2560a", bad: "#c02320" };

// How much worse than the best a candidate is, as a colour.
function tone(position, candidate, best) {
  if (candidate.wins != null) return candidate.wins ? TONES.good : TONES.bad;
  if (candidate === best) return TONES.best;
  const loss = share(position.to_move, best.winrate) - share(position.to_move, candidate.winrate);
  const steps = review.settings.thresholds;
  return loss < steps[0] ? TONES.good : loss < steps[1] ? TONES.fair : loss < steps[2] ? TONES.poor : TONES.bad;
}

// Of a position those worth showing: proven ones, and those with a fiftieth of the visits; wins
// first, losses last.
function candidates(position) {
  if (!position) return [];
  const least = Math.max(2, position.visits / 50);
  const rank = (c) => (c.wins == null ? 1 : c.wins ? 0 : 2);
  return position.candidates.filter((c, i) => i === 0 || c.wins != null || c.visits >= least).sort((a, b) => rank(a) - rank(b));
}

const brief = (visits) => (visits >= 1e6 ? (visits / 1e6).toFixed(1) + "m" : visits >= 1e4 ? Math.round(visits / 1e3) + "k" : visits >= 1e3 ? (visits / 1e3).toFixed(1) + "k" : visits);

function bubble(position, candidate, best) {
  const [x, y] = place(spot(candidate.move));
  const color = tone(position, candidate, best);
  const small = candidate.wins != null && candidate.visits < 2;
  const rate = candidate.wins == null ? (100 * share(position.to_move, candidate.winrate)).toFixed(0) + "%" : candidate.wins ? "wins" : "loses";
  const group = tag("g", { class: "candidate", style: "cursor:pointer", onclick: () => show(candidate) },
    tag("circle", { cx: x, cy: y, r: small ? 21 : 26, fill: color, "fill-opacity": small ? 0.75 : 0.93, stroke: candidate === best ? "#fff" : "none", "stroke-width": 2.5 }),
    tag("text", { x, y: small ? y + 5 : y, "text-anchor": "middle", "font-size": small ? 13.5 : candidate.wins == null ? 18 : 16, "font-weight": 600, fill: "#fff" }, rate));
  if (!small) group.append(tag("text", { x, y: y + 17, "text-anchor": "middle", "font-size": 14, fill: "#fff" }, brief(candidate.visits)));
  group.append(tag("title", {}, `${candidate.move}: ${percent(share(position.to_move, candidate.winrate))}, ${candidate.visits} visits, policy ${percent(candidate.prior)}`));
  return group;
}

function drawBoard() {
  const board = $("board"), [right, bottom] = place([game.width - 1, game.height - 1]);
  const [width, height] = [right + 42, bottom + 66];
  const shade = (id, inner, outer) => tag("radialGradient", { id, cx: "35%", cy: "30%", r: "75%" },
    tag("stop", { offset: "0", "stop-color": inner }), tag("stop", { offset: "1", "stop-color": outer }));
  board.setAttribute("viewBox", `0 0 ${width} ${height}`);
  board.replaceChildren(
    tag("defs", {}, shade("black", "#5a5a5a", "#0b0b0b"), shade("white", "#fff", "#d9d7d0")),
    tag("rect", { width, height, fill: "var(--wood)" }), grid());
  const position = at(now), lying = stones(now);
  for (const [vertex, side] of lying) board.append(disc(vertex, side));
  if (now > 0) {
    const last = game.moves[now - 1], [x, y] = place(spot(last.at));
    const judged = at(now - 1)?.played;
    const color = judged?.class ? `var(--${judged.class})` : last.color === "black" ? "#fff" : "#111";
    board.append(tag("circle", { cx: x, cy: y, r: 12, fill: "none", stroke: color, "stroke-width": 4.5 }));
  }
  if (shown) {
    let side = position.to_move;
    shown.forEach((vertex, index) => {
      board.append(disc(vertex, side, index + 1));
      side = other(side);
    });
    return;
  }
  if ($("show").checked && position) {
    const list = candidates(position);
    for (const candidate of [...list].reverse()) board.append(bubble(position, candidate, list[0]));
  }
  const next = game.moves[now];
  if (next && $("show").checked) {
    const [x, y] = place(spot(next.at));
    board.append(tag("circle", { cx: x, cy: y, r: 28, fill: "none", stroke: next.color === "black" ? "#000" : "#fff", "stroke-width": 3.5, "stroke-dasharray": "7 5", "pointer-events": "none" }));
  }
}

// What is said of the move that was played, and of the one to come.
function drawSaid() {
  const box = $("said"), rows = [];
  if (now > 0) {
    const last = game.moves[now - 1], judged = at(now - 1)?.played;
    rows.push(tag("p", {}, tag("b", {}, stone(last.color), `Move ${now}: ${title(last.color)} ${last.at}`),
      chip(judged?.class), judged?.loss > 0.0005 ? `loses ${percent(judged.loss)}` : null));
  } else {
    rows.push(tag("p", {}, tag("b", {}, "The game begins")));
  }
  const position = at(now);
  if (position) {
    const mover = position.to_move, rate = position.winrate;
    const state = now === count && position.candidates.length === 0
      ? `${title(position.winner || mover)} has won: ${mover === "black" ? "Black" : "White"} has no legal move`
      : `${title(mover)} to move: ${rate == null ? "–" : percent(share(mover, rate))}`;
    rows.push(tag("p", {}, tag("span", {}, stone(mover), state),
      position.winner && position.candidates.length ? tag("span", {}, "proven: " + title(position.winner) + " wins") : null));
    const next = game.moves[now], judged = position.played;
    if (next && judged) {
      const ranks = [];
      if (judged.choice) ranks.push(judged.choice === 1 ? "the first choice" : `${ordinal(judged.choice)} choice`);
      else ranks.push("not searched");
      if (judged.policy_rank) ranks.push(`${ordinal(judged.policy_rank)} by policy`);
      rows.push(tag("p", {}, tag("span", { class: "dim" }, "Played next:"), tag("span", {}, `${next.at}, ${ranks.join(", ")}`),
        chip(judged.class), judged.class ? `loses ${percent(judged.loss)}` : null));
      if (judged.better.length) {
        rows.push(tag("p", {}, tag("span", { class: "dim" }, "Better:"),
          tag("button", { style: "min-height:0;padding:0 8px", onclick: () => show({ pv: judged.better }) }, judged.better.slice(0, 8).join(" "))));
      }
    }
  } else {
    rows.push(tag("p", { class: "dim" }, "This position was not reviewed: it was interrupted."));
  }
  box.replaceChildren(...rows);
}

function drawLines() {
  const position = at(now), list = candidates(position).filter((c) => c.visits > 0 || c.wins).slice(0, 6);
  if (!list.length) return $("lines").replaceChildren();
  const head = tag("tr", {}, ...["Move", "Winrate", "Visits", "Policy"].map((name) => tag("th", {}, name)), tag("th", { class: "text" }, "Line: tap to see it"));
  const row = (c) => tag("tr", { "data-go": "", class: shown === c.pv ? "here" : null, onclick: () => show(c) },
    tag("td", {}, c.move), tag("td", {}, c.wins == null ? percent(share(position.to_move, c.winrate)) : c.wins ? "wins" : "loses"),
    tag("td", {}, c.visits), tag("td", {}, percent(c.prior)), tag("td", { class: "pv" }, c.pv.join(" ")));
  $("lines").replaceChildren(tag("table", {}, head, ...list.map(row)));
}

// The curve, in pixels of its own width.
function drawCurve() {
  const curve = $("curve"), width = curve.clientWidth || 600, height = curve.clientHeight || 210;
  const left = 38, right = width - 10, top = 10, bottom = height - 34;
  const x = (moves) => left + ((right - left) * moves) / Math.max(count, 1);
  const y = (rate) => bottom - (bottom - top) * rate;
  curve.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const parts = [];
  for (const [rate, text] of [[0, "0%"], [0.5, "50%"], [1, "100%"]]) {
    parts.push(tag("path", { class: rate === 0.5 ? "half" : "tick", d: `M${left} ${y(rate)}H${right}` }),
      tag("text", { x: left - 5, y: y(rate) + 4, "text-anchor": "end" }, text));
  }
  const step = count > 120 ? 20 : 10;
  for (let moves = 0; moves <= count; moves += step) {
    parts.push(tag("text", { x: x(moves), y: height - 5, "text-anchor": moves ? "middle" : "start" }, moves));
  }
  const points = positions.filter((p) => p.winrate != null).map((p) => `${x(p.moves).toFixed(1)},${y(p.winrate).toFixed(1)}`);
  if (points.length) {
    const ends = [points[0], points[points.length - 1]].map((point) => point.split(",")[0]);
    parts.push(tag("polygon", { class: "area", points: `${ends[0]},${bottom} ${points.join(" ")} ${ends[1]},${bottom}` }),
      tag("polyline", { class: "line", points: points.join(" ") }));
  }
  // Below the curve, who wins where that is proven: a bar for each run of positions.
  let run = null;
  for (const p of [...positions, { moves: count + 1 }]) {
    if (run && p.winner !== run.winner) {
      const begin = x(Math.max(run.from - 0.5, 0)), end = x(Math.min(p.moves - 0.5, count));
      parts.push(tag("rect", { x: begin, y: bottom + 4, width: Math.max(end - begin, 1), height: 9, rx: 1.5, fill: run.winner === "black" ? "#111" : "#fff", stroke: "var(--dim)" }));
      run = null;
    }
    if (p.winner && !run) run = { winner: p.winner, from: p.moves };
  }
  parts.push(tag("line", { class: "now", x1: x(now), x2: x(now), y1: top - 6, y2: bottom + 14 }));
  for (const p of positions) {
    const next = at(p.moves + 1);
    if (p.played?.class && next?.winrate != null) {
      parts.push(tag("circle", { class: p.played.class, cx: x(p.moves + 1), cy: y(next.winrate), r: 4.5 },
        tag("title", {}, `Move ${p.moves + 1}: ${NAMES[p.played.class]}, ${percent(p.played.loss)}`)));
    }
  }
  curve.replaceChildren(...parts);
  curve.onpointerdown = curve.onpointermove = (event) => {
    if (event.type === "pointermove" && !event.buttons) return;
    const box = curve.getBoundingClientRect();
    go(Math.round(((event.clientX - box.left - left) / (right - left)) * count));
  };
}

function legend() {
  const [a, b, c] = review.settings.thresholds.map((t) => +(100 * t).toFixed(2) + "%");
  const words = { inaccuracy: `inaccuracy, from ${a}`, mistake: `mistake, from ${b}`, blunder: `blunder, from ${c}`, thrown_away: "a proven win lost" };
  const used = new Set(positions.map((p) => p.played?.class));
  for (const kind of Object.keys(words)) {
    if (used.has(kind)) $("legend").append(tag("i", { class: "dot " + kind }), words[kind]);
  }
  if (positions.some((p) => p.winner)) $("legend").append(tag("span", {}, (used.size > 1 ? ". " : "") + "The strip below the curve: who wins, where that is proven."));
}

function drawPlayers() {
  const [black, white] = review.players;
  const part = (t, text) => (t.moves ? text : "–");
  const lines = [["Accuracy", (t) => part(t, percent(t.accuracy))], ["Average loss", (t) => part(t, percent(t.average_loss))],
    ["First choice", (t) => part(t, `${t.first_choices} of ${t.moves}`)], ["Inaccuracies", (t) => t.inaccuracies], ["Mistakes", (t) => t.mistakes],
    ["Blunders", (t) => t.blunders], ["Wins thrown away", (t) => t.thrown_away]];
  const head = (side) => tag("th", {}, stone(side), game[side] || title(side));
  $("players").replaceChildren(tag("tr", {}, tag("th", {}), head("black"), head("white")),
    ...lines.map(([name, say]) => tag("tr", {}, tag("td", {}, name), tag("td", {}, say(black)), tag("td", {}, say(white)))));
}

function drawMistakes() {
  const rows = positions.filter((p) => p.played && (everyMove || p.played.class));
  const head = tag("tr", {}, tag("th", {}, "Move"), tag("th", { class: "text" }, "Played"), tag("th", {}, "Loss"),
    tag("th", { class: "text kind" }, ""), tag("th", {}, "Black %"), tag("th", { class: "text" }, "Better"), tag("th", {}, "Policy"));
  const row = (p) => {
    const played = game.moves[p.moves], judged = p.played, next = at(p.moves + 1);
    return tag("tr", { "data-go": p.moves, onclick: () => { go(p.moves); if (innerWidth <= 860) $("board").scrollIntoView({ behavior: "smooth" }); } },
      tag("td", {}, p.moves + 1), tag("td", { class: "text" }, stone(played.color), played.at), tag("td", {}, judged.class ? tag("span", { class: "chip " + judged.class }, percent(judged.loss)) : percent(judged.loss)),
      tag("td", { class: "text kind" }, NAMES[judged.class] || ""), tag("td", {}, judged.class === "thrown_away" ? "won → lost" : `${whole(p.winrate)} → ${whole(next?.winrate)}`),
      tag("td", { class: "text" }, judged.better[0] || ""), tag("td", {}, ordinal(judged.policy_rank)));
  };
  const pick = (name, on) => tag("button", { "aria-pressed": String(everyMove === on), onclick: () => { everyMove = on; drawMistakes(); } }, name);
  $("filter").replaceChildren(pick("Mistakes", false), pick("All moves", true));
  $("mistakes").replaceChildren(...(rows.length ? [head, ...rows.map(row)] : [tag("tr", {}, tag("td", {}, "None."))]));
  markRow();
}

function markRow() {
  for (const row of document.querySelectorAll("#mistakes tr[data-go]")) row.classList.toggle("here", Number(row.dataset.go) === now);
}

function draw() {
  drawBoard(); drawSaid(); drawLines(); drawCurve(); markRow();
  $("slider").value = now;
  history.replaceState(null, "", now ? "#" + now : location.pathname + location.search);
}

function show(candidate) {
  shown = shown === candidate.pv ? null : candidate.pv;
  draw();
}

function go(moves) {
  now = Math.max(0, Math.min(count, moves));
  shown = null;
  draw();
}

function worse(way) {
  const places = positions.filter((p) => p.played?.class).map((p) => p.moves);
  const found = way > 0 ? places.find((moves) => moves > now) : places.reverse().find((moves) => moves < now);
  if (found != null) go(found);
}

function begin() {
  const name = (side) => tag("span", {}, stone(side), game[side] || title(side));
  $("title").append(name("black"), name("white"));
  const won = { "B+": "Black wins", "W+": "White wins" }[game.result.slice(0, 2)];
  $("facts").textContent = [won ? `${won} (${game.result})` : game.result, game.date, `${count} moves`, game.file].filter(Boolean).join(" · ");
  const proven = review.proven && (review.proven[0] === count ? [] : [`Proven from move ${review.proven[0] + 1} on, ${title(review.proven[1])} winning`]);
  const s = review.settings;
  const network = review.by_network ? "network: " + s.network : "random playouts, no network";
  $("basis").append(tag("p", {}, [`${s.search} a position`, network, ...s.changed, `solver: up to ${s.nodes.toLocaleString("en")} nodes a position`, ...(proven || []), `Tengen ${s.version}`].join(" · ")),
    tag("p", {}, "Winrates come from a search of each position; on the board they are those of the side to move. A move’s loss is the share of games that it gave up. " +
      "Accuracy is reckoned as Lichess does; it and the average leave out forced moves and positions that are proven lost. Keys: ←, →, Home, End; N and P for mistakes; C for candidates."));
  $("slider").max = count;
  $("slider").oninput = (event) => go(Number(event.target.value));
  for (const [id, act] of [["first", () => go(0)], ["back", () => go(now - 1)], ["next", () => go(now + 1)], ["last", () => go(count)],
    ["worse-back", () => worse(-1)], ["worse-next", () => worse(1)]]) $(id).onclick = act;
  $("show").onchange = draw;
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = { ArrowLeft: () => go(now - 1), ArrowRight: () => go(now + 1), Home: () => go(0), End: () => go(count),
      n: () => worse(1), p: () => worse(-1), c: () => { $("show").checked = !$("show").checked; draw(); }, Escape: () => go(now) }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  addEventListener("resize", drawCurve);
  addEventListener("hashchange", () => go(Number(location.hash.slice(1)) || 0));
  drawPlayers(); legend(); drawMistakes();
  go(Number(location.hash.slice(1)) || positions[0].moves);
}
begin();
