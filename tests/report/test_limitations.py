"""What the study cannot carry, said from its own numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from jurybox.analysis import analyze
from jurybox.analysis.finding import Analysis, Collected, Column, Finding, Table
from jurybox.report.blocks import Points
from jurybox.report.formats.markdown import write_page
from jurybox.report.page import make_page
from jurybox.report.sections.limitations import limitations_section
from jurybox.results import Result
from jurybox.stats.agreement.patterns import Agreement
from jurybox.study import Study
from tests.report.conftest import interval, study


def said(analysis: Analysis, asked: Study | None = None) -> str:
    (points,) = limitations_section(analysis, asked).blocks
    assert isinstance(points, Points)
    return "\n".join(points.items)


def test_sizes_are_those_of_the_data(analysis: Analysis) -> None:
    assert "12 raters and 30 items." in said(analysis)
    assert "fewer than" not in said(analysis)
    few = said(replace(analysis, n_raters=4, n_items=8))
    assert "fewer than 10 raters" in few
    assert "fewer than 30 items" in few
    one = said(replace(analysis, n_raters=1, n_items=1))
    assert "1 rater and 1 item. How far other raters would differ is not known. How far" in one
    assert "fewer than" not in one


@pytest.mark.parametrize("rule", ["attention_failed", "gold_below", "practice_failed"])
def test_checks_of_a_table_are_checks(analysis: Analysis, rule: str) -> None:
    table = replace(analysis, collected=None)
    assert "whether raters were attentive" in said(table)
    out = tuple(replace(each, rule=rule) for each in table.excluded)
    assert "attentive" not in said(replace(table, excluded=out))


def test_nothing_is_claimed_of_a_study_without_responses(analysis: Analysis) -> None:
    empty = replace(analysis, n_responses=0, findings=(), tables=(), excluded=())
    assert said(empty) == "There is no response, so that everything is open."


@pytest.mark.parametrize(
    ("access", "words"),
    [
        ({}, "anybody with the link could rate"),
        ({"prolific": {"completed": "C"}}, "raters came from Prolific"),
        ({"mturk": True}, "raters came from Mechanical Turk"),
        ({"invited": True}, "raters were invited or listed"),
    ],
)
def test_the_pool_is_named(analysis: Analysis, access: dict[str, Any], words: str) -> None:
    assert words in said(analysis, study(access=access))
    assert "nothing is stored of how the raters were found" in said(analysis)


def test_what_is_missing_is_told_by_system_with_its_bounds(analysis: Analysis) -> None:
    found = tuple(
        Finding(id=id, sentence=sentence, result=Result(estimate=0.1, undefined="x"))
        for id, sentence in (("skips/a/b", "a was skipped more."), ("bounds/f/a/b", "From 1 to 2."))
    )
    text = said(replace(analysis, findings=(*analysis.findings, *found)))
    assert "Missing answers: a was skipped more." in text
    assert "Missing answers: from 1 to 2." in text


def test_missing_trials_are_counted(analysis: Analysis) -> None:
    given = Collected(version=1, n_answers=5, n_trials=117, n_planned=120)
    assert "3 planned trials were never answered" in said(replace(analysis, collected=given))
    whole = replace(given, n_trials=120)
    assert "none was skipped" in said(replace(analysis, collected=whole))
    short = replace(whole, n_answers=479, n_asked=480)
    text = said(replace(analysis, collected=short))
    assert "Missing answers: 1 of 480 planned answers is missing, before anybody" in text
    assert "none was skipped" not in text
    # Answers that came from a table never were slots of the plan.
    assert "planned answers" not in said(replace(analysis, collected=replace(short, n_imported=9)))


def test_a_rehearsal_speaks_of_no_people(analysis: Analysis) -> None:
    assert analysis.collected is not None
    kept = analysis.collected
    text = said(replace(analysis, collected=replace(kept, simulated="all")), study())
    assert "Raters: all are simulated. This is a rehearsal, and nothing in it holds for" in text
    assert "anybody with the link" not in text
    text = said(replace(analysis, collected=replace(kept, simulated="some")), study())
    assert "Raters: some are simulated, and their answers count beside people's." in text
    assert "simulated" not in said(analysis, study())


def test_low_agreement_is_named_with_its_number(analysis: Analysis) -> None:
    low = Finding(
        id="agreement/fidelity",
        sentence="Raters agree.",
        result=Agreement(
            estimate=0.41, interval=interval(0.3, 0.5), level="ordinal", statistic="alpha"
        ),
        standing="quality",
        criterion="fidelity",
    )
    assert "it is too low on fidelity (α 0.410) to rely on a single" in said(
        replace(analysis, findings=(low,))
    )
    none = replace(low, result=replace(low.result, estimate=0.0))
    assert "it is too low on fidelity (α 0.000) to rely on" in said(
        replace(analysis, findings=(none,))
    )
    # An interval that reaches 0.667 leaves open whether it is too low.
    wide = replace(low, criterion="style", result=replace(low.result, interval=interval(0.1, 0.8)))
    assert (
        "Agreement: it is too low on fidelity (α 0.410) and it may be too low on style (α 0.410) "
        "to rely on a single"
    ) in said(replace(analysis, findings=(low, wide)))
    assert "Agreement: it may be too low on style" in said(replace(analysis, findings=(wide,)))
    high = replace(low, result=replace(low.result, estimate=0.9))
    assert "too low" not in said(replace(analysis, findings=(high,)))


def test_uneven_counts_are_named(analysis: Analysis) -> None:
    table = Table(
        id="mean_scores/fidelity",
        title="Means",
        columns=(
            Column(name="system", heading="System"),
            Column(name="responses", heading="Ratings", kind="count"),
        ),
        rows=(("a", 100), ("b", 60)),
    )
    text = said(replace(analysis, tables=(table,)))
    assert "between 60 and 100 ratings" in text
    # Scores beside votes are no votes.
    beside = said(replace(analysis, protocol="compare", tables=(table,)))
    assert "between 60 and 100 ratings" in beside
    even = replace(table, rows=(("a", 100), ("b", 96)))
    assert "Imbalance" not in said(replace(analysis, tables=(even,)))


def test_comparisons_that_only_a_table_has_are_counted(analysis: Analysis) -> None:
    names = ("system", "other", "difference")
    table = Table(
        id="differences/errors",
        title="Differences",
        columns=tuple(Column(name=name, heading=name) for name in names),
        rows=(("a", "b", 1.0), ("a", "c", 2.0), ("b", "c", None)),
    )
    text = said(replace(analysis, findings=(), tables=(table,)))
    assert "Many questions: 2 comparisons of systems were made; the methods say which" in text


def test_comparisons_of_metrics_are_counted_whether_or_not_they_told_anything(
    analysis: Analysis,
) -> None:
    names = ("metric", "other", "p")
    pairs = Table(
        id="metric_pairs/overall",
        title="Metrics compared",
        columns=tuple(Column(name=name, heading=name) for name in names),
        rows=(("a", "b", 0.01), ("a", "c", 0.4), ("b", "c", None)),
    )
    told = Finding(
        id="metric_pair/overall/a/b", sentence="a is.", result=Result(estimate=1.0),
        standing="exploratory",
    )  # fmt: skip
    alone = replace(analysis, findings=(told,), tables=(pairs,))
    assert "Many questions: 2 comparisons of metrics were made; the methods" in said(alone)
    beside = replace(analysis, tables=(*analysis.tables, pairs))
    assert "comparisons of systems and 2 of metrics were made" in said(beside)


def test_what_could_not_be_computed_was_not_looked_at(analysis: Analysis) -> None:
    def look(name: str, estimate: float | None) -> Finding:
        result = Result(estimate=estimate, undefined=None if estimate else "nobody knows")
        return Finding(id=f"order/{name}", sentence="x.", result=result, standing="exploratory")

    looks = (look("a", 1.0), look("b", 2.0), look("c", None))
    text = said(replace(analysis, findings=looks, tables=()))
    assert "Many questions: 2 exploratory looks were made" in text
    assert "exploratory" not in said(replace(analysis, findings=looks[2:], tables=()))


def test_comparisons_with_real_outputs_are_counted() -> None:
    truth = {"photo": "real", "a": "generated", "b": "generated"}
    rows = [
        (f"{s}{i}", s, f"r{r}", truth[s], "real" if (i * r + len(s)) % 3 else "generated")
        for i in range(12)
        for s in truth
        for r in range(4)
    ]
    names = ("item", "system", "rater", "truth", "answer")
    found = analyze({name: [row[k] for row in rows] for k, name in enumerate(names)})
    assert "Many questions: 2 comparisons of systems" in said(found)
    text = write_page(make_page(found, versions={}))
    assert "144 detections on 36 items from 3 systems (a, b and photo) were analyzed, 48 of" in text
    assert "48 of them (33%) of real outputs." in text


def test_judges_alone_are_not_called_people() -> None:
    rows = [
        (i, s, j, (i * (1 + (s == "x")) + (j == "a")) % 4, "judge")
        for i in range(6)
        for s in "xy"
        for j in "ab"
    ]
    names = ("item", "system", "rater", "score", "rater_kind")
    page = make_page(
        analyze({name: [row[k] for row in rows] for k, name in enumerate(names)}), versions={}
    )
    assert "2 judges" in page.counts
    assert (
        page.cannot[0] == "All answers are judges': nothing here is known of what people would say."
    )
    text = write_page(page)
    assert "2 judges scored outputs" in text
    assert "- Raters: all are judges, so that nothing holds for people." in text
    assert "one person" not in text
    assert "these raters" not in text
    assert not re.search(r"\d raters?\b", text)
    assert "## Judges\n" in text
    tables = text[text.index("## Judges") : text.index("## Limitations")]
    assert "rater" not in tables.lower()
    for said in (
        "for these judges alone",
        "24 ratings, 2 judges, 6 items",
        "two judges agree in",
        "they hold for judges and items like these",
        "2 judges: intervals are honest but wide; more judges would narrow them",
    ):
        assert said in text, said


def test_a_system_called_raters_keeps_its_name_among_judges() -> None:
    rows = [
        (i, s, j, i % 3 + (s == "raters"), "judge")
        for i in range(6)
        for s in ("raters", "rater b")
        for j in "ab"
    ]
    names = ("item", "system", "rater", "score", "rater_kind")
    found = analyze({name: [row[k] for row in rows] for k, name in enumerate(names)})
    text = write_page(make_page(found, versions={}))
    assert "judge b" not in text
    assert found.headline is not None
    assert found.headline.sentence.startswith("Whether raters and rater b differ")
