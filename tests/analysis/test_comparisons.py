"""Systems compared by ratings: families, tests on item means, many systems, margins."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from scipy import stats

import jurybox as jb
from jurybox.analysis.asked import Asked, AskedCriterion, Contrast, asked_by
from jurybox.analysis.finding import format_rows
from jurybox.errors import InputError
from jurybox.formats import digits_within
from jurybox.stats.equivalence import Equivalence
from jurybox.study import Study
from tests.rated import LEVELS, chapter, finding, gaps, ratings, table
from tests.reference import Columns

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
    with pytest.raises(
        InputError, match=r"baseline must be one of the systems \(best, mid and same"
    ):
        jb.compare_systems(ratings(), baseline="worst")


def test_a_system_that_the_study_marks_is_the_baseline() -> None:
    study = Study(
        title="t",
        protocol="rate",
        outputs="o.csv",
        systems={"best": {"baseline": True}, "mid": {}, "same": {}},
        show={"o": "text"},
        criteria={"quality": {"scale": "acr"}},
    )
    found = gaps(chapter(ratings(criteria=("quality",)), asked_by(study)))
    assert set(found) == {"quality/mid/best", "quality/same/best"}


def test_a_table_is_held_against_the_baseline_that_is_asked_for() -> None:
    found = jb.analyze(ratings(criteria=("quality",)), baseline="mid")
    pairs = {f.systems for f in found.findings if f.kind == "difference"}
    assert pairs == {("best", "mid"), ("same", "mid")}
    (table,) = [t for t in found.tables if t.kind == "differences"]
    assert [row[:2] for row in table.rows] == [("best", "mid"), ("same", "mid")]
    with pytest.raises(InputError, match=r"the baseline must be one of the systems \(best, mid a"):
        jb.analyze(ratings(), baseline="worst")


def test_a_baseline_beside_a_study_or_beside_detections_is_refused() -> None:
    study = Study(title="t", protocol="rate", outputs="o.csv", show={"o": "text"})
    with pytest.raises(InputError, match="a study names its baseline before the data"):
        jb.analyze(ratings(criteria=("quality",)), study=study, baseline="mid")
    seen = {
        "item": ["1", "2"] * 2,
        "system": ["camera", "model"] * 2,
        "rater": ["a", "a", "b", "b"],
        "truth": ["real", "generated"] * 2,
        "answer": ["real"] * 4,
    }
    with pytest.raises(InputError, match="detections are not compared pair by pair"):
        jb.analyze(seen, baseline="model")


def test_more_comparisons_than_a_machine_holds_are_refused_with_the_ways_on() -> None:
    systems = [f"s{n}" for n in range(500)]  # 500 · 499 / 2 = 124,750 pairs
    one: Columns = {"item": ["i"] * 500, "system": systems, "rater": ["r"] * 500}
    one["score"] = [1, 2] * 250
    said = "500 systems make 124,750 comparisons, more than the 100,000 that one analysis takes: "
    with pytest.raises(InputError, match=f"{said}name a baseline that all others"):
        jb.analyze(one)
    two = {name: values * 2 for name, values in one.items()}
    two["criterion"] = ["c"] * 500 + ["d"] * 500
    on = "500 systems on 2 criteria make 249,500 .*: name one criterion .* or a baseline"
    with pytest.raises(InputError, match=on):
        jb.analyze(two)


def test_a_baseline_beside_another_primary_contrast_keeps_both() -> None:
    asked = Asked(
        baseline="best", primary=Contrast(kind="mean", systems=("mid", "same"), criterion="quality")
    )
    found = gaps(chapter(ratings(criteria=("quality",)), asked))
    assert set(found) == {"quality/mid/same", "quality/mid/best", "quality/same/best"}
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
    said = jb.analyze(table(rows)).table("differences/overall")
    assert said is not None
    assert (
        "the mean of an item of the first lies above that of an item of the second" in said.caption
    )
    assert "same item" not in said.caption


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
        "5 items: too few to speak for others, and a signed-rank p cannot reach 0.05 below 6"
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
        "same and mid differ on 3 of 4 items on quality: the signed-rank p, which JSON has beside "
        "that of the t test, cannot reach 0.05 on fewer than 6",
    )


def test_sentences_print_the_numbers_of_the_table() -> None:
    draw = random.Random(3)
    spread = {"steady": 0.1, "wild": 6.0, "calm": 1.0}
    rows = [
        (item, system, f"r{rater}", 10 + draw.gauss(0, width))
        for item in range(8)
        for rater in range(5)
        for system, width in spread.items()
    ]
    found = chapter(table(rows))
    shown = next(t for t in found.tables if t.id.startswith("differences/"))
    told = [f.sentence for f in found.findings if f.id.startswith("difference/")]
    assert len({digits_within(*row[3]) for row in shown.rows}) > 1
    for sentence, (_, _, estimate, interval, *_) in zip(told, format_rows(shown), strict=True):
        assert f"the difference is {estimate} (95% simultaneous interval {interval};" in sentence


def test_an_effect_without_an_interval_has_its_reason_below_the_table() -> None:
    data = table(
        [
            (item, system, f"r{rater}", score + (item * rater) % 3 * 0.25)
            for item in range(8)
            for rater in range(5)
            for system, score in (("high", 5), ("low", 1), ("deep", 1.25))
        ]
    )
    found = next(t for t in chapter(data).tables if t.id.startswith("differences/"))
    names = [column.name for column in found.columns]
    missing = [row[:2] for row in found.rows if row[names.index("delta_interval")] is None]
    assert len(missing) == 2
    assert found.caption.endswith(
        "No interval of δ of high − deep, high − low: every item that differs points the same way."
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


def test_one_rater_is_not_these_raters() -> None:
    data = ratings(criteria=("quality",))
    mine = [i for i, rater in enumerate(data["rater"]) if rater == data["rater"][0]]
    alone = chapter({name: [values[i] for i in mine] for name, values in data.items()})
    assert "this rater" in finding(alone, "omnibus/quality").sentence
    (compared,) = [table for table in alone.tables if table.id.startswith("differences/")]
    assert compared.caption.endswith("than below it, for this rater.")


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


def test_items_too_few_for_any_difference_are_not_tested() -> None:
    # Two items of three systems: χ² is at most 4, and P(χ²(2) ≥ 4) = e⁻² = 0.135.
    rows = [(f"i{i}", s, "ada", k) for i in range(2) for k, s in enumerate("xyz")]
    (found,) = jb.compare_systems(table(rows)).omnibus
    few = "only 2 items have all their systems judged by the same raters, too few for any test"
    assert (found.estimate, found.p, found.undefined) == (None, None, few)
    # With three items, 6 and e⁻³ = 0.050 (0.04979).
    rows += [("i2", s, "ada", k) for k, s in enumerate("xyz")]
    (found,) = jb.compare_systems(table(rows)).omnibus
    assert found.short() == "χ²(2) = 6.0, p = 0.0498"


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
    (shown,) = (t for t in found.tables if t.id == "equivalence/quality")
    assert shown.title == "Within a margin of 0.600: quality"
    assert [row[-1] == "shown" for row in shown.rows] == [f.told for f in results]
    assert "p holds for the whole family (Holm over 3 comparisons)." in shown.caption


@pytest.mark.parametrize("margin", [0, -1, math.inf])
def test_a_margin_that_is_none_is_refused(margin: float) -> None:
    with pytest.raises(InputError, match="margin must be a positive number of points"):
        jb.compare_systems(ratings(), margin=margin)


# A criterion on which the baseline was not judged, a margin of another criterion


def test_a_baseline_need_not_be_judged_on_every_criterion() -> None:
    data = ratings(criteria=("quality",))
    for name, values in ratings(criteria=("realism",), systems=("mid", "same")).items():
        data[name] += values
    analyzed = [f for f in jb.analyze(data, baseline="best").findings if f.kind == "difference"]
    assert {f.systems for f in analyzed} == {("mid", "best"), ("same", "best")}
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


def test_a_difference_that_never_varies_has_no_interval() -> None:
    # Everybody gives new one point more on every item: what rounding leaves is no variance.
    rows = [
        (f"i{i}", system, f"r{r}", 3 + (system == "new") + ((i + 2 * r) % 3 == 0))
        for i in range(20)
        for r in range(10)
        for system in ("new", "old")
    ]
    (gap,) = jb.compare_systems(table(rows)).rows
    assert gap.estimate == pytest.approx(1.0)
    assert gap.interval is None
    assert gap.p is None
    assert gap.undefined == "neither raters nor items vary"
