// The dialogs for a new game (game, board, rules, players, time), and for the players of one that goes on.
import { $, h, options, patch, toast } from "./dom.js";
import { aside, refusal, rules, say, side } from "./words.js";

const PLAYERS = [["humanBlack", ["human", "engine"]], ["humanWhite", ["engine", "human"]], ["both", ["human", "human"]], ["engines", ["engine", "engine"]]];

// What another game, which may not have it, does not take over.
const USUAL = { rules: "", komi: "", handicap: 0 };

// What the program can play; fetched once.
let games = null, chosen = null, wrong = null;
// What the open dialog asks: its title, the word of its button, its fields, what is wrong with them, and what is done then.
let form = null;
const known = (name) => games.find((game) => game.name === name);
// In the page's language, if there is a translation.
const title = (name) => (say(name) === name ? known(name).title : say(name));

function choices(name, values, now, choose, words = (value) => value) {
  const buttons = options("value", values.map((value) => JSON.stringify(value)), JSON.stringify(now), (value) => choose(JSON.parse(value)), (value) => words(JSON.parse(value)));
  return h("div", { class: "choices", role: "radiogroup", "aria-label": name }, buttons);
}

// Fields for numbers take any text: browsers make 65 of "6,5", and nothing of what is no number.
const entry = (name, attributes) => h("input", { type: "text", value: chosen[name], "aria-label": say(`field_${name}`), "data-field": name, oninput: (event) => { chosen[name] = event.target.value; }, onkeydown: (event) => { if (event.key === "Enter" && !event.isComposing) $("start").click(); }, ...attributes });
const number = (name, attributes) => entry(name, { inputmode: "decimal", autocomplete: "off", ...attributes });
const isEmpty = (name) => String(chosen[name]).trim() === "";
const value = (name) => (isEmpty(name) ? NaN : Number(String(chosen[name]).normalize("NFKC").trim().replace(/[,。]/, ".")));
const field = (name, ...content) => h("div", { class: "field" }, h("span", {}, say(name)), h("div", {}, content));

function clockText() {
  const main = value("main") * 60;
  return { none: "", absolute: `absolute ${main}`, fischer: `fischer ${main} ${value("more")}`, byoyomi: `byoyomi ${main} ${value("period")} ${value("periods")}` }[chosen.clock];
}

const set = (change) => { Object.assign(chosen, change); draw(); };

function playersAndLevel() {
  const level = { free: [], seconds: [number("seconds"), say("seconds")], visits: [number("visits"), say("visitsOf")], strength: [number("strength"), say("strengthOf")] }[chosen.level];
  return [field("players", choices(say("players"), PLAYERS.map(([, who]) => who), chosen.players, (players) => set({ players }), (who) => say(PLAYERS.find(([, own]) => JSON.stringify(own) === JSON.stringify(who))[0]))),
    field("level", choices(say("level"), ["free", "seconds", "visits", "strength"], chosen.level, (kind) => set({ level: kind }), (kind) => say({ free: chosen.clock === "none" ? "twoSeconds" : "byClock", visits: "visitsOf" }[kind] || kind)), level.length ? h("div", { class: "row" }, level) : "")];
}

function ofNewGame() {
  const game = known(chosen.game), [players, level] = playersAndLevel();
  const usual = game.given_rules ? aside(say("usual"), rules(game.given_rules)) : say("usual");
  const name = (key, index) => chosen.players[index] === "human" && entry(key, { placeholder: side(index ? "W" : "B"), maxlength: 100 });
  const names = [name("black", 0), name("white", 1)].filter(Boolean);
  const clock = {
    none: [], absolute: [number("main"), say("minutes")], fischer: [number("main"), say("minutes"), " + ", number("more"), say("seconds")],
    byoyomi: [number("main"), say("minutes"), " + ", number("periods"), "×", number("period"), say("seconds")],
  }[chosen.clock];
  return [
    field("game", choices(say("game"), games.map(({ name }) => name), chosen.game, (name) => set({ game: name, size: String(known(name).usual), ...USUAL }), title)),
    field("board", choices(say("board"), game.sides.map(String), chosen.size, (size) => set({ size }), (size) => `${size}×${size}`)),
    game.rules.length ? field("rules", h("select", { "aria-label": say("rules"), onchange: (event) => set({ rules: event.target.value }) }, ["", ...game.rules].map((name) => h("option", { value: name, selected: name === chosen.rules }, name ? rules(name) : usual)))) : "",
    game.points ? field("komi", h("div", { class: "row" }, number("komi", { placeholder: say(chosen.handicap ? "byHandicap" : "byRules") }))) : "",
    game.points ? field("handicap", h("select", { "aria-label": say("handicap"), onchange: (event) => set({ handicap: Number(event.target.value) }) }, [0, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => h("option", { value: n, selected: n === chosen.handicap }, String(n))))) : "",
    players, names.length ? field("names", h("div", { class: "row" }, names)) : "", level,
    field("clock", choices(say("clock"), ["none", "absolute", "fischer", "byoyomi"], chosen.clock, (kind) => set({ clock: kind }), (kind) => say(kind === "none" ? "noClock" : kind)), clock.length ? h("div", { class: "row" }, clock) : ""),
  ];
}

