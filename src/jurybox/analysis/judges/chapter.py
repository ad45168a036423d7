"""The chapter on judges: every judge, and their panel, beside people on every criterion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

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
    strata_finding,
    trend_finding,
)
from jurybox.analysis.judges.tables import (
    FIGURES,
    Figure,
    agreement_table,
    annotator_table,
    by_kind_table,
    confusion_table,
    strata_table,
)
from jurybox.analysis.measure.by_rater_kind import systems_by_rater_kind
from jurybox.analysis.measure.judge_biases import JudgeFacts
from jurybox.analysis.measure.judges import (
    JudgedCriterion,
    Strata,
    judged_criterion,
    looks_at,
)
from jurybox.analysis.measure.prediction_powered import chosen_for_disagreement
from jurybox.analysis.measure.spans import Weights
from jurybox.results import format_count
from jurybox.stats.judges.biases import JudgeBias
from jurybox.stats.scale_ends import FROM_NOTHING
from jurybox.tally.judge_replies import judge_replies
from jurybox.tally.judges import judge_names
from jurybox.tally.responses import Responses
from jurybox.tally.single_answers import firsts_of_rankings, single_answers

__all__ = ["judge_chapter"]

NO_PANEL = "{criterion}: no panel is made of rankings, and each judge is looked at alone"
CHOSEN = "Agreement of judges on {criterion} is not that on all units: {why}"


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
    panel = context.asked.panel if len(names) > 1 else None
    made: list[Chapter] = []
    biases: dict[str, tuple[JudgeBias, ...]] = {}
    for criterion in responses.criteria:
        if criterion in context.asked.derived:
            continue
        part = responses.of_criterion(criterion)
        level, _ = level_of(context, part, criterion)
        asked = context.asked.criterion(criterion)
        weights = Weights(severities=asked.severities, weights=asked.weights)
        looks = looks_at(
            part,
            criterion,
            context.options,
            level=level,
            panel=panel,
            replies=replies,
            weights=weights,
        )
        if looks[0].no_scale is not None:
            made.append(Chapter(warnings=(looks[0].no_scale,)))
            continue
        shape, known = responses.shape.name, facts or JudgeFacts()
        if panel is not None and looks[0].beside.likeness is not None:
            made.append(Chapter(warnings=(NO_PANEL.format(criterion=criterion),)))
        single = single_answers(part, criterion, **weights.given)
        made += _by_kind(context, looks[0], part, single)
        made += [_criterion(context, look, strata, tested=look is looks[0]) for look in looks]
        given = judge_replies(single, criterion)
        chosen = chosen_for_disagreement(given)
        if chosen is not None:
            made.append(Chapter(warnings=(CHOSEN.format(criterion=criterion, why=chosen),)))
        biases[criterion] = bias_rows(context, given, criterion, known)
        first = None
        if shape == "rankings":
            first = judge_replies(firsts_of_rankings(part, criterion), criterion)
        made.append(combined_chapter(context, given, criterion, known, firsts=first))
    return Chapter.joined([*made, *bias_chapters(context, biases, responses.shape.name)])


def _criterion(
    context: Context, judged: JudgedCriterion, strata: Strata | None, *, tested: bool
) -> Chapter:
    """The judges of one criterion; ``tested``: whether they are put to a test by these answers."""
    criterion, epsilon = judged.criterion, context.asked.epsilon
    found = judged.agreements(strata if tested else None)
    tests = judged.tests(epsilon or 0.0).rows if tested else ()
    whole = [row for row in found.rows if row.stratum is None]
    parts = [row for row in found.rows if row.stratum is not None]
    first = judged.statistics[0]
    heads = [row for row in whole if (row.statistic, row.against) == (first, "person")]
    findings = [beside_finding(row, leads=tested) for row in heads]
    findings += [annotator_finding(row, stated=epsilon is not None) for row in tests]
    findings += [each for row in heads if (each := strata_finding(row.judge, parts)) is not None]
    findings += [trend_finding(row) for row in found.trends if row.is_beyond_chance]
    crowd = _is_crowd(judged.beside.unit)
    shown = [row for row in whole if crowd or row.against == "person"]
    tables = [
        agreement_table(context, criterion, [row for row in shown if row.statistic == statistic])
        for statistic in judged.statistics
    ]
    if any(row.estimate is not None for row in tests):
        tables.append(annotator_table(context, criterion, tests))
    tables += [strata_table(context, criterion, parts)] if parts else []
    tables += [confusion_table(row) for row in heads if row.confusion]
    return Chapter(findings=tuple(findings), tables=tuple(tables))


def _by_kind(
    context: Context, judged: JudgedCriterion, part: Responses, single: Responses
) -> Iterator[Chapter]:
    """What people and what every judge say of each system.

    ``judged``: their answers to ``part``, of which ``single`` are single ones.
    """
    criterion, shape = judged.criterion, part.shape.name
    asked = context.asked.criterion(criterion)
    if shape == "rankings":
        options = context.options
        firsts = firsts_of_rankings(part, criterion)
        first = judged_criterion(firsts, criterion, options, level="ratio")
        picks = judged.beside.n_values is not None
        yield _seen(context, first, FIGURES["picks" if picks else "firsts"], is_share=True)
        above = judged_criterion(single, criterion, options, level="nominal")
        yield _seen(context, above, FIGURES[shape], is_share=True)
        return
    figure, ends = FIGURES[shape], context.asked.ends(criterion)
    if shape == "spans":
        yield _seen(context, judged, figure, ends=FROM_NOTHING, higher=False)
        return
    yield _seen(
        context, judged, figure, ends=ends, higher=asked.higher, is_share=shape != "ratings"
    )


def _seen(context: Context, judged: JudgedCriterion, figure: Figure, **how: Any) -> Chapter:
    rows = systems_by_rater_kind(judged, **how)
    if not rows:
        return Chapter()
    return Chapter(tables=(by_kind_table(context, judged.criterion, figure, rows),))


def _silent(replies: Mapping[str, tuple[int, int]]) -> Iterator[str]:
    """That judges were asked, where no reply of theirs could be used."""
    for judge, (lost, given) in sorted(replies.items()):
        if lost == given:
            yield f"{judge}: {format_count(lost, 'reply', 'replies')}, none of which could be used"


def _is_crowd(unit: NDArray[np.int64]) -> bool:
    """Whether some unit has four people, without whom a consensus is no more than one of them."""
    return bool(np.bincount(unit, minlength=1).max() > 3)
