"""The words of an analysis about raters, turned to judges where no person is among them."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from jurybox.analysis.sentences import rater_noun
from jurybox.results import Result

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
    together = one.together
    if together is not None:
        parts = {each.name: _said(getattr(together, each.name)) for each in fields(together)}
        together = replace(together, **parts)
    return replace(
        one,
        sentence=_said(one.sentence),
        of_answer=_said(one.of_answer),
        result=_result(one.result),
        together=together,
    )


def _result(one: Result) -> Result:
    """The result with its reasons and notes, and those of the results within it, retold."""
    changed: dict[str, Any] = {}
    for each in fields(one):
        value = getattr(one, each.name)
        if each.name == "undefined" and value is not None:
            changed[each.name] = _said(value)
        elif each.name == "notes":
            changed[each.name] = tuple(map(_said, value))
        elif isinstance(value, Result):
            changed[each.name] = _result(value)
    return replace(one, **changed)


def _table(one: Table) -> Table:
    columns = tuple(replace(column, heading=_said(column.heading)) for column in one.columns)
    return replace(one, title=_said(one.title), caption=_said(one.caption), columns=columns)
