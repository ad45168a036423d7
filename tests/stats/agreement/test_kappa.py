"""Cohen's kappa of pairs of raters, and the table of every two raters."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import jurybox as jb
from jurybox.errors import InputError
from jurybox.results import ResultTable
from tests import reference


def table(matrix: list[list[Any]]) -> dict[str, list[Any]]:
    rows = [
        (f"u{u:03}", f"r{r}", value)
        for r, own in enumerate(matrix)
        for u, value in enumerate(own)
        if value is not None
    ]
    return dict(zip(("item", "rater", "score"), map(list, zip(*rows, strict=True)), strict=True))


def noisy(raters: int, units: int, seed: int) -> list[list[Any]]:
    draw = random.Random(seed)
    truth = [draw.randint(1, 4) for _ in range(units)]
    return [
        [min(4, max(1, t + draw.choice([-1, 0, 0, 0, 1]))) for t in truth] for _ in range(raters)
    ]


def test_pairs_of_the_pandalm_study() -> None:
    known = reference.expected("pandalm_pairwise")
    found = jb.rater_pairs(reference.pandalm())
    for pair, kappa in known["computed"]["cohen"].items():
        one, two = pair.split("-")
        row = found[f"annotator{one} and annotator{two}"]
        assert row.estimate == pytest.approx(kappa, abs=1e-9)
        assert round(row.kappa or 0, 2) == known["published"]["cohen_kappa"][pair]
        assert row.percent == pytest.approx(known["computed"]["raw_agree"][pair])
        assert row.interval.low < kappa < row.interval.high
        assert row.interval.generalizes_to == "items like these, judged by these raters"


def test_agreement_of_the_tifa_study() -> None:
    known = reference.expected("tifa_human")["computed"]["agreement"]
    rows = reference.rows_of("tifa_human/data/tifa_human_with_metrics.csv")
    ratings = reference.columns(
        [
            {"item": row["item"], "rater": name, "score": row[name]}
            for row in rows
            for name in ("human_1", "human_2")
        ]
    )
    quick: dict[str, Any] = {"n_resamples": 20}
    assert jb.percent_agreement(ratings, **quick).estimate == pytest.approx(known["exact"])
    assert jb.cohen_kappa(ratings, **quick).estimate == pytest.approx(known["cohen_kappa"])
    quadratic = jb.cohen_kappa(ratings, weights="quadratic", **quick)
    assert quadratic.estimate == pytest.approx(known["cohen_kappa_quadratic"])
    for level in ("nominal", "ordinal", "interval"):
        alpha = jb.krippendorff_alpha(ratings, level=level, **quick)
        assert alpha.estimate == pytest.approx(known[f"alpha_{level}"])


def test_percent_of_pairs_and_weights() -> None:
    ratings = table(noisy(4, 20, 1))
    percent = jb.rater_pairs(ratings, statistic="percent")
    assert len(percent) == 6
    for row in percent:
        assert row.estimate == row.percent  # type: ignore[attr-defined]
        assert row.interval is not None
        assert 0 <= row.interval.low < row.interval.high <= 1
    weighted = jb.rater_pairs(ratings, weights="quadratic")["r0 and r1"]
    two = jb.cohen_kappa(table(noisy(4, 20, 1)[:2]), weights="quadratic")
    assert weighted.estimate == pytest.approx(two.estimate)
    with pytest.raises(InputError, match="statistic must be 'cohen' or 'percent'"):
        jb.rater_pairs(ratings, statistic="alpha")  # type: ignore[arg-type]  # wrong on purpose


def test_pairs_with_little_in_common_have_no_number() -> None:
    matrix = noisy(3, 20, 2)
    matrix[2] = [value if u < 7 else None for u, value in enumerate(matrix[2])]
    found = jb.rater_pairs(table(matrix))
    assert found["r0 and r1"].estimate is not None
    row = found["r0 and r2"]
    assert (row.estimate, row.interval, row.n_units) == (None, None, 7)
    assert row.undefined == "the two raters share 7 units, fewer than 10"
    # Two raters may be as few as they are; of several, pairs need ten units.
    mean = jb.cohen_kappa(table(matrix))
    assert mean.n_pairs == 1
    assert mean.estimate == pytest.approx(found["r0 and r1"].estimate)


def test_perfect_pairs_and_degenerate_tables() -> None:
    same = [1, 2, 3, 4] * 4
    percent = jb.rater_pairs(table([same, same]), statistic="percent")["r0 and r1"]
    assert percent.estimate == 1
    assert percent.interval is not None
    assert percent.interval.low < 1  # Wilson's: no zero width
    kappa = jb.rater_pairs(table([same, same]))["r0 and r1"]
    assert (kappa.estimate, kappa.interval) == (1, None)
    assert kappa.undefined == "leaving out items never changes it"
    one = jb.rater_pairs(table([same]))
    assert (len(one), one.undefined) == (0, "there is only one rater")
    constant = jb.rater_pairs(table([[1] * 12, [1] * 12]))["r0 and r1"]
    assert (constant.estimate, constant.undefined) == (None, "every response is the same value")
    none = jb.cohen_kappa(table([[1, 2, None, None], [None, None, 1, 2], [1, None, 1, None]]))
    assert (none.estimate, none.undefined) == (None, "no two raters share ten units")


def test_the_interval_is_never_narrower_than_one_way() -> None:
    ratings = table(noisy(6, 30, 3))
    wide = jb.cohen_kappa(ratings)
    items = jb.cohen_kappa(ratings, generalize="items", n_resamples=400)
    assert wide.interval is not None
    assert items.interval is not None
    assert items.interval.method.startswith("bootstrap of items, 400 resamples")
    assert wide.interval.method.startswith("two-way jackknife, Fisher's z, t(")
    assert items.interval.high - items.interval.low < wide.interval.high - wide.interval.low


def test_many_raters_leave_one_out_like_the_definition() -> None:
    # Without rater r the mean is over the pairs of the others.
    matrix = noisy(5, 12, 4)
    whole = jb.cohen_kappa(table(matrix))
    assert whole.n_pairs == 10
    kappas = [row.estimate for row in jb.rater_pairs(table(matrix))]
    assert whole.estimate == pytest.approx(np.mean([k for k in kappas if k is not None]))
    assert "the mean over 10 pairs of raters with at least ten shared units" in whole.notes


def test_the_table_survives_json_and_prints_every_pair() -> None:
    found = jb.rater_pairs(table(noisy(3, 15, 5)))
    assert ResultTable.from_dict(found.to_dict()) == found
    assert "r0 and r2" in str(found)


def test_pairs_of_one_answer_are_counted_beside_the_mean() -> None:
    # r2 and r3 gave one answer each, the same: no kappa. The five other pairs have one.
    own = [1, 2] * 6
    found = jb.cohen_kappa(table([own, own, [1] * 12, [1] * 12]))
    assert found.n_pairs == 5
    assert "1 further pair of raters has no kappa and no part in it: both gave one answer only" in (
        found.notes
    )
    # r0 with r1: 1; with r2 and r3 what chance gives: 0; r1 likewise.
    assert found.estimate == pytest.approx(1 / 5)
    assert not any("further" in note for note in jb.cohen_kappa(table([own, own])).notes)
