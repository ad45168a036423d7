// One rater's answers wait here, in IndexedDB, until the server has acknowledged them. A closed tab,
// a dead server or a dead network loses nothing; sending twice is harmless, because each answer has
// an id. An answer that the server refuses is set aside with the reason: it stays, and waits no more.
//
// Where the browser has no IndexedDB for us, or no room in it, answers wait in memory instead: the
// page goes on, says so, and asks before it is closed on them.

import { isFinal } from "./api.js";

const wait = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

// Rows by key in two stores, `answers` and `drafts`, on disk.
class Disk {
  lasts = true;

  static async open(name) {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("answers", { keyPath: "id" });
      request.result.createObjectStore("drafts", { keyPath: "assignment" });
    };
    const disk = new Disk();
    disk.database = await wait(request);
    disk.database.onversionchange = () => disk.database.close();
    return disk;
  }

  // An answer is on disk when this resolves, not merely on its way there; the rest may be.
  #write(store, change, durability = "relaxed") {
    const transaction = this.database.transaction(store, "readwrite", { durability });
    change(transaction.objectStore(store));
    transaction.commit?.(); // asked for now, it is done even if the page goes away meanwhile
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
  }

  all = (store) => wait(this.database.transaction(store).objectStore(store).getAll());
  get = (store, key) => wait(this.database.transaction(store).objectStore(store).get(key));
  put = (store, row) =>
    this.#write(store, (rows) => rows.put(row), store === "answers" ? "strict" : "relaxed");
  delete = (store, key) => this.#write(store, (rows) => rows.delete(key));
}

// The same in memory.
class Memory {
  lasts = false;
  rows = { answers: new Map(), drafts: new Map() };

  all = async (store) => [...this.rows[store].values()];
  get = async (store, key) => this.rows[store].get(key);
  put = async (store, row) => void this.rows[store].set(row.id ?? row.assignment, row);
  delete = async (store, key) => void this.rows[store].delete(key);
}

export class Outbox {
  // `unkept` is told once, when nothing can be kept on disk here.
  constructor(name, { send, changed, refused, unkept }) {
    this.lasts = true;
    this.shelf = Disk.open(`jurybox-${name}`).catch(() => this.#giveUp());
    this.send = send;
    this.changed = changed;
    this.refused = refused;
    this.unkept = unkept;
    this.sending = null;
    this.timer = null;
    this.pause = 1000;
    this.unsent = []; // known without asking the disk, for a page that is about to go away
    addEventListener("online", () => this.flush());
  }

  #giveUp() {
    this.lasts = false;
    this.unkept();
    return new Memory();
  }

  // Do something on the shelf; a disk that fails is left for memory, with what can still be read.
  async #on(action) {
    const shelf = await this.shelf;
    try {
      return await action(shelf);
    } catch (error) {
      if (!shelf.lasts) throw error;
      if ((await this.shelf) === shelf) {
        const memory = this.#giveUp();
        this.shelf = Promise.resolve(memory);
        for (const row of await shelf.all("answers").catch(() => [])) await memory.put("answers", row);
      }
      return action(await this.shelf);
    }
  }

  // What waits to be sent, oldest first.
  async all() {
    const answers = await this.#on((shelf) => shelf.all("answers"));
    this.unsent = answers.filter((one) => !one.refused).sort((a, b) => a.order - b.order);
    return this.unsent;
  }

  // Resolves when the answer is on disk here, which is when the page may go on.
  async put(answer) {
    const row = { ...answer, order: performance.timeOrigin + performance.now() };
    await this.#on((shelf) => shelf.put("answers", row));
    this.unsent = [...this.unsent, row]; // the next trial does not wait for the disk to be read again
    this.changed(this.unsent);
  }

  // True when closing the page now would lose an answer.
  get isAtRisk() {
    return !this.lasts && this.unsent.length > 0;
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
      } catch (error) {
        if (!isFinal(error)) {
          this.timer = setTimeout(() => this.flush(), this.pause);
          this.pause = Math.min(this.pause * 2, 30000);
          this.changed(waiting, error);
          return error;
        }
        const aside = { ...waiting[0], refused: error.message };
        await this.#on((shelf) => shelf.put("answers", aside));
        this.refused(error);
        continue;
      }
      await this.#on((shelf) => shelf.delete("answers", answer.id));
      this.pause = 1000;
    }
    this.changed([]);
    return null;
  }

  keepDraft(assignment, draft) {
    return this.#on((shelf) => shelf.put("drafts", { assignment, draft }));
  }

  async draft(assignment) {
    return (await this.#on((shelf) => shelf.get("drafts", assignment)))?.draft;
  }

  dropDraft(assignment) {
    return this.#on((shelf) => shelf.delete("drafts", assignment));
  }
}
