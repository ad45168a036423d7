"""The options that say how a table is to be read, shared by the verbs that read tables."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from jurybox.errors import OptionError
from jurybox.tally.mapping import Mapped, mapped

__all__ = ["Reading", "listed", "print_formats", "reads_tables"]

PANEL = "Reading other tables"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How a table is to be read: each field is an option of every verb that reads tables."""

    map_: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="COLUMN=THEIRS",
            help="Which column of the table is what: score=rating, item=doc+seg_id. Repeatable.",
            rich_help_panel=PANEL,
        ),
    ] = None
    values: Annotated[
        list[str] | None,
        typer.Option(
            "--values",
            metavar="COLUMN:THEIRS=OURS,…",
            help="What words mean: winner:left=a,right=b,draw=tie. Repeatable.",
            rich_help_panel=PANEL,
        ),
    ] = None
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="COLUMN=VALUE",
            help="A value that is the same in every row: system=SD. Repeatable.",
            rich_help_panel=PANEL,
        ),
    ] = None
    level: Annotated[
        list[str] | None,
        typer.Option(
            "--level",
            metavar="[CRITERION=]LEVEL",
            help="The level of measurement: nominal, ordinal, interval or ratio. Repeatable.",
            rich_help_panel=PANEL,
        ),
    ] = None
    scale: Annotated[
        list[str] | None,
        typer.Option(
            "--scale",
            metavar="[CRITERION=]VALUES",
            help="The values of the scale, 1,2,3,4,5, or its ends, 0..100. Repeatable.",
            rich_help_panel=PANEL,
        ),
    ] = None
    raters: Annotated[
        list[str] | None,
        typer.Option(
            "--raters",
            metavar="COLUMNS",
            help="Columns that each hold one rater's answers: 'annotator*'.",
            rich_help_panel=PANEL,
        ),
    ] = None
    judges: Annotated[
        list[str] | None,
        typer.Option(
            "--judges",
            metavar="COLUMNS",
            help="Columns that each hold one model's answers; without --raters, names of raters.",
            rich_help_panel=PANEL,
        ),
    ] = None
    raters_anonymous: Annotated[
        bool,
        typer.Option(
            "--raters-anonymous",
            help="The columns are positions: the first of one row need not be that of the next.",
            rich_help_panel=PANEL,
        ),
    ] = False
    scores: Annotated[
        list[str] | None,
        typer.Option(
            "--scores",
            metavar="COLUMNS",
            help="Columns that each hold one criterion's scores: 'human_*'.",
            rich_help_panel=PANEL,
        ),
    ] = None
    systems: Annotated[
        list[str] | None,
        typer.Option(
            "--systems",
            metavar="COLUMNS",
            help="Columns that each hold one system's scores; with --shape rankings, its ranks.",
            rich_help_panel=PANEL,
        ),
    ] = None
    counts: Annotated[
        list[str] | None,
        typer.Option(
            "--counts",
            metavar="ANSWER=COLUMN,…",
            help="Columns that count how often an answer was given: a=wins,b=losses.",
            rich_help_panel=PANEL,
        ),
    ] = None
    derive: Annotated[
        list[str] | None,
        typer.Option(
            "--derive",
            metavar="NAME=RULE(PARTS)",
            help="A criterion made of others: overall='geometric_mean(SC, PR)'. Repeatable.",
            rich_help_panel=PANEL,
        ),
    ] = None
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="COLUMN=VALUE,…",
            help="Read only these rows: system=SD,SDXL. Repeatable.",
            rich_help_panel=PANEL,
        ),
    ] = None
    shape: Annotated[
        str | None,
        typer.Option(
            "--shape",
            help="ratings, votes, rankings, detections or spans, if it is not recognized.",
            rich_help_panel=PANEL,
        ),
    ] = None
    from_: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FORMAT",
            help="Another tool's format, if it is not recognized; 'list' shows them.",
            rich_help_panel=PANEL,
        ),
    ] = None
    mapping: Annotated[
        Path | None,
        typer.Option(
            "--mapping", help="Read these options from a mapping.yaml.", rich_help_panel=PANEL
        ),
    ] = None
    save_mapping: Annotated[
        Path | None,
        typer.Option(
            "--save-mapping", help="Write these options to a mapping.yaml.", rich_help_panel=PANEL
        ),
    ] = None

    def of(self, source: Any) -> Any:
        """The source with what the options say of it; by itself where they say nothing."""
        read = self._mapped(source)
        if read.mapping.importer is not None:
            from jurybox.tally.importers import check_format

            check_format(read.mapping.importer)
        return read if not read.mapping.is_empty else source

    def save(self, source: Any) -> None:
        """Write the options to the file that ``--save-mapping`` names, once they have served."""
        if self.save_mapping is not None:
            from jurybox.tally.mapping_file import save_mapping

            save_mapping(self._mapped(source).mapping, self.save_mapping)

    def _mapped(self, source: Any) -> Mapped:
        plain: dict[str, Any] = {
            "map": _pairs("--map", self.map_),
            "values": _values(self.values),
            "set": _pairs("--set", self.set_),
            "level": _levels(self.level),
            "scale": _pairs("--scale", [s if "=" in s else f"*={s}" for s in self.scale or ()]),
            "raters": listed(self.raters),
            "judges": listed(self.judges),
            "raters_anonymous": self.raters_anonymous or None,
            "scores": listed(self.scores),
            "systems": listed(self.systems),
            "counts": _pairs("--counts", [p for c in self.counts or () for p in c.split(",")]),
            "derive": _pairs("--derive", self.derive),
            "only": {
                column: [part.strip() for part in values.split(",")]
                for column, values in _pairs("--only", self.only).items()
            },
            "shape": self.shape,
            "from": self.from_,
        }
        given = {key: value for key, value in plain.items() if value}
        return mapped(source, self.mapping, **given)


