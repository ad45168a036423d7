// <jb-trial>: binds the drawn trial to its state. The markup comes from the server; this element
// listens, reduces, and shows the result. It knows nothing of the network.

import { meaningOf } from "./keys.js";
import { watchMedia } from "./media.js";
import { WordMarker } from "./mark.js";
import { draftOf, isAnswered, missing, question, ranksOf, reduce, shownAnswers, start } from "./trial-state.js";
import { words } from "./words.js";

const TYPING = "textarea, select, input:not([type=radio]):not([type=checkbox]):not([type=range])";

export class Trial extends HTMLElement {
  // Begin with the form and, if there is one, the draft of an earlier visit.
  begin({ form, draft }) {
    this.state = start(form, draft || {});
    this.touched = null;
    this.arrowing = false;
    this.markers = [...this.querySelectorAll("[data-words]")].map((text) => new WordMarker(text, this));
    this.media = watchMedia(this);
    this.dispatch({ type: "unplayed", names: this.media.toPlay });
    this.#listen();
    this.#showTexts();
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
    this.#show(before);
    if (this.state.answers !== before.answers || this.state.comment !== before.comment) {
      this.dispatchEvent(new CustomEvent("jb-draft", { detail: draftOf(this.state) }));
    }
  }

  // A key pressed anywhere on the page; true when it meant something here.
  key(event) {
    const target = event.target;
    const typing = target.matches?.(TYPING);
    const meaning = meaningOf(this.state, event);
    if (!meaning || (typing && !(event.ctrlKey || event.metaKey))) return false;
    if (meaning.action) {
      this.#touch();
      this.dispatch(meaning.action);
      if (!this.querySelector(".words:focus")) this.#focusCurrent();
      return true;
    }
    if (meaning.command === "submit") {
      // Enter presses a button that has the focus; an output already placed has nothing to press.
      const own = target.closest?.("button:not(.pick[aria-pressed=true]), a, summary, .words, dialog");
      if (own && !(event.ctrlKey || event.metaKey)) return false;
      this.submit();
      return true;
    }
    return this.command(meaning.command);
  }

  command(name) {
    if (name === "comment") this.#openComment();
    else if (name === "zoom") this.media.zoom();
    else if (name === "play") this.media.play();
    else this.dispatchEvent(new CustomEvent("jb-command", { detail: name, bubbles: true }));
    return true;
  }

  // Submit, or name what is missing and move there.
  submit() {
    const open = missing(this.state);
    this.#say(this.#sentence(open));
    if (!open.length) {
      this.dispatchEvent(new CustomEvent("jb-submit", { detail: this.submission }));
      return;
    }
    if (open[0].id === null) this.media.focusFirst();
    else {
      this.dispatch({ type: "focus", id: open[0].id });
      this.#focusCurrent();
    }
  }

