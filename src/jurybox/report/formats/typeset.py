"""The report as PDF, set by typst like the appendix of a paper.

Texts reach typst as data, never as markup, so that none of them can be anything but text. What no
font can show is found by typst itself: a PDF that is to be accessible must not have such a letter.
"""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any, assert_never

from jurybox.analysis.finding import Table
from jurybox.errors import InputError, OptionError
from jurybox.report.blocks import (
    Block,
    Exhibit,
    Gallery,
    Heading,
    Page,
    Part,
    Points,
    Screen,
    Shown,
    Words,
)
from jurybox.report.charts.values import Chart
from jurybox.report.formats.figures import draw_alone
from jurybox.report.formats.limits import PAPER
from jurybox.report.formats.long_words import cell_with_breaks, with_breaks
from jurybox.report.formats.printed import (
    is_numeric,
    lay_out,
    parts_of,
)
from jurybox.report.formats.scripts import by_script
from jurybox.report.sides import is_from_right, set_apart

__all__ = ["find_typst", "typeset"]

FONT = "Libertinus Serif"
DRAWING, LETTER = 840, 17
"""The width of a chart and the size of its letters, in px: Libertinus is narrow, so that its
letters of 17 px have the room of others of 14."""
SIZES = ((9.0, 5.0), (8.0, 4.0), (7.0, 3.0))
"""The size of a table's letters and the gap between its columns, in pt, by its tightness."""
LETTERS = (122, 138, 158)
"""How many letters of each size a line holds, digits and spaces being narrow."""

WHOLE = 12
"""Rows up to which a table is not broken: it is read at a glance, and leaves little room."""

TALL_CELL = 800
"""Letters above which a cell could fill a page, in the narrowest column of sentences."""

UNSHOWN = re.compile(r'the text `"((?:[^"\\]|\\.)*)"` could not be displayed')
BOX = "\N{WHITE SQUARE}"


def typeset(
    page: Page, *, wholes: Mapping[str, str], font_paths: Sequence[str | Path] = ()
) -> tuple[bytes, tuple[str, ...]]:
    """Set a page as PDF; gives it with a sentence for every script that no font can show.

    Parameters
    ----------
    page : Page
        What to set.
    wholes : mapping
        For the id of a table, the file that holds all of it.
    font_paths : sequence of path
        Folders with further fonts, beside those of the system and of typst.
    """
    engine = find_typst()
    for folder in font_paths:
        if not Path(folder).is_dir():
            raise OptionError(f"--font-path: {folder} is no folder; give a folder that holds fonts")
    report = _with_breaks(_data(page, wholes))
    made, letters = _compile(engine, report, font_paths)
    missing: frozenset[str] = frozenset()
    # A letter may be missing only once its neighbor is gone, with which it made one sign.
    while letters - missing:
        missing |= letters
        made, letters = _compile(engine, _without(report, missing), font_paths)
    if made is None:
        raise InputError(
            "report.pdf: no font shows even a box; give a folder with one by --font-path"
        )
    return made, tuple(_unshown(report, missing))


def find_typst() -> ModuleType:
    """The package that sets a PDF; without it there is a sentence."""
    try:
        import typst
    except ImportError:
        raise InputError(
            "a report as PDF needs the package typst; install it with "
            "'pip install \"jurybox[pdf]\"', or use --format html and print that."
        ) from None
    return typst


def _compile(
    engine: ModuleType, report: Mapping[str, Any], font_paths: Sequence[str | Path]
) -> tuple[bytes | None, frozenset[str]]:
    """The PDF, or the letters that keep it from being one."""
    source = (files("jurybox.report.formats") / "templates" / "report.typ").read_bytes()
    compile_ = partial(
        engine.compile,
        source,
        format="pdf",
        font_paths=[str(folder) for folder in font_paths],
        sys_inputs={"report": json.dumps(report)},
        timestamp=0,
    )
    try:
        return bytes(compile_(pdf_standards="ua-1")), frozenset()
    except engine.TypstError as error:
        found = UNSHOWN.findall(error.diagnostic)
    if found:
        return None, frozenset(letter for text in found for letter in _unescaped(text))
    # Every letter is shown; a joined sign of some scripts tells an accessible reader too little.
    return bytes(compile_()), frozenset()


def _unescaped(text: str) -> str:
    r"""A text that Rust printed for a programmer, as it stands.

    >>> _unescaped(r"\u{1f600}\"")
    '😀"'
    """
    text = re.sub(r"\\u\{([0-9a-f]+)\}", lambda match: chr(int(match[1], 16)), text)
    return re.sub(r"\\(.)", r"\1", text)


def _unshown(report: Mapping[str, Any], letters: frozenset[str]) -> Iterator[str]:
    for script, missing in by_script(letters).items():
        where = next((place for place, text in _texts(report) if set(missing) & set(text)), None)
        first = f", first {where}" if where else ""
        yield (
            f"report.pdf: no font here shows {script}{first}; give a folder with one that does by "
            "--font-path."
        )


