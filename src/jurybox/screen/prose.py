"""Item text made safe for a page: plain text, Markdown, code, and text cut into words.

Nothing here trusts its input. Plain text and code are escaped; Markdown is rendered with raw HTML
switched off and then passed through an allow-list, so that an item cannot bring a script, a style,
a link or a picture from elsewhere into a rater's page.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, cast
from urllib.parse import unquote

import nh3
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

__all__ = [
    "FindMedia",
    "Media",
    "Word",
    "draw_markdown",
    "draw_words",
    "find_pictures",
    "split_words",
]

_TAGS = {
    *("p", "br", "hr", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "code", "ul", "ol", "li"),
    *("em", "strong", "s", "table", "thead", "tbody", "tr", "th", "td", "img", "span", "kbd"),
    *("audio", "video"),
}
_PLAYER = {"src", "controls", "aria-label"}
_ATTRIBUTES = {
    "img": {"src", "alt"},
    "audio": _PLAYER,
    "video": _PLAYER | {"playsinline"},
    "ol": {"start"},
}


@dataclass(frozen=True, slots=True)
class Media:
    """A file that a text shows as its picture: where it is served, and what it is."""

    url: str
    kind: Literal["image", "audio", "video"] = "image"


FindMedia = Callable[[str], Media | None]
"""From a picture's address in the text to what is shown in its place; none if nothing is."""


class _Renderer(RendererHTML):
    """HTML without anything that leads out of the page."""

    find_media: FindMedia

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """The picture, sound or film if it may be shown, else its description."""
        token = tokens[idx]
        words = escapeHtml(token.content)
        media = self.find_media(_source(token))
        if media is None:
            return words
        source = f'src="{escapeHtml(media.url)}"'
        match media.kind:
            case "image":
                return f'<img {source} alt="{words}">'
            case "audio":
                return f'<audio controls {source} aria-label="{words}"></audio>'
            case "video":
                return f'<video controls playsinline {source} aria-label="{words}"></video>'

    def link_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Nothing: a rater is not led away from the page."""
        return ""

    def link_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Give the address in words behind the link's own, for raters who judge sources."""
        opening = next(t for t in reversed(tokens[:idx]) if t.type == "link_open")
        words = "".join(t.content for t in tokens[tokens.index(opening) : idx])
        address = str(opening.attrGet("href") or "")
        if not address or address == words:
            return ""
        return f' <span class="address">({escapeHtml(address)})</span>'

    def heading_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Open a heading one level down: the page has the only first-level heading."""
        return f"<h{_level(tokens[idx])}>"

    def heading_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        """Close what ``heading_open`` opened."""
        return f"</h{_level(tokens[idx])}>\n"


def _source(token: Token) -> str:
    """What the text calls a picture: the parser has encoded its spaces and letters."""
    return unquote(str(token.attrGet("src") or ""))


class _Lenient(MarkdownIt):
    """Takes note of every address, also of those that are never drawn, as file:."""

    def validateLink(self, url: str) -> bool:
        return True


def find_pictures(text: str) -> tuple[str, ...]:
    """What a Markdown text calls its pictures, wherever they lie.

    >>> find_pictures("![ours](<a b.png>) ![theirs](https://x.org/c.png)")
    ('a b.png', 'https://x.org/c.png')
    """
    markdown = _Lenient("commonmark", {"html": False}).enable(["table", "strikethrough"])
    pieces = [piece for block in markdown.parse(text) for piece in block.children or ()]
    return tuple(_source(piece) for piece in pieces if piece.type == "image")


def _level(token: Token) -> int:
    return min(int(token.tag[1:]) + 1, 6)


def draw_markdown(text: str, *, find_media: FindMedia = lambda source: None) -> Markup:
    """Sanitized HTML of a Markdown text.

    >>> str(draw_markdown("**Bold** <script>alert(1)</script>")).strip()
    '<p><strong>Bold</strong> &lt;script&gt;alert(1)&lt;/script&gt;</p>'
    """
    markdown = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer)
    markdown.enable(["table", "strikethrough"])
    cast(_Renderer, markdown.renderer).find_media = find_media
    html = cast(str, markdown.render(text))
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        tag_attribute_values={"span": {"class": {"address"}}},
        url_schemes={"data"},  # only where find_media gives one: an address is never the text's
        link_rel=None,
    )
    return Markup(clean)  # noqa: S704 - it has just been through the allow-list


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A piece of text a span may begin or end at, with its code points ``start`` to ``end``."""

    text: str
    start: int
    end: int


_JOINERS = {"\u200c", "\u200d", "'", "’"}
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")


def _kind(char: str) -> str:
    if char.isspace():
        return "space"
    category = unicodedata.category(char)
    if category.startswith("M") or char in _JOINERS or 0x1F3FB <= ord(char) <= 0x1F3FF:
        return "joined"
    if category[0] in "LN":
        return "single" if unicodedata.name(char, "").startswith(_UNSPACED) else "word"
    return "single"


def split_words(text: str) -> tuple[Word, ...]:
    """The words and signs of a text, without the spaces between them, in code points.

    A combining mark stays with its letter and an emoji with its skin tone; where a script writes no
    spaces, every character can be marked by itself.

    >>> [(word.text, word.start, word.end) for word in split_words("Ça va, 中文")]
    [('Ça', 0, 2), ('va', 3, 5), (',', 5, 6), ('中', 7, 8), ('文', 8, 9)]
    """
    starts: list[int] = []
    before = "space"
    joined = False
    for index, char in enumerate(text):
        kind = _kind(char)
        if kind == "joined" and before != "space":
            joined = char == "\u200d"
            continue
        if kind != "space" and not joined and not (kind == before == "word"):
            starts.append(index)
        before, joined = ("single" if kind == "joined" else kind), False
    words = []
    for start, limit in pairwise([*starts, len(text)]):
        piece = text[start:limit].rstrip()
        words.append(Word(text=piece, start=start, end=start + len(piece)))
    return tuple(words)


def draw_words(text: str, *, name: str) -> Markup:
    """The text with every word in an element that carries its code points, and what is between."""
    parts: list[Markup] = []
    place = 0
    for number, word in enumerate(split_words(text)):
        between = text[place : word.start]
        if between and parts:
            parts.append(Markup('<span class="gap">{}</span>').format(between))
        else:
            parts.append(Markup.escape(between))
        parts.append(
            Markup('<span class="word" id="{}-{}" data-start="{}" data-end="{}">{}</span>').format(
                name, number, word.start, word.end, word.text
            )
        )
        place = word.end
    parts.append(Markup.escape(text[place:]))
    return Markup("").join(parts)