  #sentence(open) {
    if (!open.length) return "";
    if (open[0].kind === "media") return words.playFirst(open[0].name);
    const names = open.map((one) => (one.kind === "spans" ? words.markFirst : one.name));
    return words.answerFirst(names);
  }

  #say(sentence) {
    const place = this.querySelector(".problem");
    place.hidden = sentence === "";
    if (place.textContent !== sentence) place.textContent = sentence; // said aloud once
  }

  #touch() {
    this.touched ??= performance.now();
  }

  #listen() {
    const form = this.querySelector("form");
    this.addEventListener("pointerdown", () => { this.arrowing = false; this.#touch(); });
    this.addEventListener("keydown", (event) => { this.arrowing = event.key.startsWith("Arrow"); });
    form.addEventListener("submit", (event) => { event.preventDefault(); this.submit(); });
    form.addEventListener("change", (event) => this.#changed(event.target));
    form.addEventListener("input", (event) => this.#typed(event.target));
    form.addEventListener("focusin", (event) => this.#entered(event.target));
    form.addEventListener("pointerup", (event) => {
      if (event.target.type === "range") this.#typed(event.target);
    });
    this.addEventListener("click", (event) => this.#clicked(event));
  }

  #idOf(element) {
    return element.closest("[data-question]")?.dataset.question;
  }

  #entered(target) {
    const id = this.#idOf(target);
    if (id && id !== this.state.current) this.dispatch({ type: "focus", id });
  }

  #changed(target) {
    this.#touch();
    const id = this.#idOf(target);
    if (target.type === "checkbox") this.dispatch({ type: "none", id, value: target.checked });
    if (target.type !== "radio") return;
    const asked = question(this.state, id);
    const list = target.dataset.part === "severity" ? asked.severities : asked.options;
    const value = list.find((one) => String(one.value) === target.value).value;
    if (target.dataset.part) this.dispatch({ type: "span", part: target.dataset.part, value });
    else this.dispatch({ type: "answer", id, value, advance: !this.arrowing });
  }

  #typed(target) {
    this.#touch();
    const id = this.#idOf(target);
    if (target.type === "range") {
      this.dispatch({ type: "answer", id, value: Number(target.value), advance: false });
    } else if (target.matches(".comment textarea")) {
      this.dispatch({ type: "comment", text: target.value });
    } else if (target.tagName === "TEXTAREA") {
      this.dispatch({ type: "answer", id, value: target.value, advance: false });
    }
  }

  #clicked(event) {
    const button = event.target.closest("button");
    const asked = event.target.closest("[data-question]");
    if (!button) {
      if (asked && asked.dataset.question !== this.state.current && !event.target.closest("label")) {
        this.dispatch({ type: "focus", id: asked.dataset.question });
      }
      return;
    }
    const id = this.#idOf(button);
    const data = button.dataset;
    if ("pick" in data) this.dispatch({ type: "pick", id, place: Number(data.pick) });
    else if ("tie" in data) this.dispatch({ type: "tie", id });
    else if ("undo" in data) this.dispatch({ type: "undo", id });
    else if ("cancel" in data) this.dispatch({ type: "cancel" });
    else if ("edit" in data) this.dispatch({ type: "edit", id, index: Number(data.edit) });
    else if ("remove" in data) this.dispatch({ type: "remove", id, index: Number(data.remove) });
    else if ("step" in data) { this.dispatch({ type: "focus", id: data.step }); this.#focusCurrent(); }
    else if ("tab" in data) this.#showTile(Number(data.tab));
    else if ("comment" in data) this.#openComment();
    else if ("skip" in data) this.command("skip");
    else if ("zoom" in data) this.media.zoom();
  }

  #showTile(number) {
    for (const tile of this.querySelectorAll(".tile")) {
      tile.classList.toggle("shown", Number(tile.dataset.tile) === number);
    }
    for (const tab of this.querySelectorAll("[data-tab]")) {
      tab.setAttribute("aria-pressed", String(Number(tab.dataset.tab) === number));
    }
  }

  #openComment() {
    const area = this.querySelector(".comment");
    area.hidden = !area.hidden;
    this.querySelector("[data-comment]").setAttribute("aria-expanded", String(!area.hidden));
    if (!area.hidden) area.querySelector("textarea").focus();
  }

  // Put the keyboard where the current question is answered.
  #focusCurrent() {
    const place = this.querySelector(`[data-question="${this.state.current}"]`);
    if (!place) return;
    const kind = place.dataset.kind;
    if (kind === "spans") {
      const pending = place.querySelector(".pending:not([hidden]) input");
      (pending || this.querySelector(`[data-words="${this.state.current}"]`)).focus();
      return;
    }
    const chosen = place.querySelector("input:checked");
    const first = place.querySelector("input, button:not([disabled]), textarea");
    if (kind !== "text" || !isAnswered(this.state, this.state.current)) (chosen || first)?.focus();
  }

  #showTexts() {
    this.querySelector(".comment textarea").value = this.state.comment;
    if (this.state.comment) this.#openComment();
    for (const area of this.querySelectorAll("[data-kind=text] textarea")) {
      area.value = this.state.answers[this.#idOf(area)] || "";
    }
  }

  #show(before) {
    for (const place of this.querySelectorAll("[data-question]")) {
      const id = place.dataset.question;
      place.classList.toggle("now", id === this.state.current);
      place.classList.toggle("answered", isAnswered(this.state, id));
      const show = { slider: showSlider, order: showOrder, spans: showSpans }[place.dataset.kind];
      if (show) show(place, this.state, id);
      else if (place.dataset.kind !== "text") showChoice(place, this.state.answers[id]);
    }
    for (const step of this.querySelectorAll("[data-step]")) {
      step.toggleAttribute("aria-current", step.dataset.step === this.state.current);
      step.classList.toggle("answered", isAnswered(this.state, step.dataset.step));
    }
    for (const marker of this.markers) marker.show(this.state);
    if (before.current !== this.state.current) this.#bringIntoView();
    if (!this.querySelector(".problem").hidden) this.#say(this.#sentence(missing(this.state)));
  }

  #bringIntoView() {
    const list = this.querySelector(".questions");
    const place = this.querySelector(".question.now");
    if (!list || !place) return;
    const [a, b] = [list.getBoundingClientRect(), place.getBoundingClientRect()];
    if (b.top < a.top || b.bottom > a.bottom) list.scrollTop += b.top - a.top - 2;
  }
}

