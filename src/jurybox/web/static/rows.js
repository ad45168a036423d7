// Recordings in rows, each with a slider: the words of the scale stand over their values.

export function placeWords(trial) {
  for (const word of trial.querySelectorAll(".row-words > [data-at]")) {
    word.style.insetInlineStart = `${100 * Number(word.dataset.at)}%`;
  }
}
