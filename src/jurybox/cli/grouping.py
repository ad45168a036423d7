"""The options that name groups of raters and categories of items."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["ByOption", "CategoryOption"]

ByOption = Annotated[
    str | None,
    typer.Option(
        help="Where a rater's group is found: a column, or a question of the study's survey.",
        show_default="the column group, or the study's groups",
    ),
]
CategoryOption = Annotated[
    str | None,
    typer.Option(
        help="Where an item's category is found: a column, or a field of the study's items.",
        show_default="the column category, or the study's strata",
    ),
]
