"""Order and fatigue: planted trends are described, and what cannot be told is said."""

from __future__ import annotations

import random
from typing import Any

import pytest

from jurybox.analysis import Analysis, analyze
from jurybox.analysis.finding import format_rows
from jurybox.stats.trends import ShareTrend, Trend


def sittings(
    *, slope: float = 0.0, tiring: float = 0.0, slower: float = 1.0, same_order: bool = False
) -> dict[str, list[Any]]:
    """Ten raters score 40 outputs: the score moves by ``slope`` and its noise grows."""
    draw = random.Random(3)
    outputs = [(f"i{i}", s) for i in range(20) for s in ("new", "old")]
    truth = {output: draw.gauss(50, 10) for output in outputs}
    rows = []
    for r in range(10):
        order = outputs if same_order else draw.sample(outputs, len(outputs))
        lenient = draw.gauss(0, 3)
        for place, (item, system) in enumerate(order):
            x = place / (len(order) - 1)
            score = truth[item, system] + lenient + slope * x
            score += draw.gauss(0, 2 + tiring * x)
            ms = 10_000 * slower**x * draw.lognormvariate(0, 0.2)
            rows.append((item, system, f"r{r}", score, place, ms))
    names = ("item", "system", "rater", "score", "position", "ms")
    return {name: [row[k] for row in rows] for k, name in enumerate(names)}


def trend(found: Analysis, id: str) -> Trend:
    (finding,) = [f for f in found.findings if f.id == id]
    assert finding.standing == "exploratory"
    assert isinstance(finding.result, Trend)
    return finding.result


def test_planted_trends_of_score_time_and_agreement() -> None:
    found = analyze(sittings(slope=5.0, tiring=6.0, slower=0.5))
    score = trend(found, "order/score/overall")
    assert score.estimate == pytest.approx(5, abs=1.5)
    assert score.interval is not None
    assert score.interval.low < 5 < score.interval.high
    assert score.interval.method == "clustered by rater and item, t(9)"
    # Half the time is −50%.
    seconds = trend(found, "order/seconds")
    assert isinstance(seconds, ShareTrend)
    assert seconds.estimate == pytest.approx(-0.5, abs=0.05)
    assert seconds.n_responses == 400
    # Beside leniency (3) and the others' mean (about 2), noise grows from 2 to 8: the mean absolute
    # distance from √(2/π)·√(4 + 9 + 4) = 3.3 to √(2/π)·√(64 + 9 + 4) = 7.0, less than evenly.
    distance = trend(found, "order/distance/overall")
    assert distance.estimate is not None
    assert 2 < distance.estimate < 5
    for each in (score, seconds, distance):
        assert each.adjusted_by == "Benjamini–Hochberg over 3 trends"
        assert each.p_adjusted is not None
        assert each.p is not None
        assert each.p <= each.p_adjusted < 0.001
    said = next(f.sentence for f in found.findings if f.id == "order/score/overall")
    assert said.startswith("From the first trial to the last, scores on overall change by ")
    assert "by Benjamini–Hochberg over 3 trends; 400 responses, 10 raters, 20 items)." in said


def test_without_a_trend_the_table_says_so() -> None:
    found = analyze(sittings())
    score = trend(found, "order/score/overall")
    assert score.interval is not None
    assert score.interval.low < 0 < score.interval.high
    table = found.table("order")
    assert table is not None
    assert [row[0] for row in table.rows] == ["score", "distance from the others", "time per trial"]
    assert [row[2] for row in table.rows] == ["points", "points", "percent"]
    time = trend(found, "order/seconds")
    assert time.estimate is not None
    assert table.rows[2][3] == pytest.approx(100 * time.estimate)
    # Each unit has its own digits.
    assert [len(cells[3].partition(".")[2]) for cells in format_rows(table)] == [3, 3, 1]


def test_an_order_that_all_share_cannot_be_told_from_the_outputs() -> None:
    found = analyze(sittings(slope=5.0, same_order=True))
    score = trend(found, "order/score/overall")
    assert score.estimate is None
    finding = next(f for f in found.findings if f.id == "order/score/overall")
    assert "is undefined: hardly any output was judged at different places" in (finding.sentence)
    assert finding not in found.untold  # a look that failed is no open question of the study


def test_votes_and_detections_have_shares() -> None:
    draw = random.Random(5)
    rows = [
        (f"i{i}", "new", "old", f"r{r}", "tie" if draw.random() < place / 20 else "a", place)
        for r in range(8)
        for place, i in enumerate(draw.sample(range(20), 20))
    ]
    names = ("item", "system_a", "system_b", "rater", "winner", "position")
    found = analyze({name: [row[k] for row in rows] for k, name in enumerate(names)})
    tie = trend(found, "order/tie/preference")
    assert isinstance(tie, ShareTrend)
    assert tie.estimate == pytest.approx(0.95, abs=0.2)  # from none to nearly all
    assert isinstance(trend(found, "order/same/preference"), ShareTrend)
    said = next(f.sentence for f in found.findings if f.id == "order/tie/preference")
    assert "percentage points" in said
    # Where nobody says tie, there is no share of ties to look at.
    forced = [(*row[:4], draw.choice("ab"), row[5]) for row in rows]
    sure = analyze({name: [row[k] for row in forced] for k, name in enumerate(names)})
    assert not any(f.id == "order/tie/preference" for f in sure.findings)
    assert any(f.id == "order/same/preference" for f in sure.findings)
    seen = [
        (f"i{i}", "g", f"r{r}", "generated", draw.choice(["real", "generated"]), place)
        for r in range(6)
        for place, i in enumerate(draw.sample(range(12), 12))
    ]
    names = ("item", "system", "rater", "truth", "answer", "position")
    found = analyze({name: [row[k] for row in seen] for k, name in enumerate(names)})
    assert isinstance(trend(found, "order/real/origin"), ShareTrend)


@pytest.mark.parametrize("without", ["position", "rater"])
def test_without_a_place_or_a_rater_there_is_no_such_chapter(without: str) -> None:
    data = sittings()
    del data[without]
    found = analyze(data)
    assert found.table("order") is None
    assert not [f for f in found.findings if f.id.startswith("order/")]


def test_one_rater_one_trial_each_and_equal_scores() -> None:
    one = {"item": ["a", "b"], "rater": ["r"] * 2, "score": [1, 2], "position": [0, 1]}
    assert trend(analyze(one), "order/score/overall").estimate is None
    single = {"item": ["a", "a"], "rater": ["r", "s"], "score": [1, 2], "position": [0, 0]}
    assert trend(analyze(single), "order/score/overall").estimate is None
    data = sittings()
    data["score"] = [3] * len(data["score"])
    flat = trend(analyze(data), "order/score/overall")
    assert flat.interval is None
    assert flat.undefined


def test_two_raters_are_as_far_from_each_other_whoever_comes_late() -> None:
    data = sittings(slope=5.0)
    kept = [k for k, rater in enumerate(data["rater"]) if rater in ("r0", "r1")]
    found = analyze({name: [values[k] for k in kept] for name, values in data.items()})
    assert trend(found, "order/score/overall").estimate is not None
    distance = trend(found, "order/distance/overall")
    assert distance.estimate is None
    assert distance.undefined == (
        "no output was judged by three raters, and of two each is as far from the other"
    )
