"""Findings that a table shows one by one, said together where there are many of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from itertools import chain

from jurybox.analysis.finding import Analysis, Finding
from jurybox.formats import joined
from jurybox.report.said import words
from jurybox.report.said.agreed import is_plain_agreement, say_agreement
from jurybox.results import format_count, format_number
from jurybox.stats.equivalence import Equivalence
from jurybox.stats.places import PlacePull

__all__ = ["Said", "said_below", "said_together"]

MANY = 3
"""Open pairs of a criterion, or trends, from which they are said in one sentence."""
CRITERIA = 2
"""Criteria from which their agreement is."""
NAMED = 3
"""Pairs that this sentence names."""
NAMED_SYSTEMS = 6
"""Systems that it names where no two of them are told apart."""
VOTED = "win_rate"
"""The kind of finding that says how often one of two systems wins."""
TRENDS = "order"
"""The kind of finding that says how answers change along the sitting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A sentence with the findings that it says."""

    text: str
    findings: tuple[Finding, ...] = ()


def said_together(findings: Iterable[Finding], headline: Finding | None = None) -> tuple[Said, ...]:
    """Every finding's sentence; pairs and trends that are open alike share one.

    So do coefficients of agreement. Tables have their numbers, so that nothing is lost. Where the
    headline is open in the same way, the others are counted as more than that.
    """
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        groups.setdefault(_alike(finding) or (finding.id,), []).append(finding)
    said: list[Said] = []
    for group in _alike_on_several(groups.values(), headline):
        text = _sentence(group, headline)
        if text is None:
            said += [Said(text=words.with_reason(each), findings=(each,)) for each in group]
        else:
            said.append(Said(text=text, findings=tuple(group)))
    return tuple(said)


def _sentence(group: Sequence[Finding], headline: Finding | None) -> str | None:
    """One sentence on findings that are alike; ``None`` where each keeps its own."""
    first = group[0]
    alike = _alike(first)
    also = headline if headline is not None and _alike(headline) == alike else None
    many = MANY - (also is not None)
    if first.together is not None:
        many = CRITERIA
    if alike is None or len(group) < many:
        return None
    if is_plain_agreement(first):
        return say_agreement(group)
    if first.together is not None:
        return first.together.said(each.together.of for each in group if each.together is not None)
    return _pairs(group, also) if first.systems else _trends(group)


def said_below(findings: Iterable[Finding], analysis: Analysis, above: Set[str]) -> tuple[str, ...]:
    """The sentences of a section: what stands on the first screen is not said again.

    ``above``: the ids of the findings whose sentences stand there.
    """
    known = (analysis.headline, words.within_margin(analysis), words.more_data(analysis))
    left = (f for f in findings if f.id not in above and all(f is not each for each in known))
    return tuple(said.text for said in said_together(left, analysis.headline))


def _alike(finding: Finding) -> tuple[str, ...] | None:
    """What findings share that can be said together; ``None`` for one that stands alone."""
    kind, together = finding.kind, finding.together
    if together is not None:
        # Systems are named within a criterion, criteria and trends beside each other.
        of = str(finding.criterion) if finding.systems else ""
        return (kind, of, together.before, together.after)
    if kind == TRENDS:
        is_open = finding.result.claimed_p is not None and not finding.result.is_beyond_chance
        # The pull of the first place is told beside the trends along the sitting.
        of = "place" if isinstance(finding.result, PlacePull) else "sitting"
        return (kind, of) if is_open else None
    is_of_responses = finding.standing in ("primary", "secondary")
    if finding.told or len(finding.systems) != 2 or not is_of_responses:
        return None
    known = (finding.result.estimate is not None, finding.result.interval is not None)
    return (kind, str(finding.criterion), *map(str, known))


def _criteria(findings: Iterable[Finding]) -> str:
    return joined(dict.fromkeys(str(finding.criterion) for finding in findings))


def _is_open_pair(finding: Finding) -> bool:
    """Whether it says of two systems that they are not told apart."""
    is_of_responses = finding.standing in ("primary", "secondary")
    known = finding.result.interval is not None and not isinstance(finding.result, Equivalence)
    return known and not finding.told and len(finding.systems) == 2 and is_of_responses


def _alike_on_several(
    groups: Iterable[list[Finding]], headline: Finding | None
) -> list[list[Finding]]:
    """The groups; the same pairs that are open alike on several criteria are in one, in order.

    They have no number for one reason, or are all pairs of the same systems.
    """
    merged: dict[tuple[object, ...], list[Finding]] = {}
    for group in groups:
        first = group[0]
        key: tuple[object, ...] = (first.id,)
        is_one = headline is not None and _alike(headline) == _alike(first)
        pairs_of = [*([headline] if headline is not None and is_one else []), *group]
        if _is_open_pair(first) and len(pairs_of) >= MANY and _systems(pairs_of):
            key = (first.kind, frozenset(chain.from_iterable(f.systems for f in pairs_of)))
        if first.result.estimate is None and len(first.systems) == 2 and len(pairs_of) >= MANY:
            pairs = frozenset(frozenset(finding.systems) for finding in pairs_of)
            key = (first.kind, pairs, *sorted({_reason(finding) for finding in pairs_of}))
        merged.setdefault(key, []).extend(group)
    return list(merged.values())


def _reason(finding: Finding) -> str:
    """Why two systems have no number, without their names."""
    reason = str(finding.result.undefined)
    for name in sorted(finding.systems, key=len, reverse=True):
        reason = reason.replace(name, "")
    return reason


def _pairs(group: Sequence[Finding], also: Finding | None) -> str:
    """Pairs that are open alike, beside the answer if that is open in the same way."""
    criterion, on = group[0].criterion, _criteria(group)
    group = [finding for finding in group if finding.criterion == criterion]
    named = [" and ".join(finding.systems) for finding in group[:NAMED]]
    rest = len(group) - len(named)
    shown = ": " + "; ".join(named) + (f"; and {rest:,} more" if rest else "")
    more = "" if also is None else "more "
    count = format_count(len(group), f"{more}pair of systems", f"{more}pairs of systems")
    about = "" if criterion is None else f" on {on}"
    result = group[0].result
    if result.interval is None and result.estimate is not None:
        reason = str(result.undefined).rstrip(".")
        return f"{count} may differ or not{about}{shown}. Of the first pair: {reason}."
    of_all = _systems([*([] if also is None else [also]), *group])
    # As the tables are titled: of votes and rankings "Pairs".
    what = "pairs" if group[0].kind == VOTED else "differences"
    tables = f"The table of {what} has" if on == str(criterion) else f"The tables of {what} have"
    who, no, shown = (of_all, "", "") if of_all else (count, " not", shown)
    if isinstance(result, Equivalence):
        within = f" within a margin of {format_number(result.margin)}"
        table = "The table of the margin has their intervals."
        return f"{who} are{no} shown to be equivalent{about}{within}{shown}. {table}"
    if result.interval is None:
        reason = str(result.undefined).rstrip(".")
        can = "cannot" if no else "can"
        return f"{who} {can} be compared{about}{shown}. Of the first pair: {reason}."
    # All votes, or rankings, together may tell more, in strengths.
    by = ", pair by pair" if group[0].kind == VOTED else ""
    return f"{who} are{no} told apart{about}{by}{shown}. {tables} their intervals."


def _systems(group: Sequence[Finding]) -> str:
    """The systems of which these are all pairs, as the subject of a sentence; else nothing."""
    names = list(dict.fromkeys(name for finding in group for name in finding.systems))
    if len({frozenset(f.systems) for f in group}) < len(names) * (len(names) - 1) // 2:
        return ""
    rest = len(names) - NAMED_SYSTEMS
    shown = names if rest < 1 else [*names[:NAMED_SYSTEMS], f"{rest:,} more"]
    return f"No two of {joined(shown)}"


def _trends(group: Sequence[Finding]) -> str:
    said = f"Along the sitting, {format_count(len(group), 'trend')} are"
    if isinstance(group[0].result, PlacePull):
        n = format_count(len(group), "criterion", "criteria")
        said = f"The pulls of the first place on {n} are"
    return f"{said} not told from chance; the table below has their intervals."
