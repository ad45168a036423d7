// Every word the scripts put on the page, in one place.

// A name inside a sentence, without the mark that ends it elsewhere.
const bare = (name) => name.replace(/[\s.,:;!?…。？！؟]+$/u, "");

export const words = {
  answerFirst: (names) => `Still to answer: ${names.map(bare).join(", ")}.`,
  playFirst: (name) => `Please play it to the end first: ${bare(name)}.`,
  markFirst: "mark the errors, or say that there is none",
  noAnswer: "no answer yet",
  place: (rank, letter) => `${rank}. ${letter}`,
  pickBest: "Choose the best one first.",
  pickNext: (standing) => `${standing}: which one comes next?`,
  tapFirst: "Tap the first and the last word of an error.",
  choose: "Choose a category and a severity.",
  tapLast: "Now tap the last word of the error.",
  edit: "Change",
  remove: "Remove",
  unsent: (count) => (count === 1 ? "1 answer not sent yet" : `${count} answers not sent yet`),
  unreachable: "The server cannot be reached; try again.",
  trying: "The server cannot be reached; trying again.",
  notStopped: (why) => `You have not stopped yet. ${why}`,
  notWithdrawn: (why) => `Your answers are not withdrawn yet. ${why}`,
  waitingTitle: "Waiting for the connection",
  waiting: "Waiting for the connection. Your answers are kept on this device and will be sent.",
  trial: (number, total) => (total ? `Trial ${number} of ${total}` : `Trial ${number}`),
  practice: (number, total) => `Practice ${number} of ${total}`,
  left: (minutes) => (minutes === 1 ? "about 1 min left" : `about ${minutes} min left`),
  failed: "Something went wrong on the page. Reload it: your answers are kept.",
  copied: "Copied",
  close: "Close",
  chooseReason: "Please choose a reason.",
  signIn: "This page needs the organizer's link that `jurybox serve` printed.",
};
