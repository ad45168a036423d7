"""What raters said of themselves in the survey, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jurybox.analysis.finding import Analysis, Column, Table
from jurybox.study.model import Study

__all__ = ["Told", "survey_in", "survey_table"]

Told = Mapping[str, Mapping[str, Any]]
"""By rater, what was answered to each question."""
NO_ANSWER = "no answer"


def survey_in(raters: Iterable[Any], sent: Mapping[str, Sequence[Any]]) -> Told:
    """The survey of every person with an answered main trial among the submissions."""
    names = ("rater", "kind", "status", "rater_kind", "excluded_by")
    counted = {
        rater
        for rater, kind, status, who, mark in zip(*(sent[name] for name in names), strict=True)
        if (kind, status, who) == ("main", "answered", "person") and mark != "withdrawn"
    }
    return {rater.id: rater.survey or {} for rater in raters if rater.id in counted}


def survey_table(analysis: Analysis, study: Study, told: Told) -> Table | None:
    """How often each answer was chosen by the raters who count; free text is nobody's to read."""
    gone = {each.rater for each in analysis.excluded}
    asked = {name: each for name, each in study.survey.items() if each.choices}
    people = [answers for rater, answers in told.items() if rater not in gone]
    if not asked or not any(people):
        return None
    rows = []
    for name, question in asked.items():
        counts = Counter(str(answers.get(name) or NO_ANSWER) for answers in people)
        listed = dict.fromkeys([*map(str, question.choices or ()), *sorted(counts)])
        rows += [(name, answer, counts[answer]) for answer in listed if counts[answer]]
    return Table(
        id="survey",
        title="What raters said of themselves",
        columns=(
            Column(name="question", heading="Question"),
            Column(name="answer", heading="Answer"),
            Column(name="n_raters", heading="Raters", kind="count"),
        ),
        rows=tuple(rows),
        caption="Raters whose answers count.",
    )
