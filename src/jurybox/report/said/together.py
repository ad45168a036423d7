"""Findings that a table shows one by one, said together where there are many of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from jurybox.analysis.finding import Analysis, Finding
from jurybox.formats import joined
from jurybox.report.said import words
from jurybox.report.said.agreed import is_plain_agreement, say_agreement
from jurybox.results import Result, format_count, format_number
from jurybox.stats.agreement.patterns import Agreement
from jurybox.stats.blocks import Omnibus
from jurybox.stats.equivalence import Equivalence

__all__ = ["is_said", "said_below", "said_together"]

MANY = 3
"""Open pairs of a criterion, or trends, from which they are said in one sentence."""
CRITERIA = 2
"""Criteria from which their agreement is."""
NAMED = 3
"""Pairs that this sentence names."""
NAMED_SYSTEMS = 6
"""Systems that it names where no two of them are told apart."""
STRENGTH = "strength"
"""The kind of finding that gives a system's strength, or says why it has none."""
VOTED = "win_rate"
"""The kind of finding that says how often one of two systems wins."""
NO_TWO = "No two of "
TRENDS = "order"
"""The kind of finding that says how answers change along the sitting."""


def said_together(findings: Iterable[Finding], headline: Finding | None = None) -> tuple[str, ...]:
    """Every finding's sentence; pairs and trends that are open alike share one.

    So do coefficients of agreement. Tables have their numbers, so that nothing is lost. Where the
    headline is open in the same way, the others are counted as more than that.
    """
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        groups.setdefault(_alike(finding) or (finding.id,), []).append(finding)
    said: list[str] = []
    for group in _alike_on_several(groups.values(), headline):
        first = group[0]
        also = headline if headline is not None and _alike(headline) == _alike(first) else None
        many = CRITERIA if is_plain_agreement(first) else MANY - (also is not None)
        if len(group) > 1 and _is_undefined(first):
            said.append(_undefined(group))
        elif len(group) > 1 and _not_shown(first):
            said.append(_differ(group))
        elif len(group) > 1 and _is_unknown(first):
            said.append(_unknown(group))
        elif len(group) > 1 and first.kind == STRENGTH:
            said.append(_without_strength(group))
        elif len(group) < many or _alike(first) is None:
            said += map(words.with_reason, group)
        elif is_plain_agreement(first):
            said.append(say_agreement(group))
        elif first.systems:
            said.append(_pairs(group, also))
        else:
            said.append(_trends(group))
    return tuple(said)


def said_below(
    findings: Iterable[Finding], analysis: Analysis, above: tuple[str, ...]
) -> tuple[str, ...]:
    """The sentences of a section: what stands on the first screen is not said again."""
    known = (analysis.headline, words.within_margin(analysis), words.more_data(analysis))
    left = (f for f in findings if all(f is not each for each in known) and not is_said(f, above))
    said = said_together(left, analysis.headline)
    return tuple(sentence for sentence in said if sentence not in above)


def is_said(finding: Finding, sentences: Iterable[str]) -> bool:
    """Whether a sentence on several criteria says already what it says of one."""
    if _is_open_pair(finding):
        return any(_holds(sentence, finding) for sentence in sentences)
    begun = _not_shown(finding)
    if begun:
        named = re.compile(rf"(?<!\w){re.escape(str(finding.criterion))} \(")
        return any(each.startswith(f"{begun[0]}, ") and named.search(each) for each in sentences)
    if not _is_undefined(finding):
        return False
    what, _, why = finding.sentence.partition(f" on {finding.criterion}")
    said = (each for each in sentences if each.startswith(f"{what} on ") and each.endswith(why))
    return any(str(finding.criterion) in each.removesuffix(why) for each in said)


def _alike(finding: Finding) -> tuple[str, ...] | None:
    """What findings share that can be said together; ``None`` for one that stands alone."""
    kind = finding.kind
    if _is_undefined(finding):
        # All but the name of the criterion.
        return (kind, finding.sentence.replace(f" on {finding.criterion}", "", 1))
    begun = _not_shown(finding)
    if begun:
        return (kind, *begun)
    if _is_unknown(finding):
        return (TRENDS, str(finding.result.undefined))
    if kind == STRENGTH and not finding.told:
        return (kind, str(finding.criterion), finding.sentence.partition(": ")[2])
    if kind == TRENDS:
        is_open = finding.result.claimed_p is not None and not finding.result.is_beyond_chance
        # The pull of the first place is told beside the trends along the sitting.
        what = "place" if finding.id.startswith(f"{TRENDS}/place/") else "sitting"
        return (TRENDS, what) if is_open else None
    if is_plain_agreement(finding):
        return tuple(finding.id.removesuffix(f"/{finding.criterion}").split("/"))
    is_of_responses = finding.standing in ("primary", "secondary")
    if finding.told or len(finding.systems) != 2 or not is_of_responses:
        return None
    known = (finding.result.estimate is not None, finding.result.interval is not None)
    return (kind, str(finding.criterion), *map(str, known))


