"""``analyze``: everything that a set of responses says, and what it does not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from jurybox.analysis.agreement import agreement_chapter
from jurybox.analysis.asked import PROTOCOL_SHAPE, Asked, check_baseline
from jurybox.analysis.cautions import cautions
from jurybox.analysis.context import Context
from jurybox.analysis.counted import Sorted, counted, derive, opened, sort_out
from jurybox.analysis.finding import Analysis, Chapter, Facts, Finding, headline_of
from jurybox.analysis.gather import Gathered, gather, with_categories, with_stated
from jurybox.analysis.judge_words import retold
from jurybox.analysis.options import Options
from jurybox.analysis.order import order_chapter
from jurybox.analysis.raters import everybody_chapter, rater_chapter
from jurybox.analysis.sentences import rater_noun, told_of
from jurybox.errors import InputError, NoResponseError
from jurybox.formats import joined
from jurybox.results import format_count
from jurybox.stats.clusters import Cluster, Generalize
from jurybox.tally.missing import note_unanswered
from jurybox.tally.responses import Responses
from jurybox.tally.shapes import ShapeName
from jurybox.tally.source import UNNAMED

if TYPE_CHECKING:
    from jurybox.stats.judges.panels import PanelRule
    from jurybox.study import Material, Study
    from jurybox.tally.metrics import MetricTable

__all__ = ["analyze", "main_findings"]

CHAPTERS: dict[ShapeName, tuple[str, str]] = {
    "ratings": ("ratings", "rating_chapter"),
    "votes": ("votes", "vote_chapter"),
    "rankings": ("rankings", "ranking_chapter"),
    "detections": ("detections", "detection_chapter"),
    "spans": ("spans", "span_chapter"),
}
"""The module and the function of every shape; only the one that is needed is imported."""
_PAIRED: tuple[ShapeName, ...] = ("ratings", "votes", "rankings", "spans")
"""The shapes of which every two systems are compared."""
MOST_COMPARISONS = 100_000
"""A comparison takes about a millisecond and 25 kB, with its finding, its row and its sentence."""
NOTHING = "every response is excluded by a rule, so there is nothing to analyze"
PROTOCOLS = {shape: protocol for protocol, shape in PROTOCOL_SHAPE.items()}


def _own_chapter(context: Context, responses: Responses) -> Chapter:
    """The chapter of the responses' shape."""
    room, name = CHAPTERS[responses.shape.name]
    write: Callable[[Context, Responses], Chapter] = getattr(
        import_module(f"jurybox.analysis.{room}"), name
    )
    return write(context, responses)


def analyze(
    source: Any,
    *,
    study: Study | None = None,
    material: Material | None = None,
    metrics: Any = None,
    lower_is_better: Sequence[str] = (),
    criterion: str | None = None,
    confidence: float | None = None,
    cluster: Cluster = "both",
    generalize: Generalize = "raters+items",
    n_resamples: int = 2000,
    seed: int = 0,
    database: str | None = None,
    by: str | None = None,
    category: str | None = None,
    baseline: str | None = None,
    epsilon: float | None = None,
    panel: PanelRule | None = None,
) -> Analysis:
    """Everything that responses say, with an interval each, and what they do not say.

    Parameters
    ----------
    source
        A table of responses in one of the shapes (path or glob of CSV, TSV, JSONL or Parquet, data
        frame, DuckDB relation, mapping of columns), another tool's export, a table of other columns
        and words (``jb.mapped``), a study directory, its study.yaml, or an open store. The shape of
        a table is recognized by its columns.
    study
        What was asked: levels of measurement, pass marks, the primary contrast, exclusion rules.
        A study directory brings its own.
    material
        The study's items and systems; systems without any response are then named.
    metrics
        Automatic metrics to compare with people's ratings: ``item, system, metric, value``, or one
        column per metric.
    lower_is_better
        The metrics of which less is better.
    criterion
        Only this criterion.
    confidence
        The confidence of every interval; by default the study's, else 0.95.
    cluster, generalize
        How intervals are clustered and what they generalize to.
    n_resamples, seed
        For intervals by resampling (agreement among two to four raters).
    database
        Where a study's responses are, if not in its ``study.db``.
    by
        What tells a rater's group: a column of the table, or a question of the study's survey. By
        default the column ``group``, or the study's rater groups. Results by group are exploratory;
        everything else is pooled over all raters.
    category
        What tells an item's category: a column of the table, or a field of the study's items. By
        default the column ``category`` (of marked errors it is the error's and not meant), or the
        fields of the study's ``design.stratify``. Results by category are exploratory.
    baseline
        Of a table: the system that all others are compared with; only these comparisons are made,
        and they are one family. A study names its own, before the data.
    epsilon
        What a judge's being cheap is worth in the alternative-annotator test; by default the
        study's, else nothing.
    panel
        All judges as one more: ``majority``, ``mean`` or ``weighted``; by default the study's.

    Returns
    -------
    Analysis
        Findings (each a sentence with its result), tables, and what was taken for what.

    Examples
    --------
    >>> import jurybox as jb
    >>> votes = {
    ...     "item": [f"q{i}" for i in range(6) for _ in range(3)],
    ...     "system_a": ["new"] * 18,
    ...     "system_b": ["old"] * 18,
    ...     "rater": ["ada", "ben", "cy"] * 6,
    ...     "winner": [*"aab", "a", "tie", *"aaaabaaa", "tie", *"aaa", "a"],
    ... }
    >>> print(jb.analyze(votes).headline.sentence)
    new and old are not told apart: new wins 83.3% (95% interval 40.0 to 97.1; for these raters \
alone 58.8 to 93.9; p = 0.077; 18 votes, 3 raters, 6 items).
    """
    gathered = gather(
        source, study=study, material=material, database=database, by=by, category=category
    )
    asked = _with_judges(gathered.asked, epsilon, panel)
    options = Options(
        confidence=asked.confidence if confidence is None else confidence,
        cluster=cluster,
        generalize=generalize,
        n_resamples=n_resamples,
        seed=seed,
    )
    with opened(gathered) as tables:
        if baseline is not None:
            asked = _with_baseline(asked, gathered, tables, baseline)
        context = Context(asked=with_stated(asked, tables), options=options)
        beside = None if metrics is None else _read_metrics(metrics, lower_is_better)
        with told_of("judge" if any(part.no_people for part in tables) else "rater"):
            return _analyze(context, tables, gathered, criterion, material, beside)


