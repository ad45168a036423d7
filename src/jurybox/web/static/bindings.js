// The keys in use: the usual ones, those that the rater chose in the dialog of keys, or none, as this
// browser keeps it. They are printed on the buttons as they are.

import { local } from "./kept.js";
import { choose, digitOf, keysWith, letterOf } from "./keys.js";
import { words } from "./words.js";

const KEPT = "jurybox-keys";
const OFF = "jurybox-keys-off";

function read() {
  try {
    return JSON.parse(local.getItem(KEPT)) || {};
  } catch {
    return {};
  }
}

export const bindings = () => keysWith(read());

const areOff = () => local.getItem(OFF) !== null;

// Single-letter and digit keys can be switched off (WCAG 2.1.4); Enter, Ctrl+Enter and Escape stay.
export const isOff = (event) => areOff() && !["Enter", "Escape"].includes(event.key);

const dialog = () => document.querySelector("#dialog-keys");
const answering = () => dialog()?.dataset.answers || "";

// Write the present keys on everything that has one, and say them to who hears the page; a key that
// answers a question is no command's.
export function printKeys(root = document) {
  const now = bindings();
  for (const place of root.querySelectorAll("kbd[data-key]")) {
    const key = now[place.dataset.key];
    place.textContent = key;
    place.hidden = !key || answering().includes(key);
    const button = place.closest("button");
    if (place.hidden || areOff()) button?.removeAttribute("aria-keyshortcuts");
    else button?.setAttribute("aria-keyshortcuts", key === "+" ? "Plus" : key); // + joins keys there
  }
}

// What the list says that a command does.
const sayingOf = (command) => dialog().querySelector(`[data-remap="${command}"]`).previousElementSibling.textContent;

function change(command, key) {
  const offered = [...dialog().querySelectorAll("[data-remap]")].map((one) => one.dataset.remap);
  const { chosen, refused, by } = choose(read(), command, key, { answers: answering(), offered });
  if (refused === "answers") return words.keyAnswers(key);
  if (refused) return words.keyTaken(key, sayingOf(by));
  local.setItem(KEPT, JSON.stringify(chosen));
  printKeys();
  return words.keyChosen(key, sayingOf(command));
}

// The dialog in which keys are changed (press Change, then the key) and switched off.
export function wireKeys() {
  const place = dialog();
  if (!place || place.dataset.wired) return;
  place.dataset.wired = "yes";
  let waiting = null;
  const told = place.querySelector("[data-told]");
  const wait = (button, sentence) => {
    waiting?.setAttribute("aria-pressed", "false");
    waiting = button;
    waiting?.setAttribute("aria-pressed", "true");
    told.textContent = sentence;
  };
  place.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button && "remap" in button.dataset) {
      wait(button === waiting ? null : button, button === waiting ? "" : words.pressKey);
    } else if (button && "usual" in button.dataset) {
      local.removeItem(KEPT);
      printKeys();
      wait(null, words.usualKeys);
    }
  });
  place.addEventListener("keydown", (event) => {
    if (!waiting || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = digitOf(event) ?? letterOf(event);
    if (key === null && event.key !== "Escape") return; // Tab and arrows keep their meaning
    event.preventDefault();
    event.stopPropagation();
    wait(null, key === null ? "" : change(waiting.dataset.remap, key));
  });
  place.addEventListener("close", () => wait(null, ""));
  wireSwitch(place.querySelector("#keys-on"));
}

function wireSwitch(toggle) {
  const show = () => {
    document.documentElement.classList.toggle("keys-off", !toggle.checked);
    printKeys();
  };
  toggle.checked = !areOff();
  toggle.addEventListener("change", () => {
    if (toggle.checked) local.removeItem(OFF);
    else local.setItem(OFF, "yes");
    show();
  });
  show();
}
