// Events of the program. Whatever ends the connection (a sleeping computer, a refusal, a program that is busy),
// the page connects again; nothing is asked for while it is hidden.
import { hold, toast } from "./dom.js";
import { say } from "./words.js";

// The program is heard every two seconds.
const SILENCE = 9000, AGAIN = 1500;

// `takes` has a function for each kind of event. Returns a function that connects anew, to another path if given.
export function listen(path, takes) {
  let events = null, heard = 0, told = false, waiting = 0, full = 0;
  const close = () => { events?.close(); events = null; clearTimeout(waiting); };
  const hear = () => { heard = performance.now(); if (told) { told = false; hold("connection", ""); toast(say("back_again")); } };
  const again = () => {
    close();
    if (!told || full) hold("connection", full ? say("full", { n: full }) : say("lost"));
    [told, full] = [true, 0];
    waiting = setTimeout(connect, AGAIN);
  };
  function connect() {
    close();
    heard = performance.now();
    events = new EventSource(path);
    for (const [kind, take] of Object.entries(takes)) events.addEventListener(kind, (event) => { hear(); take(JSON.parse(event.data)); });
    events.addEventListener("alive", hear);
    // All places are taken: the program ends the connection after that.
    events.addEventListener("full", (event) => { full = Number(event.data); });
    events.onerror = () => { if (!document.hidden) again(); };
  }
  setInterval(() => { if (!document.hidden && events && performance.now() - heard > SILENCE) again(); }, 2000);
  addEventListener("visibilitychange", () => (document.hidden ? close() : connect()));
  if (!document.hidden) connect();
  return (next) => { path = next ?? path; connect(); };
}
