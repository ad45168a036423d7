// What happens around media in a trial: one module per medium, and here what they share: when all
// is ready, which keys and commands mean them, and what must be seen or heard before an answer.

import { ALTOGETHER, Deck, LONGEST, decode, leave } from "./audio.js";
import { untilShown, withNote } from "./broken.js";
import { Pictures } from "./pictures.js";
import { Player } from "./player.js";
import { placeWords } from "./rows.js";
import { Reel, playable } from "./video.js";
import { words } from "./words.js";

const AHEAD = 30; // s: longer recordings wait for their trial, to spare memory

export function watchMedia(trial) {
  return new Media(trial);
}

class Media {
  constructor(trial) {
    this.trial = trial;
    this.players = [];
    this.gone = false;
    this.pictures = new Pictures(trial);
    placeWords(trial);
    const sounds = [...trial.querySelectorAll(".sound")];
    const films = [...trial.querySelectorAll(".film")];
    const outputs = [...trial.querySelectorAll(".tile[data-role=output] .block")];
    if (outputs.length && outputs.every((one) => one.dataset.medium === "audio")) trial.dataset.heard = "yes";
    const lengths = sounds.map((one) => Number(one.dataset.length || 0));
    const inMemory = Math.max(0, ...lengths) <= LONGEST && lengths.reduce((a, b) => a + b, 0) <= ALTOGETHER;
    this.ready = Promise.all([
      this.pictures.ready,
      sounds.length ? this.#together(sounds, inMemory ? (...all) => this.#deck(...all) : reel, words.brokenSound) : null,
      films.length > 1 ? this.#together(films, reel, words.brokenFilm) : films.map((one) => this.#alone(one)),
    ].flat());
  }

  // The names of what must be played or seen before the trial can be submitted.
  get toPlay() {
    return [...this.trial.querySelectorAll("[data-wanted]")].map((one) => one.dataset.wanted);
  }

  // What is said when one of them is still to come.
  wants(name) {
    const place = this.#wanted(name);
    return place?.dataset.seconds ? words.seeFirst(name, Number(place.dataset.seconds)) : words.playFirst(name);
  }

  focusFirst() {
    const place = this.#wanted(this.trial.state.unplayed[0]);
    this.trial.tiles.reveal(place);
    place?.querySelector("button, video")?.focus();
    this.sentHere = true;
  }

  focusBroken() {
    const place = this.trial.querySelector(".broken");
    this.trial.tiles.reveal(place);
    place?.querySelector("button").focus();
  }

  // Go to what is still on its way. Whoever is there when it comes is led back.
  focusLoading() {
    const place = this.trial.querySelector("[data-awaited]");
    this.trial.tiles.reveal(place);
    const spots = [place.querySelector(".late button"), place, this.trial.querySelector(".player")];
    this.waitsAt = spots.find((one) => one?.offsetHeight);
    if (!this.waitsAt?.matches("button")) this.waitsAt?.setAttribute("tabindex", "-1");
    this.waitsAt?.focus();
  }

  came() {
    if (!this.waitsAt || this.trial.state.awaited.length) return;
    const isThere = [this.waitsAt, document.body].includes(document.activeElement);
    this.waitsAt = null;
    if (isThere && this.trial.state.broken.length) this.focusBroken();
    else if (isThere) this.trial.goOn();
  }

  // A practice trial cannot be skipped: it goes on without what does not come.
  takesLong(name) {
    if (!this.#isPractice) return;
    this.trial.dispatch({ type: "arrived", name });
    this.shows(name, false);
  }

  get #isPractice() {
    return this.trial.closest("main")?.dataset.stage === "practice";
  }

