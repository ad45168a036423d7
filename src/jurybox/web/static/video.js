// Films, and recordings too long for memory: media elements kept within a frame of each other.

import { lastAlike } from "./audio.js";

const FRAME = 1 / 30; // s
const CLOSE = 0.008; // s: nothing to correct
const LOOK = 100; // ms

export class Reel {
  #range = null;
  #timer = null;
  #seeking = null;

  constructor(players) {
    this.players = players;
    this.chosen = 0;
    this.playing = false;
    this.onended = () => {};
    players.forEach((player, number) => {
      player.controls = false;
      player.muted = number !== 0;
      player.addEventListener("ended", () => { if (number === this.chosen) this.#ended(); });
    });
  }

  get lengths() {
    return this.players.map(lengthOf);
  }

  get duration() {
    return Math.max(...this.lengths);
  }

  // A film that was recorded as it came does not say how long it is, until its end has come.
  knows(number) {
    const player = this.players[number];
    return Number.isFinite(player.duration) || player.ended;
  }

  // How much has come of a film says nothing of how long it lasts: one may come before the other.
  get together() {
    return !this.players.every((_, number) => this.knows(number)) || lastAlike(this.lengths);
  }

  get leader() {
    return this.players[this.chosen];
  }

  get position() {
    return this.leader.currentTime;
  }

  // Those that run: all of them where one spot means the same in each, else the chosen one.
  get #moving() {
    return this.together ? this.players : [this.leader];
  }

  async play() {
    this.playing = true;
    if (this.position >= this.lengths[this.chosen] - 0.01) await this.seek(0);
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#follow(), LOOK);
    await Promise.all(this.#moving.map((one) => one.play().catch(() => null)));
  }

  pause() {
    this.playing = false;
    clearInterval(this.#timer);
    for (const player of this.players) player.pause();
    this.#align();
  }

  // All stop, go there, and set off together.
  async seek(position) {
    const goal = Math.min(Math.max(0, position), this.duration);
    const mine = Symbol("seek");
    this.#seeking = mine;
    for (const player of this.players) player.pause();
    await Promise.all(this.#moving.map((player) => goTo(player, goal)));
    if (this.#seeking !== mine) return;
    this.#seeking = null;
    if (this.playing) await Promise.all(this.#moving.map((one) => one.play().catch(() => null)));
  }

  choose(index) {
    const before = this.leader;
    this.chosen = index;
    this.players.forEach((player, number) => { player.muted = number !== index; });
    if (!this.together) {
      before.pause();
      return;
    }
    if (Math.abs(this.leader.currentTime - before.currentTime) > FRAME) {
      this.leader.currentTime = before.currentTime;
    }
    for (const player of this.players) player.playbackRate = 1;
  }

  loop(range) {
    this.#range = range;
  }

  stop() {
    clearInterval(this.#timer);
    for (const player of this.players) {
      player.pause();
      player.removeAttribute("src");
      player.load();
    }
  }

  #ended() {
    this.playing = false;
    clearInterval(this.#timer);
    for (const player of this.players) player.pause();
    this.onended();
  }

  #align() {
    if (!this.together) return;
    for (const player of this.players) {
      if (player !== this.leader && player.currentTime !== this.position) {
        player.currentTime = Math.min(this.position, lengthOf(player));
      }
    }
  }

  // A little faster or slower brings one that strays back; one far off is put in its place.
  #follow() {
    if (this.#seeking) return;
    if (this.#range && this.position >= this.#range.to) {
      this.seek(this.#range.from);
      return;
    }
    for (const player of this.players) {
      if (!this.#moving.includes(player)) player.pause(); // it was not known yet that they differ
    }
    for (const player of this.#moving) {
      if (player === this.leader || player.seeking || player.ended) continue;
      const ahead = player.currentTime - this.position;
      if (Math.abs(ahead) > 4 * FRAME) player.currentTime = this.position;
      else player.playbackRate = Math.abs(ahead) < CLOSE ? 1 : 1 - Math.sign(ahead) * Math.min(0.1, Math.abs(ahead) * 4);
    }
  }
}

// As far as it has come where it does not say how long it is.
function lengthOf(player) {
  if (Number.isFinite(player.duration)) return player.duration;
  return player.buffered.length ? player.buffered.end(player.buffered.length - 1) : 0;
}

function goTo(player, position) {
  const goal = Math.min(position, lengthOf(player));
  if (player.currentTime === goal) return null;
  return new Promise((resolve) => {
    player.addEventListener("seeked", resolve, { once: true });
    player.currentTime = goal;
  });
}

export const playable = (player) =>
  new Promise((resolve) => {
    if (player.error) resolve(false);
    if (player.readyState >= 2) resolve(true);
    player.addEventListener("loadeddata", () => resolve(true), { once: true });
    player.addEventListener("error", () => resolve(false), { once: true });
  });
