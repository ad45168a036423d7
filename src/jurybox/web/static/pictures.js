// Pictures of a trial: enlarged and moved together, laid over each other, or seen for a while only.

import { local, session } from "./kept.js";
import { waitFor } from "./broken.js";
import { COMMANDS } from "./keys.js";
import { words } from "./words.js";

const MOST = 8;
const STEP = 1.25;
const NUDGE = 0.08; // of what is seen, by an arrow key
const CALM = 900; // ms between two pictures that alternate: far below three flashes a second
const SOONEST = 350; // ms, however fast a key is pressed
const LOOK = 100;

export class Pictures {
  constructor(trial) {
    this.trial = trial;
    this.view = { scale: 1, x: 0.5, y: 0.5 }; // the spot in the middle, as a share of the picture
    this.frames = [...trial.querySelectorAll(".picture")];
    this.overlay = null;
    this.timers = [];
    const ready = this.frames.map((frame) => this.#begin(frame));
    const series = [...trial.querySelectorAll(".series li:has(img)")].map((one) => waitFor(one, trial));
    this.ready = Promise.all([...ready, ...series]);
    this.pair = pairOf(trial);
    for (const button of trial.querySelectorAll("button[data-zoom]")) {
      if (this.pair) button.after(...this.#tools());
    }
    this.resized = new ResizeObserver(() => this.#show());
    for (const frame of this.frames) this.resized.observe(frame);
  }

  get canZoom() {
    return this.frames.some((frame) => zooms(frame));
  }

  stop() {
    this.resized.disconnect();
    for (const timer of this.timers) clearInterval(timer);
    this.#leave();
  }

  #begin(frame) {
    if (zooms(frame)) this.#bind(frame);
    return waitFor(frame, this.trial).then(() => {
      if (!this.trial.isConnected) return;
      if (frame.dataset.seconds) this.#glimpse(frame);
      this.#show();
    });
  }

  // -- enlarging ---------------------------------------------------------------------------------

  zoom(scale = this.view.scale > 1 ? 1 : 3) {
    if (this.canZoom) this.#look({ ...this.view, scale });
  }

  #look({ scale, x, y }) {
    const bounded = Math.min(MOST, Math.max(1, scale));
    this.view = bounded === 1 ? { scale: 1, x: 0.5, y: 0.5 } : { scale: bounded, x, y };
    this.#show();
  }

  #show() {
    const on = this.view.scale > 1;
    this.trial.classList.toggle("zoomed", on);
    for (const button of this.trial.querySelectorAll("button[data-zoom]")) button.setAttribute("aria-pressed", String(on));
    for (const frame of this.frames) {
      if (!zooms(frame)) continue;
      if (on) {
        frame.tabIndex = 0;
        frame.setAttribute("role", "group");
        frame.setAttribute("aria-label", words.zoomed(frame.querySelector("img").alt));
      } else if (frame.hasAttribute("role")) {
        for (const name of ["tabindex", "role", "aria-label"]) frame.removeAttribute(name);
      }
      for (const picture of frame.querySelectorAll("img")) place(picture, frame, this.view);
    }
  }

  #bind(frame) {
    const fingers = new Map();
    const at = (event) => {
      const box = frame.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    frame.addEventListener("wheel", (event) => {
      const free = frame.closest("[data-visual=yes], .overlay");
      if (!event.ctrlKey && !free && this.view.scale === 1) return; // the tile scrolls
      event.preventDefault();
      this.#zoomAt(frame, at(event), this.view.scale * Math.exp(-event.deltaY * 0.002));
    }, { passive: false });
    frame.addEventListener("dblclick", (event) => {
      this.#zoomAt(frame, at(event), this.view.scale > 1 ? 1 : 3);
    });
    frame.addEventListener("pointerdown", (event) => {
      fingers.set(event.pointerId, at(event));
    });
    frame.addEventListener("pointermove", (event) => {
      if (!fingers.has(event.pointerId) || (event.pointerType === "mouse" && event.buttons !== 1)) return;
      const before = [...fingers.values()];
      fingers.set(event.pointerId, at(event));
      if (this.view.scale === 1 && fingers.size < 2) return;
      frame.setPointerCapture(event.pointerId);
      this.#drag(frame, before, [...fingers.values()]);
    });
    const gone = (event) => fingers.delete(event.pointerId);
    for (const name of ["pointerup", "pointercancel"]) frame.addEventListener(name, gone);
    frame.addEventListener("keydown", (event) => this.#key(event));
  }

  #drag(frame, before, now) {
    const [a, b] = [middle(before), middle(now)];
    const ratio = now.length > 1 ? spread(now) / Math.max(1, spread(before)) : 1;
    this.#zoomAt(frame, a, this.view.scale * ratio);
    const box = boxOf(frame, frame.querySelector("img"));
    const { scale, x, y } = bound(this.view, frame, box);
    this.#look({ scale, x: x - (b.x - a.x) / (scale * box.width), y: y - (b.y - a.y) / (scale * box.height) });
  }

