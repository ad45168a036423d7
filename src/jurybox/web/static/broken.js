// A file on its way, and one that cannot be shown: what the rater sees of both, and another try.

import { words } from "./words.js";

const PATIENCE = 200; // ms before anything is said about waiting
const LONG = 10_000; // ms of waiting after which other ways are offered
const markup = new WeakMap(); // place -> what the server drew there

// Resolves when the picture of a place can be shown.
export function waitFor(place, trial) {
  const name = place.querySelector("img").alt;
  let left = 0;
  return untilShown([{ place, name }], trial, words.brokenPicture, async ({ arrived, signal }) => {
    const picture = place.querySelector("img");
    if (left) picture.src += `?again=${left}`; // by its own address it would wait with the request that hangs
    signal.addEventListener("abort", () => { left += 1; picture.removeAttribute("src"); });
    if (picture.complete && picture.naturalWidth) arrived(0); // only to be decoded, in no time
    return [await withNote(picture.decode().then(() => true, () => false), place)];
  });
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

// Try to show what belongs together until all of it can be shown. `show` tells of each place whether
// it worked, and calls `arrived` with the number of one that is there; when its signal is aborted,
// another try is on. What is not there keeps the trial from being rated; what cannot be shown says so
// and offers another try, and so does what takes long, while it may still come.
export async function untilShown(places, trial, sentence, show) {
  for (const { place } of places) markup.set(place, place.innerHTML);
  let wasAsked = false;
  for (;;) {
    const leaving = new AbortController();
    for (const { place, name } of places) place.dataset.awaited = name;
    trial.dispatch({ type: "awaited", names: places.map(({ name }) => name) });
    const arrived = (number) => {
      settle(places[number], trial);
      trial.media?.came();
    };
    let timer;
    const given = new Promise((resolve) => {
      timer = setTimeout(() => resolve(tellLate(places, trial)), LONG);
    });
    const works = await Promise.race([show({ arrived, signal: leaving.signal }), given]);
    clearTimeout(timer);
    if (!trial.isConnected) return;
    if (works) {
      for (const one of places) settle(one, trial);
      places.forEach(({ name }, number) => trial.media.shows(name, works[number]));
      const broken = places.filter((_, number) => !works[number]).map(({ place }) => place);
      const asked = Promise.race(broken.map((place) => tellBroken(place, trial, sentence)));
      // The button that had the keyboard is gone.
      if (wasAsked && broken.length) broken[0].querySelector("button").focus();
      else if (wasAsked) trial.goOn();
      else trial.media.came();
      if (!broken.length) return;
      await asked;
    } else leaving.abort();
    wasAsked = true;
    for (const { place } of places) place.innerHTML = markup.get(place);
  }
}

// Nobody waits any longer for what is there.
function settle({ place, name }, trial) {
  delete place.dataset.awaited;
  place.querySelector(".late")?.remove();
  trial.dispatch({ type: "arrived", name });
}

// Both resolve when the rater wants another try.

function tellBroken(place, trial, sentence) {
  const told = offer(place, trial, sentence);
  told.box.className = "broken";
  told.box.setAttribute("role", "alert");
  place.replaceChildren(told.box);
  return told.again;
}

function tellLate(places, trial) {
  const late = places.filter(({ place }) => place.dataset.awaited);
  return Promise.race(
    late.map(({ place, name }) => {
      const told = offer(place, trial, words.loading);
      told.box.className = "late";
      place.append(told.box);
      trial.media.takesLong(name);
      return told.again;
    }),
  );
}

function offer(place, trial, sentence) {
  const box = document.createElement("div");
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
  box.append(line, again, skip);
  return { box, again: new Promise((resolve) => again.addEventListener("click", () => resolve(null), { once: true })) };
}

function button(text) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "chip";
  made.textContent = text;
  return made;
}
