// Recordings in rows, each with a slider: the words of the scale stand over their values.

// After a practice trial the recordings stay to be heard, each with what it was given and what would
// have been right; says whether there are any.
export function keepRows(form, feedback) {
  const rows = form.querySelectorAll(".row");
  for (const row of rows) {
    const slider = row.querySelector(".slider input");
    slider.disabled = true;
    const told = feedback.querySelector(`.checked [data-place="${row.dataset.place}"]`);
    if (!told) continue;
    const line = document.createElement("p");
    line.className = "row-told";
    line.dataset.right = told.dataset.right;
    line.dataset.side = 2 * slider.value < Number(slider.min) + Number(slider.max) ? "end" : "start";
    line.ariaHidden = "true"; // the list says it too, in one piece
    const right = told.dataset.right === "yes" ? "" : told.querySelector("dd:last-child").textContent;
    line.textContent = `${told.querySelector("dt > span").textContent} ${right}`;
    row.querySelector(".slider").append(line);
  }
  return rows.length > 0;
}

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