  // The spot under the pointer stays where it is.
  #zoomAt(frame, point, scale) {
    const box = boxOf(frame, frame.querySelector("img"));
    const now = bound(this.view, frame, box);
    const bounded = Math.min(MOST, Math.max(1, scale));
    const [dx, dy] = [point.x - frame.clientWidth / 2, point.y - frame.clientHeight / 2];
    const keep = (center, delta, size) => center + (delta / size) * (1 / now.scale - 1 / bounded);
    this.#look({ scale: bounded, x: keep(now.x, dx, box.width), y: keep(now.y, dy, box.height) });
  }

  #key(event) {
    if (this.view.scale === 1 || event.ctrlKey || event.metaKey || event.altKey) return;
    const { scale, x, y } = this.view;
    const by = NUDGE / scale;
    const meant = {
      ArrowLeft: { scale, x: x - by, y }, ArrowRight: { scale, x: x + by, y },
      ArrowUp: { scale, x, y: y - by }, ArrowDown: { scale, x, y: y + by },
      "+": { scale: scale * STEP, x, y }, "=": { scale: scale * STEP, x, y }, "-": { scale: scale / STEP, x, y },
      Escape: { scale: 1, x, y },
    }[event.key];
    if (!meant) return;
    event.preventDefault();
    const box = boxOf(event.currentTarget, event.currentTarget.querySelector("img"));
    this.#look(bound(meant, event.currentTarget, box));
  }

  // -- two pictures over each other --------------------------------------------------------------

  #tools() {
    return ["wipe", "flicker"].map((name) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "tool pair-tool";
      button.append(key(COMMANDS[name], name), words[name]);
      button.dataset.command = name;
      return button;
    });
  }

  wipe() {
    this.#layOver("wipe");
  }

  flicker() {
    this.#layOver("flicker");
  }

  #layOver(mode) {
    if (!this.pair || this.pair.some((frame) => frame.querySelector(".broken"))) return;
    const same = this.overlay?.dataset.mode === mode;
    this.#leave();
    if (!same) this.#enter(mode);
  }

  #enter(mode) {
    const names = this.pair.map((frame) => frame.closest(".tile").getAttribute("aria-label"));
    const overlay = document.createElement("section");
    overlay.className = "overlay";
    overlay.dataset.mode = mode;
    overlay.setAttribute("role", "group");
    overlay.setAttribute("aria-label", words.overEachOther(...names));
    const frame = document.createElement("figure");
    frame.className = "picture";
    frame.dataset.zoom = "yes";
    frame.append(...this.pair.map((one) => one.querySelector("img").cloneNode()));
    const foot = document.createElement("div");
    foot.className = "overlay-foot";
    const leave = button("tool", words.sideBySide, () => this.#leave());
    leave.prepend(key("Esc"));
    const control = mode === "wipe" ? wiper(frame, names) : this.#alternator(frame, names);
    foot.append(...control, leave);
    overlay.append(frame, ...(mode === "wipe" ? [foot.querySelector("input"), foot] : [foot]));
    overlay.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      this.#leave();
    });
    this.trial.querySelector(".tiles").append(overlay);
    for (const tile of this.trial.querySelectorAll(".tile")) tile.inert = true;
    this.overlay = overlay;
    this.frames.push(frame);
    this.#bind(frame);
    this.resized.observe(frame);
    this.#show();
    this.cameFrom = document.activeElement;
    overlay.querySelector("input, button").focus();
  }

  #leave() {
    if (!this.overlay) return;
    clearInterval(this.alternating);
    const frame = this.overlay.querySelector(".picture");
    this.resized.unobserve(frame);
    this.frames = this.frames.filter((one) => one !== frame);
    this.overlay.remove();
    this.overlay = null;
    for (const tile of this.trial.querySelectorAll(".tile")) tile.inert = false;
    if (this.cameFrom?.isConnected) this.cameFrom.focus();
  }

  #alternator(frame, names) {
    const pictures = [...frame.querySelectorAll("img")];
    let at = 0;
    let last = 0;
    const swap = button("chip swap", "", () => turn());
    swap.setAttribute("aria-live", "polite");
    const show = () => {
      pictures.forEach((one, index) => { one.hidden = index !== at; });
      swap.textContent = names[at];
    };
    const turn = () => {
      if (performance.now() - last < SOONEST) return;
      last = performance.now();
      at = 1 - at;
      show();
    };
    const label = document.createElement("label");
    label.className = "check";
    const box = document.createElement("input");
    box.type = "checkbox";
    label.append(box, words.byItself);
    const set = () => {
      clearInterval(this.alternating);
      // What changes by itself is not read out each time.
      swap.setAttribute("aria-live", box.checked ? "off" : "polite");
      if (box.checked) this.alternating = setInterval(turn, CALM);
    };
    box.addEventListener("change", set);
    box.checked = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    set();
    show();
    return [swap, label];
  }

  // -- seen for some seconds ---------------------------------------------------------------------

  // Only time in which the picture could be seen counts, over reloads, ways back and other tabs too.
  #glimpse(frame) {
    const name = `seen-${this.trial.assignment}-${this.frames.indexOf(frame)}`;
    const whole = Number(frame.dataset.seconds) * 1000;
    const kept = document.documentElement.dataset.mode === "preview" ? session : local;
    let seen = Number(kept.getItem(name) || 0);
    let last = performance.now();
    const goes = this.trial.dataset.protocol === "detect";
    const check = () => {
      const now = performance.now();
      if (!document.hidden && frame.offsetParent !== null) seen += now - last;
      last = now;
      seen = Math.max(seen, Number(kept.getItem(name) || 0));
      kept.setItem(name, String(Math.round(seen)));
      if (seen < whole) return;
      clearInterval(timer);
      if (goes) this.#takeAway(frame);
      else this.trial.media.played(frame.dataset.wanted);
    };
    const timer = setInterval(check, LOOK);
    this.timers.push(timer);
    check();
  }

  #takeAway(frame) {
    frame.querySelector("img").remove();
    this.frames = this.frames.filter((one) => one !== frame);
    frame.classList.add("over");
    frame.closest(".tile")?.querySelector("button[data-zoom]")?.remove();
    const told = document.createElement("p");
    told.className = "quiet";
    told.textContent = words.wasSeen(Number(frame.dataset.seconds));
    frame.append(told);
  }
}

