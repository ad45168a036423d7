"""The picture of a trial: one HTML fragment, the same wherever a trial is shown.

The rater's page, the preview, the organizer's pages and the report all draw from here. The fragment
holds no system name, file name or known answer: outputs are known by the place they are shown at
and media by the address that ``media_url`` gives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from markupsafe import Markup

from jurybox.screen.form import Form, letter, make_form
from jurybox.screen.media_file import Kind, kind_of
from jurybox.screen.probe import glance
from jurybox.screen.prose import Media, draw_markdown, draw_words
from jurybox.screen.words import templates_in
from jurybox.study.files import FileProblem, Files
from jurybox.study.guide import caption_of
from jurybox.study.languages import catalogue

if TYPE_CHECKING:
    from jinja2 import Environment

    from jurybox.study.model import Shown, Study

__all__ = ["Block", "MediaUrl", "Tile", "TrialContent", "draw_trial", "environment"]

MediaUrl = Callable[[Path], str]
_LONG = 280
"""A text of the item with more characters gets a tile of its own beside the outputs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialContent:
    """What one trial shows: the item's fields, and each output's fields in the order shown."""

    item: Mapping[str, Any]
    outputs: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One field, ready to be drawn."""

    medium: str
    caption: str
    html: Markup | None = None
    urls: tuple[str, ...] = ()
    turns: tuple[Mapping[str, str], ...] = ()
    between: tuple[str, ...] = ()
    facts: tuple[Mapping[str, float], ...] = ()
    """Of each file at ``urls``: its width and height, or its seconds, as far as they are known."""
    seconds: float | None = None
    wanted: bool = False
    """Whether it must be played to the end, or seen for so long, before an answer."""
    zoom: bool = False
    question: str | None = None
    """The question that marks spans in this text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """A frame with one output, the reference or a larger part of the item."""

    name: str
    role: Literal["reference", "item", "output"]
    blocks: tuple[Block, ...]
    short: str
    """The name in a narrow place."""

    @property
    def is_visual(self) -> bool:
        """Whether pictures or films fill the tile."""
        return all(block.medium in ("image", "video") for block in self.blocks)

    @property
    def scrolls(self) -> bool:
        """Whether there is something to read in it, which the keyboard has to reach."""
        return any(block.medium not in ("image", "video", "audio") for block in self.blocks)

    @property
    def has_text(self) -> bool:
        """Whether it has a text whose words can be compared with another's."""
        return any(block.medium in ("text", "markdown", "code") for block in self.blocks)

    @property
    def zooms(self) -> bool:
        """Whether the tile has a picture that can be enlarged."""
        return any(block.zoom and block.medium == "image" for block in self.blocks)


@cache
def environment(language: str) -> Environment:
    """The templates of this room in one language, every value escaped."""
    made = templates_in(language, "jurybox.screen")
    made.globals["letter"] = letter
    return made


def draw_trial(
    study: Study,
    content: TrialContent,
    *,
    media_url: MediaUrl,
    output_url: MediaUrl | None = None,
    name: str = "trial",
    with_form: bool = True,
) -> Markup:
    """The trial as an HTML fragment.

    Parameters
    ----------
    study
        What is shown and asked.
    content
        The fields of the item and of the outputs, in the order shown.
    media_url
        Gives the address of a media file; it must say nothing about the file.
    output_url
        The same for an output's file, where one that is also given must not be known by it.
    name
        Begins every element id, so that one page can hold several trials.
    with_form
        Whether the questions are drawn beside the content.
    """
    form = make_form(study, places=len(content.outputs))
    drawer = _Drawer(
        study=study,
        media_url=media_url,
        output_url=output_url or media_url,
        form=form,
        name=name,
    )
    ask, tiles = drawer.lay_out(content)
    directory = study.directory or Path()

    def picture_url(example: str) -> str | None:
        """Where an example is served; of sound and film, which the guide plays, nowhere."""
        path = (directory / example).resolve()
        return media_url(path) if path.is_file() and kind_of(path) == "image" else None

    html = (
        environment(study.language)
        .get_template("trial.html")
        .render(
            study=study,
            form=form,
            ask=ask,
            tiles=tiles,
            name=name,
            layout=layout_of(form, tiles) if with_form else "alone",
            with_form=with_form,
            picture_url=picture_url,
        )
    )
    return Markup(html)  # noqa: S704 - the template escapes every value


