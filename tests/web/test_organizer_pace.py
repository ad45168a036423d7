"""How fast answers come in, and when the last one may."""

from __future__ import annotations

from datetime import timedelta

import pytest

from jurybox.web.organizer.pace import by_hour, find_pace
from tests.web.office import START


def test_the_pace_is_that_of_the_last_day() -> None:
    # 20 answers, two every 12 minutes, the first 2 hours ago: 10 an hour; 30 are left: 3 hours.
    now = START
    came = [(now - timedelta(hours=2) + timedelta(minutes=12 * n), 2) for n in range(10)]
    pace = find_pace([(now - timedelta(days=1, hours=1), 1), *came], left=30, now=now)
    assert pace is not None
    assert pace.per_hour == pytest.approx(10)
    assert pace.end == now + timedelta(hours=3)


@pytest.mark.parametrize(
    ("n", "minutes"), [(0, 0), (9, 60), (10, 9), (50, 0.5)], ids=["none", "few", "short", "burst"]
)
def test_it_may_be_too_early_for_a_pace(n: int, minutes: float) -> None:
    step = timedelta(minutes=minutes) / max(n, 1)
    came = [(START - timedelta(minutes=minutes) + step * k, 1) for k in range(n)]
    assert find_pace(came, left=5, now=START) is None


def test_answers_by_the_hour_end_now() -> None:
    now = START + timedelta(minutes=30)
    came = [(START - timedelta(minutes=1), 1), (START, 1), (START + timedelta(minutes=29), 1)]
    hours = by_hour(came, now=now)
    assert len(hours) == 24
    assert [(hour.start, hour.count) for hour in hours[-2:]] == [
        (START - timedelta(hours=1), 1),
        (START, 2),
    ]
    assert sum(hour.count for hour in hours) == 3
    assert len(by_hour([(now - timedelta(hours=40), 1)], now=now)) == 41
    assert len(by_hour([], now=now)) == 24
