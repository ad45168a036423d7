"""Two rounds of one criterion: the difference of every figure, new minus old.

Items and raters of one name in both rounds are one cluster, so that what they add to both rounds
cancels; the others are independent. Which of it holds is counted from the data, and said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jurybox.analysis import measure
from jurybox.analysis.agreement import level_of
from jurybox.analysis.context import Context
from jurybox.analysis.measure.agreement import agreement
from jurybox.analysis.measure.reduced import share_rows
from jurybox.results import Result
from jurybox.stats.clusters import ALL_RATERS
from jurybox.stats.rounds import Moved, RoundSums, hybrid, moved
from jurybox.stats.scale_ends import apart, on_scale
from jurybox.tally import detections, ratios, vote_rows
from jurybox.tally.pairs import pairs_in
from jurybox.tally.ratings import are_numbers, are_yes_no, first_scores
from jurybox.tally.responses import Responses
from jurybox.tally.round_sums import Cells, Shared, cells_of, number_clusters

__all__ = ["Rounds", "measured"]

Naming = Callable[[Responses, Sequence[Any]], Mapping[Any, Any]]
"""What the keys of a reduction mean in both rounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """The responses of both rounds to one criterion."""

    context: Context
    old: Responses
    new: Responses
    criterion: str
    shared: Shared

    @property
    def both(self) -> tuple[Responses, Responses]:
        """The responses of either round."""
        return self.old, self.new

    @property
    def named(self) -> frozenset[str]:
        """The kinds of clusters of which both rounds have some in common."""
        return frozenset(kind for kind, (_, _, both) in self.shared.items() if both)


def measured(rounds: Rounds, warnings: list[str]) -> Iterator[Moved]:
    """Everything that both rounds measured; what cannot be compared is added to ``warnings``."""
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
    rounds: Rounds,
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


def _shares(rounds: Rounds, rows: str, what: str, own: Mapping[str, str]) -> Iterator[Moved]:
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


def _scores(rounds: Rounds) -> Iterator[Moved]:
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


def _votes(rounds: Rounds, warnings: list[str]) -> Iterator[Moved]:
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


def _pairs(rounds: Rounds, rows: str, what: str) -> Iterator[Moved]:
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


def _accepted(rounds: Rounds) -> Iterator[Moved]:
    systems = set(rounds.old.systems) & set(rounds.new.systems)
    rows = detections.accepted_rows()
    yield from _shares(
        rounds, rows, "fooling rate", {f"system {system}": system for system in systems}
    )


def _agreement(rounds: Rounds) -> Iterator[Moved]:
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
