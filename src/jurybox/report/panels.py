"""A scatter as plain values: panels of points."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Panel", "Scatter"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One plot of a scatter: points as x, y and the system's place in the analysis."""

    title: str
    said: str
    """What the points show, in numbers."""
    points: tuple[tuple[float, float, int | None], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scatter:
    """Two measures of the same things against each other, in panels that share the upright axis."""

    title: str
    axis: str
    systems: tuple[str, ...]
    panels: tuple[Panel, ...]

    @property
    def spoken(self) -> str:
        """The chart in words, for those who do not see it."""
        lines = (f"{each.title}: {each.said}, {len(each.points)} points" for each in self.panels)
        return f"{self.title}. " + "; ".join(lines)
