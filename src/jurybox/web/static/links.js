// What the address brought, and what this browser keeps: who rates here, and as whom.

import { newId } from "./api.js";
import { local, session } from "./kept.js";

// A link brings its secret behind the `#`, which no server, proxy or referrer ever sees. An
// invitation, and where the preview begins, are kept with the page's place in the history, so that
// a reload still knows them.
export function readLink({ study, mode, root }) {
  const preview = mode === "preview";
  const storage = preview ? session : local;
  const name = `jurybox-${preview ? "organizer" : "rater"}-${study}`;
  const hash = new URLSearchParams(location.hash.slice(1) || history.state?.brought);
  const query = new URLSearchParams(location.search);
  const invitation = hash.get("invite");
  // By the platform: who they are, and for which of its assignments they work this time.
  const sent = ["PROLIFIC_PID", "SESSION_ID", "workerId", "assignmentId"].map((one) => query.get(one)).filter(Boolean).join(" ");
  const address = location.pathname + location.search;
  if (location.hash) {
    const brought = new URLSearchParams([...hash].filter(([key]) => !["token", "r"].includes(key)));
    history.replaceState(brought.size ? { brought: `${brought}` } : null, "", address);
  }
  addEventListener("hashchange", () => location.reload());

  // A link that names a rater wins over the token that was kept here for another.
  function token() {
    const named = hash.get(preview ? "token" : "r");
    if (named) storage.setItem(name, named);
    const kept = storage.getItem(name);
    if (named || !kept) return kept;
    if (invitation) return kept.startsWith(invitation.slice(0, 20)) ? kept : null; // a group's seal may follow
    return sent && storage.getItem(`${name}-panelist`) !== sent ? null : kept;
  }

  return {
    preview,
    toTrials: hash.get("at") === "trials",
    rater: hash.get("id"),
    token,
    // Drawn before the first Start and kept until its reply came: whoever asks again with it has enrolled
    // the id themselves. The reply may be lost, and with it the only way to what it made.
    key() {
      if (!storage.getItem(`${name}-key`)) storage.setItem(`${name}-key`, newId());
      return storage.getItem(`${name}-key`);
    },
    brought: () => ({ ...Object.fromEntries(query), ...(invitation ? { invite: invitation } : {}) }),
    keep(given) {
      storage.setItem(name, given);
      storage.removeItem(`${name}-key`);
      if (sent) storage.setItem(`${name}-panelist`, sent);
      history.replaceState(null, "", address);
    },
    forget(given) {
      if (storage.getItem(name) === given) storage.removeItem(name);
    },
    personal: (given) => `${location.origin}${root || location.pathname}#r=${given}`,
    mturk: () => mturkReturn(query),
  };
}

const MTURK = new Set(["www.mturk.com", "workersandbox.mturk.com"]);

// Where Mechanical Turk takes the code, and for which assignment; nobody else's address passes.
export function mturkReturn(query) {
  const assignment = query.get("assignmentId");
  let to;
  try {
    to = new URL(query.get("turkSubmitTo"));
  } catch {
    return null;
  }
  if (!assignment || to.protocol !== "https:" || to.port || !MTURK.has(to.hostname)) return null;
  return { assignment, action: `${to.origin}/mturk/externalSubmit` };
}
