// Walking through the trials: the ones at hand, the one on screen, its answer on the way out, and
// back among those answered before.

import { isPassing, newId } from "./api.js";
import { showBar, showWays, tell } from "./frame.js";
import { fetchAhead } from "./media.js";
import { draftFrom, Past } from "./past.js";
import { Stopwatch } from "./stopwatch.js";
import { words } from "./words.js";

// Resolves when what was put on the page is on screen; a page that nobody sees is not waited for.
const painted = () =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 100);
  });

export class Walk {
  // `desk` is the page's own: `main`, `preview`, `canGoBack`, `who()`, `stage()`, `go()`, `take(next)`,
  // `command(name)`, `takeBreak()` and `fetchNext()`.
  constructor(desk) {
    this.desk = desk;
    this.sitting = newId();
    this.hand = []; // the trials at hand: the one shown first, then what was fetched ahead
    this.shown = null; // the trial on screen, with its element, its id and its times
    this.past = new Past();
    this.left = null; // the number of a trial whose change was left without being submitted
    this.done = 0; // trials walked through in a preview, which nobody else counts
    this.given = 0; // answers given on this page
    this.until = null; // when the leases of what is at hand end
    this.breakEvery = null;
    this.rested = Date.now();
    this.ready = new Map(); // assignment -> nodes drawn ahead, their pictures decoded; and its draft
    this.drafting = null;
  }

  get isLooking() {
    return this.past.at !== null;
  }

  // The server's answer with the next trials; the one on screen stays.
  async take(next) {
    const current = this.hand[0]?.assignment;
    const kept = next.trials.find((one) => one.assignment === current);
    const stay = kept || (this.isLooking && this.hand.length > 0);
    this.hand = kept ? [this.hand[0], ...next.trials.filter((one) => one !== kept)] : next.trials;
    this.until = next.until ?? null;
    this.breakEvery = next.break_every;
    if (next.past) this.past.set(next.past);
    if (!stay || !this.shown) await this.showCurrent();
    else this.#showWays();
    this.#drawAhead();
  }

  drop() {
    this.hand = [];
    this.shown = null;
    this.past.at = null;
    this.left = null;
    this.ready.clear();
    showWays(0, null);
  }

