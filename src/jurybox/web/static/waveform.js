// The shape of a recording, drawn where its position is chosen: a spot to hear again is found by eye.

const COLUMNS = 240;
const LOOKS = 200; // samples looked at for a column, so that minutes cost no more than seconds
const NAMESPACE = "http://www.w3.org/2000/svg";

export function drawWaveform(buffer) {
  const drawn = document.createElementNS(NAMESPACE, "svg");
  drawn.setAttribute("class", "waveform");
  drawn.setAttribute("viewBox", `0 -1 ${COLUMNS} 2`);
  drawn.setAttribute("preserveAspectRatio", "none");
  drawn.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(NAMESPACE, "path");
  const heights = peaks(buffer.getChannelData(0));
  const loudest = Math.max(...heights) || 1;
  path.setAttribute("d", heights.map((height, at) => stroke(at + 0.5, Math.max(0.03, height / loudest))).join(""));
  drawn.append(path);
  return drawn;
}

const stroke = (at, height) => `M${at} ${-height.toFixed(3)}V${height.toFixed(3)}`;

function peaks(samples) {
  const width = samples.length / COLUMNS;
  const step = Math.max(1, Math.floor(width / LOOKS));
  return Array.from({ length: COLUMNS }, (_, column) => {
    let highest = 0;
    const end = Math.min(samples.length, (column + 1) * width);
    for (let at = Math.floor(column * width); at < end; at += step) highest = Math.max(highest, Math.abs(samples[at]));
    return highest;
  });
}
