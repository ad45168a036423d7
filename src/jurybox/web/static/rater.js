// The rater's page. The server says which stage comes next and draws it; this script shows it, takes
// the answers, and makes sure that none is lost on the way.

import { isPassing, makeApi, Refused, Unreachable } from "./api.js";
import { Outbox } from "./outbox.js";
import { wireDialogs } from "./dialogs.js";
import "./trial.js";
import { words } from "./words.js";

const page = document.documentElement.dataset;
const main = document.querySelector("main");
const preview = page.mode === "preview";
const storage = preview ? sessionStorage : localStorage;
const tokenName = `jurybox-${preview ? "organizer" : "rater"}-${page.study}`;
const panelistName = `${tokenName}-panelist`;

// A link brings its secret behind the `#`, which no server, proxy or referrer ever sees. An
// invitation is kept with the page's place in the history, so that a reload still knows it.
const hash = new URLSearchParams(location.hash.slice(1) || history.state?.brought);
const invitation = hash.get("invite");
const panelist = new URLSearchParams(location.search).get("PROLIFIC_PID");
const address = location.pathname + location.search;
if (location.hash) history.replaceState(invitation && { brought: `${hash}` }, "", address);
addEventListener("hashchange", () => location.reload());

// Who rates on this page: their token, and the way to the server and the outbox that go with it. The
// token is read once: what another tab makes of it never sends one rater's answers as another's.
let who = meet(keptToken());

const sitting = newId();
let hand = []; // the trials at hand: the one shown first, then what was fetched ahead
let shown = null; // { trial data, times } of the trial on screen
let stage = null;
let lastBreak = Date.now();
const past = []; // what was answered in this sitting: { trial, draft }
let looking = null; // index in `past` while the rater looks back
let done = 0; // trials walked through in a preview, which nobody else counts

const dialogs = wireDialogs({
  fetchGuide: async () => (await who.api.get("guide")).html,
  tell,
  onSkip: skip,
  onStop: stop,
  onWithdraw: withdraw,
});

// A link that names a rater wins over the token that was kept here for another.
function keptToken() {
  const named = hash.get(preview ? "token" : "r");
  if (named) storage.setItem(tokenName, named);
  const kept = storage.getItem(tokenName);
  if (named || !kept) return kept;
  if (invitation) return kept.startsWith(invitation.slice(0, 20)) ? kept : null; // a group's seal may follow
  return panelist && storage.getItem(panelistName) !== panelist ? null : kept;
}

function meet(token) {
  const api = makeApi(preview ? "api/preview/" : "api/", () => token);
  const mine = { token, api, outbox: null };
  // Each rater has an outbox of their own, named by the end of their token.
  if (token) {
    mine.outbox = new Outbox(`${page.study}-${page.mode}-${token.slice(-16)}`, {
      send: api.submit,
      changed: (waiting, error) => { if (mine === who) showUnsent(waiting, error); },
      refused: (error) => note(error.message),
    });
  }
  return mine;
}

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

// A line that stays until it is closed, for what is said only once.
function note(sentence) {
  const place = document.createElement("p");
  place.className = "notice";
  place.setAttribute("role", "alert");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "chip";
  button.textContent = words.close;
  button.addEventListener("click", () => place.remove());
  place.append(sentence, " ", button);
  document.querySelector("#notice").after(place);
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
    const stopped = await who.outbox.flush();
    if (stopped) return waitForServer(stopped);
    take(await who.api.get(nextPath()));
  } catch (error) {
    if (isPassing(error)) waitForServer(error);
    else if (error.status === 401) forget(error.message);
    else tell(error.message);
  }
}

function forget(sentence) {
  if (storage.getItem(tokenName) === who.token) storage.removeItem(tokenName);
  clearTimeout(waitForServer.timer);
  who = meet(null);
  show({ stage: "welcome", html: document.querySelector("#welcome").innerHTML });
  tell(sentence);
}

async function waitForServer(error) {
  document.documentElement.classList.add("offline");
  if (!hand.length && stage === "trial") {
    main.replaceChildren(card(words.waitingTitle));
    shown = null;
  }
  clearTimeout(waitForServer.timer);
  waitForServer.timer = setTimeout(go, 2000);
  const unsent = (await who.outbox.all()).length;
  if (error instanceof Refused) tell(error.message);
  else tell(unsent ? words.waiting : words.trying);
}

function card(title) {
  const made = document.createElement("section");
  made.className = "card center";
  made.append(document.createElement("h1"));
  made.firstChild.textContent = title;
  return made;
}

function take(next) {
  if (!next.stage) throw new Unreachable(); // JSON, but of somebody else
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
      tell(error.message);
    }
  });
}

