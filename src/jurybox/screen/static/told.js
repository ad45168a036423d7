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
  const point = (event) => {
    const figure = figureOf(event);
    const mark = event.target.closest?.(".mark");
    if (mark?.classList.contains("on")) return;
    if (figure || told !== document.activeElement) move(figure, mark);
  };
  let pressed = null; // the figure that a press gives the focus: what was pressed is told
  // Not pointerover: it also comes where a page is scrolled by keys below a pointer that rests.
  root.addEventListener("pointermove", point);
  root.addEventListener("pointerdown", (event) => {
    point(event); // a finger that taps never moves
    pressed = event.target.closest?.(".mark") ? figureOf(event) : null;
  });
  root.addEventListener("focusin", (event) => {
    const figure = figureOf(event);
    if (figure && figure !== pressed) move(figure, marks(figure)[0]);
    pressed = null;
  });
  root.addEventListener("focusout", (event) => told && figureOf(event) === told && move(null));
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
