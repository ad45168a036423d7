// Recordings on one clock: all of them run, one of them is heard, and changing it is a short fade.

const FADE = 0.008; // s, of equal power
export const LONGEST = 300; // s that one recording may have to be held in memory
export const ALTOGETHER = 1800; // s that all recordings of a trial may have
const LEAD = 0.02; // s ahead, so that all begin with the same sample
const PIECES = 16; // straight pieces that make the curve of a fade

const RATE = 48000;
const SAME = 0.02; // of the length

let shared = null;
const decoded = new WeakMap(); // element -> { recording: a promise of it, leaving }

// One context for the page, since browsers allow only a few; made when something is first played,
// since they let it sound only after the rater did something.
function sharedContext() {
  shared ??= new AudioContext({ latencyHint: "interactive", sampleRate: RATE });
  return shared;
}

// The recording of an element, fetched and decoded once.
export function decode(element) {
  if (!decoded.has(element)) {
    const leaving = new AbortController();
    const recording = fetchAndDecode(element.querySelector("audio").src, leaving.signal);
    const kept = { recording, leaving };
    decoded.set(element, kept);
    recording.catch(() => { if (decoded.get(element) === kept) decoded.delete(element); }); // who asks next tries again
  }
  return decoded.get(element).recording;
}

// Leave a recording that is still on its way to the next try.
export function leave(element) {
  decoded.get(element)?.leaving.abort();
  decoded.delete(element);
}

async function fetchAndDecode(address, signal) {
  const response = await fetch(address, { signal });
  if (!response.ok) throw new Error(String(response.status));
  return new OfflineAudioContext(1, 1, RATE).decodeAudioData(await response.arrayBuffer());
}

export class Deck {
  #run = null; // what is sounding: { gain, gains, sources, from, offset }
  #offset = 0;
  #range = null;
  #fade = null; // { start, from, to }: angles, of which the gains are the sines

  #makeContext;
  #context = null;

  constructor(buffers, makeContext = sharedContext) {
    this.#makeContext = makeContext;
    this.lengths = buffers.map((one) => one.duration);
    this.duration = Math.max(...this.lengths);
    this.together = lastAlike(this.lengths);
    this.buffers = sameLength(buffers);
    this.output = null;
    this.chosen = 0;
    this.onended = () => {};
  }

  get context() {
    if (!this.#context) {
      this.#context = this.#makeContext();
      this.output = this.#context.createGain();
      this.output.connect(this.#context.destination);
    }
    return this.#context;
  }

  get playing() {
    return this.#run !== null;
  }

  // How long each lasts is known: all of them are in memory.
  knows() {
    return true;
  }

  get position() {
    if (!this.#run) return this.#offset;
    const passed = Math.max(0, this.context.currentTime - this.#run.from);
    const at = this.#run.offset + passed;
    const { from, to } = this.#range || {};
    if (this.#range && at > to) return from + ((at - from) % (to - from));
    return Math.min(at, this.duration);
  }

  play(when = this.context.currentTime + LEAD) {
    if (this.#run) return;
    if (this.context instanceof AudioContext) this.context.resume();
    if (this.#offset >= this.lengths[this.chosen] - 0.01) this.#offset = 0;
    if (this.#range && this.#offset >= this.#range.to) this.#offset = this.#range.from;
    this.#run = this.#start(when, this.#offset);
    this.#fade = null;
  }

  pause(when = this.context.currentTime) {
    if (!this.#run) return;
    this.#offset = this.position;
    this.#end(when);
  }

  seek(position) {
    const on = this.playing;
    if (on) this.pause();
    this.#offset = Math.min(Math.max(0, position), this.duration);
    if (on) this.play();
  }

  // Hear another recording from the very same spot.
  choose(index, when = this.#run ? this.context.currentTime : 0) {
    if (index === this.chosen) return;
    const from = this.#angles(when);
    this.chosen = index;
    if (!this.#run) return;
    const to = this.#target();
    this.#fade = { start: when, from, to };
    this.#run.gains.forEach((gain, number) => sweep(gain.gain, from[number], to[number], when));
  }

  // Repeat from one spot to another; null goes on to the end.
  loop(range) {
    const on = this.playing;
    if (on) this.pause();
    this.#range = range;
    if (on) this.play();
  }

  stop() {
    this.buffers = [];
    this.onended = () => {};
    if (!this.#context) return;
    this.#end(this.context.currentTime);
    this.output.disconnect();
    if (this.context instanceof AudioContext) this.context.suspend();
  }

  #target() {
    return this.buffers.map((_, number) => (number === this.chosen ? Math.PI / 2 : 0));
  }

  // How far each recording is faded in at a moment.
  #angles(when) {
    if (!this.#fade) return this.#target();
    const { start, from, to } = this.#fade;
    const share = Math.min(1, Math.max(0, (when - start) / FADE));
    return from.map((angle, number) => angle + share * (to[number] - angle));
  }

  #start(when, offset) {
    const gain = this.context.createGain();
    gain.connect(this.output);
    gain.gain.setValueAtTime(0, when);
    sweep(gain.gain, 0, Math.PI / 2, when);
    const gains = this.buffers.map((_, number) => {
      const made = this.context.createGain();
      made.gain.setValueAtTime(number === this.chosen ? 1 : 0, when);
      made.connect(gain);
      return made;
    });
    const sources = this.buffers.map((buffer, number) => {
      const source = this.context.createBufferSource();
      source.buffer = buffer;
      if (this.#range) {
        source.loop = true;
        source.loopStart = this.#range.from;
        source.loopEnd = this.#range.to;
      }
      source.connect(gains[number]);
      source.start(when, offset);
      return source;
    });
    sources[0].onended = () => {
      if (this.#run?.sources !== sources) return;
      this.#offset = this.duration;
      this.#run = null;
      this.onended();
    };
    return { gain, gains, sources, from: when, offset };
  }

  #end(when) {
    const run = this.#run;
    if (!run) return;
    this.#run = null;
    this.#fade = null;
    sweep(run.gain.gain, Math.PI / 2, 0, when);
    run.sources.forEach((source) => source.stop(when + FADE));
    run.sources[0].onended = () => run.gain.disconnect();
  }
}

// Go from one angle to another, the gain being the angle's sine: two such fades keep the power.
function sweep(param, from, to, when) {
  param.cancelScheduledValues(when);
  // Ramped to, not set: a fade that is cut short goes on from where it is.
  param.linearRampToValueAtTime(Math.sin(from), when);
  for (let piece = 1; piece <= PIECES; piece += 1) {
    const share = piece / PIECES;
    param.linearRampToValueAtTime(Math.sin(from + share * (to - from)), when + share * FADE);
  }
}

// Recordings of one thing last equally long: the same spot means the same in each.
export function lastAlike(lengths) {
  const longest = Math.max(...lengths);
  return longest - Math.min(...lengths) <= SAME * longest + 0.05;
}

// Shorter recordings end in silence, so that all of them loop and end together.
function sameLength(buffers) {
  const length = Math.max(...buffers.map((one) => one.length));
  return buffers.map((buffer) => {
    if (buffer.length === length) return buffer;
    const { numberOfChannels, sampleRate } = buffer;
    const whole = new AudioBuffer({ numberOfChannels, length, sampleRate });
    for (let channel = 0; channel < buffer.numberOfChannels; channel += 1) {
      whole.copyToChannel(buffer.getChannelData(channel), channel);
    }
    return whole;
  });
}
