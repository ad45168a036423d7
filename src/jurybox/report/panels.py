"""A scatter as plain values: panels of points."""

from __future__ import annotations

from dataclasses import dataclass

from jurybox.results import format_percent

__all__ = ["Panel", "Scatter"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One plot of a scatter: points as x, y and the system's place in the analysis."""

    title: str
    said: str
    """What the points show, in numbers."""
    points: tuple[tuple[float, float, int | None], ...]
    bars: tuple[tuple[float, float] | None, ...] = ()
    """Of each point the interval upright, where points have one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scatter:
    """Two measures of the same things against each other, in panels that share the upright axis."""

    title: str
    axis: str
    systems: tuple[str, ...]
    panels: tuple[Panel, ...]
    square: bool = False
    """Whether both axes are shares from 0 to 1, with a diagonal where they are equal."""

    @property
    def spoken(self) -> str:
        """The chart in words, for those who do not see it."""
        if self.square:
            points = (point for panel in self.panels for point in panel.points)
            told = (f"stated {format_percent(x)}, right {format_percent(y)}" for x, y, _ in points)
            return f"{self.title}. " + "; ".join(told)
        lines = (f"{each.title}: {each.said}, {len(each.points)} points" for each in self.panels)
        return f"{self.title}. " + "; ".join(lines)
