"""What a chart shows, as plain values: blocks of a page that every format knows how to draw."""

from __future__ import annotations

from dataclasses import dataclass

from jurybox.results import format_percent

__all__ = ["Chart", "Distribution", "DotChart", "DotRow", "Panel", "Scatter"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DotRow:
    """One line of a dot chart. ``color`` is the system's place in the analysis, or ``None``."""

    label: str
    estimate: float | None
    low: float | None = None
    high: float | None = None
    value: str = ""
    """The numbers as they are printed beside the line."""
    color: int | None = None
    apart: bool = False
    """Whether it begins another group, such as a category, and keeps away from the row above."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DotChart:
    """Estimates with intervals on one axis."""

    title: str
    axis: str
    rows: tuple[DotRow, ...]
    as_percent: bool = False
    reference: float | None = None
    """Where a dashed line stands: no difference, or an even chance."""
    id: str = ""
    """What its file is called, if it draws a part of a table."""

    @property
    def spoken(self) -> str:
        """The chart in words, for those who do not see it."""
        return f"{self.title}. " + "; ".join(f"{row.label}: {row.value}" for row in self.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """For each system, how its responses spread over the values of a scale."""

    title: str
    values: tuple[str, ...]
    rows: tuple[tuple[str, tuple[float | None, ...]], ...]

    @property
    def spoken(self) -> str:
        """The chart in words, for those who do not see it."""
        lines = (
            f"{label}: "
            + ", ".join(
                f"{value} {format_percent(share, 0)}"
                for value, share in zip(self.values, shares, strict=True)
            )
            for label, shares in self.rows
        )
        return f"{self.title}. " + "; ".join(lines)


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


Chart = DotChart | Distribution | Scatter
