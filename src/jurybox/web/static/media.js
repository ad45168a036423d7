// What happens around media in a trial: one module per medium, and here what they share: when all
// is ready, which keys and commands mean them, and what must be seen or heard before an answer.

import { ALTOGETHER, Deck, LONGEST, decode } from "./audio.js";
import { tellBroken, withNote } from "./broken.js";
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
      sounds.length ? this.#begin(sounds, inMemory ? (found) => this.#deck(found) : reel, words.brokenSound) : null,
      films.length > 1 ? this.#begin(films, reel, words.brokenFilm) : films.map((one) => this.#alone(one)),
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
    const [name] = this.trial.state.unplayed;
    this.#wanted(name)?.querySelector("button, video")?.focus();
    this.sentHere = true;
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

  async #deck(sounds) {
    const decoding = sounds.map((one) => decode(one).catch(() => null));
    for (const sound of sounds) sound.querySelector("audio").remove();
    const found = await Promise.all(decoding);
    const whole = found.filter(Boolean);
    return { works: found.map(Boolean), set: whole.length && !this.gone ? new Deck(whole) : null };
  }

  // Recordings or films that one set of controls plays.
  async #begin(places, make, sentence) {
    const bar = document.createElement("div");
    bar.className = "player";
    if (places.length > 1) {
      this.trial.querySelector(".tiles, .rows").before(bar);
      for (const one of places) one.classList.add("shared");
    } else places[0].append(bar);
    const { works, set } = await withNote(make(places), bar);
    if (this.gone) return;
    places.forEach((one, number) => works[number] || tellBroken(one, this.trial, sentence));
    if (!set) {
      if (places.length > 1) bar.remove();
      return;
    }
    const pieces = places.filter((_, number) => works[number]).map(pieceOf);
    const taken = new Set(this.trial.state.form.questions.flatMap((one) => one.options.map((option) => option.key)));
    const player = new Player({ trial: this.trial, set, pieces, bar, spare: (letter) => !taken.has(letter) });
    this.players.push(player);
    for (const tab of this.trial.querySelectorAll("[data-tab]")) {
      tab.addEventListener("click", () => {
        const number = pieces.findIndex((one) => one.tile?.dataset.tile === tab.dataset.tab);
        if (number >= 0) player.choose(number, { keep: true });
      });
    }
  }

  // A film by itself keeps the controls that the browser gives it.
  async #alone(place) {
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
    if (!(await withNote(playable(film), place)) && !this.gone) tellBroken(place, this.trial, words.brokenFilm);
  }
}

async function reel(places) {
  const players = places.map((one) => one.querySelector("audio, video"));
  for (const player of players) player.preload = "auto";
  const works = await Promise.all(players.map(playable));
  const whole = players.filter((_, number) => works[number]);
  return { works, set: whole.length ? new Reel(whole) : null };
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
