"""What the items say: each system by category of item, and the items it does best and worst on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from jurybox.analysis.claims import without_interval
from jurybox.analysis.context import Context, bounds, interval_column
from jurybox.analysis.finding import Chapter, Column, Table
from jurybox.analysis.measure.groups import Figure, figure_of
from jurybox.analysis.measure.reduced import reduced
from jurybox.analysis.rating_tables import beyond_scale
from jurybox.results import Result, format_count
from jurybox.stats.clusters import THIS_ITEM
from jurybox.stats.means import mean
from jurybox.stats.scale_ends import on_scale
from jurybox.stats.shares import share
from jurybox.tally.extremes import extremes
from jurybox.tally.ratings import are_numbers, first_scores
from jurybox.tally.responses import Responses
from jurybox.tally.source import text

__all__ = ["EXTREMES", "Categories", "item_chapter"]

EXTREMES = "extremes"
"""The kind of table that names the items a system does best and worst on."""
ENDS = 2
"""How many items stand at each end."""
MOST_SYSTEMS = 24
"""Systems up to which items are looked at one by one."""
MOST_CATEGORIES = 12
"""Categories up to which each is shown."""

Categories = Mapping[str, Mapping[str, str]]
"""For each field of the items by which they differ, the category of each item."""


def item_chapter(context: Context, responses: Responses, categories: Categories) -> Chapter:
    """Tables alone: what is seen in parts of the items is exploratory, and no claim."""
    if not responses.has_item or not responses.systems:
        return Chapter()
    tables: list[Table] = []
    took: list[str] = []
    for criterion in responses.criteria:
        part = responses.of_criterion(criterion)
        if part.shape.name == "ratings":
            if not are_numbers(part):
                continue
            part = first_scores(part)
        figure = _figure(context, part, criterion)
        for field, of in categories.items():
            table, left_out = _by_category(context, part, figure, criterion, (field, of))
            tables += [] if table is None else [table]
            took += [left_out] if left_out else []
        if len(responses.systems) <= MOST_SYSTEMS:
            tables += _extremes(context, part, figure, criterion)
    return Chapter(tables=tuple(tables), took=tuple(dict.fromkeys(took)))


def _figure(context: Context, part: Responses, criterion: str) -> Figure:
    """A figure of each system; of votes its win rate rather than that of every pair."""
    if part.shape.name == "votes":
        from jurybox.tally.vote_rows import win_rows

        return Figure(what="win rate", rows=win_rows(), is_share=True)
    return figure_of(part, context.asked.criterion(criterion), context.asked.ends(criterion))


def _counted(part: Responses) -> str:
    """What the responses are called; of spans the outputs that somebody marked."""
    return "Marked outputs" if part.shape.name == "spans" else f"{part.shape.noun.capitalize()}s"


def _column(figure: Figure) -> Column:
    heading = figure.what[:1].upper() + figure.what[1:]
    if figure.is_share:
        return Column(name=heading.split()[0].lower(), heading=heading, kind="percent")
    return Column(name="mean", heading=heading, kind="number")


def _by_category(
    context: Context,
    part: Responses,
    figure: Figure,
    criterion: str,
    by: tuple[str, Mapping[str, str]],
) -> tuple[Table | None, str]:
    field, of = by
    ends = context.asked.ends(criterion)
    sizes = Counter(of.values())
    if len(sizes) < 2:
        return None, ""
    shown = [name for name, _ in sizes.most_common(MOST_CATEGORIES)]
    left_out = ""
    if len(shown) < len(sizes):
        left_out = f"{field}: results are shown of the {len(shown)} largest of "
        left_out += f"{format_count(len(sizes), 'category', 'categories')}"
    rows, found = [], []
    for category in sorted(shown):
        items = ", ".join(text(item) for item, name in of.items() if name == category)
        within = part.where(f"CAST(item AS VARCHAR) IN ({items})")
        for system, row, n in _figures(context, within, figure):
            rows.append((category, system, row.estimate, bounds(row.interval), n))
            found.append((f"{system} ({category})", row))
    table = Table(
        id=f"categories/{criterion}/{field}",
        title=f"By {field} of items: {criterion}",
        columns=(
            Column(name="category", heading=field[:1].upper() + field[1:]),
            Column(name="system", heading="System"),
            _column(figure),
            interval_column(context),
            Column(name="responses", heading=_counted(part), kind="count"),
        ),
        rows=tuple(rows),
        caption=" ".join(
            [
                "Exploratory: each interval is for its row alone and not adjusted for how many "
                "rows there are, and rows of one category share raters and items.",
                *_of_one_item([row for _, row in found]),
                *(() if figure.is_share else beyond_scale([row[3] for row in rows], ends)),
                *without_interval(found),
            ]
        ),
        limits=None if figure.is_share else ends,
    )
    return (table if rows else None), left_out


def _of_one_item(found: Sequence[Result]) -> Iterator[str]:
    """That a category of one item says nothing of others, where there is such a category."""
    if any(row.interval is not None and row.interval.generalizes_to == THIS_ITEM for row in found):
        yield "Where a category has one item, the interval holds on this item only."


def _figures(context: Context, part: Responses, figure: Figure) -> list[tuple[str, Result, int]]:
    """Each system with its figure and how many responses it rests on."""
    sums = reduced(part, figure.rows, context.options)
    made = []
    for k, system in enumerate(sums.names):
        found: Result = on_scale(mean(sums, k, **context.options.interval), figure.ends)
        if figure.is_share:
            found = share(sums, k, what=figure.what, **context.options.interval)
        made.append((str(system), found, int(sums.n[k])))
    return made


def _extremes(context: Context, part: Responses, figure: Figure, criterion: str) -> list[Table]:
    found = extremes(part, figure.rows, most=ENDS)
    if not found:
        return []
    high, low = ("best", "worst")
    if part.shape.name == "detections":
        high, low = ("most often called real", "least often called real")
    elif part.shape.name == "spans" or (
        not context.asked.criterion(criterion).higher and part.shape.name == "ratings"
    ):
        high, low = low, high
    rows = [
        (high if each.is_high else low, each.system, each.item, each.value, each.n)
        for each in found
    ]
    if high == "worst":
        rows.sort(key=lambda row: (row[1], row[0] == high))
    return [
        Table(
            id=f"{EXTREMES}/{criterion}",
            title=f"Items at the ends of each system: {criterion}",
            columns=(
                Column(name="end", heading="End"),
                Column(name="system", heading="System"),
                Column(name="item", heading="Item"),
                _column(figure),
                # Of a single output each rater's marks are one response.
                Column(
                    name="responses",
                    heading="Raters" if part.shape.name == "spans" else _counted(part),
                    kind="count",
                ),
            ),
            rows=tuple(rows),
            caption="Picked after the data, as examples: an item is at an end partly by luck, "
            "and is likely to be nearer the middle if it is judged again.",
        )
    ]
