// Recordings in rows, each with a slider: the words of the scale stand over their values.

export function placeWords(trial) {
  for (const line of trial.querySelectorAll(".row-words")) {
    const places = [...line.children].map((word) => Number(word.dataset.at));
    [...line.children].forEach((word, number) => {
      word.style.insetInlineStart = `${100 * places[number]}%`;
      // As far as the next value: a long word is cut rather than written over it.
      word.style.setProperty("--room", `${100 * (places[number + 1] - places[number])}cqi`);
    });
  }
}
