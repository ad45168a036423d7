"""Places on the screen: where outputs share one, what standing first adds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from jurybox.analysis.context import Context, bounds, in_hundredths, interval_column
from jurybox.analysis.finding import Chapter, Column, Finding, Table, Together
from jurybox.analysis.looks import seen
from jurybox.analysis.measure.reduced import reduced
from jurybox.results import Result, format_number
from jurybox.stats.means import mean
from jurybox.stats.places import PlacePull, SharePull, as_share_pull, place_pull
from jurybox.stats.scale_ends import on_scale
from jurybox.stats.shares import share
from jurybox.tally.ratings import are_numbers
from jurybox.tally.responses import Responses
from jurybox.tally.screens import by_chance, has_screens, place_rows, screens

__all__ = ["place_chapter", "pulls_of"]

NOUNS = {"score": "scores on {0}", "first": "the share ranked first on {0}"}


def _shared(shared: Sequence[Responses]) -> Iterator[tuple[str, Responses]]:
    """Every criterion whose answers are about outputs that shared a screen, with its answers."""
    for responses in shared:
        if responses.shape.name not in ("ratings", "rankings"):
            continue
        for criterion in responses.criteria:
            part = responses.of_criterion(criterion)
            is_ranked = responses.shape.name == "rankings"
            if has_screens(part) and (is_ranked or are_numbers(part)):
                yield criterion, part


def pulls_of(context: Context, shared: Sequence[Responses]) -> list[PlacePull]:
    """What the first place adds, criterion by criterion."""
    found = []
    for criterion, part in _shared(shared):
        is_ranked = part.shape.name == "rankings"
        what = "first" if is_ranked else "score"
        pull = place_pull(screens(part), what=what, **context.options.interval)
        pull = replace(pull, criterion=criterion)
        found.append(as_share_pull(pull) if is_ranked else pull)
    return found


def place_chapter(
    context: Context, shared: Sequence[Responses], pulls: Sequence[PlacePull]
) -> Chapter:
    """The pulls, and for every criterion the means, or shares ranked first, by place."""
    return Chapter(
        findings=tuple(_finding(pull) for pull in pulls),
        tables=(
            _pull_table(context, pulls),
            *(_place_table(context, criterion, part) for criterion, part in _shared(shared)),
        ),
    )


def _finding(pull: PlacePull) -> Finding:
    # Described, never claimed: an exploratory look has no sentence of its own conclusion.
    noun = NOUNS[pull.what].format(pull.criterion)
    together = None
    if pull.estimate is None:
        why = f"undefined: {pull.undefined}."
        sentence = f"The pull of the first place on {noun} is {why}"
        together = Together(before="The pulls of the first place on ", of=noun, after=f" are {why}")
    else:
        amount = pull.format(pull.estimate)
        if isinstance(pull, SharePull):
            amount = f"{format_number(100 * pull.estimate, 1)} percentage points"
        sentence = (
            f"Standing first on the screen goes with a change of {noun} by {amount}, against the "
            f"same outputs at other places {seen(pull, noun='answer')}."
        )
    return Finding(
        id=f"order/place/{pull.criterion}",
        sentence=sentence,
        result=pull,
        standing="exploratory",
        criterion=pull.criterion,
        together=together,
    )


def _pull_table(context: Context, pulls: Sequence[PlacePull]) -> Table:
    what = {True: "the share ranked first", False: "the mean score"}
    kinds = dict.fromkeys(isinstance(pull, SharePull) for pull in pulls)
    beside = ""
    if any(pull.p_adjusted is not None for pull in pulls):
        beside = ": p is adjusted by Benjamini and Hochberg, over these and any trends along the "
        beside += "sitting"
    return Table(
        id="order/pull",
        title="The pull of the first place",
        columns=(
            Column(name="criterion", heading="Criterion"),
            Column(name="unit", heading="In"),
            Column(name="change", heading="First place adds", kind="number"),
            interval_column(context),
            Column(name="p", heading="p", kind="p"),
            Column(name="p_adjusted", heading="p (adjusted)", kind="p"),
            Column(name="responses", heading="Answers", kind="count"),
        ),
        rows=tuple(
            (
                pull.criterion,
                *(
                    ("percentage points", *in_hundredths(pull))
                    if isinstance(pull, SharePull)
                    else ("points", pull.estimate, bounds(pull.interval))
                ),
                pull.p,
                pull.p_adjusted,
                pull.n_responses,
            )
            for pull in pulls
        ),
        caption=f"What it adds to {' or '.join(what[kind] for kind in kinds)}: every output is "
        f"compared with itself at other places, and with what stood beside it. "
        f"Exploratory{beside}.",
    )


def _place_table(context: Context, criterion: str, part: Responses) -> Table:
    is_ranked = part.shape.name == "rankings"
    sums = reduced(part, place_rows(part), context.options)
    chances = by_chance(part) if is_ranked else {}
    rows = []
    for k, place in enumerate(sums.names):
        found: Result = (
            share(sums, k, what="share ranked first", **context.options.interval)
            if is_ranked
            else on_scale(mean(sums, k, **context.options.interval), context.asked.ends(criterion))
        )
        chance = (chances[float(place)],) if is_ranked else ()
        rows.append(
            (f"{place:g}", found.estimate, bounds(found.interval), *chance, found.n_responses)
        )
    called = context.asked.criterion(criterion).mean_name.capitalize()
    name, heading = ("first", "Ranked first") if is_ranked else ("mean", called)
    chance_column = (Column(name="by_chance", heading="By chance", kind="percent"),)
    return Table(
        id=f"order/places/{criterion}",
        title=f"By place on the screen: {criterion}",
        columns=(
            Column(name="place", heading="Place"),
            Column(name=name, heading=heading, kind="percent" if is_ranked else "number"),
            interval_column(context),
            *(chance_column if is_ranked else ()),
            Column(name="responses", heading="Answers", kind="count"),
        ),
        rows=tuple(rows),
        caption="As they stand: a place that had more of the good outputs looks better."
        + (" By chance: 1 in as many as were shown." if is_ranked else ""),
    )
