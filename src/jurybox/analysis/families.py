"""Systems compared by a number of each output, as the study asked: which pairs, in which families.

Scores of ratings and points of marked errors go the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from jurybox.analysis import measure
from jurybox.analysis.asked import Asked
from jurybox.analysis.context import Context
from jurybox.analysis.rating_tables import YES_NO
from jurybox.results import printed_alike
from jurybox.stats.differences import Difference, as_share_gap
from jurybox.stats.scale_ends import apart, on_scale
from jurybox.tally.responses import Responses

__all__ = ["compared", "criteria_of", "is_primary", "not_there", "with_criterion"]


def compared(
    context: Context, parts: Mapping[str, Responses], *, details: bool = True
) -> list[Difference]:
    """The primary contrast alone, then the others in their families.

    With a primary contrast in the study each criterion is a family; without one, everything is.
    ``details``: also tests and effect sizes on item means.
    """
    asked, options = context.asked, context.options
    together = [parts] if asked.primary is None else [{name: parts[name]} for name in parts]
    first: list[Difference] = []
    others: list[Difference] = []
    for some in together:
        if not some:
            continue
        found = measure.compare(
            some,
            options,
            baseline=_baseline(context, some),
            margin=_margin(context, some),
            lower_is_better=[name for name in some if not asked.criterion(name).higher],
            details=details,
        )
        alone = [i for i, row in enumerate(found.rows) if is_primary(context, row)]
        family = [
            i
            for i, row in enumerate(found.rows)
            if i not in alone
            and (asked.baseline is None or asked.baseline in (row.system, row.other))
        ]
        first += [_as_asked(context, found.rows[i]) for i in alone]
        others += [_as_asked(context, row) for row in found.family(family, options)]
    rows = [on_scale(row, apart(asked.ends(row.criterion or ""))) for row in (*first, *others)]
    return [
        as_share_gap(row) if asked.criterion(name).values == YES_NO else row
        for name in criteria_of(rows)
        for row in printed_alike([row for row in rows if (row.criterion or "") == name])
    ]


def _margin(context: Context, parts: Mapping[str, Responses]) -> float | None:
    """The margin, which is in points of the primary contrast where the study names one."""
    primary = context.asked.primary
    if primary is None:
        return None if _differ_in_scale(context, parts) else context.asked.margin
    return context.asked.margin if primary.kind == "mean" and primary.criterion in parts else None


def _differ_in_scale(context: Context, parts: Mapping[str, Responses]) -> bool:
    """Whether a point of one criterion is not a point of another."""
    asked = context.asked
    # What is derived has the scale of its parts.
    names = {part for name in parts for part in _parts_of(asked, name)}
    known = {asked.criterion(name).ends for name in names} - {None}
    return len(known) > 1


def _parts_of(asked: Asked, criterion: str) -> Sequence[str]:
    derived = asked.derived.get(criterion)
    return [criterion] if derived is None else list(derived.weights)


def with_criterion(context: Context, parts: Mapping[str, Responses]) -> Context:
    """The context with the criterion of the primary contrast: the first that has both systems."""
    primary = context.asked.primary
    if primary is None or primary.kind != "mean" or primary.criterion is not None:
        return context
    for name, part in parts.items():
        if set(primary.systems) <= set(part.systems):
            return replace(
                context, asked=replace(context.asked, primary=replace(primary, criterion=name))
            )
    return context


def _baseline(context: Context, parts: Mapping[str, Responses]) -> str | None:
    """The baseline, where every comparison to be made is one with it."""
    baseline, primary = context.asked.baseline, context.asked.primary
    if baseline is None or (primary is not None and baseline not in primary.systems):
        return None
    return baseline if all(baseline in part.systems for part in parts.values()) else None


def not_there(
    context: Context, parts: Mapping[str, Responses], gaps: Sequence[Difference]
) -> list[str]:
    """What the study asked for and the responses cannot answer."""
    asked = context.asked
    systems = {system for part in parts.values() for system in part.systems}
    said = []
    primary = asked.primary
    if asked.margin is not None and primary is None and _differ_in_scale(context, parts):
        said.append(
            f"a margin of {asked.margin:g} is in points of one scale, and there are several here: "
            "equivalence is not tested; with a primary contrast it would be that one's scale"
        )
    if (
        parts
        and primary is not None
        and primary.kind == "mean"
        and not any(is_primary(context, gap) for gap in gaps)
    ):
        criterion = primary.criterion
        there = systems if criterion is None else {*_systems_of(parts, criterion)}
        gone = " and ".join(s for s in primary.systems if s not in there)
        on = "" if criterion is None else f" on {criterion}"
        why = f"nobody rated {gone}{on}" if gone else "no criterion has both"
        said.append(
            f"the primary comparison of {' and '.join(primary.systems)} has no answer: {why}"
        )
    if parts and asked.baseline is not None and asked.baseline not in systems:
        said.append(
            f"nobody rated the baseline {asked.baseline}, so no system is compared with another"
        )
    return said


def _systems_of(parts: Mapping[str, Responses], criterion: str) -> tuple[str, ...]:
    return parts[criterion].systems if criterion in parts else ()


def is_primary(context: Context, gap: Difference) -> bool:
    """Whether it is the one comparison that the study is about."""
    primary = context.asked.primary
    if primary is None or primary.kind != "mean":
        return False
    same = {gap.system, gap.other} == set(primary.systems)
    return same and primary.criterion == gap.criterion


def _as_asked(context: Context, gap: Difference) -> Difference:
    """The primary contrast with its systems in the order of the study; the baseline second."""
    primary = context.asked.primary
    if primary is not None and is_primary(context, gap):
        return gap if gap.system == primary.systems[0] else measure.turn(gap)
    return measure.turn(gap) if gap.system == context.asked.baseline else gap


def criteria_of(gaps: Sequence[Difference]) -> list[str]:
    """The criteria that systems are compared on."""
    return list(dict.fromkeys(gap.criterion or "" for gap in gaps))
