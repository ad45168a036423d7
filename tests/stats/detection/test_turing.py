"""Turing tests: rates, the test of equal acceptance, and d′."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri

from jurybox.analysis.api import turing_test
from jurybox.errors import InputError
from jurybox.results import ResultTable
from jurybox.stats.detection.turing import (
    Counts,
    group_sensitivity,
    plain_sensitivity,
    sensitivity,
    two_alternative,
)


def table(rows: list[tuple[str, str, str, str, str]]) -> dict[str, list[Any]]:
    names = ("item", "system", "rater", "truth", "answer")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def simulated(p_model: float, p_real: float, seed: int, raters: int = 12) -> dict[str, list[Any]]:
    draw = random.Random(seed)
    rows = []
    for r in range(raters):
        for i in range(30):
            real = i % 2 == 0
            chance = p_real if real else p_model
            answer = "real" if draw.random() < chance else "generated"
            kind = ("photo", "real") if real else ("model", "generated")
            rows.append((f"i{i}", kind[0], f"r{r}", kind[1], answer))
    return table(rows)


def test_rates_by_hand() -> None:
    # model: called real 1 of 4; photo: called generated 1 of 2.
    rows = [
        ("1", "model", "x", "generated", "real"),
        ("2", "model", "x", "generated", "generated"),
        ("1", "model", "y", "generated", "generated"),
        ("2", "model", "y", "generated", "generated"),
        ("3", "photo", "x", "real", "real"),
        ("3", "photo", "y", "real", "generated"),
    ]
    found = turing_test(table(rows))
    assert found["model"].estimate == 0.25
    assert found.hits[0].estimate == 0.75
    assert found.false_rejection is not None
    assert found.false_rejection.estimate == 0.5
    # Balanced accuracy: (0.75 + 0.5)/2; acceptance 0.25 − 0.5.
    assert found.balanced_accuracy is not None
    assert found.balanced_accuracy.estimate == 0.625
    assert found.differences[0].estimate == -0.25


def test_a_model_that_is_told_apart() -> None:
    found = turing_test(simulated(0.2, 0.9, 1))
    gap = found.differences[0]
    assert gap.interval is not None
    assert gap.interval.high < 0
    assert (gap.p or 1) < 0.001
    assert found.balanced_accuracy is not None
    assert found.balanced_accuracy.interval is not None
    assert found.balanced_accuracy.interval.low == pytest.approx(0.5 - gap.interval.high / 2)


def test_always_real_is_not_mistaken_for_skill_or_its_absence() -> None:
    found = turing_test(simulated(1.0, 1.0, 1))
    assert found["model"].estimate == 1
    assert found["model"].interval.low < 1
    gap = found.differences[0]
    assert gap.estimate == 0
    assert gap.p is None
    assert gap.interval is not None
    assert gap.interval.low < 0 < gap.interval.high


def test_only_generated_outputs_leave_the_test_undefined() -> None:
    rows = [("1", "m", "x", "generated", "real"), ("2", "m", "x", "generated", "generated")]
    found = turing_test(table(rows))
    assert found.false_rejection is None
    assert found.differences == ()
    assert found.sensitivity is not None
    assert found.sensitivity.undefined == "only generated outputs were shown, none real"


def test_d_prime_by_hand() -> None:
    # (8.5/11, 2.5/11): z = 0.7479, −0.7479.
    d, c = sensitivity(Counts(hits=8, generated=10, false_alarms=2, real=10))
    assert d == pytest.approx(2 * float(ndtri(8.5 / 11)))
    assert c == pytest.approx(0, abs=1e-12)
    # Calls few things generated: c above zero, "tends to answer real".
    assert sensitivity(Counts(hits=5, generated=10, false_alarms=0, real=10))[1] > 0


def test_the_group_d_prime_is_the_mean_of_the_raters_own() -> None:
    raters = [
        Counts(hits=8, generated=10, false_alarms=2, real=10),
        Counts(hits=10, generated=10, false_alarms=0, real=10),
        Counts(hits=2, generated=4, false_alarms=1, real=4),
    ]
    found = group_sensitivity(raters)
    own = [sensitivity(each)[0] for each in raters[:2]]
    assert found.estimate == pytest.approx(sum(own) / 2)
    assert found.n_raters == 2
    assert found.notes == ("1 rater with fewer than 10 of a kind left out",)
    # Two values a, b: se of the mean = |a − b|/2, t(1).
    assert found.interval is not None
    half = 12.706204736 * abs(own[0] - own[1]) / 2
    assert found.interval.high - found.interval.low == pytest.approx(2 * half)


def test_one_rater_has_d_prime_without_interval() -> None:
    found = group_sensitivity([Counts(hits=8, generated=10, false_alarms=2, real=10)])
    assert found.estimate is not None
    assert (found.interval, found.undefined) == (None, "only one rater has enough answers")


def test_raters_who_never_err_have_no_interval_of_d_prime() -> None:
    # Their d′ differ only by what the correction makes of 10, 20 and 40 trials.
    raters = [Counts(hits=n, generated=n, false_alarms=0, real=n) for n in (10, 20, 40)]
    found = group_sensitivity(raters)
    own = [sensitivity(each)[0] for each in raters]
    assert found.estimate == pytest.approx(sum(own) / 3)
    assert (found.interval, found.p) == (None, None)
    assert "every rater called all outputs of a kind the same" in (found.undefined or "")
    err = Counts(hits=9, generated=10, false_alarms=0, real=10)
    assert group_sensitivity([*raters, err]).interval is not None


def test_confusion_counts_and_overall_rates() -> None:
    rows = [
        ("1", "m", "x", "generated", "real"),
        ("2", "m", "y", "generated", "generated"),
        ("3", "n", "x", "generated", "generated"),
        ("3", "n", "y", "generated", "generated"),
        ("4", "photo", "x", "real", "real"),
        ("4", "photo", "y", "real", "real"),
        ("5", "photo", "x", "real", "generated"),
    ]
    found = turing_test(table(rows))
    assert found.fooling is not None
    assert (found.fooling.estimate, found.fooling.called_real) == (0.25, 1)
    assert found.hit is not None
    assert (found.hit.estimate, found.hit.called_generated) == (0.75, 3)
    assert [(r.system, r.called_real, r.called_generated) for r in found.rows] == [
        ("m", 1, 1),
        ("n", 0, 2),
    ]
    assert found.false_rejection is not None
    assert (found.false_rejection.called_real, found.false_rejection.called_generated) == (2, 1)
    assert found.difference is not None
    # 1/4 − 2/3; balanced accuracy ½ + 5/24.
    assert found.difference.estimate == pytest.approx(-5 / 12)
    assert found.balanced_accuracy is not None
    assert found.balanced_accuracy.estimate == pytest.approx(0.5 + 5 / 24)
    assert [(r.rater, r.hits, r.generated, r.false_alarms, r.real) for r in found.raters] == [
        ("x", 1, 2, 1, 2),
        ("y", 2, 2, 0, 1),
    ]
    assert found.raters[0].balanced_accuracy == 0.5
    assert found.raters[0].undefined == "fewer than 10 real or 10 generated outputs"


def several(seed: int, shares: dict[str, float], raters: int = 15) -> dict[str, list[Any]]:
    draw = random.Random(seed)
    lean = [draw.gauss(0, 0.1) for _ in range(raters)]
    rows = []
    for r in range(raters):
        for i in range(12):
            for system, p in shares.items():
                truth = "real" if system == "photo" else "generated"
                chance = min(1.0, max(0.0, p + (lean[r] if 0 < p < 1 else 0)))
                answer = "real" if draw.random() < chance else "generated"
                rows.append((f"{system}{i}", system, f"r{r}", truth, answer))
    return table(rows)


def test_systems_are_one_family_by_max_t() -> None:
    found = turing_test(several(1, {"photo": 0.7, "a": 0.3, "b": 0.6, "c": 0.65}))
    assert len(found.differences) == 3
    for gap in found.differences:
        assert gap.interval is not None
        assert gap.simultaneous is not None
        assert gap.adjusted_by == "max-t over 3 comparisons"
        assert gap.simultaneous.method == ("clustered by rater and item, max-t over 3 comparisons")
        assert gap.p is not None
        assert gap.p_adjusted is not None
        assert gap.p_adjusted >= gap.p
        assert gap.simultaneous.low < gap.interval.low
        outside = not gap.simultaneous.low <= 0 <= gap.simultaneous.high
        assert outside == (gap.p_adjusted < 0.05)
        # No worse than Bonferroni (but for the draws).
        assert gap.p_adjusted <= 3 * gap.p + 0.01


def test_a_family_with_a_system_at_the_edge() -> None:
    found = turing_test(several(2, {"photo": 0.7, "a": 0.0, "b": 0.6}))
    a, b = found.differences
    assert (a.p, a.p_adjusted) == (None, None)
    assert a.interval is not None
    assert a.simultaneous is not None
    assert a.simultaneous.low < a.interval.low <= a.interval.high < a.simultaneous.high < 0
    assert a.simultaneous.confidence == 0.95
    assert b.adjusted_by == "max-t over 2 comparisons"


def test_a_family_of_systems_that_all_stand_at_the_edge() -> None:
    # Nobody errs: no t, but two claims are two claims, so the intervals are wider than one's own.
    rows = [
        (f"i{i}", system, f"r{r}", truth, truth)
        for r in range(8)
        for i, (system, truth) in enumerate(
            [("photo", "real"), ("a", "generated"), ("b", "generated")] * 5
        )
    ]
    for gap in turing_test(table(rows)).differences:
        assert gap.simultaneous is not None
        assert gap.interval is not None
        assert gap.simultaneous.method.endswith("max-t over 2 comparisons")
        assert gap.interval.high < gap.simultaneous.high < 0
        assert (gap.p, gap.p_adjusted) == (None, None)


def test_one_system_stands_alone() -> None:
    (gap,) = turing_test(simulated(0.5, 0.6, 4)).differences
    assert (gap.p_adjusted, gap.simultaneous, gap.adjusted_by) == (None, None, None)


def test_equivalence_within_a_margin() -> None:
    data = several(3, {"photo": 0.6, "same": 0.6, "other": 0.1}, raters=40)
    found = turing_test(data, margin=0.2)
    assert found.margin == 0.2
    other, same = found.equivalences
    assert (same.system, same.verdict()) == ("same", "equivalent")
    assert other.verdict() == "not shown"
    assert same.interval is not None
    assert same.wider is not None
    assert same.interval.confidence == pytest.approx(0.9)
    assert same.wider.low < same.interval.low < same.interval.high < same.wider.high
    # The wider interval is the difference's own.
    gap = next(g for g in found.differences if g.system == "same")
    assert gap.interval is not None
    assert same.wider.low == pytest.approx(gap.interval.low)
    assert same.adjusted_by == "Holm over 2 comparisons"
    assert "points" in str(same)
    with pytest.raises(InputError, match="margin must lie between 0 and 1"):
        turing_test(data, margin=5)


def test_equivalence_of_rates_without_variance_is_undefined() -> None:
    (found,) = turing_test(simulated(1.0, 1.0, 1), margin=0.1).equivalences
    assert found.p is None
    assert found.undefined is not None
    assert "0 or 1" in found.undefined


def test_a_system_that_is_both_gets_a_remark() -> None:
    rows = [
        ("1", "x", "r", "generated", "real"),
        ("2", "x", "r", "real", "real"),
        ("3", "y", "r", "real", "real"),
    ]
    (note,) = turing_test(table(rows)).notes
    assert note.startswith("x has real and generated outputs")


def test_only_real_outputs() -> None:
    rows = [("1", "photo", "x", "real", "real"), ("2", "photo", "y", "real", "generated")]
    found = turing_test(table(rows))
    assert found.undefined == "no generated output was shown"
    assert found.rows == ()
    assert found.sensitivity is not None
    assert found.sensitivity.undefined == "only real outputs were shown, none generated"


def test_without_raters_there_is_the_pooled_d_prime_alone() -> None:
    data = simulated(0.3, 0.8, 1)
    del data["rater"]
    found = turing_test(data)
    assert found.sensitivity is not None
    assert found.sensitivity.estimate is None
    assert found.sensitivity.pooled is not None
    assert found.raters == ()


def test_d_prime_per_system_shares_the_real_outputs() -> None:
    data = several(5, {"photo": 0.7, "a": 0.3, "b": 0.6})
    found = turing_test(data)
    for each in found.sensitivities:
        part = [
            row
            for row in zip(*data.values(), strict=True)
            if row[3] == "real" or row[1] == each.system
        ]
        alone = turing_test(table(part)).sensitivity
        assert alone is not None
        assert (each.estimate, each.pooled) == (alone.estimate, alone.pooled)
    assert found.sensitivities[0].estimate > found.sensitivities[1].estimate  # type: ignore[operator]


def test_two_alternatives_and_uncorrected_figures() -> None:
    # z(84.5/101) = 0.9784.
    assert two_alternative(84, 100) == pytest.approx(2**0.5 * float(ndtri(84.5 / 101)))
    assert two_alternative(50, 100) == pytest.approx(0, abs=1e-12)
    assert two_alternative(0, 0) is None
    with pytest.raises(InputError, match="right must lie in"):
        two_alternative(3, 2)
    assert plain_sensitivity(Counts(hits=10, generated=10, false_alarms=1, real=10)) is None
    assert plain_sensitivity(Counts(hits=5, generated=10, false_alarms=5, real=10)) == (0, 0)


def test_results_survive_json() -> None:
    found = turing_test(several(1, {"photo": 0.7, "a": 0.3, "b": 0.6}), margin=0.1)
    assert ResultTable.from_dict(found.to_dict()) == found


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10**6))
def test_names_and_order_do_not_matter(seed: int) -> None:
    data = simulated(0.4, 0.7, seed, raters=5)
    rows = list(zip(*data.values(), strict=True))
    random.Random(seed).shuffle(rows)
    renamed = [(i, s, {"r0": "zoe"}.get(r, r), t, a) for i, s, r, t, a in rows]
    one, two = turing_test(data), turing_test(table(renamed))
    assert one.difference is not None
    assert two.difference is not None
    assert one.difference.estimate == pytest.approx(two.difference.estimate)
    assert one.difference.p == pytest.approx(two.difference.p)
    assert one.sensitivity is not None
    assert two.sensitivity is not None
    assert one.sensitivity.estimate == pytest.approx(two.sensitivity.estimate)


@pytest.mark.parametrize("keep", ["one rater", "one item of a kind", "one answer", "all ties"])
def test_small_tables_say_what_they_cannot(keep: str) -> None:
    rows = list(zip(*simulated(0.4, 0.7, 2).values(), strict=True))
    kept = {
        "one rater": [row for row in rows if row[2] == "r0"],
        "one item of a kind": [row for row in rows if row[0] in ("i0", "i1")],
        "one answer": rows[:1],
        "all ties": [(*row[:4], "real") for row in rows],
    }[keep]
    found = turing_test(table(kept), margin=0.1)
    every = [*found.rows, *found.hits, *found.differences, *found.equivalences, *found.raters]
    every += [x for x in (found.false_rejection, found.sensitivity, found.balanced_accuracy) if x]
    for row in every:
        assert row.interval is not None or row.undefined is not None
        assert row.interval is None or row.interval.low < row.interval.high
    assert ResultTable.from_dict(found.to_dict()) == found
    if keep == "one rater":
        assert "holds for this rater only" in found.all_notes


def test_an_empty_table_and_a_wrong_word_are_refused() -> None:
    with pytest.raises(InputError):
        turing_test({name: [] for name in ("item", "system", "rater", "truth", "answer")})
    with pytest.raises(InputError, match="answer must be one of real, generated"):
        turing_test(table([("1", "m", "x", "real", "maybe")]))
    several = {**simulated(0.4, 0.7, 2), "criterion": ["a"] * 180 + ["b"] * 180}
    with pytest.raises(InputError, match="several criteria"):
        turing_test(several)
    assert turing_test(several, criterion="a").rows[0].n_responses == 90
