"""The chapter of ratings and its two functions: scores, families, margins, what cannot be said."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import numpy as np
import pytest
from scipy import stats

import jurybox as jb
from jurybox.analysis import Analysis, analyze
from jurybox.analysis.asked import Asked, AskedCriterion, Contrast
from jurybox.analysis.context import Context
from jurybox.analysis.finding import Chapter, Finding
from jurybox.analysis.options import Options
from jurybox.analysis.ratings import rating_chapter
from jurybox.errors import InputError
from jurybox.stats.differences import Difference
from jurybox.stats.distributions import t_quantile
from jurybox.stats.equivalence import Equivalence
from jurybox.tally.responses import read
from tests import reference

Columns = dict[str, list[Any]]
LEVELS = {"best": 1.0, "mid": 0.0, "same": 0.0}


def table(rows: list[tuple[Any, ...]], names: str = "item system rater score") -> Columns:
    return dict(zip(names.split(), map(list, zip(*rows, strict=True)), strict=True))


def ratings(
    seed: int = 1,
    *,
    items: int = 12,
    raters: int = 8,
    systems: tuple[str, ...] = tuple(LEVELS),
    criteria: tuple[str, ...] = ("quality", "realism"),
    share: float = 1.0,
) -> Columns:
    draw = random.Random(seed)
    lenient = [draw.gauss(0, 0.4) for _ in range(raters)]
    return table(
        [
            (f"i{i}", s, f"r{r}", c, min(5, max(1, round(3 + LEVELS[s] + e + draw.gauss(0, 0.8)))))
            for i in range(items)
            for s in systems
            for r, e in enumerate(lenient)
            for c in criteria
            if draw.random() < share
        ],
        "item system rater criterion score",
    )


def chapter(data: Columns, asked: Asked | None = None) -> Chapter:
    responses = read(data, shape="ratings")
    try:
        return rating_chapter(Context(asked=asked or Asked(), options=Options()), responses)
    finally:
        responses.close()


def gaps(found: Chapter | Analysis) -> dict[str, Difference]:
    return {
        f.id.removeprefix("difference/"): f.result
        for f in found.findings
        if f.id.startswith("difference/") and isinstance(f.result, Difference)
    }


def finding(found: Chapter | Analysis, start: str) -> Finding:
    return next(f for f in found.findings if f.id.startswith(start))


# Families


def test_without_a_primary_contrast_all_pairs_of_all_criteria_are_one_family() -> None:
    found = gaps(chapter(ratings()))
    assert len(found) == 6
    assert {gap.adjusted_by for gap in found.values()} == {"max-t over 6 comparisons"}
    # The criteria of one response go together, so a joint family pays less than six strangers.
    alone = gaps(chapter(ratings(criteria=("quality",))))
    assert {gap.adjusted_by for gap in alone.values()} == {"max-t over 3 comparisons"}


def test_the_primary_contrast_is_alone_and_the_rest_of_its_criterion_a_family() -> None:
    asked = Asked(primary=Contrast(kind="mean", systems=("mid", "best"), criterion="realism"))
    found = chapter(ratings(), asked)
    head = found.findings[0]
    assert (head.standing, head.systems) == ("primary", ("mid", "best"))
    assert "lower than best on realism" in head.sentence
    assert "max-t" not in head.sentence
    by = {name: gap.adjusted_by for name, gap in gaps(found).items()}
    assert by.pop("realism/mid/best") is None
    assert {b for name, b in by.items() if name.startswith("realism")} == {
        "max-t over 2 comparisons"
    }
    assert {b for name, b in by.items() if name.startswith("quality")} == {
        "max-t over 3 comparisons"
    }
    assert all(f.standing != "primary" for f in found.findings[1:])
    caption = next(t.caption for t in found.tables if t.id == "differences/realism")
    assert "mid − best is tested alone." in caption


def test_a_contrast_without_a_criterion_is_about_the_first() -> None:
    asked = Asked(primary=Contrast(kind="mean", systems=("mid", "best")))
    found = chapter(ratings(), asked)
    assert [f.criterion for f in found.findings if f.standing == "primary"] == ["quality"]
    assert len(gaps(found)) == 6


def test_a_baseline_leaves_its_own_comparisons_and_comes_second() -> None:
    found = gaps(chapter(ratings(criteria=("quality",)), Asked(baseline="best")))
    assert set(found) == {"quality/mid/best", "quality/same/best"}
    assert all((gap.estimate or 0) < 0 for gap in found.values())
    assert {gap.adjusted_by for gap in found.values()} == {"max-t over 2 comparisons"}
    direct = jb.compare_systems(ratings(criteria=("quality",)), baseline="best")
    assert [row.name for row in direct.rows] == ["mid − best", "same − best"]
    with pytest.raises(InputError, match=r"baseline must be one of the systems \(best, mid, same"):
        jb.compare_systems(ratings(), baseline="worst")


def test_a_baseline_beside_another_primary_contrast_keeps_both() -> None:
    asked = Asked(
        baseline="best", primary=Contrast(kind="mean", systems=("mid", "same"), criterion="quality")
    )
    found = gaps(chapter(ratings(criteria=("quality",)), asked))
    assert set(found) == {"quality/mid/same", "quality/best/mid", "quality/best/same"}
    assert found["quality/mid/same"].adjusted_by is None


def test_the_public_families_are_per_criterion_and_repeat() -> None:
    found = jb.compare_systems(ratings())
    assert {row.adjusted_by for row in found.rows} == {"max-t over 3 comparisons"}
    assert found == jb.compare_systems(ratings())
    assert found.rows[0].p == pytest.approx(jb.compare_systems(ratings(), seed=5).rows[0].p)


# Tests and effect sizes on item means


def test_item_means_are_tested_as_scipy_does() -> None:
    data = ratings(criteria=("quality",), systems=("best", "mid"), raters=3, items=60)
    row = jb.compare_systems(data).rows[0]
    # Every mean is a third of a whole sum, and sums have no rounding.
    sums: dict[tuple[str, str], int] = {}
    for item, system, score in zip(data["item"], data["system"], data["score"], strict=True):
        sums[item, system] = sums.get((item, system), 0) + score
    d = np.array([sums[i, "best"] - sums[i, "mid"] for i in sorted(set(data["item"]))])
    wilcoxon, flips = row.tests
    ranks = stats.rankdata(np.abs(d))
    assert wilcoxon.estimate == pytest.approx(ranks[d > 0].sum())
    known = stats.wilcoxon(d, zero_method="pratt", method="approx", correction=False)
    assert wilcoxon.p == pytest.approx(known.pvalue, abs=0.01)
    assert flips.p == pytest.approx(stats.ttest_1samp(d, 0).pvalue, abs=0.01)
    assert {test.generalizes_to for test in row.tests} == {
        "items like these, judged by these raters"
    }
    assert all(effect.interval is not None for effect in row.effects)


def test_systems_that_share_neither_item_nor_rater_get_mann_whitney_and_no_difference() -> None:
    rows = [(f"{s}{i}", s, f"{s}{r}", 2 + i % 3 + (s == "x")) for s in "xy" for i in range(9)
            for r in range(3)]  # fmt: skip
    row = jb.compare_systems(table(rows)).rows[0]
    assert row.estimate is None
    assert row.undefined == "no item has responses for both x and y"
    (test,) = row.tests
    one, two = [3 + i % 3 for i in range(9)], [2 + i % 3 for i in range(9)]
    assert test.test == "Mann–Whitney"
    assert test.estimate == stats.mannwhitneyu(one, two).statistic
    assert "could be the whole difference" in test.notes[0]
    assert [effect.effect for effect in row.effects] == ["cliff_delta_between"]


@pytest.mark.parametrize("shared", ["rater", "item"])
def test_mann_whitney_is_not_made_where_an_item_or_a_rater_is_shared(shared: str) -> None:
    rows = [
        (f"i{i}" if shared == "item" else f"{s}{i}", s, f"r{r}" if shared == "rater" else f"{s}{r}",
         i % 3 + (s == "x"))
        for s in "xy" for i in range(9) for r in range(3)
    ]  # fmt: skip
    row = jb.compare_systems(table(rows)).rows[0]
    assert (row.estimate, row.tests) == (None, ())


def test_fewer_than_six_items_get_their_sentence() -> None:
    found = jb.analyze(ratings(items=5), n_resamples=20)
    (said,) = [
        warning for warning in found.warnings if "items" in warning and "raters" not in warning
    ]
    assert said == (
        "5 items: too few to speak for others, and a signed-rank p cannot reach .05 below 6"
    )
    assert chapter(ratings(items=12)).warnings == ()


def test_a_pair_that_shares_few_of_many_items_gets_its_sentence() -> None:
    data = ratings(items=12, systems=("mid", "same"), criteria=("quality",))
    keep = [
        k
        for k, (item, system) in enumerate(zip(data["item"], data["system"], strict=True))
        if system == "mid" or item in sorted(set(data["item"]))[:4]
    ]
    part = {name: [values[k] for k in keep] for name, values in data.items()}
    assert chapter(part).warnings == (
        "3 of 4 items with a difference: a signed-rank p cannot reach .05 below 6 items",
    )


def test_a_table_without_systems_speaks_of_all_its_outputs() -> None:
    data = ratings(systems=("mid",), criteria=("quality",))
    del data["system"]
    (mean,) = [f for f in chapter(data).findings if f.id.startswith("mean/")]
    assert mean.sentence.startswith("All outputs have a mean score of ")
    yes = {**data, "score": [int(score > 3) for score in data["score"]]}
    (passed,) = [f for f in chapter(yes).findings if f.id.startswith("pass/")]
    assert passed.sentence.startswith("All outputs get 1 (yes) on quality in ")


# Many systems


def test_three_systems_are_tested_together() -> None:
    data = ratings(criteria=("quality",))
    (found,) = jb.compare_systems(data).omnibus
    cells: dict[tuple[str, str], list[float]] = {}
    for item, system, score in zip(data["item"], data["system"], data["score"], strict=True):
        cells.setdefault((system, item), []).append(score)
    items = sorted(set(data["item"]))
    known = stats.friedmanchisquare(*[[np.mean(cells[s, i]) for i in items] for s in LEVELS])
    assert found.estimate == pytest.approx(known.statistic)
    assert found.p == pytest.approx(known.pvalue)
    assert (found.test, found.n_blocks, found.n_dropped) == ("Friedman", 12, 0)
    said = finding(chapter(data), "omnibus/quality")
    assert said.sentence.startswith("Judged by these raters, the 3 systems are not all alike on")


def test_incomplete_items_give_skillings_mack_and_count_what_is_dropped() -> None:
    rows = [
        (f"i{i}", s, f"r{r}", 1 + (i + 2 * r + k) % 5)
        for i in range(10)
        for k, s in enumerate("xyz")
        for r in range(3)
        if not (i < 4 and s == "z")
    ]
    rows += [("alone", "x", "r0", 3)]
    (found,) = jb.compare_systems(table(rows)).omnibus
    assert (found.test, found.n_blocks, found.n_dropped) == ("Skillings–Mack", 10, 1)


def test_raters_with_one_system_each_leave_no_block() -> None:
    rows = [(f"i{i}", s, f"{s}{i}", i % 3) for i in range(6) for s in "xyz"]
    (found,) = jb.compare_systems(table(rows)).omnibus
    assert found.undefined == "no item has all its systems judged by the same raters"
    assert found.n_dropped == 6


def test_two_systems_have_no_omnibus() -> None:
    assert jb.compare_systems(ratings(systems=("best", "mid"))).omnibus == ()


# Margins


def test_a_margin_brings_equivalence_and_nothing_does_so_by_default() -> None:
    data = ratings(criteria=("quality",), systems=("mid", "same"), raters=12, items=30)
    assert all(not f.id.startswith("equivalence") for f in chapter(data).findings)
    within = finding(chapter(data, Asked(margin=0.6)), "equivalence/")
    assert isinstance(within.result, Equivalence)
    assert "are equivalent on quality within a margin of 0.600 (90% interval" in within.sentence
    assert "; 95% interval" in within.sentence
    assert within.told
    narrow = finding(chapter(data, Asked(margin=0.01)), "equivalence/")
    assert narrow.sentence.startswith("It is not shown that")
    assert not narrow.told


def test_not_inferior_is_said_of_the_first_of_a_stated_contrast() -> None:
    data = ratings(criteria=("quality",), systems=("best", "mid"), raters=12, items=30)
    better = Contrast(kind="mean", systems=("best", "mid"), criterion="quality")
    found = finding(chapter(data, Asked(margin=0.3, primary=better)), "equivalence/")
    assert "best is not inferior to mid on quality by a margin of 0.300" in found.sentence
    worse = Contrast(kind="mean", systems=("mid", "best"), criterion="quality")
    assert not finding(chapter(data, Asked(margin=0.3, primary=worse)), "equivalence/").told
    # Where lower is better, the same scores make the other one not inferior.
    asked = Asked(margin=0.3, primary=worse, criteria={"quality": AskedCriterion(higher=False)})
    assert finding(chapter(data, asked), "equivalence/").told


def test_several_equivalences_are_adjusted_and_claim_no_more() -> None:
    data = ratings(criteria=("quality",), raters=12, items=30)
    found = chapter(data, Asked(margin=0.6))
    results = [f for f in found.findings if f.id.startswith("equivalence/")]
    assert len(results) == 3
    assert all("by Holm" in f.sentence for f in results)
    assert not any("not inferior" in f.sentence for f in results)


@pytest.mark.parametrize("margin", [0, -1, math.inf])
def test_a_margin_that_is_none_is_refused(margin: float) -> None:
    with pytest.raises(InputError, match="margin must be a positive number of points"):
        jb.compare_systems(ratings(), margin=margin)


# Scores


def test_how_scores_lie() -> None:
    scores = [1, 1, 2, 4, 5, 5, 5, 3]
    data = table([(i // 2, "x", f"r{i % 2}", s) for i, s in enumerate(scores)])
    row = jb.mean_scores(data, pass_mark=4, robustness=True)["x"]
    assert row.median == np.median(scores)
    assert row.worst_tenth == pytest.approx(np.quantile(scores, 0.1))
    assert row.sd == pytest.approx(np.std(scores, ddof=1))
    assert row.histogram == ((1.0, 2), (2.0, 1), (3.0, 1), (4.0, 1), (5.0, 3))
    assert row.pass_rate.estimate == pytest.approx(4 / 8)
    assert row.at_worst.estimate == pytest.approx(2 / 8)
    assert row.at_worst.interval is not None
    # Item means 1, 3, 5, 4.
    assert row.item_sd == pytest.approx(np.std([1, 3, 5, 4], ddof=1))


def test_very_many_values_have_quantiles_but_no_histogram() -> None:
    draw = random.Random(1)
    scores = [draw.random() for _ in range(12_000)]
    data = table([(i // 2, "x", f"r{i % 2}", s) for i, s in enumerate(scores)])
    row = jb.mean_scores(data, robustness=True)["x"]
    assert row.histogram == ()
    assert row.at_worst is None
    assert row.median == pytest.approx(np.median(scores))
    assert row.worst_tenth == pytest.approx(np.quantile(scores, 0.1))


def test_a_study_gives_the_same_interval_as_its_table() -> None:
    data = table([(i, "x", f"r{r}", 5 - (i * r == 1)) for i in range(3) for r in range(3)])
    plain = jb.mean_scores(data)["x"]
    assert plain.interval is not None
    asked = Asked(criteria={"overall": AskedCriterion(values=(1.0, 2.0, 3.0, 4.0, 5.0))})
    found = finding(chapter(data, asked), "mean/overall/x").result
    assert plain.interval.high > 5
    assert found.interval == plain.interval


def test_where_lower_is_better_the_worst_value_is_the_highest() -> None:
    asked = Asked(
        criteria={"quality": AskedCriterion(higher=False, values=(1.0, 2.0, 3.0, 4.0, 5.0))}
    )
    found = chapter(ratings(criteria=("quality",)), asked)
    shown = next(t for t in found.tables if t.id == "robustness/quality")
    assert [c.heading for c in shown.columns] == [
        *("System", "At 5", "95% interval", "90th percentile", "SD of item means")
    ]
    assert shown.rows[-1][0] == "best"
    assert "At the highest value of the scale" in shown.caption


def test_yes_and_no_need_no_robustness() -> None:
    data = table([(i, "x", f"r{r}", (i + r) % 2) for i in range(4) for r in range(3)])
    assert not any(t.id.startswith("robustness/") for t in chapter(data).tables)


def test_opinion_scores_are_named_only_on_their_scale() -> None:
    acr = Asked(criteria={"quality": AskedCriterion(opinion=True)})
    data = ratings(criteria=("quality",))
    assert "mean opinion score of" in finding(chapter(data, acr), "mean/").sentence
    assert "has a mean score of" in finding(chapter(data), "mean/").sentence


# More data


def test_the_headline_says_what_more_data_would_do() -> None:
    found = chapter(ratings(share=0.8))
    more = finding(found, "more_data/")
    head = found.findings[0].result
    assert isinstance(head, Difference)
    assert head.more_data is not None
    assert (more.standing, more.systems) == ("quality", found.findings[0].systems)
    assert "reaches" in more.sentence
    assert "in 80% of cases" in more.sentence
    assert sum(f.id.startswith("more_data/") for f in found.findings) == 1
    assert head.interval is not None
    half = (head.interval.high - head.interval.low) / 2
    assert head.more_data.estimate == pytest.approx(half)


# What cannot be said

DEGENERATE: dict[str, tuple[list[tuple[Any, ...]], str | None]] = {
    "one rater": ([(i, s, "r", i + (s == "x")) for i in range(8) for s in "xy"], None),
    "one item": ([(1, s, f"r{r}", r + (s == "x")) for r in range(8) for s in "xy"], None),
    "one system": ([(i, "x", f"r{r}", i % 3) for i in range(4) for r in range(3)], None),
    "one rating": ([(1, "x", "r", 3)], None),
    "no variance": (
        [(i, s, f"r{r}", 3) for i in range(4) for r in range(3) for s in "xyz"],
        "neither raters nor items vary",
    ),
    "a constant gap": (
        [(i, s, f"r{r}", 3 + (s == "x")) for i in range(8) for r in range(3) for s in "xy"],
        "neither raters nor items vary",
    ),
    "raters nested in systems": (
        [(i, s, f"{s}{r}", i + r) for i in range(4) for r in range(3) for s in "xy"],
        "no rater judged both x and y, so systems and raters cannot be told apart",
    ),
    "three systems, two of them apart": (
        [(f"{'z' if s == 'z' else 'a'}{i}", s, f"r{r}", (i * r) % 4 + (s == "x"))
         for i in range(8) for r in range(3) for s in "xyz"],
        "no item has responses for both x and z",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", DEGENERATE)
def test_degenerate_tables_give_sentences(case: str) -> None:
    rows, why = DEGENERATE[case]
    data = table(rows)
    found = jb.compare_systems(data, margin=0.5)
    scores = jb.mean_scores(data, pass_mark=2, robustness=True)
    json.dumps([found.to_dict(), scores.to_dict()], allow_nan=False)
    for row in found.rows:
        results = [row, *row.tests, *row.effects]
        results += [r for r in (row.equivalence, row.more_data) if r is not None]
        for result in results:
            assert result.estimate is not None or result.undefined
            assert result.interval is not None or result.undefined
            assert result.interval is None or result.interval.low < result.interval.high
    if why is not None:
        assert why in {row.undefined for row in found.rows}
    assert analyze(data).findings


def test_a_table_without_raters_is_compared_for_these_raters() -> None:
    data = ratings(criteria=("quality",))
    no_raters = {name: values for name, values in data.items() if name != "rater"}
    row = jb.compare_systems(no_raters).rows[0]
    assert row.interval is not None
    assert row.interval.generalizes_to == "items like these, judged by these raters"
    assert row.adjusted_by == "max-t over 3 comparisons"


@pytest.mark.parametrize("cluster", ["rater", "item", None])
def test_every_clustering_has_its_family(cluster: Any) -> None:
    found = jb.compare_systems(ratings(criteria=("quality",)), cluster=cluster)
    assert {row.adjusted_by for row in found.rows} == {"max-t over 3 comparisons"}
    assert all(row.simultaneous is not None for row in found.rows)


def test_only_one_system_is_said() -> None:
    found = jb.compare_systems(ratings(systems=("mid",)))
    assert (found.rows, found.undefined) == ((), "there is only one system")


# A published study


def test_netflix_opinion_scores_and_their_standard_errors() -> None:
    known = reference.expected("nflx_public_mos")["published"]
    rows = reference.rows_of("nflx_public_mos/data/nflx_public_long.csv")
    data = table([(r["content_id"], r["asset_id"], r["subject"], float(r["score"])) for r in rows])
    found = jb.mean_scores(data)
    by_asset = sorted(found.rows, key=lambda row: int(row.system))
    means = [row.estimate for row in by_asset]
    assert means[0] == pytest.approx(known["mos_first"], abs=1e-12)
    assert means[10] == pytest.approx(known["mos_11th"], abs=1e-12)
    assert np.mean([m or 0 for m in means]) == pytest.approx(known["mean_mos"], abs=1e-12)
    # Each video is one item, so 26 raters carry its interval: half-width over t(25) is the
    # standard error. Where all agree there is none.
    errors = []
    for row in by_asset:
        assert row.n_raters == 26
        if row.interval is None:
            assert row.sd == 0
            errors.append(0.0)
        else:
            half = (row.interval.high - row.interval.low) / 2
            errors.append(half / t_quantile(0.95, 25))
    assert np.mean(errors) == pytest.approx(known["mean_sem"], abs=1e-9)


# Repeated answers


def repeated() -> tuple[Columns, Columns]:
    """A table in which a rater judged every output once more, and the same without that."""
    once = [
        (i, s, f"r{r}", (i + 2 * r + (s == "new")) % 5 + 1, f"t{i}{s}")
        for i in range(6)
        for s in ("new", "old")
        for r in range(3)
    ]
    again = [(i, s, r, 5, f"again {t}") for i, s, r, _, t in once if r == "r0"]
    names = "item system rater score trial"
    return table([*once, *again], names), table(once, names)


def test_a_second_answer_to_an_output_is_a_retest_and_no_further_opinion() -> None:
    twice, once = repeated()
    assert jb.mean_scores(twice) == jb.mean_scores(once)
    (row,), (same,) = jb.compare_systems(twice).rows, jb.compare_systems(once).rows
    assert (row.estimate, row.p) == pytest.approx((same.estimate, same.p))
    assert row.n_responses == same.n_responses == 36
    found = chapter(twice)
    assert found.took == ("12 repeated answers of a rater to an output: the first counts",)
    (gap,) = gaps(found).values()
    assert gap.p == pytest.approx(same.p)
    assert chapter(once).took == ()
    metrics = {"item": list(range(6)), "system": ["new"] * 6, "m": [3, 1, 2, 5, 4, 6]}
    followed = [jb.correlate_metrics(data, metrics).rows[0] for data in (twice, once)]
    assert followed[0].estimate == pytest.approx(followed[1].estimate)
    assert followed[0].n_responses == followed[1].n_responses == 18


# A criterion on which the baseline was not judged, a margin of another criterion


def test_a_baseline_need_not_be_judged_on_every_criterion() -> None:
    data = ratings(criteria=("quality",))
    for name, values in ratings(criteria=("realism",), systems=("mid", "same")).items():
        data[name] += values
    found = jb.compare_systems(data, baseline="best")
    assert [(row.criterion, row.name) for row in found.rows] == [
        ("quality", "mid − best"),
        ("quality", "same − best"),
    ]


def test_one_margin_is_not_for_criteria_on_several_scales() -> None:
    five, hundred = AskedCriterion(ends=(1, 5)), AskedCriterion(ends=(0, 100))
    mixed = chapter(ratings(), Asked(margin=0.5, criteria={"quality": five, "realism": hundred}))
    assert all(gap.equivalence is None for gap in gaps(mixed).values())
    assert any(w.startswith("a margin of 0.5 is in points of one scale") for w in mixed.warnings)
    alike = chapter(ratings(), Asked(margin=0.5, criteria={"quality": five, "realism": five}))
    assert all(gap.equivalence is not None for gap in gaps(alike).values())
    assert alike.warnings == ()


def test_a_margin_holds_for_the_criterion_of_the_primary_contrast() -> None:
    primary = Contrast(kind="mean", systems=("mid", "same"), criterion="quality")
    found = gaps(chapter(ratings(), Asked(primary=primary, margin=0.5)))
    with_margin = {name for name, gap in found.items() if gap.equivalence is not None}
    assert with_margin == {name for name in found if name.startswith("quality/")}
    votes = Contrast(kind="win_rate", systems=("mid", "same"))
    found = gaps(chapter(ratings(), Asked(primary=votes, margin=0.02)))
    assert not any(gap.equivalence for gap in found.values())


# Sentences


def test_the_interval_that_more_data_would_narrow_is_named() -> None:
    said = {f.id.split("/")[0]: f.sentence for f in chapter(ratings()).findings}
    assert ", taken alone, reaches " in said["more_data"]
    assert said["omnibus"].endswith(").")
    assert "no interval" not in said["omnibus"]
    two = chapter(ratings(systems=("best", "mid"), criteria=("quality",)))
    said = {f.id.split("/")[0]: f.sentence for f in two.findings}
    assert "taken alone" not in said["more_data"]


def test_a_primary_comparison_or_baseline_that_nobody_rated_is_said() -> None:
    data = ratings(criteria=("quality",))
    primary = Contrast(kind="mean", systems=("new", "best"), criterion="quality")
    assert chapter(data, Asked(primary=primary)).warnings == (
        "the primary comparison of new and best has no answer: nobody rated new on quality",
    )
    primary = Contrast(kind="mean", systems=("new", "best"))
    assert chapter(data, Asked(primary=primary)).warnings == (
        "the primary comparison of new and best has no answer: nobody rated new",
    )
    assert chapter(data, Asked(baseline="old")).warnings == (
        "nobody rated the baseline old, so no system is compared with another",
    )
    there = Contrast(kind="mean", systems=("mid", "best"))
    assert chapter(data, Asked(primary=there, baseline="best")).warnings == ()


def test_of_few_raters_the_narrow_interval_is_said_to_be_of_one_pair() -> None:
    few = [f.sentence for f in chapter(ratings(raters=3)).findings if f.id.startswith("difference")]
    assert all("; for these raters and this pair alone " in sentence for sentence in few)
    two = chapter(ratings(raters=3, systems=("best", "mid"), criteria=("quality",)))
    assert "; for these raters alone " in two.findings[0].sentence
