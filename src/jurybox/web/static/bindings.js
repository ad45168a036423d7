// The keys in use: the usual ones, or those that the rater chose in the dialog of keys, kept in the
// browser. They are printed on the buttons as they are.

import { local } from "./kept.js";
import { COMMANDS, HEARING, letterOf } from "./keys.js";
import { words } from "./words.js";

const KEPT = "jurybox-keys";
const USUAL = { ...COMMANDS, ...HEARING };

function read() {
  try {
    return JSON.parse(local.getItem(KEPT)) || {};
  } catch {
    return {};
  }
}

export const bindings = () => ({ ...USUAL, ...read() });

const dialog = () => document.querySelector("#dialog-keys");
const answering = () => dialog()?.dataset.answers || "";

// Write the present keys on everything that has one; a key that answers a question is no command's.
export function printKeys(root = document) {
  const now = bindings();
  for (const place of root.querySelectorAll("kbd[data-key]")) {
    const key = now[place.dataset.key];
    place.textContent = key;
    place.hidden = answering().includes(key);
  }
}

function choose(command, key) {
  const now = bindings();
  const other = Object.keys(now).find((name) => name !== command && now[name] === key);
  if (/\d/.test(key) || answering().includes(key)) return words.keyAnswers(key);
  if (other && dialog().querySelector(`[data-remap="${other}"]`)) return words.keyTaken(key);
  const chosen = { ...read(), [command]: key };
  if (key === USUAL[command]) delete chosen[command];
  local.setItem(KEPT, JSON.stringify(chosen));
  printKeys();
  return words.keyChosen(key);
}

// The dialog in which keys are changed: press Change, then the key.
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
    const key = letterOf(event);
    if (key === null && event.key !== "Escape") return; // Tab and arrows keep their meaning
    event.preventDefault();
    event.stopPropagation();
    wait(null, key === null ? "" : choose(waiting.dataset.remap, key));
  });
  place.addEventListener("close", () => wait(null, ""));
}
