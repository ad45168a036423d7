// <jb-choice>: one of several answers, as native radio buttons: scales, votes, real or generated,
// and the best of several.

import { Question } from "./question.js";

export function showChosen(inputs, value) {
  for (const input of inputs) {
    input.checked = value !== undefined && value !== null && input.value === String(value);
    input.closest(".option").classList.toggle("on", input.checked);
  }
}

export class Choice extends Question {
  listen() {
    this.addEventListener("change", ({ target }) => {
      const { value } = this.asked.options.find((one) => String(one.value) === target.value);
      // A click is a choice; arrows only pass through the answers on their way to one.
      this.dispatch({ type: "answer", value, advance: !this.trial.arrowing });
    });
  }

  show(state) {
    showChosen(this.querySelectorAll("input[type=radio]"), state.answers[this.which]);
  }
}

customElements.define("jb-choice", Choice);
