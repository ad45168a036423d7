// Marking words in a text: by choosing the first and the last word, by drawing the mouse over them, or
// with the arrow keys, where Shift extends and Enter marks. Offsets are code points, as the server wrote
// them on each word.

import { announce } from "./frame.js";
import { words as say } from "./words.js";

export class WordMarker {
  constructor(text, question) {
    this.text = text;
    this.question = question;
    this.words = [...text.querySelectorAll(".word")];
    // What is between two words is marked with them.
    this.gaps = this.words.map((word) => word.nextElementSibling).map((next) => (next?.matches(".gap") ? next : null));
    this.anchor = null; // index of the word a selection began at
    this.cursor = 0;
    this.tapped = false;
    this.pressed = -1;
    text.addEventListener("click", (event) => this.#tap(event.target.closest(".word")));
    text.addEventListener("pointerdown", (event) => { this.pressed = event.pointerType === "mouse" ? this.#at(event) : -1; });
    text.addEventListener("pointerup", (event) => this.#draw(this.#at(event)));
    text.addEventListener("keydown", (event) => this.#key(event));
    text.addEventListener("focus", () => this.#paintCursor());
    text.addEventListener("blur", () => this.#paintCursor());
  }

  // The word under the pointer; what is between two words belongs to the first.
  #at(event) {
    const part = event.target.closest(".word, .gap");
    return this.words.indexOf(part?.matches(".gap") ? part.previousElementSibling : part);
  }

  // From the word that was pressed to the one let go: the click that follows is on neither.
  #draw(last) {
    if (this.pressed < 0 || last < 0 || last === this.pressed) return;
    [this.anchor, this.cursor, this.tapped] = [this.pressed, last, false];
    getSelection().removeAllRanges();
    this.#select();
  }

  #tap(word) {
    if (!word) return;
    this.cursor = this.words.indexOf(word);
    if (!this.tapped) {
      this.anchor = this.cursor;
      this.tapped = true;
      this.#paintCursor();
      this.question.say(say.tapLast);
      return;
    }
    this.tapped = false;
    this.#select();
  }

  #key(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) {
      const rtl = getComputedStyle(this.text).direction === "rtl";
      const turned = rtl && event.key !== "ArrowDown" && event.key !== "ArrowUp" ? -step : step;
      if (event.shiftKey) this.anchor ??= this.cursor;
      else this.anchor = null;
      this.tapped = false;
      this.cursor = Math.min(Math.max(this.cursor + turned, 0), this.words.length - 1);
      this.#paintCursor();
      this.words[this.cursor].scrollIntoView({ block: "nearest" });
      const [first, last] = this.#range();
      announce(this.#between(this.words[first], this.words[last])); // where a screen reader is
      event.preventDefault();
    } else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
      this.#select();
      event.preventDefault();
      event.stopPropagation();
      this.question.entry.focus();
    } else if (event.key === "Escape") {
      this.anchor = null;
      this.tapped = false;
      this.#paintCursor();
    }
  }

  #range() {
    const from = this.anchor ?? this.cursor;
    return [Math.min(from, this.cursor), Math.max(from, this.cursor)];
  }

  #between(first, last) {
    const range = document.createRange();
    range.setStartBefore(first);
    range.setEndAfter(last);
    return range.toString();
  }

  // The words of a span, found by their offsets: on the page a line break is one sign, here it may be two.
  textOf({ start, end }) {
    const inside = this.words.filter((word) => Number(word.dataset.start) >= start && Number(word.dataset.end) <= end);
    return inside.length ? this.#between(inside[0], inside.at(-1)) : "";
  }

  #select() {
    const [first, last] = this.#range();
    const from = Number(this.words[first].dataset.start);
    const end = Number(this.words[last].dataset.end);
    this.anchor = null;
    this.question.dispatch({ type: "select", start: from, end });
    this.#paintCursor();
  }

  #paintCursor() {
    const focused = document.activeElement === this.text;
    const [first, last] = this.#range();
    const selecting = this.anchor !== null;
    this.words.forEach((word, index) => {
      word.classList.toggle("cursor", focused && index === this.cursor);
      word.classList.toggle("selecting", selecting && index >= first && index <= last);
      this.gaps[index]?.classList.toggle("selecting", selecting && index >= first && index < last);
    });
    if (focused && this.words.length) {
      this.text.setAttribute("aria-activedescendant", this.words[this.cursor].id);
    } else this.text.removeAttribute("aria-activedescendant");
  }

  show(state) {
    const id = this.text.dataset.words;
    const given = state.answers[id]?.spans || [];
    const pending = state.pending?.id === id ? state.pending : null;
    const { severities } = this.question.asked;
    // Shows what lies over a piece of text that ends after `after` and begins before `before`.
    const paint = (piece, before, after) => {
      const isOver = (span) => span.start < before && span.end > after;
      const over = given.filter(isOver);
      const worst = Math.max(-1, ...over.map((span) => severities.findIndex((one) => one.value === span.severity)));
      piece.classList.toggle("marked", over.length > 0);
      piece.classList.toggle("grave", worst > 0);
      piece.classList.toggle("pending-word", pending !== null && isOver(pending));
    };
    const [starts, ends] = ["start", "end"].map((side) => this.words.map((word) => Number(word.dataset[side])));
    this.words.forEach((word, index) => {
      paint(word, ends[index], starts[index]);
      if (this.gaps[index]) paint(this.gaps[index], ends[index], starts[index + 1]);
    });
    if (pending) this.question.say(say.choose);
    else if (!this.tapped) this.question.say(say.tapFirst);
  }
}
