// <jb-trial>: one trial. The markup comes from the server; the questions in it are elements of their
// own. This element holds the state they share, hands it round when it changes, and takes keys. It
// knows nothing of the network.

import { watchAnchors } from "./anchors.js";
import { bindings, printKeys, wireKeys } from "./bindings.js";
import "./choice.js";
import { watchDifferences } from "./differences.js";
import { meaningOf } from "./keys.js";
import { watchMedia } from "./media.js";
import "./order.js";
import "./reason.js";
import "./slider.js";
import "./spans.js";
import { placeForm, watchTiles } from "./tiles.js";
import { draftOf, isAnswered, missing, reduce, shownAnswers, start } from "./trial-state.js";
import { words } from "./words.js";

const TYPING = "textarea, select, input:not([type=radio]):not([type=checkbox]):not([type=range])";

// What keys still do once a practice trial is answered: show and play, and open what can be looked up.
const LOOKING = new Set(["play", "zoom", "wipe", "flicker", "differences", "guide", "keys"]);

export class Trial extends HTMLElement {
  // Begin with the form and, if there is one, the draft of an earlier visit.
  begin({ form, draft }) {
    this.state = start(form, draft || {});
    this.touched = null;
    this.arrowing = false;
    this.isOver = false; // answered, and explained
    this.questions = [...this.querySelectorAll("[data-question]")];
    for (const one of this.questions) one.begin(this);
    placeForm(this);
    this.anchors = watchAnchors(this);
    this.media = watchMedia(this);
    this.dispatch({ type: "unplayed", names: this.media.toPlay });
    this.#listen();
    this.#showComment();
    this.tiles = watchTiles(this);
    this.differences = watchDifferences(this);
    wireKeys();
    printKeys();
    this.#bringIntoView(); // who comes back goes on in the middle
  }

  disconnectedCallback() {
    this.media?.stop();
  }

  get draft() {
    return draftOf(this.state);
  }

  get submission() {
    return { answers: shownAnswers(this.state), comment: this.state.comment.trim() };
  }

  dispatch(action) {
    const before = this.state;
    this.state = reduce(before, action);
    if (this.state === before) return;
    this.#show(before);
    if (this.state.answers !== before.answers || this.state.comment !== before.comment) {
      this.dispatchEvent(new CustomEvent("jb-draft", { detail: draftOf(this.state) }));
    }
  }

  // A key pressed anywhere on the page; true when it meant something here.
  key(event) {
    const target = event.target;
    if (event.key === "Escape") this.classList.add("unhovered");
    const meaning = meaningOf(this.state, event, bindings());
    const typing = target.matches?.(TYPING) && !(event.ctrlKey || event.metaKey);
    if (!typing && !meaning?.action && this.media.key(event)) {
      this.touch();
      return true;
    }
    if (!meaning || typing || (this.isOver && !LOOKING.has(meaning.command))) return false;
    if (meaning.action) {
      this.touch();
      this.dispatch(meaning.action);
      if (!this.querySelector(".words:focus")) this.#focusCurrent();
      return true;
    }
    if (meaning.command !== "submit") return this.command(meaning.command);
    // Enter presses a button that has the focus; an output already placed has nothing to press.
    const own = target.closest?.("button:not(.pick[aria-pressed=true]), a, summary, .words, dialog");
    if (own && !(event.ctrlKey || event.metaKey)) return false;
    this.submit();
    return true;
  }

  // Do what a key or a button stands for: here, with the media, or on the page around the trial.
  command(name) {
    if (name === "comment") this.#openComment();
    else if (name === "anchors") this.#open();
    else if (name === "differences") this.differences.toggle();
    else if (this.media[name]) {
      this.touch();
      this.media[name]();
    }
    else this.dispatchEvent(new CustomEvent("jb-command", { detail: name, bubbles: true }));
    return true;
  }

  // Submit, or move to what is missing and name it.
  submit() {
    const open = missing(this.state);
    if (!open.length) this.dispatchEvent(new CustomEvent("jb-submit", { detail: this.submission }));
    else if (open[0].kind === "broken") this.media.focusBroken();
    else if (open[0].kind === "loading") this.media.focusLoading();
    else if (open[0].kind === "media") this.media.focusFirst();
    else if (open[0].kind === "output") this.tiles.open(open[0].name);
    else {
      this.dispatch({ type: "focus", id: open[0].id });
      this.#focusCurrent();
    }
    this.#say(sentence(open, this.media));
    this.#bringIntoView(); // the sentence takes room from the questions
  }

  // Put the keyboard where the trial goes on: at the current question, or at Submit.
  goOn() {
    if (missing(this.state).length) this.#focusCurrent();
    else this.querySelector("[data-submit]")?.focus();
  }

  // When the rater first did something.
  touch() {
    this.touched ??= performance.now();
  }

