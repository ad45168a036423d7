// <jb-order>: outputs put in order, from best to worst, by click, tap or letter. What stands in the
// order can also be dragged to another place in it, and what does not yet, into it.

import { Question } from "./question.js";
import { ranksOf } from "./trial-state.js";
import { words } from "./words.js";

const FAR = 8; // pixels until a press is a drag

export class Order extends Question {
  listen() {
    this.standing = this.querySelector(".standing");
    this.dragged = null;
    this.addEventListener("click", (event) => this.#clicked(event));
    this.addEventListener("pointerdown", (event) => this.#press(event));
    this.addEventListener("pointermove", (event) => this.#move(event));
    this.addEventListener("pointerup", () => this.#drop());
    this.addEventListener("pointercancel", () => this.#end());
    // A drag is no swipe: without this, a tap soon after it would only end the swipe.
    this.addEventListener("touchmove", (event) => this.dragged && event.preventDefault(), { passive: false });
  }

  #clicked(event) {
    const data = event.target.closest("button")?.dataset;
    if (!data || this.wasDrag) return;
    if ("pick" in data) this.dispatch({ type: "pick", place: Number(data.pick) });
    else if ("tie" in data) this.dispatch({ type: "tie" });
    else if ("undo" in data) this.dispatch({ type: "undo" });
  }

  #press(event) {
    this.wasDrag = false;
    const held = event.target.closest("[data-placed], [data-pick]");
    if (!held || event.button !== 0) return;
    const place = Number(held.dataset.placed ?? held.dataset.pick);
    this.dragged = { place, from: [event.clientX, event.clientY], to: null, pointer: event.pointerId };
  }

  #move(event) {
    if (!this.dragged) return;
    const [x, y] = this.dragged.from;
    if (this.dragged.to === null) {
      if (Math.hypot(event.clientX - x, event.clientY - y) < FAR) return;
      this.setPointerCapture(this.dragged.pointer);
      this.classList.add("dragging");
    }
    this.dragged.to = this.#gap(event);
    this.#mark();
  }

  // Before which group of the order the pointer is.
  #gap(event) {
    const rtl = getComputedStyle(this.standing).direction === "rtl";
    const before = (box) =>
      event.clientY < box.top ||
      (event.clientY <= box.bottom && (rtl ? event.clientX > box.left + box.width / 2 : event.clientX < box.left + box.width / 2));
    const shown = [...this.standing.querySelectorAll("[data-placed]")];
    const next = shown.find((one) => Number(one.dataset.placed) !== this.dragged.place && before(one.getBoundingClientRect()));
    return next ? Number(next.dataset.group) : Infinity;
  }

  #mark() {
    const { place, to } = this.dragged;
    for (const one of this.standing.querySelectorAll("[data-placed]")) {
      one.classList.toggle("held", Number(one.dataset.placed) === place);
      one.classList.toggle("before", Number(one.dataset.group) === to);
    }
    this.standing.classList.toggle("at-end", to === Infinity);
  }

  #drop() {
    const dragged = this.dragged;
    this.#end();
    if (!dragged || dragged.to === null) return;
    this.wasDrag = true; // the click that follows a drag is no pick
    this.dispatch({ type: "move", place: dragged.place, to: dragged.to });
  }

  #end() {
    this.dragged = null;
    this.classList.remove("dragging");
    this.standing.classList.remove("at-end");
    for (const one of this.standing.querySelectorAll(".held, .before")) one.classList.remove("held", "before");
  }

  show(state) {
    const { groups, tie } = state.answers[this.which] || { groups: [], tie: false };
    const letters = state.form.letters;
    const ranks = ranksOf(groups, letters.length);
    for (const button of this.querySelectorAll("[data-pick]")) {
      const rank = ranks[Number(button.dataset.pick)];
      button.setAttribute("aria-pressed", String(rank !== null));
      button.querySelector(".rank").textContent = rank === null ? "" : rank;
    }
    this.querySelector("[data-tie]")?.setAttribute("aria-pressed", String(tie));
    const done = groups.flat().length === letters.length;
    const parts = groups.flatMap((group, at) => [
      ...(at ? [" > "] : []),
      ...group.flatMap((place, within) => [...(within ? [" = "] : []), placed(letters[place], place, at)]),
    ]);
    if (!parts.length) this.standing.textContent = words.pickBest;
    else this.standing.replaceChildren(...parts, ...(done ? [] : [next(tie ? words.pickTied : words.pickNext)]));
  }
}

function next(sentence) {
  const made = document.createElement("span");
  made.className = "quiet next";
  made.textContent = sentence;
  return made;
}

function placed(letter, place, group) {
  const made = document.createElement("span");
  made.className = "placed";
  made.dataset.placed = place;
  made.dataset.group = group;
  made.textContent = letter;
  return made;
}

customElements.define("jb-order", Order);
