"""Error points of spans; WMT 2021 TED en–de, whose published scores are reproduced."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from jurybox.analysis import analyze
from jurybox.analysis.api import mean_scores, span_agreement, span_scores
from jurybox.analysis.api.opened import opened
from jurybox.analysis.asked import asked_by
from jurybox.analysis.context import Context
from jurybox.analysis.options import Options
from jurybox.analysis.spans import span_chapter
from jurybox.errors import InputError
from jurybox.results import ResultTable
from jurybox.stats.differences import Difference
from jurybox.stats.spans import SpanScores, significance_groups
from jurybox.study import Study
from tests.reference import Columns, expected, ted_spans

TED = expected("wmt21_ted_mqm")["computed"]["ende"]


@pytest.fixture(scope="module")
def ted() -> SpanScores:
    return span_scores(ted_spans(), cluster="item")


def test_ted_scores(ted: SpanScores) -> None:
    assert len(ted.rows) == 14
    for name, value in TED["computed"].items():
        row = ted[name]
        assert row.estimate == pytest.approx(value, abs=1e-6)
        assert row.n_responses == TED["n_segments"]
    # The published order, fewest points first.
    published = {name.replace("ref.A", "ref"): v for name, v in TED["published"].items()}
    assert [row.system for row in ted.rows] == list(published)
    for row in ted.rows:
        if row.system == "eTranslation":
            # Published as 1.96: cut, not rounded.
            assert row.estimate == pytest.approx(1.9688090737, abs=1e-9)
            assert published[row.system] == int(100 * (row.estimate or 0)) / 100
        else:
            assert round(row.estimate or 0, 2) == published[row.system]
    averages = {name.replace("ref-A", "ref"): v for name, v in TED["avg_file"].items()}
    for row in ted.rows:
        assert round(row.estimate or 0, 3) == averages[row.system]


def test_no_interval_of_points_goes_below_nothing() -> None:
    # With four raters t(3) = 3.18 takes 1.06 − 1.54 below 0, where no mean of points can lie.
    row = span_scores(ted_spans())["Facebook-AI"]
    assert row.interval is not None
    assert row.interval.low == 0
    assert row.interval.high == pytest.approx(2.60, abs=0.005)
    standardized = span_scores(ted_spans(), standardize="rater")["Facebook-AI"].interval
    assert standardized is not None
    assert standardized.low < 0


def test_the_headline_says_what_more_data_would_do() -> None:
    found = analyze(table(simulated(1)))
    assert found.headline is not None
    (more,) = [f for f in found.findings if f.id.startswith("more_data/")]
    assert (more.criterion, more.systems) == (found.headline.criterion, found.headline.systems)
    assert "with twice the raters about" in more.sentence
    assert "in 80% of cases" in more.sentence


def test_ted_has_no_agreement() -> None:
    found = span_agreement(ted_spans())
    assert found.estimate is None
    assert found.undefined == "every output was marked by one rater only"


def test_ted_counts_add_up_to_the_points(ted: SpanScores) -> None:
    for row in ted.rows:
        own = [count for count in ted.counts if count.system == row.system]
        assert sum(count.estimate or 0 for count in own) == pytest.approx(row.estimate)
    assert sum(count.spans for count in ted.counts) == TED["n_rows"] - 4404
    commas = [c for c in ted.counts if c.category == "Fluency/Punctuation"]
    for count in commas:
        each = {"Minor": 0.1, "Major": 5.0}[count.severity]
        assert count.estimate == pytest.approx(each * count.spans / 529)


def test_ted_groups_keep_what_the_family_tells_apart(ted: SpanScores) -> None:
    assert [name for group in ted.groups for name in group] == [row.system for row in ted.rows]
    assert len(ted.differences) == 91
    told = {
        (gap.system, gap.other)
        for gap in ted.differences
        if gap.p_adjusted is not None and gap.p_adjusted < 0.05
    }
    # Neighbors run into each other all the way, although the ends are far apart.
    assert ("ref", "Nemo") in told
    assert len(ted.groups) == 1
    for at, group in enumerate(ted.groups):
        for later in ted.groups[at + 1 :]:
            assert all((x, y) in told for x in group for y in later)


def test_ted_z_scores_by_hand() -> None:
    data = ted_spans()
    found = span_scores(data, standardize="rater", cluster="item")
    assert found.standardize == "rater"
    weights = {"Major": 5.0, "Minor": 1.0}
    points: dict[tuple[str, str, str], float] = {}
    for item, system, rater, category, severity in zip(
        data["item"], data["system"], data["rater"], data["category"], data["severity"], strict=True
    ):
        w = weights.get(severity, 0.0)
        w = 0.1 if (category, severity) == ("Fluency/Punctuation", "Minor") else w
        key = (item, system, rater)
        points[key] = points.get(key, 0.0) + w
    z: dict[str, list[float]] = {}
    for who in sorted({key[2] for key in points}):
        own = np.array([v for key, v in points.items() if key[2] == who])
        for key, value in points.items():
            if key[2] == who:
                z.setdefault(key[1], []).append((value - own.mean()) / own.std(ddof=1))
    for row in found.rows:
        assert row.estimate == pytest.approx(np.mean(z[row.system]), abs=1e-9)


def table(rows: list[tuple[Any, ...]]) -> Columns:
    names = ("item", "system", "rater", "category", "severity")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def simulated(seed: int, raters: int = 6) -> list[tuple[Any, ...]]:
    draw = random.Random(seed)
    rows: list[tuple[Any, ...]] = []
    for i in range(20):
        for system, most in (("good", 0), ("fair", 2), ("poor", 3)):
            for r in range(raters):
                n = draw.randint(0, most + 1)
                own: list[Any] = [("accuracy", draw.choice(["minor", "major"])) for _ in range(n)]
                rows += [(f"i{i}", system, f"r{r}", *each) for each in own or [(None, None)]]
    return rows


def test_differences_put_fewer_points_first_and_share_one_family() -> None:
    found = span_scores(table(simulated(1)))
    assert [row.system for row in found.rows] == ["good", "fair", "poor"]
    pairs = [(gap.system, gap.other) for gap in found.differences]
    assert set(pairs) == {("good", "fair"), ("good", "poor"), ("fair", "poor")}
    for gap in found.differences:
        assert gap.estimate is not None
        assert gap.estimate < 0
        assert gap.adjusted_by == "max-t over 3 comparisons"
        assert gap.simultaneous is not None
        assert gap.interval is not None
        assert gap.simultaneous.low < gap.interval.low
    assert ResultTable.from_dict(found.to_dict()) == found


def marked(**analysis: Any) -> Study:
    return Study(
        title="Errors",
        protocol="mark",
        outputs="{system}.csv",
        systems=["good", "fair", "poor"],
        show={"translation": "text"},
        criteria={
            "errors": {
                "categories": {"accuracy": "Wrong meaning"},
                "severities": {"minor": 1, "major": 5},
            }
        },
        analysis=analysis,
    )


def test_a_primary_contrast_of_points_is_tested_alone_and_leads() -> None:
    primary = {"mean": ["poor", "fair"]}
    found = analyze(table(simulated(1)), study=marked(primary=primary, margin=9))
    assert found.headline is not None
    assert (found.headline.id, found.headline.standing) == (
        "difference/errors/poor/fair",
        "primary",
    )
    assert " more per output than fair " in found.headline.sentence or (
        found.headline.sentence.startswith("poor and fair are not told apart")
    )
    gap = found.headline.result
    assert isinstance(gap, Difference)
    assert (gap.p_adjusted, gap.simultaneous) == (None, None)
    # As a t test of the points would find it, by the same route as scores.
    alone = span_scores(table([r for r in simulated(1) if r[1] in ("poor", "fair")]))
    assert gap.estimate == pytest.approx(-(alone.differences[0].estimate or 0))
    assert gap.p == pytest.approx(alone.differences[0].p)
    # Fewer points are better: within 9 points poor is not inferior, whatever its sign.
    (within,) = [f for f in found.findings if f.id == "equivalence/errors/poor/fair"]
    assert within.told
    others = [f for f in found.findings if f.kind == "difference" and f.standing != "primary"]
    assert {f.systems for f in others} == {("good", "fair"), ("good", "poor")}


def test_points_are_held_against_the_baseline() -> None:
    found = analyze(table(simulated(1)), study=marked(baseline="fair"))
    gaps = [f.result for f in found.findings if f.kind == "difference"]
    assert {(g.system, g.other) for g in gaps if isinstance(g, Difference)} == {
        ("good", "fair"),
        ("poor", "fair"),
    }
    assert {getattr(g, "adjusted_by", "") for g in gaps} == {"max-t over 2 comparisons"}


def test_what_is_asked_first_of_scored_outputs_is_not_asked_of_their_points() -> None:
    stars = esa_study({1: "Bad", 2: "Good"}, primary={"mean": ["good", "poor"]})
    context = Context(asked=asked_by(stars), options=Options())
    with opened(table(simulated(1)), "spans", None) as responses:
        made = span_chapter(context, responses).findings
    assert {f.standing for f in made if f.kind == "difference"} == {"secondary"}


def test_points_are_means_of_sums() -> None:
    rows = simulated(2)
    weights = {None: 0, "minor": 1, "major": 5}
    sums: dict[tuple[str, str, str], float] = {}
    for item, system, rater, _, severity in rows:
        key = (item, system, rater)
        sums[key] = sums.get(key, 0) + weights[severity]
    scores = table([(*key, None, value) for key, value in sums.items()])
    scores["score"] = scores.pop("severity")
    del scores["category"]
    found, same = span_scores(table(rows)), mean_scores(scores)
    for row in found.rows:
        assert row.estimate == pytest.approx(same[row.system].estimate)
        assert row.interval.low == pytest.approx(same[row.system].interval.low)  # type: ignore[union-attr]


def test_weights_of_categories() -> None:
    rows = [
        ("1", "s", "a", "Non-translation!", "Major"),
        ("1", "s", "b", "Fluency/Punctuation", "Minor"),
        ("2", "s", "a", "Style", "Neutral"),
        ("2", "s", "b", None, "Minor"),
    ]
    # (25 + 0.1 + 0 + 1)/4
    assert span_scores(table(rows)).rows[0].estimate == pytest.approx(6.525)
    own = {"major": 2.0, "minor": 1.0, "neutral": 0.0}
    assert span_scores(table(rows), severities=own).rows[0].estimate == 1
    said = "severity must be one of major, minor; got 'Neutral'; say what each means by --values "
    with pytest.raises(InputError, match=f"{said}'severity:Neutral=…'"):
        span_scores(table(rows), severities={"major": 2, "minor": 1})


def test_weights_are_found_in_any_case_and_must_be_points() -> None:
    rows = [("1", "s", "a", "Style", "Major"), ("2", "s", "a", "Style", "Minor")]
    own: dict[str, Any] = {"STYLE": {"Major": 7, "minor": 2}}
    assert span_scores(table(rows), weights=own).rows[0].estimate == 4.5
    for wrong in (float("nan"), -1, float("inf")):
        with pytest.raises(InputError, match="points of 'major' must be 0 or more"):
            span_scores(table(rows), severities={"major": wrong, "minor": 1})
    bad: Any = {"style": {"major": "7"}}
    with pytest.raises(InputError, match="points of 'style, major' must be a number; got '7'"):
        span_scores(table(rows), weights=bad)


def test_a_span_without_a_severity_is_no_clean_output() -> None:
    marked = {
        "item": ["1", "1", "2", "2"],
        "system": ["s"] * 4,
        "rater": ["a", "b", "a", "b"],
        "severity": ["major", None, None, None],
        "start": [0, 3, None, 0],
        "end": [4, 9, None, 0],
    }
    for measured in (span_scores, span_agreement):
        with pytest.raises(InputError, match="row 2: the span from 3 to 9 has no severity"):
            measured(marked)


@pytest.mark.parametrize(("start", "end"), [(9, 3), (-4, 2)])
def test_a_span_that_is_nowhere_is_refused(start: int, end: int) -> None:
    marked = {
        "item": ["1", "1"],
        "system": ["s", "s"],
        "rater": ["a", "b"],
        "severity": ["major", "minor"],
        "start": [0, start],
        "end": [4, end],
    }
    for measured in (span_scores, span_agreement, analyze):
        with pytest.raises(InputError, match=f"row 2: there is no span from {start} to {end}"):
            measured(marked)


def test_a_severity_without_points_is_offered_the_worst_that_has_some() -> None:
    marked = {"item": ["1", "2"], "system": ["s"] * 2, "rater": ["a"] * 2}
    table = marked | {"severity": ["minor", "Critical"]}
    with pytest.raises(InputError, match="by --values severity:Critical=major"):
        span_scores(table)
    # What it costs is not agreed on: by one's own points, or as a major one.
    points = {"minor": 1, "critical": 10}
    assert span_scores(table, severities=points)["s"].estimate == 5.5


def test_a_rater_without_variation_has_no_z_scores() -> None:
    rows = simulated(3)
    flat = [(f"i{i}", s, "flat", None, None) for i in range(5) for s in ("good", "fair", "poor")]
    found = span_scores(table(rows + flat), standardize="rater")
    same = span_scores(table(rows), standardize="rater")
    for row in found.rows:
        assert row.estimate == pytest.approx(same[row.system].estimate)
    assert "1 rater gave every output the same points: no z-scores, left out" in found.notes
    alone = span_scores(table(flat), standardize="rater")
    assert (alone.rows, alone.undefined) == ((), "no rater has z-scores")
    with pytest.raises(InputError, match="standardize must be 'rater' or None"):
        span_scores(table(rows), standardize="item")  # type: ignore[arg-type]
    nobody = table(rows)
    del nobody["rater"]
    with pytest.raises(InputError, match="needs a column 'rater'"):
        span_scores(nobody, standardize="rater")


def test_one_system_and_clean_outputs_alone() -> None:
    found = span_scores(table([(f"i{i}", "s", "a", None, None) for i in range(3)]))
    assert found.rows[0].estimate == 0
    assert found.rows[0].interval is None
    assert found.groups == (("s",),)
    assert found.differences == ()
    assert found.counts == ()


def test_groups_split_only_where_all_are_told_apart() -> None:
    assert significance_groups([], set()) == ()
    assert significance_groups(["a", "b", "c"], set()) == (("a", "b", "c"),)
    # b is told from c, a is not: no split.
    assert significance_groups(["a", "b", "c"], {("b", "c")}) == (("a", "b", "c"),)
    every = {("a", "b"), ("a", "c"), ("b", "c")}
    assert significance_groups(["a", "b", "c"], every) == (("a",), ("b",), ("c",))


def test_the_chapter_has_groups_z_scores_and_counts() -> None:
    found = analyze(table(simulated(1)))
    points = found.table("points/errors")
    assert points is not None
    # What was counted is not left to the reader's guess where the table is MQM's.
    assert points.caption.startswith("An error counts 5 if major, 1 if minor and 0 if neutral; of ")
    assert [c.name for c in points.columns] == [
        "system",
        "points",
        "interval",
        "outputs",
        "group",
    ]
    assert points.rows[0][4] == "1"
    assert "is told from every system of the later groups." in points.caption
    scores = found.table("z_scores/errors")
    assert scores is not None
    same = span_scores(table(simulated(1)), standardize="rater")
    assert [row[:2] for row in scores.rows] == [(r.system, r.estimate) for r in same.rows]
    assert [row[2] for row in scores.rows] == [
        (r.interval.low, r.interval.high) for r in same.rows if r.interval is not None
    ]
    every = table(simulated(1))
    of_one = [k for k, name in enumerate(every["system"]) if name == "good"]
    alone = analyze({name: [column[k] for k in of_one] for name, column in every.items()})
    made = alone.table("points/errors")
    assert made is not None
    # Its mean z-score is 0, whatever was marked.
    assert [c.name for c in made.columns] == ["system", "points", "interval", "outputs"]
    assert alone.table("z_scores/errors") is None
    spans = found.table("spans/errors")
    assert spans is not None
    good = [row for row in spans.rows if row[0] == "good"]
    assert sum(row[4] for row in good) == pytest.approx(points.rows[0][1])
    (f1,) = [f for f in found.findings if f.id == "span_agreement/errors"]
    assert f1 in found.untold
    assert "the table does not say where spans start and end" in f1.sentence
    gap = next(f for f in found.findings if f.id == "difference/errors/good/poor")
    assert "by max-t" in gap.sentence


def test_systems_that_are_all_in_one_group_have_no_column_of_it() -> None:
    of = {"item": [1, 2, 3] * 2, "system": ["a"] * 3 + ["b"] * 3, "rater": ["r"] * 6}
    severities = ["major", "minor", None, "minor", "major", "minor"]
    points = analyze({**of, "category": ["x"] * 6, "severity": severities}).table("points/errors")
    assert points is not None
    assert "group" not in points.names
    assert "later groups" not in points.caption


def test_the_chapter_says_how_far_raters_mark_the_same() -> None:
    rows = [(f"i{i}", "s", f"r{r}", None, "minor") for i in range(4) for r in range(2)]
    data = table(rows)
    data["start"] = [0, 2] * 4
    data["end"] = [4 + i // 2 for i in range(8)]
    found = analyze(data)
    (same,) = [f for f in found.findings if f.id == "span_agreement/errors"]
    assert same.standing == "quality"
    assert same.sentence.endswith("; 4 pairs).")
    assert found.table("agreement/errors/spans") is not None


def esa_study(scale: Any, **analysis: Any) -> Study:
    return Study(
        title="Errors and a score",
        protocol="mark",
        items="items.csv",
        outputs="{system}.csv",
        systems=["good", "poor"],
        show={"translation": {"as": "text"}},
        criteria={
            "errors": {
                "question": "Mark every error.",
                "field": "translation",
                "categories": {"accuracy": "Wrong meaning"},
                "severities": {"minor": 1, "major": 5},
            },
            "quality": {"question": "How good is it?", "scale": scale},
        },
        analysis=analysis,
    )


def test_with_a_slider_the_score_is_the_result() -> None:
    slider = {"anchors": {0: "Nothing is right", 100: "Perfect"}}
    context = Context(asked=asked_by(esa_study(slider)), options=Options())
    with opened(table(simulated(1)), "spans", None) as responses:
        chapter = span_chapter(context, responses)
        assert chapter.findings == ()
        assert chapter.tables
        (said,) = chapter.took
        assert "quality is the result" in said
        gaps = next(each for each in chapter.tables if each.id == "differences/errors")
        assert gaps.caption.startswith("Below 0 the first of two has fewer error points, which is")
        stars = Context(asked=asked_by(esa_study({1: "Bad", 2: "Good"})), options=Options())
        assert span_chapter(stars, responses).findings


def test_a_response_is_a_marked_output_and_not_a_row() -> None:
    # One output with two spans, one with none: three rows, two marked outputs.
    found = analyze(
        {
            "item": [1, 1, 2],
            "system": ["a"] * 3,
            "rater": ["r"] * 3,
            "start": [0, 5, None],
            "end": [3, 8, None],
            "category": ["omission", "style", None],
            "severity": ["minor", "minor", None],
        }
    )
    assert found.n_responses == 2
    assert found.title == "2 marked outputs"
