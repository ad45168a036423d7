"""What `analyze` and `report` are told of judges beyond the study."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["EpsilonOption", "PanelOption"]

EpsilonOption = Annotated[
    float | None,
    typer.Option(
        help="What a judge's being cheap is worth in the alternative-annotator test: 0.2 beside "
        "experts, 0.1 beside a crowd.",
        show_default="the study's",
    ),
]
PanelOption = Annotated[
    str | None,
    typer.Option(
        help="All judges as one more: majority, mean, or weighted by agreement with people.",
        show_default="the study's",
    ),
]
