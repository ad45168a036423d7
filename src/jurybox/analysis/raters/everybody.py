"""Every headline figure with and without those whom a rule leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jurybox.analysis.claims import without_interval
from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.finding import Chapter, Column, Excluded, Finding, Table, headline_of
from jurybox.analysis.measure import turn, turn_share
from jurybox.analysis.raters.rules import rule_table
from jurybox.results import Result, format_count
from jurybox.stats.differences import Difference, ShareGap
from jurybox.stats.shares import Share

__all__ = ["everybody_chapter"]

BEFORE = "agreement_before/"
CIRCULAR = (
    "raters are left out because they agree less than the others, which raises agreement by "
    "construction: the agreement before exclusion is the one to report"
)


def everybody_chapter(
    context: Context,
    findings: Sequence[Finding],
    everybody: Sequence[Finding],
    excluded: Sequence[Excluded],
) -> Chapter:
    """What the rules change: the headline once more, and each main figure before and after.

    ``everybody``: what the responses say with nobody left out; the agreement of all raters stands
    among the findings already.
    """
    if not excluded:
        return Chapter()
    again = headline_of(everybody)
    said = [] if again is None else [_with_excluded(again, excluded)]
    by_agreement = any("agreement_below" in each.rules for each in excluded)
    return Chapter(
        findings=tuple(said),
        tables=(_table(context, findings, everybody, excluded), rule_table(context, excluded)),
        warnings=(CIRCULAR,) if by_agreement else (),
    )


def _with_excluded(found: Finding, excluded: Sequence[Excluded]) -> Finding:
    """The headline with the excluded raters in, so that a reader sees what the rules do."""
    who = format_count(len(excluded), "excluded rater")
    return replace(
        found,
        id=f"with_excluded/{found.id}",
        sentence=f"With the {who} counted in: {found.sentence}",
        standing="quality",
        told=True,
        together=None,
    )


def _figures(findings: Sequence[Finding]) -> dict[str, Finding]:
    """The headline, each system's main figure and the agreements, by id."""
    headline = headline_of(findings)
    if headline is None:
        return {}
    of_one = [f for f in findings if len(f.systems) == 1 and f.criterion == headline.criterion]
    kind = of_one[0].kind if of_one else ""
    # A difference of shares of yes goes with these shares, and not with means of zeros and ones.
    kind = "pass" if isinstance(headline.result, ShareGap) else kind
    chosen = [headline, *(f for f in of_one if f.kind == kind)]
    chosen += [f for f in findings if f.kind == "agreement"]
    return {finding.id: finding for finding in chosen}


def _table(
    context: Context,
    findings: Sequence[Finding],
    everybody: Sequence[Finding],
    excluded: Sequence[Excluded],
) -> Table:
    after, before = _by_id(findings), _by_id(everybody)
    for finding in findings:
        if finding.id.startswith(BEFORE):
            before[finding.id.replace(BEFORE, "agreement/")] = finding
    rows: list[tuple[object, ...]] = []
    digits: dict[str, int] = {}
    results: list[tuple[str, Result]] = []
    figures = _figures(findings)
    known = {_about(finding) for finding in figures.values()}
    others = {id: found for id, found in _figures(everybody).items() if _about(found) not in known}
    for id, either in {**figures, **others}.items():
        figure, of = _kind(either), ", ".join(either.systems) or "all systems"
        cells: list[object] = []
        for found in (before.get(id), after.get(id)):
            result = None if found is None else found.result
            cells += [result and result.estimate, result and bounds(result.claimed)]
            if result is not None:
                digits[figure] = max(digits.get(figure, 0), result.digits)
                results.append((of, result))
        rows.append((figure, of, either.criterion, *cells))
    rows.sort(key=lambda row: list(digits).index(str(row[0])))
    return Table(
        id="with_and_without",
        title="With and without exclusions",
        columns=(
            Column(name="figure", heading="Figure"),
            Column(name="systems", heading="Of"),
            Column(name="criterion", heading="Criterion"),
            Column(name="with", heading="Everybody", kind="number"),
            interval_column(context, "with_interval"),
            Column(name="without", heading="After exclusion", kind="number"),
            interval_column(context, "without_interval"),
        ),
        rows=tuple(rows),
        caption=_caption(excluded, results),
        digits={(kind, name): n for kind, n in digits.items() for name in ("with", "without")},
    )


def _caption(excluded: Sequence[Excluded], results: Sequence[tuple[str, Result]]) -> str:
    said = [f"{format_count(len(excluded), 'rater')} left out by rule."]
    if any(result.as_percent for _, result in results):
        said.append("Shares, and differences of shares, are given as numbers from 0 to 1.")
    if any(result.claimed is not result.interval for _, result in results):
        said.append("The interval of two systems compared is the simultaneous one.")
    return " ".join([*said, *without_interval(results)])


def _by_id(findings: Sequence[Finding]) -> dict[str, Finding]:
    """Findings by id; a comparison of two systems is found from either side."""
    turned = {each.id: each for each in map(_turned, findings) if each is not None}
    return {**turned, **{finding.id: finding for finding in findings}}


def _turned(finding: Finding) -> Finding | None:
    """The same comparison seen from the other system."""
    result = finding.result
    if isinstance(result, Difference):
        other: Result = turn(result)
    elif isinstance(result, Share) and result.other is not None:
        other = turn_share(result)
    else:
        return None
    if len(finding.systems) != 2:
        return None
    one, two = finding.systems
    id = finding.id.removesuffix(f"/{one}/{two}") + f"/{two}/{one}"
    return replace(finding, id=id, result=other, systems=(two, one))


def _kind(finding: Finding) -> str:
    """What kind of figure it is.

    >>> from jurybox.results import Result
    >>> _kind(Finding(id="win_rate/x/new/old", sentence="", result=Result(estimate=0.5)))
    'win rate'
    """
    if finding.kind == "pass" and isinstance(finding.result, Share):
        return finding.result.what
    return finding.kind.replace("_", " ").replace("acceptance", "share minus real")


def _about(finding: Finding) -> tuple[object, ...]:
    """What a figure is of, from whichever side two systems are compared."""
    return _kind(finding), frozenset(finding.systems), finding.criterion
