"""Ratings: mean scores, pass rates and differences."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from jurybox.analysis.measure.reduced import mean_rows, reduced, share_rows
from jurybox.analysis.measure.turn import turn
from jurybox.analysis.options import Options
from jurybox.stats.means import Difference, MeanScore, difference
from jurybox.stats.shares import Share
from jurybox.tally import ratios
from jurybox.tally.responses import Responses

__all__ = ["differences", "means", "pass_rates"]


def means(responses: Responses, options: Options, *, criterion: str) -> list[MeanScore]:
    """The mean score of every system, highest first."""
    found = mean_rows(responses, ratios.mean_of("score"), options, criterion)
    spread = ratios.deviations(responses)
    return [replace(row, sd=spread[row.system]) for row in found]


def differences(
    responses: Responses, options: Options, *, criterion: str, value: str = "score"
) -> list[Difference]:
    """Every two systems compared within items, the higher one first; p not yet adjusted."""
    sums = reduced(responses, ratios.within_items(value), options)
    place = {pair: k for k, pair in enumerate(ratios.between(responses, sums.names))}
    shared = ratios.shared_raters(responses) if responses.has_rater else None
    found = []
    for pair in combinations(responses.systems, 2):
        one, two = pair
        why = None
        if pair not in place:
            why = f"no item has responses for both {one} and {two}"
        elif shared is not None and pair not in shared:
            why = (
                f"no rater judged both {one} and {two}, so systems and raters cannot be told apart"
            )
        if why is not None:
            row = Difference(
                estimate=None, undefined=why, system=one, other=two, criterion=criterion
            )
        else:
            row = difference(
                sums, place[pair], systems=pair, criterion=criterion, **options.interval
            )
        found.append(_turned(row))
    return found


def _turned(row: Difference) -> Difference:
    """The same comparison with the higher system first."""
    if row.estimate is None or row.estimate >= 0:
        return row
    return turn(row)


def pass_rates(
    responses: Responses, options: Options, *, criterion: str, mark: float, higher: bool = True
) -> list[Share]:
    """The share of scores at or beyond the pass mark, per system."""
    rows = ratios.pass_mark(mark, higher=higher)
    return share_rows(responses, rows, options, what="pass rate", criterion=criterion)
