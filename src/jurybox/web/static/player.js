// The controls that all recordings or films of a trial share: play, position, loop, and which one
// is heard. `set` is what runs: a Deck or a Reel.

import { bindings, printKeys } from "./bindings.js";
import { letterOf } from "./keys.js";
import { drawWaveform } from "./waveform.js";
import { words } from "./words.js";

const GRAIN = 0.25; // s: what was heard is kept in pieces of this length
const BRIEF = 3; // s
const SKIP = 1; // s, by an arrow key
const SPACED = "button, a, summary, label, input:not([type=range]), textarea, select, [tabindex='0']"; // it presses or scrolls them
const BRIEFEST = 0.1; // s, of a loop

export class Player {
  // `pieces`: { name, letter, place, wanted } per recording; `bar`: where the controls go.
  constructor({ trial, set, pieces, bar, spare }) {
    Object.assign(this, { trial, set, pieces, bar });
    this.heard = set.lengths.map(() => new Set());
    this.from = null; // where the loop begins, while its end is not chosen yet
    this.range = null;
    this.last = null; // the position when it was last looked at, and the moment of that look
    this.looked = 0;
    this.#draw();
    if (pieces.length > 1) pieces.forEach((piece, number) => this.#listen(piece, number, spare));
    set.onended = () => { this.#count(set.duration); this.#show(); };
    this.#show();
  }

  stop() {
    clearInterval(this.timer);
    this.set.stop();
  }

  // Another one takes its place.
  leave() {
    this.stop();
    this.bar.remove();
  }

  get length() {
    return this.set.together ? this.set.duration : this.set.lengths[this.set.chosen];
  }

  toggle() {
    if (this.set.playing) this.set.pause();
    else this.set.play();
    this.#run();
  }

  // Hear this one now, from the same spot; the one that is heard already pauses.
  choose(number, { keep = false } = {}) {
    const same = number === this.set.chosen;
    if (same && this.set.playing && !keep) return this.toggle();
    this.#count(this.set.position);
    this.set.choose(number);
    if (!same && !this.set.together) this.#seek(0);
    if (!this.set.playing && !keep) this.set.play();
    this.#run();
  }

  // The rater looks at this tile now: its recording is the chosen one.
  chooseTile(tile) {
    const number = this.pieces.findIndex((one) => one.tile?.dataset.tile === tile);
    if (number >= 0) this.choose(number, { keep: true });
  }

  next() {
    if (this.pieces.length > 1) this.choose((this.set.chosen + 1) % this.pieces.length);
  }

  // First press: it begins here; second: it ends here; third: no loop.
  markLoop() {
    const at = this.set.position;
    if (this.range) this.#setLoop(null);
    else if (this.from === null) this.from = at;
    else if (at > this.from + BRIEFEST) this.#setLoop({ from: this.from, to: at });
    else this.#setLoop(null);
    this.#show();
  }

  // True when the key meant something here.
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return false;
    if (event.key === " " && !event.target.closest(SPACED)) {
      this.toggle();
      return true;
    }
    const letter = letterOf(event);
    if (letter === null) return false;
    const { reference, next, loop } = bindings();
    const number = this.pieces.findIndex((piece) => (piece.command ? reference : piece.letter) === letter);
    if (this.pieces.length > 1 && number >= 0) {
      this.choose(number);
      this.pieces[number].slider?.focus(); // heard and rated by the keyboard alone
    }
    else if (letter === next && this.pieces.length > 1) this.next();
    else if (letter === loop) this.markLoop();
    else return false;
    return true;
  }

  #setLoop(range) {
    this.range = range;
    this.from = null;
    this.set.loop(range);
    if (range) this.#seek(range.from);
  }

