// One rater's answers wait here, in IndexedDB, until the server has acknowledged them. A closed tab,
// a dead server or a dead network loses nothing; sending twice is harmless, because each answer has
// an id. An answer that the server refuses is set aside with the reason: it stays, and waits no more.

import { isFinal } from "./api.js";

const wait = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

function open(name) {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore("answers", { keyPath: "id" });
    request.result.createObjectStore("drafts", { keyPath: "assignment" });
  };
  return wait(request);
}

export class Outbox {
  constructor(name, { send, changed, refused }) {
    this.database = open(`jurybox-${name}`);
    this.send = send;
    this.changed = changed;
    this.refused = refused;
    this.sending = null;
    this.timer = null;
    this.pause = 1000;
    addEventListener("online", () => this.flush());
  }

  async #store(name, mode = "readonly") {
    const transaction = (await this.database).transaction(name, mode);
    return transaction.objectStore(name);
  }

  // What waits to be sent, oldest first.
  async all() {
    const answers = await wait((await this.#store("answers")).getAll());
    return answers.filter((one) => !one.refused).sort((a, b) => a.order - b.order);
  }

  // Resolves when the answer is on disk here, which is when the page may go on.
  async put(answer) {
    const store = await this.#store("answers", "readwrite");
    store.put({ ...answer, order: Date.now() });
    await new Promise((resolve, reject) => {
      store.transaction.oncomplete = resolve;
      store.transaction.onerror = () => reject(store.transaction.error);
    });
    this.changed(await this.all());
  }

  // Send what waits; gives null when nothing is left, or what stopped it. One sender at a time.
  flush() {
    this.sending ??= this.#flush().finally(() => { this.sending = null; });
    return this.sending;
  }

  async #flush() {
    clearTimeout(this.timer);
    for (let waiting = await this.all(); waiting.length; waiting = await this.all()) {
      const { order, ...answer } = waiting[0];
      try {
        await this.send(answer);
        await wait((await this.#store("answers", "readwrite")).delete(answer.id));
      } catch (error) {
        if (!isFinal(error)) {
          this.timer = setTimeout(() => this.flush(), this.pause);
          this.pause = Math.min(this.pause * 2, 30000);
          this.changed(waiting, error);
          return error;
        }
        const aside = { ...waiting[0], refused: error.message };
        await wait((await this.#store("answers", "readwrite")).put(aside));
        this.refused(error);
      }
      this.pause = 1000;
    }
    this.changed([]);
    return null;
  }

  async keepDraft(assignment, draft) {
    await wait((await this.#store("drafts", "readwrite")).put({ assignment, draft }));
  }

  async draft(assignment) {
    return (await wait((await this.#store("drafts")).get(assignment)))?.draft;
  }

  async dropDraft(assignment) {
    await wait((await this.#store("drafts", "readwrite")).delete(assignment));
  }
}
