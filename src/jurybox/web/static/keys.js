// From a key to what it means, as a pure function of the trial's state and of the keys in use.
//
// Digits come from the key's place (`code`), so that they work where the upper row needs Shift;
// letters come from what the key types, or from its place where it types no Latin letter.

import { question } from "./trial-state.js";

// The key of each command, until the rater chooses another. A key that answers a question answers.
export const COMMANDS = {
  skip: "s",
  comment: "c",
  anchors: "o",
  differences: "d",
  play: "p",
  zoom: "z",
  wipe: "w",
  flicker: "f",
  back: "b",
  forward: "n",
  jump: "j",
  guide: "i",
  keys: "?",
};

// The same for what only recordings and films know, which look for their keys themselves.
const HEARING = { reference: "r", next: "x", loop: "l" };

const USUAL = { ...COMMANDS, ...HEARING };

// The key of every command when the rater has chosen some: a chosen key is taken from whatever
// usually has it, which is then without one.
export function keysWith(chosen) {
  const own = (name) => (/^[!-\/:-~]$/.test(chosen[name]) ? chosen[name] : null);
  const taken = Object.keys(USUAL).map(own);
  return Object.fromEntries(
    Object.entries(USUAL).map(([name, key]) => [name, own(name) ?? (taken.includes(key) ? null : key)]),
  );
}

// Give a command another key: { chosen } from then on, or { refused }, and { by } the command that
// has the key. `answers`: the keys that answer a question; `offered`: the commands there are here.
export function choose(chosen, command, key, { answers, offered }) {
  if (/\d/.test(key) || answers.includes(key)) return { refused: "answers" };
  const now = keysWith(chosen);
  const other = offered.find((name) => name !== command && now[name] === key);
  if (other) return { refused: "taken", by: other };
  const kept = Object.entries(chosen).filter(([name, had]) => name !== command && had !== key);
  if (key !== USUAL[command]) kept.push([command, key]);
  return { chosen: Object.fromEntries(kept) };
}

// A digit key that types = or ? means that sign (QWERTZ, Russian); the number pad without Num Lock moves.
export function digitOf(event) {
  const match = /^(Digit|Numpad)([0-9])$/.exec(event.code || "");
  if (!match || /^[=?]$/.test(event.key) || (match[1] === "Numpad" && event.key.length > 1)) return null;
  return match[2];
}

// The letter or sign of a key on a Latin keyboard, whatever the layout; null for other keys.
export function letterOf(event) {
  if (/^[!-~]$/.test(event.key)) return event.key.toLowerCase();
  if (/[ -~]/.test(event.key)) return null; // a key with a name, such as Enter
  if (event.code === "Slash") return event.shiftKey ? "?" : "/";
  return /^Key([A-Z])$/.exec(event.code || "")?.[1].toLowerCase() ?? null;
}

// One of { action }, { command } or null.
export function meaningOf(state, event, commands = COMMANDS) {
  if (event.repeat && event.key !== "Backspace") return null; // held down, it would answer what comes next
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") return { command: "submit" };
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const digit = digitOf(event);
  if (digit !== null) return answerBy(state, digit);
  if (event.key === "Enter") return { command: "submit" };
  const asked = question(state, state.current);
  if (asked && asked.kind === "order") {
    if (event.key === "Backspace") return { action: { type: "undo", id: asked.id } };
    if (event.key === "=") return { action: { type: "tie", id: asked.id } };
  }
  if (event.key === "Escape" && state.pending) return { action: { type: "cancel" } };
  const letter = letterOf(event);
  if (letter === null) return null;
  const answer = answerBy(state, letter);
  if (answer) return answer;
  const command = Object.keys(COMMANDS).find((name) => commands[name] === letter);
  return command ? { command } : null;
}

function answerBy(state, key) {
  const asked = question(state, state.current);
  if (!asked) return null;
  if (asked.kind === "spans") return spanBy(state, asked, key);
  const found = holds(asked, key) ? asked : state.form.questions.find((one) => isLetterOf(one, key));
  if (!found) return null;
  const option = found.options.find((one) => one.key === key);
  if (found.kind === "slider") return null;
  if (found.kind === "order") return { action: { type: "pick", id: found.id, place: option.value } };
  return { action: { type: "answer", id: found.id, value: option.value, advance: true } };
}

const holds = (asked, key) => asked.options.some((one) => one.key === key);

// A letter belongs to one question only and works wherever the rater is; digits are shared.
const isLetterOf = (asked, key) => /[a-z]/.test(key) && holds(asked, key);

function spanBy(state, asked, key) {
  if (!state.pending) {
    const now = state.answers[asked.id]?.none || false;
    return key === "0" ? { action: { type: "none", id: asked.id, value: !now } } : null;
  }
  const part = state.pending.category === null ? "category" : "severity";
  const options = part === "category" ? asked.options : asked.severities;
  const option = options.find((one) => one.key === key);
  return option ? { action: { type: "span", part, value: option.value } } : null;
}
