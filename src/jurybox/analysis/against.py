"""Two rounds compared: what moved per system and criterion, with intervals of the difference.

Items and raters of one name in both rounds are one cluster, so that what they add to both rounds
cancels; the others are independent. Which of it holds is counted from the data, and said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jurybox.analysis import measure
from jurybox.analysis.agreement import level_of
from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.counted import Counted, counted
from jurybox.analysis.finding import Analysis, Chapter, Column, Finding, Table
from jurybox.analysis.measure.agreement import agreement
from jurybox.analysis.measure.reduced import share_rows
from jurybox.analysis.of_judges import retold
from jurybox.analysis.sentences import told_of
from jurybox.results import Result, format_count, format_number, format_p, format_percent
from jurybox.stats.clusters import ALL_RATERS
from jurybox.stats.multiple import in_family
from jurybox.stats.rounds import INDEPENDENT, Moved, MovedShare, RoundSums, hybrid, moved
from jurybox.stats.scale_ends import apart, on_scale
from jurybox.tally import detections, ratios, vote_rows
from jurybox.tally.pairs import pairs_in
from jurybox.tally.ratings import are_numbers, are_yes_no, first_scores
from jurybox.tally.responses import Responses
from jurybox.tally.round_sums import Cells, Shared, cells_of, number_clusters, shared_clusters

__all__ = ["AGAINST", "add_against", "against_chapter"]

AGAINST = "against"
"""The standing of the findings, and the first part of the tables' ids."""


def add_against(
    analysis: Analysis,
    old: Any,
    new: Any,
    *,
    name: str,
    database: str | None = None,
) -> Analysis:
    """The analysis of the new round with what moved since the old one, which is called ``name``."""
    settings: dict[str, Any] = {"confidence": analysis.confidence, "seed": analysis.seed}
    with counted(old, **settings) as before, counted(new, database=database, **settings) as after:
        noun = before.rater_noun if before.rater_noun == after.rater_noun else "rater"
        with told_of(noun):
            chapter = against_chapter(before, after, name=name)
            named = [n for part in after.parts for n in (*part.systems, *part.criteria)]
            chapter = retold(chapter, [name, *named])
    return replace(
        analysis,
        findings=(*analysis.findings, *chapter.findings),
        tables=(*analysis.tables, *chapter.tables),
        took=(*analysis.took, *chapter.took),
        warnings=(*analysis.warnings, *chapter.warnings),
    )


