"""Judges beside people in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from jurybox.analysis.finding import Finding, Together
from jurybox.analysis.sentences import points
from jurybox.formats import format_confidence, joined
from jurybox.results import (
    Interval,
    Result,
    format_count,
    format_interval,
    format_number,
    format_p,
    format_percent,
)
from jurybox.stats.clusters import THESE_RATERS, THIS_RATER
from jurybox.stats.judges.agreement import NAMES, JudgeAgreement, LengthTrend
from jurybox.stats.judges.alternative_annotator import AlternativeAnnotatorTest

__all__ = [
    "annotator_finding",
    "beside_finding",
    "interval_name",
    "strata_finding",
    "trend_finding",
]

NARROW = (THESE_RATERS, THIS_RATER)


def _called(row: JudgeAgreement | AlternativeAnnotatorTest | LengthTrend) -> str:
    """The judge's name; a panel is said to be one."""
    if not row.panel_of:
        return row.judge
    return f"The {row.judge} of {joined(row.panel_of)}"


def _on(row: JudgeAgreement | AlternativeAnnotatorTest | LengthTrend) -> str:
    answers = f" ({row.answers})" if row.answers else ""
    return f" on {row.criterion}{answers}" if row.criterion else ""


def beside_finding(row: JudgeAgreement, *, leads: bool = True) -> Finding:
    """One judge beside the ceiling, as a sentence; ``leads``: by what says most."""
    about, lost = _on(row), _lost(row) if leads else ""
    if row.estimate is None:
        sentence = f"{_called(row)} cannot be set beside people{about}: {row.undefined}.{lost}"
    else:
        what = _with_person(row)
        sentence = f"{_called(row)} agrees with a person {what}"
        if row.ceiling is None:
            sentence += f"; how far two people agree is not known: {row.no_ceiling}.{lost}"
        else:
            sentence += f", two people with each other {_ceiling(row)}{_gap(row)}.{lost}"
        sentence = sentence.replace(" agrees with a person", f" agrees{about} with a person", 1)
    return Finding(
        id=f"judge/{row.criterion}/{row.judge}" + ("" if leads else f"/{row.statistic}"),
        sentence=sentence,
        result=row,
        standing="judge",
        told=row.interval is not None and row.difference_low is not None,
        criterion=row.criterion,
    )


def _with_person(row: JudgeAgreement) -> str:
    how = "in " if row.as_percent else f"to a {NAMES[row.statistic]} of "
    return f"{how}{row.format(row.estimate)} {_bracket(row)}"


def _bracket(row: Result) -> str:
    if row.interval is None:
        return f"(no interval: {row.undefined})"
    ends = format_interval(row.interval, percent=row.as_percent)
    return f"({interval_name(row.interval)} {ends})"


def interval_name(interval: Interval) -> str:
    """An interval by its confidence, and that it holds for these raters alone where it does."""
    whom = " for these raters" if interval.generalizes_to in NARROW else ""
    return f"{format_confidence(interval.confidence)} interval{whom}"


def _ceiling(row: JudgeAgreement) -> str:
    how = "in " if row.as_percent else "to "
    ends = _ends(row, row.ceiling_low, row.ceiling_high)
    return f"{how}{row.format(row.ceiling)}" + (f" ({ends})" if ends else "")