def _is_undefined(finding: Finding) -> bool:
    """Whether it says of a criterion that there is no agreement, or no test of all systems."""
    result = finding.result
    if not isinstance(result, Omnibus | Agreement) or result.estimate is not None:
        return False
    return f" on {finding.criterion}" in finding.sentence


def _undefined(group: Sequence[Finding]) -> str:
    """That there is none on several criteria, for the same reason."""
    first = group[0]
    return first.sentence.replace(f" on {first.criterion}", f" on {_criteria(group)}", 1)


def _not_shown(finding: Finding) -> tuple[str, ...]:
    """How it says that all systems are not shown to differ on a criterion, without the numbers."""
    result = finding.result
    if finding.told or not isinstance(result, Omnibus) or result.estimate is None:
        return ()
    begin, found, end = finding.sentence.partition(f" on {finding.criterion}, ")
    who, test, _ = end.partition(f": {result.short()}")
    return (begin, who) if found and test else ()


def _differ(group: Sequence[Finding]) -> str:
    """That they are not on several, with the numbers of each."""
    begin, who = _not_shown(group[0])
    whom, _, test = who.partition(" (")
    first, *rest = [(str(f.criterion), f.result) for f in group]
    shown = [f"{first[0]} ({test}: {_short(first[1])})"]
    shown += [f"{criterion} ({_short(result)})" for criterion, result in rest]
    return f"{begin}, {whom}, on {joined(shown)}."


def _short(result: Result) -> str:
    return result.short() if isinstance(result, Omnibus) else ""


def _is_unknown(finding: Finding) -> bool:
    """Whether it says that a trend is not known."""
    return finding.kind == TRENDS and finding.result.estimate is None


def _unknown(group: Sequence[Finding]) -> str:
    """That several are not, for the same reason."""
    of, end = "The trend of ", f" is undefined: {group[0].result.undefined}."
    named = joined(f.sentence.removeprefix(of).removesuffix(end) for f in group)
    return f"The trends of {named} are undefined: {group[0].result.undefined}."


def _criteria(findings: Iterable[Finding]) -> str:
    return joined(dict.fromkeys(str(finding.criterion) for finding in findings))


def _is_open_pair(finding: Finding) -> bool:
    """Whether it says of two systems that they are not told apart."""
    is_of_responses = finding.standing in ("primary", "secondary")
    known = finding.result.interval is not None and not isinstance(finding.result, Equivalence)
    return known and not finding.told and len(finding.systems) == 2 and is_of_responses


def _holds(sentence: str, finding: Finding) -> bool:
    """Whether it is one of the pairs that a sentence on all pairs of some systems speaks of."""
    names, found, rest = sentence.removeprefix(NO_TWO).partition(" are told apart on ")
    if not found or not sentence.startswith(NO_TWO):
        return False
    asked = [*((names, name) for name in finding.systems), (rest, str(finding.criterion))]
    return all(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", where) for where, name in asked)


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
        if _is_open_pair(first):
            is_one = headline is not None and _alike(headline) == _alike(first)
            pairs_of = [*([headline] if headline is not None and is_one else []), *group]
            if len(pairs_of) >= MANY and _systems(pairs_of):
                key = (first.kind, frozenset(chain.from_iterable(f.systems for f in pairs_of)))
        if first.result.estimate is None and len(first.systems) == 2 and len(group) >= MANY:
            pairs = frozenset(frozenset(finding.systems) for finding in group)
            key = (first.kind, pairs, *sorted({_reason(finding) for finding in group}))
        merged.setdefault(key, []).extend(group)
    return list(merged.values())


def _reason(finding: Finding) -> str:
    """Why two systems have no number, without their names."""
    reason = str(finding.result.undefined)
    for name in sorted(finding.systems, key=len, reverse=True):
        reason = reason.replace(name, "")
    return reason


def _without_strength(group: Sequence[Finding]) -> str:
    """That several systems have no strength, for the same reason."""
    names = joined(finding.systems[0] for finding in group)
    return f"The strengths of {names} have no number: {group[0].sentence.partition(': ')[2]}"


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
    return f"{NO_TWO}{joined(shown)}"


def _trends(group: Sequence[Finding]) -> str:
    said = f"Along the sitting, {format_count(len(group), 'trend')} are"
    if group[0].id.startswith(f"{TRENDS}/place/"):
        n = format_count(len(group), "criterion", "criteria")
        said = f"The pulls of the first place on {n} are"
    return f"{said} not told from chance; the table below has their intervals."
