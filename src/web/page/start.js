// The page of `tengen board`: changes arrive as events, commands are sent as JSON.
import { begin, redraw, store } from "./app.js";
import { $, toast } from "./dom.js";
import { newGame } from "./dialog.js";
import { refusal, say } from "./words.js";

async function post(path, type, body) {
  try {
    const answer = await fetch(path, { method: "POST", headers: { "Content-Type": type }, body });
    if (answer.ok) return null;
    const text = await answer.text();
    return answer.headers.get("Content-Type") === "application/json" ? JSON.parse(text).error : text;
  } catch {
    return say("lost");
  }
}

const host = { live: true, tabs: ["analysis", "moves", "review"], send: (command) => post("do", "application/json", JSON.stringify(command)) };

// The server reads no more, and would end the connection.
const MOST_MIB = 16;

async function load(file) {
  if (!file) return;
  if (file.size > MOST_MIB << 20) return toast(`${file.name}: ${say("tooLarge", { n: MOST_MIB })}`);
  const refused = await post("load", "application/octet-stream", await file.arrayBuffer());
  if (refused) toast(`${file.name}: ${refusal(refused)}`);
}

let events = null, seen = 0;
const takes = {
  state: async (view) => {
    Object.assign(store, { view, since: performance.now() });
    if (view.reviewed === seen) return;
    seen = view.reviewed;
    const found = seen ? await (await fetch("review")).json() : null;
    Object.assign(store, { review: found?.review ?? null, reviewed: found?.nodes ?? [] });
    redraw();
  },
  tree: (tree) => { store.tree = tree; },
  analysis: (analysis) => {
    store.analysis = analysis;
    if (!analysis) return;
    const { winrate, lead, visits, proven } = analysis, found = { winrate, lead, visits, proven };
    const node = store.tree.nodes.find((node) => node.id === analysis.node);
    if (node) node.eval = found;
    else if (analysis.node === 0) store.tree.root = found;
  },
  progress: (progress) => { store.progress = progress; },
};

function connect() {
  events = new EventSource("events");
  for (const [kind, take] of Object.entries(takes)) {
    events.addEventListener(kind, (event) => {
      take(JSON.parse(event.data));
      redraw();
    });
  }
  events.onerror = () => toast(say("lost"));
}

// Nothing is searched for a hidden page.
addEventListener("visibilitychange", () => {
  if (document.hidden) {
    events?.close();
    events = null;
  } else if (!events) connect();
});

$("open").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", (event) => { load(event.target.files[0]); event.target.value = ""; });
$("save").addEventListener("click", () => { location.href = "game.sgf"; toast(say("saved")); });
$("new").addEventListener("click", () => newGame(store.view, (terms) => host.send({ do: "new", terms })));
addEventListener("dragover", (event) => { event.preventDefault(); $("drop").hidden = false; });
addEventListener("dragleave", (event) => { if (!event.relatedTarget) $("drop").hidden = true; });
addEventListener("drop", (event) => { event.preventDefault(); $("drop").hidden = true; load(event.dataTransfer.files[0]); });

begin(host);
connect();