def _texts(report: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Every text with the place where it stands, in the order of the pages."""
    for key in ("title", "say", "note", "above", "first", "below"):
        yield "on the first page", json.dumps(report[key], ensure_ascii=False)
    for section in report["sections"]:
        yield f"under “{section['title']}”", json.dumps(section, ensure_ascii=False)


def _without(report: Mapping[str, Any], missing: frozenset[str]) -> dict[str, Any]:
    """The same with a box for every letter that cannot be shown, and what these boxes are."""
    boxed: dict[str, Any] = _replaced(report, dict.fromkeys(missing, BOX))
    codes = {letter: f"U+{ord(letter):04X}" for letter in missing}
    said = [_replaced(sentence, codes) for sentence in _unshown(report, missing)]
    return {**boxed, "above": [[f"{BOX} stands for what no font showed.", said], *boxed["above"]]}


def _replaced(value: Any, by: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return "".join(by.get(letter, letter) for letter in value)
    if isinstance(value, dict):
        return {key: _replaced(part, by) for key, part in value.items()}
    return [_replaced(part, by) for part in value] if isinstance(value, list) else value


def _with_breaks(value: Any, key: str = "") -> Any:
    """The same with long words that a line can end in; only some texts keep their own lines."""
    if key in ("svg", "pictures", "spoken"):
        return value
    if isinstance(value, dict):
        return {name: _with_breaks(part, name) for name, part in value.items()}
    if isinstance(value, list):
        return [_with_breaks(part, key) for part in value]
    if not isinstance(value, str):
        return value
    flowing = value if key in ("text", "heads") else re.sub(r"\s*\n\s*", " ", value)
    if key == "say" or not is_from_right(flowing):
        flowing = set_apart(flowing)
    return cell_with_breaks(flowing) if key == "rows" else with_breaks(flowing)


def _data(page: Page, wholes: Mapping[str, str]) -> dict[str, Any]:
    first = [] if page.chart is None else [_chart(page.chart)]
    first += [] if page.table is None else _tables(page.table, wholes)
    return {
        "title": page.title,
        "counts": page.counts,
        "say": list(page.stressed),
        "note": page.note,
        "above": [["Changed since raters answered.", list(page.changed)]] if page.changed else [],
        "first": first,
        "below": [["What cannot be said.", list(page.cannot)]] if page.cannot else [],
        "sections": [
            {"title": s.title, "blocks": list(_in_order(s.blocks, wholes))} for s in page.sections
        ],
        "colophon": [list(pair) for pair in page.colophon],
    }


def _in_order(blocks: Sequence[Block], wholes: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """The blocks; a chart stands after its table if that one can fill the page before it."""
    waiting: list[dict[str, Any]] = []
    for block in blocks:
        drawn = _drawn(block, wholes)
        if isinstance(block, Chart):
            yield from waiting
            waiting = drawn
            continue
        fills = any(part.get("breaks", False) for part in drawn)
        yield from [*drawn, *waiting] if fills else [*waiting, *drawn]
        waiting = []
    yield from waiting


def _drawn(block: Block, wholes: Mapping[str, str]) -> list[dict[str, Any]]:
    if isinstance(block, Shown):
        return _tables(block.table, wholes)
    above = [_block(Heading(text=block.title))] if isinstance(block, Gallery) else []
    return [*above, _block(block)]


def _block(block: Words | Heading | Points | Chart | Screen | Gallery) -> dict[str, Any]:
    if isinstance(block, Words):
        # A file's own line ends, but those of paragraphs and points, are not the page's.
        flowing = re.sub(r"(?<!\n)\n(?!\n|\s*[-*\d])", " ", block.text)
        return {"kind": "words", "text": flowing, "quiet": block.quiet}
    if isinstance(block, Heading):
        return {"kind": "heading", "text": block.text}
    if isinstance(block, Points):
        return {"kind": "points", "items": list(PAPER.cut_points(block.items))}
    if isinstance(block, Chart):
        return _chart(block)
    if isinstance(block, Screen):
        return {
            "kind": "screen",
            "caption": block.caption,
            "parts": list(map(_part, block.parts)),
            "asked": list(block.asked),
        }
    if isinstance(block, Gallery):
        return {"kind": "gallery", "exhibits": [_exhibit(shown) for shown in block.exhibits]}
    assert_never(block)


def _exhibit(shown: Exhibit) -> dict[str, Any]:
    marked = [Part(caption="Marked", text="; ".join(shown.marked))] if shown.marked else []
    return {
        "title": shown.title,
        "value": shown.value,
        "parts": list(map(_part, (*shown.parts, *marked))),
        "comments": [comment.said for comment in shown.comments],
    }


def _part(part: Part) -> dict[str, Any]:
    pictures = list(map(_wrap, part.pictures))
    return {"caption": part.caption, "text": part.text, "pictures": pictures}


def _wrap(address: str) -> str:
    """A picture's ``data:`` address as SVG, the one form in which data for typst can hold it."""
    from PIL import Image

    with Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2]))) as picture:
        size = f'width="{picture.width}" height="{picture.height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><image href="{address}" {size}/></svg>'


def _chart(whole: Chart) -> dict[str, Any]:
    chart, cut = PAPER.cut_chart(whole)
    return {
        "kind": "chart",
        "title": chart.title,
        "svg": draw_alone(chart, font=FONT, width=DRAWING, size=LETTER),
        "spoken": chart.spoken,
        "note": cut,
    }


def _tables(whole: Table, wholes: Mapping[str, str]) -> list[dict[str, Any]]:
    """A table, or the parts of one that is too wide; what stands below it stands below the last."""
    table, cut = PAPER.cut_table(whole, wholes.get(whole.id))
    *parts, last = parts_of(table, LETTERS)
    return [*(_table(part, []) for part in parts), _table(last, [table.caption, cut])]


def _table(table: Table, notes: list[str]) -> dict[str, Any]:
    layout = lay_out(table, LETTERS)
    size, gap = SIZES[layout.tightness]
    return {
        "kind": "table",
        "title": table.title,
        "heads": ["\n".join(lines) for lines in layout.heads],
        "numeric": [is_numeric(column) for column in table.columns],
        "widths": layout.shares,
        "rows": layout.rows,
        "breaks": len(layout.rows) > WHOLE,
        # A row stays on one page, unless it could be longer than one.
        "tall": any(len(cell) > TALL_CELL for row in layout.rows for cell in row),
        "size": size,
        "gap": gap,
        "notes": notes,
    }