def main_findings(
    source: Any, *, study: Study, material: Material, seed: int = 0
) -> tuple[Finding, ...]:
    """What the responses say of the systems, as ``analyze`` finds it, and nothing beside it.

    For who asks one question of many studies: neither agreement nor raters nor orders are looked
    at, which takes most of the time.
    """
    with counted(source, study=study, material=material, seed=seed) as found:
        if not found.parts[0].count()[0]:
            raise NoResponseError(NOTHING)
        chapters = [_own_chapter(found.context, responses) for responses in found.parts]
        return tuple(_unique(finding for chapter in chapters for finding in chapter.findings))


def _with_judges(asked: Asked, epsilon: float | None, panel: PanelRule | None) -> Asked:
    """What was asked, with what is said of judges beyond the study."""
    # Imported here: few tables have judges.
    if epsilon is not None:
        from jurybox.stats.judges.alternative_annotator import check_epsilon

        asked = replace(asked, epsilon=check_epsilon(epsilon))
    if panel is not None:
        from jurybox.stats.judges.panels import check_panel

        check_panel(panel)
        asked = replace(asked, panel=panel)
    return asked


def _with_baseline(
    asked: Asked, gathered: Gathered, tables: Sequence[Responses], baseline: str
) -> Asked:
    """What was asked of a table, every comparison being one with this system."""
    if gathered.collected is not None or asked.criteria:
        raise InputError(
            "a study names its baseline before the data, as `analysis: {baseline: …}` in "
            "study.yaml; a baseline by option is for tables"
        )
    if not any(part.shape.name in _PAIRED for part in tables):
        noun = tables[0].shape.noun
        raise InputError(f"{noun}s are not compared pair by pair, so they take no baseline")
    check_baseline(baseline, {system for part in tables for system in part.systems})
    return replace(asked, baseline=baseline)


def _check_size(context: Context, tables: Sequence[Responses]) -> None:
    """Refuse more comparisons than a machine holds, before anything is counted for minutes."""
    asked = context.asked
    for part in tables:
        if part.shape.name not in _PAIRED:
            continue
        systems, criteria = len(part.systems), len(part.criteria)
        pairs = systems - 1 if asked.baseline in part.systems else systems * (systems - 1) // 2
        if pairs * criteria <= MOST_COMPARISONS:
            continue
        on = f" on {criteria:,} criteria" if criteria > 1 else ""
        ways = ["one criterion (--criterion)"] if criteria > 1 else []
        if asked.baseline is None:
            ways.append(
                "a baseline that all others are compared with (--baseline, or in a study "
                "`analysis: {baseline: …}`)"
            )
        raise InputError(
            f"{systems:,} systems{on} make {pairs * criteria:,} comparisons, more than the "
            f"{MOST_COMPARISONS:,} that one analysis takes: name {' or '.join(ways)}"
        )


