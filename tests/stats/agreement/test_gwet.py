"""Gwet's AC1 and AC2 and the Brennan–Prediger coefficient."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats import inter_rater

import jurybox as jb
from jurybox.errors import InputError
from jurybox.results import Result
from jurybox.stats.agreement.gwet import AgreementWeights
from jurybox.stats.agreement.patterns import ONE_UNIT, SAME
from jurybox.stats.distributions import t_quantile
from tests import reference

WEIGHTS: tuple[AgreementWeights, ...] = (None, "linear", "quadratic", "ordinal")


def table(units: list[list[Any]]) -> dict[str, list[Any]]:
    rows = [
        (f"u{u:02}", f"r{r}", value)
        for u, own in enumerate(units)
        for r, value in enumerate(own)
        if value is not None
    ]
    return dict(zip(("item", "rater", "score"), map(list, zip(*rows, strict=True)), strict=True))


def weight(one: float, two: float, scale: list[float], weights: AgreementWeights) -> float:
    if weights is None:
        return float(one == two)
    if weights == "ordinal":
        places = abs(scale.index(one) - scale.index(two))
        return 1 - places * (places + 1) / (len(scale) * (len(scale) - 1))
    apart = abs(one - two) / (scale[-1] - scale[0])
    return 1 - (apart if weights == "linear" else apart**2)


def slow_ac(units: list[list[Any]], weights: AgreementWeights) -> tuple[float, float]:
    """AC and Brennan–Prediger by their definitions, pair by pair."""
    given_ = [[value for value in own if value is not None] for own in units]
    scale = sorted({value for own in given_ for value in own})
    two = [own for own in given_ if len(own) > 1]
    agree = sum(
        sum(weight(a, b, scale, weights) for a, b in itertools.permutations(own, 2))
        / (len(own) * (len(own) - 1))
        for own in two
    ) / len(two)
    rated = [own for own in given_ if own]
    shares = {
        value: sum(Counter(own)[value] / len(own) for own in rated) / len(rated) for value in scale
    }
    total, q = sum(weight(a, b, scale, weights) for a in scale for b in scale), len(scale)
    chance = total / (q * (q - 1)) * sum(share * (1 - share) for share in shares.values())
    even = total / q**2
    return (agree - chance) / (1 - chance), (agree - even) / (1 - even)


def test_ac1_by_hand() -> None:
    # Units aa, ab, bb: p_a = 2/3; shares 1/2 each, q = 2: p_e = 2/(2·1) · (1/4 + 1/4) = 1/2.
    # AC1 = (2/3 − 1/2)/(1 − 1/2) = 1/3.
    found = jb.gwet_ac(table([["a", "a"], ["a", "b"], ["b", "b"]]))
    assert found.estimate == pytest.approx(1 / 3)
    assert found.observed == pytest.approx(2 / 3)
    assert found.chance == pytest.approx(1 / 2)


def test_ac1_of_fleiss_1971_as_irrcac_has_it() -> None:
    known = reference.expected("textbook")["fleiss1971"]["computed"]
    found = jb.gwet_ac(reference.fleiss())
    assert round(found.estimate or 0, 5) == known["gwet"]["est"]
    assert round(found.observed or 0, 5) == known["gwet"]["pa"]
    assert round(found.chance or 0, 5) == known["gwet"]["pe"]
    assert round(found.item_error or 0, 5) == known["gwet"]["se"]
    # Gwet's interval holds for these raters: t with items − 1 = 29 degrees of freedom.
    half = t_quantile(0.95, 29) * (found.item_error or 0)
    ends = [round((found.estimate or 0) + sign * half, 5) for sign in (-1, 1)]
    assert ends == known["gwet"]["ci"]
    assert found.interval is not None
    # The six columns are no six people.
    assert found.interval.generalizes_to == "items like these, judged by these raters"


def test_brennan_prediger_is_randolphs_kappa() -> None:
    known = reference.expected("textbook")["fleiss1971"]["computed"]
    found = jb.brennan_prediger(reference.fleiss())
    assert found.estimate == pytest.approx(known["randolph"])
    rows = reference.rows_of("textbook/data/fleiss1971_diagnoses.csv")
    counts, _ = inter_rater.aggregate_raters([[int(v) for v in row.values()] for row in rows])
    assert found.estimate == pytest.approx(inter_rater.fleiss_kappa(counts, method="randolph"))


units = st.lists(
    st.lists(st.sampled_from([None, 1.0, 2.0, 3.0, 5.0]), min_size=4, max_size=4),
    min_size=2,
    max_size=8,
)


@given(matrix=units, weights=st.sampled_from(WEIGHTS))
def test_both_agree_with_their_definitions(
    matrix: list[list[Any]], weights: AgreementWeights
) -> None:
    values = {value for own in matrix for value in own if value is not None}
    if not values:
        return
    found = jb.gwet_ac(table(matrix), weights=weights, n_resamples=20)
    even = jb.brennan_prediger(table(matrix), weights=weights, n_resamples=20)
    if len(values) == 1 or all(sum(v is not None for v in own) < 2 for own in matrix):
        assert (found.estimate, even.estimate) == (None, None)
        assert found.undefined
        return
    if sum(sum(v is not None for v in own) > 1 for own in matrix) == 1:
        assert (found.estimate, even.estimate) == (None, None)
        assert found.undefined in (ONE_UNIT, SAME)
        return
    ac, bp = slow_ac(matrix, weights)
    assert found.estimate == pytest.approx(ac, abs=1e-9)
    assert even.estimate == pytest.approx(bp, abs=1e-9)
    assert found.estimate is not None
    assert found.estimate <= 1


def test_values_that_nobody_gave_change_chance() -> None:
    ratings = table([[1, 1], [1, 2], [2, 2]])
    # q = 4: p_e = 1/4, κ = (2/3 − 1/4)/(3/4) = 5/9; with q = 2: (2/3 − 1/2)/(1/2) = 1/3.
    assert jb.brennan_prediger(ratings).estimate == pytest.approx(1 / 3)
    found = jb.brennan_prediger(ratings, values=[1, 2, 3, 4])
    assert found.estimate == pytest.approx(5 / 9)
    with pytest.raises(InputError, match=r"values lists the scale, but 2\.0 occurs"):
        jb.gwet_ac(ratings, values=[1, 3])


def test_a_common_answer_lowers_alpha_and_not_ac1() -> None:
    often = [[0, 0]] * 46 + [[0, 1], [1, 0], [0, 1], [1, 1]]
    ratings = table(often)
    alpha = jb.krippendorff_alpha(ratings, level="nominal", n_resamples=50).estimate
    ac1 = jb.gwet_ac(ratings, n_resamples=50).estimate
    assert alpha is not None
    assert ac1 is not None
    assert alpha < 0.5 < 0.9 < ac1


def test_weights_need_numbers_and_a_known_name() -> None:
    words = table([["a", "b"], ["a", "a"]])
    with pytest.raises(InputError, match="weights='ordinal' need numbers; got words such as 'a'"):
        jb.gwet_ac(words, weights="ordinal")
    with pytest.raises(InputError, match="weights must be None, 'linear', 'quadratic' or"):
        jb.gwet_ac(words, weights="cubic")  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(InputError, match="generalize must be"):
        jb.gwet_ac(words, generalize="raters")  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("statistic", [jb.gwet_ac, jb.brennan_prediger])
def test_one_value_one_rater_one_item(statistic: Any) -> None:
    same = statistic(table([[1, 1], [1, 1]]), values=[1, 2])
    assert (same.estimate, same.undefined) == (None, "every response is the same value")
    one = statistic(table([[1], [2]]))
    assert (one.estimate, one.undefined) == (None, "there is only one rater")
    item = statistic(table([[1, 1, 2]]))
    assert (item.estimate, item.interval) == (None, None)
    assert item.undefined == "there is only one unit, from which chance cannot be told"


def test_the_result_survives_json() -> None:
    found = jb.gwet_ac(table([[1, 1], [1, 2], [2, 2], [2, 2]]), weights="linear")
    assert Result.from_dict(found.to_dict()) == found
