// The outputs on a narrow screen: tabs with one shared scroll, and which outputs were looked at; what
// stands above them, which can be opened where it does not fit; and where the form stands.

const narrow = matchMedia("(max-width: 820px)");
const low = matchMedia("(max-height: 480px) and (min-width: 821px)");

// On a phone on its side there is width, and no height for votes below the outputs.
export function placeForm(trial) {
  const { layout } = trial.dataset;
  const place = () => { trial.dataset.layout = layout === "below" && low.matches ? "side" : layout; };
  low.onchange = () => trial.isConnected && place();
  place();
}

export function watchTiles(trial) {
  const frame = trial.querySelector(".tiles");
  const all = [...trial.querySelectorAll(".tile")];
  const tabs = [...trial.querySelectorAll("[data-tab]")];
  const outputs = all.filter((tile) => tile.dataset.role === "output");
  const name = (tile) => tile.dataset.name;
  const look = () => trial.dispatch({ type: "seen", names: outputs.filter((one) => isInSight(one, frame)).map(name) });

  function show(tile) {
    const before = all.find((one) => one.classList.contains("shown"));
    const at = before?.querySelector(".body").scrollTop;
    for (const one of all) one.classList.toggle("shown", one === tile);
    for (const tab of tabs) {
      tab.setAttribute("aria-pressed", String(tab.dataset.tab === tile.dataset.tile));
    }
    if (before?.dataset.role === tile.dataset.role && before !== tile) tile.querySelector(".body").scrollTop = at;
    tile.scrollIntoView({ block: "nearest" });
    look();
  }

  for (const tab of tabs) {
    tab.addEventListener("click", () => show(all.find((one) => one.dataset.tile === tab.dataset.tab)));
  }
  frame.addEventListener("scroll", look, { passive: true, capture: true }); // its own, or that of many outputs
  new ResizeObserver(look).observe(frame);
  // A question about one output is answered with that output in sight.
  const openAt = (place) => { if (outputs[place] && !isInSight(outputs[place], frame)) show(outputs[place]); };
  narrow.onchange = () => trial.isConnected && openAt(trial.place); // a phone was turned
  openable(trial.querySelector(".asks"));
  trial.dispatch({ type: "outputs", names: outputs.map(name) });
  look();
  return {
    // Whatever of a tile is to be seen; what stands above the tiles always is.
    reveal: (part) => { const tile = part?.closest(".tile"); if (tile) show(tile); },
    open: (wanted) => show(outputs.find((one) => name(one) === wanted)),
    openAt,
  };
}

// Whether some of it shows: not behind a tab, and not below the edge of what scrolls.
function isInSight(tile, frame) {
  const [box, edge] = [tile.getBoundingClientRect(), frame.getBoundingClientRect()];
  const heading = Math.min(box.height, 48); // the name alone is not yet the output
  return box.height > 0 && box.top + heading <= edge.bottom + 1 && box.bottom > edge.top;
}

function openable(asks) {
  if (!asks) return;
  new ResizeObserver(() => {
    if (document.activeElement === asks) return;
    const cut = asks.scrollHeight > asks.clientHeight + 1;
    asks.classList.toggle("more", cut);
    if (cut) asks.tabIndex = 0;
    else asks.removeAttribute("tabindex");
  }).observe(asks);
}
