// How much of each question's anchors is shown. On a wide screen the current question shows them in
// full and the others the first words; on a narrow one the outputs need the room, and the current
// question is brief too. One key or button opens all of them, which is remembered.

import { local } from "./kept.js";

const KEPT = "jurybox-anchors";
const narrow = matchMedia("(max-width: 820px)");

export function watchAnchors(trial) {
  const show = () => {
    const all = local.getItem(KEPT) !== null;
    trial.classList.toggle("pinned", all);
    for (const one of trial.questions) {
      const isNow = one.classList.contains("now");
      one.classList.toggle("brief", !all && (narrow.matches || !isNow));
      const button = one.querySelector(".anchors");
      if (!button) continue;
      button.setAttribute("aria-pressed", String(all));
      if (isNow) button.hidden = !all && narrow.matches && !hidesSome(one);
    }
  };
  const toggle = () => {
    if (local.getItem(KEPT) === null) local.setItem(KEPT, "yes");
    else local.removeItem(KEPT);
    show();
  };
  narrow.onchange = () => trial.isConnected && show(); // one trial is shown at a time
  return { show, toggle };
}

// Whether something of the question does not fit: then it can be opened.
function hidesSome(question) {
  const cut = (one) => one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1;
  return question.querySelector(".example, .look-for") !== null || [...question.querySelectorAll(".anchor, .heading")].some(cut);
}
