// What stands around a stage: the bar with the place in the study, and the lines that say what is
// wrong.

import { words } from "./words.js";

const find = (selector) => document.querySelector(selector);

// The one line at the top that says what is wrong; empty when nothing is.
export function tell(sentence) {
  const place = find("#notice");
  place.textContent = sentence;
  place.hidden = !sentence;
}

// A line that stays until it is closed, for what is said only once.
export function note(sentence) {
  const place = document.createElement("p");
  place.className = "notice";
  place.setAttribute("role", "alert");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "chip";
  button.textContent = words.close;
  button.addEventListener("click", () => place.remove());
  place.append(sentence, " ", button);
  find("#notice").after(place);
}

export function announce(sentence) {
  find("#live").textContent = sentence;
}

export function showUnsent(waiting, error) {
  const place = find("#unsent");
  // A second of waiting is nothing to mention; a failed attempt is.
  place.hidden = !waiting.length || !error;
  place.textContent = waiting.length ? words.unsent(waiting.length) : "";
  document.documentElement.classList.toggle("offline", Boolean(error));
}

// `bar` is the place in the study, or null outside the trials; `begun` says that one can stop here;
// `rest` is in how many minutes a break comes, 0 for after this trial, or null for none.
export function showBar(bar, { begun = Boolean(bar), rest = null } = {}) {
  const progress = find("#progress");
  document.body.classList.toggle("inside", Boolean(bar));
  document.body.classList.toggle("begun", begun);
  find("#where").textContent = bar ? bar.words : "";
  find("#left").textContent = bar?.minutes ? pace(bar, rest) : "";
  progress.hidden = !bar || bar.done === null;
  if (bar && bar.done !== null) {
    progress.max = bar.total;
    progress.value = bar.done;
  }
}

// How long it takes from here, and when one rests; what comes after the end is not announced.
function pace({ minutes, done, total }, rest) {
  const rests = rest !== null && total - done > 1 && rest < minutes;
  const next = rest === 0 ? words.restNext : words.restIn(rest);
  return rests ? `${words.left(minutes)} · ${next}` : words.left(minutes);
}

// Which ways there are among `count` earlier answers, of which `at` is on screen, or none of them.
export function showWays(count, at) {
  find("#back").hidden = !count || at === 0;
  find("#forward").hidden = at === null;
  find("#jump").disabled = !count;
  if (at !== null) find("#left").textContent = words.earlier;
}

// A stage begins at its heading, where Enter goes on, or at the one thing to type, if that can be seen
// together with what it says before.
export function focusStage(main) {
  const heading = main.querySelector("h1, h2");
  if (!heading) return;
  scrollTo(0, 0);
  heading.tabIndex = -1;
  const field = main.querySelector(".start input:not([readonly])");
  const isInView = field?.getBoundingClientRect().bottom <= innerHeight;
  (isInView && matchMedia("(hover: hover)").matches ? field : heading).focus({ preventScroll: true });
}

export function card(title) {
  const made = document.createElement("section");
  made.className = "card center";
  made.append(document.createElement("h1"));
  made.firstChild.textContent = title;
  return made;
}

// The text is marked already: without a clipboard (no https, no permission) it is copied by hand.
export async function copy(text, button) {
  const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
  if (copied) button.textContent = words.copied;
}
