"""The pieces a page is made of: plain values that every format knows how to draw."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

from jurybox.analysis.finding import Table
from jurybox.report.charts.values import Chart, DotChart

__all__ = [
    "LONG",
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

LONG = 20
"""Rows up to which a table is open; a longer one is folded until a reader opens it."""


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

    One that is ``folded`` stays closed until a reader opens it, in formats that can do that.
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
    """A fragment without a script, in which nothing that anybody wrote is markup."""
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
class Remark:
    """What a rater wrote of an output, and what the same rater answered, where it is known."""

    text: str
    answered: str = ""

    @property
    def said(self) -> str:
        """Both in one line."""
        return f"“{self.text}”" + (f" ({self.answered})" if self.answered else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """An output to look at: what was asked for, what came, what raters marked in it and wrote."""

    title: str
    value: str
    parts: tuple[Part, ...]
    marked: tuple[str, ...] = ()
    comments: tuple[Remark, ...] = ()

    @property
    def said(self) -> str:
        """The exhibit in one line of words."""
        texts = [f"{part.caption}: {part.text}" for part in self.parts if part.text]
        # What has no end of its own must not run into the name of what comes next.
        texts = [
            f"{text};" if after and text[-1].isalnum() else text
            for text, after in zip_longest(texts, texts[1:])
        ]
        comments = [comment.said for comment in self.comments]
        wrote = [f"Raters wrote: {'; '.join(comments)}."] if comments else []
        marked = [f"Marked: {'; '.join(self.marked)}."] if self.marked else []
        return " ".join([f"{self.title}, {self.value}.", *texts, *marked, *wrote])


@dataclass(frozen=True, slots=True, kw_only=True)
class Gallery:
    """Exhibits that stand side by side; ``folded`` as of a table."""

    title: str
    exhibits: tuple[Exhibit, ...]
    folded: bool = False

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
    """Where the study's files now differ from what raters answered."""
    chart: DotChart | None
    table: Table | None
    cannot: tuple[str, ...]
    """What cannot be said, as far as the first screen has room, and how much more there is."""
    sections: tuple[Section, ...]
    colophon: tuple[tuple[str, str], ...]
    """What is needed to make this page again; for a study the datasheet's snapshot says it."""

    @property
    def stressed(self) -> tuple[str, str, str]:
        """The answer in three pieces, of which the second is to be stressed."""
        if self.emphasis is None:
            return self.say, "", ""
        return self.say.partition(self.emphasis)

    @property
    def tables(self) -> tuple[Table, ...]:
        """Every table, in the order of the page."""
        shown = [b.table for s in self.sections for b in s.blocks if isinstance(b, Shown)]
        return (*([] if self.table is None else [self.table]), *shown)
