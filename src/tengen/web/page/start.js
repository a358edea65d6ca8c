// The page of `tengen board`: changes arrive as events, commands are sent as JSON.
import { begin, redraw } from "./app.js";
import { $, download, hold, toast } from "./dom.js";
import { changePlayers, newGame } from "./dialog.js";
import { makeTree, update } from "./gametree.js";
import { announce } from "./heard.js";
import { listen } from "./live.js";
import { mistakes } from "./review.js";
import { store } from "./store.js";
import { listed, pair, refusal, say } from "./words.js";

async function post(path, type, body) {
  try {
    const answer = await fetch(path, { method: "POST", headers: { "Content-Type": type }, body, keepalive: body.length < 20000 });
    if (answer.ok) return null;
    const text = await answer.text();
    return answer.headers.get("Content-Type") === "application/json" ? JSON.parse(text).error : text;
  } catch {
    return say("lost");
  }
}

let sent = null;
const send = (command) => (sent = post("do", "application/json", JSON.stringify(command)));

// A file of the program: with what was just written, and only if it is there.
async function save(path, name = path) {
  await sent;
  try {
    const answer = await fetch(path);
    if (!answer.ok) return toast(refusal(await answer.text()));
    download(await answer.blob(), name);
    toast(say("saved", { name }));
  } catch {
    toast(say("lost"));
  }
}

const players = () => changePlayers(store.view, ({ players, level }) => send({ do: "players", players, level }));
const host = { live: true, tabs: ["analysis", "moves", "review"], send, save, players };
const undo = () => ({ word: say("undoStep"), act: () => host.send({ do: "take_back" }) });

// The server reads no more, and would end the connection.
const MAX_MIB = 16;

// Several files become one with several games.
async function load(files) {
  const all = [...files], size = all.reduce((sum, file) => sum + file.size, 0), name = listed(all.map((file) => file.name));
  if (!all.length) return;
  if (size > MAX_MIB << 20) return toast(pair(name, say("tooLarge", { n: MAX_MIB })));
  const refused = await post(`load?${all.map((file) => file.size)}`, "application/octet-stream", await new Blob(all).arrayBuffer());
  if (refused) toast(pair(name, refusal(refused)));
  else toast(say("opened", { name }), { button: undo() });
}

let seen = 0, offered = false;
// A game of an earlier run of the program is there still, until something is done in the new one.
function greet({ offering }) {
  if (offering !== offered) hold("offer", offering && say("keptGame"), { word: say("takeUp"), act: () => store.view.offering && undo().act() });
  offered = offering;
}

// What the program answers; `null` without an answer: then the next state asks again.
async function ask(path) {
  try {
    const answer = await fetch(path);
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

let told = "";
// What the games of a file are called.
async function list({ serial, games: [count], names }) {
  const now = [serial, ...names].join();
  if (now === told) return;
  told = now;
  const titles = count > 1 ? await ask("titles") : [];
  if (told !== now) return;
  if (!titles) told = "";
  store.titles = titles ?? [];
  redraw();
}

const takes = {
  state: async (view) => {
    const reviewing = store.view?.reviewing;
    Object.assign(store, { view, since: performance.now() });
    greet(view);
    list(view);
    redraw();
    if (view.reviewed === seen) return;
    seen = view.reviewed;
    const found = view.reviewed ? await ask("review") : null;
    // Another game may be on the board by now.
    if (seen !== view.reviewed) return;
    if (!found) seen = 0;
    Object.assign(store, { review: found?.review ?? null, reviewed: found?.nodes ?? [] });
    if (reviewing && found) announce(say("reviewed", { n: mistakes(found.review).length }));
    redraw();
  },
  tree: ({ all, nodes }) => {
    if (all) store.tree = makeTree(nodes);
    else update(store.tree, nodes);
    redraw();
  },
  analysis: (analysis) => { store.analysis = analysis; redraw(); },
  progress: (progress) => { store.progress = progress; redraw(); },
};

$("open").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", (event) => { load(event.target.files); event.target.value = ""; });
$("save").addEventListener("click", () => save("game.sgf"));
$("new").addEventListener("click", () => newGame(store.view, async (terms) => {
  const refused = await host.send({ do: "new", terms });
  if (!refused) toast(say("begun"), { button: undo() });
  return refused;
}));
// Text that is moved, as in a remark, is the browser's; a link would lead away from the page.
const hasFiles = (event) => event.dataTransfer.types.includes("Files");
const isText = (event) => !hasFiles(event) && event.target.closest?.("textarea, input");
addEventListener("dragover", (event) => { if (!isText(event)) event.preventDefault(); if (hasFiles(event)) $("drop").hidden = false; });
addEventListener("dragleave", (event) => { if (!event.relatedTarget) $("drop").hidden = true; });
addEventListener("drop", (event) => { if (!isText(event)) event.preventDefault(); if (hasFiles(event)) { $("drop").hidden = true; load(event.dataTransfer.files); } });
// What is pasted is the text of a game, or files: some programs give a picture of the text with it.
addEventListener("paste", (event) => {
  if (event.target.closest?.("textarea, input, dialog")) return;
  const { files } = event.clipboardData, text = event.clipboardData.getData("text");
  if (/\(\s*;/.test(text)) load([new File([text], say("pasted"))]);
  else load(files);
});

// A remark that is being written is not lost with its page.
function keepRemark() {
  if (document.activeElement?.matches("textarea")) document.activeElement.dispatchEvent(new Event("change"));
}
addEventListener("pagehide", keepRemark);
addEventListener("visibilitychange", () => document.hidden && keepRemark());

begin(host);
listen("events", takes);
