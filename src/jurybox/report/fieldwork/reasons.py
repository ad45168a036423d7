"""Why raters answered as they did, in their own words, each with the answer that it explains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jurybox.report.fieldwork import Comment
from jurybox.study.scales import format_value

if TYPE_CHECKING:
    from jurybox.study.model import Criterion, Study

__all__ = ["FIELDS", "reasons_in"]

FIELDS = (
    *("rater", "item", "system", "system_a", "system_b", "criterion", "comment", "rater_kind"),
    *("excluded_by", "winner", "score", "rank", "answer"),
)
"""The columns of a table of answers that reasons are read from, as far as it has them."""


def reasons_in(study: Study, tables: Sequence[Mapping[str, Sequence[Any]]]) -> tuple[Comment, ...]:
    """People's reasons among their answers; nobody's who has withdrawn."""
    found = (comment for table in tables for row in _rows(table) for comment in _told(study, row))
    return tuple(dict.fromkeys(found))


def _rows(table: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    names = [name for name in FIELDS if name in table]
    for cells in zip(*(table[name] for name in names), strict=True):
        row = dict(zip(names, cells, strict=True))
        people = row["rater_kind"] == "person" and row["excluded_by"] != "withdrawn"
        if people and (row["comment"] or "").strip():
            yield row


def _told(study: Study, row: Mapping[str, Any]) -> Iterator[Comment]:
    """A reason, once for every output that it is about."""
    asked = study.criteria.get(row["criterion"])
    if asked is None or asked.reason is None:
        return
    pair = (row.get("system_a"), row.get("system_b"))
    about = [pair, pair[::-1]] if "winner" in row else [(row["system"], None)]
    for system, other in about:
        yield Comment(
            rater=row["rater"],
            item=str(row["item"]),
            systems=(str(system),),
            text=row["comment"].strip(),
            criterion=row["criterion"],
            answered=_vote(row["winner"], system == pair[0], other)
            if other is not None
            else _answer(asked, row),
        )


def _vote(winner: str, is_first: bool, other: str) -> str:
    """A vote as seen from one of the two.

    >>> _vote("a", True, "birch"), _vote("b", True, "birch"), _vote("tie", False, "aurora")
    ('preferred to birch', 'birch preferred', 'a tie with aurora')
    """
    if winner == "tie":
        return f"a tie with {other}"
    if winner == "both_bad":
        return f"both bad, this and {other}"
    return f"preferred to {other}" if (winner == "a") == is_first else f"{other} preferred"


def _answer(asked: Criterion, row: Mapping[str, Any]) -> str:
    if row.get("score") is not None:
        return f"scored {format_value(row['score'])}".replace("-", "−")
    if row.get("rank") is not None:
        if asked.answer == "best":
            return "picked" if row["rank"] == 1 else "not picked"
        return f"ranked {row['rank']}"
    return "" if row.get("answer") is None else f"called {row['answer']}"