  // Whether a file can be shown. A trial that lacks one is left out rather than rated; one for
  // practice cannot be left out, and goes on without it.
  shows(name, works) {
    if (works || this.#isPractice) this.trial.dispatch({ type: "mended", name });
    else this.trial.dispatch({ type: "broken", name });
    if (!works && this.#isPractice) this.played(name);
  }

  // Something was played to the end, or seen for long enough. Who was sent here goes back.
  played(name) {
    this.trial.dispatch({ type: "played", name });
    if (!this.sentHere || this.trial.state.unplayed.length) return;
    this.sentHere = false;
    this.trial.querySelector("[data-submit]").focus();
  }

  zoom() {
    this.pictures.zoom();
  }

  wipe() {
    this.pictures.wipe();
  }

  flicker() {
    this.pictures.flicker();
  }

  key(event) {
    return this.players.some((one) => one.key(event));
  }

  play() {
    if (this.players.length) this.players[0].toggle();
    else if (this.film) this.film.paused ? this.film.play() : this.film.pause();
  }

  stop() {
    this.gone = true;
    this.pictures.stop();
    for (const player of this.players) player.stop();
  }

  #wanted(name) {
    return [...this.trial.querySelectorAll("[data-wanted]")].find((one) => one.dataset.wanted === name);
  }

  async #deck(sounds, { arrived, signal }) {
    const decoding = sounds.map((one, number) => decode(one).then((recording) => { arrived(number); return recording; }, () => null));
    signal.addEventListener("abort", () => sounds.filter((one) => one.dataset.awaited).forEach(leave));
    for (const sound of sounds) sound.querySelector("audio").remove();
    const found = await Promise.all(decoding);
    const whole = found.filter(Boolean);
    return { works: found.map(Boolean), set: whole.length && !this.gone ? new Deck(whole) : null };
  }

  // Recordings or films that one set of controls plays.
  #together(places, make, sentence) {
    let player = null;
    for (const tab of this.trial.querySelectorAll("[data-tab]")) {
      tab.addEventListener("click", () => player?.chooseTile(tab.dataset.tab));
    }
    const named = places.map((place) => ({ place, name: place.dataset.name }));
    return untilShown(named, this.trial, sentence, async (attempt) => {
      player?.leave();
      this.players = this.players.filter((one) => one !== player);
      const bar = document.createElement("div");
      bar.className = "player";
      if (places.length > 1) {
        this.trial.querySelector(".tiles, .rows").before(bar);
        for (const one of places) one.classList.add("shared");
      } else places[0].append(bar);
      attempt.signal.addEventListener("abort", () => bar.remove());
      const { works, set } = await withNote(make(places, attempt), bar);
      if (attempt.signal.aborted) return works;
      player = set && !this.gone ? this.#player(places.filter((_, number) => works[number]), set, bar) : null;
      if (!player) bar.remove();
      return works;
    });
  }

  #player(places, set, bar) {
    const taken = new Set(this.trial.state.form.questions.flatMap((one) => one.options.map((option) => option.key)));
    const spare = (letter) => !taken.has(letter);
    const player = new Player({ trial: this.trial, set, pieces: places.map(pieceOf), bar, spare });
    this.players.push(player);
    return player;
  }

  // A film by itself keeps the controls that the browser gives it.
  #alone(place) {
    return untilShown([{ place, name: place.dataset.name }], this.trial, words.brokenFilm, async ({ arrived, signal }) => {
      const film = place.querySelector("video");
      this.film = film;
      film.addEventListener("ended", () => {
        const ranges = film.played;
        let seen = 0;
        for (let at = 0; at < ranges.length; at += 1) seen += ranges.end(at) - ranges.start(at);
        if (place.dataset.wanted && seen >= film.currentTime - 0.5) {
          this.played(place.dataset.wanted);
        }
      });
      return [await withNote(arriving(film, 0, { arrived, signal }), place)];
    });
  }
}

async function reel(places, attempt) {
  const players = places.map((one) => one.querySelector("audio, video"));
  for (const player of players) player.preload = "auto";
  const works = await Promise.all(players.map((player, number) => arriving(player, number, attempt)));
  const whole = players.filter((_, number) => works[number]);
  return { works, set: whole.length ? new Reel(whole) : null };
}

// Whether it can be played, as soon as that is known; another try has the network for itself.
async function arriving(player, number, { arrived, signal }) {
  signal.addEventListener("abort", () => {
    player.removeAttribute("src");
    player.load();
  });
  const works = await playable(player);
  if (works) arrived(number);
  return works;
}

function pieceOf(place) {
  const tile = place.closest(".tile");
  const role = tile?.dataset.role ?? place.dataset.role;
  const short = place.dataset.short;
  const letter = role === "output" && /^[A-Z]$/.test(short) ? short.toLowerCase() : null;
  const command = role === "reference" ? "reference" : null;
  const slider = place.closest(".row")?.querySelector("input");
  return { name: place.dataset.name, short, letter, command, place, tile, slider, wanted: place.dataset.wanted };
}

// Media of a trial to come are fetched and decoded now, so that it appears at once.
export function fetchAhead(place) {
  for (const picture of place.querySelectorAll("img")) picture.decode().catch(() => null);
  for (const sound of place.querySelectorAll(".sound")) {
    if (Number(sound.dataset.length || 0) <= AHEAD) decode(sound).catch(() => null);
  }
}