def _analyze(
    context: Context,
    tables: list[Responses],
    gathered: Gathered,
    criterion: str | None,
    material: Material | None,
    metrics: MetricTable | None,
) -> Analysis:
    gathered = with_categories(gathered, tables)
    took = [*gathered.took, *_what_tables_say(tables, gathered), *derive(context.asked, tables)]
    is_rated = any(part.shape.name == "ratings" for part in tables)
    derived = context.asked.derived if is_rated else {}
    no_people = any(part.no_people for part in tables)
    narrowed: list[str] = []
    # Who is left out depends on all that they answered, whatever of it is looked at.
    who = sort_out(context, tables, gathered)
    if criterion is not None:
        narrowed = _what_is_left_aside(tables, criterion)
        context = _about(context, criterion)
        tables, who = _only(tables, who, criterion)
    _check_size(context, tables)
    kept, main = who.kept, who.main
    n, n_raters, n_items = _count(main)
    results = _results(context, kept, tables if who.excluded else None)
    if metrics is not None:
        results.append(_beside_metrics(context, kept, metrics))
    results += _by_group(context, kept)
    results += _by_item(context, kept, gathered)
    findings = _unique(f for chapter in results for f in chapter.findings)
    quality = _quality(context, who, tables, gathered, findings)
    chapters = [*results, *quality]
    warnings = [*(gathered.collected.changes if gathered.collected is not None else ())]
    warnings += narrowed
    warnings += [warning for chapter in chapters for warning in chapter.warnings]
    warnings += cautions(context, main, material)
    if context.asked.panel is not None and rater_noun() == "judge":
        warnings.append(
            f"the panel of all judges ({context.asked.panel}) is measured beside people, and no "
            "person answered: it is left out"
        )
    took += [sentence for chapter in chapters for sentence in chapter.took]
    systems = tuple(dict.fromkeys(s for responses in kept for s in responses.systems))
    whole = Chapter(
        findings=tuple([*findings, *(f for chapter in quality for f in chapter.findings)]),
        tables=tuple(table for chapter in chapters for table in chapter.tables),
        warnings=tuple(dict.fromkeys(warnings)),
    )
    together = Chapter.joined(results)
    whole = retold(whole, [*systems, *(c for responses in kept for c in responses.criteria)])
    return Analysis(
        title=context.asked.title or _title(main, n),
        protocol=PROTOCOLS[main.shape.name],
        took=tuple(dict.fromkeys(took)),
        n_responses=n,
        n_raters=n_raters,
        n_items=n_items,
        systems=systems,
        findings=whole.findings,
        tables=whole.tables,
        excluded=who.excluded,
        warnings=whole.warnings,
        collected=gathered.collected,
        seed=context.options.seed,
        confidence=context.confidence,
        facts=Facts(
            no_people=no_people,
            rater_groups=together.rater_groups,
            metrics_alone=together.metrics_alone,
            derived=tuple(
                (name, rule.rule.replace("_", " "), tuple(rule.weights))
                for name, rule in derived.items()
            ),
            signatures=() if metrics is None else metrics.signatures,
        ),
    )


def _what_tables_say(tables: list[Responses], gathered: Gathered) -> list[str]:
    """What each table was taken for."""
    said = [sentence for responses in tables for sentence in responses.took]
    if gathered.collected is None:
        return said
    # The store's answers are handed on as a table, which is nothing that a reader gave, and with
    # every column that such a table can have.
    named = f"{UNNAMED}: "
    return [
        f"the study's answers: {each.removeprefix(named).partition(' (')[0]}"
        if each.startswith(named)
        else each
        for each in said
    ]


def _count(main: Responses) -> tuple[int, int, int]:
    """How many responses, raters and items there are; none at all is an error."""
    n, n_raters, n_items = main.count()
    if not n:
        raise NoResponseError(NOTHING)
    if main.shape.name == "spans":
        from jurybox.tally.spans import n_outputs

        # A row is a span, or says that there is none; a response is a marked output.
        n = sum(n_outputs(main).values())
    return n, n_raters, n_items


def _quality(
    context: Context,
    who: Sorted,
    tables: list[Responses],
    gathered: Gathered,
    findings: list[Finding],
) -> list[Chapter]:
    """What bears on the results: who was left out, raters, order, judges, and what is missing."""
    everybody = [
        finding
        for responses in (tables if who.excluded else ())
        for finding in _own_chapter(context, responses).findings
    ]
    without = [each.rater for each in who.excluded]
    missing = note_unanswered(who.main, gathered.unanswered, without=without)
    derived = tuple(context.asked.derived)
    quality = [
        everybody_chapter(context, findings, _unique(everybody), who.excluded),
        rater_chapter(context, who.given, who.known, who.excluded),
        order_chapter(context, who.main, [each.without_criteria(derived) for each in who.kept]),
    ]
    quality += _beside_judges(context, who.kept, gathered)
    if missing:
        from jurybox.analysis.missing import missing_chapter

        quality.append(missing_chapter(context, who.main, headline_of(findings), who.kept[0]))
    return quality


