"""How long the lines of a page's prose are, counted in letters as they are laid out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

LONGEST = 70
"""Letters in a line, beyond which eyes lose its beginning."""

LINES = """({ within, exempt, longest }) => {
  const letters = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const isInline = (one) => getComputedStyle(one).display === "inline";
  const blockOf = (node) => {
    let one = node.parentElement;
    while (isInline(one)) one = one.parentElement;
    return one;
  };
  const blocks = new Map();
  for (const root of document.querySelectorAll(within)) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const from = node.parentElement;
      if (from.closest(exempt) || !from.checkVisibility({ visibilityProperty: true })) continue;
      const block = blockOf(node);
      if (!blocks.has(block)) blocks.set(block, []);
      if (!blocks.get(block).includes(node)) blocks.get(block).push(node);
    }
  }
  const found = [];
  const range = document.createRange();
  for (const nodes of blocks.values()) {
    let line = null; // a line goes on while letters stand beside what it has, whatever their size
    for (const node of nodes) {
      for (const { segment, index } of letters.segment(node.data)) {
        range.setStart(node, index);
        range.setEnd(node, index + segment.length);
        const box = [...range.getClientRects()].at(-1);
        if (!box || !box.width) continue; // space that is not laid out
        const middle = (box.top + box.bottom) / 2;
        if (!line || middle > line.bottom || middle < line.top) {
          found.push((line = { text: "", top: box.top, bottom: box.bottom }));
        }
        line.text += segment;
      }
    }
  }
  const length = (text) => [...letters.segment(text)].length;
  return [...new Set(found.map((one) => one.text.trim()))].filter((text) => length(text) > longest);
}"""


def long_lines(
    page: Page, within: str, *, exempt: str = "pre, code, table, svg", longest: int = LONGEST
) -> list[str]:
    """The lines longer than so many letters of what is in sight within a selector.

    Code keeps its own lines, and a table's cells are read across their columns: both are exempt.
    """
    asked = {"within": within, "exempt": exempt, "longest": longest}
    found: list[str] = page.evaluate(LINES, asked)
    return found