function welcome() {
  const field = main.querySelector("[name=rater]");
  if (field && hash.get("id")) field.value = hash.get("id");
  onSubmit(async (data) => {
    const query = Object.fromEntries(new URLSearchParams(location.search));
    if (invitation) query.invite = invitation;
    const { token } = await who.api.post("enroll", { rater: data.get("rater"), query });
    if (!token) throw new Unreachable();
    storage.setItem(tokenName, token);
    if (panelist) storage.setItem(panelistName, panelist);
    history.replaceState(null, "", address);
    who = meet(token);
    await go();
  });
}

function consent() {
  onSubmit(async (_, pressed) => take(await who.api.post("consent", { agree: pressed === "yes" })));
}

function survey() {
  onSubmit(async (data) => take(await who.api.post("survey", { answers: Object.fromEntries(data) })));
}

function guide() {
  const link = main.querySelector("#own-link");
  if (link) {
    link.value = `${location.origin}${location.pathname}#r=${who.token}`;
    main.querySelector("[data-copy-link]").addEventListener("click", (event) => {
      link.select();
      copy(link.value, event.target);
    });
  }
  onSubmit(async () => take(await who.api.post("guide")));
}

function pause() {
  lastBreak = Date.now();
  onSubmit(async () => go());
}

// The text is marked already: without a clipboard (no https, no permission) it is copied by hand.
async function copy(text, button) {
  const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
  if (copied) button.textContent = words.copied;
}

function ended() {
  main.querySelector("[data-copy]")?.addEventListener("click", (event) => {
    const code = main.querySelector(".code-shown");
    getSelection().selectAllChildren(code);
    copy(code.textContent, event.target);
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
  const kept = (looking === null && (await who.outbox.draft(trial.assignment))) || trial.draft;
  element.assignment = trial.assignment;
  element.begin({ form: trial.form, draft: kept });
  // The answer's id belongs to what is shown: sent twice, it is still one answer.
  shown = { id: newId(), trial, element, at: performance.now(), ready: null, hidden: 0, number };
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
  const { api, outbox } = who;
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
  const whole = { id: shown.id, assignment, session: sitting, position: shown.number, ...answer, ...timing() };
  if (stage === "practice") return submitPractice(whole);
  const answered = { trial: shown.trial, draft: shown.element.draft };
  await who.outbox.put(whole);
  if (looking !== null) {
    past[looking] = answered;
    await showTrial();
    return sendAndRefill();
  }
  done = shown.number + 1;
  past.push(answered);
  await who.outbox.dropDraft(assignment);
  hand.shift();
  if (needsBreak()) return takeBreak();
  if (hand.length) await showTrial();
  await sendAndRefill();
}

// The next trial is already on screen; send in the background and fetch the one after it.
async function sendAndRefill() {
  if (!hand.length) return go();
  try {
    if (!(await who.outbox.flush())) take(await who.api.get(nextPath()));
  } catch (error) {
    if (!isPassing(error)) tell(error.message);
  }
}

async function submitPractice(whole) {
  try {
    const { feedback } = await who.api.submit(whole);
    await who.outbox.dropDraft(whole.assignment);
    main.querySelector("jb-trial .form").insertAdjacentHTML("afterend", feedback);
    main.querySelector("jb-trial .form").remove();
    const panel = main.querySelector(".feedback");
    panel.querySelector("button").addEventListener("click", go);
    panel.querySelector("button").focus();
    shown = null;
    tell("");
  } catch (error) {
    shown.sent = false;
    tell(error.message);
  }
}

function needsBreak() {
  const seconds = Number(page.breakEvery || 0);
  return seconds > 0 && (Date.now() - lastBreak) / 1000 >= seconds;
}

async function takeBreak() {
  try {
    const stopped = await who.outbox.flush();
    if (stopped) return waitForServer(stopped);
    take(await who.api.post("break"));
  } catch {
    lastBreak = Date.now();
    await go();
  }
}

async function skip(reason, comment) {
  await submit({ status: "skipped", reason, comment, answers: [] });
}

// Stopping and withdrawing come after the last answer; unsent answers do not hold up withdrawing.
async function stop() {
  try {
    const stopped = await who.outbox.flush();
    if (stopped) throw stopped;
    take(await who.api.post("stop"));
  } catch (error) {
    tell(words.notStopped(error.message));
  }
}

async function withdraw() {
  try {
    await who.outbox.flush();
    take(await who.api.post("withdraw"));
  } catch (error) {
    tell(words.notWithdrawn(error.message));
  }
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

if (who.token) go();
else if (preview) tell(words.signIn);
else welcome();