def _ends(row: JudgeAgreement, low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return ""
    scale, digits = (100, 1) if row.as_percent else (1, 3)
    return f"{format_number(scale * low, digits)} to {format_number(scale * high, digits)}"


def _gap(row: JudgeAgreement) -> str:
    """What lies between judge and ceiling, and whether it is told apart from nothing."""
    if row.difference is None:
        return ""
    size = abs(row.difference)
    said = points(size) if row.as_percent else format_number(size)
    ends = _ends(row, row.difference_low, row.difference_high)
    if not ends:
        return f": a difference of {said} without an interval ({row.no_ceiling})"
    low, high = row.difference_low or 0.0, row.difference_high or 0.0
    if low <= 0 <= high:
        return f"; the two are not told apart (difference {ends})"
    side = "more" if row.difference > 0 else "less"
    return f": the judge {said} {side} (difference {ends})"


def _lost(row: JudgeAgreement) -> str:
    """What the judge did not answer, by count; nothing is put in its place."""
    said = ""
    if row.n_unusable:
        noun = "was" if row.n_unusable == 1 else "were"
        verb = "counts" if row.n_unusable == 1 else "count"
        of_all = f"{row.n_unusable:,} of its {row.n_replies:,} replies"
        said += f" {of_all} {noun} unusable and {verb} nowhere."
    if row.n_contradicted:
        units = format_count(row.n_contradicted, "unit")
        said += f" On {units} it contradicts itself and has no answer."
    return said + "".join(f" Mind: {note}." for note in row.notes if "one answer" in note)


def annotator_finding(row: AlternativeAnnotatorTest, *, stated: bool) -> Finding:
    """The alternative-annotator test as a sentence."""
    test = f"the alternative-annotator test{_on(row)}"
    together = None
    if row.estimate is None:
        why = f"{test}: {row.undefined}."
        sentence = f"{_called(row)} is not put to {why}"
        if not row.panel_of:
            together = Together(before="", of=row.judge, after=f" are not put to {why}")
    else:
        n = len(row.raters)
        won = round(row.estimate * n)
        verdict = "passes" if row.passes else "does not pass"
        sentence = (
            f"{_called(row)} {verdict} {test} at ε = "
            f"{row.epsilon:g}: it may stand in for {won} of {format_count(n, 'rater')} "
            f"(winning rate {format_percent(row.estimate)}, {_bracket(row)[1:]}"
        )
        if stated and row.at_zero is not None and row.epsilon:
            sentence += f", without that bonus for {round(row.at_zero * n)}"
        sentence += f"; it is at least as close to the others as a person is {_advantage(row)}"
        sentence += "." if stated else ". No ε is stated, so that none is granted."
    return Finding(
        id=f"alternative_annotator/{row.criterion}/{row.judge}",
        sentence=sentence,
        result=row,
        standing="judge",
        told=row.estimate is not None,
        criterion=row.criterion,
        together=together,
    )


def _advantage(row: AlternativeAnnotatorTest) -> str:
    said = f"in {format_percent(row.advantage)} of cases"
    if row.advantage_low is None or row.advantage_high is None:
        return said
    low, high = (format_number(100 * end, 1) for end in (row.advantage_low, row.advantage_high))
    return f"{said} ({low} to {high})"


def strata_finding(judge: str, parts: Sequence[JudgeAgreement]) -> Finding | None:
    """Where a judge most surely falls behind people, or gains on them, beyond elsewhere."""
    own = [row for row in parts if row.judge == judge and row.interval and row.is_beyond_chance]
    if not own:
        return None
    row = min(own, key=lambda row: ((row.contrast or 0.0) > 0, row.claimed_p))
    gap = row.contrast or 0.0
    size = points(abs(gap)) if row.as_percent else format_number(abs(gap))
    does = "gains on" if gap > 0 else "falls behind"
    sentence = (
        f"Exploratory: {_called(row)} {does} people{_on(row)} where {row.stratum} "
        f"({row.format(row.estimate)}, {_ends_of(row)}; two people {row.format(row.ceiling)}): by "
        f"{size} against elsewhere ({_ends(row, row.contrast_low, row.contrast_high)}; "
        f"{_looked(row)})."
    )
    return Finding(
        id=f"judge_strata/{row.criterion}/{judge}",
        sentence=sentence,
        result=row,
        standing="judge",
        criterion=row.criterion,
    )


def _ends_of(row: JudgeAgreement) -> str:
    return format_interval(row.interval, percent=row.as_percent)


def _looked(row: JudgeAgreement | LengthTrend) -> str:
    """p, and over how many looks it is adjusted."""
    by = "" if row.adjusted_by is None else f" by {row.adjusted_by}"
    return f"{format_p(row.claimed_p)}{by}"


def trend_finding(row: LengthTrend) -> Finding:
    """Where outputs are longer: does the judge fall behind."""
    slope = row.estimate or 0.0
    as_points = row.statistic == "percent"
    size = points(abs(slope)) if as_points else format_number(abs(slope))
    does = "gains on" if slope > 0 else "falls behind"
    ends = format_interval(row.interval, percent=as_points)
    return Finding(
        id=f"judge_length/{row.criterion}/{row.judge}",
        sentence=f"Exploratory: {_called(row)} {does} people{_on(row)} where outputs are longer: "
        f"each doubling moves its agreement against theirs by {size} ({ends}; {_looked(row)}).",
        result=row,
        standing="judge",
        criterion=row.criterion,
    )
