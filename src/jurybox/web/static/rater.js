// The rater's page. The server says which stage comes next and draws it; this script shows it, takes
// the answers, and makes sure that none is lost on the way.

import { isPassing, makeApi, Refused, Unreachable } from "./api.js";
import { isOff } from "./bindings.js";
import { wireDialogs } from "./dialogs.js";
import { announce, card, focusStage, note, showBar, showUnsent, tell } from "./frame.js";
import { readLink } from "./links.js";
import { Outbox } from "./outbox.js";
import { keepRows } from "./rows.js";
import { bindStage, isBegun } from "./stages.js";
import "./trial.js";
import { drawNumbers, Walk } from "./walk.js";
import { words } from "./words.js";

const page = document.documentElement.dataset;
const main = document.querySelector("main");
const link = readLink(page);
const { preview } = link;

// Who rates on this page: their token, and the way to the server and the outbox that go with it. The
// token is read once: what another tab makes of it never sends one rater's answers as another's.
let who = meet(link.token());
let stage = main.dataset.stage;
let warned = false;
let practiced = 0; // practice trials walked through in a preview, which nobody else counts

const desk = {
  main,
  link,
  preview,
  canGoBack: Boolean(page.back),
  who: () => who,
  stage: () => stage,
  take,
  go,
  enter,
  enterTrials,
  command,
  takeBreak,
  submitPractice,
  fetchNext,
  open: (name) => dialogs.open(name),
};
const walk = new Walk(desk);

const dialogs = wireDialogs({
  fetchGuide: async () => (await who.api.get("guide")).html,
  tell,
  onSkip: (reason, comment) => walk.submit({ status: "skipped", reason, comment, answers: [] }),
  onStop: stop,
  onWithdraw: withdraw,
  onProblem: async (said) => {
    const assignment = walk.shown?.trial.assignment;
    if (!preview) await who.api.post("problem", { assignment, words: said });
    announce(words.reported);
  },
  onJump: (number) => walk.jump(number),
  drawJump: (place, pick) => drawNumbers(place, walk.past, pick),
});

function meet(token) {
  const api = makeApi(`${page.root}api/${preview ? "preview/" : ""}`, () => token);
  const mine = { token, api, outbox: null };
  // Each rater has an outbox of their own, named by the end of their token.
  if (token) {
    mine.outbox = new Outbox(`${page.study}-${page.mode}-${token.slice(-16)}`, {
      send: api.submit,
      changed: (waiting, error) => { if (mine === who) showUnsent(waiting, error); },
      refused: (error) => note(error.message),
      unkept: sayUnkept,
    });
  }
  return mine;
}

// Said once: a private or framed page may be allowed to keep nothing.
function sayUnkept() {
  if (!warned) note(words.unkept);
  warned = true;
}

async function enter(token) {
  link.keep(token);
  who = meet(token);
  await go();
}

function fetchNext() {
  if (!preview) return who.api.get("next");
  return who.api.get(`next?done=${walk.done}${link.toTrials ? "" : `&practiced=${practiced}`}`);
}

// Ask for the next stage. Answers go first: the server decides knowing all of them.
async function go() {
  try {
    const stopped = await who.outbox.flush();
    if (stopped) return waitForServer(stopped);
    await take(await fetchNext());
  } catch (error) {
    if (isPassing(error)) waitForServer(error);
    else if (error.status === 401 && !preview) forget(error.message);
    else tell(error.message);
  }
}

function forget(sentence) {
  link.forget(who.token);
  clearTimeout(waitForServer.timer);
  who = meet(null);
  walk.drop();
  show({ stage: "welcome", html: document.querySelector("#welcome").innerHTML });
  tell(sentence);
}

async function waitForServer(error) {
  document.documentElement.classList.add("offline");
  if (!walk.hand.length && (stage === "trial" || !main.hasChildNodes())) {
    main.replaceChildren(card(words.waitingTitle));
    walk.shown = null;
  }
  clearTimeout(waitForServer.timer);
  waitForServer.timer = setTimeout(go, 2000);
  const unsent = (await who.outbox.all()).length;
  if (error instanceof Refused) tell(error.message);
  else tell(unsent ? words.waiting : words.trying);
}