  #showWays() {
    showWays(this.desk.canGoBack ? this.past.entries.length : 0, this.past.at);
  }

  // The trial after this one is drawn out of sight, so that it appears at once with its media.
  #drawAhead() {
    const names = this.hand.map((one) => one.assignment);
    for (const name of this.ready.keys()) if (!names.includes(name)) this.ready.delete(name);
    for (const trial of this.hand.slice(1)) {
      if (this.ready.has(trial.assignment)) continue;
      const draft = this.desk.who().outbox.draft(trial.assignment); // on disk from an earlier sitting
      this.ready.set(trial.assignment, { place: this.#draw(trial), draft });
    }
  }

  #draw(trial) {
    const place = document.createElement("div");
    place.innerHTML = trial.html;
    fetchAhead(place);
    return place;
  }

  async showCurrent() {
    const trial = this.hand[0];
    const before = this.left;
    this.left = this.past.changed;
    if (this.left !== before) tell(this.reminder); // anything else that is said stays
    this.past.at = null;
    const ahead = this.ready.get(trial.assignment)?.draft;
    const kept = await (ahead ?? this.desk.who().outbox.draft(trial.assignment));
    if (this.isLooking || this.hand[0] !== trial) return; // the rater went elsewhere meanwhile
    this.desk.enterTrials();
    showBar(trial.bar, { rest: this.#rest });
    this.#showWays();
    this.mount(trial, kept || trial.draft);
    this.#drawAhead();
  }

  // What the rater is to remember on the trial at hand, whatever else was said and is over.
  get reminder() {
    return this.left === null ? "" : words.changeUnsent(this.left);
  }

  // Put a trial on the page and begin to take its time.
  mount(trial, draft) {
    const heading = document.createElement("h1");
    heading.className = "unseen";
    heading.textContent = trial.bar?.words ?? document.querySelector("#where").textContent;
    const drawn = this.ready.get(trial.assignment)?.place ?? this.#draw(trial);
    this.ready.delete(trial.assignment);
    this.desk.main.replaceChildren(heading, ...drawn.childNodes);
    const element = this.desk.main.querySelector("jb-trial");
    element.assignment = trial.assignment;
    element.begin({ form: trial.form, draft });
    const watch = new Stopwatch(performance.now(), { hidden: document.hidden, shown: Date.now() });
    // The answer's id belongs to what is shown: sent twice, it is still one answer.
    this.shown = { id: newId(), trial, element, watch };
    element.media.ready.then(() => watch.ready(performance.now()));
    element.addEventListener("jb-draft", (event) => {
      if (this.isLooking) this.past.change(event.detail);
      else this.#keepDraft(trial.assignment, event.detail);
    });
    element.addEventListener("jb-command", (event) => this.desk.command(event.detail));
    element.addEventListener("jb-submit", (event) => this.submit({ status: "answered", ...event.detail }));
    scrollTo(0, 0);
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true }); // what had the keyboard is gone with the last trial
  }

  // On disk at once: who closes the page a moment later finds it again. The server has it a little
  // later, for another device.
  #keepDraft(assignment, draft) {
    const { api, outbox } = this.desk.who();
    outbox.keepDraft(assignment, draft);
    if (this.desk.preview) return;
    const send = () => {
      this.drafting = null;
      return api.put("draft", { assignment, draft }).catch(() => null);
    };
    clearTimeout(this.drafting?.timer);
    this.drafting = { send, timer: setTimeout(send, 300) };
  }

  // What was chosen a moment ago is sent before anything else is shown.
  #settleDraft() {
    clearTimeout(this.drafting?.timer);
    this.drafting?.send();
  }

  async submit(answer) {
    const { shown } = this;
    if (!shown || shown.sent) return;
    shown.sent = true;
    const { trial, element, watch } = shown;
    const whole = {
      id: shown.id,
      assignment: trial.assignment,
      version: trial.version,
      session: this.sitting,
      position: trial.position,
      ...answer,
      ...watch.read(performance.now(), element.touched),
    };
    if (this.desk.stage() === "practice") return this.desk.submitPractice(whole, shown);
    if (!this.isLooking) {
      clearTimeout(this.drafting?.timer);
      this.drafting = null;
    }
    const { outbox } = this.desk.who();
    await outbox.put(whole);
    this.given += 1;
    this.past.add(trial, answer.status === "answered" ? element.draft : {});
    if (this.isLooking) {
      await this.showCurrent();
      return this.#refill();
    }
    this.done = trial.position + 1;
    this.hand.shift();
    this.past.at = null;
    const rests = this.#needsBreak();
    if (this.hand.length && !rests) {
      await this.showCurrent();
      await painted(); // nothing that can wait takes its time from the next trial
    }
    await outbox.dropDraft(trial.assignment);
    return rests ? this.desk.takeBreak() : this.#refill();
  }

  // The next trial is already on screen; send in the background and fetch the one after it.
  async #refill() {
    if (!this.hand.length) return this.desk.go();
    const { given } = this;
    try {
      if (await this.desk.who().outbox.flush()) return;
      const next = await this.desk.fetchNext();
      // Who has answered or stopped meanwhile is not led back: what comes after that is asked for then.
      if (given === this.given && this.desk.stage() === "trial") await this.desk.take(next);
    } catch (error) {
      if (!isPassing(error)) tell(error.message);
    }
  }

  #needsBreak() {
    return this.#rest === 0;
  }

  // In how many minutes a break is offered, 0 when it is due; null where the study has none.
  get #rest() {
    if (!this.breakEvery) return null;
    return Math.max(0, Math.ceil((this.breakEvery - (Date.now() - this.rested) / 1000) / 60));
  }

  // Go among the answers so far; a changed one is sent again and replaces the first.
  async lookBack(step) {
    const at = this.past.step(step);
    if (at !== null) await this.lookAt(at);
  }

  async lookAt(at) {
    if (this.desk.stage() !== "trial" || !this.desk.canGoBack || !this.hand.length) return;
    this.#settleDraft();
    if (at === this.past.entries.length) return this.showCurrent();
    const entry = this.past.entries[at];
    try {
      entry.trial ??= await this.#fetchPast(entry);
    } catch (error) {
      return tell(error.message);
    }
    this.left = this.past.changed;
    tell(this.reminder);
    this.past.at = at;
    showBar(entry.trial.bar);
    this.#showWays();
    this.mount(entry.trial, entry.draft);
  }

  async #fetchPast(entry) {
    const found = await this.desk.who().api.get(`past/${entry.assignment}`);
    entry.draft = draftFrom(found.form, found);
    return found;
  }

  // False when there is no earlier trial with this number.
  async jump(number) {
    const at = this.past.numbered(number);
    if (at === null) return false;
    await this.lookAt(at);
    return true;
  }

  // The page goes away: what was fetched ahead and not begun goes back to the others, unless another
  // tab has asked for it since.
  leave() {
    const { api, outbox } = this.desk.who();
    if (this.desk.preview || !this.until) return;
    if (this.shown?.element) this.#settleDraft();
    const begun = this.hand.filter((one) => one === this.shown?.trial && this.shown.element.touched !== null);
    for (const { order, ...answer } of outbox.unsent) api.last("submit", answer);
    api.last("leave", { until: this.until, keep: begun.map((one) => one.assignment) });
    this.until = null;
  }

  hide() {
    this.shown?.watch.hide(performance.now());
  }

  unhide() {
    this.shown?.watch.show(performance.now());
  }
}

// The numbers of the trials that can be gone to, as buttons.
export function drawNumbers(place, past, onPick) {
  place.replaceChildren(
    ...past.entries.map((entry) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "chip";
      button.textContent = entry.position + 1;
      button.setAttribute("aria-label", words.trial(entry.position + 1));
      button.addEventListener("click", () => onPick(entry.position + 1));
      return button;
    }),
  );
}
