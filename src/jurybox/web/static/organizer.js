// The organizer's page: parts by address behind the `#`, fetched with the token, fresh every 5 s.

import { makeApi } from "./api.js";
import { card } from "./frame.js";
import { change } from "./organizer-change.js";
import { tellValues } from "./told.js";
import { words } from "./words.js";

const EVERY = 5000; // ms
const SLOW = 200; // ms
const STILL = /^results/; // what is computed anew only when somebody asks for it
const COUNTED = /^(results|raters|calibration)/; // what the analysis is asked for

const page = document.documentElement.dataset;
const part = document.querySelector("#part");
const tokenName = `jurybox-organizer-${page.study}`;
const base = `${document.documentElement.dataset.root}api/organizer/`;
const title = document.querySelector(".bar-title").textContent;
let shown = { where: "", mark: "" };
let asking = 0; // parts that are asked for now: a slow server is not asked again meanwhile
let newest = 0; // the number of what was asked for or done last: an older answer takes nothing of it back

// The token is taken out of the address at once, so that it is in no history and no screenshot.
function takeToken() {
  const brought = /^#token=([\w-]+)/.exec(location.hash);
  if (!brought) return;
  sessionStorage.setItem(tokenName, brought[1]);
  history.replaceState(null, "", `${location.pathname}#/progress`);
}

