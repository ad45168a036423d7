"""`jurybox metrics`: what can be measured without people, as a table for `analyze` and `report`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jurybox.cli.place import StudyArgument, study_directory
from jurybox.errors import InputError, OptionError

if TYPE_CHECKING:
    from jurybox.analysis.metric_rows import Measured
    from jurybox.analysis.overlap import Family

__all__ = ["metrics"]

FILE = "metrics.csv"


def metrics(
    study: StudyArgument = Path(),
    *,
    bleu: Annotated[bool, typer.Option("--bleu", help="BLEU, with sacreBLEU.")] = False,
    chrf: Annotated[bool, typer.Option("--chrf", help="chrF, with sacreBLEU.")] = False,
    rouge: Annotated[
        bool, typer.Option("--rouge", help="ROUGE-1, ROUGE-2 and ROUGE-L, with rouge-score.")
    ] = False,
    reference: Annotated[
        str | None, typer.Option(help="The field of the items that holds the reference text.")
    ] = None,
    field: Annotated[
        str | None,
        typer.Option(help="The text field of the outputs.", show_default="the only one"),
    ] = None,
    tokenize: Annotated[
        str, typer.Option(help="How BLEU finds words: 13a, intl, char, zh or none.")
    ] = "13a",
    features: Annotated[
        Path | None,
        typer.Option(
            help="A .npy file with the features of real outputs, a row each: FID, KID, precision "
            "and recall."
        ),
    ] = None,
    features_of: Annotated[
        list[str] | None,
        typer.Option(metavar="SYSTEM=FILE", help="The features of a system's outputs. Repeatable."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="For the rows drawn from large sets.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="The file to write.", show_default=f"{FILE} in the study directory"),
    ] = None,
) -> None:
    """Measure outputs without people: text against a reference, or features against real ones.

    Writes a table with a row per value, its interval where it has one, and how it was computed.
    'jurybox analyze' and 'jurybox report' compare it with people by --metrics.
    """
    from jurybox.analysis.metric_rows import to_columns
    from jurybox.results import show_text
    from jurybox.tally.write import write_table

    families = [name for name, asked in _families(bleu, chrf, rouge).items() if asked]
    if not families and features is None:
        raise OptionError(
            "Say what to measure: --bleu, --chrf or --rouge with --reference FIELD, or "
            "--features real.npy with --features-of SYSTEM=FILE."
        )
    path = out or (study.parent if study.name == "study.yaml" else study) / FILE
    _keep_others(path)
    rows: list[Measured] = []
    if families:
        rows += _texts(study, families, reference, field, tokenize)
    if features is not None or features_of:
        rows += _sets(study, features, features_of or [], seed)
    if not rows:
        raise InputError("No metric has a value, so nothing is written.")
    write_table(to_columns(rows), path)
    for line in _lines(rows):
        typer.echo(show_text(line))
    typer.echo(show_text(f"{path}: beside people with 'jurybox report {study} --metrics {path}'."))


def _families(bleu: bool, chrf: bool, rouge: bool) -> dict[Family, bool]:
    return {"bleu": bleu, "chrf": chrf, "rouge": rouge}


def _keep_others(path: Path) -> None:
    """Refuse to replace a table that this verb did not write."""
    from dataclasses import fields

    from jurybox.analysis.metric_rows import Measured

    if not path.is_file():
        return
    with path.open(encoding="utf-8", errors="replace") as file:
        heading = file.readline().strip()
    if heading != ",".join(each.name for each in fields(Measured)):
        raise InputError(f"{path}: there is another table of this name; write to one with --out.")


def _texts(
    study: Path, families: list[Family], reference: str | None, field: str | None, tokenize: str
) -> list[Measured]:
    from jurybox.analysis.overlap import overlap_metrics
    from jurybox.study import load_material, load_study

    if reference is None:
        raise OptionError(
            "--bleu, --chrf and --rouge compare with a reference: name the items' field with "
            "--reference FIELD."
        )
    loaded = load_study(study_directory(study))
    material = load_material(loaded)
    return overlap_metrics(
        loaded, material, families, reference=reference, field=field, tokenize=tokenize
    )


def _sets(study: Path, real: Path | None, named: list[str], seed: int) -> list[Measured]:
    from jurybox.analysis.api.features import feature_metrics
    from jurybox.analysis.metric_rows import from_features

    files: dict[str, str] = {}
    for each in named:
        system, equals, file = each.partition("=")
        if not equals or not system or not file:
            raise OptionError(f"--features-of takes SYSTEM=FILE; got {each!r}")
        files[system] = file
    if real is None or not files:
        raise OptionError(
            "--features names the real outputs' file and --features-of each system's: give both."
        )
    _check_systems(study, files)
    rows, said = from_features(feature_metrics(real, files, seed=seed), k=3)
    for sentence in said:
        typer.echo(sentence, err=True)
    return rows


def _check_systems(study: Path, named: dict[str, str]) -> None:
    """Names must be those of the study, if there is one."""
    directory = study.parent if study.name == "study.yaml" else study
    if not (directory / "study.yaml").is_file():
        return
    from jurybox.study import load_material, load_study

    known = load_material(load_study(directory)).systems
    for system in named:
        if system not in known:
            raise InputError(
                f"--features-of names {system!r}, and the study's systems are {', '.join(known)}."
            )


def _lines(rows: list[Measured]) -> list[str]:
    """A line per metric and system: its value, or the mean over outputs."""
    from jurybox.results import format_count, format_number

    means: dict[tuple[str, str], list[Measured]] = {}
    for row in rows:
        means.setdefault((row.metric, row.system), []).append(row)
    lines = []
    for (metric, system), own in means.items():
        value = format_number(sum(row.value for row in own) / len(own))
        more = "" if own[0].item is None else f", mean of {format_count(len(own), 'output')}"
        if own[0].low is not None:
            more = f" ({format_number(own[0].low)} to {format_number(own[0].high)})"
        lines.append(f"{metric}  {system}  {value}{more}")
    return lines
