"""The pieces a page is made of: plain values that every format knows how to draw."""

from __future__ import annotations

from dataclasses import dataclass

from jurybox.analysis.finding import Table
from jurybox.report.charts import Chart, DotChart

__all__ = [
    "Block",
    "Exhibit",
    "Gallery",
    "Heading",
    "Page",
    "Part",
    "Points",
    "Screen",
    "Section",
    "Shown",
    "Words",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A paragraph."""

    text: str
    quiet: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading within a section."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """Sentences that stand one below the other."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A table; ``drawn`` says that its chart stands right above and already carries the title.

    One that is ``folded`` is opened by whoever wants to read it, where a page can do that.
    """

    table: Table
    drawn: bool = False
    folded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One field of an item or of an output: its text, or small pictures of it."""

    caption: str
    text: str = ""
    pictures: tuple[str, ...] = ()
    """As ``data:`` addresses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """A trial drawn as raters see it; ``parts`` and ``asked`` tell the same on paper."""

    html: str
    """A fragment that holds no script and nothing that anybody wrote as markup."""
    caption: str
    parts: tuple[Part, ...] = ()
    """What was shown, in the order of the screen."""
    asked: tuple[str, ...]

    @property
    def said(self) -> tuple[str, ...]:
        """The trial in words."""
        shown = (f"{each.caption}: {each.text or 'a picture'}" for each in self.parts)
        return (*shown, *(f"Asked: {question}" for question in self.asked))


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """An output to look at: what was asked for, what came, what raters marked in it and wrote."""

    title: str
    value: str
    parts: tuple[Part, ...]
    marked: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """The exhibit in one line of words."""
        texts = [f"{part.caption}: {part.text}" for part in self.parts if part.text]
        comments = [f"“{comment}”" for comment in self.comments]
        wrote = [f"Raters wrote: {' '.join(comments)}"] if comments else []
        marked = [f"Marked: {'; '.join(self.marked)}."] if self.marked else []
        return " ".join([f"{self.title}, {self.value}.", *texts, *marked, *wrote])


@dataclass(frozen=True, slots=True, kw_only=True)
class Gallery:
    """Exhibits that stand side by side."""

    exhibits: tuple[Exhibit, ...]

    @property
    def said(self) -> tuple[str, ...]:
        """Each exhibit in a line of words."""
        return tuple(exhibit.said for exhibit in self.exhibits)


Block = Words | Heading | Points | Shown | Chart | Screen | Gallery


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the page that the contents list names."""

    id: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The whole report: the first screen, then the sections."""

    title: str
    counts: str
    say: str
    """The answer, as a sentence."""
    emphasis: str | None
    """The part of the answer to stress."""
    note: str
    changed: tuple[str, ...]
    """What the study's files say otherwise than what raters answered."""
    chart: DotChart | None
    table: Table | None
    cannot: tuple[str, ...]
    """What cannot be said, as far as the first screen has room."""
    cannot_more: int
    """How many such sentences stand further down."""
    sections: tuple[Section, ...]
    colophon: tuple[tuple[str, str], ...]
    """Seed, versions and hashes: what it takes to make this page again."""
