"""Every rater beside the others: against plain arithmetic and against planted truth."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from statistics import mean, stdev
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

import jurybox as jb
from jurybox.analysis.table import format_rows
from jurybox.errors import InputError
from jurybox.results import ResultTable
from jurybox.stats.raters import RaterQuality

Row = dict[str, Any]


def columns(rows: list[Row]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def planted(
    *,
    leniency: dict[str, float] | None = None,
    noise: dict[str, float] | None = None,
    drift: dict[str, float] | None = None,
    items: int = 60,
    seed: int = 1,
) -> list[Row]:
    """Six raters score two systems on a wide scale, each in an order of their own."""
    draw = random.Random(seed)
    raters = [f"r{k}" for k in range(6)]
    outputs = [(f"i{i}", s) for i in range(items) for s in ("new", "old")]
    truth = {output: draw.gauss(50, 5) for output in outputs}
    rows = []
    for rater in raters:
        order = draw.sample(outputs, len(outputs))
        for place, (item, system) in enumerate(order):
            score = truth[item, system] + (leniency or {}).get(rater, 0.0)
            score += draw.gauss(0, (noise or {}).get(rater, 2.0))
            score += (drift or {}).get(rater, 0.0) * place / (len(order) - 1)
            rows.append(
                {"item": item, "system": system, "rater": rater, "score": score}
                | {"position": place, "ms": 9000 if rater != "r5" else 2000}
            )
    return rows


def plainly(rows: list[Row]) -> dict[str, tuple[float | None, float | None]]:
    """Leniency and noise by loops over all rows."""
    units: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for row in rows:
        units[row["item"], row["system"]].setdefault(row["rater"], row["score"])
    apart: dict[str, list[float]] = {row["rater"]: [] for row in rows}
    for given_by in units.values():
        for rater, score in given_by.items():
            others = [other for name, other in given_by.items() if name != rater]
            if others:
                apart[rater].append(score - mean(others))
    return {
        rater: (mean(e) if e else None, stdev(e) if len(e) > 1 else None)
        for rater, e in apart.items()
    }


def test_leniency_noise_and_drift_by_hand() -> None:
    # On i1 ada gives 1 and the others 3 and 5: −3; on i2 2 beside 2 and 4: −1; on i3 3 beside 3: 0.
    # Leniency (−3 − 1 + 0)/3 = −4/3; noise sd(−3, −1, 0) = 1.5275.
    # Her places 0, 1, 2 are x = 0, ½, 1, so the drift is (−½·−3 + ½·0)/(¼ + ¼) = 3.
    ratings = {
        "item": ["i1"] * 3 + ["i2"] * 3 + ["i3"] * 2,
        "rater": ["ada", "ben", "cem"] * 2 + ["ada", "ben"],
        "score": [1, 3, 5, 2, 2, 4, 3, 3],
        "position": [0, 2, 0, 1, 0, 1, 2, 1],
    }
    ada = jb.rater_quality(ratings)["ada"]
    assert ada.estimate == pytest.approx(-4 / 3)
    assert ada.noise == pytest.approx(math.sqrt(7 / 3))
    assert ada.drift.estimate == pytest.approx(3.0)
    # Three items: t(2) = 4.3027 times the standard error 1.5275/√3.
    assert ada.interval.high - ada.estimate == pytest.approx(4.3027 * math.sqrt(7 / 9), rel=1e-4)
    assert (ada.n_responses, ada.n_items) == (3, 3)


@given(st.data())
def test_any_pattern_of_missing_answers_is_as_plain_loops_say(data: st.DataObject) -> None:
    rows = [
        {"item": f"i{i}", "system": s, "rater": f"r{r}", "score": float(score)}
        for i in range(4)
        for s in ("a", "b")
        for r in range(3)
        if (score := data.draw(st.one_of(st.none(), st.integers(1, 5)))) is not None
    ]
    if not rows:
        return
    found = jb.rater_quality(columns(data.draw(st.permutations(rows))))
    expected = plainly(rows)
    assert [row.name for row in found] == sorted(expected)
    for row in found:
        assert isinstance(row, RaterQuality)
        leniency, noise = expected[row.rater]
        assert row.estimate == (None if leniency is None else pytest.approx(leniency, abs=1e-12))
        assert row.noise == (None if noise is None else pytest.approx(noise, abs=1e-12))
        assert row.estimate is not None or row.undefined


def test_what_is_worth_a_look_has_the_digits_of_its_table() -> None:
    # r1 scatters much, so that its own interval deserves fewer digits than most others do.
    rows = planted(leniency={"r0": 6.0, "r1": -9.0}, noise={"r1": 12.0})
    found = jb.analyze(columns(rows))
    shown = found.table("raters/overall")
    assert shown is not None
    cells = {line[0]: line[1].lstrip("−") for line in format_rows(shown)}
    every = jb.rater_quality(columns(rows))
    flags = {row.rater: row.flags for row in every if isinstance(row, RaterQuality)}
    said = {
        rater: word
        for rater, each in flags.items()
        for sentence in each
        if sentence.endswith("than the others")
        for word in sentence.split()[1:2]
    }
    assert {"r0", "r1"} <= set(said)
    assert said == {rater: cells[rater] for rater in said}


def test_planted_leniency_noise_drift_and_haste_are_found() -> None:
    rows = planted(leniency={"r0": 6.0}, noise={"r1": 6.0}, drift={"r2": 8.0})
    found = jb.rater_quality(columns(rows))
    # Against the mean of five others a rater 6 above stands 6 above, the others 6/5 below.
    assert found["r0"].estimate == pytest.approx(6, abs=0.6)
    assert found["r0"].interval.low > 5
    # 6² + 2²/5 = 36.8; the others 2² + (4·2² + 6²)/25 = 6.08.
    assert found["r1"].noise == pytest.approx(math.sqrt(36.8), rel=0.15)
    assert found["r3"].noise == pytest.approx(math.sqrt(6.08), rel=0.15)
    assert found["r2"].drift.estimate == pytest.approx(8, abs=2)
    assert found["r2"].drift.p_adjusted < 0.001
    assert found["r2"].drift.adjusted_by == "Benjamini–Hochberg over 6 raters"
    flags = {row.rater: row.flags for row in found if isinstance(row, RaterQuality)}
    assert "higher than the others" in " ".join(flags["r0"])
    assert any(flag.startswith("noise is") for flag in flags["r1"])
    assert any(flag.startswith("drifts by") for flag in flags["r2"])
    assert flags["r5"] == ("takes 22% of the time expected",)
    assert flags["r3"] == flags["r4"] == ()
    assert found["r5"].seconds == 2.0


def test_criteria_of_different_scales_are_never_averaged() -> None:
    rows = [
        {"item": f"i{i}", "rater": r, "criterion": c, "score": k * (i % 3 + (r == "ada"))}
        for i in range(6)
        for r in ("ada", "ben")
        for c, k in (("small", 1), ("large", 100))
    ]
    found = jb.rater_quality(columns(rows))
    assert [(row.rater, row.criterion, row.estimate) for row in found.rows] == [
        ("ada", "small", 1.0),
        ("ben", "small", -1.0),
        ("ada", "large", 100.0),
        ("ben", "large", -100.0),
    ]
    assert len(jb.rater_quality(columns(rows), criterion="large")) == 2
    with pytest.raises(InputError, match="there is no criterion 'other'"):
        jb.rater_quality(columns(rows), criterion="other")


def test_straight_lines_and_runs() -> None:
    rows = [
        {"item": f"i{i:02}", "rater": r, "score": 3 if r == "ada" else i % 5 + 1}
        for i in range(15)
        for r in ("ada", "ben", "cem")
    ]
    found = jb.rater_quality(columns(rows))
    ada, ben = found["ada"], found["ben"]
    assert (ada.most_used, ada.most_used_share, ada.longest_run) == ("3", 1.0, 15)
    assert (ben.most_used_share, ben.longest_run) == (0.2, 1)
    assert "100% of answers are 3" in ada.flags


def test_gold_pace_and_expected_seconds() -> None:
    rows = planted(items=5)
    found = jb.rater_quality(columns(rows), gold={"r0": (2, 6)}, expected_seconds=18.0)
    assert found["r0"].gold.estimate == pytest.approx(1 / 3)
    assert found["r0"].gold.interval.method == "Wilson with n = 6 trials"
    assert "33% of 6 gold trials right" in found["r0"].flags
    assert found["r1"].gold is None
    assert (found["r0"].pace, found["r5"].pace) == pytest.approx((0.5, 1 / 9))
    each = {f"t{k}": 9.0 if k % 2 else 90.0 for k in range(len(rows))}
    for k, row in enumerate(rows):
        row["trial"] = f"t{k}"
    by_trial = jb.rater_quality(columns(rows), expected_seconds=each)
    assert by_trial["r0"].pace == pytest.approx((0.1 + 1.0) / 2)  # the median of five and five


def test_a_second_answer_is_a_retest_and_never_another_rater() -> None:
    rows = [
        {"item": f"i{i}", "rater": r, "trial": f"t{i}", "score": float(i % 4)}
        for i in range(8)
        for r in ("ada", "ben")
    ]
    # Ada meets four items again: three with the same answer, one a point higher.
    again = [
        {"item": f"i{i}", "rater": "ada", "trial": f"again{i}", "score": float(i % 4 + (i == 0))}
        for i in range(4)
    ]
    found = jb.rater_quality(columns(rows + again))
    assert found["ada"].estimate == 0.0
    assert found["ada"].retest.estimate == 0.75
    assert found["ada"].retest.distance == 0.25
    assert found["ada"].retest.n_responses == 4
    assert found["ben"].retest is None
    with pytest.raises(InputError, match="more than once"):
        jb.rater_quality(columns([*rows, rows[0]]))


def test_votes_have_sides_and_ties_but_no_leniency() -> None:
    # Ada always takes the first shown, ben ties on every fourth item, cem goes by the system.
    rows = []
    for i in range(24):
        first = "ab"[i % 2]
        for rater, winner in (("ada", first), ("ben", "tie" if i % 4 == 0 else "a"), ("cem", "a")):
            rows.append(
                {"item": f"i{i}", "system_a": "new", "system_b": "old", "rater": rater}
                | {"winner": winner, "first": first}
            )
    found = jb.rater_quality(columns(rows))
    assert found["ada"].undefined == "choosing between outputs is neither lenient nor severe"
    assert found["ada"].first_shown.estimate == 1.0
    assert "chooses the first shown in 100% of votes" in found["ada"].flags
    assert found["cem"].first_shown.estimate == 0.5
    assert (found["ben"].tie_rate, found["ada"].tie_rate) == (0.25, 0.0)
    assert found["cem"].agreement > found["ada"].agreement
    assert found["ada"].most_used == "the first shown"


def test_detections_rankings_words_and_spans() -> None:
    detections = [
        {"item": f"i{i}", "system": "g", "rater": r, "truth": "generated"}
        | {"answer": "real" if r == "ada" or i % 2 else "generated"}
        for i in range(8)
        for r in ("ada", "ben", "cem")
    ]
    found = jb.rater_quality(columns(detections))
    assert found["ada"].estimate == pytest.approx(0.5)  # says "real" on four more of eight
    rankings = [
        {"item": f"i{i}", "rater": r, "system": s, "rank": rank}
        for i in range(3)
        for r, ranks in (("ada", (1, 2, 3)), ("ben", (1, 2, 3)), ("cem", (3, 2, 1)))
        for s, rank in zip("xyz", ranks, strict=True)
    ]
    found = jb.rater_quality(columns(rankings))
    # Ada agrees with ben on all pairs (1) and with cem on none (−1): 0. Cem disagrees with both.
    assert (found["ada"].agreement, found["cem"].agreement) == (0.0, -1.0)
    words = [
        {"item": f"i{i}", "rater": r, "score": "yes" if i % 2 else "no"}
        for i in range(4)
        for r in ("ada", "ben")
    ]
    found = jb.rater_quality(columns(words))
    assert (found["ada"].estimate, found["ada"].undefined) == (None, "the answers are words")
    assert found["ada"].agreement == 1.0
    spans = [
        {"item": f"i{i}", "system": "mt", "rater": r, "severity": s}
        for i in range(3)
        for r, s in (("ada", "major"), ("ben", "minor"))
    ]
    found = jb.rater_quality(columns(spans))
    assert found["ada"].estimate == 4.0  # five points beside one


def test_nothing_to_compare_with_is_said() -> None:
    nameless = jb.rater_quality({"item": [1, 2], "score": [1, 2]})
    assert len(nameless) == 0
    assert nameless.undefined is not None
    assert "does not name its raters" in nameless.undefined
    alone = jb.rater_quality({"item": [1, 2], "rater": ["ada"] * 2, "score": [1, 2]})["ada"]
    assert (alone.estimate, alone.noise, alone.agreement) == (None, None, None)
    assert alone.undefined == "no output was also judged by another rater"
    one_item = jb.rater_quality({"item": [1, 1], "rater": ["ada", "ben"], "score": [1, 2]})["ada"]
    assert (one_item.estimate, one_item.interval) == (-1.0, None)
    assert one_item.undefined == "there is only one item"
    same = jb.rater_quality(
        {"item": [1, 1, 2, 2], "rater": ["ada", "ben"] * 2, "score": [1, 1, 1, 1]}
    )["ada"]
    assert (same.estimate, same.interval) == (0.0, None)
    no_items = jb.rater_quality(
        {"system_a": ["x"] * 2, "system_b": ["y"] * 2, "rater": ["r", "s"], "winner": ["a", "b"]}
    )
    assert len(no_items) == 2


def test_the_table_survives_json() -> None:
    found = jb.rater_quality(columns(planted(items=4)), gold={"r0": (1, 2)})
    assert ResultTable.from_dict(found.to_dict()) == found
    assert "Worth a look" in str(found)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_concordance_of_rankings_is_the_mean_of_kendalls_tau(seed: int) -> None:
    draw = random.Random(seed)
    raters, items = ["ada", "ben", "cem", "dee"], ["i", "j", "k"]
    order = {(i, r): draw.sample(range(1, 6), 5) for i in items for r in raters}
    rows = [
        {"item": i, "rater": r, "system": "vwxyz"[k], "rank": rank}
        for (i, r), ranks in order.items()
        for k, rank in enumerate(ranks)
    ]
    found = jb.rater_quality(columns(rows))
    for one in raters:
        taus = [
            kendalltau(order[i, one], order[i, two]).statistic
            for i in items
            for two in raters
            if two != one
        ]
        assert found[one].agreement == pytest.approx(mean(taus))


def test_a_planned_repeat_is_a_retest_and_never_another_answer() -> None:
    rows = [
        {"item": f"i{i}", "rater": r, "trial": f"t{i}", "score": float(i % 4), "repeat": 0}
        for i in range(8)
        for r in ("ada", "ben")
    ]
    # Ada meets four trials again: three with the same answer, one a point higher.
    again = [{**rows[2 * i], "score": float(i % 4 + (i == 0)), "repeat": 1} for i in range(4)]
    found = jb.rater_quality(columns(rows + again))
    assert found["ada"].n_responses == 8
    assert found["ada"].estimate == 0.0
    assert (found["ada"].retest.estimate, found["ada"].retest.n_responses) == (0.75, 4)
    assert found["ben"].retest is None
    plain = columns(rows)
    assert jb.mean_scores(columns(rows + again)) == jb.mean_scores(plain)
    # Where repeats count from 1, the first answers are those with the smallest number.
    from_one = [{**row, "repeat": int(row["repeat"]) + 1} for row in rows + again]
    assert jb.mean_scores(columns(from_one)) == jb.mean_scores(plain)
    # Real and generated are words: two answers are the same or not, and no number apart.
    words = [
        {"item": f"i{i}", "system": "s", "truth": "generated", "rater": r, "trial": f"t{i}"}
        | {"answer": "real" if i % 2 else "generated", "repeat": str(k)}
        for i in range(4)
        for r in ("ada", "ben")
        for k in (0, 1)
    ]
    assert jb.rater_quality(columns(words))["ada"].retest.distance is None
    with pytest.raises(InputError, match="more than once"):
        jb.rater_quality(columns([*rows, rows[0]]))


def test_a_ranking_that_comes_again_is_told_by_its_ranks() -> None:
    rows = [
        {"item": f"i{i}", "rater": r, "trial": f"t{i}", "system": s, "rank": rank, "repeat": 0}
        for i in range(4)
        for r in ("ada", "ben")
        for s, rank in (("x", 1), ("y", 2), ("z", 3))
    ]
    # Ada meets one ranking again and changes its last two places: one rank of three is the same,
    # and the others are a place apart each: 2/3 on average.
    again = [{**rows[k], "rank": rank, "repeat": 1} for k, rank in enumerate((1, 3, 2))]
    found = jb.analyze(columns(rows + again))
    (said,) = (one.sentence for one in found.findings if one.id.startswith("retest/"))
    assert said.startswith("Asked again, raters give an output the same rank by ")
    assert "33.3% of cases" in said
    assert "3 repeated ranks" in said
    assert said.endswith("; the two ranks are 0.67 apart on average.")


def test_a_rank_among_other_outputs_is_no_second_answer() -> None:
    def ranked(trial: str, rater: str, order: str, repeat: int = 0) -> list[dict[str, object]]:
        return [
            {"item": "i", "trial": trial, "rater": rater, "system": s, "rank": k, "repeat": repeat}
            for k, s in enumerate(order, start=1)
        ]

    # x is second among wx and first among xyz: two trials, and nothing was asked again.
    both = [
        each for r in ("ada", "ben") for each in (*ranked("1", r, "wx"), *ranked("2", r, "xyz"))
    ]
    found = jb.rater_quality(columns(both))
    assert found["ada"].retest is None
    assert found["ada"].agreement == 1
    # The planned repeat of a trial is: y and z have changed places.
    again = jb.rater_quality(columns([*both, *ranked("2", "ada", "xzy", repeat=1)]))
    assert (again["ada"].retest.estimate, again["ada"].retest.n_responses) == (
        pytest.approx(1 / 3),
        3,
    )
    # Ada ranks y above z among xyz, Ben z above y among wyz, which is not the same question.
    apart = jb.rater_quality(columns([*ranked("1", "ada", "xyz"), *ranked("2", "ben", "wzy")]))
    assert apart["ada"].agreement is None


@pytest.mark.parametrize("kind", ["judge", "person"])
def test_the_other_order_of_a_judge_is_no_asking_again(kind: str) -> None:
    rows = [
        {"item": f"i{i}", "system_a": "x", "system_b": "y", "rater": "small", "rater_kind": kind}
        | {"trial": f"t{i}{first}", "first": first, "winner": first}
        for i in range(6)
        for first in "ab"
    ]
    (found,) = jb.rater_quality(columns(rows)).rows
    assert (found.retest is None) == (kind == "judge")
