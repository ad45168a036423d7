// The organizer's page: parts by address behind the `#`, fetched with the token, fresh every 5 s.

import { makeApi } from "./api.js";
import { words } from "./words.js";

const page = document.documentElement.dataset;
const part = document.querySelector("#part");
const tokenName = `jurybox-organizer-${page.study}`;
const brought = /^#token=([\w-]+)/.exec(location.hash);
if (brought) {
  sessionStorage.setItem(tokenName, brought[1]);
  history.replaceState(null, "", `${location.pathname}#/progress`);
}
const token = () => sessionStorage.getItem(tokenName);
const api = makeApi("api/organizer/", token);
let shown = "";

const where = () => location.hash.replace(/^#\/?/, "") || "progress";

function tell(sentence) {
  const place = document.querySelector("#notice");
  place.textContent = sentence;
  place.hidden = !sentence;
}

function draw(html, { moved }) {
  if (html === shown && !moved) return;
  shown = html;
  part.innerHTML = html;
  for (const link of document.querySelectorAll(".nav a")) {
    const here = link.hash === `#/${where().split(/[/?]/)[0]}`;
    if (here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (moved) scrollTo(0, 0);
}

async function load({ moved }) {
  if (!token()) return tell(words.signIn);
  try {
    draw((await api.get(where())).html, { moved });
    tell("");
  } catch (error) {
    tell(error.message);
  }
}

async function act(action) {
  try {
    await action();
  } catch (error) {
    tell(error.message);
  }
}

async function save(shape) {
  const response = await fetch(`api/organizer/export/${shape}`, { headers: { Authorization: `Bearer ${token()}` } });
  if (!response.ok) throw new Error((await response.json()).error.sentence);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = `${shape}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}

part.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const { rater, action, report, export: shape } = button.dataset;
  if (action) act(async () => draw((await api.post("raters", { rater, action })).html, { moved: false }));
  if (shape) act(() => save(shape));
  if (report !== undefined) act(async () => open((await api.post("report")).url, "_blank", "noopener"));
});

part.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = new FormData(event.target);
  const raters = form.get("raters").split("\n").map((one) => one.trim()).filter(Boolean);
  const group = form.get("group");
  act(async () => draw((await api.post("invitations", { raters, group })).html, { moved: true }));
});

addEventListener("hashchange", () => load({ moved: true }));
setInterval(() => {
  const typing = document.activeElement?.tagName === "TEXTAREA";
  if (!document.hidden && !typing && /^(progress|raters)/.test(where())) load({ moved: false });
}, 5000);
load({ moved: true });
