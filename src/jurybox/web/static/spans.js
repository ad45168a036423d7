// <jb-spans>: errors marked in a text. The words are marked in the text itself (mark.js); here are
// the category and the severity of what was marked, and the list of all that is.

import { showChosen } from "./choice.js";
import { WordMarker } from "./mark.js";
import { Question } from "./question.js";
import { words } from "./words.js";

export class Spans extends Question {
  listen() {
    this.text = this.trial.querySelector(`[data-words="${this.which}"]`);
    this.marker = this.text && new WordMarker(this.text, this);
    this.addEventListener("change", ({ target }) => {
      const { part } = target.dataset;
      if (part) this.dispatch({ type: "span", part, value: target.value });
      else this.dispatch({ type: "none", value: target.checked });
    });
    this.addEventListener("click", (event) => {
      const data = event.target.closest("button")?.dataset;
      if (!data) return;
      if ("cancel" in data) this.dispatch({ type: "cancel" });
      else if ("edit" in data) this.dispatch({ type: "edit", index: Number(data.edit) });
      else if ("remove" in data) this.dispatch({ type: "remove", index: Number(data.remove) });
    });
  }

  get entry() {
    return this.querySelector(".pending:not([hidden]) input") || this.text;
  }

  say(sentence) {
    const place = this.querySelector(".standing");
    if (place.textContent !== sentence) place.textContent = sentence;
  }

  show(state) {
    const { spans, none } = state.answers[this.which] || { spans: [], none: false };
    const pending = state.pending?.id === this.which ? state.pending : null;
    const panel = this.querySelector(".pending");
    panel.hidden = !pending;
    panel.dataset.step = !pending || pending.category === null ? "category" : pending.index === null ? "severity" : "both";
    if (pending) this.querySelector(".pending-text").textContent = this.#quote(pending);
    // What is changed in a kept mark is changed at once: there is nothing to cancel.
    this.querySelector("[data-cancel] span").textContent = pending?.index == null ? words.cancel : words.close;
    for (const part of ["category", "severity"]) {
      showChosen(this.querySelectorAll(`input[data-part=${part}]`), pending?.[part]);
    }
    const check = this.querySelector(".none input");
    check.checked = none;
    check.closest(".option").classList.toggle("on", none);
    check.closest(".option").hidden = spans.length > 0 || pending !== null;
    const order = spans.map((span, index) => ({ ...span, index })).sort((a, b) => a.start - b.start);
    this.querySelector(".spans").replaceChildren(...order.map((span) => this.#row(span)));
    this.marker?.show(state);
  }

  #quote(span) {
    return this.marker?.textOf(span) ?? "";
  }

  #row(span) {
    const row = document.createElement("li");
    const quote = document.createElement("q");
    quote.dir = "auto";
    quote.textContent = this.#quote(span);
    const kind = document.createElement("span");
    kind.className = "quiet";
    kind.textContent = words.listed([this.#name("category", span), this.#name("severity", span)]);
    row.append(quote, kind, tool(words.edit, "edit", span), tool(words.remove, "remove", span));
    row.classList.toggle("grave", this.asked.severities.findIndex((one) => one.value === span.severity) > 0); // as in the text
    return row;
  }

  #name(part, span) {
    const inputs = [...this.querySelectorAll(`input[data-part=${part}]`)];
    const input = inputs.find((one) => one.value === span[part]);
    return input?.closest(".option").querySelector(".value").textContent || span[part];
  }
}

function tool(text, name, span) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "tool";
  button.dataset[name] = span.index;
  button.textContent = text;
  return button;
}

customElements.define("jb-spans", Spans);