function showChoice(place, given) {
  for (const input of place.querySelectorAll("input[type=radio]")) {
    input.checked = given !== undefined && input.value === String(given);
    input.closest(".option").classList.toggle("on", input.checked);
  }
}

function showSlider(place, state, id) {
  const input = place.querySelector("input");
  const given = state.answers[id];
  const has = given !== undefined;
  input.classList.toggle("untouched", !has);
  if (has && Number(input.value) !== given) input.value = given;
  input.setAttribute("aria-valuetext", has ? String(given) : words.noAnswer);
  place.querySelector("output").textContent = has ? String(given) : "–";
}

function showOrder(place, state, id) {
  const { groups, tie } = state.answers[id] || { groups: [], tie: false };
  const letters = state.form.letters;
  const ranks = ranksOf(groups, letters.length);
  for (const button of place.querySelectorAll("[data-pick]")) {
    const rank = ranks[Number(button.dataset.pick)];
    button.setAttribute("aria-pressed", String(rank !== null));
    button.querySelector(".rank").textContent = rank === null ? "" : rank;
  }
  place.querySelector("[data-tie]")?.setAttribute("aria-pressed", String(tie));
  const standing = groups.map((group) => group.map((one) => letters[one]).join(" = ")).join(" > ");
  const done = groups.flat().length === letters.length;
  const ask = groups.length ? words.pickNext(standing) : words.pickBest;
  place.querySelector(".standing").textContent = done ? standing : ask;
}

function showSpans(place, state, id) {
  const { spans, none } = state.answers[id] || { spans: [], none: false };
  const pending = state.pending?.id === id ? state.pending : null;
  const text = document.querySelector(`[data-words="${id}"]`)?.textContent || "";
  const points = [...text];
  place.querySelector(".pending").hidden = !pending;
  if (pending) {
    place.querySelector(".pending-text").textContent = points.slice(pending.start, pending.end).join("");
  }
  for (const input of place.querySelectorAll(".pending input")) {
    input.checked = pending !== null && pending[input.dataset.part] === input.value;
    input.closest(".option").classList.toggle("on", input.checked);
  }
  const check = place.querySelector(".none input");
  check.checked = none;
  check.closest(".option").classList.toggle("on", none);
  check.closest(".option").hidden = spans.length > 0 || pending !== null;
  const order = spans.map((span, index) => ({ ...span, index })).sort((a, b) => a.start - b.start);
  place.querySelector(".spans").replaceChildren(...order.map((span) => spanRow(span, points, place)));
}

function spanRow(span, points, place) {
  const row = document.createElement("li");
  const quote = document.createElement("q");
  quote.dir = "auto";
  quote.textContent = points.slice(span.start, span.end).join("");
  const kind = document.createElement("span");
  kind.className = "quiet";
  kind.textContent = [nameOf(place, "category", span.category), nameOf(place, "severity", span.severity)].join(", ");
  row.append(quote, kind, tool(words.edit, "edit", span), tool(words.remove, "remove", span));
  row.dataset.severity = span.severity;
  return row;
}

function nameOf(place, part, value) {
  const input = [...place.querySelectorAll(`input[data-part=${part}]`)].find((one) => one.value === value);
  return input?.closest(".option").querySelector(".value").textContent || value;
}

function tool(text, name, span) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "tool";
  button.dataset[name] = span.index;
  button.textContent = text;
  return button;
}

customElements.define("jb-trial", Trial);
