// How much of each question's anchors is shown. On a wide screen the current question shows them in
// full and the others the first words; on a phone on its side all show the first words, so that every
// answer is in sight. On a narrow one the outputs need the room: questions and
// anchors get as many lines as the outputs and what is given leave them. One key or button opens all of them, which is
// remembered.

import { local } from "./kept.js";

const KEPT = "jurybox-anchors";
const ASKED = [2, 3, 4, 5];
const SHARE = 0.55; // of the height, for the outputs
const LINES = [3, 4, 5, 6, 8, 10, 14];
const FEWER = [2, 1]; // where something is said above the trial
const narrow = matchMedia("(max-width: 820px)");
const low = matchMedia("(max-height: 480px) and (min-width: 821px)");

export function watchAnchors(trial) {
  const show = () => {
    const all = local.getItem(KEPT) !== null;
    const short = !all && (narrow.matches || low.matches);
    trial.classList.toggle("pinned", all);
    for (const one of trial.questions) {
      one.classList.toggle("brief", short || (!all && !one.classList.contains("now")));
      one.querySelector(".anchors")?.setAttribute("aria-pressed", String(all));
    }
    offer(trial, short);
  };
  const toggle = () => {
    if (local.getItem(KEPT) === null) local.setItem(KEPT, "yes");
    else local.removeItem(KEPT);
    show();
  };
  narrow.onchange = () => trial.isConnected && show(); // one trial is shown at a time
  new ResizeObserver(() => {
    if (narrow.matches) spread(trial);
    show();
  }).observe(trial);
  watchEnd(trial.querySelector(".questions"));
  return { show, toggle };
}

// Say whether more questions follow below the edge of their list.
function watchEnd(list) {
  if (!list) return;
  const look = () => list.classList.toggle("more", list.scrollTop + list.clientHeight < list.scrollHeight - 3);
  list.addEventListener("scroll", look, { passive: true });
  const sizes = new ResizeObserver(look);
  for (const one of [list, ...list.children]) sizes.observe(one);
}

// The most lines with which every question fits, the outputs keep their share on a low screen too, and
// what is given is cut no more than with the fewest; the question's own words come first.
function spread(trial) {
  const list = trial.querySelector(".questions");
  const given = trial.querySelector(".asks");
  const outputs = trial.querySelector(".tiles");
  if (!list) return;
  const set = (name, lines) => trial.style.setProperty(name, lines);
  set("--asked", ASKED[0]);
  set("--lines", LINES[0]);
  const least = given?.clientHeight ?? 0;
  const kept = Math.min(outputs.clientHeight, SHARE * trial.clientHeight);
  for (const [name, steps] of [["--asked", ASKED], ["--lines", LINES]]) {
    const fits = (lines) => {
      set(name, lines);
      offer(trial, true);
      const all = list.scrollHeight <= list.clientHeight + 1;
      return all && outputs.clientHeight >= kept - 1 && (given?.clientHeight ?? 0) >= least - 1;
    };
    const most = steps.findLast(fits);
    if (most === undefined && name === "--lines") FEWER.find(fits);
    else set(name, most ?? steps[0]);
  }
}

// Offer to open the questions that need it, or all: on a phone the room of the button itself
// would cut some. Those that wait have theirs too, so that each fits when its turn comes.
function offer(trial, isShort) {
  const buttons = trial.questions.map((one) => one.querySelector(".anchors"));
  for (const one of buttons) if (one) one.hidden = isShort;
  if (!isShort) return;
  const needed = trial.questions.map(hidesSome);
  buttons.forEach((one, number) => { if (one) one.hidden = !needed[number]; });
}

// Whether something of the question does not fit: then it can be opened.
function hidesSome(question) {
  const cut = (one) => one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1;
  return question.querySelector(".example, .look-for") !== null || [...question.querySelectorAll(".anchor, .heading")].some(cut);
}
