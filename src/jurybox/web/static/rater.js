// The rater's page. The server says which stage comes next and draws it; this script shows it, takes
// the answers, and makes sure that none is lost on the way.

import { isPassing, makeApi } from "./api.js";
import { Outbox } from "./outbox.js";
import { wireDialogs } from "./dialogs.js";
import "./trial.js";
import { words } from "./words.js";

const page = document.documentElement.dataset;
const main = document.querySelector("main");
const preview = page.mode === "preview";
const storage = preview ? sessionStorage : localStorage;
const tokenName = `jurybox-${preview ? "organizer" : "rater"}-${page.study}`;

// A link brings its secret behind the `#`, which no server, proxy or referrer ever sees.
const hash = new URLSearchParams(location.hash.slice(1));
const brought = hash.get(preview ? "token" : "r");
if (brought) storage.setItem(tokenName, brought);
if (location.hash) history.replaceState(null, "", location.pathname + location.search);
const token = () => storage.getItem(tokenName);
const api = makeApi(preview ? "api/preview/" : "api/", token);

const sitting = newId();
let hand = []; // the trials at hand: the one shown first, then what was fetched ahead
let shown = null; // { trial data, times } of the trial on screen
let stage = null;
let lastBreak = Date.now();
const past = []; // what was answered in this sitting: { trial, draft }
let looking = null; // index in `past` while the rater looks back
let done = 0; // trials walked through in a preview, which nobody else counts

const outbox = new Outbox(`${page.study}-${preview ? "preview" : "rater"}`, {
  send: (answer) => api.post("submit", answer),
  changed: showUnsent,
  refused: (error) => tell(error.message),
});
const dialogs = wireDialogs({ api, page, onSkip: skip, onStop: stop, onWithdraw: withdraw });

function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const nextPath = () => (preview ? `next?done=${done}` : "next");

// The one line at the top that says what is wrong; empty when nothing is.
function tell(sentence) {
  const place = document.querySelector("#notice");
  place.textContent = sentence;
  place.hidden = !sentence;
}

function showUnsent(waiting, error) {
  const place = document.querySelector("#unsent");
  // A second of waiting is nothing to mention; a failed attempt is.
  place.hidden = !waiting.length || !error;
  place.textContent = waiting.length ? words.unsent(waiting.length) : "";
  document.documentElement.classList.toggle("offline", Boolean(error));
}

// Ask for the next stage. Answers go first: the server decides knowing all of them.
async function go() {
  try {
    if (!(await outbox.flush())) return waitForServer();
    const next = await api.get(nextPath());
    tell("");
    take(next);
  } catch (error) {
    if (isPassing(error)) waitForServer();
    else if (error.status === 401) forget(error.message);
    else tell(error.message);
  }
}

function forget(sentence) {
  storage.removeItem(tokenName);
  show({ stage: "welcome", html: document.querySelector("#welcome").innerHTML });
  tell(sentence);
}

function waitForServer() {
  document.documentElement.classList.add("offline");
  if (!hand.length && stage === "trial") {
    main.replaceChildren(card(words.waitingTitle));
    shown = null;
  }
  tell(words.waiting);
  clearTimeout(waitForServer.timer);
  waitForServer.timer = setTimeout(go, 2000);
}

function card(title) {
  const made = document.createElement("section");
  made.className = "card center";
  made.append(document.createElement("h1"));
  made.firstChild.textContent = title;
  return made;
}

function take(next) {
  document.documentElement.classList.remove("offline");
  tell("");
  if (next.stage !== "trial" || !next.trials) {
    hand = [];
    show(next);
    return;
  }
  const current = hand[0]?.assignment;
  const kept = next.trials.find((one) => one.assignment === current);
  const isLooking = looking !== null && hand.length > 0;
  hand = kept ? [hand[0], ...next.trials.filter((one) => one !== kept)] : next.trials;
  if (!kept && !isLooking) showTrial(next);
  else warm(hand.slice(1));
}

// Media of the trial after this one are fetched now, so that it appears at once.
function warm(trials) {
  for (const trial of trials) {
    const ahead = document.createElement("template");
    ahead.innerHTML = trial.html;
    for (const picture of ahead.content.querySelectorAll("img")) new Image().src = picture.src;
  }
}

