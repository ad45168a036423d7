"""Every headline figure with and without those whom a rule leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.finding import Chapter, Column, Excluded, Finding, Table, headline_of
from jurybox.analysis.raters.rules import rule_table
from jurybox.results import format_count

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
    )


def _figures(findings: Sequence[Finding]) -> dict[str, Finding]:
    """The headline, each system's main figure and the agreements, by id."""
    headline = headline_of(findings)
    if headline is None:
        return {}
    of_one = [f for f in findings if len(f.systems) == 1 and f.criterion == headline.criterion]
    kind = of_one[0].id.split("/")[0] if of_one else ""
    chosen = [headline, *(f for f in of_one if f.id.split("/")[0] == kind)]
    chosen += [f for f in findings if f.id.startswith("agreement/")]
    return {finding.id: finding for finding in chosen}


def _table(
    context: Context,
    findings: Sequence[Finding],
    everybody: Sequence[Finding],
    excluded: Sequence[Excluded],
) -> Table:
    after, before = {f.id: f for f in findings}, {f.id: f for f in everybody}
    for finding in findings:
        if finding.id.startswith(BEFORE):
            before[finding.id.replace(BEFORE, "agreement/")] = finding
    ids = dict.fromkeys([*_figures(findings), *_figures(everybody)])
    rows = []
    shares = any(found.result.as_percent for id in ids for found in (after.get(id), before.get(id))
                 if found is not None)  # fmt: skip
    for id in ids:
        cells: list[object] = []
        for found in (before.get(id), after.get(id)):
            cells.append(None if found is None else found.result.estimate)
            cells.append(None if found is None else bounds(found.result.interval))
        either = after.get(id) or before.get(id)
        if either is not None:
            rows.append((_named(either), *cells))
    return Table(
        id="with_and_without",
        title="With and without exclusions",
        columns=(
            Column(name="figure", heading="Figure"),
            Column(name="with", heading="Everybody", kind="number"),
            interval_column(context, "with_interval"),
            Column(name="without", heading="After exclusion", kind="number"),
            interval_column(context, "without_interval"),
        ),
        rows=tuple(rows),
        caption=f"{format_count(len(excluded), 'rater')} left out by rule."
        + " Shares, and differences of shares, are given as numbers from 0 to 1." * shares,
    )


def _named(finding: Finding) -> str:
    """What a figure is called: its kind, its systems and its criterion.

    >>> from jurybox.results import Result
    >>> _named(Finding(id="win_rate/x/new/old", sentence="", result=Result(estimate=0.5),
    ...                criterion="x", systems=("new", "old")))
    'win rate: new, old (x)'
    """
    kind = finding.id.split("/")[0].replace("_", " ").replace("acceptance", "share minus real")
    systems = f": {', '.join(finding.systems)}" if finding.systems else ""
    return f"{kind}{systems}" + (f" ({finding.criterion})" if finding.criterion else "")
