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
from jurybox.stats.rounds import RANKED_ABOVE, Moved, RoundSums, hybrid, moved
from jurybox.stats.scale_ends import apart, on_scale
from jurybox.tally import detections, ratios, spans, vote_rows
from jurybox.tally.pairs import pairs_in
from jurybox.tally.ratings import are_numbers, are_yes_no, first_scores
from jurybox.tally.responses import Responses
from jurybox.tally.round_sums import Cells, Shared, cells_of, number_clusters

__all__ = ["Rounds", "measured"]

Naming = Callable[[Responses, Sequence[Any]], Mapping[Any, Any]]
"""What the keys of a reduction mean in both rounds."""
Rows = str | tuple[str, str]
"""A reduction of either round, or one for each."""


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
    is_same = set(rounds.old.systems) == set(rounds.new.systems)
    if not is_same and shape != "rankings":
        what = "agreement over all outputs"
        if shape == "votes":
            what = f"{what}, and a system's win rate and strength over all its opponents,"
        warnings.append(
            f"{rounds.criterion}: the rounds have different systems, so {what} would not mean the "
            "same and cannot be compared"
        )
    if shape == "ratings":
        yield from _scores(rounds)
    elif shape == "votes":
        yield from _votes(rounds, is_same=is_same)
    elif shape == "rankings":
        from jurybox.tally.rankings import above_rows

        yield from _pairs(rounds, above_rows(), RANKED_ABOVE)
    elif shape == "detections":
        yield from _accepted(rounds)
    elif shape == "spans":
        yield from _points(rounds, is_same=is_same)
    if is_same and shape in ("ratings", "votes", "detections"):
        yield from _agreement(rounds)


def _ratios(
    rounds: Rounds,
    rows: Rows,
    what: str,
    *,
    share: bool,
    name: Naming,
) -> dict[Any, Moved]:
    """Every ratio that both rounds have, by its name."""
    each_rows = (rows, rows) if isinstance(rows, str) else rows
    old, new = (_named(r, each, name) for r, each in zip(rounds.both, each_rows, strict=True))
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
            row = hybrid(single[0][key], single[1][key], row)
        yield replace(row, system=own.get(key, key))


def _scores(rounds: Rounds) -> Iterator[Moved]:
    if not all(are_numbers(part) for part in rounds.both):
        return
    rounds = replace(rounds, old=first_scores(rounds.old), new=first_scores(rounds.new))
    asked = rounds.context.asked.criterion(rounds.criterion)
    if asked.pass_mark is None and all(are_yes_no(part) for part in rounds.both):
        # The mean of zeros and ones, with the interval of a share.
        yield from _shares(rounds, ratios.pass_mark(1.0), "share of yes", {})
        return
    scores = ratios.mean_of("score")
    means = _ratios(rounds, scores, asked.mean_name, share=False, name=_by_itself)
    ends = apart(rounds.context.asked.ends(rounds.criterion))
    for system, row in means.items():
        yield on_scale(replace(row, system=system), ends)
    if asked.pass_mark is not None:
        passed = ratios.pass_mark(asked.pass_mark, higher=asked.higher)
        yield from _shares(rounds, passed, "pass rate", {})


def _votes(rounds: Rounds, *, is_same: bool) -> Iterator[Moved]:
    yield from _pairs(rounds, vote_rows.pair_rows(), "win rate")
    if not is_same or len(rounds.new.systems) < 3:
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
        yield hybrid(one, two, base)


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
            row = hybrid(single[0], single[1], row)
        yield replace(row, system=one, other=two)


def _accepted(rounds: Rounds) -> Iterator[Moved]:
    systems = set(rounds.old.systems) & set(rounds.new.systems)
    rows = detections.accepted_rows()
    yield from _shares(
        rounds, rows, "fooling rate", {f"system {system}": system for system in systems}
    )


def _points(rounds: Rounds, *, is_same: bool) -> Iterator[Moved]:
    """Error points per output, in both rounds as the new one counts them, and who marks the same.

    Where raters also score every output that they marked (ESA), the score is the result.
    """
    context, asked = rounds.context, rounds.context.asked.criterion(rounds.criterion)
    if not context.asked.scored_outputs:
        old, new = (
            spans.span_rows(part, severities=asked.severities, weights=asked.weights)
            for part in rounds.both
        )
        what = "error points per output"
        points = _ratios(rounds, (old, new), what, share=False, name=_by_itself)
        yield from (replace(row, system=system) for system, row in points.items())
    if is_same:
        how: dict[str, Any] = {"criterion": rounds.criterion, "severities": asked.severities}
        then, now = (
            measure.agreement_of_spans(part, context.options, **how) for part in rounds.both
        )
        yield _joined(then, now, "agreement (mean F1)")


def _joined(old: Result, new: Result, what: str) -> Moved:
    """The difference of two figures of the whole rounds."""
    n = (old.n_responses or 0) + (new.n_responses or 0)
    made = Moved(
        estimate=None,
        undefined="no agreement",
        what=what,
        old=old.estimate,
        new=new.estimate,
        n_responses=n,
    )
    return hybrid(old, new, made)


def _agreement(rounds: Rounds) -> Iterator[Moved]:
    """Krippendorff's alpha, put together from two intervals as of independent rounds."""
    if not all(part.has_item and part.has_rater for part in rounds.both):
        return
    level, _ = level_of(rounds.context, rounds.new, rounds.criterion)
    options = rounds.context.options
    old, new = (agreement(part, options, "alpha", level=level) for part in rounds.both)
    yield _joined(old, new, "agreement (alpha)")
