"""The table shapes: which columns they have, and how a table is recognized."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from jurybox.errors import InputError
from jurybox.tally.hints import columns_hint

__all__ = ["SHAPES", "Shape", "ShapeName", "known_columns", "recognize", "require"]

ShapeName = Literal["ratings", "votes", "rankings", "detections", "spans"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A table shape: what it is recognized by, what it needs and what it may have."""

    name: ShapeName
    noun: str
    """What one response is called."""
    telling: tuple[str, ...]
    needed: tuple[str, ...]
    optional: tuple[str, ...] = ()
    criterion: str = "overall"
    """The name of the only criterion where the table has no such column."""


COMMON = ("item", "rater", "criterion", "trial", "rater_kind", "round", "status", "reason")
CARRIED = (
    *("position", "place", "ms", "excluded_by", "first", "repeat"),
    # The columns named for them, whatever they are called in the table.
    *("rater_group", "item_category"),
)

SHAPES: dict[ShapeName, Shape] = {
    "votes": Shape(
        name="votes",
        noun="vote",
        telling=("winner",),
        needed=("system_a", "system_b", "winner"),
        optional=("strength", "confidence"),
        criterion="preference",
    ),
    "rankings": Shape(
        name="rankings",
        noun="ranking",
        telling=("rank",),
        needed=("item", "rater", "system", "rank"),
        criterion="preference",
    ),
    "detections": Shape(
        name="detections",
        noun="detection",
        telling=("truth", "answer"),
        needed=("truth", "answer"),
        optional=("system", "confidence"),
        criterion="origin",
    ),
    "spans": Shape(
        name="spans",
        noun="span",
        telling=("severity",),
        needed=("item", "system", "severity"),
        optional=("field", "start", "end", "category"),
        criterion="errors",
    ),
    "ratings": Shape(
        name="ratings",
        noun="rating",
        telling=("score",),
        needed=("item", "score"),
        optional=("system", "confidence"),
    ),
}


def known_columns() -> tuple[str, ...]:
    """Every column that some shape knows."""
    own = (c for shape in SHAPES.values() for c in (*shape.needed, *shape.optional))
    return tuple(dict.fromkeys((*COMMON, *CARRIED, *own)))


def recognize(columns: Sequence[str], where: str) -> Shape:
    """The shape whose telling columns the table has; else a sentence with what may help."""
    have = set(columns)
    for shape in SHAPES.values():
        if have.issuperset(shape.telling):
            require(shape, columns, where)
            return shape
    hint = columns_hint(columns, {name: shape.needed for name, shape in SHAPES.items()})
    raise InputError(
        f"{where}: the columns {_listed(columns)} fit none of the table shapes; {hint}"
    )


def require(shape: Shape, columns: Sequence[str], where: str) -> None:
    """Refuse a table that lacks a column, with the nearest spelling it has."""
    missing = [column for column in shape.needed if column not in columns]
    if not missing:
        return
    other = [column for column in columns if column not in known_columns()]
    hints = []
    for column in missing:
        near = _near(other, (column,))
        hints.append(f"{column!r} (did you mean {near!r}?)" if near else repr(column))
    noun = "column" if len(missing) == 1 else "columns"
    raise InputError(
        f"{where}: {shape.name} need the {noun} {', '.join(hints)}; the table has "
        f"{_listed(columns)}; say which is meant by "
        + " ".join(f"--map {column}=…" for column in missing)
    )


def _near(columns: Sequence[str], wanted: Sequence[str]) -> str | None:
    from difflib import get_close_matches

    for column in wanted:
        lower = {name.lower().strip(): name for name in columns}
        found = get_close_matches(column, list(lower), n=1, cutoff=0.6)
        if found:
            return lower[found[0]]
    return None


def _listed(columns: Sequence[str]) -> str:
    shown = ", ".join(columns[:20])
    return shown + (", …" if len(columns) > 20 else "") if columns else "no columns"
