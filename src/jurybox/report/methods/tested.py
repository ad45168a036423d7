"""What was tested and by which test, for the methods paragraph: only what the report prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from jurybox.analysis.finding import Analysis, Finding, Table
from jurybox.analysis.table import Method
from jurybox.formats import joined
from jurybox.report.methods.references import uses
from jurybox.results import Result, format_p
from jurybox.stats.agreement.concordance import Concordance
from jurybox.stats.agreement.icc import Intraclass
from jurybox.stats.agreement.patterns import Agreement
from jurybox.stats.agreement.spans import SpanAgreement
from jurybox.stats.detection.calibration import ExpectedError
from jurybox.stats.detection.turing import Sensitivity
from jurybox.stats.differences import Difference
from jurybox.stats.equivalence import Equivalence
from jurybox.stats.judges.agreement import NAMES, JudgeAgreement
from jurybox.stats.judges.alternative_annotator import AlternativeAnnotatorTest
from jurybox.stats.metrics.results import MetricComparison
from jurybox.stats.metrics.stand_in import StandIn
from jurybox.stats.shares import Share
from jurybox.stats.strengths.goodness import GoodnessOfFit

__all__ = ["agreement_measures", "named", "significance", "tested"]

Kind = TypeVar("Kind", bound=Result)
WAYS = {
    "exact binomial": "by the exact binomial test",
    "Wilson": "by Wilson's z where the clusters do not vary",
    "Newcombe": "by the z that the interval inverts",
}
"""By which test p was computed, by how the method of the interval begins."""
BY_T = "by the t of the interval"
INSTEAD = "gap between a metric and a rater"
IN_PART = "gap between a judge and people in a part of the units"


def tested(analysis: Analysis) -> list[str]:
    """The tests of single figures, then the models and statistics that have works of their own."""
    return [
        *_figures(analysis),
        *_points(analysis),
        *_strengths(analysis),
        *_effects(analysis),
        *_detected(analysis),
        *_judges(analysis),
        *_metrics(analysis),
        *_agreement(analysis),
    ]


def significance(analysis: Analysis) -> list[str]:
    """The tests of figures, and the effect sizes, in sentences; none where nothing was tested."""
    return [*_figures(analysis), *_effects(analysis)]


def named(finding: Finding) -> str:
    """What a finding's result is, as a reader of the paragraph knows it."""
    result = finding.result
    if finding.figure is not None:
        return finding.figure
    if isinstance(result, Share):
        return result.what
    if isinstance(result, Concordance):
        return Agreement.label
    return INSTEAD if isinstance(result, StandIn) else result.label


def _of(analysis: Analysis, kind: type[Kind]) -> list[Kind]:
    """The results of this kind that have a number."""
    results = (finding.result for finding in analysis.findings)
    return [r for r in results if isinstance(r, kind) and r.estimate is not None]


def _methods(analysis: Analysis, method: Method) -> list[str]:
    """How the tables that were made by it say it."""
    return [table.methods[method] for table in analysis.tables if method in table.methods]


def _figures(analysis: Analysis) -> Iterator[str]:
    """Every figure with a p, by what it was tested against and how."""
    ways: dict[str, dict[str, list[str]]] = {}
    for finding in analysis.findings:
        test = _test(finding)
        if test is not None:
            way, null, label = test
            labels = ways.setdefault(way, {}).setdefault(null, [])
            labels += [] if label in labels else [label]
    said = [
        f"{joined([f'of the {joined(labels)} against {null}' for null, labels in nulls.items()])}, "
        f"{way}"
        for way, nulls in ways.items()
    ]
    if said:
        yield f"Each p is of a two-sided test: {'; '.join(said)}."


def _test(finding: Finding) -> tuple[str, str, str] | None:
    """How a figure was tested, against what, and its name; ``None`` for what prints no such p."""
    result, interval = finding.result, finding.result.interval
    printed = {format_p(p) for p in (result.p, result.claimed_p)}
    if result.p is None or interval is None or not any(p in finding.sentence for p in printed):
        return None
    way = next((way for start, way in WAYS.items() if interval.method.startswith(start)), BY_T)
    if isinstance(result, JudgeAgreement):
        return way, "that in the others", IN_PART
    null = getattr(result, "against", None)
    # A judge is held against people, and tested against no bias.
    null = null if isinstance(null, float) else result.neutral
    # A metric beside another has a test of its own, and a margin has two.
    if null is None or isinstance(result, (MetricComparison, Equivalence)):
        return None
    shown = f"{100 * null:g}%" if null and result.as_percent else f"{null:g}"
    return way, shown, named(finding)


