"""Bradley–Terry: fits, clustered covariance, and what has no finite strength."""

from __future__ import annotations

import math
import random
from typing import Any

import choix
import evalica
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jurybox.analysis.api import bradley_terry
from jurybox.errors import InputError
from jurybox.stats.distributions import t_quantile
from jurybox.stats.strengths.bradley_terry import Ties
from jurybox.stats.strengths.connected import ties_run_away

Vote = tuple[str, str, str, str, str]  # item, a, b, rater, winner


def table(rows: list[Vote]) -> dict[str, list[Any]]:
    names = ("item", "system_a", "system_b", "rater", "winner")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def bare(rows: list[tuple[str, str, str]]) -> dict[str, list[Any]]:
    names = ("system_a", "system_b", "winner")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def simulated(
    n: int, seed: int, *, systems: int = 4, raters: int = 7, items: int = 9
) -> list[Vote]:
    draw = random.Random(seed)
    strength = {f"s{k}": draw.gauss(0, 0.7) for k in range(systems)}
    rows = []
    for _ in range(n):
        a, b = draw.sample(sorted(strength), 2)
        p = 1 / (1 + math.exp(strength[b] - strength[a]))
        u = draw.random()
        winner = "tie" if u < 0.2 else "a" if draw.random() < p else "b"
        rows.append((f"i{draw.randrange(items)}", a, b, f"r{draw.randrange(raters)}", winner))
    return list({(row[0], frozenset(row[1:3]), row[3]): row for row in rows}.values())


def test_two_systems_by_hand() -> None:
    # 3 wins to 1: log strengths ± ½ log 3; the difference is log 3 with variance
    # (sandwich = inverse information here) 1/3 + 1/1 = 4/3, times G/(G−1) = 4/3.
    found = bradley_terry(bare([("x", "y", "a")] * 3 + [("x", "y", "b")]))
    assert found["x"].estimate == pytest.approx(math.log(3) / 2)
    assert found["y"].estimate == pytest.approx(-math.log(3) / 2)
    gap = found.differences[0]
    half = t_quantile(0.95, 3) * math.sqrt(4 / 3 * 4 / 3)
    assert gap.interval is not None
    assert gap.interval.high - gap.interval.low == pytest.approx(2 * half)
    assert gap.win_probability == pytest.approx(0.75)


def test_davidson_by_hand() -> None:
    # Two systems, 4 wins, 1 loss, 5 ties: a saturated model gives the shares back:
    # π_a/π_b = 4/1, ν = 5 / √(4 · 1) = 2.5.
    found = bradley_terry(bare([("x", "y", "a")] * 4 + [("x", "y", "b")] + [("x", "y", "tie")] * 5))
    assert found["x"].estimate - found["y"].estimate == pytest.approx(math.log(4))
    assert found.tie_parameter == pytest.approx(2.5)
    assert found.differences[0].win_probability == pytest.approx(0.4 + 0.25)