Naming = Callable[[Responses, Sequence[Any]], Mapping[Any, Any]]
"""What the keys of a reduction mean in both rounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rounds:
    """The responses of both rounds to one criterion."""

    context: Context
    old: Responses
    new: Responses
    criterion: str
    shared: Shared

    @property
    def both(self) -> tuple[Responses, Responses]:
        return self.old, self.new

    @property
    def named(self) -> frozenset[str]:
        """The kinds of clusters of which both rounds have some in common."""
        return frozenset(kind for kind, (_, _, both) in self.shared.items() if both)


def against_chapter(before: Counted, after: Counted, *, name: str) -> Chapter:
    """Everything that both rounds measured, new minus old, with Holm over all of it."""
    context = after.context
    rows: list[Moved] = []
    took: list[str] = []
    warnings: list[str] = []
    found = {part.shape.name: part for part in before.parts}
    for new in after.parts:
        old = found.get(new.shape.name)
        if old is None:
            warnings.append(f"{name} has no {new.shape.name}, so nothing of them is compared")
            continue
        shared = shared_clusters(old, new)
        took.append(_say_shared(shared, name, new.shape.noun))
        warnings += _apart(old.systems, new.systems, name, "system")
        warnings += _apart(old.criteria, new.criteria, name, "criterion")
        for criterion in (each for each in new.criteria if each in old.criteria):
            rounds = _Rounds(
                context=context,
                old=old.of_criterion(criterion),
                new=new.of_criterion(criterion),
                criterion=criterion,
                shared=shared,
            )
            rows += [replace(row, criterion=criterion) for row in _measured(rounds, warnings)]
    rows = _as_family(rows)
    return Chapter(
        findings=tuple(_finding(context, row, name) for row in rows),
        tables=_tables(context, rows, name, " ".join(dict.fromkeys(took))),
        took=tuple(dict.fromkeys(took)),
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _apart(old: Sequence[str], new: Sequence[str], name: str, noun: str) -> list[str]:
    said = []
    for mine, others, where in ((new, old, "only here"), (old, new, f"only in {name}")):
        alone = [each for each in mine if each not in others]
        if alone:
            said.append(f"{noun} {', '.join(alone)}: {where}, so there is nothing to compare")
    return said


def _say_shared(shared: Shared, name: str, noun: str) -> str:
    """What the two rounds have in common, by name, and what follows from it."""
    parts = []
    for kind, (old, new, both) in shared.items():
        what = f"{both:,} of {old:,} and {new:,} {kind}s are in both rounds"
        parts.append(f"{what} ({'paired' if both else 'independent'})")
    if not parts:
        return (
            f"The {noun}s here and in {name} name neither items nor raters: taken as independent."
        )
    return f"Compared with {name}, by name: {'; '.join(parts)}."


def _measured(rounds: _Rounds, warnings: list[str]) -> Iterator[Moved]:
    shape = rounds.new.shape.name
    if shape == "ratings":
        yield from _scores(rounds)
    elif shape == "votes":
        yield from _votes(rounds, warnings)
    elif shape == "rankings":
        from jurybox.tally.rankings import above_rows

        yield from _pairs(rounds, above_rows(), "ranked above")
    elif shape == "detections":
        yield from _accepted(rounds)
    if shape in ("ratings", "votes", "detections"):
        yield from _agreement(rounds)


def _ratios(
    rounds: _Rounds,
    rows: str,
    what: str,
    *,
    share: bool,
    name: Naming,
) -> dict[Any, Moved]:
    """Every ratio that both rounds have, by its name."""
    old, new = (_named(responses, rows, name) for responses in rounds.both)
    options = rounds.context.options
    made: dict[Any, Moved] = {}
    for each in (each for each in new if each in old):
        numbers = number_clusters(old[each], new[each], named=rounds.named)
        sums = [
            RoundSums(u=cells["u"], w=cells["w"], n=int(cells["n"].sum()), clusters=clusters)
            for cells, clusters in zip((old[each], new[each]), numbers, strict=True)
        ]
        made[each] = moved(sums[0], sums[1], what=what, share=share, **options.interval)
    return made


def _named(responses: Responses, rows: str, name: Naming) -> Cells:
    cells = cells_of(responses, rows)
    names = name(responses, list(cells))
    return {names[k]: cells[k] for k in cells if k in names}


def _by_itself(_responses: Responses, keys: Sequence[Any]) -> dict[Any, Any]:
    return {key: str(key) for key in keys}


def _shares(rounds: _Rounds, rows: str, what: str, own: Mapping[str, str]) -> Iterator[Moved]:
    """Shares by system; where one is 0 or 1, put together from the two intervals.

    ``own``: which of the ratios' names stand for which systems; by default their own.
    """
    made = _ratios(rounds, rows, what, share=True, name=_by_itself)
    edges = [key for key, row in made.items() if row.interval is None]
    single: list[dict[str, Result]] = [{}, {}]
    if edges:
        for place, responses in enumerate(rounds.both):
            found = share_rows(responses, rows, rounds.context.options, what=what)
            single[place] = {row.system or "": row for row in found}
    for key, row in made.items():
        if own and key not in own:
            continue
        if key in edges:
            row = hybrid(single[0][key], single[1][key], row, generalizes_to=ALL_RATERS)
        yield replace(row, system=own.get(key, key))


def _scores(rounds: _Rounds) -> Iterator[Moved]:
    if not all(are_numbers(part) for part in rounds.both):
        return
    rounds = replace(rounds, old=first_scores(rounds.old), new=first_scores(rounds.new))
    means = _ratios(rounds, ratios.mean_of("score"), "mean score", share=False, name=_by_itself)
    ends = apart(rounds.context.asked.ends(rounds.criterion))
    for system, row in means.items():
        yield on_scale(replace(row, system=system), ends)
    asked = rounds.context.asked.criterion(rounds.criterion)
    mark = asked.pass_mark
    if mark is None and all(are_yes_no(part) for part in rounds.both):
        return  # The mean of zeros and ones is the pass rate.
    if mark is not None:
        yield from _shares(rounds, ratios.pass_mark(mark, higher=asked.higher), "pass rate", {})


def _votes(rounds: _Rounds, warnings: list[str]) -> Iterator[Moved]:
    yield from _pairs(rounds, vote_rows.pair_rows(), "win rate")
    if set(rounds.old.systems) != set(rounds.new.systems):
        warnings.append(
            f"{rounds.criterion}: the rounds compare different systems, so a system's win rate and "
            "strength over all its opponents mean different things and are not compared"
        )
        return
    if len(rounds.new.systems) < 3:
        return  # One pair says it all.
    yield from _shares(rounds, vote_rows.win_rows(), "win rate", {})
    options = rounds.context.options
    old, new = (
        {row.name: row for row in measure.strengths(part, options, pairs=False).rows}
        for part in rounds.both
    )
    for system in (each for each in new if each in old):
        one, two = old[system], new[system]
        base = Moved(
            estimate=None,
            undefined="no strength",
            what="strength",
            system=system,
            old=one.estimate,
            new=two.estimate,
            n_responses=(one.n_responses or 0) + (two.n_responses or 0),
        )
        yield hybrid(one, two, base, generalizes_to=ALL_RATERS)


def _pairs(rounds: _Rounds, rows: str, what: str) -> Iterator[Moved]:
    def names(responses: Responses, _keys: Sequence[Any]) -> dict[Any, Any]:
        return {k: pair for k, (_, pair) in pairs_in(responses, rows).items()}

    for pair, row in _ratios(rounds, rows, what, share=True, name=names).items():
        one, two = pair
        if row.interval is None:
            from jurybox.analysis.measure.pairs import pair_shares

            single = []
            for responses in rounds.both:
                options = rounds.context.options
                shares = pair_shares(responses, rows, options, alone=(one, two))
                single.append(next(s for s in shares if (s.system, s.other) == (one, two)))
            row = hybrid(single[0], single[1], row, generalizes_to=ALL_RATERS)
        yield replace(row, system=one, other=two)


def _accepted(rounds: _Rounds) -> Iterator[Moved]:
    systems = set(rounds.old.systems) & set(rounds.new.systems)
    rows = detections.accepted_rows()
    yield from _shares(
        rounds, rows, "fooling rate", {f"system {system}": system for system in systems}
    )


def _agreement(rounds: _Rounds) -> Iterator[Moved]:
    """Krippendorff's alpha, put together from two intervals as of independent rounds."""
    if not all(part.has_item and part.has_rater for part in rounds.both):
        return
    level, _ = level_of(rounds.context, rounds.new, rounds.criterion)
    options = rounds.context.options
    old, new = (agreement(part, options, "alpha", level=level) for part in rounds.both)
    base = Moved(
        estimate=None,
        undefined="no agreement",
        what="agreement (alpha)",
        old=old.estimate,
        new=new.estimate,
        n_responses=(old.n_responses or 0) + (new.n_responses or 0),
    )
    to = ALL_RATERS
    if new.interval is not None:
        to = new.interval.generalizes_to
    yield hybrid(old, new, base, generalizes_to=to)


