"""The options that say which comparisons are wanted, and how sure to be of them."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["BaselineOption", "ConfidenceOption", "CriterionOption"]

CriterionOption = Annotated[str | None, typer.Option(help="Only this criterion.")]
BaselineOption = Annotated[
    str | None,
    typer.Option(
        metavar="SYSTEM",
        help="Of a table: compare every other system with this one, and no others. A study names "
        "its own.",
    ),
]
ConfidenceOption = Annotated[
    float | None,
    typer.Option(help="The confidence of every interval; by default the study's, else 0.95."),
]
