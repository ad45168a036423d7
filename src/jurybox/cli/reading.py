"""The options that say how a table is to be read, shared by the verbs that read tables."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from jurybox.errors import InputError
from jurybox.tally.mapping import mapped

__all__ = [
    "CountsOption",
    "DeriveOption",
    "FromOption",
    "JudgesOption",
    "LevelOption",
    "MapOption",
    "MappingOption",
    "OnlyOption",
    "RatersAnonymousOption",
    "RatersOption",
    "SaveMappingOption",
    "ScoresOption",
    "SetOption",
    "ShapeOption",
    "SystemsOption",
    "ValuesOption",
    "print_formats",
    "read_as",
]

PANEL = "Reading other tables"

MapOption = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="COLUMN=THEIRS",
        help="Which column of the table is what: score=rating, item=doc+seg_id. Repeatable.",
        rich_help_panel=PANEL,
    ),
]
ValuesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--values",
        metavar="COLUMN:THEIRS=OURS,…",
        help="What words mean: winner:left=a,right=b,draw=tie. Repeatable.",
        rich_help_panel=PANEL,
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="COLUMN=VALUE",
        help="What is the same in every row: system=SD. Repeatable.",
        rich_help_panel=PANEL,
    ),
]
LevelOption = Annotated[
    list[str] | None,
    typer.Option(
        "--level",
        metavar="[CRITERION=]LEVEL",
        help="Of measurement: nominal, ordinal, interval or ratio. Repeatable.",
        rich_help_panel=PANEL,
    ),
]
RatersOption = Annotated[
    list[str] | None,
    typer.Option(
        "--raters",
        metavar="COLUMNS",
        help="Columns with one rater's answers each: 'annotator*'.",
        rich_help_panel=PANEL,
    ),
]
JudgesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--judges",
        metavar="COLUMNS",
        help="Such columns of models that rate; without --raters, names of raters.",
        rich_help_panel=PANEL,
    ),
]
RatersAnonymousOption = Annotated[
    bool,
    typer.Option(
        "--raters-anonymous",
        help="Raters are positions: the first of one row is not the first of the next.",
        rich_help_panel=PANEL,
    ),
]
ScoresOption = Annotated[
    list[str] | None,
    typer.Option(
        "--scores",
        metavar="COLUMNS",
        help="Columns with one criterion's scores each: 'human_*'.",
        rich_help_panel=PANEL,
    ),
]
SystemsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--systems",
        metavar="COLUMNS",
        help="Columns with one system's scores each; with --shape rankings, ranks.",
        rich_help_panel=PANEL,
    ),
]
CountsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--counts",
        metavar="ANSWER=COLUMN,…",
        help="Columns that count how often an answer was given: a=wins,b=losses.",
        rich_help_panel=PANEL,
    ),
]
DeriveOption = Annotated[
    list[str] | None,
    typer.Option(
        "--derive",
        metavar="NAME=RULE(PARTS)",
        help="A criterion made of others: overall='geometric_mean(SC, PR)'. Repeatable.",
        rich_help_panel=PANEL,
    ),
]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        metavar="COLUMN=VALUE,…",
        help="Read only these rows: system=SD,SDXL. Repeatable.",
        rich_help_panel=PANEL,
    ),
]
ShapeOption = Annotated[
    str | None,
    typer.Option(
        "--shape",
        help="ratings, votes, rankings, detections or spans; by default recognized.",
        rich_help_panel=PANEL,
    ),
]
FromOption = Annotated[
    str | None,
    typer.Option(
        "--from",
        metavar="FORMAT",
        help="Another tool's format, by default recognized; 'list' shows them.",
        rich_help_panel=PANEL,
    ),
]
MappingOption = Annotated[
    Path | None,
    typer.Option("--mapping", help="A mapping.yaml with all of this.", rich_help_panel=PANEL),
]
SaveMappingOption = Annotated[
    Path | None,
    typer.Option(
        "--save-mapping", help="Write these options to a mapping.yaml.", rich_help_panel=PANEL
    ),
]


def print_formats() -> None:
    """The formats of other tools, a line each."""
    from jurybox.tally.importers import FORMATS

    width = max(map(len, FORMATS))
    for name, words in FORMATS.items():
        sys.stdout.write(f"{name:<{width}}  {words}\n")


def read_as(
    source: Any,
    *,
    map_: Sequence[str] | None = None,
    values: Sequence[str] | None = None,
    set_: Sequence[str] | None = None,
    level: Sequence[str] | None = None,
    raters: Sequence[str] | None = None,
    judges: Sequence[str] | None = None,
    raters_anonymous: bool = False,
    scores: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    counts: Sequence[str] | None = None,
    derive: Sequence[str] | None = None,
    only: Sequence[str] | None = None,
    shape: str | None = None,
    from_: str | None = None,
    mapping: Path | None = None,
    save_mapping: Path | None = None,
) -> Any:
    """The source with what the options say of it; by itself where they say nothing."""
    plain: dict[str, Any] = {
        "map": _pairs("--map", map_),
        "values": _values(values),
        "set": _pairs("--set", set_),
        "level": _levels(level),
        "raters": _listed(raters),
        "judges": _listed(judges),
        "raters_anonymous": raters_anonymous or None,
        "scores": _listed(scores),
        "systems": _listed(systems),
        "counts": _pairs("--counts", [p for each in counts or () for p in each.split(",")]),
        "derive": _pairs("--derive", derive),
        "only": {
            column: [part.strip() for part in values.split(",")]
            for column, values in _pairs("--only", only).items()
        },
        "shape": shape,
        "from": from_,
    }
    given = {key: value for key, value in plain.items() if value}
    read = mapped(source, mapping, **given)
    if read.mapping.importer is not None:
        from jurybox.tally.importers import check_format

        check_format(read.mapping.importer)
    if save_mapping is not None:
        from jurybox.tally.mapping_file import save_mapping as save

        save(read.mapping, save_mapping)
    return read if not read.mapping.is_empty else source


def _pairs(option: str, words: Sequence[str] | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in words or ():
        name, equals, value = each.partition("=")
        if not equals or not name.strip():
            raise InputError(f"{option} takes NAME=WHAT; got {each!r}")
        found[name.strip()] = value.strip()
    return found


def _values(words: Sequence[str] | None) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for each in words or ():
        column, colon, rest = each.partition(":")
        if not colon or "=" not in rest:
            raise InputError(f"--values takes COLUMN:THEIRS=OURS,THEIRS=OURS; got {each!r}")
        found.setdefault(column.strip(), {}).update(_pairs("--values", rest.split(",")))
    return found


def _levels(words: Sequence[str] | None) -> Any:
    each = [word for word in words or () if "=" not in word]
    named = _pairs("--level", [word for word in words or () if "=" in word])
    if len(each) > 1:
        raise InputError(f"--level takes one level for all criteria; got {' and '.join(each)}")
    if not named:
        return each[0] if each else None
    return {**({"*": each[0]} if each else {}), **named}


def _listed(words: Sequence[str] | None) -> list[str]:
    return [part.strip() for each in words or () for part in each.split(",") if part.strip()]