def _results(
    context: Context, kept: list[Responses], everybody: list[Responses] | None = None
) -> list[Chapter]:
    """What the responses say, shape by shape, and how far their raters agree.

    ``everybody``: the responses with nobody left out, whose agreement is said first.
    """
    chapters = []
    for number, responses in enumerate(kept):
        before = None if everybody is None else everybody[number]
        chapters.append(_own_chapter(context, responses))
        chapters.append(agreement_chapter(context, responses, before))
    return chapters


def _by_group(context: Context, kept: list[Responses]) -> list[Chapter]:
    named = [responses for responses in kept if "rater_group" in responses.columns]
    if not named:
        return []
    # Imported here: few tables name groups of raters.
    from jurybox.analysis.groups import group_chapter

    return [group_chapter(context, responses) for responses in named]


def _by_item(context: Context, kept: list[Responses], gathered: Gathered) -> list[Chapter]:
    from jurybox.analysis.items import item_chapter

    return [item_chapter(context, responses, gathered.categories or {}) for responses in kept]


def _read_metrics(metrics: Any, lower_is_better: Sequence[str]) -> MetricTable:
    # Imported here: few analyses have metrics.
    from jurybox.tally.metrics import read_metrics

    return read_metrics(metrics, lower_is_better)


def _beside_metrics(context: Context, kept: list[Responses], metrics: MetricTable) -> Chapter:
    from jurybox.analysis.metrics import metric_chapter, unmatched_chapter

    # Where outputs are also scored, as after a vote or marks (ESA), the scores come first. Marks
    # score outputs, too; votes and rankings only say which of several is better.
    scored = [responses for responses in kept if responses.shape.name not in ("votes", "rankings")]
    scored.sort(key=lambda responses: responses.shape.name != "ratings")
    first = (scored or kept)[0]
    if not first.has_item:
        return unmatched_chapter(context, metrics)
    if scored:
        return metric_chapter(context, scored, metrics)
    from jurybox.analysis.metric_votes import compared_chapter

    return compared_chapter(context, first, metrics)


def _beside_judges(context: Context, kept: list[Responses], gathered: Gathered) -> list[Chapter]:
    judged = [responses for responses in kept if responses.n_judges or gathered.replies]
    if not judged:
        return []
    # Imported here: few tables have judges.
    from jurybox.analysis.judges import judge_chapter

    return [
        judge_chapter(
            context,
            responses,
            strata=gathered.strata,
            facts=gathered.facts,
            replies=gathered.replies,
        )
        for responses in judged
    ]


def _title(responses: Responses, n: int) -> str:
    return format_count(
        n, "marked output" if responses.shape.name == "spans" else responses.shape.noun
    )


def _what_is_left_aside(tables: Sequence[Responses], criterion: str) -> list[str]:
    """What a reader must know of the criteria that are there beside the one that is looked at."""
    known = list(dict.fromkeys(name for part in tables for name in part.criteria))
    if criterion not in known:
        raise InputError(f"there is no criterion {criterion!r}; there are {', '.join(known)}")
    others = [name for name in known if name != criterion]
    if not others:
        return []
    them = "it" if len(others) == 1 else "them"
    return [
        f"only {criterion} is looked at, not {joined(others)}: no comparison on {them} is counted "
        "among those that p and simultaneous intervals pay for"
    ]


def _about(context: Context, criterion: str) -> Context:
    """The context without a primary contrast on another criterion."""
    primary = context.asked.primary
    if primary is None or primary.criterion in (None, criterion):
        return context
    return replace(context, asked=replace(context.asked, primary=None))


def _only(
    tables: Sequence[Responses], who: Sorted, criterion: str
) -> tuple[list[Responses], Sorted]:
    """Everybody's answers to a criterion, and of those that count the same."""
    there = [place for place, part in enumerate(tables) if criterion in part.criteria]
    given = [tables[place].of_criterion(criterion) for place in there]
    kept = [who.kept[place].of_criterion(criterion) for place in there]
    return given, replace(who, given=given[0], kept=kept, main=kept[0])


def _unique(findings: Any) -> list[Finding]:
    """Findings by id, the first of each; the two shapes of a study may share a criterion."""
    return list({finding.id: finding for finding in reversed(list(findings))}.values())[::-1]