function show(next) {
  stage = next.stage;
  shown = null;
  main.dataset.stage = stage;
  main.innerHTML = next.html;
  showBar(next.bar);
  const bind = { welcome, consent, survey, guide, practice, break: pause }[stage] || ended;
  bind(next);
  focusHeading();
}

function focusHeading() {
  const heading = main.querySelector("h1, h2");
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  scrollTo(0, 0);
}

function showBar(bar) {
  const place = document.querySelector("#where");
  const progress = document.querySelector("#progress");
  document.body.classList.toggle("inside", Boolean(bar));
  place.textContent = bar ? bar.words : "";
  document.querySelector("#left").textContent = bar?.left ? ` · ${bar.left}` : "";
  progress.hidden = !bar || bar.done === null;
  if (bar && bar.done !== null) {
    progress.max = bar.total;
    progress.value = bar.done;
  }
}

// -- before the trials ---------------------------------------------------------------------------

function onSubmit(handler) {
  const form = main.querySelector("form");
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const pressed = event.submitter?.value;
    try {
      await handler(new FormData(form), pressed, form);
    } catch (error) {
      tell(isPassing(error) ? words.offline : error.message);
    }
  });
}

function welcome() {
  const field = main.querySelector("[name=rater]");
  if (field && hash.get("id")) field.value = hash.get("id");
  onSubmit(async (data) => {
    const query = Object.fromEntries(new URLSearchParams(location.search));
    if (hash.get("invite")) query.invite = hash.get("invite");
    const made = await api.post("enroll", { rater: data.get("rater"), query });
    storage.setItem(tokenName, made.token);
    await go();
  });
}

function consent() {
  onSubmit(async (_, pressed) => take(await api.post("consent", { agree: pressed === "yes" })));
}

function survey() {
  onSubmit(async (data) => take(await api.post("survey", { answers: Object.fromEntries(data) })));
}

function guide() {
  onSubmit(async () => take(await api.post("guide")));
}

function pause() {
  lastBreak = Date.now();
  onSubmit(async () => go());
}

function ended() {
  main.querySelector("[data-copy]")?.addEventListener("click", async (event) => {
    const code = main.querySelector(".code-shown").textContent;
    await navigator.clipboard?.writeText(code);
    event.target.textContent = words.copied;
  });
  main.querySelector("[data-withdraw]")?.addEventListener("click", () => dialogs.open("withdraw"));
}

// -- trials --------------------------------------------------------------------------------------

function command(name) {
  if (name === "skip" && stage === "practice") return; // a practice trial wants an answer
  if (name === "back") lookBack(-1);
  else if (name === "forward") lookBack(1);
  else dialogs.open(name);
}

// Go among the answers of this sitting; a changed one is sent again and replaces the first.
async function lookBack(step) {
  if (stage !== "trial" || !page.back || !hand.length) return;
  const at = (looking ?? past.length) + step;
  if (at < 0 || at > past.length) return;
  looking = at < past.length ? at : null;
  if (looking === null) return showTrial();
  const { trial, draft } = past[looking];
  showBar(trial.bar);
  await mount({ ...trial, draft }, trial.position);
  document.querySelector("#live").textContent = trial.bar.words;
}

async function mount(trial, number) {
  main.innerHTML = trial.html;
  const heading = document.createElement("h1");
  heading.className = "unseen";
  heading.textContent = document.querySelector("#where").textContent;
  main.prepend(heading);
  const element = main.querySelector("jb-trial");
  const kept = (looking === null && (await outbox.draft(trial.assignment))) || trial.draft;
  element.assignment = trial.assignment;
  element.begin({ form: trial.form, draft: kept });
  shown = { trial, element, at: performance.now(), ready: null, hidden: 0, number };
  const mine = shown;
  element.media.ready.then(() => { mine.ready = performance.now(); });
  element.addEventListener("jb-draft", (event) => {
    if (looking === null) keepDraft(trial.assignment, event.detail);
  });
  element.addEventListener("jb-command", (event) => command(event.detail));
  element.addEventListener("jb-submit", (event) => submit({ status: "answered", ...event.detail }));
  scrollTo(0, 0);
  return element;
}

