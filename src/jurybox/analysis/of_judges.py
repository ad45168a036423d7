"""What an analysis says of raters, said of judges where no person is among them."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from jurybox.analysis.sentences import rater_noun

if TYPE_CHECKING:
    from jurybox.analysis.finding import Chapter, Finding, Table

__all__ = ["retold"]

# A whole word: `rater-01` and `inter-rater` are names of something.
WORD = re.compile(r"(?<![\w-])(Rater|rater)(s?)(?![\w-])")


def retold(chapter: Chapter, names: Collection[str]) -> Chapter:
    """The chapter in words for who answered; ``names``, of systems and criteria, stay as they are.

    Its words are written for raters in many places. Where a name is itself such a word, they stay.
    """
    if rater_noun() == "rater" or any(WORD.search(name) for name in names):
        return chapter
    return replace(
        chapter,
        findings=tuple(_finding(one) for one in chapter.findings),
        tables=tuple(_table(one) for one in chapter.tables),
        warnings=tuple(map(_said, chapter.warnings)),
    )


def _said(words: str) -> str:
    noun = rater_noun()
    return WORD.sub(lambda m: (noun.title() if m[1] == "Rater" else noun) + m[2], words)


def _finding(one: Finding) -> Finding:
    why = one.result.undefined
    result = one.result if why is None else replace(one.result, undefined=_said(why))
    return replace(one, sentence=_said(one.sentence), result=result)


def _table(one: Table) -> Table:
    columns = tuple(replace(column, heading=_said(column.heading)) for column in one.columns)
    return replace(one, title=_said(one.title), caption=_said(one.caption), columns=columns)
