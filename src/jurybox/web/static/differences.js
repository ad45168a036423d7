// What differs between two texts is underlined, word by word, when the rater asks for it. The texts
// themselves stay as they are: what is painted is a highlight of the browser's, no markup.

import { local } from "./kept.js";
import { differing } from "./diff.js";

const KEPT = "jurybox-differences";
const WORDS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*|[^\s\p{L}\p{M}\p{N}]/gu;

export function watchDifferences(trial) {
  const buttons = [...trial.querySelectorAll("[data-differences]")];
  const can = typeof CSS !== "undefined" && CSS.highlights;
  CSS.highlights?.delete("differs");
  if (!buttons.length || !can) {
    for (const button of buttons) button.hidden = true;
    return { toggle: () => {} };
  }
  let ranges = null;
  const paint = () => {
    const on = local.getItem(KEPT) !== null;
    for (const button of buttons) button.setAttribute("aria-pressed", String(on));
    if (!on) return CSS.highlights.delete("differs");
    ranges ??= pairs(trial).flatMap(([a, b]) => rangesOf(a, b));
    CSS.highlights.set("differs", new Highlight(...ranges));
  };
  const toggle = () => {
    if (local.getItem(KEPT) === null) local.setItem(KEPT, "yes");
    else local.removeItem(KEPT);
    paint();
  };
  paint();
  return { toggle };
}

// The texts of the two outputs, field by field.
function pairs(trial) {
  const [a, b] = [...trial.querySelectorAll(".tile[data-role=output]")].map((tile) => [
    ...tile.querySelectorAll(".plain, .prose, .code"),
  ]);
  return a.slice(0, b.length).map((text, place) => [text, b[place]]);
}

function rangesOf(a, b) {
  const both = [wordsOf(a), wordsOf(b)];
  const marks = differing(...both.map((list) => list.map((one) => one.word)));
  return both.flatMap((list, side) => joined(list.filter((_, place) => marks[side][place])));
}

// Every word with the text node it stands in.
function wordsOf(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    for (const match of node.data.matchAll(WORDS)) {
      found.push({ word: match[0], node, from: match.index, to: match.index + match[0].length });
    }
  }
  return found;
}

// Neighbors become one range, with the space between them.
function joined(list) {
  const ranges = [];
  let last = null;
  for (const { node, from, to } of list) {
    if (last && last.endContainer === node && /^\s*$/.test(node.data.slice(last.endOffset, from))) {
      last.setEnd(node, to);
      continue;
    }
    last = document.createRange();
    last.setStart(node, from);
    last.setEnd(node, to);
    ranges.push(last);
  }
  return ranges;
}