def layout_of(form: Form, tiles: Sequence[Tile]) -> Literal["side", "below", "rows"]:
    """Where the form stands on a wide screen.

    A plain comparison has room below its outputs; recordings that are each rated on one slider are
    heard in the row of the slider, as in a listening test (ITU-R BS.1534).
    """
    outputs = [tile for tile in tiles if tile.role == "output"]
    sliders = all(one.kind == "slider" and one.place is not None for one in form.questions)
    heard = all([block.medium for block in tile.blocks] == ["audio"] for tile in outputs)
    if sliders and heard and len(form.questions) == len(outputs) > 1:
        return "rows"
    kinds = [question.kind for question in form.questions if question.part == "value"]
    return "below" if kinds in (["choice"], ["graded"]) else "side"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawer:
    """Lays the fields of one trial out."""

    study: Study
    media_url: MediaUrl
    output_url: MediaUrl
    form: Form
    name: str

    def lay_out(self, content: TrialContent) -> tuple[list[Block], list[Tile]]:
        """The short texts that stand on top, and the tiles: reference, item, outputs."""
        ask: list[Block] = []
        item_tiles: list[Tile] = []
        sentences = {shown.between for shown in self.study.show.values() if shown.between}
        joined = self._series_with_output_sentences(content)
        for field, shown in self.study.show.items():
            if field not in content.item or field in sentences or field in joined:
                continue
            block = self._block(field, shown, content.item)
            if self._is_short(shown, content.item[field]):
                ask.append(block)
                continue
            role: Literal["reference", "item"] = "reference" if shown.reference else "item"
            item_tiles.append(
                Tile(name=block.caption, short=block.caption, role=role, blocks=(block,))
            )
        item_tiles.sort(key=lambda tile: tile.role != "reference")
        outputs = [
            self._output(place, {**{f: content.item[f] for f in joined}, **fields}, sentences)
            for place, fields in enumerate(content.outputs)
        ]
        return ask, [*item_tiles, *outputs]

    def _series_with_output_sentences(self, content: TrialContent) -> list[str]:
        """Give the item's image series whose sentences come with each output."""
        return [
            field
            for field, shown in self.study.show.items()
            if shown.between and field in content.item and shown.between not in content.item
        ]

    def _is_short(self, shown: Shown, value: Any) -> bool:
        if shown.reference or shown.medium not in ("text", "markdown"):
            return False
        return len(str(value)) <= _LONG

    def _output(self, place: int, fields: Mapping[str, Any], sentences: set[str]) -> Tile:
        alone = len(self.form.letters) == 1
        _ = catalogue(self.study.language).gettext
        blocks = tuple(
            self._block(field, shown, fields, place=place)
            for field, shown in self.study.show.items()
            if field in fields and field not in sentences
        )
        # What is judged alone is called what the guide and the question call it.
        is_whole = len(blocks) == 1 and not blocks[0].between
        own = blocks[0].caption if is_whole else _("Output")
        return Tile(
            name=own if alone else _("Output %(letter)s", letter=letter(place)),
            short=own if alone else letter(place),
            role="output",
            blocks=blocks,
        )

    def _find_picture(self, source: str) -> Media | None:
        """The address of a picture that a Markdown field names, if the study has it."""
        if self.study.directory is None:
            return None
        try:
            return Media(self.media_url(Files(self.study.directory).find(source)))
        except FileProblem:
            return None

    def _block(
        self, field: str, shown: Shown, fields: Mapping[str, Any], *, place: int | None = None
    ) -> Block:
        value = fields[field]
        url = self.media_url if place is None else self.output_url
        common: dict[str, Any] = {
            "medium": shown.medium,
            "caption": caption_of(self.study, field),
            "seconds": shown.seconds,
            "wanted": shown.play == "to-the-end"
            or (shown.seconds is not None and self.study.protocol != "detect"),
            "zoom": shown.zoom,
        }
        for question in self.form.questions:
            if question.kind == "spans" and (question.field, question.place) == (field, place):
                words = draw_words(str(value), name=f"{self.name}-{question.id}")
                return Block(**common, html=words, question=question.id)
        match shown.medium:
            case "image" | "audio" | "video":
                kind: Kind = shown.medium
                file = Path(value)
                return Block(**common, urls=(url(file),), facts=(glance(file, kind),))
            case "images":
                between = _sentences(fields.get(shown.between)) if shown.between else ()
                urls = tuple(url(Path(path)) for path in value)
                facts = tuple(glance(Path(path), "image") for path in value)
                return Block(**common, urls=urls, facts=facts, between=between)
            case "chat":
                return Block(**common, turns=tuple(value))
            case "markdown":
                html = draw_markdown(str(value), find_media=self._find_picture)
                return Block(**common, html=html)
            case _:
                return Block(**common, html=Markup.escape(value))


def _sentences(value: Any) -> tuple[str, ...]:
    """The sentences between the images of a series: a list, or one a line."""
    if value is None:
        return ()
    if isinstance(value, str):
        return tuple(line.strip() for line in value.splitlines() if line.strip())
    return tuple(str(sentence) for sentence in value)
