"""``jurybox guidelines``: the rater's guide of a study, to print, send or put on a page."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from jurybox.cli.place import StudyArgument
from jurybox.errors import InputError

__all__ = ["guidelines"]


class Format(StrEnum):
    """The forms of the guide."""

    md = "md"
    html = "html"


def guidelines(
    study: StudyArgument = Path("."),
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The directory to write to; by default the study's."),
    ] = None,
    formats: Annotated[
        list[Format] | None,
        typer.Option("--format", "-f", help="md, html or both; by default both."),
    ] = None,
) -> None:
    """Write the rater's guide as guide.md and as guide.html, one file that needs nothing else.

    It holds the instructions, what to look for, every criterion with its anchors and examples,
    worked cases with scores and reasons, how to skip, and the keys.
    """
    from jurybox.screen.guide import guide_html, guide_markdown
    from jurybox.study import load_material, load_study
    from jurybox.study.guide import make_guide

    loaded = load_study(study)
    guide = make_guide(loaded, load_material(loaded))
    directory = out or loaded.directory or Path(".")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for form in dict.fromkeys(formats or Format):
            path = directory / f"guide.{form}"
            text = (
                guide_html(guide) if form is Format.html else guide_markdown(guide, base=directory)
            )
            path.write_text(text, encoding="utf-8")
            typer.echo(str(path))
    except OSError as error:
        raise InputError(f"{directory}: the guide cannot be written: {error.strerror}.") from None
