"""Rankings: share ranked first, mean rank, who is ranked above whom, and strengths."""

from __future__ import annotations

from jurybox.analysis.measure.reduced import mean_rows, share_rows
from jurybox.analysis.options import Options
from jurybox.stats.means import MeanScore
from jurybox.stats.scale_ends import on_scale
from jurybox.stats.shares import Share
from jurybox.stats.strengths.plackett_luce import PlackettLuce, plackett_luce
from jurybox.tally import rankings
from jurybox.tally.responses import Responses

__all__ = ["mean_ranks", "share_first", "strengths_of_rankings"]


def share_first(responses: Responses, options: Options, *, criterion: str) -> list[Share]:
    """How often each system is ranked first among those shown, most often first."""
    rows = rankings.first_rows()
    found = share_rows(responses, rows, options, what="share ranked first", criterion=criterion)
    return sorted(found, key=lambda row: -(row.estimate or 0.0))


def mean_ranks(
    responses: Responses, options: Options, *, criterion: str, most: int
) -> list[MeanScore]:
    """The mean rank of each system among those shown, at ``most`` so many at once, best first."""
    found = mean_rows(responses, rankings.mean_rank_rows(), options, criterion)
    return [on_scale(row, (1.0, float(most))) for row in found[::-1]]


def strengths_of_rankings(responses: Responses, options: Options) -> PlackettLuce:
    """Plackett–Luce strengths."""
    return plackett_luce(rankings.orders(responses), **options.interval, seed=options.seed)
