// The state of one trial as a pure function: (state, action) -> state. Nothing here touches the page.
//
// answers[id] holds what was given: a number or word for one choice, a text for a reason,
// { groups, tie } for an order (groups of places, best first) and { spans, none } for marking.

export function start(form, draft = {}) {
  const state = {
    form,
    answers: { ...(draft.answers || {}) },
    comment: draft.comment || "",
    current: null,
    pending: null,
    unplayed: [],
    awaited: [],
    broken: [],
    seen: draft.seen || [],
    outputs: [],
  };
  return { ...state, current: nextOpen(state, null) };
}

export function draftOf(state) {
  return { answers: state.answers, comment: state.comment, seen: state.seen };
}

export function question(state, id) {
  return state.form.questions.find((one) => one.id === id);
}

export function isAnswered(state, id) {
  const asked = question(state, id);
  const given = state.answers[id];
  if (given === undefined || given === null) return false;
  if (asked.kind === "text") return given.trim() !== "";
  if (asked.kind === "order") return given.groups.flat().length === asked.options.length;
  if (asked.kind === "spans") return given.none || given.spans.length > 0;
  return true;
}

// What still has to be done before the trial can be submitted, in the order of the page.
export function missing(state) {
  const open = state.form.questions
    .filter((one) => one.required && !isAnswered(state, one.id))
    .map((one) => ({ id: one.id, name: one.name, kind: one.kind, part: one.part }));
  const unplayed = state.unplayed.map((name) => ({ id: null, name, kind: "media", part: null }));
  const unseen = state.outputs
    .filter((name) => !state.seen.includes(name))
    .map((name) => ({ id: null, name, kind: "output", part: null }));
  const broken = state.broken.map((name) => ({ id: null, name, kind: "broken", part: null }));
  const awaited = state.awaited.map((name) => ({ id: null, name, kind: "loading", part: null }));
  return [...broken, ...awaited, ...unplayed, ...unseen, ...open];
}

// The next question without an answer after `id`, wrapping around; optional ones are not waited for.
function nextOpen(state, id) {
  const all = state.form.questions;
  const from = all.findIndex((one) => one.id === id);
  const turned = [...all.slice(from + 1), ...all.slice(0, from + 1)];
  const open = turned.find((one) => one.required && !isAnswered(state, one.id));
  return open ? open.id : id ?? (all.length ? all[all.length - 1].id : null);
}

function withAnswer(state, id, value) {
  return { ...state, answers: { ...state.answers, [id]: value } };
}

// Keep the pending span once it has a category and a severity.
function settle(state) {
  const { id, index, start: from, end, category, severity } = state.pending;
  if (category === null || severity === null) return state;
  const spans = [...(state.answers[id]?.spans || [])];
  const span = { start: from, end, category, severity };
  if (index === null) spans.push(span);
  else spans[index] = span;
  const next = withAnswer(state, id, { spans, none: false });
  return index === null ? { ...next, pending: null } : next;
}

