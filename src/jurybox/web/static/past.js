// What a rater answered before, and going among it. The server says what may be looked at again;
// between its answers the page adds what was answered since.

export class Past {
  constructor() {
    this.entries = []; // { assignment, position, trial?, draft? }, in the order of the trials
    this.at = null; // index while the rater looks back
  }

  // What the server lists now; what was answered here keeps its trial and draft, ready to be shown.
  set(listed) {
    const known = new Map(this.entries.map((one) => [one.assignment, one]));
    const looked = this.entries[this.at]?.assignment;
    this.entries = listed.map((one) => ({ ...known.get(one.assignment), ...one }));
    const at = this.entries.findIndex((one) => one.assignment === looked);
    this.at = this.at === null || at < 0 ? null : at;
  }

  add(trial, draft) {
    const entry = { assignment: trial.assignment, position: trial.position, trial, draft };
    const at = this.entries.findIndex((one) => one.assignment === trial.assignment);
    if (at < 0) this.entries.push(entry);
    else this.entries[at] = entry;
    this.entries.sort((a, b) => a.position - b.position);
  }

  // A change of the answer that is looked at stays with it until it is submitted.
  change(draft) {
    Object.assign(this.entries[this.at], { draft, changed: true });
  }

  // The number of the trial looked at, if its answer was changed and not submitted.
  get changed() {
    const entry = this.entries[this.at];
    return entry?.changed ? entry.position + 1 : null;
  }

  // The index a step leads to; the length stands for the trial at hand, null for nowhere.
  step(by) {
    const at = (this.at ?? this.entries.length) + by;
    return at < 0 || at > this.entries.length ? null : at;
  }

  // The index of the trial with this number, as the page counts them: from 1.
  numbered(number) {
    const at = this.entries.findIndex((one) => one.position === number - 1);
    return at < 0 ? null : at;
  }
}

// Ranks by place as groups of places, best first: what `ranksOf` was made from.
function groupsOf(ranks) {
  const values = [...new Set(ranks)].sort((a, b) => a - b);
  return values.map((rank) => ranks.flatMap((one, place) => (one === rank ? [place] : [])));
}

function givenTo(asked, answer) {
  if (asked.part === "confidence") return answer.confidence;
  if (asked.part === "reason") return answer.reason;
  switch (asked.kind) {
    case "choice":
      return answer.choice;
    case "origin":
      return answer.answer;
    case "order":
      return answer.ranks && { groups: groupsOf(answer.ranks), tie: false };
    case "best":
      return answer.ranks?.indexOf(1);
    case "spans":
      return answer.spans && { spans: answer.spans, none: !answer.spans.length };
    default:
      return answer.score;
  }
}

// Answers as the server has them, as the draft from which the page shows them.
export function draftFrom(form, { answers, comment }) {
  const given = {};
  for (const asked of form.questions) {
    const place = asked.kind === "origin" ? null : asked.place;
    const answer = answers.find(
      (one) => one.criterion === asked.criterion && (place === null || (one.place ?? 0) === place),
    );
    const value = answer && givenTo(asked, answer);
    if (value !== undefined && value !== null) given[asked.id] = value;
  }
  return { answers: given, comment, seen: form.letters }; // what was answered was looked at
}
