"""Ratings: mean scores, how they lie, and pass rates."""

from __future__ import annotations

from dataclasses import replace

from jurybox.analysis.measure.reduced import mean_rows, share_rows
from jurybox.analysis.options import Options
from jurybox.stats.histograms import histogram
from jurybox.stats.means import MeanScore
from jurybox.stats.shares import Share
from jurybox.tally import ratios
from jurybox.tally.item_means import item_deviations
from jurybox.tally.ratings import score_counts, score_summaries
from jurybox.tally.responses import Responses

__all__ = ["means", "pass_rates", "robust"]

TENTH = 0.1


def means(
    responses: Responses, options: Options, *, criterion: str, higher: bool = True
) -> list[MeanScore]:
    """The mean score of every system, highest first, with median, spread and histogram."""
    found = mean_rows(responses, ratios.mean_of("score"), options, criterion)
    counted = score_counts(responses)
    share = TENTH if higher else 1 - TENTH
    if not counted:
        summed = score_summaries(responses, share)
        return [
            replace(
                row,
                sd=summed[row.system][0],
                median=summed[row.system][1],
                worst_tenth=summed[row.system][2],
            )
            for row in found
        ]
    rows = []
    for row in found:
        given = histogram(*counted[row.system])
        rows.append(
            replace(
                row,
                sd=given.sd,
                median=given.quantile(0.5),
                worst_tenth=given.quantile(share),
                histogram=given.bars,
            )
        )
    return rows


def robust(
    responses: Responses,
    options: Options,
    rows: list[MeanScore],
    *,
    worst: float | None = None,
    beyond: bool = False,
    higher: bool = True,
) -> list[MeanScore]:
    """The rows with the share at the worst value and the spread between items.

    ``worst`` is the scale's; by default the worst value that any system was given, where values
    repeat (with more than 101 of them the worst one is an accident). ``beyond``: there are worse
    values, which count too.
    """
    if worst is None:
        given = {value for row in rows for value, _ in row.histogram}
        worst = (min(given) if higher else max(given)) if given else None
    spread = item_deviations(responses) if responses.has_item else {}
    found: dict[str, Share] = {}
    if worst is not None:
        condition = ratios.binary(f"score {'<=' if higher else '>='} {worst!r}")
        where = "" if not beyond else "or below " if higher else "or above "
        made = share_rows(
            responses, condition, options, what=f"share at {where}{round(worst, 3):g}"
        )
        found = {row.system or "": row for row in made}
    return [
        replace(
            row,
            item_sd=spread.get(row.system),
            at_worst=None
            if row.system not in found
            else replace(found[row.system], criterion=row.criterion),
        )
        for row in rows
    ]


def pass_rates(
    responses: Responses, options: Options, *, criterion: str, mark: float, higher: bool = True
) -> list[Share]:
    """The share of scores at or beyond the pass mark, per system."""
    rows = ratios.pass_mark(mark, higher=higher)
    return share_rows(responses, rows, options, what="pass rate", criterion=criterion)