function draw() {
  const dialog = $("dialog");
  patch(dialog, h("h2", {}, form.title), form.fields(),
    h("div", { class: "ends" }, h("p", { class: "wrong", id: "wrong", role: "alert" }, wrong ?? ""), h("button", { onclick: () => dialog.close() }, say("cancel")), h("button", { class: "main", id: "start", onclick: async () => {
      wrong = form.mistaken();
      const refused = wrong ?? (await form.start(terms()));
      wrong = refused && refusal(refused);
      if (wrong) draw();
      else dialog.close();
    } }, form.word)));
}

const terms = () => ({
  game: chosen.game, size: chosen.size, rules: chosen.rules, komi: isEmpty("komi") ? null : value("komi"), handicap: chosen.handicap, clock: clockText(), players: chosen.players, names: [chosen.black, chosen.white],
  level: chosen.level === "free" ? {} : { [chosen.level]: chosen.level === "visits" ? Math.round(value("visits")) : value(chosen.level) },
});

// What is wrong with the choices, in a person's words; null if nothing.
function wrongLevel() {
  if (chosen.level === "visits" && !(value("visits") >= 1)) return say("wrongVisits");
  if (chosen.level === "seconds" && !(value("seconds") > 0)) return say("wrongSeconds");
  if (chosen.level === "strength" && !(value("strength") >= 1 && value("strength") <= 12)) return say("wrongLevel");
  return null;
}

function wrongGame() {
  const points = Number(chosen.size) ** 2, komi = value("komi"), main = value("main");
  if (known(chosen.game).points && !isEmpty("komi") && !(Math.abs(komi) <= points && Number.isInteger(2 * komi))) return say("wrongKomi", { n: points });
  if (["absolute", "fischer"].includes(chosen.clock) && !(main > 0)) return say("wrongMain");
  if (chosen.clock === "byoyomi" && !(main >= 0 && value("period") > 0 && Number.isInteger(value("periods")) && value("periods") >= 1)) return say("wrongPeriods");
  if (chosen.clock === "fischer" && !(value("more") >= 0)) return say("wrongMore");
  return wrongLevel();
}

function open(shown) {
  [form, wrong] = [shown, null];
  $("dialog").setAttribute("aria-label", form.title);
  draw();
  $("dialog").showModal();
}

export async function newGame({ terms }, start) {
  try {
    games ??= await (await fetch("games")).json();
  } catch {
    return toast(say("lost"));
  }
  choose(terms);
  open({ title: say("new"), word: say("start"), fields: ofNewGame, mistaken: wrongGame, start });
}

// Who plays from now on, and how well.
export function changePlayers({ terms }, start) {
  choose(terms);
  Object.assign(chosen, levelOf(terms));
  open({ title: say("changePlayers"), word: say("editDone"), fields: playersAndLevel, mistaken: wrongLevel, start });
}

const levelOf = ({ level }) => ({ level: ["strength", "visits", "seconds"].find((kind) => level[kind]) || "free", strength: level.strength || 5, seconds: level.seconds || 1, visits: level.visits || 800 });

// What was chosen last, with the game and the players of the shown one.
function choose(terms) {
  chosen ??= { game: terms.game, ...USUAL, clock: "none", main: 10, more: 5, period: 30, periods: 3, ...levelOf(terms) };
  if (chosen.game !== terms.game) Object.assign(chosen, USUAL);
  Object.assign(chosen, { game: terms.game, size: terms.size.split("x")[0], players: terms.players, black: terms.names[0], white: terms.names[1] });
}
