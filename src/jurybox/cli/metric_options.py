"""The options that set automatic metrics beside people, of `analyze` and of `report`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from jurybox.cli.reading import listed
from jurybox.errors import OptionError

__all__ = ["LowerOption", "MetricsOption", "metric_options"]

MetricsOption = Annotated[
    str | None,
    typer.Option(
        help="A table of automatic metrics to compare with people: item, system and a column "
        "per metric, or what 'jurybox metrics' wrote; the table of ratings itself, if it holds "
        "them."
    ),
]
LowerOption = Annotated[
    list[str] | None,
    typer.Option(metavar="METRICS", help="Metrics for which less is better: fid,wer. Repeatable."),
]


def metric_options(
    metrics: str | None, lower: Sequence[str] | None, read: Mapping[str, Any]
) -> dict[str, Any]:
    """What ``analyze`` takes; ``read`` has tables of responses by name, with their mapping."""
    if lower and metrics is None:
        raise OptionError(
            "--lower-is-better says something of metrics: name their table, --metrics"
        )
    # A table that holds people's scores and metrics is read by one mapping.
    table = None if metrics is None else read.get(metrics, metrics)
    return {"metrics": table, "lower_is_better": listed(lower)}
