"""Systems compared within the margin of the study: the sentences and the table of equivalence."""

from __future__ import annotations

from collections.abc import Sequence

from jurybox.analysis.context import Context, bounds
from jurybox.analysis.finding import Column, Finding, Table
from jurybox.formats import format_confidence
from jurybox.results import format_number, format_p
from jurybox.stats.differences import Difference
from jurybox.stats.equivalence import Equivalence

__all__ = ["equivalence_finding", "equivalence_tables"]


def equivalence_finding(context: Context, gap: Difference) -> Finding | None:
    """Whether the two are equivalent, or the first not inferior; ``None`` without a margin."""
    found = gap.equivalence
    if found is None:
        return None
    one, two, on = gap.system, gap.other, f" on {gap.criterion}" if gap.criterion else ""
    margin = format_number(found.margin)
    verdict = found.verdict(context.confidence)
    if verdict == "equivalent":
        claim = f"{one} and {two} are equivalent{on} within a margin of {margin}"
    elif verdict == "not inferior":
        claim = f"{one} is not inferior to {two}{on} by a margin of {margin}"
        claim += "; that they are equivalent is not shown"
    else:
        claim = f"It is not shown that {one} and {two} are equivalent{on} within a margin of "
        claim += margin
    return Finding(
        id=f"equivalence/{gap.criterion}/{one}/{two}",
        sentence=f"{claim} {_margins(gap)}.",
        result=found,
        told=verdict != "not shown",
        criterion=gap.criterion,
        systems=(one, two),
    )


def _margins(gap: Difference) -> str:
    """The narrower interval, by which equivalence is decided, beside the one of all others."""
    found = gap.equivalence
    if found is None or found.interval is None or found.wider is None:
        why = gap.undefined if found is None else found.undefined
        return f"(no interval: {why})"
    parts = [
        f"{format_confidence(each.confidence)} interval {found.ends(each)}"
        for each in (found.interval, found.wider)
    ]
    adjusted = found.p_adjusted is not None
    one_sided = f"two one-sided tests {format_p(found.claimed_p)}{' by Holm' if adjusted else ''}"
    worse = found.p_not_lower if found.higher else found.p_not_higher
    if not adjusted:
        one_sided += f", not inferior {format_p(worse)}"
    return f"({'; '.join([*parts, one_sided])})"


def equivalence_tables(context: Context, criterion: str, gaps: Sequence[Difference]) -> list[Table]:
    """What was found within the margin, where several pairs of systems were held against it."""
    mine = [gap for gap in gaps if (gap.criterion or "") == criterion and gap.equivalence]
    found = [gap.equivalence for gap in mine if gap.equivalence is not None]
    if len(found) < 2:
        return []
    narrow, wide = map(format_confidence, (2 * context.confidence - 1, context.confidence))
    return [
        Table(
            id=f"equivalence/{criterion}",
            title=f"Within a margin of {format_number(found[0].margin)}: {criterion}",
            columns=(
                Column(name="system", heading="System"),
                Column(name="other", heading="Other"),
                Column(name="difference", heading="Difference", kind="number"),
                Column(name="narrow", heading=f"{narrow} interval", kind="interval"),
                Column(name="interval", heading=f"{wide} interval", kind="interval"),
                Column(name="p", heading="p (two one-sided tests)", kind="p"),
                Column(name="verdict", heading="Equivalence"),
            ),
            rows=tuple(_row(context, gap, of) for gap, of in zip(mine, found, strict=True)),
            caption=_caption(mine, found),
        )
    ]


def _row(context: Context, gap: Difference, found: Equivalence) -> tuple[object, ...]:
    verdict = found.verdict(context.confidence)
    said = {"equivalent": "shown", "not inferior": "not shown; not inferior is"}
    p = found.claimed_p
    ends = bounds(found.interval), bounds(found.wider)
    return (gap.system, gap.other, gap.estimate, *ends, p, said.get(verdict, "not shown"))


def _caption(gaps: Sequence[Difference], found: Sequence[Equivalence]) -> str:
    rules = dict.fromkeys(each.adjusted_by for each in found if each.adjusted_by)
    said = "Two systems are shown to be equivalent if the difference is shown to lie within the "
    said += "margin on both sides. Intervals are for one pair each"
    said += f"; p holds for the whole family ({'; '.join(rules)})." if rules else "."
    alone = [gap for gap, each in zip(gaps, found, strict=True) if each.p_adjusted is None]
    if rules and alone:
        said += f" {alone[0].system} − {alone[0].other} is tested alone."
    return said
