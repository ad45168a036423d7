"""Order and fatigue: how answers move along the sitting, and the pull of the first place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from jurybox.analysis.context import Context, bounds, in_hundredths, interval_column
from jurybox.analysis.finding import Chapter, Column, Finding, Table, Together
from jurybox.analysis.looks import looked_for, seen
from jurybox.results import format_number, format_percent
from jurybox.stats.trends import ShareTrend, Trend, as_ratio, as_share, sitting_trend
from jurybox.tally.ratings import are_numbers
from jurybox.tally.responses import Responses
from jurybox.tally.sitting import Sitting, answers_in_order, is_placed, times_in_order

if TYPE_CHECKING:
    from jurybox.stats.places import PlacePull

__all__ = ["order_chapter"]

WORDS = {
    "score": "scores on {0} change by {1}",
    "real": "the share of answers “real” changes by {1}",
    "tie": "the share of ties on {0} changes by {1}",
    "distance": "the distance of scores on {0} from the others' mean changes by {1}",
    "same": "the share of the other raters with the same answer on {0} changes by {1}",
    "seconds": "the time per trial changes by {1}",
}
OF_TWO = "no output was judged by three raters, and of two each is as far from the other"
"""Why nobody is known to move from the others."""
PAIR = 2
NOUNS = {
    "score": "score",
    "real": "share of “real”",
    "tie": "share of ties",
    "distance": "distance from the others",
    "same": "same answer as the others",
    "seconds": "time per trial",
}


def order_chapter(
    context: Context, responses: Responses, shared: Sequence[Responses] = ()
) -> Chapter:
    """The trends along the sitting, and the pull of the first place where outputs share a screen.

    ``shared``: the responses of every shape that may say where on the screen an output stood.
    """
    trends = _trends(context, responses)
    placed = [each for each in shared if "place" in each.columns]
    pulls: list[PlacePull] = []
    if placed:
        # Imported here: a table of votes has no places.
        from jurybox.analysis.places import place_chapter, pulls_of

        pulls = pulls_of(context, placed)
    looks = looked_for([*trends, *pulls], "looks at order" if pulls else "trends")
    trends, pulls = looks[: len(trends)], looks[len(trends) :]
    beside = place_chapter(context, placed, pulls) if pulls else Chapter()
    return Chapter(
        findings=(*map(_finding, trends), *beside.findings),
        tables=(*([_table(context, trends)] if trends else []), *beside.tables),
    )


def _trends(context: Context, responses: Responses) -> list[Trend]:
    """How answers move along the sitting, where they name their place in it."""
    if not is_placed(responses) or responses.shape.name in ("rankings", "spans"):
        return []
    trends: list[Trend] = []
    for criterion in responses.criteria:
        trends += _trends_of(context, responses.of_criterion(criterion), criterion)
    if "ms" in responses.columns:
        made = _trend(context, times_in_order(responses), "seconds", None)
        trends.append(as_ratio(made))
    return trends


def _trend(context: Context, sitting: Sitting, what: str, criterion: str | None) -> Trend:
    found = sitting_trend(sitting, sitting.y, what=what, **context.options.interval)
    return replace(found, criterion=criterion)


def _trends_of(context: Context, part: Responses, criterion: str) -> list[Trend]:
    shape = part.shape.name
    numbers = shape == "ratings" and are_numbers(part)
    level = {"votes": "tie", "detections": "real"}.get(shape, "score" if numbers else None)
    if level == "tie" and not part.value("SELECT bool_or(winner IN ('tie', 'both_bad')) FROM {r}"):
        # Where nobody said tie, perhaps because nobody could, nothing moves.
        level = None
    found = []
    if level is not None:
        value = "tie" if level == "tie" else "score"
        made = _trend(context, answers_in_order(part, value), level, criterion)
        found.append(made if numbers else as_share(made))
    agreed = "distance" if numbers else "same"
    sitting = answers_in_order(part, agreed)
    if len(sitting.y) and np.bincount(sitting.unit).max() == PAIR:
        n = len(sitting.y)
        made = Trend(estimate=None, undefined=OF_TWO, n_responses=n, what=agreed)
        return [*found, replace(made, criterion=criterion)]
    made = _trend(context, sitting, agreed, criterion)
    found.append(made if numbers else as_share(made))
    return found


def _finding(trend: Trend) -> Finding:
    # Described, never claimed: an exploratory look has no sentence of its own conclusion.
    place = "" if trend.criterion is None else f"/{trend.criterion}"
    together = None
    if trend.estimate is None:
        of = NOUNS[trend.what] + ("" if trend.criterion is None else f" on {trend.criterion}")
        sentence = f"The trend of {of} is undefined: {trend.undefined}."
        together = Together(
            before="The trends of ", of=of, after=f" are undefined: {trend.undefined}."
        )
    else:
        noun = "trial" if trend.what == "seconds" else "response"
        said = WORDS[trend.what].format(trend.criterion, _change(trend))
        sentence = f"From the first trial to the last, {said} {seen(trend, noun=noun)}."
    return Finding(
        id=f"order/{trend.what}{place}",
        sentence=sentence,
        result=trend,
        standing="exploratory",
        criterion=trend.criterion,
        together=together,
    )


def _change(trend: Trend) -> str:
    if trend.what == "seconds":
        return format_percent(trend.estimate)
    if isinstance(trend, ShareTrend):
        return f"{format_number(100 * (trend.estimate or 0.0), 1)} percentage points"
    return trend.format(trend.estimate)


def _adjusted(trends: Sequence[Trend]) -> str:
    is_one_of_many = any(trend.p_adjusted is not None for trend in trends)
    return ": p is adjusted by Benjamini and Hochberg" if is_one_of_many else ""


def _table(context: Context, trends: list[Trend]) -> Table:
    def cells(trend: Trend) -> tuple[Any, ...]:
        if trend.what == "seconds":
            return ("percent", *in_hundredths(trend))
        if isinstance(trend, ShareTrend):
            return ("percentage points", *in_hundredths(trend))
        return ("points", trend.estimate, bounds(trend.interval))

    return Table(
        id="order",
        title="Along the sitting",
        columns=(
            Column(name="what", heading="From first to last trial"),
            Column(name="criterion", heading="Criterion"),
            Column(name="unit", heading="In"),
            Column(name="change", heading="Change", kind="number"),
            interval_column(context),
            Column(name="p", heading="p", kind="p"),
            Column(name="p_adjusted", heading="p (adjusted)", kind="p"),
            Column(name="responses", heading="Answers", kind="count"),
        ),
        rows=tuple(
            (
                NOUNS[trend.what],
                trend.criterion or "all",
                *cells(trend),
                trend.p,
                trend.p_adjusted,
                trend.n_responses,
            )
            for trend in trends
        ),
        caption="Every output and every rater is held fixed, so that neither what came late nor "
        f"who was long makes a trend. Exploratory{_adjusted(trends)}.",
    )