async function showTrial(next) {
  stage = "trial";
  looking = null;
  main.dataset.stage = "trial";
  document.querySelector("#back").hidden = !page.back || !past.length;
  const trial = hand[0];
  showBar(trial.bar);
  page.breakEvery = next?.break_every ?? page.breakEvery ?? "";
  await mount(trial, trial.position);
  document.querySelector("#live").textContent = trial.bar.words;
  warm(hand.slice(1));
}

async function practice(next) {
  await mount(next.trial, next.trial.position);
  document.querySelector("#live").textContent = next.bar.words;
}

let draftTimer = null;
function keepDraft(assignment, draft) {
  clearTimeout(draftTimer);
  draftTimer = setTimeout(async () => {
    await outbox.keepDraft(assignment, draft);
    if (!preview) await api.put("draft", { assignment, draft }).catch(() => null);
  }, 300);
}

function timing() {
  const now = performance.now();
  const from = shown.ready ?? shown.at;
  const whole = (moment) => (moment === null ? null : Math.round(moment - shown.at));
  return {
    ms: Math.max(0, Math.round(now - from - shown.hidden)),
    timing: {
      ready: whole(shown.ready),
      first: whole(shown.element.touched),
      hidden: Math.round(shown.hidden),
      submit: whole(now),
    },
  };
}

async function submit(answer) {
  if (!shown || shown.sent) return;
  shown.sent = true;
  clearTimeout(draftTimer);
  const { assignment } = shown.trial;
  const whole = { id: newId(), assignment, session: sitting, position: shown.number, ...answer, ...timing() };
  if (stage === "practice") return submitPractice(whole);
  const answered = { trial: shown.trial, draft: shown.element.draft };
  await outbox.put(whole);
  if (looking !== null) {
    past[looking] = answered;
    await showTrial();
    return sendAndRefill();
  }
  done = shown.number + 1;
  past.push(answered);
  await outbox.dropDraft(assignment);
  hand.shift();
  if (needsBreak()) return takeBreak();
  if (hand.length) await showTrial();
  await sendAndRefill();
}

// The next trial is already on screen; send in the background and fetch the one after it.
async function sendAndRefill() {
  if (!hand.length) return go();
  try {
    if (await outbox.flush()) take(await api.get(nextPath()));
  } catch (error) {
    if (!isPassing(error)) tell(error.message);
  }
}

async function submitPractice(whole) {
  try {
    const { feedback } = await api.post("submit", whole);
    await outbox.dropDraft(whole.assignment);
    main.querySelector("jb-trial .form").insertAdjacentHTML("afterend", feedback);
    main.querySelector("jb-trial .form").remove();
    const panel = main.querySelector(".feedback");
    panel.querySelector("button").addEventListener("click", go);
    panel.querySelector("button").focus();
    shown = null;
  } catch (error) {
    shown.sent = false;
    tell(isPassing(error) ? words.offline : error.message);
  }
}

function needsBreak() {
  const seconds = Number(page.breakEvery || 0);
  return seconds > 0 && (Date.now() - lastBreak) / 1000 >= seconds;
}

async function takeBreak() {
  try {
    if (!(await outbox.flush())) return waitForServer();
    take(await api.post("break"));
  } catch {
    lastBreak = Date.now();
    await go();
  }
}

async function skip(reason, comment) {
  await submit({ status: "skipped", reason, comment, answers: [] });
}

async function stop() {
  if (!(await outbox.flush())) return tell(words.offline);
  take(await api.post("stop"));
}

async function withdraw() {
  await outbox.flush();
  take(await api.post("withdraw"));
}

// -- the page ------------------------------------------------------------------------------------

document.querySelector("#back").addEventListener("click", () => lookBack(-1));

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
  if (shown && !dialogs.keysOff(event)) {
    if (shown.element.key(event)) event.preventDefault();
  } else if (!shown && event.key === "Enter" && event.target === main.querySelector("h1, h2")) {
    main.querySelector("form button[type=submit]")?.click();
  }
});

let hiddenSince = null;
document.addEventListener("visibilitychange", () => {
  if (document.hidden) hiddenSince = performance.now();
  else if (hiddenSince !== null && shown) shown.hidden += performance.now() - hiddenSince;
});

addEventListener("unhandledrejection", () => tell(words.failed));

if (token()) go();
else if (preview) tell(words.signIn);
else welcome();
