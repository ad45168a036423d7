// <jb-slider>: a native range input that shows no thumb until it is touched.

import { Question } from "./question.js";
import { words } from "./words.js";

export class Slider extends Question {
  listen() {
    const input = this.querySelector("input");
    const give = () => this.dispatch({ type: "answer", value: Number(input.value), advance: false });
    input.addEventListener("input", give);
    input.addEventListener("pointerup", give); // the middle is an answer too, though nothing moved
  }

  show(state) {
    const input = this.querySelector("input");
    const given = state.answers[this.which];
    const has = given !== undefined;
    input.classList.toggle("untouched", !has);
    if (has && Number(input.value) !== given) input.value = given;
    input.setAttribute("aria-valuetext", has ? words.number(given) : words.noAnswer);
    this.querySelector("output").textContent = has ? words.number(given) : "–";
  }
}

customElements.define("jb-slider", Slider);
