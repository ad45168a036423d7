"""Small charts as plain geometry; the templates write them as SVG into the page."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jurybox.web.organizer.pace import Hour

__all__ = ["Bars", "Intervals", "draw_hours", "draw_intervals"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar, in the units of its chart."""

    x: float
    y: float
    width: float
    height: float
    title: str
    label: str
    """Under the bar; mostly empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """Answers by the hour."""

    width: int
    height: int
    margin: int
    """What the numbers before the lines take, at the size that phones show them in."""
    top: int
    """What the uppermost line stands for."""
    bars: tuple[Bar, ...]


WIDTH, HEIGHT = 720, 140
GAP = 2
DIGIT = 16


def draw_hours(hours: Sequence[Hour]) -> Bars:
    """The bars of answers by the hour; every sixth hour has its time beneath."""
    top = _round_up(max((hour.count for hour in hours), default=0))
    step = WIDTH / max(len(hours), 1)
    bars = []
    for number, hour in enumerate(hours):
        height = HEIGHT * hour.count / top
        day = hour.start.strftime("%b %-d") if hour.start.hour == 0 else ""
        bars.append(
            Bar(
                x=round(number * step + GAP / 2, 2),
                y=round(HEIGHT - height, 2),
                width=round(step - GAP, 2),
                height=round(height, 2),
                title=f"{hour.start:%Y-%m-%d %H:%M} UTC: {hour.count}",
                label=day or (f"{hour.start:%H}:00" if hour.start.hour % 6 == 0 else ""),
            )
        )
    margin = DIGIT * len(f"{top:,}") + 12
    return Bars(width=WIDTH, height=HEIGHT, margin=margin, top=top, bars=tuple(bars))


def _round_up(value: int) -> int:
    """The top of a scale: a round number, even, as its half is written too.

    It has one digit that counts, or two where the first is a 1, so that no half stays empty.

    >>> [_round_up(n) for n in (0, 3, 9, 12, 47, 108, 230)]
    [4, 4, 10, 12, 50, 120, 300]
    """
    if value <= 4:
        return 4
    unit: int = 10 ** int(math.log10(value))
    step = max(2, unit // 5 if value < 2 * unit else unit)
    return -(-value // step) * step


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """An estimate with its interval, in percent of the chart's width."""

    name: str
    x: float
    low: float | None
    high: float | None
    """``None``: there is an estimate without an interval."""
    text: str
    told: str
    """To whoever points at it: the name, the estimate and its interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals:
    """Estimates with their intervals on one scale."""

    low: str
    high: str
    dots: tuple[Dot, ...]


def draw_intervals(findings: Sequence[Any]) -> Intervals | None:
    """The findings with an estimate, the largest first; none where no two have an interval.

    A finding has ``systems`` and a ``result`` with ``estimate`` and ``interval``.
    """
    told = [one.result for one in findings if one.result.estimate is not None]
    framed = [result for result in told if _is_framed(result)]
    if len(framed) < 2:
        return None
    # One scale, one way to write its numbers: that of the least certain among them.
    write = max(framed, key=lambda one: one.interval.high - one.interval.low).format
    low = min([one.interval.low for one in framed] + [one.estimate for one in told])
    high = max([one.interval.high for one in framed] + [one.estimate for one in told])
    span = (high - low) or 1.0

    def place(value: float) -> float:
        return float(round(100 * (value - low) / span, 2))

    drawn = [one for one in findings if one.result.estimate is not None]
    return Intervals(
        low=write(low),
        high=write(high),
        dots=tuple(
            Dot(
                name=", ".join(one.systems),
                x=place(one.result.estimate),
                low=place(one.result.interval.low) if _is_framed(one.result) else None,
                high=place(one.result.interval.high) if _is_framed(one.result) else None,
                text=write(one.result.estimate),
                told=_told(", ".join(one.systems), one.result, write),
            )
            for one in sorted(drawn, key=lambda one: -one.result.estimate)
        ),
    )


def _told(name: str, result: Any, write: Callable[[float], str]) -> str:
    told = f"{name}: {write(result.estimate)}"
    if result.interval is None:
        return told
    return f"{told} ({write(result.interval.low)} to {write(result.interval.high)})"


def _is_framed(result: Any) -> bool:
    """Whether the interval has two ends that can be drawn."""
    found = result.interval
    return found is not None and math.isfinite(found.low) and math.isfinite(found.high)