def reads_tables(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb the options of ``Reading`` in the place of its argument ``reading``."""
    options = get_type_hints(Reading, include_extras=True)
    hints = {**get_type_hints(verb, include_extras=True), **options}
    signature = inspect.signature(verb)
    own = [each for each in signature.parameters.values() if each.name != "reading"]
    more = [
        inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default)
        for each in fields(Reading)
    ]

    @wraps(verb)
    def run(*arguments: Any, **given: Any) -> None:
        reading = Reading(**{name: given.pop(name) for name in options if name in given})
        verb(*arguments, **given, reading=reading)

    del hints["reading"]
    parameters = [each.replace(annotation=hints[each.name]) for each in (*own, *more)]
    run.__annotations__ = hints
    vars(run)["__signature__"] = signature.replace(parameters=parameters)
    return run


def print_formats() -> None:
    """The formats of other tools, a line each."""
    from jurybox.tally.importers import FORMATS

    width = max(map(len, FORMATS))
    for name, words in FORMATS.items():
        sys.stdout.write(f"{name:<{width}}  {words}\n")


def _pairs(option: str, words: Sequence[str] | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in words or ():
        name, equals, value = each.partition("=")
        if not equals or not name.strip():
            raise OptionError(f"{option} takes NAME=WHAT; got {each!r}")
        found[name.strip()] = value.strip()
    return found


def _values(words: Sequence[str] | None) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for each in words or ():
        column, colon, rest = each.partition(":")
        if not colon or "=" not in rest:
            raise OptionError(f"--values takes COLUMN:THEIRS=OURS,THEIRS=OURS; got {each!r}")
        found.setdefault(column.strip(), {}).update(_pairs("--values", rest.split(",")))
    return found


def _levels(words: Sequence[str] | None) -> Any:
    each = [word for word in words or () if "=" not in word]
    named = _pairs("--level", [word for word in words or () if "=" in word])
    if len(each) > 1:
        raise OptionError(f"--level takes one level for all criteria; got {' and '.join(each)}")
    if not named:
        return each[0] if each else None
    return {**({"*": each[0]} if each else {}), **named}


def listed(words: Sequence[str] | None) -> list[str]:
    """The names of an option that may be repeated or hold several, separated by commas."""
    return [part.strip() for each in words or () for part in each.split(",") if part.strip()]
