"""What is shown within the study's margin stands in the report, with the margin in its own unit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jurybox.analysis.finding import Analysis, Finding
from jurybox.report import markdown
from jurybox.report.methods.paragraph import methods
from jurybox.results import Interval, Result
from jurybox.stats.detection.acceptance import AcceptanceEquivalence
from jurybox.stats.equivalence import Equivalence
from tests.report.conftest import interval

VERSIONS = {"jurybox": "0.1.0"}
NARROW = Interval(low=-0.02, high=0.04, confidence=0.9, method="t(9)")
ALIKE = "a and b are equivalent within 10.0 points of 50%"


def shown(id: str, sentence: str, result: Result, *systems: str, told: bool = True) -> Finding:
    return Finding(
        id=id, sentence=f"{sentence}.", result=result, told=told, systems=systems,
        criterion="preference" if len(systems) == 2 else None, standing="secondary",
    )  # fmt: skip


def of_votes(*, told: bool) -> tuple[Finding, Finding]:
    rate = Result(estimate=0.51, interval=interval(0.47, 0.55), p=0.6)
    within = Equivalence(estimate=0.01, interval=NARROW, p=0.001, margin=0.1)
    return (
        shown("win_rate/preference/a/b", "a and b are not told apart", rate, "a", "b", told=False),
        shown("equivalence/preference/a/b", ALIKE, within, "a", "b", told=told),
    )


def of_origin(*, told: bool) -> tuple[Finding, ...]:
    rate = Result(estimate=0.6, interval=interval(0.5, 0.7))
    within = AcceptanceEquivalence(
        estimate=0.01, interval=NARROW, p=0.001, margin=0.1, system="gan"
    )
    return (
        shown("acceptance/ddpm", "Raters tell ddpm from real", rate, "ddpm"),
        shown("equivalence/gan", "gan passes for real as often", within, "gan", told=told),
        shown("fooling/gan", "gan has a fooling rate: moderate", rate, "gan"),
        shown("fooling/ddpm", "ddpm has a fooling rate", rate, "ddpm"),
    )


def test_what_is_equivalent_stands_below_the_answer_and_only_there(analysis: Analysis) -> None:
    said = markdown(replace(analysis, findings=of_votes(told=True)), versions=VERSIONS)
    assert said.count(ALIKE) == 1
    assert said.index(ALIKE) < said.index("What cannot be said" if "cannot" in said else "## ")


def test_what_passes_for_real_has_its_rate_and_the_word_for_it(analysis: Analysis) -> None:
    alike = markdown(replace(analysis, findings=of_origin(told=True)), versions=VERSIONS)
    assert alike.count("gan passes for real as often.") == 1
    assert alike.count("gan has a fooling rate: moderate.") == 1
    # The table has the rates of the others.
    assert "ddpm has a fooling rate" not in alike
    apart = markdown(replace(analysis, findings=of_origin(told=False)), versions=VERSIONS)
    assert "has a fooling rate" not in apart


@pytest.mark.parametrize("found", [of_votes(told=True), of_origin(told=True)])
def test_a_margin_of_shares_is_in_points(analysis: Analysis, found: tuple[Finding, ...]) -> None:
    said = methods(replace(analysis, findings=found), None, VERSIONS)
    assert "Equivalence within a margin of 10.0 points, stated" in said
