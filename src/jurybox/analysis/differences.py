"""Systems compared by their scores: the sentences and the table of differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jurybox.analysis.claims import without_interval
from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.finding import Column, Finding, Standing, Table, Together
from jurybox.analysis.sentences import claimed_p, evidence, rater_noun, these, told_apart, undecided
from jurybox.formats import format_confidence
from jurybox.results import format_count, format_percent
from jurybox.stats.blocks import Omnibus
from jurybox.stats.differences import Difference, ShareGap
from jurybox.stats.effects import Effect
from jurybox.stats.multiple import Comparison
from jurybox.stats.shares import ShareDifference

__all__ = [
    "difference_finding",
    "difference_table",
    "more_data_finding",
    "omnibus_finding",
    "p_heading",
]


def _on(criterion: str | None) -> str:
    return f" on {criterion}" if criterion else ""


def difference_finding(context: Context, gap: Difference, *, primary: bool) -> Finding:
    """The sentence of one comparison: told, not told apart, or not comparable."""
    p, adjusted = claimed_p(gap, primary=primary)
    told = told_apart(gap, null=0.0, p=p, confidence=context.confidence)
    on = _on(gap.criterion)
    said = evidence(gap, noun="rating", p=p, adjusted=adjusted)
    if gap.estimate is None:
        sentence = f"{gap.system} and {gap.other} cannot be compared{on}: {gap.undefined}."
    elif told:
        way = "higher" if gap.estimate > 0 else "lower"
        size = gap.format(abs(gap.estimate))
        sentence = f"{gap.system} scores {size} {way} than {gap.other}{on} {said}."
    else:
        size = gap.format(gap.estimate)
        begin = undecided(gap, gap.system, gap.other, on)
        sentence = f"{begin}: the difference is {size} {said}."
    standing: Standing = "primary" if primary else "secondary"
    return Finding(
        id=f"difference/{gap.criterion}/{gap.system}/{gap.other}",
        sentence=sentence,
        result=gap,
        standing=standing,
        told=told,
        criterion=gap.criterion,
        systems=(gap.system, gap.other),
    )


def more_data_finding(gap: Difference | ShareDifference) -> Finding | None:
    """What twice the raters or twice the items would do to the interval of the headline."""
    found = gap.more_data
    if found is None or found.estimate is None:
        return None
    percent = format_confidence(found.confidence)
    now = f"The {percent} interval of {gap.system} − {gap.other}{_on(gap.criterion)}"
    # The sentence of the comparison shows the wider one, of the whole family.
    is_alone = gap.simultaneous is not None
    finds = "A study of this size finds"
    if gap.simultaneous is not None:
        finds = "Were these two the only systems, a study of this size would find"
    ways = [
        f"with twice the {who} about {gap.format(half)}"
        for who, half in ((f"{rater_noun()}s", found.twice_raters), ("items", found.twice_items))
        if half is not None
    ]
    said = f"{gap.format(found.estimate)} to each side"
    said += f"; {', '.join(ways)} would be expected." if ways else "."
    if found.detectable is not None:
        said += (
            f" {finds} a difference of {gap.format(found.detectable)} in "
            f"{format_percent(found.power, 0)} of cases."
        )
    return Finding(
        id=f"more_data/{gap.criterion}/{gap.system}/{gap.other}",
        sentence=f"{now}{', taken alone,' if is_alone else ''} reaches {said}",
        of_answer=f"{'Taken alone, it' if is_alone else 'It'} reaches {said}",
        result=gap,
        standing="quality",
        criterion=gap.criterion,
        systems=(gap.system, gap.other),
    )


def omnibus_finding(context: Context, found: Omnibus) -> Finding:
    """Whether all systems of a criterion, taken together, differ for these raters."""
    on = _on(found.criterion)
    who = format_count(found.n_systems, "system")
    told = found.p is not None and found.p < 1 - context.confidence
    items = format_count(found.n_blocks, "item")
    if found.n_dropped:
        items += f", {found.n_dropped:,} left out"
    tested, criterion = f"{found.test} on {items}", str(found.criterion)
    said = f"({tested}: {found.short()})"
    together = None
    if found.estimate is None:
        why = f": {found.undefined}."
        sentence = f"The {who} cannot be tested together{on}{why}"
        together = Together(
            before=f"The {who} cannot be tested together on ", of=criterion, after=why
        )
    elif told:
        sentence = f"Judged by {these(found.n_raters)}, the {who} are not all alike{on} {said}."
    else:
        even = f", even for {these(found.n_raters)}"
        sentence = f"It is not shown that the {who} differ{on}{even} {said}."
        together = Together(
            before=f"It is not shown that the {who} differ{even} ({tested}), on ",
            of=f"{criterion} ({found.short()})",
            after=".",
        )
    return Finding(
        id=f"omnibus/{found.criterion}",
        sentence=sentence,
        result=found,
        told=told,
        criterion=found.criterion,
        together=None if found.criterion is None else together,
    )


def difference_table(context: Context, criterion: str, gaps: Sequence[Difference]) -> Table:
    """Every two systems on one criterion: the interval and the p that the claim rests on."""
    mine = [gap for gap in gaps if (gap.criterion or "") == criterion]
    joint = any(gap.simultaneous is not None for gap in mine)
    adjusted = any(gap.p_adjusted is not None for gap in mine)
    columns = [
        Column(name="system", heading="System"),
        Column(name="other", heading="Other"),
        _difference_column(mine),
        interval_column(context, joint=joint),
        Column(name="p_adjusted" if adjusted else "p", heading=p_heading(mine), kind="p"),
    ]
    effects = any(gap.effects for gap in mine)
    if effects:
        columns.append(Column(name="delta", heading="Cliff's δ", kind="number"))
        columns.append(interval_column(context, "delta_interval"))
    columns.append(Column(name="items", heading="Shared items", kind="count"))
    rows = []
    for gap in mine:
        p, _ = claimed_p(gap)
        cell: list[Any] = [gap.system, gap.other, gap.estimate]
        cell += [bounds(gap.claimed), p]
        if effects:
            delta = _delta(gap)
            cell += [None, None] if delta is None else [delta.estimate, bounds(delta.interval)]
        rows.append((*cell, gap.n_items))
    return Table(
        id=f"differences/{criterion}",
        title=f"Differences: {criterion}",
        columns=tuple(columns),
        rows=tuple(rows),
        caption=_table_caption(mine, effects=effects),
    )


def _difference_column(gaps: Sequence[Difference]) -> Column:
    if all(isinstance(gap, ShareGap) for gap in gaps):
        return Column(name="difference", heading="Difference, points", kind="points")
    return Column(name="difference", heading="Difference", kind="number")


def _delta(gap: Difference) -> Effect | None:
    return next((e for e in gap.effects if e.effect.startswith("cliff_delta")), None)


def p_heading(gaps: Sequence[Comparison]) -> str:
    """The heading of the p that claims rest on: it names how they are adjusted."""
    """The heading of the p that claims rest on: it names how they are adjusted."""
    if not any(gap.p_adjusted is not None for gap in gaps):
        return "p"
    return "p (max-t)" if any(gap.simultaneous is not None for gap in gaps) else "p (Holm)"


def _table_caption(gaps: Sequence[Difference], *, effects: bool) -> str:
    methods = [gap.interval.method for gap in gaps if gap.interval is not None]
    # The degrees of freedom, which follow, may differ from pair to pair.
    by = f", by a t test {methods[0].partition(', t(')[0]}" if methods else ""
    said = [f"The mean difference within items, each counting the same{by}."]
    intervals = [each for gap in gaps for each in (gap.interval, gap.simultaneous)]
    if any(each is not None and each.is_cut for each in intervals):
        said.append("No interval leaves what the scale allows.")
    families = list(dict.fromkeys(gap.adjusted_by for gap in gaps if gap.adjusted_by))
    if any(gap.simultaneous is not None for gap in gaps):
        said.append(f"Intervals and p hold for the whole family at once ({families[0]}).")
    elif any(gap.p_adjusted is not None for gap in gaps):
        by = f" ({families[0]})" if families else ""
        said.append(f"Intervals are for one pair each; p holds for the whole family{by}.")
    alone = [gap for gap in gaps if gap.p is not None and gap.p_adjusted is None]
    if families and alone:
        said.append(f"{alone[0].system} − {alone[0].other} is tested alone.")
    if effects:
        said.append(_say_delta(gaps))
        deltas = ((gap.name, delta) for gap in gaps if (delta := _delta(gap)) is not None)
        said += (why.replace(" of ", " of δ of ", 1) for why in without_interval(deltas))
    return " ".join(said)


def _say_delta(gaps: Sequence[Difference]) -> str:
    """What Cliff's δ compares: systems that share no item have only the means of their items."""
    found = list(filter(None, map(_delta, gaps)))
    between = [delta.effect == "cliff_delta_between" for delta in found]
    whom = these(max(gap.n_raters or 0 for gap in gaps))
    said = "Cliff's δ: how much more often "
    if all(between):
        return said + (
            "the mean of an item of the first lies above that of an item of the second than below "
            f"it, for {whom}."
        )
    said += "a rating of the first lies above one of the second on the same item than below it"
    apart = "; where two systems share no item, the means of their items are compared"
    return f"{said}, for {whom}{apart * any(between)}."
