// Talking to the server: one place that sends the token and reads errors.

export class Refused extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

// True for a failure that trying again may mend.
export const isPassing = (error) => !(error instanceof Refused) || error.status >= 500 || error.status === 429;

export function makeApi(base, token) {
  async function call(method, path, body) {
    const headers = { Accept: "application/json" };
    if (token()) headers.Authorization = `Bearer ${token()}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const response = await fetch(base + path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
      credentials: "omit",
    });
    const text = await response.text();
    let value = null;
    try {
      value = JSON.parse(text);
    } catch {
      // A proxy may answer with a page of its own; the status still says what happened.
    }
    if (!response.ok) throw new Refused(response.status, value?.error?.sentence || response.statusText);
    return value;
  }
  return {
    get: (path) => call("GET", path),
    post: (path, body = {}) => call("POST", path, body),
    put: (path, body) => call("PUT", path, body),
  };
}
