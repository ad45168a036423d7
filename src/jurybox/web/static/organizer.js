// The organizer's page: parts by address behind the `#`, fetched with the token, fresh every 5 s.

import { makeApi } from "./api.js";
import { change } from "./organizer-change.js";
import { words } from "./words.js";

const EVERY = 5000; // ms
const STILL = /^results/; // what is computed anew only when somebody asks for it

const page = document.documentElement.dataset;
const part = document.querySelector("#part");
const tokenName = `jurybox-organizer-${page.study}`;
const base = "api/organizer/";
let shown = { where: "", mark: "" };
let asking = 0; // parts that are asked for now: a slow server is not asked again meanwhile

// The token is taken out of the address at once, so that it is in no history and no screenshot.
function takeToken() {
  const brought = /^#token=([\w-]+)/.exec(location.hash);
  if (!brought) return;
  sessionStorage.setItem(tokenName, brought[1]);
  history.replaceState(null, "", `${location.pathname}#/progress`);
}

const token = () => sessionStorage.getItem(tokenName);
const api = makeApi(base, token);
const where = () => location.hash.replace(/^#\/?/, "") || "progress";

function tell(sentence) {
  const place = document.querySelector("#notice");
  if (place.textContent !== sentence) place.textContent = sentence;
  place.hidden = !sentence;
}

function draw(html, { moved }) {
  const next = document.createElement("main");
  next.innerHTML = html;
  if (moved) part.replaceChildren(...next.childNodes);
  else change(part, next);
  for (const link of document.querySelectorAll(".nav a")) {
    const here = link.hash === `#/${where().split(/[/?]/)[0]}`;
    if (!here) link.removeAttribute("aria-current");
    else if (!link.hasAttribute("aria-current")) {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  }
  for (const field of part.querySelectorAll("[data-kept]")) {
    if (!field.value) field.value = localStorage.getItem(`jurybox-${field.dataset.kept}`) ?? "";
  }
  if (!moved) return;
  scrollTo(0, 0);
  const heading = part.querySelector("h1");
  document.querySelector("#live").textContent = heading?.textContent ?? "";
}

// The part at an address, or nothing where it is still what the page shows.
async function fetchPart(path, mark) {
  const headers = { Accept: "application/json", Authorization: `Bearer ${token()}` };
  if (mark) headers["If-None-Match"] = mark;
  let response;
  try {
    response = await fetch(base + path, { headers, cache: "no-store", credentials: "omit" });
    if (response.status === 304) return null;
    const value = await response.json();
    if (response.ok) return { html: value.html, mark: response.headers.get("ETag") ?? "" };
    throw new Error(value.error.sentence);
  } catch (error) {
    throw response ? error : new Error(words.trying);
  }
}

async function load({ moved }) {
  if (!token()) return tell(words.signIn);
  const path = where();
  asking += 1;
  try {
    const found = await fetchPart(path, moved || shown.where !== path ? "" : shown.mark);
    if (path !== where()) return; // gone on meanwhile
    if (found) {
      draw(found.html, { moved });
      shown = { where: path, mark: found.mark };
    }
    tell("");
  } catch (error) {
    if (path === where()) tell(error.message);
  } finally {
    asking -= 1;
  }
}

async function act(action) {
  try {
    await action();
    tell("");
  } catch (error) {
    tell(error.message);
  }
}

async function save(path, name) {
  const response = await fetch(base + path, { headers: { Authorization: `Bearer ${token()}` }, cache: "no-store" });
  if (!response.ok) throw new Error((await response.json()).error.sentence);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function copy(button) {
  await navigator.clipboard.writeText(button.dataset.copy);
  const said = button.textContent;
  button.textContent = button.dataset.done;
  document.querySelector("#live").textContent = button.dataset.done;
  setTimeout(() => (button.textContent = said), 1500);
}

function send(form) {
  const body = Object.fromEntries(new FormData(form));
  if (body.by) localStorage.setItem("jurybox-by", body.by);
  act(async () => {
    const { html } = await api.post(form.dataset.post, body);
    form.closest("details")?.removeAttribute("open");
    form.reset();
    shown = { where: "", mark: "" };
    if (html) draw(html, { moved: true });
    else await load({ moved: false });
    if (!part.contains(document.activeElement)) part.focus();
  });
}

function invite(form) {
  const given = new FormData(form);
  const raters = given.get("raters").split("\n").map((one) => one.trim()).filter(Boolean);
  const body = { raters, count: Number(given.get("count") || 0), group: given.get("group") };
  act(async () => {
    const { html } = await api.post("invitations", body);
    form.reset();
    shown = { where: where(), mark: "" };
    draw(html, { moved: true });
    part.querySelector(".fresh")?.scrollIntoView({ block: "nearest" });
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
  if (!document.hidden && !asking && token() && !STILL.test(where())) load({ moved: false });
};
setInterval(refresh, EVERY);
document.addEventListener("visibilitychange", refresh);
load({ moved: true });
