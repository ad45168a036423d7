// Changing what a page shows into something new, touching only what differs: focus, scroll places,
// what is typed and which details are open stay as they are.

const KEPT = { DETAILS: ["open"], INPUT: ["value", "checked"], OPTION: ["selected"] };

const alike = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && (a.id ?? "") === (b.id ?? "");

export function change(now, next) {
  changeAttributes(now, next);
  if (now.dataset?.look) return; // what was fetched for it stays
  let here = now.firstChild;
  for (const wanted of [...next.childNodes]) {
    const found = find(here, wanted);
    if (!found) {
      now.insertBefore(wanted, here);
      continue;
    }
    while (here !== found) here = drop(here);
    if (here.nodeType === Node.ELEMENT_NODE) change(here, wanted);
    else if (here.nodeValue !== wanted.nodeValue) here.nodeValue = wanted.nodeValue;
    here = here.nextSibling;
  }
  while (here) here = drop(here);
}

function drop(node) {
  const after = node.nextSibling;
  node.remove();
  return after;
}

// The node that becomes the wanted one: with an id the one of that id, else the next of its kind.
function find(from, wanted) {
  if (from && alike(from, wanted)) return from;
  if (!wanted.id) return null;
  for (let node = from; node; node = node.nextSibling) if (alike(node, wanted)) return node;
  return null;
}

function changeAttributes(now, next) {
  if (now.nodeName === "MAIN") return;
  const kept = (next.type !== "hidden" && KEPT[now.nodeName]) || [];
  for (const { name } of [...now.attributes]) {
    if (!next.hasAttribute(name) && !kept.includes(name)) now.removeAttribute(name);
  }
  for (const { name, value } of next.attributes) {
    if (!kept.includes(name) && now.getAttribute(name) !== value) now.setAttribute(name, value);
  }
}
