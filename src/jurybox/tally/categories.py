"""The category of each item, where a column of the table tells it."""

from __future__ import annotations

from dataclasses import dataclass

from jurybox.tally.responses import Responses

__all__ = ["ItemCategories", "item_categories"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemCategories:
    """The category of each item that has one; ``several``: an item that has more, if one does."""

    of: dict[str, str]
    several: str | None


def item_categories(responses: Responses) -> ItemCategories | None:
    """The categories; ``None`` where responses name no item or no category."""
    if "item_category" not in responses.columns or not responses.has_item:
        return None
    rows = responses.query(
        "SELECT CAST(item AS VARCHAR), min(item_category), count(DISTINCT item_category) "
        "FROM {r} WHERE item_category IS NOT NULL GROUP BY item ORDER BY 1"
    )
    return ItemCategories(
        of={item: category for item, category, _ in rows},
        several=next((item for item, _, n in rows if n > 1), None),
    )
