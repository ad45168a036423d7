// Charts that tell their values, to the pointer and to the arrow keys: a figure with a `.plot` whose
// `.mark`s have a `data-value`, and a `.readout` for it. What is drawn anew needs no new wiring; the
// function that is given back tells the same mark's value again, as a page that refreshes wipes it.

export function tellValues(root) {
  let told = null; // the figure that tells a value now
  let place = -1; // that of the mark among its marks
  const figureOf = (event) => event.target.closest?.("figure:has(.plot)") ?? null;
  const shown = (figure) => [...figure.querySelectorAll(".plot")].find((plot) => plot.getClientRects().length);
  const marks = (figure) => [...(shown(figure)?.querySelectorAll(".mark:not(.away)") ?? [])];
  const tell = (figure, mark) => {
    figure.querySelectorAll(".mark.on").forEach((each) => each.classList.remove("on"));
    mark?.classList.add("on");
    figure.querySelector(".readout").textContent = mark?.dataset.value ?? "";
  };
  const move = (figure, mark) => {
    if (told && told !== figure) tell(told, null);
    told = figure;
    place = figure ? marks(figure).indexOf(mark) : -1;
    if (figure) tell(figure, mark);
  };
  root.addEventListener("pointerover", (event) => {
    const figure = figureOf(event);
    if (figure || told !== document.activeElement) move(figure, event.target.closest?.(".mark"));
  });
  root.addEventListener("focusin", (event) => {
    const figure = figureOf(event);
    if (figure) move(figure, marks(figure)[0]);
  });
  root.addEventListener("focusout", (event) => figureOf(event) && move(null));
  root.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const figure = figureOf(event);
    const all = step && figure ? marks(figure) : [];
    if (!all.length) return;
    event.preventDefault();
    const now = all.findIndex((mark) => mark.classList.contains("on"));
    move(figure, all[(now + step + all.length) % all.length]);
  });
  return () => told?.isConnected && tell(told, marks(told)[place]);
}
