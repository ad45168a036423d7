// A file on its way, and one that cannot be shown: what the rater sees of both.

import { words } from "./words.js";

const PATIENCE = 200; // ms before anything is said about waiting

// Resolves to whether the picture can be shown; its place says so while it loads and if it fails.
export async function waitFor(picture, place, trial) {
  const arrived = picture.decode().then(() => true, () => false);
  const works = await withNote(arrived, place);
  if (!works && place.isConnected) tellBroken(place, trial, words.brokenPicture);
  return works;
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

export function tellBroken(place, trial, sentence) {
  const told = document.createElement("div");
  told.className = "broken";
  told.setAttribute("role", "alert");
  const line = document.createElement("p");
  line.textContent = sentence;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "chip";
  button.textContent = words.skipBroken;
  button.addEventListener("click", () => {
    trial.command("skip");
    document.querySelector("#dialog-skip [value=broken]")?.click();
  });
  told.append(line, button);
  place.replaceChildren(told);
}
