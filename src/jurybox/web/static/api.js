// Talking to the server: one place that sends the token and reads errors.

import { words } from "./words.js";

// The study's server has refused, in its own words.
export class Refused extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

// What answered, if anything did, was not the study's server: no network, a proxy, a login page.
export class Unreachable extends Error {
  constructor() {
    super(words.unreachable);
  }
}

// True for a failure that trying again may mend.
export const isPassing = (error) =>
  !(error instanceof Refused) || error.status >= 500 || [408, 429].includes(error.status);

// True when the server has read what was sent and does not take it; only then does waiting not help.
export const isFinal = (error) => error instanceof Refused && [400, 409, 413, 422].includes(error.status);

// A name that nobody else draws; what is sent again under it counts once.
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function makeApi(base, token) {
  function request(method, body) {
    const headers = { Accept: "application/json" };
    if (token()) headers.Authorization = `Bearer ${token()}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    return {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
      credentials: "omit",
    };
  }
  async function call(method, path, body) {
    let response, value;
    try {
      response = await fetch(base + path, request(method, body));
      value = JSON.parse(await response.text());
    } catch {
      throw new Unreachable(); // nobody answered, or with a page of their own
    }
    if (response.ok && value) return value;
    if (value?.error?.sentence) throw new Refused(response.status, value.error.sentence);
    throw new Unreachable();
  }
  return {
    get: (path) => call("GET", path),
    post: (path, body = {}) => call("POST", path, body),
    put: (path, body) => call("PUT", path, body),
    // From a page that goes away: sent all the same, and nobody hears the answer.
    last: (path, body) => void fetch(base + path, { ...request("POST", body), keepalive: true }).catch(() => null),
    // Sends an answer; its receipt names it, so that nothing else can pass for one.
    async submit(answer) {
      const receipt = await call("POST", "submit", answer);
      if (receipt.id !== answer.id) throw new Unreachable();
      return receipt;
    },
  };
}
