"""What `analyze` and `report` are told of judges beyond the study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from jurybox.stats.judges.panels import PanelRule

__all__ = ["EpsilonOption", "PanelOption", "panel_of"]

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
        help="All judges together as one more: majority, mean, or weighted by agreement with "
        "people.",
        show_default="the study's",
    ),
]


def panel_of(rule: str | None) -> PanelRule | None:
    """The rule of a panel, where one is asked for."""
    if rule is None:
        return None
    from jurybox.stats.judges.panels import check_panel

    return check_panel(rule)