const zooms = (frame) => frame.dataset.zoom === "yes" && frame.querySelector("img") !== null;

// The two outputs, else the one output and the one picture that is given.
function pairOf(trial) {
  const free = (role) => [...trial.querySelectorAll(`.tile${role} .picture[data-zoom=yes]:not([data-seconds])`)];
  const outputs = free("[data-role=output]");
  const given = free(":not([data-role=output])");
  const alone = outputs.length === 1 && trial.querySelectorAll(".tile[data-role=output]").length === 1;
  const pair = alone ? [given.at(-1), ...outputs] : outputs;
  return pair.length === 2 && pair[0] ? pair : null;
}

// Where the picture stands in its frame at its usual size.
function boxOf(frame, picture) {
  const [width, height] = [frame.clientWidth, frame.clientHeight];
  const ratio = picture.naturalWidth / picture.naturalHeight || width / height;
  const [w, h] = ratio > width / height ? [width, width / ratio] : [height * ratio, height];
  return { left: (width - w) / 2, top: (height - h) / 2, width: w, height: h };
}

// The view without empty space beside the picture.
function bound({ scale, x, y }, frame, box) {
  const within = (value, half) => (half >= 0.5 ? 0.5 : Math.min(1 - half, Math.max(half, value)));
  return {
    scale,
    x: within(x, frame.clientWidth / (2 * scale * box.width)),
    y: within(y, frame.clientHeight / (2 * scale * box.height)),
  };
}

function place(picture, frame, view) {
  if (view.scale === 1) {
    picture.style.transform = "";
    return;
  }
  const box = boxOf(frame, picture);
  const { scale, x, y } = bound(view, frame, box);
  const left = frame.clientWidth / 2 - scale * (box.left + x * box.width);
  const top = frame.clientHeight / 2 - scale * (box.top + y * box.height);
  picture.style.transform = `translate(${left}px, ${top}px) scale(${scale})`;
}

const middle = (points) => ({
  x: points.reduce((sum, one) => sum + one.x, 0) / points.length,
  y: points.reduce((sum, one) => sum + one.y, 0) / points.length,
});

const spread = ([a, b]) => Math.hypot(a.x - b.x, a.y - b.y);

function wiper(frame, names) {
  // The cover is cut, not the enlarged picture in it: the line stays under the handle.
  const cover = document.createElement("span");
  cover.className = "cover";
  cover.append(frame.lastElementChild);
  const range = document.createElement("input");
  range.type = "range";
  range.min = 0;
  range.max = 100;
  range.value = 50;
  range.className = "divider";
  range.setAttribute("aria-label", words.divider(...names));
  const line = document.createElement("span");
  line.className = "divider-line";
  frame.append(cover, line);
  const show = () => {
    const share = Number(range.value);
    frame.style.setProperty("--share", String(share / 100));
    range.setAttribute("aria-valuetext", words.dividerAt(share, names[0]));
  };
  range.addEventListener("input", show);
  show();
  return [name(names[0]), range, name(names[1])];
}

function name(text) {
  const made = document.createElement("b");
  made.className = "quiet";
  made.setAttribute("aria-hidden", "true");
  made.textContent = text;
  return made;
}

function key(text, command) {
  const made = document.createElement("kbd");
  if (command) made.dataset.key = command;
  made.setAttribute("aria-hidden", "true");
  made.textContent = text;
  return made;
}

function button(kind, text, does) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = kind;
  made.textContent = text;
  made.addEventListener("click", does);
  return made;
}
