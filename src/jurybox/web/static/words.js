// Every word the scripts put on the page, in one place, in the study's language. The page brings
// the language's catalogue along; English is the source and needs none.

const brought = document.querySelector("#words")?.textContent;
const own = JSON.parse(brought || "{}");
const language = brought ? document.documentElement.lang : "en";
const kindOf = new Intl.PluralRules(language);
// In the digits that stand on the keys.
const written = (value, how = {}) =>
  new Intl.NumberFormat(language, { numberingSystem: "latn", useGrouping: false, maximumFractionDigits: 12, ...how })
    .format(value).replace("-", "−");
const fill = (text, values) => text.replace(/%\((\w+)\)s/g, (_, name) => values[name]);
const _ = (text, values = {}) => fill(own[text] ?? text, values);
const ngettext = (one, many, num) => {
  const form = own[one]?.[kindOf.select(num)] ?? (num === 1 ? one : many);
  return fill(form, { num });
};

// A name inside a sentence, without the mark that ends it elsewhere.
const bare = (name) => name.replace(/[\s.,:;!?…。？！؟]+$/u, "");
// Note: between the parts of a list
const listed = (names) => names.map(bare).join(_(", "));

export const words = {
  number: written,
  tenths: (value) => written(value, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
  listed,
  // Whoever has answered next to nothing needs no list of everything.
  answerFirst: (names) =>
    names.length > 4
      ? _("Still to answer: %(names)s and %(num)s more.", { names: listed(names.slice(0, 3)), num: names.length - 3 })
      : _("Still to answer: %(names)s.", { names: listed(names) }),
  playFirst: (name) => _("Please play it to the end first: %(name)s.", { name: bare(name) }),
  lookFirst: (names) => _("Please look at %(names)s first.", { names: listed(names) }),
  seeFirst: (name, seconds) =>
    _("Please look at it for %(seconds)s s first: %(name)s.", { seconds: written(seconds), name: bare(name) }),
  wasSeen: (seconds) => _("It was shown for %(seconds)s s.", { seconds: written(seconds) }),
  loading: _("Loading …"),
  loadingFirst: (names) =>
    _("Still loading: %(names)s. You can go on once everything is there.", { names: listed(names) }),
  brokenPicture: _("This picture cannot be shown."),
  brokenSound: _("This recording cannot be played."),
  brokenFilm: _("This film cannot be played."),
  brokenFirst: (names) =>
    _("Could not be loaded: %(names)s. Try again, or skip this trial as broken content.", { names: listed(names) }),
  tryAgain: _("Try again"),
  skipBroken: _("Skip as broken"),
  zoomed: (name) =>
    _("%(name)s, enlarged: arrow keys move it, + and − change its size, Escape ends it.", { name }),
  wipe: _("Wipe"),
  flicker: _("Flicker"),
  overEachOther: (first, second) => _("%(first)s and %(second)s over each other", { first, second }),
  sideBySide: _("Side by side"),
  divider: (first, second) => _("Line between %(first)s and %(second)s", { first, second }),
  dividerAt: (share, name) => _("%(share)s of %(name)s", { share: written(share / 100, { style: "percent" }), name }),
  byItself: _("Switch automatically"),
  round: (number, rounds) => _("%(number)s of %(total)s", { number, total: rounds }),
  chooseTone: _("Please choose the softest tone; play them again if you like."),
  player: _("Player"),
  play: _("Play"),
  pause: _("Pause"),
  position: _("Position"),
  hear: (name) => _("Hear %(name)s", { name }),
  loopFrom: _("Loop from here"),
  loopTo: _("Loop to here"),
  loopOff: _("End the loop"),
  loopBegins: _("Beginning of the loop"),
  loopEnds: _("End of the loop"),
  markFirst: (name) => _("%(name)s (mark what is wrong, or say that there is no error)", { name: bare(name) }),
  noAnswer: _("no answer yet"),
  pickBest: _("Choose the best one first."),
  pickNext: _("Which one comes next?"),
  pickTied: _("Which one is as good?"),
  tapFirst: _("Choose the first and the last word of an error."),
  choose: _("Choose a category and a severity."),
  tapLast: _("Now choose the last word of the error."),
  edit: _("Change"),
  remove: _("Remove"),
  cancel: _("Cancel"),
  unsent: (count) => ngettext("1 answer not sent yet", "%(num)s answers not sent yet", count),
  unreachable: _("The server cannot be reached; try again."),
  trying: _("The server cannot be reached; trying again."),
  notStopped: (why) => _("You have not stopped yet. %(why)s", { why }),
  notWithdrawn: (why) => _("Your answers are not withdrawn yet. %(why)s", { why }),
  waitingTitle: _("Waiting for the connection"),
  waiting: _("Waiting for the connection. Your answers are kept on this device and will be sent."),
  trial: (number, total) => (total ? _("Trial %(number)s of %(total)s", { number, total }) : _("Trial %(number)s", { number })),
  practice: (number, total) => _("Practice %(number)s of %(total)s", { number, total }),
  left: (minutes) => ngettext("~1 min left", "~%(num)s min left", minutes),
  restIn: (minutes) => ngettext("break in ~1 min", "break in ~%(num)s min", minutes),
  restNext: _("then a break"),
  failed: _("Something went wrong on the page. Reload it: your answers are kept."),
  pressKey: _("Press the new key, or Escape."),
  keyTaken: (key, does) => _("The key %(key)s is taken: %(words)s. Choose another.", { key, words: does }),
  keyAnswers: (key) => _("The key %(key)s answers a question here; choose another.", { key }),
  keyChosen: (key, does) => _("The key is %(key)s now: %(words)s.", { key, words: does }),
  usualKeys: _("The usual keys are back."),
  copied: _("Copied"),
  earlier: _("your earlier answer"),
  reported: _("Your report was sent."),
  unkept: _("This browser keeps nothing for this page. Please stay until every answer is sent."),
  practiceWants: _("A practice trial cannot be skipped; give the answer you find best."),
  sayWhat: _("Please say in a few words what is wrong."),
  noSuchTrial: _("You have no earlier trial with this number."),
  changeUnsent: (number) => _("Your change to trial %(number)s is not submitted yet; go back to it to submit it.", { number }),
  close: _("Close"),
  chooseReason: _("Please choose a reason."),
  signIn: _("This page needs the organizer's link that 'jurybox serve' printed."),
};
