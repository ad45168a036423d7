"""Intervals of means and differences on a scale whose ends are known."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from jurybox.analysis.api import analyze, compare_systems, mean_scores
from jurybox.analysis.asked import Asked, AskedCriterion
from jurybox.analysis.context import Context
from jurybox.analysis.measure.groups import figure_of, group_differences, group_figures
from jurybox.analysis.options import Options
from jurybox.analysis.rating_tables import YES_NO
from jurybox.analysis.ratings import rating_chapter
from jurybox.errors import InputError
from jurybox.results import Interval, Result
from jurybox.stats.differences import Difference, ShareGap
from jurybox.stats.equivalence import Equivalence
from jurybox.stats.places import PlacePull, as_share_pull
from jurybox.stats.scale_ends import apart, on_scale
from jurybox.tally.mapping import Mapped, TableMapping, mapped
from jurybox.tally.reading import read


def test_an_interval_ends_where_the_scale_does_and_says_so() -> None:
    interval = Interval(low=0.368, high=1.207, confidence=0.95, method="clustered by rater, t(2)")
    row = Result(estimate=0.788, interval=interval, these_raters=replace(interval, high=0.9))
    cut = on_scale(row, (0.0, 1.0))
    assert cut.interval is not None
    assert (cut.interval.low, cut.interval.high) == (0.368, 1.0)
    assert cut.interval.method == "clustered by rater, t(2), ended where the scale ends"
    assert cut.these_raters == row.these_raters
    assert on_scale(row, None) == row
    # Scores beyond the ends were given on another scale: no interval loses its estimate.
    assert on_scale(row, (2.0, 3.0)) == row
    assert on_scale(row, (0.0, 0.7)) == row


def test_a_study_on_a_scale_reports_no_mean_beyond_it() -> None:
    cells = [(i, s, r) for i in range(4) for s in "ab" for r in range(2)]
    table = {
        "item": [i for i, _, _ in cells],
        "system": [s for _, s, _ in cells],
        "rater": [r for _, _, r in cells],
        "score": [5 if s == "a" and (i, r) != (0, 0) else 1 + r for i, s, r in cells],
    }
    asked = Asked(
        criteria={"overall": AskedCriterion(ends=(1.0, 5.0), values=(1.0, 2.0, 3.0, 4.0, 5.0))}
    )
    responses = read(table)
    try:
        found = rating_chapter(Context(asked=asked, options=Options()), responses)
    finally:
        responses.close()
    means = next(table for table in found.tables if table.id == "mean_scores/overall")
    assert all(1 <= low < high <= 5 for low, high in (row[2] for row in means.rows))
    assert "No interval leaves the scale, as no mean can: it ends at 1 or 5." in means.caption
    # Two raters give two intervals; what both hold for is said once.
    assert means.caption.count("like these") == 1
    assert "they hold for raters and items like these, or for these raters alone." in means.caption
    # Of a table alone no scale is known, and the interval is as wide as it came out.
    alone = mean_scores(table)
    assert max(row.interval.high for row in alone.rows if row.interval is not None) > 5
    # Whoever knows the scale says it.
    stated = mapped(table, scale=[1, 2, 3, 4, 5])
    said = [row.interval for row in mean_scores(stated).rows]
    assert all(each is not None and 1 <= each.low < each.high <= 5 for each in said)
    drawn = analyze(stated).table("mean_scores/overall")
    assert drawn is not None
    assert "No interval leaves the scale, as no mean can: it ends at 1 or 5." in drawn.caption


def test_a_stated_scale_holds_for_what_is_derived_and_for_single_criteria() -> None:
    cells = [(i, r, c) for i in range(4) for r in range(2) for c in ("SC", "PR")]
    table = {
        "item": [i for i, _, _ in cells],
        "rater": [r for _, r, _ in cells],
        "criterion": [c for _, _, c in cells],
        "score": [1 if c == "SC" or i else 100 * r for i, r, c in cells],
    }
    mapping = TableMapping.of(
        {"scale": {"*": "0..100", "SC": "0,0.5,1"}, "derive": {"both": "mean(SC, PR)"}}
    )
    assert TableMapping.of(mapping.to_plain()) == mapping
    found = mean_scores(Mapped(table, mapping))
    ends = {row.criterion: row.interval.low for row in found.rows if row.interval is not None}
    assert ends == {"PR": 0, "both": 0}
    assert mapped(table, scale=[0, 100]).mapping.to_plain() == {"scale": [0.0, 100.0]}


def test_bad_outputs_by_a_derived_criterion_are_those_in_the_lowest_fifth_of_its_scale() -> None:
    cells = [(i, s, r, c) for i in range(6) for s in "xy" for r in range(3) for c in ("A", "B")]
    table = {
        "item": [i for i, _, _, _ in cells],
        "system": [s for _, s, _, _ in cells],
        "rater": [r for _, _, r, _ in cells],
        "criterion": [c for _, _, _, c in cells],
        # Nobody gives x less than 3; y has 1 and 2 once in six items, so 1.5 on average.
        "score": [3 if s == "x" or i else 1 + (c == "B") for i, s, _, c in cells],
    }
    derive = {"derive": {"both": "mean(A, B)"}}
    found = analyze(mapped(table, derive, scale=[1, 2, 3, 4, 5]))
    shown = found.table("robustness/both")
    assert shown is not None
    # 1 to 5: the lowest fifth ends at 1.8. The lowest mean that anybody gave is an accident.
    assert shown.columns[1].heading == "Share at or below 1.8"
    assert shown.caption.startswith("At the lowest fifth of the scale, by single ratings.")
    assert [row[1] for row in shown.rows] == [0.0, pytest.approx(1 / 6)]


@pytest.mark.parametrize(
    ("scale", "said"),
    [
        ("1..4", r"row 2: 4\.5 is not on the scale of 'overall' \(1 to 4\)"),
        ("1,2,3,4,5", r"row 2: 4\.5 is not on the scale of 'overall' \(1, 2, 3, 4, 5\)"),
        ("5..1", r"scale takes both ends, as 0\.\.100, or all values in order"),
        ("good", r"scale takes both ends, as 0\.\.100, or all values in order"),
    ],
)
def test_what_is_no_scale_or_not_on_it_is_refused(scale: str, said: str) -> None:
    table = {"item": [1, 2], "rater": ["ada", "ada"], "score": [1, 4.5]}
    with pytest.raises(InputError, match=said):
        mean_scores(mapped(table, scale=scale))


def test_two_systems_are_no_further_apart_than_the_scale_is_long() -> None:
    # All yes but for one answer against all no but for one, by two raters: t(1) is 12.7 standard
    # errors to either side.
    cells = [(i, s, r) for i in range(4) for s in "ab" for r in range(2)]
    table = {
        "item": [i for i, _, _ in cells],
        "system": [s for _, s, _ in cells],
        "rater": [r for _, _, r in cells],
        "score": [int((s == "a") != ((i, r) == (0, 0))) for i, s, r in cells],
    }
    asked = Asked(criteria={"ok": AskedCriterion(ends=(0.0, 1.0), values=YES_NO)})
    responses = read({**table, "criterion": ["ok"] * len(cells)})
    try:
        found = rating_chapter(Context(asked=asked, options=Options()), responses)
    finally:
        responses.close()
    (gap,) = [f.result for f in found.findings if f.id.startswith("difference/")]
    assert isinstance(gap, ShareGap)
    assert gap.interval is not None
    assert gap.interval.high == 1
    alone = compare_systems(table).rows[0].interval
    assert alone is not None
    assert alone.high > 1
    assert gap.interval.low == max(-1, alone.low)
    shown = next(t for t in found.tables if t.id == "differences/ok")
    assert "No interval leaves what the scale allows." in shown.caption


def test_two_means_are_apart_by_the_scale_at_most() -> None:
    assert apart((1.0, 5.0)) == (-4.0, 4.0)
    assert apart(None) is None
    wide = Interval(low=-6.0, high=3.0, confidence=0.95, method="t(1)")
    row = Difference(estimate=-1.5, interval=wide, simultaneous=wide, system="a", other="b")
    cut = on_scale(row, apart((1.0, 5.0)))
    assert cut.simultaneous is not None
    assert (cut.simultaneous.low, cut.simultaneous.high) == (-4.0, 3.0)
    # Cut again by a shorter scale, the method is not said twice.
    assert on_scale(cut, (-3.0, 3.0)).interval == Interval(
        low=-3.0, high=3.0, confidence=0.95, method="t(1), ended where the scale ends"
    )


def test_the_scale_of_a_format_is_known() -> None:
    folder = Path(__file__).parents[1] / "data" / "imagenhub" / "data" / "Text-Guided_IE"
    for row in mean_scores(folder).rows:
        for interval in (row.interval, row.these_raters):
            assert interval is None or 0 <= interval.low < interval.high <= 1


def test_a_mean_rank_lies_among_the_ranks() -> None:
    # Two raters who disagree: t(1) reached from −2.9 to 6.9 among three systems.
    orders = {("ada", 0): "abc", ("ada", 1): "abc", ("ben", 0): "cab", ("ben", 1): "bca"}
    rows = [
        (rater, item, system, order.index(system) + 1)
        for (rater, item), order in orders.items()
        for system in order
    ]
    table = dict(zip(("rater", "item", "system", "rank"), zip(*rows, strict=True), strict=True))
    found = [f.result for f in analyze(table).findings if f.id.startswith("mean_rank/")]
    assert len(found) == 3
    assert all(r.interval and 1 <= r.interval.low < r.interval.high <= 3 for r in found)
    assert any(r.interval and (r.interval.low, r.interval.high) == (1, 3) for r in found)


def test_zeros_and_ones_of_a_table_are_shares_and_no_further_apart() -> None:
    cells = [(i, s, r) for i in range(4) for s in "ab" for r in range(2)]
    table = {
        "item": [i for i, _, _ in cells],
        "system": [s for _, s, _ in cells],
        "rater": [r for _, _, r in cells],
        "score": [int((s == "a") != ((i, r) == (0, 0))) for i, s, r in cells],
    }
    made = analyze(table)
    assert "overall: every answer is 0 or 1, taken as no and yes" in made.took
    # 7 of 8 yes: by logit, which ends before 100%.
    (shares,) = [each for each in made.tables if each.title == "Share of yes: overall"]
    assert shares.rows[0][:2] == ("a", 7 / 8)
    assert 0 < shares.rows[0][2][0] < 7 / 8 < shares.rows[0][2][1] < 1
    found = {f.id: f.result for f in made.findings}
    gap, mean = found["difference/overall/a/b"], found["mean/overall/a"]
    assert isinstance(gap, ShareGap)
    assert gap.interval is not None
    assert gap.interval.high == 1
    assert mean.interval is not None
    assert mean.interval.high == 1


def test_equivalence_and_the_pull_of_a_place_end_there_too() -> None:
    wide = Interval(low=-1.4, high=0.2, confidence=0.9, method="t(1)")
    within = Equivalence(estimate=-0.6, interval=wide, wider=wide, margin=0.1)
    row = Difference(estimate=-0.6, interval=wide, equivalence=within, system="a", other="b")
    cut = on_scale(row, (-1.0, 1.0)).equivalence
    assert cut is not None
    assert cut.interval is not None
    assert cut.wider is not None
    assert (cut.interval.low, cut.wider.low) == (-1, -1)
    pull = as_share_pull(PlacePull(estimate=-0.6, interval=wide, what="first"))
    assert pull.interval is not None
    assert (pull.interval.low, pull.interval.high) == (-1, 0.2)


def test_groups_of_raters_are_no_further_apart_than_the_scale_is_long() -> None:
    raters = {"ada": ("en", 5, 1), "ben": ("en", 5, 4), "cy": ("de", 1, 4), "dan": ("de", 1, 1)}
    rows = [(i, r, g, scores[i]) for r, (g, *scores) in raters.items() for i in range(2)]
    table = dict(zip(("item", "rater", "group", "score"), zip(*rows, strict=True), strict=True))
    responses = read({**table, "system": ["a"] * len(rows)}, by="group")
    try:
        figure = figure_of(responses, ends=(1.0, 5.0))
        (gap,) = group_differences(responses, Options(), figure, criterion="overall")
        own = [each.result.interval for each in group_figures(responses, Options(), figure)]
        free = group_differences(responses, Options(), figure_of(responses), criterion="overall")
    finally:
        responses.close()
    assert gap.interval is not None
    assert -4 <= gap.interval.low < gap.interval.high <= 4
    assert free[0].interval is not None
    assert free[0].interval.high > 4 or free[0].interval.low < -4
    assert all(each is None or 1 <= each.low < each.high <= 5 for each in own)


def test_a_pass_rate_says_what_passes() -> None:
    cells = [(i, s, r) for i in range(4) for s in "ab" for r in range(2)]
    table = {
        "item": [i for i, _, _ in cells],
        "system": [s for _, s, _ in cells],
        "rater": [r for _, _, r in cells],
        "score": [1 + (i + r) % 5 for i, _, r in cells],
    }
    for higher, said in ((True, "or more pass. "), (False, "or less pass. ")):
        known = AskedCriterion(pass_mark=2.5, higher=higher)
        with closing(read(table)) as responses:
            context = Context(asked=Asked(criteria={"overall": known}), options=Options())
            (means, *_) = rating_chapter(context, responses).tables
        assert means.caption.startswith(f"Scores of 2.5 {said}Intervals ")
