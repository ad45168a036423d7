// What happens around media in a trial: readiness, zoom, pieces that must be played to the end, and
// pictures that are seen for some seconds only.

export function watchMedia(trial) {
  const players = [...trial.querySelectorAll("audio, video")];
  const pictures = [...trial.querySelectorAll("img")];
  const toPlay = players.filter((one) => one.dataset.toTheEnd).map((one) => one.dataset.toTheEnd);
  for (const player of players) {
    player.addEventListener("play", () => players.forEach((one) => one !== player && one.pause()));
    if (player.dataset.toTheEnd) {
      player.addEventListener("ended", () => trial.dispatch({ type: "played", name: player.dataset.toTheEnd }));
    }
  }
  for (const frame of trial.querySelectorAll("[data-seconds]")) hideLater(frame);
  return {
    toPlay,
    ready: Promise.all([...pictures.map(decoded), ...players.map(playable)]),
    zoom: () => zoom(trial),
    play: () => play(players, trial),
    focusFirst: () => players.find((one) => one.dataset.toTheEnd)?.focus(),
  };
}

const decoded = (picture) => picture.decode().catch(() => null);

const playable = (player) =>
  new Promise((resolve) => {
    if (player.readyState >= 2) resolve();
    player.addEventListener("loadeddata", resolve, { once: true });
    player.addEventListener("error", resolve, { once: true });
  });

function hideLater(frame) {
  const picture = frame.querySelector("img");
  decoded(picture).then(() => {
    setTimeout(() => frame.classList.add("over"), Number(frame.dataset.seconds) * 1000);
  });
}

function play(players, trial) {
  const visible = players.filter((one) => one.offsetParent !== null);
  const running = visible.find((one) => !one.paused);
  if (running) running.pause();
  else (visible.find((one) => trial.state.unplayed.includes(one.dataset.toTheEnd)) || visible[0])?.play();
}

// All pictures are enlarged together and move together, so that the same spot can be compared.
function zoom(trial) {
  const on = !trial.classList.contains("zoomed");
  trial.classList.toggle("zoomed", on);
  for (const button of trial.querySelectorAll("[data-zoom]")) button.setAttribute("aria-pressed", String(on));
  const frames = [...trial.querySelectorAll(".picture")];
  for (const frame of frames) {
    frame.tabIndex = on ? 0 : -1;
    if (!on) frame.removeAttribute("tabindex");
    frame.scrollTo((frame.scrollWidth - frame.clientWidth) / 2, (frame.scrollHeight - frame.clientHeight) / 2);
    frame.onscroll = on ? () => follow(frame, frames) : null;
    frame.onpointermove = on ? (event) => drag(frame, event) : null;
  }
}

function follow(leader, frames) {
  for (const frame of frames) {
    if (frame === leader) continue;
    const left = leader.scrollLeft / Math.max(1, leader.scrollWidth - leader.clientWidth);
    const top = leader.scrollTop / Math.max(1, leader.scrollHeight - leader.clientHeight);
    const [x, y] = [left * (frame.scrollWidth - frame.clientWidth), top * (frame.scrollHeight - frame.clientHeight)];
    if (Math.abs(frame.scrollLeft - x) > 1 || Math.abs(frame.scrollTop - y) > 1) frame.scrollTo(x, y);
  }
}

function drag(frame, event) {
  if (event.buttons === 1 && event.pointerType === "mouse") {
    frame.scrollBy(-event.movementX, -event.movementY);
  }
}
