"""Whether the items are a spread: enough categories, of like size, and not all equally hard."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from jurybox.design.set_checks.check import SetCheck
from jurybox.results import format_count, format_number, format_percent

if TYPE_CHECKING:
    from jurybox.study import Study
    from jurybox.study.material import Material

__all__ = ["check_categories", "check_difficulty"]

CATEGORY_FIELDS = ("category", "topic", "domain", "genre", "subject", "type")
"""Where the study stratifies by nothing, the first of these that the items have."""
FEWEST = 5
"""Fewer categories are said to be few."""
MOST_UNEVEN = 3.0
"""The largest category may have so many times the items of the smallest."""
LEAST_SD = 0.5
"""Of difficulty on a scale such as 1 to 5; where it goes from 0 to 1, the same part of that."""
SHARE_SD = LEAST_SD / 4


def check_categories(study: Study, material: Material) -> Iterator[SetCheck]:
    """How many categories there are, and how uneven they are, for each column that has some."""
    columns = study.design.stratify or _named(material)
    if not columns:
        reason = (
            "no column holds the category: name one in design.stratify, or call it "
            f"{', '.join(CATEGORY_FIELDS[:-1])} or {CATEGORY_FIELDS[-1]}"
        )
        yield SetCheck(id="categories", about="Categories", figure=None, undefined=reason)
        return
    for column in columns:
        values = [item.fields.get(column) for item in material.items.values()]
        counts = Counter(str(value) for value in values if value not in (None, ""))
        yield _check_number(column, counts)
        yield _check_evenness(column, counts)


def _named(material: Material) -> tuple[str, ...]:
    for wanted in CATEGORY_FIELDS:
        for item in material.items.values():
            for name in item.fields:
                if name.casefold() == wanted:
                    return (name,)
    return ()


def _check_number(column: str, counts: Counter[str]) -> SetCheck:
    n = len(counts)
    what = format_count(n, "category", "categories")
    return SetCheck(
        id=f"categories/{column}",
        about=f"Categories in the field {column}",
        figure=float(n),
        shown=what,
        warns=n < FEWEST,
        sentence=f"The items come from {what} in the field {column}, fewer than {FEWEST}.",
        bias="The results speak for few kinds of items: a system that suits these looks better "
        "than it is elsewhere.",
        n_items=counts.total(),
    )


def _check_evenness(column: str, counts: Counter[str]) -> SetCheck:
    id, about = f"category_sizes/{column}", f"Sizes of the categories in {column}"
    if len(counts) < 2:
        reason = "there are no two categories to compare"
        return SetCheck(id=id, about=about, figure=None, undefined=reason)
    total = counts.total()
    (large, most), (small, fewest) = counts.most_common()[0], counts.most_common()[-1]
    shares = (
        f"{large} is {format_percent(most / total)} of the items, "
        f"{small} {format_percent(fewest / total)}"
    )
    return SetCheck(
        id=id,
        about=about,
        figure=most / fewest,
        shown=(
            "all alike"
            if most == fewest
            else f"largest {format_number(most / fewest, 1)} times the smallest"
        ),
        warns=most > MOST_UNEVEN * fewest,
        sentence=f"The categories in the field {column} are uneven: {shares}.",
        bias=f"A mean over items speaks mostly for {large}; what happens on {small} hardly shows.",
        n_items=total,
    )


def check_difficulty(material: Material) -> SetCheck:
    """The standard deviation of the items' difficulty."""
    id, about = "difficulty", "Spread of difficulty"
    values = [
        value
        for item in material.items.values()
        for name, value in item.fields.items()
        if name.casefold() == "difficulty" and value not in (None, "")
    ]
    numbers = [number for number in map(_number, values) if number is not None]
    if len(numbers) < max(2, len(values)):
        reason = (
            "no column is called difficulty"
            if not values
            else "difficulty holds words that are no numbers"
            if len(numbers) < len(values)
            else "one item has no spread"
        )
        return SetCheck(id=id, about=about, figure=None, undefined=reason)
    is_share = all(0 <= number <= 1 for number in numbers)
    least = SHARE_SD if is_share else LEAST_SD
    sd = statistics.stdev(numbers)
    return SetCheck(
        id=id,
        about=about,
        figure=sd,
        shown=f"standard deviation {format_number(sd, 2)}",
        warns=sd < least,
        sentence=f"The items are about equally hard: the standard deviation of difficulty is "
        f"{format_number(sd, 2)}, below {least:g}.",
        bias="Items of one difficulty can put all systems at the floor or at the ceiling, and "
        "differences on easier or harder items stay unseen.",
        n_items=len(numbers),
    )


def _number(value: Any) -> float | None:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None