const steps = {
  // `advance` is set when a choice is final (a key or a click), not while arrows move through it.
  answer(state, { id, value, advance }) {
    const next = { ...withAnswer(state, id, value), current: id };
    return advance ? { ...next, current: nextOpen(next, id) } : next;
  },
  focus: (state, { id }) => (question(state, id) ? { ...state, current: id } : state),
  comment: (state, { text }) => ({ ...state, comment: text }),
  unplayed: (state, { names }) => ({ ...state, unplayed: names }),
  played: (state, { name }) => ({
    ...state,
    unplayed: state.unplayed.filter((one) => one !== name),
  }),
  // Files on their way, and files that cannot be shown: what nobody sees is not rated.
  awaited: (state, { names }) => ({ ...state, awaited: [...new Set([...state.awaited, ...names])] }),
  arrived: (state, { name }) =>
    state.awaited.includes(name) ? { ...state, awaited: state.awaited.filter((one) => one !== name) } : state,
  broken: (state, { name }) => (state.broken.includes(name) ? state : { ...state, broken: [...state.broken, name] }),
  mended: (state, { name }) =>
    state.broken.includes(name) ? { ...state, broken: state.broken.filter((one) => one !== name) } : state,
  // Outputs that do not all fit on a screen: each has to be looked at once.
  outputs: (state, { names }) => ({ ...state, outputs: names }),
  seen: (state, { names }) => {
    const fresh = names.filter((one) => !state.seen.includes(one));
    return fresh.length ? { ...state, seen: [...state.seen, ...fresh] } : state;
  },

  pick(state, { id, place }) {
    const { groups, tie } = state.answers[id] || { groups: [], tie: false };
    if (groups.flat().includes(place)) return state;
    const last = groups[groups.length - 1];
    const joined = tie && last ? [...groups.slice(0, -1), [...last, place]] : [...groups, [place]];
    const next = { ...withAnswer(state, id, { groups: joined, tie: false }), current: id };
    return isAnswered(next, id) ? { ...next, current: nextOpen(next, id) } : next;
  },
  tie(state, { id }) {
    const { groups, tie } = state.answers[id] || { groups: [], tie: false };
    const asked = question(state, id);
    if (!asked.ties || groups.length === 0) return state;
    return { ...withAnswer(state, id, { groups, tie: !tie }), current: id };
  },
  // Put an output before the group `to` of the order as it stands, or at its end.
  move(state, { id, place, to }) {
    const { groups } = state.answers[id] || { groups: [] };
    const without = (group) => group.filter((one) => one !== place);
    const before = groups.slice(0, to).map(without);
    const after = groups.slice(to).map(without);
    const moved = [...before, [place], ...after].filter((group) => group.length);
    const next = { ...withAnswer(state, id, { groups: moved, tie: false }), current: id };
    return isAnswered(next, id) ? { ...next, current: nextOpen(next, id) } : next;
  },
  undo(state, { id }) {
    const { groups, tie } = state.answers[id] || { groups: [], tie: false };
    if (tie || groups.length === 0) {
      return { ...withAnswer(state, id, { groups, tie: false }), current: id };
    }
    const last = groups[groups.length - 1].slice(0, -1);
    const kept = last.length ? [...groups.slice(0, -1), last] : groups.slice(0, -1);
    return { ...withAnswer(state, id, { groups: kept, tie: false }), current: id };
  },

  // Marking: select, then category and severity in any order; with both the span is kept. While a
  // kept span is edited, every choice changes it at once, until `cancel` closes it.
  select(state, { id, start: from, end }) {
    const editing = state.pending && state.pending.index !== null;
    const kept = editing ? state.pending : { category: null, severity: null, index: null };
    return settle({ ...state, pending: { ...kept, id, start: from, end }, current: id });
  },
  edit(state, { id, index }) {
    return { ...state, pending: { ...state.answers[id].spans[index], id, index }, current: id };
  },
  span(state, { part, value }) {
    return state.pending ? settle({ ...state, pending: { ...state.pending, [part]: value } }) : state;
  },
  cancel: (state) => ({ ...state, pending: null }),
  remove(state, { id, index }) {
    const spans = state.answers[id].spans.filter((_, place) => place !== index);
    return { ...withAnswer(state, id, { spans, none: false }), pending: null, current: id };
  },
  none(state, { id, value }) {
    if (value && (state.answers[id]?.spans || []).length) return state;
    const next = { ...withAnswer(state, id, { spans: [], none: value }), pending: null };
    return { ...next, current: value ? nextOpen(next, id) : id };
  },
};

export function reduce(state, action) {
  return steps[action.type] ? steps[action.type](state, action) : state;
}

// Ranks by place from groups of places, best first: after two firsts comes a third.
export function ranksOf(groups, places) {
  const ranks = new Array(places).fill(null);
  let before = 0;
  for (const group of groups) {
    for (const place of group) ranks[place] = before + 1;
    before += group.length;
  }
  return ranks;
}

function valueOf(asked, given, places) {
  switch (asked.kind) {
    case "scale":
    case "slider":
    case "graded":
      return { score: given };
    case "choice":
      return { choice: given };
    case "origin":
      return { answer: given };
    case "order":
      return { ranks: ranksOf(given.groups, places) };
    case "best":
      return { ranks: Array.from({ length: places }, (_, place) => (place === given ? 1 : 2)) };
    case "spans":
      return { spans: [...given.spans].sort((a, b) => a.start - b.start || a.end - b.end) };
    default:
      return {};
  }
}

// The answers as the server takes them: one per criterion, and per place where asked so.
export function shownAnswers(state) {
  const places = state.form.letters.length;
  const found = new Map();
  for (const asked of state.form.questions) {
    if (!isAnswered(state, asked.id)) continue;
    const key = `${asked.criterion}\n${asked.place}`;
    const answer = found.get(key) || { criterion: asked.criterion };
    if (asked.place !== null && asked.kind !== "origin") answer.place = asked.place;
    const given = state.answers[asked.id];
    if (asked.part === "confidence") answer.confidence = given;
    else if (asked.part === "reason") answer.reason = given.trim();
    else Object.assign(answer, valueOf(asked, given, places));
    found.set(key, answer);
  }
  return [...found.values()];
}