  #listen() {
    const form = this.querySelector("form");
    this.addEventListener("pointerdown", () => { this.arrowing = false; this.touch(); this.#sayAgain(); this.#press(); });
    this.addEventListener("keydown", (event) => { this.arrowing = event.key.startsWith("Arrow"); this.#sayAgain(); });
    this.addEventListener("pointerout", () => this.classList.remove("unhovered"));
    this.addEventListener("click", (event) => this.#clicked(event.target));
    form.addEventListener("submit", (event) => { event.preventDefault(); this.submit(); });
    // The second half of a double click whose first half was on the trial before was meant for that.
    let isOwn = false;
    this.querySelector("[data-submit]").addEventListener("click", (event) => {
      isOwn ||= event.detail <= 1;
      if (!isOwn) event.preventDefault();
    });
    form.addEventListener("input", () => this.touch());
    form.addEventListener("focusin", (event) => this.#enter(event.target));
    this.querySelector(".comment textarea").addEventListener("input", (event) => {
      this.dispatch({ type: "comment", text: event.target.value });
    });
  }

  // It may be let go anywhere.
  #press() {
    this.pressing = true;
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => { this.pressing = false; }, { once: true });
  }

  #enter(target) {
    // An answer is chosen when it is let go: a question that opened before would move it away from the pointer.
    if (this.pressing && target.matches("input[type=radio]")) return;
    const id = target.closest("[data-question]")?.dataset.question;
    if (id && id !== this.state.current) this.dispatch({ type: "focus", id });
  }

  #clicked(target) {
    const data = target.closest("button")?.dataset;
    if (!data) {
      if (!target.closest("label")) this.#enter(target);
    } else if ("command" in data) this.command(data.command);
    else if ("step" in data) {
      this.dispatch({ type: "focus", id: data.step });
      this.#focusCurrent();
    }
  }

  #open() {
    this.anchors.toggle();
    this.#bringIntoView();
  }

  #say(text) {
    const place = this.querySelector(".problem");
    place.hidden = text === "";
    if (place.textContent !== text) place.textContent = text; // said aloud once
  }

  // What was missing may have been done since.
  #sayAgain() {
    if (this.querySelector(".problem")?.hidden === false) this.#say(sentence(missing(this.state), this.media));
  }

  #showComment() {
    this.querySelector(".comment textarea").value = this.state.comment;
    if (this.state.comment) this.#openComment();
  }

  #openComment() {
    const area = this.querySelector(".comment");
    area.hidden = !area.hidden;
    this.querySelector("[data-command=comment]").setAttribute("aria-expanded", String(!area.hidden));
    if (!area.hidden) area.querySelector("textarea").focus();
    this.#bringIntoView(); // it takes room from the questions
  }

  get #current() {
    return this.questions.find((one) => one.which === this.state.current);
  }

  // The output that the current question is about, if it is about one.
  get place() {
    return this.#current?.asked?.place;
  }

  // Put the keyboard where the current question is answered; an answer in words is left alone.
  #focusCurrent() {
    const now = this.#current;
    if (now && (now.dataset.kind !== "text" || !isAnswered(this.state, now.which))) now.entry?.focus();
  }

  #show(before) {
    this.classList.toggle("ready", !this.state.awaited.length);
    for (const one of this.questions) {
      one.classList.toggle("now", one.which === this.state.current);
      one.classList.toggle("answered", isAnswered(this.state, one.which));
      one.show(this.state);
    }
    this.anchors.show();
    for (const step of this.querySelectorAll("[data-step]")) {
      step.toggleAttribute("aria-current", step.dataset.step === this.state.current);
      step.classList.toggle("answered", isAnswered(this.state, step.dataset.step));
    }
    if (before.current !== this.state.current) {
      this.#bringIntoView();
      this.tiles?.openAt(this.place);
    }
    if (this.querySelector(".problem")?.hidden === false) this.#say(sentence(missing(this.state), this.media));
  }

  #bringIntoView() {
    this.querySelector(".step[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    const list = this.querySelector(".questions");
    if (!list || !this.#current) return;
    const [a, b] = [list.getBoundingClientRect(), this.#current.getBoundingClientRect()];
    const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(list);
    const top = a.top + (parseFloat(scrollPaddingTop) || 0); // under what stays there
    const bottom = a.bottom - (parseFloat(scrollPaddingBottom) || 0); // above what fades
    if (b.top < top || b.bottom > bottom) list.scrollTop += b.top - top - 2;
  }
}

// What is missing, said in one sentence: first what cannot be shown or is not there yet, then what must be heard or seen, then what to answer.
function sentence(open, media) {
  if (!open.length) return "";
  const alike = open.filter((one) => one.kind === open[0].kind).map((one) => one.name);
  if (open[0].kind === "broken") return words.brokenFirst(alike);
  if (open[0].kind === "loading") return words.loadingFirst(alike);
  if (open[0].kind === "media") return media.wants(alike[0]);
  if (open[0].kind === "output") return words.lookFirst(alike);
  return words.answerFirst(open.map((one) => (one.kind === "spans" ? words.markFirst(one.name) : one.name)));
}

customElements.define("jb-trial", Trial);
