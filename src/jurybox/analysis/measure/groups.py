"""Figures by rater group: each group's own, every two compared, and how far they agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations

from jurybox.analysis.asked import AskedCriterion
from jurybox.analysis.measure.agreement import agreement
from jurybox.analysis.measure.reduced import reduced
from jurybox.analysis.options import Options
from jurybox.results import Result
from jurybox.stats.agreement.alpha import Level
from jurybox.stats.agreement.between_groups import BetweenGroups, GroupAnswers, agreement_between
from jurybox.stats.agreement.patterns import Agreement
from jurybox.stats.groups import GroupDifference, GroupShareDifference, group_difference
from jurybox.stats.means import mean
from jurybox.stats.scale_ends import FROM_NOTHING, Ends, apart, on_scale
from jurybox.stats.shares import share
from jurybox.tally import groups as tally
from jurybox.tally import ratios
from jurybox.tally.rankings import first_rows, given
from jurybox.tally.responses import Responses
from jurybox.tally.vote_rows import pair_rows

__all__ = [
    "AGREED",
    "Figure",
    "GroupFigure",
    "between",
    "figure_of",
    "group_differences",
    "group_figures",
    "within",
]

AGREED = ("ratings", "votes", "detections")
"""The shapes whose agreement is one of answers to units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure that every response gives a part of, as rows of ``ratios``."""

    what: str
    rows: str
    is_share: bool = False
    about: str = "System"
    """What a figure is one of, as a table is headed."""
    name: Callable[[str], str] = str
    """What the key of a ratio is about."""
    ends: Ends = None
    """Between what it lies, of figures that are no shares."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFigure:
    """The figure of one group on one system, or pair of systems."""

    group: str
    of: str
    result: Result


def figure_of(
    responses: Responses, asked: AskedCriterion | None = None, ends: Ends = None
) -> Figure:
    """The figure of the responses' shape; ``ends``: those of the scale of scores."""
    asked = AskedCriterion() if asked is None else asked
    shape = responses.shape.name
    if shape == "votes":

        def of(key: str) -> str:
            return " over ".join(ratios.between(responses, [int(key)])[0])

        rows = pair_rows("half")
        return Figure(what="win rate", rows=rows, is_share=True, about="Pair", name=of)
    if shape == "rankings":
        what = "share picked" if given(responses).only_picks else "share ranked first"
        return Figure(what=what, rows=first_rows(), is_share=True)
    if shape == "detections":
        rows = str(ratios.binary("answer = 'real'"))
        return Figure(what="share taken for real", rows=rows, is_share=True)
    if shape == "spans":
        # Imported here: few tables are of marked errors.
        from jurybox.tally.spans import span_rows

        rows = span_rows(responses, severities=asked.severities, weights=asked.weights)
        return Figure(what="error points", rows=rows, ends=FROM_NOTHING)
    return Figure(what=asked.mean_name, rows=str(ratios.mean_of("score")), ends=ends)


def group_figures(responses: Responses, options: Options, figure: Figure) -> list[GroupFigure]:
    """Every group's own figures, over all that its raters answered."""
    sums = reduced(responses, tally.group_rows(figure.rows), options)
    found = []
    for k, (key, group) in enumerate(tally.split(sums.names)):
        if figure.is_share:
            made: Result = share(sums, k, what=figure.what, **options.interval)
        else:
            made = on_scale(mean(sums, k, **options.interval), figure.ends)
        found.append(GroupFigure(group=group, of=figure.name(key), result=made))
    return sorted(found, key=lambda each: (each.of, each.group))


def group_differences(
    responses: Responses, options: Options, figure: Figure, *, criterion: str
) -> list[GroupDifference]:
    """Every two groups on every system (or pair), within the items that both judged."""
    known = tally.grouped(responses)
    kind = GroupShareDifference if figure.is_share else GroupDifference
    every = sorted(tally.keys_of(responses, figure.rows), key=figure.name)
    found: list[GroupDifference] = []
    for one, two in combinations(known.names if known else (), 2):
        rows = tally.difference_rows(figure.rows, one, two)
        sums = reduced(responses, rows, options, cross=True)
        place = {name: k for k, name in enumerate(tally.split(sums.names))}
        for key in every:
            about = kind(
                estimate=None,
                undefined=f"no item was judged by both {one} and {two}",
                group=one,
                other=two,
                of=figure.name(key),
                what=figure.what,
                criterion=criterion,
            )
            if (key, one) in place:
                k, j = place[key, one], place[key, two]
                about = group_difference(sums, k, j, about, **options.interval)
                about = on_scale(about, apart(figure.ends))
            found.append(about)
    return found


def within(responses: Responses, options: Options, *, level: Level) -> dict[str, Agreement]:
    """Krippendorff's alpha within each group."""
    known = tally.grouped(responses)
    return {
        name: replace(
            agreement(tally.of_group(responses, name), options, "alpha", level=level), notes=()
        )
        for name in (known.names if known else ())
    }


def between(
    responses: Responses, options: Options, *, level: Level, criterion: str
) -> list[BetweenGroups]:
    """How far every two groups agree with each other."""
    known = tally.grouped(responses)
    found = []
    for one, two in combinations(known.names if known else (), 2):
        counts = tally.answers_of_groups(responses, one, two)
        answers = GroupAnswers(counts.values, counts.one, counts.two, counts.item, counts.n_raters)
        made = agreement_between(
            answers,
            groups=(one, two),
            level=level,
            criterion=criterion,
            confidence=options.confidence,
        )
        found.append(made)
    return found