async function take(next) {
  if (!next.stage) throw new Unreachable(); // JSON, but of somebody else
  document.documentElement.classList.remove("offline");
  clearTimeout(waitForServer.timer);
  tell(walk.reminder);
  if (next.stage === "trial" && next.trials) return walk.take(next);
  walk.drop();
  show(next);
}

function show(next) {
  stage = next.stage;
  main.dataset.stage = stage;
  showBar(next.bar, { begun: isBegun(stage) });
  if (stage === "practice") return practice(next);
  main.innerHTML = next.html;
  bindStage(stage, desk);
  if (stage === "break") walk.rested = Date.now();
  focusStage(main);
}

function enterTrials() {
  stage = "trial";
  main.dataset.stage = stage;
}

// -- practice and breaks -------------------------------------------------------------------------

async function practice(next) {
  const kept = await who.outbox.draft(next.trial.assignment);
  walk.mount({ ...next.trial, bar: next.bar }, kept);
}

async function submitPractice(whole, shown) {
  try {
    const { feedback } = await who.api.submit(whole);
    practiced += 1;
    await who.outbox.dropDraft(whole.assignment);
    shown.element.isOver = true;
    const form = shown.element.querySelector(".form");
    form.insertAdjacentHTML("afterend", feedback);
    const panel = main.querySelector(".feedback");
    if (!keepRows(form, panel)) form.remove();
    panel.querySelector("button").addEventListener("click", go);
    panel.querySelector("button").focus();
    walk.shown = null;
    tell("");
  } catch (error) {
    shown.sent = false;
    tell(error.message);
  }
}

async function takeBreak() {
  try {
    const stopped = await who.outbox.flush();
    if (stopped) throw stopped;
    await take(await who.api.post("break"));
  } catch {
    if (walk.hand.length) await walk.showCurrent(); // the break comes once there is a server again
    await go();
  }
}

// -- what can be done anywhere -------------------------------------------------------------------

function command(name) {
  if (name === "skip" && stage === "practice") return tell(words.practiceWants);
  if (name === "back") walk.lookBack(-1);
  else if (name === "forward") walk.lookBack(1);
  else dialogs.open(name);
}

// Stopping and withdrawing come after the last answer; unsent answers do not hold up withdrawing.
async function stop() {
  try {
    const stopped = await who.outbox.flush();
    if (stopped) throw stopped;
    await take(await who.api.post("stop"));
  } catch (error) {
    tell(words.notStopped(error.message));
  }
}

async function withdraw() {
  try {
    await who.outbox.flush();
    await take(await who.api.post("withdraw"));
  } catch (error) {
    tell(words.notWithdrawn(error.message));
  }
}

document.querySelector("#back").addEventListener("click", () => walk.lookBack(-1));
document.querySelector("#forward").addEventListener("click", () => walk.lookBack(1));

document.addEventListener("keydown", (event) => {
  // Enter held down presses once: what came since was not looked at yet.
  if (event.repeat && event.key === "Enter" && !event.target.matches("textarea")) event.preventDefault();
  if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
  const trial = walk.shown?.element ?? main.querySelector("jb-trial:has(.feedback)");
  if (trial && !isOff(event)) {
    if (trial.key(event)) event.preventDefault();
  } else if (!walk.shown && event.key === "Enter" && event.target === main.querySelector("h1, h2")) {
    // Where there are two ways, nobody takes one by a key that was meant for the page before.
    const ways = main.querySelectorAll("form:not([data-mturk]) button[type=submit]");
    if (ways.length === 1) ways[0].click();
  }
});

document.addEventListener("visibilitychange", () => (document.hidden ? walk.hide() : walk.unhide()));
addEventListener("pagehide", () => { if (who.token) walk.leave(); });
addEventListener("pageshow", (event) => { if (event.persisted && who.token) go(); });
addEventListener("beforeunload", (event) => {
  if (who.outbox?.isAtRisk) event.preventDefault();
});
addEventListener("unhandledrejection", () => tell(words.failed));

if (who.token) {
  if (!preview) main.replaceChildren(); // the welcome is for who is new here
  go();
} else if (preview) tell(words.signIn);
else if (stage === "welcome") {
  bindStage(stage, desk);
  focusStage(main);
}
