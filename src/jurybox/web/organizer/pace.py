"""How fast answers come: by the hour, and when the last one is to be expected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

__all__ = ["Hour", "Pace", "by_hour", "find_pace"]

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
FEWEST = 10
"""Fewer answers say nothing about the pace …"""
SHORTEST = timedelta(minutes=10)
"""… and neither does a shorter time."""
FEWEST_HOURS, MOST_HOURS = 24, 48

Came = tuple[datetime, int]
"""A minute, and how many answers came in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Answers an hour over the last day, and when the last one comes if that goes on."""

    per_hour: float
    end: datetime


def find_pace(came: Sequence[Came], *, left: int, now: datetime) -> Pace | None:
    """The pace of the last day, from its first answer on; none while it is too early to tell.

    Parameters
    ----------
    came
        When answers came, and how many, oldest first.
    left
        How many are still to come.
    """
    recent = [(time, n) for time, n in came if time > now - DAY]
    total = sum(n for _, n in recent)
    if total < FEWEST or now - recent[0][0] < SHORTEST:
        return None
    per_hour = total / ((now - recent[0][0]) / HOUR)
    return Pace(per_hour=per_hour, end=now + left / per_hour * HOUR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hour:
    """The answers of one hour."""

    start: datetime
    count: int


def by_hour(came: Sequence[Came], *, now: datetime) -> tuple[Hour, ...]:
    """Answers by the full hour, up to this one, over at least a day and at most two."""
    last = now.replace(minute=0, second=0, microsecond=0)
    counts = Counter[datetime]()
    for time, n in came:
        counts[time.replace(minute=0, second=0, microsecond=0)] += n
    first = min(counts, default=last)
    n = min(max(int((last - first) / HOUR) + 1, FEWEST_HOURS), MOST_HOURS)
    starts = [last - back * HOUR for back in reversed(range(n))]
    return tuple(Hour(start=start, count=counts[start]) for start in starts)
