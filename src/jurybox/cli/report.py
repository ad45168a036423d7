"""`jurybox report`: findings into pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from jurybox.cli.grouping import ByOption, CategoryOption
from jurybox.cli.judging import EpsilonOption, PanelOption
from jurybox.cli.metric_options import LowerOption, MetricsOption, metric_options
from jurybox.cli.narrowing import BaselineOption, ConfidenceOption, CriterionOption
from jurybox.cli.place import DatabaseOption, open_store, study_directory
from jurybox.cli.reading import Reading, print_formats, reads_tables

if TYPE_CHECKING:
    from jurybox.analysis import Analysis
    from jurybox.analysis.finding import Excluded
    from jurybox.report.fieldwork import Comment, Fieldwork
    from jurybox.store import Store
    from jurybox.study import Study
    from jurybox.study.guide import Guide
    from jurybox.study.material import Material

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
            help="Any of html, md, json, csv, latex, pdf, svg, png, or what an installed package "
            "adds, separated by commas.",
        ),
    ] = "html,md,json",
    font_path: Annotated[
        list[Path] | None,
        typer.Option(
            help="A folder with fonts for the PDF, for scripts that no font of the system shows.",
        ),
    ] = None,
    criterion: CriterionOption = None,
    baseline: BaselineOption = None,
    confidence: ConfidenceOption = None,
    by: ByOption = None,
    category: CategoryOption = None,
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
    seed: Annotated[int, typer.Option(min=0, help="The seed of everything that is drawn.")] = 0,
    database: DatabaseOption = None,
    *,
    reading: Reading,
) -> None:
    """Write the report of a study or of a table: the answer first, then what it rests on.

    A study is reported as raters answered it; what was edited since stands near the top. An older
    report in the same place is replaced, file by file.
    """
    from jurybox.report import write_report
    from jurybox.report.formats.known import writers
    from jurybox.report.said.words import say
    from jurybox.results import show_text

    if reading.from_ == "list":
        print_formats()
        return
    read = reading.of(source)
    formats = tuple(part.strip() for part in format_.split(",") if part.strip())
    if font_path and "pdf" not in formats:
        typer.echo("warning: --font-path is for the PDF, which --format does not name", err=True)
    writers(formats)  # what is analyzed for minutes need not be analyzed again
    study, guide, fieldwork = None, None, None
    told: dict[str, Any] = {"seed": seed, "by": by, "category": category}
    told |= {"criterion": criterion, "baseline": baseline, "confidence": confidence}
    told |= {"epsilon": epsilon, "panel": panel}
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
    from jurybox.errors import AnalysisError

    if not analysis.n_responses:
        typer.echo(
            f"warning: no response counts here, so nothing is compared with {path}", err=True
        )
        return analysis
    place = path.absolute()
    folder = place.parent if place.name == "study.yaml" else place
    try:
        return add_against(analysis, old, new, name=folder.name, database=database)
    except AnalysisError as error:
        raise AnalysisError(f"--against {path}: {error}") from None


def _what_is_left(study: Study) -> Material:
    """Items and outputs as far as they can be read; answers outlive the files they are about."""
    from jurybox.formats import format_count
    from jurybox.results import show_text
    from jurybox.study.material import check_material

    material, problems = check_material(study)
    errors = [str(problem) for problem in problems if problem.severity == "error"]
    if errors:
        more = f" ({format_count(len(errors) - 1, 'more such problem')})" if errors[1:] else ""
        typer.echo(show_text(f"warning: what is there is shown: {errors[0]}{more}"), err=True)
    return material


def _is_study(source: Path) -> bool:
    """Whether it is a study: a folder is one unless it is another tool's export."""
    if source.name == "study.yaml" or (source / "study.yaml").is_file():
        return True
    if not source.is_dir():
        return False
    from jurybox.tally.importers import importer_of

    return importer_of(source, None) is None


def _reasons(store: Store, study: Study) -> tuple[Comment, ...]:
    """What raters gave as reasons, where the study asks for any."""
    if all(criterion.reason is None for criterion in study.criteria.values()):
        return ()
    from jurybox.report.fieldwork.reasons import FIELDS, reasons_in

    tables = [store.table(shape, columns=FIELDS) for shape in sorted(store.shapes())]
    return reasons_in(study, tables)


def _study(
    directory: Path, database: str | None, told: Mapping[str, Any]
) -> tuple[Analysis, Study, Guide, Fieldwork]:
    from jurybox.analysis import analyze
    from jurybox.analysis.kept import kept_version
    from jurybox.analysis.raters.overview import look_at_raters
    from jurybox.cli.preregister import find_preregistration, with_preregistration
    from jurybox.cli.set_check import with_set
    from jurybox.report.documents import authored
    from jurybox.report.fieldwork import Fieldwork, comments_in, marked_in
    from jurybox.report.fieldwork.breaks import breaks_in
    from jurybox.report.fieldwork.nothing import analyzed_or_nothing
    from jurybox.report.fieldwork.survey import survey_in
    from jurybox.study import load_study
    from jurybox.study.guide import make_guide
    from jurybox.study.material import load_material

    study = load_study(directory)
    answers = authored.read_authored(directory / authored.FILE, study.criteria)
    with open_store(directory, database, create=False) as store:
        kept = kept_version(store, directory)
        sent = store.table("submissions")
        material = load_material(study) if not sent["id"] else _what_is_left(study)
        marked = marked_in(store.table("spans")) if study.protocol == "mark" else ()
        plan, versions = store.load_plan(), store.versions()
        told_of = survey_in(store.raters(), sent)
        # What the store keeps is what raters answered; the file may have been edited since.
        asked = study if kept is None else kept.study
        reasons = _reasons(store, asked)

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
        analysis = with_preregistration(analysis, directory, kept, versions, plan, sent, told)
    fixed = find_preregistration(directory)
    fieldwork = Fieldwork(
        material=material,
        material_hash=material.hash() if kept is None else kept.material_hash,
        plan=plan,
        comments=(*reasons, *comments_in(sent, plan)),
        marked=marked,
        breaks=None if plan is None else breaks_in(sent, plan.round),
        preregistration=None if isinstance(fixed, str) else fixed,
        survey=told_of,
        authored=answers,
    )
    return analysis, asked, make_guide(asked, material), fieldwork
