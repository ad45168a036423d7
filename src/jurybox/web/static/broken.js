// A file on its way, and one that cannot be shown: what the rater sees of both, and another try.

import { words } from "./words.js";

const PATIENCE = 200; // ms before anything is said about waiting
const markup = new WeakMap(); // place -> what the server drew there

// Resolves when the picture of a place can be shown.
export function waitFor(place, trial) {
  const name = place.querySelector("img").alt;
  const arrives = () => withNote(place.querySelector("img").decode().then(() => true, () => false), place);
  return untilShown([{ place, name }], trial, words.brokenPicture, async () => [await arrives()]);
}

export async function withNote(arrived, place) {
  const note = document.createElement("span");
  note.className = "loading quiet";
  note.textContent = words.loading;
  const timer = setTimeout(() => place.append(note), PATIENCE);
  try {
    return await arrived;
  } finally {
    clearTimeout(timer);
    note.remove();
  }
}

// Try to show what belongs together until all of it can be shown; `show` tells of each place whether
// it worked. What cannot be shown says so, keeps the trial from being rated, and offers another try.
export async function untilShown(places, trial, sentence, show) {
  for (const { place } of places) markup.set(place, place.innerHTML);
  let wasAsked = false;
  for (;;) {
    const works = await show();
    if (!trial.isConnected) return;
    places.forEach(({ name }, number) => trial.media.shows(name, works[number]));
    const broken = places.filter((_, number) => !works[number]).map(({ place }) => place);
    const asked = Promise.race(broken.map((place) => tellBroken(place, trial, sentence)));
    // The button that had the keyboard is gone.
    if (wasAsked && broken.length) broken[0].querySelector("button").focus();
    else if (wasAsked) trial.goOn();
    if (!broken.length) return;
    await asked;
    wasAsked = true;
    for (const { place } of places) place.innerHTML = markup.get(place);
  }
}

// Resolves when the rater wants another try.
function tellBroken(place, trial, sentence) {
  const told = document.createElement("div");
  told.className = "broken";
  told.setAttribute("role", "alert");
  const line = document.createElement("p");
  const name = document.createElement("b");
  name.textContent = place.dataset.short ?? ""; // a recording's own button, which bears it, is not there
  line.append(name, " ", sentence);
  const again = button(words.tryAgain);
  const skip = button(words.skipBroken);
  skip.dataset.skipBroken = "";
  skip.addEventListener("click", () => {
    trial.command("skip");
    document.querySelector("#dialog-skip [value=broken]")?.click();
  });
  told.append(line, again, skip);
  place.replaceChildren(told);
  return new Promise((resolve) => again.addEventListener("click", resolve, { once: true }));
}

function button(text) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "chip";
  made.textContent = text;
  return made;
}
