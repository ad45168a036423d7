"""`jurybox report`: findings into pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from jurybox.cli.judging import EpsilonOption, PanelOption
from jurybox.cli.metric_options import LowerOption, MetricsOption, metric_options
from jurybox.cli.place import DatabaseOption, open_store, study_directory
from jurybox.cli.reading import Reading, print_formats, reads_tables

if TYPE_CHECKING:
    from jurybox.analysis import Analysis
    from jurybox.analysis.finding import Excluded
    from jurybox.report.fieldwork import Fieldwork
    from jurybox.study import Study
    from jurybox.study.guide import Guide

__all__ = ["report"]


@reads_tables
def report(
    source: Annotated[
        Path,
        typer.Argument(
            help="A study directory, its study.yaml, a table of responses (CSV, Parquet, …) or "
            "another tool's export.",
            show_default="here",
        ),
    ] = Path(),
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="The directory to write to.",
            show_default="report in the study directory; NAME-report beside a table NAME.csv",
        ),
    ] = None,
    format_: Annotated[
        str,
        typer.Option(
            "--format",
            help="Any of html, md, json, csv, latex, pdf, svg, png, separated by commas.",
        ),
    ] = "html,md,json",
    font_path: Annotated[
        list[Path] | None,
        typer.Option(
            help="A folder with fonts for the PDF, for scripts that no font of the system shows.",
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            help="Where a rater's group is found: a column, or a question of the study's survey.",
            show_default="the column group, or the study's groups",
        ),
    ] = None,
    epsilon: EpsilonOption = None,
    panel: PanelOption = None,
    metrics: MetricsOption = None,
    lower_is_better: LowerOption = None,
    against: Annotated[
        Path | None,
        typer.Option(
            help="An older round to compare with, a study or a table: what moved since, as a "
            "section of its own.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="The seed of everything that is drawn.")] = 0,
    database: DatabaseOption = None,
    *,
    reading: Reading,
) -> None:
    """Write the report of a study or of a table: the answer first, then what it rests on.

    A study is reported as raters answered it; what was edited since stands near the top.
    """
    from jurybox.report import write_report
    from jurybox.report.words import say
    from jurybox.results import show_text

    if reading.from_ == "list":
        print_formats()
        return
    read = reading.of(source)
    formats = tuple(part.strip() for part in format_.split(",") if part.strip())
    study, guide, fieldwork = None, None, None
    told: dict[str, Any] = {"seed": seed, "by": by, "epsilon": epsilon, "panel": panel}
    told |= metric_options(metrics, lower_is_better, {str(source): read})
    if read is source and _is_study(source):
        directory = study_directory(source)
        analysis, study, guide, fieldwork = _study(directory, database, told)
        folder = out or directory / "report"
    else:
        from jurybox.analysis import analyze

        # A table has no title of its own; its name tells one report from another.
        analysis = replace(analyze(read, **told), title=source.resolve().name)
        folder = out or source.parent / f"{source.stem}-report"
    if against is not None:
        analysis = _compared(analysis, reading.of(against), against, read, database)
    paths = write_report(
        analysis,
        folder,
        study=study,
        guide=guide,
        fieldwork=fieldwork,
        formats=formats,
        font_paths=font_path or (),
        warn=lambda sentence: typer.echo(show_text(f"warning: {sentence}"), err=True),
    )
    reading.save(source)
    typer.echo(show_text(say(analysis)))
    for path in paths:
        typer.echo(f"  {path}")


def _compared(analysis: Analysis, old: Any, path: Path, new: Any, database: str | None) -> Analysis:
    """The analysis with what moved since an older round."""
    from jurybox.analysis.against import add_against

    if not analysis.n_responses:
        return analysis
    place = path.absolute()
    folder = place.parent if place.name == "study.yaml" else place
    return add_against(analysis, old, new, name=folder.name, database=database)


def _is_study(source: Path) -> bool:
    """Whether it is a study: a folder is one unless it is another tool's export."""
    if source.name == "study.yaml" or (source / "study.yaml").is_file():
        return True
    if not source.is_dir():
        return False
    from jurybox.tally.importers import importer_of

    return importer_of(source, None) is None


def _study(
    directory: Path, database: str | None, told: Mapping[str, Any]
) -> tuple[Analysis, Study, Guide, Fieldwork]:
    from jurybox.analysis import analyze
    from jurybox.analysis.kept import kept_version
    from jurybox.analysis.raters.overview import look_at_raters
    from jurybox.cli.preregister import find_preregistration, with_preregistration
    from jurybox.cli.set_check import with_set
    from jurybox.report.breaks import breaks_in
    from jurybox.report.fieldwork import Fieldwork, comments_in, marked_in
    from jurybox.report.nothing import analyzed_or_nothing
    from jurybox.study import load_study
    from jurybox.study.guide import make_guide
    from jurybox.study.material import load_material

    study = load_study(directory)
    material = load_material(study)
    with open_store(directory, database, create=False) as store:
        kept = kept_version(store, directory)
        sent = store.table("submissions")
        marked = marked_in(store.table("spans")) if study.protocol == "mark" else ()
        plan = store.load_plan()
    # What the store keeps is what raters answered; the file may have been edited since.
    asked = study if kept is None else kept.study

    def left_out() -> tuple[Excluded, ...]:
        with open_store(directory, database, create=False) as store:
            return look_at_raters(store, study=study, material=material).excluded

    analysis = analyzed_or_nothing(
        lambda: analyze(directory, study=study, material=material, database=database, **told),
        asked,
        material,
        sent=sent,
        left_out=left_out,
    )
    analysis = with_set(analysis, asked, material, plan)
    if kept is not None:
        analysis = with_preregistration(analysis, directory, kept.snapshot, plan, sent)
    fixed = find_preregistration(directory)
    fieldwork = Fieldwork(
        material=material,
        plan=plan,
        comments=comments_in(sent, plan),
        marked=marked,
        breaks=None if plan is None else breaks_in(sent, plan.round),
        preregistration=None if isinstance(fixed, str) else fixed,
    )
    return analysis, asked, make_guide(asked, material), fieldwork
