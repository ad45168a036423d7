"""The chapter on judges: every judge, and their panel, beside people on every criterion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from jurybox.analysis.agreement import level_of
from jurybox.analysis.context import Context
from jurybox.analysis.finding import Chapter
from jurybox.analysis.judges.biases import bias_chapters, bias_rows
from jurybox.analysis.judges.combined import combined_chapter
from jurybox.analysis.judges.findings import (
    annotator_finding,
    beside_finding,
    not_beside_finding,
    strata_finding,
    trend_finding,
)
from jurybox.analysis.judges.tables import (
    agreement_table,
    annotator_table,
    by_kind_table,
    confusion_table,
    strata_table,
)
from jurybox.analysis.measure.by_rater_kind import systems_by_rater_kind
from jurybox.analysis.measure.judge_biases import JudgeFacts
from jurybox.analysis.measure.judges import JudgedCriterion, Strata, judged_criterion
from jurybox.analysis.measure.prediction_powered import chosen_for_disagreement
from jurybox.results import format_count
from jurybox.stats.judges.agreement import statistics_of
from jurybox.stats.judges.biases import JudgeBias
from jurybox.tally.judge_replies import judge_replies
from jurybox.tally.judges import judge_names
from jurybox.tally.responses import Responses

__all__ = ["judge_chapter"]

SHAPES = ("ratings", "votes", "detections")
CHOSEN = "Agreement of judges on {criterion} is not that on all units: {why}"
NOT_SET_BESIDE = "judges' {shape} are not set beside people's; ratings, votes and detections are"


def judge_chapter(
    context: Context,
    responses: Responses,
    *,
    strata: Strata | None = None,
    facts: JudgeFacts | None = None,
    replies: Mapping[str, tuple[int, int]] | None = None,
) -> Chapter:
    """What judges say beside people, what that depends on, and what both say together.

    ``replies``: of each judge, how many could not be used, and how many there are.
    """
    if not (responses.has_item and responses.has_rater):
        return Chapter(warnings=("without items and raters no judge can be set beside people",))
    names = judge_names(responses)
    if not names:
        return Chapter(warnings=tuple(_silent(replies or {})))
    if responses.shape.name not in SHAPES:
        return Chapter(
            findings=tuple(not_beside_finding(name, responses.shape.name) for name in names),
            warnings=(NOT_SET_BESIDE.format(shape=responses.shape.name),),
        )
    panel = context.asked.panel if len(names) > 1 else None
    made: list[Chapter] = []
    biases: dict[str, tuple[JudgeBias, ...]] = {}
    for criterion in responses.criteria:
        if criterion in context.asked.derived:
            continue
        part = responses.of_criterion(criterion)
        level, _ = level_of(context, part, criterion)
        judged = judged_criterion(
            part, criterion, context.options, level=level, panel=panel, replies=replies
        )
        if judged.no_scale is not None:
            made.append(Chapter(warnings=(judged.no_scale,)))
            continue
        made.append(_by_kind(context, judged, responses.shape.name))
        made.append(_criterion(context, judged, strata))
        given, known = judge_replies(part, criterion), facts or JudgeFacts()
        chosen = chosen_for_disagreement(given)
        if chosen is not None:
            made.append(Chapter(warnings=(CHOSEN.format(criterion=criterion, why=chosen),)))
        biases[criterion] = bias_rows(context, given, criterion, known)
        made.append(combined_chapter(context, given, criterion, known))
    return Chapter.joined([*made, *bias_chapters(context, biases)])


def _criterion(context: Context, judged: JudgedCriterion, strata: Strata | None) -> Chapter:
    """The judges of one criterion."""
    criterion, level, epsilon = judged.criterion, judged.level, context.asked.epsilon
    found, tests = judged.agreements(strata), judged.tests(epsilon or 0.0).rows
    whole = [row for row in found.rows if row.stratum is None]
    parts = [row for row in found.rows if row.stratum is not None]
    first = statistics_of(level)[0]
    heads = [row for row in whole if (row.statistic, row.against) == (first, "person")]
    findings = [beside_finding(row, level) for row in heads]
    findings += [annotator_finding(row, stated=epsilon is not None) for row in tests]
    findings += [each for row in heads if (each := strata_finding(row.judge, parts)) is not None]
    findings += [trend_finding(row) for row in found.trends if row.is_beyond_chance]
    crowd = _is_crowd(judged.beside.unit)
    shown = [row for row in whole if crowd or row.against == "person"]
    tables = [
        agreement_table(context, criterion, [row for row in shown if row.statistic == statistic])
        for statistic in statistics_of(level)
    ]
    if any(row.estimate is not None for row in tests):
        tables.append(annotator_table(context, criterion, tests))
    tables += [strata_table(context, criterion, parts)] if parts else []
    tables += [confusion_table(row) for row in heads if row.confusion]
    return Chapter(findings=tuple(findings), tables=tuple(tables))


def _by_kind(context: Context, judged: JudgedCriterion, shape: str) -> Chapter:
    """What people and what every judge say of each system."""
    criterion = judged.criterion
    rows = systems_by_rater_kind(
        judged,
        shape,
        ends=context.asked.ends(criterion),
        higher=context.asked.criterion(criterion).higher,
    )
    return Chapter(tables=(by_kind_table(context, criterion, shape, rows),) if rows else ())


def _silent(replies: Mapping[str, tuple[int, int]]) -> Iterator[str]:
    """That judges were asked, where no reply of theirs could be used."""
    for judge, (lost, given) in sorted(replies.items()):
        if lost == given:
            yield f"{judge}: {format_count(lost, 'reply', 'replies')}, none of which could be used"


def _is_crowd(unit: NDArray[np.int64]) -> bool:
    """Whether some unit has four people, without whom a consensus is no more than one of them."""
    return bool(np.bincount(unit, minlength=1).max() > 3)