  // Either end of the loop by itself; it is heard once the handle is let go.
  #moveEnd(which, input) {
    const { from, to } = this.range;
    const at = Number(input.value);
    this.range = which === "from"
      ? { from: Math.min(at, to - BRIEFEST), to }
      : { from, to: Math.max(at, from + BRIEFEST) };
    this.#show();
  }

  #hearLoop() {
    const { from, to } = this.range;
    this.set.loop(this.range);
    if (this.set.position < from || this.set.position > to) this.#seek(from);
  }

  #seek(position) {
    this.last = null;
    this.set.seek(position);
    this.#show();
  }

  #run() {
    clearInterval(this.timer);
    this.last = this.set.position;
    this.looked = performance.now();
    if (this.set.playing) this.timer = setInterval(() => { this.#count(this.set.position); this.#show(); }, 60);
    this.#show();
  }

  // What was passed since the last look was heard, of the recording that is chosen.
  #count(position) {
    const { chosen, lengths } = this.set;
    const heard = this.heard[chosen];
    const from = this.last ?? position;
    const now = performance.now();
    // A page that stalls hears on; only what time has not passed for was jumped over.
    const passed = (now - this.looked) / 1000 + GRAIN;
    this.last = position;
    this.looked = now;
    if (position >= from && position - from <= passed) {
      for (let piece = Math.floor(from / GRAIN); piece <= Math.floor(position / GRAIN); piece += 1) heard.add(piece);
    }
    const all = Math.ceil(lengths[chosen] / GRAIN);
    if (this.set.knows(chosen) && heard.size >= all - 1 && this.pieces[chosen].wanted) {
      const name = this.pieces[chosen].wanted;
      this.pieces[chosen].wanted = null;
      this.trial.media.played(name);
    }
    if (!this.set.together && this.set.playing && position >= lengths[chosen]) this.set.pause();
  }

  #draw() {
    this.bar.className = "player";
    this.bar.setAttribute("role", "group");
    this.bar.setAttribute("aria-label", words.player);
    this.button = element("button", "chip play", { type: "button" });
    this.icon = element("span", "icon-play");
    this.button.append(this.icon, kbd("p", "play"));
    this.button.addEventListener("click", () => this.toggle());
    const track = element("span", "track");
    this.region = element("span", "region");
    this.slider = element("input", "position", { type: "range", min: 0, step: 0.01, value: 0 });
    this.slider.setAttribute("aria-label", words.position);
    this.slider.addEventListener("input", () => this.#seek(Number(this.slider.value)));
    this.slider.addEventListener("keydown", (event) => this.#arrow(event));
    this.ends = Object.entries({ from: words.loopBegins, to: words.loopEnds }).map(([which, name]) => {
      const input = element("input", "loop-end", { type: "range", min: 0, step: 0.05, hidden: true });
      input.dataset.end = which;
      input.setAttribute("aria-label", name);
      input.addEventListener("input", () => this.#moveEnd(which, input));
      input.addEventListener("change", () => this.#hearLoop());
      return input;
    });
    track.append(this.slider, this.region, ...this.ends);
    // Of the reference alone: outputs are judged by ear. Long recordings are not in memory.
    const reference = this.set.buffers?.[this.pieces.findIndex((piece) => piece.command === "reference")];
    if (reference) track.prepend(drawWaveform(reference));
    this.time = element("span", "time quiet");
    this.looper = element("button", "chip loop", { type: "button" });
    this.step = element("span", "");
    this.looper.append(kbd("l", "loop"), this.step);
    this.looper.addEventListener("click", () => this.markLoop());
    this.bar.append(this.button, track, this.time, this.looper);
    printKeys(this.bar);
  }

  #arrow(event) {
    const forward = getComputedStyle(this.slider).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const by = { [forward]: SKIP, ArrowUp: SKIP, ArrowLeft: -SKIP, ArrowRight: -SKIP, ArrowDown: -SKIP };
    if (!(event.key in by)) return;
    event.preventDefault();
    this.#seek(this.set.position + (event.key === forward ? SKIP : by[event.key]));
  }

  #listen(piece, number, spare) {
    const button = element("button", "chip listen", { type: "button" });
    if (piece.command) button.append(kbd("", piece.command));
    else if (piece.letter && spare(piece.letter)) button.append(kbd(piece.letter));
    else piece.letter = null;
    printKeys(button);
    button.append(element("span", "", { textContent: piece.short }), element("span", "sounding"));
    button.setAttribute("aria-label", words.hear(piece.name));
    button.addEventListener("click", () => this.choose(number));
    piece.button = button;
    piece.place.append(button);
  }

  #show() {
    const { playing, chosen, position } = this.set;
    const length = this.length;
    this.icon.className = playing ? "icon-pause" : "icon-play";
    this.button.setAttribute("aria-label", playing ? words.pause : words.play);
    this.slider.max = length;
    if (!this.slider.matches(":active")) this.slider.value = position;
    const told = `${clock(Math.min(position, length), length)} / ${clock(length, length)}`;
    this.slider.setAttribute("aria-valuetext", told);
    this.time.textContent = told;
    const step = this.range ? words.loopOff : this.from === null ? words.loopFrom : words.loopTo;
    if (this.step.textContent !== step) this.step.textContent = step;
    this.looper.setAttribute("aria-pressed", String(this.range !== null));
    const begin = this.range?.from ?? this.from;
    this.region.hidden = begin === null;
    for (const input of this.ends) {
      input.hidden = this.range === null;
      input.max = length;
      if (this.range) input.value = this.range[input.dataset.end];
      if (this.range) input.setAttribute("aria-valuetext", fineClock(this.range[input.dataset.end]));
    }
    if (begin !== null) {
      this.region.style.insetInlineStart = `${(100 * begin) / length}%`;
      this.region.style.inlineSize = `${(100 * ((this.range?.to ?? begin) - begin)) / length}%`;
    }
    this.pieces.forEach((piece, number) => {
      piece.button?.setAttribute("aria-pressed", String(number === chosen));
      piece.button?.classList.toggle("playing", playing && number === chosen);
      piece.tile?.classList.toggle("heard-now", this.pieces.length > 1 && number === chosen);
    });
  }
}

// Minutes and seconds; of what is over at once, tenths too.
function clock(seconds, length) {
  if (length < BRIEF) return fineClock(seconds);
  const whole = Math.floor(seconds + 0.05);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

const fineClock = (seconds) => `${Math.floor(seconds / 60)}:${words.tenths(seconds % 60).padStart(4, "0")}`;

function element(kind, name, more = {}) {
  const made = document.createElement(kind);
  made.className = name;
  return Object.assign(made, more);
}

function kbd(text, command) {
  const made = element("kbd", "", { textContent: text });
  if (command) made.dataset.key = command;
  made.setAttribute("aria-hidden", "true");
  return made;
}