def _as_family(rows: Sequence[Moved]) -> list[Moved]:
    """All that has a p judged as one family."""
    found = in_family([row.p for row in rows])
    n = sum(p is not None for p in found)
    by = f"Holm over {n} comparisons of the rounds"
    return [
        replace(row, p_adjusted=p, adjusted_by=None if p is None else by)
        for row, p in zip(rows, found, strict=True)
    ]


def _finding(context: Context, row: Moved, name: str) -> Finding:
    on = "" if row.criterion is None else f" on {row.criterion}"
    p = row.p if row.p_adjusted is None else row.p_adjusted
    interval = row.interval
    told = interval is not None and not interval.low <= 0 <= interval.high
    told = told and (p is None or p < 1 - context.confidence)
    subject = row.name[:1].upper() + row.name[1:] + on
    was = f"{_value(row, row.old)} in {name}, {_value(row, row.new)} now"
    if row.estimate is None:
        sentence = f"{subject} cannot be compared with {name}: {row.undefined}."
    else:
        verb = ("rose" if row.estimate > 0 else "fell") + f" by {row.format(abs(row.estimate))}"
        claim = verb if told else f"is not shown to have moved ({row.format(row.estimate)})"
        sentence = f"{subject} {claim}: {was} {_evidence(row, p)}."
    systems = tuple(each for each in (row.system, row.other) if each is not None)
    about = "/".join([row.what, row.criterion or "", *systems])
    return Finding(
        id=f"{AGAINST}/{about}",
        sentence=sentence,
        result=row,
        standing="against",
        told=told,
        criterion=row.criterion,
        systems=systems,
    )