def _points(analysis: Analysis) -> Iterator[str]:
    """What marked errors count, which the tables of their points say."""
    for said in dict.fromkeys(_methods(analysis, "error points")):
        counts = said.rstrip(".")
        yield f"{counts}, summed over an output's marks; one marked free of errors has 0."


def _strengths(analysis: Analysis) -> Iterator[str]:
    yield from _halves(analysis)
    if uses(analysis, "Strengths"):
        ties = ", ties by that of Davidson (1970)" if uses(analysis, "Ties") else ""
        yield f"Strengths come from the model of Bradley and Terry (1952){ties}."
        yield from _second_fits(analysis)
    if uses(analysis, "Strengths from rankings"):
        yield "Strengths come from the model of Luce (1959) and Plackett (1975)."
    fits = _of(analysis, GoodnessOfFit)
    if fits:
        clusters = next((fit.scaled_for for fit in fits if fit.scaled_for), ())
        work = "(Rao and Scott, 1981), against F (Thomas and Rao, 1987)"
        by = f", scaled for {joined(f'{kind}s' for kind in clusters)} {work}" if clusters else ""
        yield (
            "Whether one strength per system describes who beats whom was tested by Pearson's "
            f"X²{by}."
        )


def _halves(analysis: Analysis) -> Iterator[str]:
    """What ties count where two systems are compared, if there are any."""
    found = _methods(analysis, "ties as halves")
    of = "shares of who is ranked above" if analysis.protocol == "rank" else "win rates"
    if found:
        yield f"In {of}, {max(found, key=len)} count half."


def _second_fits(analysis: Analysis) -> Iterator[str]:
    """The readings of strengths that stand beside the first."""
    found = list(dict.fromkeys(_methods(analysis, "second fit")))
    if found:
        yield f"A second fit {', another '.join(found)}."


def _effects(analysis: Analysis) -> Iterator[str]:
    if not uses(analysis, "Cliff's δ"):
        return
    found = [
        effect
        for gap in _of(analysis, Difference)
        for effect in gap.effects
        if effect.effect.startswith("cliff_delta") and effect.estimate is not None
    ]
    kinds = list(dict.fromkeys(effect.name.replace("Cliff's delta ", "") for effect in found))
    if kinds:
        made = {e.interval.method.partition(",")[0] for e in found if e.interval is not None}
        by = f", with intervals by a {joined(sorted(made))}" if made else ""
        yield f"The effect size is Cliff's δ {joined(kinds)} (Cliff, 1993){by}."


def _detected(analysis: Analysis) -> Iterator[str]:
    if _of(analysis, Sensitivity):
        yield (
            "In d′ and c generated outputs are the signal, and 0.5 is added to every count and 1 "
            "to every total (Hautus, 1995)."
        )
    draws = {found.n_resamples for found in _of(analysis, ExpectedError) if found.p is not None}
    if draws:
        yield (
            "The expected calibration error was tested against "
            f"{joined([f'{n:,}' for n in sorted(draws)])} draws of what calibrated raters would "
            "answer (Bröcker and Smith, 2007)."
        )


def _judges(analysis: Analysis) -> Iterator[str]:
    beside = [row for row in _of(analysis, JudgeAgreement) if row.stratum is None]
    by = dict.fromkeys(_statistic(row) for row in beside if row.estimate is not None)
    if by:
        yield (
            f"The agreement of a judge with a person, as {joined(by)}, was set beside that of two "
            "people on the same units."
        )
    tests = _of(analysis, AlternativeAnnotatorTest)
    if tests:
        margins = dict.fromkeys(f"{test.epsilon:g}" for test in tests)
        yield (
            "Whether a judge may stand in for a person was tested by the alternative-annotator "
            f"test (Calderon, Reichart and Dror, 2025) at ε = {joined(margins)}: a one-sided t "
            "test over items for each person, adjusted by Benjamini and Yekutieli (2001) at 5%, "
            "passed from one half of the people on."
        )
    if uses(analysis, "People and a judge together"):
        yield (
            "Estimates of people and a judge together are prediction-powered (Angelopoulos, Duchi "
            "and Zrnic, 2023)."
        )


