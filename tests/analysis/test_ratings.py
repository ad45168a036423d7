"""The chapter of ratings: scores, repeated answers, and what cannot be said."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest

import jurybox as jb
from jurybox.analysis import analyze
from jurybox.analysis.asked import Asked, AskedCriterion, Contrast
from jurybox.results import Result
from jurybox.stats.differences import Difference, ShareGap
from jurybox.stats.distributions import t_quantile
from tests import reference
from tests.rated import Columns, chapter, finding, gaps, ratings, table

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
        *("System", "Share at 5", "95% interval", "90th percentile", "SD of item means")
    ]
    assert shown.rows[-1][0] == "best"
    assert "At the highest value of the scale" in shown.caption


def test_what_is_not_shown_is_not_explained() -> None:
    one_item = table([("i", s, f"r{r}", 1 + r % 3) for s in "xy" for r in range(6)])
    shown = next(t for t in chapter(one_item).tables if t.id == "robustness/overall")
    assert shown.caption.startswith("At the lowest value that anybody gave, by single ratings.")
    # There is a column of intervals, and none of standard deviations.
    assert shown.caption.endswith("they hold for raters like these, on this item only.")


def test_a_mean_without_an_interval_has_its_reason_below_the_table() -> None:
    rows = [
        (i, s, f"r{r}", 1 if s == "x" else (i + r) % 5) for i in range(8) for r in range(6)
        for s in "xy"
    ]  # fmt: skip
    shown = next(t for t in chapter(table(rows)).tables if t.id == "mean_scores/overall")
    assert shown.caption.endswith("No interval of x: neither raters nor items vary.")


def test_the_worst_mean_of_several_scores_is_told_in_three_digits() -> None:
    data = table([(i, "x", f"r{r}", (4 + (i + r) % 4) / 3) for i in range(6) for r in range(4)])
    shown = next(t for t in chapter(data).tables if t.id == "robustness/overall")
    assert shown.columns[1].heading == "Share at 1.333"


def test_of_a_slider_the_worst_fifth_counts() -> None:
    data = table([(i, "x", f"r{r}", 10 * i + r) for i in range(10) for r in range(4)])
    asked = Asked(criteria={"overall": AskedCriterion(ends=(0.0, 100.0))})
    shown = next(t for t in chapter(data, asked).tables if t.id == "robustness/overall")
    assert shown.columns[1].heading == "Share at or below 20"
    # 0 to 3, 10 to 13 and 20 itself, of 40.
    assert shown.rows[0][1] == pytest.approx(9 / 40)
    assert shown.caption.startswith("At the lowest fifth of the scale, by single ratings.")


def test_yes_and_no_are_shares_and_differ_by_points() -> None:
    data = table([(i, s, f"r{r}", int((i + r) % 3 > (s == "x"))) for i in range(6) for r in range(4)
                  for s in "xy"])  # fmt: skip
    asked = Asked(criteria={"overall": AskedCriterion(values=(0.0, 1.0), ends=(0.0, 1.0))})
    found = chapter(data, asked)
    shown = next(t for t in found.tables if t.id == "mean_scores/overall")
    assert shown.title == "Share of yes: overall"
    assert [c.name for c in shown.columns] == [
        *("system", "pass_rate", "interval", "these_raters", "responses")
    ]
    assert shown.caption.startswith(
        "Intervals: logit, clustered by rater and item, t(3); they hold"
    )
    # Of i + r modulo 3, which is even, two of three are above 0 and one above 1.
    assert [row[:2] for row in shown.rows] == [("y", pytest.approx(2 / 3)), ("x", 1 / 3)]
    assert found.findings[0].sentence.startswith("y scores 33.3 points higher than x on overall")
    gap = found.findings[0].result
    assert isinstance(gap, ShareGap)
    assert Result.from_dict(gap.to_dict()) == gap
    differences = next(t for t in found.tables if t.id == "differences/overall")
    assert differences.columns[2].kind == "points"
    assert " points to each side" in finding(found, "more_data/").sentence


def test_zeros_and_ones_on_a_longer_scale_are_scores() -> None:
    data = table([(i, "x", f"r{r}", (i + r) % 2) for i in range(4) for r in range(3)])
    asked = Asked(criteria={"overall": AskedCriterion(values=(0.0, 0.5, 1.0), ends=(0.0, 1.0))})
    shown = next(t for t in chapter(data, asked).tables if t.id == "mean_scores/overall")
    assert [c.heading for c in shown.columns][1] == "Mean score"
    assert "Share of yes" not in [c.heading for c in shown.columns]


def test_yes_and_no_need_no_robustness() -> None:
    data = table([(i, "x", f"r{r}", (i + r) % 2) for i in range(4) for r in range(3)])
    assert not any(t.id.startswith("robustness/") for t in chapter(data).tables)


def test_what_is_told_comes_before_how_the_answers_lie() -> None:
    made = chapter(ratings(criteria=("quality", "style")))
    of_quality = [each.id.partition("/")[0] for each in made.tables if each.about == "quality"]
    assert of_quality == ["mean_scores", "differences", "distribution", "robustness"]


def test_opinion_scores_are_named_only_on_their_scale() -> None:
    acr = Asked(criteria={"quality": AskedCriterion(opinion=True)})
    data = ratings(criteria=("quality",))
    assert "mean opinion score of" in finding(chapter(data, acr), "mean/").sentence
    assert "has a mean score of" in finding(chapter(data), "mean/").sentence


def test_a_difference_without_an_interval_was_not_tested() -> None:
    # Both constant, 20 apart: nothing varies, so nothing is told, and nothing is "not told apart".
    rows = [(i, s, r, 80 if s == "x" else 60) for i in range(5) for s in "xy" for r in "abc"]
    names = ("item", "system", "rater", "score")
    table = {name: [row[k] for row in rows] for k, name in enumerate(names)}
    sentence = analyze(table).findings[0].sentence
    assert sentence.startswith("Whether x and y differ on overall cannot be said: the difference")
    assert "is 20.0 (no interval: neither raters nor items vary;" in sentence


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
        "no rater judged both x and y on items of both, so systems and raters cannot be told "
        "apart",
    ),
    # Everybody judged both systems, but on the items that have both, r0 only x and r1 only y.
    "raters nested in systems on the shared items": (
        [(f"{kind}{i}", s, r, i % 3 + (s == "x"))
         for i in range(4)
         for kind, s, r in (("both", "x", "r0"), ("both", "y", "r1"), ("a", "x", "r1"),
                            ("b", "y", "r0"))],
        "no rater judged both x and y on items of both, so systems and raters cannot be told "
        "apart",
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


# Sentences


def test_the_interval_that_more_data_would_narrow_is_named() -> None:
    said = {f.id.split("/")[0]: f.sentence for f in chapter(ratings()).findings}
    assert ", taken alone, reaches " in said["more_data"]
    assert any(
        f.of_answer.startswith("Taken alone, it reaches ") for f in chapter(ratings()).findings
    )
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
