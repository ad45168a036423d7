"""Findings that a table shows one by one, said together where there are many of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from jurybox.analysis.finding import Finding
from jurybox.report import words
from jurybox.results import format_count

__all__ = ["said_together"]

MANY = 3
"""Open pairs of one criterion, or trends, from which they are said in one sentence."""
NAMED = 3
"""Pairs that this sentence names."""
TRENDS = "order"
"""The kind of finding that says how answers change along the sitting."""
ALPHA = 0.05
"""The adjusted p above which such a change is not shown."""


def said_together(findings: Iterable[Finding], headline: Finding | None = None) -> tuple[str, ...]:
    """Every finding's sentence; pairs and trends that are open alike share one.

    The table of pairs has their numbers, so that nothing is lost. Where the headline is open in the
    same way, the others are counted as more than that.
    """
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        groups.setdefault(_alike(finding) or (finding.id,), []).append(finding)
    said: list[str] = []
    for group in groups.values():
        if len(group) < MANY or _alike(group[0]) is None:
            said += map(words.with_reason, group)
        elif group[0].systems:
            also = headline is not None and _alike(headline) == _alike(group[0])
            said.append(_pairs(group, more="more " if also else ""))
        else:
            said.append(_trends(group))
    return tuple(said)


def _alike(finding: Finding) -> tuple[str, ...] | None:
    """What findings share that can be said together; ``None`` for one that stands alone."""
    kind = finding.id.partition("/")[0]
    if kind == TRENDS:
        p = getattr(finding.result, "p_adjusted", None) or finding.result.p
        return (TRENDS,) if p is not None and p > ALPHA else None
    is_of_responses = finding.standing in ("primary", "secondary")
    if finding.told or len(finding.systems) != 2 or not is_of_responses:
        return None
    known = (finding.result.estimate is not None, finding.result.interval is not None)
    return (kind, str(finding.criterion), *map(str, known))


def _pairs(group: Sequence[Finding], *, more: str) -> str:
    named = [" and ".join(finding.systems) for finding in group[:NAMED]]
    rest = len(group) - len(named)
    shown = "; ".join(named) + (f"; and {rest:,} more" if rest else "")
    count = format_count(len(group), f"{more}pair of systems", f"{more}pairs of systems")
    about = "" if group[0].criterion is None else f" on {group[0].criterion}"
    result = group[0].result
    if result.interval is None:
        reason = str(result.undefined).rstrip(".")
        cannot = "cannot be compared" if result.estimate is None else "may differ or not"
        return f"{count} {cannot}{about}: {shown}. Of the first pair: {reason}."
    return f"{count} are not told apart{about}: {shown}. The table of pairs has their intervals."


def _trends(group: Sequence[Finding]) -> str:
    return (
        f"Along the sitting {format_count(len(group), 'trend')} were looked for, and none is told "
        "from chance; the table below has their intervals."
    )
