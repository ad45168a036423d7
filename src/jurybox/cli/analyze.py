"""``jurybox analyze``: what responses say, in the terminal or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from jurybox.cli.grouping import ByOption, CategoryOption
from jurybox.cli.judging import EpsilonOption, PanelOption, panel_of
from jurybox.cli.metric_options import LowerOption, MetricsOption, metric_options
from jurybox.cli.narrowing import BaselineOption, ConfidenceOption, CriterionOption
from jurybox.cli.place import DatabaseOption
from jurybox.cli.reading import Reading, print_formats, reads_tables
from jurybox.cli.show import show
from jurybox.errors import OptionError

if TYPE_CHECKING:
    from jurybox.stats.clusters import Cluster

__all__ = ["analyze"]


@reads_tables
def analyze(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SOURCE",
            help="A study directory, or tables of responses: CSV, TSV, JSON, JSONL, Parquet, "
            "globs, another tool's export. By default the study in the current directory.",
        ),
    ] = None,
    *,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write everything as strict, versioned JSON.")
    ] = False,
    metrics: MetricsOption = None,
    lower_is_better: LowerOption = None,
    criterion: CriterionOption = None,
    baseline: BaselineOption = None,
    confidence: ConfidenceOption = None,
    cluster: Annotated[
        str, typer.Option(help="Cluster intervals by both, rater, item or none.")
    ] = "both",
    by: ByOption = None,
    category: CategoryOption = None,
    epsilon: EpsilonOption = None,
    panel: PanelOption = None,
    seed: Annotated[int, typer.Option(min=0, help="For intervals by resampling.")] = 0,
    everything: Annotated[
        bool, typer.Option("--all", help="Print every table and every sentence.")
    ] = False,
    database: DatabaseOption = None,
    reading: Reading,
) -> None:
    """Say what responses show, with honest intervals, and what they do not.

    A study is analyzed as raters answered it; what was edited since is listed under "Keep in mind".

    A table of other columns needs options, such as '--map score=rating';
    what is not understood is refused with the options that may read it.
    """
    from jurybox.analysis import analyze as run

    if reading.from_ == "list":
        print_formats()
        return
    clusters: dict[str, Cluster] = {"both": "both", "rater": "rater", "item": "item", "none": None}
    if cluster not in clusters:
        raise OptionError(f"--cluster must be both, rater, item or none; got {cluster!r}")
    given = _source(sources or ["."])
    source = reading.of(given)
    analysis = run(
        source,
        criterion=criterion,
        baseline=baseline,
        confidence=confidence,
        cluster=clusters[cluster],
        seed=seed,
        database=database,
        by=by,
        category=category,
        epsilon=epsilon,
        panel=panel_of(panel),
        **metric_options(metrics, lower_is_better, dict.fromkeys(sources or (), source)),
    )
    reading.save(given)
    show(analysis, as_json=as_json, everything=everything)


def _source(sources: list[str]) -> str | list[str]:
    return list(sources) if len(sources) > 1 else sources[0]
