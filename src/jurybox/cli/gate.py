"""``jurybox gate``: conditions for a release, each shown, shown false or left open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from jurybox.cli.conditions import TAKES, read_conditions, show_gate
from jurybox.cli.place import DatabaseOption
from jurybox.cli.reading import Reading, print_formats, reads_tables
from jurybox.errors import OptionError

if TYPE_CHECKING:
    from jurybox.stats.clusters import Cluster, Generalize

__all__ = ["gate"]

CONDITIONS = "Conditions, each followed by its threshold"
THRESHOLDS = "Thresholds"


def _condition(option: str, what: str) -> Any:
    return typer.Option(
        option, metavar=" ".join(TAKES[option]), help=what, rich_help_panel=CONDITIONS
    )


def _threshold(option: str, metavar: str, what: str) -> Any:
    return typer.Option(option, metavar=metavar, help=what, rich_help_panel=THRESHOLDS)


@reads_tables
def gate(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SOURCE",
            help="A study directory, or tables of responses, as 'analyze' takes them. By default "
            "the study in the current directory.",
        ),
    ] = None,
    *,
    win_rate: Annotated[
        list[str] | None,
        _condition("--win-rate", "How often SYSTEM wins against OTHER; ties count half."),
    ] = None,
    mean: Annotated[
        list[str] | None,
        _condition("--mean", "The mean score, or error points, of SYSTEM on CRITERION."),
    ] = None,
    pass_rate: Annotated[
        list[str] | None,
        _condition("--pass-rate", "How often SYSTEM reaches the pass mark of CRITERION."),
    ] = None,
    fooling_rate: Annotated[
        list[str] | None,
        _condition("--fooling-rate", "How often outputs of SYSTEM are taken for real."),
    ] = None,
    difference: Annotated[
        list[str] | None,
        _condition("--difference", "The mean of SYSTEM minus that of OTHER, within items."),
    ] = None,
    above: Annotated[
        str | None,
        _threshold("--above", "X", "The whole one-sided interval must lie above X; 0.5 is 50%."),
    ] = None,
    below: Annotated[
        str | None, _threshold("--below", "X", "The whole one-sided interval must lie below X.")
    ] = None,
    non_inferior: Annotated[
        str | None,
        _threshold(
            "--non-inferior",
            "MARGIN",
            "After --difference or --win-rate: SYSTEM is worse by less than MARGIN.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write everything as strict, versioned JSON.")
    ] = False,
    criterion: Annotated[
        str | None,
        typer.Option(help="The criterion of win rates and fooling rates, where there are several."),
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(
            help="The one-sided confidence of all conditions together; by default the study's, "
            "else 0.95."
        ),
    ] = None,
    cluster: Annotated[
        str, typer.Option(help="Cluster intervals by both, rater, item or none.")
    ] = "both",
    generalize: Annotated[
        str,
        typer.Option(
            help="Whom it must hold for: raters+items like these, or items (with these raters)."
        ),
    ] = "raters+items",
    database: DatabaseOption = None,
    reading: Reading,
) -> None:
    """Decide a release: pass only if the whole one-sided interval is on the right side.

    Each condition is followed by its threshold: '--win-rate new old --above 0.5
    --mean new fluency --above 4'. Several hold at once, each at 1 − α/m (Bonferroni).

    Exit codes: 0 all shown, 1 one shown false, 3 undecided or undefined, 2 wrong usage or input.
    """
    from jurybox.analysis.gate import judge

    del above, below, non_inferior  # read with their conditions, by join_conditions
    if reading.from_ == "list":
        print_formats()
        return
    clusters: dict[str, Cluster] = {"both": "both", "rater": "rater", "item": "item", "none": None}
    if cluster not in clusters:
        raise OptionError(f"--cluster must be both, rater, item or none; got {cluster!r}")
    claims: dict[str, Generalize] = {"raters+items": "raters+items", "items": "items"}
    if generalize not in claims:
        raise OptionError(f"--generalize must be raters+items or items; got {generalize!r}")
    given = dict(zip(TAKES, (win_rate, mean, pass_rate, fooling_rate, difference), strict=True))
    conditions = read_conditions({option: values or () for option, values in given.items()})
    named = sources or ["."]
    source = list(named) if len(named) > 1 else named[0]
    made = judge(
        reading.of(source),
        conditions,
        criterion=criterion,
        confidence=confidence,
        cluster=clusters[cluster],
        generalize=claims[generalize],
        database=database,
    )
    reading.save(source)
    show_gate(made, as_json=as_json)
    raise typer.Exit(made.exit_code)
