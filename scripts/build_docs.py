"""Build docs/ to static pages in docs/_site: `make docs`.

The contents beside every page are the lists of docs/index.md; a page is in the documentation when
it stands there. What is generated (docs_reference.py) joins the last of these lists.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import jinja2
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token
from markupsafe import Markup

from jurybox.study.schema import json_schema
from scripts import docs_formulas, docs_reference

DOCS = Path(__file__).parent.parent / "docs"
SITE = DOCS / "_site"
REFERENCE = "Reference"
"""The list of docs/index.md that generated pages join."""
LONG = 40 + len("<code></code>")
"""Letters of code, with its marks, from which on it may be broken at the head of a row too."""
TABLE = re.compile(r"[─│━]|\S {2,}\S.* {2,}\S")
"""In a block of code: lines of a drawn table, or words of one row with wide gaps between them."""
BESIDE = 11
"""Letters of a word of code that a phone shows whole beside another column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A page by its name, in the words of the contents."""

    name: str
    words: str
    under: str = ""
    """The page of which it is a part: the contents show it only there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    words: str
    entries: tuple[Link, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A second-level heading."""

    anchor: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    name: str
    title: str
    heading: Markup
    body: Markup
    parts: tuple[Part, ...]
    words: tuple[tuple[str, str], ...]
    """The text from each second-level heading to the next, by anchor; first that above them all."""


def sources() -> dict[str, str]:
    """Every page as Markdown: the files of docs/ and what is generated."""
    written = {file.stem: file.read_text(encoding="utf-8") for file in sorted(DOCS.glob("*.md"))}
    return {**written, **docs_reference.pages()}


def whole_index(index: str) -> str:
    """The first page with a line for each generated list, in place of how the site is built."""
    rows = (
        f"- [{title}]({name}.md){docs_reference.LISTS[name]}"
        for name, title in docs_reference.TITLES.items()
        if name in docs_reference.LISTS
    )
    return index.partition("\n`make docs`")[0] + "\n".join(rows) + "\n"


def contents(index: str) -> tuple[Group, ...]:
    """The headings and the linked pages of docs/index.md, and the generated pages."""
    groups = []
    for part in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        words = part.partition("\n")[0].strip()
        found = re.findall(r"^- \[([^]]+)\]\(([\w-]+)\.md\)", part, flags=re.MULTILINE)
        entries = [Link(name=name, words=link) for link, name in found]
        if words == REFERENCE:
            entries += [
                Link(name=name, words=title, under=docs_reference.whole_of(name))
                for name, title in docs_reference.TITLES.items()
            ]
        groups.append(Group(words=words, entries=tuple(entries)))
    return tuple(groups)


def render(name: str, text: str) -> Page:
    """One page of Markdown as HTML, with an anchor at every heading as GitHub makes them."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    markdown.add_render_rule("fence", _fence)
    tokens = markdown.parse(text)
    anchors = _set_anchors(tokens)
    _name_cells(tokens)
    for token in tokens:
        for piece in token.children or ():
            if piece.type == "link_open":
                piece.attrSet("href", re.sub(r"^([\w-]+)\.md(?=#|$)", r"\1.html", _href(piece)))
        _draw_formulas(token)
        if token.type in ("th_open", "td_open"):
            style = str(token.attrGet("style"))
            for side, column in (("right", "end"), ("center", "mark")):
                if side in style:
                    token.attrSet("class", column)
        token.attrs.pop("style", None)
    # The first heading is the page's own; the template writes it.
    heading, body = tokens[1], tokens[3:]
    html = str(markdown.renderer.render(body, markdown.options, {}))
    html = re.sub(r"<code>[^<]*</code>", _keep_options, html)
    html = re.sub("<table(?=[ >])", '<div class="scroll" tabindex="0"><table', html)
    html = html.replace("</table>", "</table></div>")
    html = html.replace("<th></th>", "<td></td>")  # a corner heads nothing
    html = html.replace("<th>meaning</th>", '<th class="meaning">meaning</th>')
    words = markdown.renderInline(heading.content)
    return Page(
        name=name,
        title=_plain(heading),
        heading=Markup(words),  # noqa: S704 - rendered from our own pages
        body=Markup(html),  # noqa: S704
        parts=anchors,
        words=_words(tokens[2:]),  # each with what stands before it
    )


def _keep_options(code: re.Match[str]) -> str:
    """Code in a sentence, in which no line ends behind the dashes of an option.

    What is long is named so: at the head of a table's row it would take half of the page.
    """
    html = _whole_options(code[0])
    return html.replace("<code>", '<code class="long">') if len(code[0]) > LONG else html


def _whole_options(html: str) -> str:
    return re.sub(r"(?<=[\s>])--[\w-]+", r'<span class="option">\g<0></span>', html)


def _fence(_: Any, tokens: Sequence[Token], at: int, *__: Any) -> str:
    """A block of code, headed by the file that it is, where it is one.

    Code is wrapped on a phone, though no option in it; a table drawn in letters keeps its columns.
    """
    language, _, name = tokens[at].info.partition(" ")
    code = f'<code class="language-{language}">{escapeHtml(tokens[at].content)}</code>'
    drawn = ' class="drawn"' if re.search(TABLE, tokens[at].content) else ""
    html = f'<pre{drawn} tabindex="0">{_whole_options(code)}</pre>\n'
    if name in ("", "refused", "printed"):
        return html
    head = f"<figcaption><code>{escapeHtml(name)}</code></figcaption>"
    return f"<figure>{head}\n{html}</figure>\n"


def _name_cells(tokens: list[Token]) -> None:
    """On a phone the cells of a wide table of words stand below each other, under their heads.

    So do those of two columns, without heads, where code would be broken to fit beside the other.
    Figures are compared along a column: a table that has some keeps its columns.
    """
    for table, end in zip(
        (k for k, token in enumerate(tokens) if token.type == "table_open"),
        (k for k, token in enumerate(tokens) if token.type == "table_close"),
        strict=True,
    ):
        cells = [
            (opening, inline)
            for opening, inline in pairwise(tokens[table:end])
            if opening.type in ("th_open", "td_open")
        ]
        heads = [_plain(inline) for opening, inline in cells if opening.type == "th_open"]
        if "meaning" in heads or any(cell.attrs for cell, _ in cells):
            continue
        if len(heads) > 2:
            tokens[table].attrSet("class", "words")
            for k, (opening, _) in enumerate(cells[len(heads) :]):
                opening.attrSet("data-head", heads[k % len(heads)])
        elif any(_longest_code(inline) > BESIDE for _, inline in cells):
            tokens[table].attrSet("class", "words")


def _longest_code(inline: Token) -> int:
    """Letters of the longest word of code."""
    code = (piece.content for piece in inline.children or () if piece.type == "code_inline")
    return max((len(word) for each in code for word in each.split()), default=0)


def _words(tokens: list[Token]) -> tuple[tuple[str, str], ...]:
    """What can be searched for, part by part."""
    found: list[tuple[str, list[str]]] = [("", [])]
    for before, token in pairwise(tokens):
        if before.tag == "h2" and before.type == "heading_open":
            found.append((str(before.attrGet("id")), []))
        elif token.type in ("inline", "fence"):
            found[-1][1].append(_plain(token) if token.children else token.content)
    return tuple((anchor, " ".join(" ".join(texts).split())) for anchor, texts in found)


def search_words(pages: Iterable[Page]) -> str:
    """The script that search.js looks into: every part of every page."""
    rows = []
    for page in pages:
        headings = {part.anchor: part.words for part in page.parts}
        for anchor, text in page.words:
            heading = f"{page.title}: {headings[anchor]}" if anchor else page.title
            link = f"{page.name}.html#{anchor}" if anchor else f"{page.name}.html"
            rows.append({"link": link, "heading": heading, "text": text})
    return f"window.PARTS = {json.dumps(rows, ensure_ascii=False)}\n"


def _draw_formulas(token: Token) -> None:
    """Formulas are written as on GitHub: fenced as math, or as code between dollar signs."""
    if token.type == "fence" and token.info == "math":
        token.type, token.content = "html_block", docs_formulas.display(token.content)
    pieces = token.children or []
    for before, piece, after in zip(pieces, pieces[1:], pieces[2:], strict=False):
        if (
            piece.type == "code_inline"
            and before.content.endswith("$")
            and after.content.startswith("$")
        ):
            piece.type, piece.content = "html_inline", docs_formulas.inline(piece.content)
            before.content, after.content = before.content[:-1], after.content[1:]


def _href(token: Token) -> str:
    return str(token.attrGet("href") or "")


def _plain(inline: Token) -> str:
    """The words, without marks and without drawn formulas."""
    kept = (piece for piece in inline.children or () if piece.type != "html_inline")
    return "".join(" " if piece.type == "softbreak" else piece.content for piece in kept)


def _set_anchors(tokens: list[Token]) -> tuple[Part, ...]:
    """Give every heading its anchor; the second-level ones are the page's parts."""
    taken: dict[str, int] = {}
    parts = []
    for opening, inline in pairwise(tokens):
        if opening.type != "heading_open":
            continue
        words = _plain(inline)
        anchor = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        taken[anchor] = taken.get(anchor, -1) + 1
        if taken[anchor]:
            anchor = f"{anchor}-{taken[anchor]}"
        opening.attrSet("id", anchor)
        if opening.tag == "h2":
            parts.append(Part(anchor=anchor, words=words))
    return tuple(parts)


def build(site: Path = SITE) -> list[Path]:
    """Write every page, the stylesheet, the search, the pictures and both JSON Schemas."""
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(DOCS / "pictures", site / "pictures")
    for name in ("style.css", "search.js", "contents.js"):
        shutil.copy(DOCS / "theme" / name, site)
    shutil.copy(DOCS / "analysis.schema.json", site)
    schema = json.dumps(json_schema(), indent=2, ensure_ascii=False)
    (site / "study.schema.json").write_text(schema + "\n", encoding="utf-8")
    loader = jinja2.FileSystemLoader(DOCS / "theme")
    template = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined
    ).get_template("page.html.j2")
    texts = sources()
    groups = contents(texts["index"])
    texts["index"] = whole_index(texts["index"])
    pages = [render(name, text) for name, text in texts.items()]
    (site / "words.js").write_text(search_words(pages), encoding="utf-8")
    order = [entry for group in groups for entry in group.entries]
    follows = {one.name: other for one, other in pairwise(order)}
    precedes = {other.name: one for one, other in pairwise(order)}
    files = []
    for page in pages:
        file = site / f"{page.name}.html"
        beside = {"before": precedes.get(page.name), "after": follows.get(page.name)}
        whole = docs_reference.whole_of(page.name) or page.name
        html = template.render(page=page, whole=whole, contents=groups, **beside)
        file.write_text(html + "\n", encoding="utf-8")
        files.append(file)
    return files


if __name__ == "__main__":
    built = build()
    print(f"{len(built)} pages; open {SITE / 'index.html'}")
