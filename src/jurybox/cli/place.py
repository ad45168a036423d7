"""Where a study lives: its directory, and the database that remembers it.

Every verb takes a study directory or its study.yaml. The responses are in ``study.db`` beside it,
unless ``--database`` or the environment variable ``JURYBOX_DATABASE`` names a PostgreSQL database
or another file.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jurybox.errors import InputError, StoreError

if TYPE_CHECKING:
    from jurybox.store import Store

__all__ = ["DatabaseOption", "StudyArgument", "has_store", "open_store", "study_directory"]

StudyArgument = Annotated[
    Path, typer.Argument(help="A study directory or its study.yaml.", show_default="here")
]
DatabaseOption = Annotated[
    str | None,
    typer.Option(
        "--database",
        envvar="JURYBOX_DATABASE",
        help="A PostgreSQL URL, or another study.db; by default the one in the study directory.",
    ),
]


def study_directory(path: Path) -> Path:
    """The directory of the study that ``path`` (the directory or its study.yaml) names."""
    directory = path.parent if path.name == "study.yaml" else path
    if not (directory / "study.yaml").is_file():
        raise InputError(
            f"{directory}: there is no study.yaml here; name a study directory, "
            "or make one with 'jurybox new DIR --template NAME'."
        )
    return directory


def has_store(directory: Path, database: str | None = None) -> bool:
    """Whether the study has a database already."""
    return database is not None or (directory / "study.db").is_file()


def open_store(directory: Path, database: str | None = None, *, create: bool = True) -> Store:
    """The study's database; with ``create=False`` it must be there already."""
    from jurybox.store import Store

    if not create and not has_store(directory, database):
        raise StoreError(
            f"{directory}: this study has no responses yet; plan it with 'jurybox plan' "
            "and collect with 'jurybox serve'."
        )
    if not database and (directory / "study.db").is_dir():
        raise StoreError(f"{directory / 'study.db'} is a folder; move it away: answers go there.")
    return Store.open(_sqlalchemy_url(database) if database else directory / "study.db")


def _sqlalchemy_url(url: str) -> str:
    """`postgres://` and `postgresql://` as SQLAlchemy wants them, with psycopg as the driver."""
    for prefix in ("postgres://", "postgresql://"):
        if url.startswith(prefix):
            return f"postgresql+psycopg://{url.removeprefix(prefix)}"
    return url
