// The page about volume and headphones: a tone to set the volume by, then six times three tones of
// which one is softer. One of the louder tones has its two sides in antiphase: loudspeakers cancel
// it, so that it seems the softest to everybody without headphones (Woods et al. 2017,
// doi:10.3758/s13414-017-1361-2).

import { Deck } from "./audio.js";
import { tell } from "./frame.js";
import { words } from "./words.js";

const ROUNDS = 6;
const RATE = 48000;
const PITCH = 200; // Hz
const TONE = 1; // s
const GAP = 0.5; // s
const RAMP = 0.1; // s
const LOUD = 0.4;

// The kinds of tone, each with the height of its left and of its right side.
const KINDS = { loud: [LOUD, LOUD], soft: [LOUD / 2, LOUD / 2], turned: [LOUD, -LOUD] };

// Tones one after the other, as one recording.
export function tones(kinds) {
  const each = Math.round((TONE + GAP) * RATE);
  const made = new AudioBuffer({ numberOfChannels: 2, length: each * kinds.length, sampleRate: RATE });
  kinds.forEach((kind, number) => {
    KINDS[kind].forEach((height, side) => {
      const values = made.getChannelData(side);
      for (let at = 0; at < TONE * RATE; at += 1) {
        const edge = Math.min(1, at / (RAMP * RATE), (TONE * RATE - at) / (RAMP * RATE));
        values[number * each + at] = height * edge * Math.sin((2 * Math.PI * PITCH * at) / RATE);
      }
    });
  });
  return made;
}

export function shuffled(kinds, random = Math.random) {
  const order = [...kinds];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}

// `done` hears how many of how many were right.
export function bindHeadphones(main, done) {
  const form = main.querySelector("form");
  const part = (name) => main.querySelector(`[data-part=${name}]`);
  let deck = null;
  let order = null;
  let round = 0;
  let right = 0;

  function play(kinds) {
    deck?.stop();
    deck = new Deck([tones(kinds)]);
    deck.play();
  }

  function next() {
    order = shuffled(Object.keys(KINDS));
    for (const input of form.querySelectorAll("input")) input.checked = false;
    main.querySelector("[data-round]").textContent = words.round(round + 1, ROUNDS);
    part("test").querySelector("button").focus();
  }

  part("volume").querySelector("button").addEventListener("click", () => play(["loud"]));
  part("test").querySelector("button").addEventListener("click", () => play(order));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    tell("");
    if (!part("volume").hidden) {
      part("volume").hidden = true;
      part("test").hidden = false;
      return next();
    }
    const chosen = new FormData(form).get("softest");
    if (chosen === null) {
      tell(words.chooseTone);
      return form.querySelector("input").focus();
    }
    right += order[Number(chosen)] === "soft";
    round += 1;
    if (round < ROUNDS) return next();
    deck?.stop();
    await done(right, ROUNDS);
  });
}
