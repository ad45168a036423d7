"""What automatic metrics say beside people: how far each follows them, and at which level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import ClassVar

from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.finding import CellKind, Chapter, Column, Finding, Table
from jurybox.analysis.measure.metrics import metric_correlations
from jurybox.analysis.metric_instead import instead_findings
from jurybox.analysis.metric_scores import Scored, scores_of_people
from jurybox.analysis.metric_values import points_table, value_table
from jurybox.analysis.sentences import evidence, word_for
from jurybox.analysis.table import Method
from jurybox.formats import format_confidence, in_words, joined
from jurybox.results import format_count, format_interval, format_percent
from jurybox.stats.metrics.judged import People
from jurybox.stats.metrics.results import (
    Correlation,
    Level,
    MetricComparison,
    MetricCorrelations,
    Statistic,
)
from jurybox.stats.metrics.within_items import tied_pairs
from jurybox.tally.metrics import MetricTable
from jurybox.tally.responses import Responses

__all__ = [
    "correlation_words",
    "for_other_systems",
    "metric_chapter",
    "unmatched_chapter",
]

CORRELATION_WORDS = (
    (0.3, "very weakly"),
    (0.5, "weakly"),
    (0.7, "moderately"),
    (float("inf"), "strongly"),
)
"""Words for the size of a rank correlation."""
SHOWN: tuple[tuple[str, str, Level, Statistic], ...] = (
    ("within_items", "Pairs right within items", "item", "acc_eq"),
    ("spearman", "Spearman's ρ", "output", "spearman"),
    ("pearson", "Pearson's r", "output", "pearson"),
    ("kendall", "Kendall's τ-b", "output", "kendall"),
    ("systems", "System pairs right", "system", "pairwise_accuracy"),
    ("soft", "Soft accuracy", "system", "soft_pairwise_accuracy"),
)
NAMES = {statistic: heading for _, heading, _, statistic in SHOWN}
"""How the sentence begins that says how two metrics were compared, for the methods too."""
AS_SHARE = ("acc_eq", "pairwise_accuracy", "soft_pairwise_accuracy")


def metric_chapter(context: Context, parts: Sequence[Responses], metrics: MetricTable) -> Chapter:
    """Every metric against every criterion on which outputs have scores of their own."""
    findings: list[Finding] = []
    tables: list[Table] = [value_table(context, metrics)]
    for people in chain.from_iterable(scores_of_people(context, part) for part in parts):
        criterion = people.criterion
        found = metric_correlations(people.judged, metrics, context.options, criterion=criterion)
        by = {(row.metric, row.level, row.statistic): row for row in found.rows}
        first = _closest_first(found, by)
        names = [row.metric for row in first]
        stated = metrics.lower_is_better
        findings += [_finding(one, by, people, stated=stated) for one in first]
        instead = instead_findings(context, people, metrics, found)
        findings += [instead[name] for name in names]
        findings += [_better(row) for row in found.comparisons if _is_told(row)]
        tables.append(_table(context, people, names, by))
        tables.append(points_table(context, people, metrics))
        if found.comparisons:
            tables.append(_pairs(context, criterion, found.comparisons))
    if not findings:
        return unmatched_chapter(context, metrics, NO_SCORE[parts[0].shape.name])
    return Chapter(findings=tuple(findings), tables=tuple(tables), took=metrics.took)


NO_ITEM = "that needs the column 'item'; compare their order with that of the systems by eye"
NO_SCORE = {
    "ratings": "the answers are words or nominal, which have no mean; --values gives words numbers",
    "detections": "no generated output was judged",
}
"""Why no output has a score, by the shape of the table."""


def unmatched_chapter(context: Context, metrics: MetricTable, why: str = NO_ITEM) -> Chapter:
    """What was measured, where people gave nothing that it could be compared with."""
    return Chapter(
        tables=(value_table(context, metrics),),
        took=metrics.took,
        warnings=(f"metrics are listed and not compared with people: {why}",),
        metrics_alone=why,
    )


Rows = dict[tuple[str, Level, Statistic], Correlation]


def _closest_first(found: MetricCorrelations, by: Rows) -> list[Correlation]:
    """A row of every metric, first of the one that follows people most at the first level shown."""
    rows = list({row.metric: row for row in reversed(found.rows)}.values())[::-1]

    def place(one: Correlation) -> list[tuple[bool, float]]:
        known = (by.get((one.metric, level, statistic)) for _, _, level, statistic in SHOWN)
        sizes = (None if row is None else row.estimate for row in known)
        return [(size is None, -(size or 0.0)) for size in sizes]

    return sorted(rows, key=place)


def _finding(one: Correlation, by: Rows, people: Scored, *, stated: Sequence[str]) -> Finding:
    """One sentence: over outputs, within items, across systems.

    ``one``: any row of the metric; ``stated``: the metrics of which less is said to be better.
    """
    metric, criterion = one.metric, one.criterion or ""
    row = by.get((metric, "output", "spearman"))
    within = by.get((metric, "item", "acc_eq"))
    across = by.get((metric, "system", "pairwise_accuracy"))
    parts = []
    if row is not None:
        parts.append(_over_outputs(row, people, turned=metric in stated))
    if within is not None and within.estimate is not None:
        share = format_percent(within.estimate)
        said = evidence(_percent(within), noun=None)
        parts.append(f"of two outputs of one item it orders {share} as people do {said}")
    if across is not None:
        parts += _across_systems(across, people, alone=row is None, turned=metric in stated)
    leading = next(
        (r for r in (within, row, across) if r is not None and r.estimate is not None), one
    )
    return Finding(
        id=f"metric/{criterion}/{metric}",
        sentence=f"{'; '.join(parts)}.",
        result=leading,
        told=leading.estimate is not None,
        criterion=criterion,
    )


def _over_outputs(row: Correlation, people: Scored, *, turned: bool) -> str:
    if row.estimate is None:
        return f"{row.metric} has no correlation with {people.given}: {row.undefined}"
    said = f"ρ = {row.format(row.estimate)} {evidence(row, noun=people.noun)}"
    words = f"{correlation_words(row)} over all outputs: {said}"
    if (row.estimate if row.interval is None else row.interval.high) >= 0:
        return f"{row.metric} follows {people.followed} {words}"
    if turned:
        return f"{row.metric} follows {people.followed} in reverse, {words}"
    # Nobody said that more of it is better, so that falling may be what it should do.
    return f"{row.metric} falls as {people.as_it_rises}, {words}"


def _across_systems(row: Correlation, people: Scored, *, alone: bool, turned: bool) -> list[str]:
    """Pairs of systems ordered alike; ``alone``: the metric has values of whole sets only."""
    if row.estimate is None:
        why = f"{row.metric} cannot be compared with {people.given}: {row.undefined}"
        return [why] if alone else []
    pairs = (row.n_systems or 0) * ((row.n_systems or 0) - 1) // 2
    right = round(row.estimate * pairs)
    counted = format_count(pairs, "pair")
    said = f"of {counted} of systems it orders {right} as people do"
    if alone:
        said = f"{row.metric} orders {right} of {counted} of systems as {people.given} do"
    if row.other_systems is not None:
        said += f" ({for_other_systems(row)})"
    if not turned and 2 * right < pairs:
        said += f", more being taken as better (else --lower-is-better {row.metric})"
    return [said]


def for_other_systems(row: Correlation) -> str:
    """The interval that speaks for systems like these, which there is from ten systems on."""
    ends = row.other_systems
    if ends is None:
        return ""
    percent = format_confidence(ends.confidence)
    shown = format_interval(ends, percent=row.statistic in AS_SHARE)
    return f"{percent} interval for systems like these {shown}"


def correlation_words(row: Correlation) -> str:
    """The words at both ends of the interval, which may lie on both sides of zero."""
    if row.interval is None:
        return word_for(abs(row.estimate or 0.0), CORRELATION_WORDS)
    low, high = row.interval.low, row.interval.high
    if low <= 0 <= high:
        largest = word_for(max(-low, high), CORRELATION_WORDS)
        return f"not at all or at most {largest}"
    ends = sorted(abs(end) for end in (low, high))
    first, second = (word_for(end, CORRELATION_WORDS) for end in ends)
    return first if first == second else f"{first} to {second}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Accuracy(Correlation):
    """A share of pairs, which is printed in percent."""

    as_percent: ClassVar[bool] = True


def _percent(row: Correlation) -> _Accuracy:
    return row.as_kind(_Accuracy)


def _is_told(row: MetricComparison) -> bool:
    return row.statistic == "acc_eq" and row.is_beyond_chance


def _better(row: MetricComparison) -> Finding:
    first, second = row.metric, row.other
    gap, ends = 100 * (row.estimate or 0.0), row.interval
    if ends is not None:
        ends = replace(ends, low=100 * ends.low, high=100 * ends.high)
    if gap < 0:
        first, second, gap = second, first, -gap
        ends = None if ends is None else replace(ends, low=-ends.high, high=-ends.low)
    p = row.claimed_p
    shown = replace(row, estimate=gap, interval=ends)
    said = evidence(shown, noun=None, p=p, adjusted=row.p_adjusted is not None)
    return Finding(
        id=f"metric_pair/{row.criterion}/{row.metric}/{row.other}",
        sentence=f"{first} orders outputs of one item more often as people do than {second}: by "
        f"{shown.format(gap)} percentage points {said}.",
        result=row,
        standing="exploratory",
        criterion=row.criterion,
    )


READ: tuple[tuple[Level, str], ...] = (
    (
        "item",
        "Within items: of two outputs of one item, how often the metric orders them as people do, "
        "small differences of the metric counting as ties. {ties}",
    ),
    ("output", "Over all outputs: the correlation with {}."),
    (
        "system",
        "Across systems: pairs of systems ordered alike, items resampled and systems fixed.",
    ),
)
"""How the columns of a level are read."""
OF_SETS = (
    " A metric with one value for a whole set has none for an output, so that it is seen across "
    "systems alone, and without an interval: resampling items does not move it."
)
"""Why cells of a metric without items are empty."""


def _table(context: Context, people: Scored, names: Sequence[str], by: Rows) -> Table:
    known = {key[1:] for key, row in by.items() if key[0] in names and row.estimate is not None}
    shown = [each for each in SHOWN if each[2:] in known]
    levels = {level for _, _, level, _ in shown}
    columns = [Column(name="metric", heading="Metric")]
    for name, heading, _, statistic in shown:
        kind: CellKind = "percent" if statistic in AS_SHARE else "number"
        columns.append(Column(name=name, heading=heading, kind=kind))
        columns.append(interval_column(context, f"{name}_interval"))
    rows = []
    for name in names:
        cells: list[object] = [name]
        for _, _, level, statistic in shown:
            row = by.get((name, level, statistic))
            cells += [None if row is None else row.estimate]
            cells += [None if row is None else bounds(row.interval)]
        rows.append(tuple(cells))
    return Table(
        id=f"metrics/{people.criterion}",
        title=f"Metrics against people: {people.criterion}",
        columns=tuple(columns),
        rows=tuple(rows),
        caption=" ".join(
            said.format(people.measured, ties=_ties(people, context.options.seed))
            for level, said in READ
            if level in levels
        )
        + (OF_SETS if any(_is_of_set(n, by) for n in names) else ""),
    )


def _ties(people: Scored, seed: int) -> str:
    """How often a metric is right that knows nothing of the outputs."""
    tied = tied_pairs(People(people.judged, seed).means) or 0.0
    return (
        f"People's scores are equal in {format_percent(tied)} of these pairs, so that calling "
        "every pair a tie would be right that often, and guessing an order in "
        f"{format_percent((1 - tied) / 2)}."
    )


def _is_of_set(name: str, by: Rows) -> bool:
    """Whether a metric is set beside people across systems alone."""
    return {level for metric, level, _ in by if metric == name} == {"system"}


def _pairs(context: Context, criterion: str, rows: Sequence[MetricComparison]) -> Table:
    """Every two metrics, by each statistic that some two of them have."""
    told = [each[2:] for each in SHOWN]
    kinds = sorted({(row.level, row.statistic) for row in rows}, key=told.index)
    by = {kind: [row for row in rows if (row.level, row.statistic) == kind] for kind in kinds}
    known = {kind: own for kind, own in by.items() if any(r.estimate is not None for r in own)}
    return Table(
        id=f"metric_pairs/{criterion}",
        title=f"Metrics compared: {criterion}",
        columns=(
            Column(name="metric", heading="Metric"),
            Column(name="other", heading="Other"),
            Column(name="statistic", heading="Statistic"),
            Column(name="difference", heading="Difference", kind="number"),
            interval_column(context),
            Column(name="p", heading="p", kind="p"),
            Column(name="p_adjusted", heading="p (Holm)", kind="p"),
        ),
        rows=tuple(
            (
                row.metric,
                row.other,
                NAMES[row.statistic],
                row.estimate,
                bounds(row.interval),
                row.p,
                row.p_adjusted,
            )
            # In the order of the columns beside people: what the sentences speak of comes first.
            for own in known.values()
            for row in own
        ),
        caption=" ".join(_read_pairs(by, known)),
        methods=_methods_of(known),
    )


Compared = dict[tuple[Level, Statistic], list[MetricComparison]]
WILLIAMS: Method = "Williams' t"
"""The test of independent units, by how its name begins."""


def _methods_of(known: Compared) -> Mapping[Method, str]:
    """By which tests two metrics were compared, and how p are adjusted for how many there are."""
    tests = {
        NAMES[statistic]: {row.test.partition(" = ")[0] for row in own if row.p is not None}
        for (_, statistic), own in known.items()
    }
    made: dict[Method, str] = {}
    alone = [name for name, own in tests.items() if WILLIAMS in own]
    if any(tests.values()):
        also = f"; of {joined(alone)}, as every item has one output, by {WILLIAMS}"
        made["metrics compared"] = f"a paired permutation of items{also if alone else ''}"
    if alone:
        made[WILLIAMS] = ""
    if any(row.p_adjusted is not None for own in known.values() for row in own):
        made["Holm's method"] = ""
    return made


def _read_pairs(by: Compared, known: Compared) -> Iterator[str]:
    """How the table of comparisons is read, and why a statistic is not in it."""
    shares = [NAMES[each].lower() for _, each in known if each in AS_SHARE]
    if shares:
        yield f"A difference of 0.010 in {in_words(shares)} is one percentage point."
    methods = _methods_of(known)
    if "metrics compared" in methods:
        yield f"p by {methods['metrics compared']}."
    if "Holm's method" in methods:
        yield "p (Holm) holds for all pairs of metrics of one statistic together."
    for kind, own in by.items():
        if kind not in known:
            yield f"{NAMES[kind[1]]} cannot be compared: {own[0].undefined}."
