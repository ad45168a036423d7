"""How raters paused: the time between two answers that belongs to neither."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from jurybox.results import format_count, format_number
from jurybox.study.model import Study

__all__ = ["Breaks", "breaks_in", "say_breaks"]

PAUSE = timedelta(minutes=5)
"""From here on a rater has done something else; what is shorter is thinking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breaks:
    """The pauses of everybody whose times are known."""

    n_raters: int
    n_paused: int
    """Raters who paused at all."""
    n_breaks: int
    longest: timedelta


def breaks_in(sent: Mapping[str, Sequence[Any]], round: str) -> Breaks | None:
    """People's pauses within a round among submissions; ``None`` where no time is known.

    A trial counts from when it was shown (``at`` less ``ms``), so that a long look is no break.
    """
    names = ("rater", "rater_kind", "round", "at", "ms", "excluded_by")
    worked: dict[str, list[tuple[datetime, int]]] = {}
    for rater, kind, when, at, ms, mark in zip(*(sent[name] for name in names), strict=True):
        known = at is not None and ms is not None
        if known and kind == "person" and when == round and mark != "withdrawn":
            worked.setdefault(rater, []).append((at, ms))
    if not worked:
        return None
    paused = {rater: _pauses(sorted(answers)) for rater, answers in worked.items()}
    pauses = [pause for each in paused.values() for pause in each]
    return Breaks(
        n_raters=len(worked),
        n_paused=sum(map(bool, paused.values())),
        n_breaks=len(pauses),
        longest=max(pauses, default=timedelta()),
    )


def _pauses(answers: Sequence[tuple[datetime, int]]) -> list[timedelta]:
    between = (
        at - timedelta(milliseconds=ms) - before for (before, _), (at, ms) in pairwise(answers)
    )
    return [pause for pause in between if pause >= PAUSE]


def say_breaks(breaks: Breaks, study: Study) -> str:
    """Whether breaks were offered, and who took how many."""
    every = study.session.break_every
    offered = "" if every is None else f"A break was offered every {every:g} minutes. "
    least = f"for {PAUSE.seconds // 60} minutes or more between two answers"
    if not breaks.n_breaks:
        return f"{offered}Nobody paused {least}."
    times = "once" if breaks.n_breaks == 1 else f"{breaks.n_breaks:,} times in all"
    longest = "" if breaks.n_breaks == 1 else "the longest "
    return (
        f"{offered}{breaks.n_paused:,} of {format_count(breaks.n_raters, 'rater')} paused {least}, "
        f"{times}, {longest}for {_long(breaks.longest)}."
    )


def _long(time: timedelta) -> str:
    minutes = time.total_seconds() / 60
    if minutes < 120:
        return f"{format_number(minutes, 0)} minutes"
    return f"{format_number(minutes / 60, 0)} hours"
