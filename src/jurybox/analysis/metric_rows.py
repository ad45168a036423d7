"""A metric's value of an output or of a whole set, as a row of a table that ``analyze`` reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from jurybox.stats.metrics.features import LOWER_IS_BETTER, FeatureMetrics

__all__ = ["Measured", "from_features", "to_columns"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One value, how it was computed and which way is better."""

    item: str | None = None
    """``None`` where the value is of a system's whole set."""
    system: str
    metric: str
    value: float
    low: float | None = None
    high: float | None = None
    better: Literal["higher", "lower"] = "higher"
    signature: str


def from_features(found: FeatureMetrics, *, k: int) -> tuple[list[Measured], list[str]]:
    """The values there are, and a sentence for each that is undefined and for each note."""
    rows, said = [], []
    for row in found.rows:
        said += [f"{row.name}: {note}." for note in row.notes]
        if row.estimate is None:
            said.append(f"{row.name}: undefined, because {row.undefined}.")
            continue
        neighbors = f"|k:{k}" if row.metric in ("precision", "recall") else ""
        rows.append(
            Measured(
                system=row.system,
                metric=row.metric,
                value=row.estimate,
                low=None if row.interval is None else row.interval.low,
                high=None if row.interval is None else row.interval.high,
                better="lower" if row.metric in LOWER_IS_BETTER else "higher",
                signature=f"features:{row.n_features}|real:{row.n_real}{neighbors}",
            )
        )
    return rows, said


def to_columns(rows: Sequence[Measured]) -> dict[str, list[Any]]:
    """The rows as columns."""
    return {each.name: [getattr(row, each.name) for row in rows] for each in fields(Measured)}
