// What all kinds of questions share. Each kind is a custom element around a drawn fieldset: it turns
// what the rater does into actions and shows the state it is given; it keeps no answer itself.

import { question } from "./trial-state.js";

export class Question extends HTMLElement {
  begin(trial) {
    this.trial = trial;
    this.listen();
  }

  get which() {
    return this.dataset.question;
  }

  // The question as data.
  get asked() {
    return question(this.trial.state, this.which);
  }

  dispatch(action) {
    this.trial.dispatch({ id: this.which, ...action });
  }

  // Where the keyboard goes when the question is asked.
  get entry() {
    return this.querySelector("input:checked") || this.querySelector("input, .pick, textarea");
  }

  listen() {}

  show() {}
}
