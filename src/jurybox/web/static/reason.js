// <jb-reason>: a few words of the rater's own.

import { Question } from "./question.js";

export class Reason extends Question {
  listen() {
    const area = this.querySelector("textarea");
    area.value = this.trial.state.answers[this.which] || "";
    area.addEventListener("input", () => {
      this.dispatch({ type: "answer", value: area.value, advance: false });
    });
  }
}

customElements.define("jb-reason", Reason);
