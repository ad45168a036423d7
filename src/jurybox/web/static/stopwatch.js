// The times of one trial on screen, in milliseconds; `now` comes in, so that it is tested by itself.
//
// Time while the page is hidden does not count as time spent: `ms` runs from the moment the media
// were ready (or from the start, while they were not) to the answer, without it.

export class Stopwatch {
  constructor(now, { hidden = false, shown = 0 } = {}) {
    this.shown = shown; // by the clock on the wall
    this.start = now;
    this.settled = null;
    this.hidden = 0;
    this.hiddenBefore = 0; // of it, before the media were ready
    this.hiddenSince = hidden ? now : null;
  }

  hide(now) {
    this.hiddenSince ??= now;
  }

  show(now) {
    if (this.hiddenSince === null) return;
    this.hidden += now - this.hiddenSince;
    this.hiddenSince = null;
  }

  #away(now) {
    return this.hidden + (this.hiddenSince === null ? 0 : now - this.hiddenSince);
  }

  ready(now) {
    if (this.settled !== null) return;
    this.settled = now;
    this.hiddenBefore = this.#away(now);
  }

  read(now, first = null) {
    const since = (moment) => (moment === null ? null : Math.round(moment - this.start));
    const away = this.#away(now);
    const from = this.settled ?? this.start;
    return {
      ms: Math.max(0, Math.round(now - from - (away - this.hiddenBefore))),
      timing: {
        shown: this.shown,
        ready: since(this.settled),
        first: since(first),
        hidden: Math.round(away),
        submit: since(now),
      },
    };
  }
}