def _statistic(row: JudgeAgreement) -> str:
    """What agreement was measured by, and of what where that was made of the answers."""
    return NAMES[row.statistic] + (f" of {row.answers}" if row.answers else "")


def _metrics(analysis: Analysis) -> Iterator[str]:
    table = analysis.table("metric_values")
    names = [] if table is None else list(dict.fromkeys(str(row[0]) for row in table.rows))
    ways: dict[str, list[str]] = {}
    for name in names:
        said = " or ".join(how for metric, how in analysis.facts.signatures if metric == name)
        ways.setdefault(said, []).append(name)
    unsaid = ways.pop("", [])
    known = [f"{joined(own)} ({way})" for way, own in ways.items()]
    if known:
        yield f"Metrics were computed thus: {joined(known)}."
    if unsaid:
        were = "was" if len(unsaid) == 1 else "were"
        yield f"How {joined(unsaid)} {were} computed is not recorded."
    yield from _compared(analysis)


def _compared(analysis: Analysis) -> Iterator[str]:
    """By which test two metrics were compared, as the table of them says.

    Where none is told from another, no finding says that p is adjusted.
    """
    ways = _methods(analysis, "metrics compared")
    if not ways:
        return
    yield f"Two metrics were compared by {max(ways, key=len)} (Deutsch, Dror and Roth, 2021)."
    is_adjusted = bool(_methods(analysis, "Holm's method"))
    if is_adjusted and not _of(analysis, MetricComparison):
        yield "Each p of these is adjusted by Holm's method over the pairs of a statistic."


def _is_of_spans(table: Table) -> bool:
    """Whether a table has the F1 of marks: without a sentence, where a slider is the result."""
    return table.kind == "agreement" and table.id.endswith("/spans")


def _agreement(analysis: Analysis) -> Iterator[str]:
    said = agreement_measures(analysis)
    if said:
        yield f"Agreement was measured by {joined(said)}."


def agreement_measures(analysis: Analysis) -> list[str]:
    """The statistics of agreement, each once with the levels of what it was computed of."""
    levels: dict[str, list[str]] = {}
    for found in _of(analysis, Agreement):
        known = levels.setdefault(found.statistic, [])
        is_new = found.level is not None and found.level not in known
        known += [str(found.level)] if is_new and "alpha" in found.statistic else []
    said = [f"{name} ({joined(known)})" if known else name for name, known in levels.items()]
    if uses(analysis, "Fleiss' kappa") and "Fleiss' kappa" not in levels:
        said.append("Fleiss' kappa")
    if uses(analysis, "Cohen's kappa") and not any(name.startswith("Cohen") for name in levels):
        weights = " with quadratic weights" if uses(analysis, "Weighted kappa") else ""
        ways = [t.methods for t in analysis.tables if "Cohen's kappa" in t.methods]
        if weights and not all("quadratic weights" in way for way in ways):
            weights = ", with quadratic weights where values are in order,"
        said.append(f"Cohen's kappa{weights} of every two {analysis.rater_noun}s")
    said += list(dict.fromkeys(found.form for found in _of(analysis, Intraclass)))
    rankings = _of(analysis, Concordance)
    if rankings:
        how = dict.fromkeys(r.p_method for r in rankings if r.p is not None and r.p_method)
        by = f" (p against random rankings, {joined(how)})" if how else ""
        said.append(f"Kendall's W{by}")
    if _of(analysis, SpanAgreement) or any(_is_of_spans(table) for table in analysis.tables):
        said.append(f"the F1 of characters that two {analysis.rater_noun}s mark")
    if uses(analysis, "Agreement between groups"):
        said.append("the cross-replication reliability of two groups")
    return said