@settings(max_examples=6)
@given(seed=st.integers(0, 1000))
def test_ties_as_half_agree_with_evalica_and_choix(seed: int) -> None:
    rows = simulated(300, seed)
    found = bradley_terry(table(rows), ties="half")
    words = {"a": evalica.Winner.X, "b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    xs, ys = [row[1] for row in rows], [row[2] for row in rows]
    other = evalica.bradley_terry(
        xs, ys, [words[row[4]] for row in rows], tolerance=1e-12, limit=10_000
    )
    log = np.log(other.scores)
    for system, value in (log - log.mean()).items():
        assert found[str(system)].estimate == pytest.approx(value, abs=1e-5)
    decided = [(int(r[1][1]), int(r[2][1])) if r[4] == "a" else (int(r[2][1]), int(r[1][1]))
               for r in rows if r[4] != "tie"]  # fmt: skip
    dropped = bradley_terry(table(rows), ties="drop")
    strengths = choix.ilsr_pairwise(4, decided)
    for k, value in enumerate(strengths - strengths.mean()):
        assert dropped[f"s{k}"].estimate == pytest.approx(value, abs=1e-6)


def sandwich(rows: list[Vote], found: Any) -> dict[tuple[str, str], float]:
    """The two-way clustered variance of every difference, from single votes; slow and plain."""
    systems = sorted(row.system for row in found.rows)
    beta = np.array([found[s].estimate for s in systems])
    scores, information = [], np.zeros((len(systems), len(systems)))
    for _, a, b, _, winner in rows:
        x = np.zeros(len(systems))
        x[systems.index(a)], x[systems.index(b)] = 1, -1
        p = 1 / (1 + math.exp(-x @ beta))
        y = {"a": 1.0, "b": 0.0, "tie": 0.5}[winner]
        scores.append((y - p) * x)
        information += p * (1 - p) * np.outer(x, x)
    bread = np.linalg.pinv(information)
    parts = []
    for key in (lambda r: r[0], lambda r: r[3], lambda r: (r[0], r[3])):
        sums: dict[Any, Any] = {}
        for row, score in zip(rows, scores, strict=True):
            sums[key(row)] = sums.get(key(row), 0) + score
        g = len(sums)
        meat = g / (g - 1) * sum(np.outer(s, s) for s in sums.values())
        parts.append(bread @ meat @ bread)
    found_variances = {}
    for i, s in enumerate(systems):
        for j, t in enumerate(systems):
            item, rater, cell = (v[i, i] + v[j, j] - 2 * v[i, j] for v in parts)
            both = item + rater - cell
            found_variances[s, t] = float(both if both > 0 else max(item, rater))
    return found_variances


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_clustered_covariance_agrees_with_a_slow_oracle(seed: int) -> None:
    rows = simulated(250, seed)
    found = bradley_terry(table(rows), ties="half")
    variances = sandwich(rows, found)
    for gap in found.differences:
        assert gap.interval is not None
        half = (gap.interval.high - gap.interval.low) / 2
        assert half / t_quantile(0.95, 6) == pytest.approx(
            math.sqrt(variances[gap.system, gap.other]), rel=1e-6
        )


def test_davidson_covariance_agrees_with_the_likelihood_when_votes_are_independent() -> None:
    # With cluster=None the sandwich of a right model tends to the inverse information;
    # a numerical Hessian of the log likelihood is the oracle.
    rows = simulated(4000, 3, raters=400, items=400)
    found = bradley_terry(table(rows), cluster=None)
    systems = [row.system for row in found.rows]

    def likelihood(x: np.ndarray[Any, Any]) -> float:
        total = 0.0
        for _, a, b, _, winner in rows:
            one, two = x[systems.index(a)], x[systems.index(b)]
            terms = {"a": one, "b": two, "tie": x[-1] + (one + two) / 2}
            total += terms[winner] - math.log(sum(math.exp(t) for t in terms.values()))
        return total

    assert found.tie_parameter is not None
    best = np.array([*(found[s].estimate for s in systems), math.log(found.tie_parameter)])
    step = 1e-3
    shifted = best.copy()
    shifted[0] += step
    lower = best.copy()
    lower[0] -= step
    # At the maximum the likelihood falls in both directions, equally to second order.
    here = likelihood(best)
    assert likelihood(shifted) < here
    assert likelihood(lower) < here
    assert found.log_likelihood == pytest.approx(here, abs=1e-6)


@settings(max_examples=8)
@given(seed=st.integers(0, 1000))
def test_sides_names_and_order_do_not_matter(seed: int) -> None:
    rows = simulated(200, seed)
    other = {"a": "b", "b": "a", "tie": "tie"}
    swapped = [(i, b, a, "x" + r, other[w]) for i, a, b, r, w in rows]
    random.Random(seed).shuffle(swapped)
    before, after = bradley_terry(table(rows)), bradley_terry(table(swapped))
    for row in before:
        same = after[row.name]
        assert row.estimate == pytest.approx(same.estimate, abs=1e-7)
        assert row.interval is not None
        assert row.interval.low == pytest.approx(same.interval.low, abs=1e-6)


CYCLE = [("x", "y", "a"), ("y", "z", "a"), ("z", "x", "a")]


def test_a_system_that_never_loses_is_ranked_first_without_a_number() -> None:
    found = bradley_terry(bare([*CYCLE, ("w", "x", "a"), ("w", "y", "a")]))
    first = found.rows[0]
    assert (first.name, first.estimate) == ("w", None)
    assert first.undefined == "w was never beaten, so its strength has no upper bound: ranked first"
    assert found["x"].estimate == pytest.approx(0, abs=1e-9)


def test_a_system_that_never_wins_is_ranked_last_without_a_number() -> None:
    found = bradley_terry(bare([*CYCLE, ("x", "w", "a")]))
    assert found.rows[-1].name == "w"
    assert found.rows[-1].undefined is not None
    assert "no lower bound: ranked last" in found.rows[-1].undefined


def test_groups_that_never_met_are_named_and_ranked_apart() -> None:
    votes = [("x", "y", "a"), ("x", "y", "b"), ("p", "q", "a"), ("p", "q", "b"), ("p", "q", "a")]
    found = bradley_terry(bare(votes))
    assert found.groups == (("p", "q"), ("x", "y"))
    assert "2 groups that were never compared with each other (p, q; x, y)" in found.notes[0]
    assert [row.name for row in found.differences] == ["p − q", "x − y"]
    assert found["p"].group == 1
    assert found["x"].group == 2


@pytest.mark.parametrize("ties", ["davidson", "half", "drop"])
def test_all_ties_tell_nobody_apart(ties: Ties) -> None:
    found = bradley_terry(bare([("x", "y", "tie")] * 5), ties=ties)
    assert all(row.estimate is None for row in found)
    assert found.undefined is not None
    assert "no vote has a winner" in found.undefined


def test_one_vote_gives_an_order_and_no_number() -> None:
    found = bradley_terry(bare([("x", "y", "a")]))
    assert [row.name for row in found] == ["x", "y"]
    assert all(row.estimate is None for row in found)
    assert found.differences == ()


def test_a_chain_of_wins_gives_an_order_and_no_distance() -> None:
    found = bradley_terry(bare([("x", "y", "a"), ("y", "z", "a")]))
    assert [row.name for row in found] == ["x", "y", "z"]
    assert found["y"].undefined == (
        "nothing contradicts the order that y stands in, so it has no distance in it"
    )


def test_a_self_comparison_says_nothing() -> None:
    found = bradley_terry(bare([("x", "x", "a"), ("x", "y", "a"), ("x", "y", "b")]))
    assert found["x"].estimate == pytest.approx(0, abs=1e-9)
    assert found["x"].n_responses == 2
    only = bradley_terry(bare([("x", "x", "a")]))
    assert (only.rows, only.undefined) == ((), "there are no votes")


def test_davidson_without_a_maximum_says_so() -> None:
    # x beats y or ties and never loses: ν and the distance grow together for ever.
    votes = [("x", "y", "a"), ("x", "y", "tie")]
    found = bradley_terry(bare(votes))
    assert "ν grows without bound" in (found["x"].undefined or "")
    half = bradley_terry(bare(votes), ties="half")
    assert half["x"].estimate == pytest.approx(math.log(3) / 2)


def test_when_ties_run_away() -> None:
    wins, ties = np.zeros((3, 3)), np.zeros((3, 3))
    wins[0, 1] = wins[1, 2] = 1
    ties[0, 1] = ties[1, 0] = 1
    assert ties_run_away(wins, ties)
    # A tie between the ends spans two steps, more than a tie may: the fit is held.
    ties[0, 2] = ties[2, 0] = 1
    assert not ties_run_away(wins, ties)


def test_unknown_ties_are_refused() -> None:
    with pytest.raises(InputError, match="ties must be 'davidson', 'rao_kupper', 'half' or 'drop'"):
        bradley_terry(bare(CYCLE), ties="rao")  # type: ignore[arg-type]  # wrong on purpose


def test_more_systems_than_raters_leave_differences_and_no_ranks() -> None:
    found = bradley_terry(table(simulated(200, 1, raters=3)))
    assert any("more systems (4) than clusters (3)" in note for note in found.notes)
    assert found.ranks_by is None
    assert all(row.rank_low is None for row in found.rows)
    assert {row.adjusted_by for row in found.differences} == {"Holm over 6 comparisons"}
    assert all(row.simultaneous is None for row in found.differences)