def _is_joined(row: Moved) -> bool:
    return row.interval is not None and row.interval.method == INDEPENDENT


def _value(row: Moved, value: float | None) -> str:
    if isinstance(row, MovedShare):
        return format_percent(value)
    return format_number(value, row.digits)


def _evidence(row: Moved, p: float | None) -> str:
    if row.interval is None:
        return f"(no interval of the difference: {row.undefined})"
    percent = format_number(100 * row.interval.confidence, 0)
    shown = row.ends(row.interval)
    said = f"{percent}% interval of the difference {shown}"
    if p is not None:
        said += f"; {format_p(p)}" + (" by Holm" if row.p_adjusted is not None else "")
    return f"({said})"


def _without_interval(rows: Sequence[Moved]) -> str:
    """Why differences have no interval, each reason once: a dash alone would not say it."""
    counts = Counter(
        row.undefined or "a round has no interval"
        for row in rows
        if row.estimate is not None and row.interval is None
    )
    return "".join(
        f" {format_count(n, 'difference has', 'differences have')} no interval: {why}."
        for why, n in counts.items()
    )


def _tables(context: Context, rows: Sequence[Moved], name: str, shared: str) -> tuple[Table, ...]:
    parts = [
        (shares, [r for r in rows if isinstance(r, MovedShare) == shares])
        for shares in (False, True)
    ]
    return tuple(
        _table(context, part, name, shared, shares=shares) for shares, part in parts if part
    )


def _table(
    context: Context, rows: Sequence[Moved], name: str, shared: str, *, shares: bool
) -> Table:
    """The rows of one unit: shares in percent and their differences in points, or numbers."""
    adjusted = any(row.p_adjusted is not None for row in rows)
    columns = (
        Column(name="criterion", heading="Criterion"),
        Column(name="what", heading="Statistic"),
        Column(name="system", heading="System"),
        Column(name="other", heading="Against"),
        Column(name="old", heading=f"In {name}", kind="percent" if shares else "number"),
        Column(name="new", heading="Now", kind="percent" if shares else "number"),
        Column(name="difference", heading="New − old", kind="points" if shares else "number"),
        interval_column(context),
        Column(name="p", heading="p (Holm)" if adjusted else "p", kind="p"),
    )
    made = [
        (
            *(row.criterion, row.what, row.system, row.other, row.old, row.new, row.estimate),
            bounds(row.interval),
            row.p if row.p_adjusted is None else row.p_adjusted,
        )
        for row in rows
    ]
    caption = f"{shared} The interval is of the difference, clustered by rater and item over both "
    caption += "rounds; differences are in points." if shares else "rounds."
    joined = list(dict.fromkeys(row.what for row in rows if _is_joined(row)))
    if joined:
        caption += (
            f" That of {' and '.join(joined)} is put together from the intervals of the two rounds "
            "as if these were independent: wider than need be where they share raters or items."
        )
    caption += _without_interval(rows)
    return Table(
        id=f"{AGAINST}/{'shares' if shares else 'numbers'}",
        title=f"What moved since {name}: {'shares' if shares else 'scores and agreement'}",
        columns=columns,
        rows=tuple(made),
        caption=caption,
    )
