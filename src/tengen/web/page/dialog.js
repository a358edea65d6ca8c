// The dialog for a new game: game, board, rules, players, time.
import { $, h, options, patch, toast } from "./dom.js";
import { refusal, rules, say } from "./words.js";

const PLAYERS = [["humanBlack", ["human", "engine"]], ["humanWhite", ["engine", "human"]], ["both", ["human", "human"]], ["engines", ["engine", "engine"]]];

// What the program can play; fetched once.
let games = null, chosen = null, wrong = null;
const known = (name) => games.find((game) => game.name === name);
// In the page's language, if there is a translation.
const title = (name) => (say(name) === name ? known(name).title : say(name));

function choices(name, values, now, choose, words = (value) => value) {
  const buttons = options("value", values.map((value) => JSON.stringify(value)), JSON.stringify(now), (value) => choose(JSON.parse(value)), (value) => words(JSON.parse(value)));
  return h("div", { class: "choices", role: "radiogroup", "aria-label": name }, buttons);
}

const number = (name, attributes) => h("input", { type: "number", value: chosen[name], "aria-label": say(`field_${name}`), "data-field": name, oninput: (event) => { chosen[name] = event.target.value; }, onkeydown: (event) => { if (event.key === "Enter") $("start").click(); }, ...attributes });
const field = (name, ...content) => h("div", { class: "field" }, h("span", {}, say(name)), h("div", {}, content));

function clockText() {
  const main = Number(chosen.main) * 60;
  return { none: "", absolute: `absolute ${main}`, fischer: `fischer ${main} ${chosen.more}`, byoyomi: `byoyomi ${main} ${chosen.period} ${chosen.periods}` }[chosen.clock];
}

function draw(start) {
  const game = known(chosen.game), set = (change) => { Object.assign(chosen, change); draw(start); };
  const dialog = $("dialog");
  const clock = {
    none: [], absolute: [number("main", { min: 0.5, step: 0.5 }), say("minutes")], fischer: [number("main", { min: 0, step: 0.5 }), say("minutes"), " + ", number("more", { min: 0, step: 1 }), say("seconds")],
    byoyomi: [number("main", { min: 0, step: 0.5 }), say("minutes"), " + ", number("periods", { min: 1, step: 1 }), "×", number("period", { min: 1, step: 1 }), say("seconds")],
  }[chosen.clock];
  const level = { free: [], seconds: [number("seconds", { min: 0.1, step: 0.1 }), say("seconds")], visits: [number("visits", { min: 1, step: 1 }), say("visitsOf")], strength: [number("strength", { min: 1, max: 11, step: 0.5 }), say("strengthOf")] }[chosen.level];
  patch(dialog, h("h2", {}, say("new")),
    field("game", choices(say("game"), games.map(({ name }) => name), chosen.game, (name) => set({ game: name, size: String(known(name).usual), rules: "", handicap: 0 }), title)),
    field("board", choices(say("board"), game.sides.map(String), chosen.size, (size) => set({ size }), (size) => `${size}×${size}`)),
    game.rules.length ? field("rules", h("select", { "aria-label": say("rules"), onchange: (event) => set({ rules: event.target.value }) }, ["", ...game.rules].map((name) => h("option", { value: name, selected: name === chosen.rules }, name ? rules(name) : say("usual"))))) : "",
    game.points ? field("komi", h("div", { class: "row" }, number("komi", { step: 0.5, placeholder: say("byRules") }))) : "",
    game.points ? field("handicap", h("select", { "aria-label": say("handicap"), onchange: (event) => set({ handicap: Number(event.target.value) }) }, [0, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => h("option", { value: n, selected: n === chosen.handicap }, String(n))))) : "",
    field("players", choices(say("players"), PLAYERS.map(([, who]) => who), chosen.players, (players) => set({ players }), (who) => say(PLAYERS.find(([, own]) => JSON.stringify(own) === JSON.stringify(who))[0]))),
    field("level", choices(say("level"), ["free", "seconds", "visits", "strength"], chosen.level, (kind) => set({ level: kind }), (kind) => say({ free: chosen.clock === "none" ? "twoSeconds" : "byClock", visits: "visitsOf" }[kind] || kind)), level.length ? h("div", { class: "row" }, level) : ""),
    field("clock", choices(say("clock"), ["none", "absolute", "fischer", "byoyomi"], chosen.clock, (kind) => set({ clock: kind }), (kind) => say(kind === "none" ? "noClock" : kind)), clock.length ? h("div", { class: "row" }, clock) : ""),
    h("div", { class: "ends" }, h("p", { class: "wrong", id: "wrong", role: "alert" }, wrong ?? ""), h("button", { onclick: () => dialog.close() }, say("cancel")), h("button", { class: "main", id: "start", onclick: async () => {
      wrong = mistaken(game);
      const refused = wrong ?? (await start(terms()));
      wrong = refused && refusal(refused);
      if (wrong) draw(start);
      else dialog.close();
    } }, say("start"))));
}

const terms = () => ({
  game: chosen.game, size: chosen.size, rules: chosen.rules, komi: chosen.komi === "" ? null : Number(chosen.komi), handicap: chosen.handicap, clock: clockText(), players: chosen.players,
  level: chosen.level === "free" ? {} : { [chosen.level]: chosen.level === "visits" ? Math.round(Number(chosen.visits)) : Number(chosen[chosen.level]) },
});

// What is wrong with the choices, in a person's words; null if nothing.
function mistaken(game) {
  const points = Number(chosen.size) ** 2, komi = Number(chosen.komi), main = Number(chosen.main);
  if (game.points && chosen.komi !== "" && !(Math.abs(komi) <= points && Number.isInteger(2 * komi))) return say("wrongKomi", { n: points });
  if (["absolute", "fischer"].includes(chosen.clock) && !(main > 0)) return say("wrongMain");
  if (chosen.clock === "byoyomi" && !(main >= 0 && Number(chosen.period) > 0 && Number(chosen.periods) >= 1)) return say("wrongPeriods");
  if (chosen.clock === "fischer" && !(Number(chosen.more) >= 0)) return say("wrongMore");
  if (chosen.level === "visits" && !(Number(chosen.visits) >= 1)) return say("wrongVisits");
  if (chosen.level === "seconds" && !(Number(chosen.seconds) > 0)) return say("wrongSeconds");
  if (chosen.level === "strength" && !(Number(chosen.strength) >= 1 && Number(chosen.strength) <= 12)) return say("wrongLevel");
  return null;
}

export async function newGame(view, start) {
  try {
    games ??= await (await fetch("games")).json();
  } catch {
    return toast(say("lost"));
  }
  const { terms } = view;
  chosen ??= { rules: "", komi: "", handicap: 0, clock: "none", main: 10, more: 5, period: 30, periods: 3, level: ["strength", "visits", "seconds"].find((kind) => terms.level[kind]) || "free", strength: terms.level.strength || 5, seconds: terms.level.seconds || 1, visits: terms.level.visits || 800 };
  Object.assign(chosen, { game: terms.game, size: terms.size.split("x")[0], players: terms.players });
  wrong = null;
  $("dialog").setAttribute("aria-label", say("new"));
  draw(start);
  $("dialog").showModal();
}
