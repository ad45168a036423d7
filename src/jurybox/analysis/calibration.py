"""What detections say of raters' confidence: whether they are right as often as they say."""

from __future__ import annotations

from jurybox.analysis import measure
from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.finding import Chapter, Column, Finding, Table
from jurybox.analysis.sentences import evidence, told_apart
from jurybox.results import format_number, format_p, format_percent
from jurybox.stats.detection.calibration import Brier, Calibration, ExpectedError, Slope
from jurybox.tally.detections import NOT_ASKED
from jurybox.tally.responses import Responses

__all__ = ["calibration_part"]


def calibration_part(context: Context, responses: Responses) -> Chapter:
    """Calibration by the probabilities of the study's scale; nothing where nobody was asked."""
    name = next(iter(responses.criteria), "")
    probability = context.asked.criterion(name).probability
    found = measure.calibrated(responses, context.options, probability=probability)
    if found.undefined in NOT_ASKED:
        return Chapter()
    if found.estimate is None:
        return Chapter(
            findings=(
                Finding(
                    id="calibration",
                    sentence=f"Calibration is undefined: {found.undefined}.",
                    result=found,
                    standing="quality",
                    told=False,
                ),
            )
        )
    findings = [_large(context, found)]
    if found.slope is not None:
        findings.append(_slope(context, found.slope))
    if found.brier is not None:
        findings.append(_brier(found.brier))
    if found.error is not None:
        findings.append(_error(found.error))
    tables = [_reliability(context, name, found)]
    tables += [_raters(context, found)] if found.raters else []
    said = tuple(note for note in found.notes if note.startswith("every answer"))
    return Chapter(findings=tuple(findings), tables=tuple(tables), warnings=said)


def _large(context: Context, found: Calibration) -> Finding:
    told = told_apart(found, null=0.0, p=found.p, confidence=context.confidence)
    shares = (
        f"they are right in {format_percent(found.right)} of answers and say "
        f"{format_percent(found.stated)}"
    )
    said = evidence(found, noun="answer", p=found.p)
    gap = found.format(found.estimate)
    if told:
        way = "surer than they are right" if (found.estimate or 0) < 0 else "right more than sure"
        sentence = f"Raters are {way}: {shares}, a difference of {gap} {said}."
    else:
        sentence = (
            "It is not shown that raters are on the whole too sure or too unsure: "
            f"{shares}, a difference of {gap} {said}."
        )
    return Finding(id="calibration", sentence=sentence, result=found, standing="quality", told=told)


def _slope(context: Context, row: Slope) -> Finding:
    if row.estimate is None:
        sentence = f"There is no calibration slope: {row.undefined}."
        return Finding(
            id="calibration_slope", sentence=sentence, result=row, standing="quality", told=False
        )
    told = told_apart(row, null=1.0, p=row.p, confidence=context.confidence)
    value, said = row.format(row.estimate), evidence(row, noun=None, p=row.p)
    if told:
        less = (row.estimate or 0) < 1
        how = "less than it says" if less else "more than it says"
        sentence = f"More confidence means {how}: the calibration slope, 1 if calibrated, is "
        sentence += f"{value} {said}."
    else:
        sentence = (
            f"It is not shown that the calibration slope differs from 1: it is {value} {said}."
        )
    return Finding(
        id="calibration_slope", sentence=sentence, result=row, standing="quality", told=told
    )


def _brier(row: Brier) -> Finding:
    parts = (
        f"reliability {format_number(row.reliability)} (0 is calibrated) − resolution "
        f"{format_number(row.resolution)} + uncertainty {format_number(row.uncertainty)}"
    )
    return Finding(
        id="brier",
        sentence=f"The Brier score is {row.format(row.estimate)} "
        f"{evidence(row, noun='answer')}: {parts}.",
        result=row,
        standing="quality",
    )


def _error(row: ExpectedError) -> Finding:
    expected = format_number(row.under_null)
    sentence = (
        f"The expected calibration error is {row.format(row.estimate)}; perfectly calibrated "
        f"raters would average {expected} by chance ({format_p(row.p)} from that null, no "
        "interval; the null counts answers as independent)."
    )
    return Finding(id="calibration_error", sentence=sentence, result=row, standing="quality")


def _reliability(context: Context, criterion: str, found: Calibration) -> Table:
    return Table(
        id=f"reliability/{criterion}",
        title="Confidence and being right",
        columns=(
            Column(name="bin", heading="Stated probability"),
            Column(name="stated", heading="Mean stated", kind="percent"),
            Column(name="right", heading="Share right", kind="percent"),
            interval_column(context),
            Column(name="answers", heading="Answers", kind="count"),
        ),
        rows=tuple(
            (row.name, row.stated, row.estimate, bounds(row.interval), row.n_responses)
            for row in found.bins
        ),
        caption="Calibrated raters are right as often as they state.",
    )


def _raters(context: Context, found: Calibration) -> Table:
    return Table(
        id="rater_calibration",
        title="Confidence of each rater",
        columns=(
            Column(name="rater", heading="Rater"),
            Column(name="stated", heading="Mean stated", kind="percent"),
            Column(name="right", heading="Share right", kind="percent"),
            Column(name="difference", heading="Right minus stated, points", kind="points"),
            interval_column(context),
            Column(name="brier", heading="Brier score", kind="number"),
            Column(name="answers", heading="Answers", kind="count"),
        ),
        rows=tuple(
            (r.rater, r.stated, r.right, r.estimate, bounds(r.interval), r.brier, r.n_responses)
            for r in found.raters
        ),
        caption="Below 0 a rater is surer than right; the interval is for items like these.",
    )
