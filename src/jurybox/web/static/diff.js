// Which words of two texts differ, as a pure function of the two lists of words. Words that occur
// once in both texts tie the texts together; what lies between them is compared by the shortest way
// (Myers, 1986) while that is short, and differs as a whole otherwise. So the cost stays bounded.

const LONGEST = 400; // changes that are followed word by word between two ties

// Gives [in a, in b], each an array with true for a word that the other text lacks there.
export function differing(a, b) {
  const marks = [new Array(a.length).fill(true), new Array(b.length).fill(true)];
  const same = (i, j) => { marks[0][i] = false; marks[1][j] = false; };
  const open = [[0, a.length, 0, b.length]];
  while (open.length) {
    let [i, endA, j, endB] = open.pop();
    while (i < endA && j < endB && a[i] === b[j]) same(i++, j++);
    while (i < endA && j < endB && a[endA - 1] === b[endB - 1]) same(--endA, --endB);
    if (i === endA || j === endB) continue;
    const ties = tied(a, b, i, endA, j, endB);
    if (!ties.length) {
      for (const [x, y] of shortest(a, b, i, endA, j, endB)) same(x, y);
      continue;
    }
    for (const [x, y] of ties) {
      same(x, y);
      open.push([i, x, j, y]);
      [i, j] = [x + 1, y + 1];
    }
    open.push([i, endA, j, endB]);
  }
  return marks;
}

// Words that occur once in both stretches, as the longest row of pairs in the same order.
function tied(a, b, fromA, endA, fromB, endB) {
  const found = new Map(); // word -> [where in a, where in b], -1 where it is not alone
  for (let i = fromA; i < endA; i += 1) found.set(a[i], [found.has(a[i]) ? -1 : i, null]);
  for (let j = fromB; j < endB; j += 1) {
    const one = found.get(b[j]);
    if (one) one[1] = one[1] === null ? j : -1;
  }
  const pairs = [...found.values()].filter(([i, j]) => i >= 0 && j !== null && j >= 0).sort((x, y) => x[0] - y[0]);
  const ends = []; // for each length the pair with the smallest end, linked to the one before it
  for (const [i, j] of pairs) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle].j < j) low = middle + 1;
      else high = middle;
    }
    ends[low] = { i, j, before: low ? ends[low - 1] : null };
  }
  const row = [];
  for (let one = ends[ends.length - 1]; one; one = one.before) row.push([one.i, one.j]);
  return row.reverse();
}

// The pairs of equal words along a shortest way from one stretch to the other; none if it is long.
function shortest(a, b, fromA, endA, fromB, endB) {
  const [n, m] = [endA - fromA, endB - fromB];
  const limit = Math.min(n + m, LONGEST);
  let reach = new Map([[1, 0]]);
  const past = [];
  for (let d = 0; d <= limit; d += 1) {
    past.push(new Map(reach));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && reach.get(k - 1) < reach.get(k + 1));
      let x = down ? reach.get(k + 1) : reach.get(k - 1) + 1;
      while (x < n && x - k < m && a[fromA + x] === b[fromB + x - k]) x += 1;
      reach.set(k, x);
      if (x >= n && x - k >= m) return trace(past, d, n, m).map(([p, q]) => [fromA + p, fromB + q]);
    }
  }
  return [];
}

function trace(past, last, n, m) {
  const pairs = [];
  let [x, y] = [n, m];
  for (let d = last; d >= 0; d -= 1) {
    const reach = past[d];
    const k = x - y;
    const down = k === -d || (k !== d && reach.get(k - 1) < reach.get(k + 1));
    const before = down ? k + 1 : k - 1;
    const fromX = reach.get(before);
    const fromY = fromX - before;
    while (x > fromX && y > fromY && x > 0 && y > 0) pairs.push([--x, --y]);
    [x, y] = [fromX, fromY];
  }
  return pairs;
}
