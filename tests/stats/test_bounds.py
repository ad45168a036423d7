"""Worst- and best-case bounds."""

from __future__ import annotations

import pytest

from jurybox.results import Interval, Result
from jurybox.stats.bounds import Bounds, bound


def case(estimate: float | None, width: float | None = 0.1, why: str | None = None) -> Result:
    interval = None
    if estimate is not None and width is not None:
        interval = Interval(
            low=estimate - width, high=estimate + width, confidence=0.95, method="t(5)"
        )
    return Result(estimate=estimate, interval=interval, undefined=why, n_responses=20)


def bounded(seen: Result, worst: Result, best: Result, what: str = "difference") -> Bounds:
    return bound(
        seen, worst, best, systems=("new", "old"), criterion="realism", n_filled=3, what=what
    )


def test_the_interval_reaches_from_the_worst_case_to_the_best() -> None:
    found = bounded(case(0.3), case(0.1, 0.2), case(0.5, 0.3))
    assert (found.worst, found.estimate, found.best) == (0.1, 0.3, 0.5)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((-0.1, 0.8))
    assert found.interval.method == "worst and best case, each t(5)"
    assert (found.name, found.n_filled, found.format(0.5)) == ("new − old", 3, "0.500")
    assert bounded(case(0.3), case(0.1), case(0.5), "win rate").format(0.5) == "50.0%"
    assert Result.from_dict(found.to_dict()) == found


def test_what_has_no_number_says_why() -> None:
    found = bounded(case(0.3), case(None, why="nothing is shared"), case(0.5))
    assert (found.worst, found.best, found.undefined) == (None, None, "nothing is shared")
    flat = bounded(case(0.3), case(0.1, None, "there is only one item"), case(0.5))
    assert (flat.worst, flat.best, flat.interval) == (0.1, 0.5, None)
    assert flat.undefined == "there is only one item"
    undefined = bounded(case(None, why="x"), case(0.1), case(0.5))
    assert (undefined.estimate, undefined.undefined) == (None, "x")
