"""``jurybox new``: a complete study to start from, by template or from a table of outputs."""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jurybox.errors import InputError

if TYPE_CHECKING:
    from jurybox.study.templates import Template

__all__ = ["new"]


def new(
    directory: Annotated[
        Path | None,
        typer.Argument(help="Where to write the study: a directory that is new or empty."),
    ] = None,
    *,
    template: Annotated[
        str | None, typer.Option("--template", "-t", help="The template to start from.")
    ] = None,
    three_point: Annotated[
        bool,
        typer.Option("--three-point", help="For imagenhub/…: the published scale 0, 0.5, 1."),
    ] = False,
    from_table: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="Your outputs: a table, or a folder with a table or a folder of files per system.",
        ),
    ] = None,
    list_them: Annotated[bool, typer.Option("--list", help="Show every template.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="With --list: print JSON, for scripts.")
    ] = False,
) -> None:
    """Write a new study: complete, commented and runnable.

    Start from a template (`jurybox new --list` shows them) or from your own outputs
    (`jurybox new DIR --from outputs.csv`); what was taken for what is printed.
    """
    if list_them:
        _list(as_json=as_json)
        return
    if as_json:
        raise typer.BadParameter("--json goes with --list.", param_hint="--json")
    if directory is None:
        raise typer.BadParameter("name a directory for the new study.", param_hint="DIRECTORY")
    if (template is None) == (from_table is None):
        raise typer.BadParameter(
            "give either --template NAME (`jurybox new --list` shows them) or --from TABLE."
        )
    if template is not None:
        _from_template(template, directory, three_point=three_point)
    elif from_table is not None:
        if three_point:
            raise typer.BadParameter("it goes with --template.", param_hint="--three-point")
        _from_table(from_table, directory)
    typer.echo(f"Next: jurybox check {shlex.quote(str(directory))}")


def _from_template(name: str, directory: Path, *, three_point: bool) -> None:
    from jurybox.study.templates import write_template

    write_template(name, directory, three_point=three_point)
    variant = ", three points" if three_point else ""
    typer.echo(f"Wrote {directory}/study.yaml from the template {name}{variant}.")


def _from_table(source: Path, directory: Path) -> None:
    from jurybox.study.from_table import study_from_table, write_study_from_table
    from jurybox.study.templates import make_empty

    if not source.exists():
        raise InputError(f"{source} does not exist; --from takes a table or a folder of outputs.")
    # What can be wrong with the table is found before the directory is made.
    study_from_table(source)
    make_empty(directory)
    _, took = write_study_from_table(source, directory)
    for sentence in took:
        typer.echo(sentence)
    typer.echo(
        f"Wrote {directory}/study.yaml from {source}. It asks a general question: say in it what "
        "raters should judge (criteria, instructions) and how many answer each trial "
        "(design.overlap)."
    )


def _list(*, as_json: bool) -> None:
    from jurybox.study.templates import list_templates

    templates = list_templates()
    if as_json:
        typer.echo(json.dumps([asdict(template) for template in templates], indent=2))
        return
    _print_table(templates)


def _print_table(templates: tuple[Template, ...]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("Template", "Protocol", "Shows", "What is asked"):
        table.add_column(heading, no_wrap=heading != "What is asked")
    for template in templates:
        table.add_row(template.name, template.protocol, template.medium, template.summary)
    console = Console()
    console.print(table)
    console.print(
        "\nTemplates under imagenhub/ ask for consistency and realism on 0, 0.5, 1, 2, or with "
        "--three-point on the published 0, 0.5, 1."
    )