const tellAgain = tellValues(part);
const token = () => sessionStorage.getItem(tokenName);
const api = makeApi(base, token);
const where = () => location.hash.replace(/^#\/?/, "") || "progress";

// What went wrong with the page, and with what was done on it: a page that is fresh again says
// nothing about why a form was not taken.
const wrong = { page: "", action: "" };

function tell(about, sentence) {
  wrong[about] = sentence;
  const place = document.querySelector("#notice");
  const said = wrong.action || wrong.page;
  if (place.textContent !== said) place.textContent = said;
  place.hidden = !said;
}

function markHere() {
  for (const link of document.querySelectorAll(".nav a")) {
    const here = link.hash === `#/${where().split(/[/?]/)[0]}`;
    if (!here) link.removeAttribute("aria-current");
    else if (!link.hasAttribute("aria-current")) {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  }
}

function draw(html, { moved }) {
  const next = document.createElement("main");
  next.innerHTML = html;
  headCells(next);
  if (!moved) keepFresh(next);
  if (moved) part.replaceChildren(...next.childNodes);
  else change(part, next);
  tellAgain();
  for (const field of part.querySelectorAll("[data-kept]")) {
    if (!field.value) field.value = localStorage.getItem(`jurybox-${field.dataset.kept}`) ?? "";
  }
  if (moved) sayHeading();
}

// On a phone the rows of a wide table are blocks, each cell under its heading (`.stacks` in the
// stylesheet); the roles keep it a table where a browser goes by the layout.
function headCells(next) {
  for (const table of next.querySelectorAll(".stacks table")) {
    const heads = [...table.tHead.rows[0].cells];
    const give = (role, found) => found.forEach((one) => one.setAttribute("role", role));
    give("table", [table]);
    give("rowgroup", table.querySelectorAll("thead, tbody"));
    give("row", table.querySelectorAll("tr"));
    give("columnheader", heads);
    give("rowheader", table.querySelectorAll("tbody th"));
    give("cell", table.querySelectorAll("td"));
    for (const cell of table.querySelectorAll("td")) cell.dataset.head = heads[cell.cellIndex].textContent;
  }
}

// Links that were just made are told once: they stay in sight until somebody goes on.
function keepFresh(next) {
  const fresh = part.querySelector("#fresh");
  if (fresh && !next.querySelector("#fresh")) next.querySelector("#invited").before(fresh.cloneNode(true));
}

function sayHeading() {
  const heading = part.querySelector("h1")?.textContent ?? "";
  scrollTo(0, 0);
  document.title = `${heading} · ${title}`;
  document.querySelector("#live").textContent = heading;
}

// The server's answer, or in a sentence why there is none; `lost` where nobody answered, or a proxy
// with a page of its own.
async function ask(path, { lost, ...headers }) {
  headers.Authorization = `Bearer ${token()}`;
  const response = await fetch(base + path, { headers, cache: "no-store", credentials: "omit" }).catch(() => null);
  if (response?.ok || response?.status === 304) return response;
  const said = await response?.json().catch(() => null);
  throw new Error(said?.error?.sentence ?? lost);
}

// The part at an address, or nothing where it is still what the page shows.
async function fetchPart(path, mark) {
  const known = mark ? { "If-None-Match": mark } : {};
  const response = await ask(path, { lost: words.trying, Accept: "application/json", ...known });
  if (response.status === 304) return null;
  const value = await response.json().catch(() => null);
  if (!value?.html) throw new Error(words.trying);
  return { html: value.html, mark: response.headers.get("ETag") ?? "" };
}

const busy = (path) => card(COUNTED.test(path) ? "Counting the answers …" : words.loading);

// What takes long says so; what was asked for and did not come is not passed off as the page before.
async function load({ moved }) {
  if (moved) tell("action", "");
  if (!token()) return tell("page", words.signIn);
  const path = where();
  const mine = (newest += 1);
  const isHere = () => mine === newest && path === where(); // or gone on meanwhile
  markHere();
  if (moved) part.ariaBusy = "true";
  const waiting = moved && setTimeout(() => isHere() && part.replaceChildren(busy(path)), SLOW);
  asking += 1;
  try {
    const found = await fetchPart(path, moved || shown.where !== path ? "" : shown.mark);
    if (found && isHere()) {
      draw(found.html, { moved: moved || shown.lost });
      shown = { where: path, mark: found.mark };
    }
    if (isHere()) tell("page", "");
  } catch (error) {
    if (isHere()) tell("page", error.message);
    if (isHere() && moved) {
      shown = { where: "", mark: "", lost: true };
      part.replaceChildren(card("This page cannot be shown"));
      sayHeading();
    }
  } finally {
    clearTimeout(waiting);
    if (isHere()) part.ariaBusy = "false";
    asking -= 1;
  }
}

async function act(action) {
  try {
    await action();
    tell("action", "");
  } catch (error) {
    tell("action", error.message);
  }
}

async function save(path, name) {
  const response = await ask(path, { lost: words.unreachable });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function copy(button) {
  const copied = await navigator.clipboard?.writeText(button.dataset.copy).then(() => true, () => false);
  if (!copied) throw new Error("The browser does not let this page copy; “Links as CSV” has every link.");
  const said = button.textContent;
  button.textContent = button.dataset.done;
  document.querySelector("#live").textContent = button.dataset.done;
  setTimeout(() => (button.textContent = said), 1500);
}

// A form that is on its way is not sent again by a second click.
async function once(form, action) {
  if (form.ariaBusy === "true") return;
  form.ariaBusy = "true";
  await act(action);
  form.ariaBusy = "false";
}

function send(form) {
  const body = Object.fromEntries(new FormData(form));
  if (body.by) localStorage.setItem("jurybox-by", body.by);
  once(form, async () => {
    const { html } = await api.post(form.dataset.post, body);
    form.closest("details")?.removeAttribute("open");
    form.reset();
    shown = { where: "", mark: "" };
    newest += 1;
    part.querySelector("#fresh")?.remove(); // one of its links may be good no more
    if (html) draw(html, { moved: true });
    else await load({ moved: false });
    if (!part.contains(document.activeElement)) part.focus();
  });
}

function invite(form) {
  const given = new FormData(form);
  const raters = given.get("raters").split("\n").map((one) => one.trim()).filter(Boolean);
  const body = { raters, count: Number(given.get("count") || 0), group: given.get("group") };
  once(form, async () => {
    const { html } = await api.post("invitations", body);
    form.reset();
    shown = { where: where(), mark: "" };
    newest += 1;
    draw(html, { moved: true });
    part.querySelector("#fresh")?.scrollIntoView({ block: "nearest" });
  });
}

part.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const { save: path, name, report, copy: text } = button.dataset;
  if (path) act(() => save(path, name ?? path));
  if (text) act(() => copy(button));
  if (report !== undefined) act(async () => open((await api.post("report")).url, "_blank", "noopener"));
});

part.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target;
  if (form.dataset.post) send(form);
  else if (form.dataset.get) location.hash = `#/${form.dataset.get}?${new URLSearchParams(new FormData(form))}`;
  else invite(form);
});

// What was rated is fetched when a group looks at it: films of twenty trials would all load at once.
async function look(details) {
  if (!details.open || details.children.length > 1) return;
  const next = document.createElement("div");
  next.innerHTML = (await fetchPart(details.dataset.look)).html;
  if (details.children.length === 1) details.append(...next.querySelectorAll(".notes, .picture-of-trial"));
}

part.addEventListener("toggle", ({ target }) => target.dataset.look && act(() => look(target)), true);

part.addEventListener("change", (event) => {
  if (event.target.matches("[data-get] select")) event.target.form.requestSubmit();
});

document.querySelector("[data-skip]").addEventListener("click", (event) => {
  event.preventDefault();
  part.focus();
});

takeToken();
addEventListener("hashchange", () => {
  takeToken();
  load({ moved: true });
});
const refresh = () => {
  if (document.hidden || asking || !token()) return;
  if (shown.lost || !STILL.test(where())) load({ moved: false });
};
setInterval(refresh, EVERY);
document.addEventListener("visibilitychange", refresh);
load({ moved: true });
