"""Where the responses are: a table by itself, or everything that a study's store holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from jurybox.analysis.asked import Asked, asked_by
from jurybox.errors import AnalysisError
from jurybox.tally.shapes import ShapeName

if TYPE_CHECKING:
    from jurybox.study import Study

__all__ = ["Gathered", "gather"]


class TableStore(Protocol):
    """What is needed of a store."""

    def table(self, shape: Any, /) -> dict[str, list[Any]]:
        """A shape's rows, by column."""

    def load_plan(self) -> Any:
        """The plan, with the systems of every trial."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """Tables to read, each with its shape where that is known."""

    tables: tuple[tuple[ShapeName | None, Any], ...]
    asked: Asked = field(default_factory=Asked)
    checks: Mapping[str, list[Any]] | None = None
    skipped: Mapping[str, int] = field(default_factory=dict)
    """How often a trial with an output of the system was skipped or unusable."""
    where: str = ""


def gather(source: Any, *, study: Study | None = None, database: str | None = None) -> Gathered:
    """Find the responses: in a study directory's store, in a store, or in a table."""
    if isinstance(source, str | Path) and _is_study(Path(source)):
        return _from_directory(Path(source), study, database)
    if hasattr(source, "table") and hasattr(source, "load_plan"):
        if study is None:
            raise AnalysisError("a store is analyzed together with its study: pass study=")
        return _from_store(source, study)
    asked = Asked() if study is None else asked_by(study)
    return Gathered(tables=((None, source),), asked=asked)


def _is_study(path: Path) -> bool:
    return path.name == "study.yaml" or (path / "study.yaml").is_file()


def _from_directory(path: Path, study: Study | None, database: str | None) -> Gathered:
    # Imported here: a bare table needs neither the study's reader nor its database.
    from jurybox.store import Store
    from jurybox.study import load_study

    directory = path.parent if path.name == "study.yaml" else path
    known = load_study(directory) if study is None else study
    if database is None and not (directory / "study.db").is_file():
        raise AnalysisError(
            f"{directory}: this study has no responses yet (there is no study.db); plan it with "
            "'jurybox plan' and collect with 'jurybox serve'"
        )
    with Store.open(database or directory / "study.db", create=False) as store:
        return _from_store(store, known)


def _from_store(store: TableStore, study: Study) -> Gathered:
    asked = asked_by(study)
    tables = tuple((shape, store.table(shape)) for shape in asked.shapes)
    filled = tuple((shape, table) for shape, table in tables if _counts(table))
    if not filled:
        raise AnalysisError(
            f"{asked.title!r} has no answered trials yet; collect answers with 'jurybox serve' or "
            "'jurybox sheets'"
        )
    return Gathered(
        tables=filled,
        asked=asked,
        checks=store.table("checks"),
        skipped=_skipped(store),
        where="the study's responses",
    )


def _counts(table: Mapping[str, list[Any]]) -> bool:
    """Whether there is a response of a rater who has not withdrawn."""
    marks = table.get("excluded_by", [None] * len(table["rater"]))
    return any(mark != "withdrawn" for mark in marks)


def _skipped(store: TableStore) -> dict[str, int]:
    submissions = store.table("submissions")
    trials = [
        trial
        for trial, status in zip(submissions["trial"], submissions["status"], strict=True)
        if status in ("skipped", "unusable")
    ]
    if not trials:
        return {}
    plan = store.load_plan()
    found: dict[str, int] = {}
    for trial in trials:
        for system in plan.trial(trial).systems if plan is not None else ():
            found[str(system)] = found.get(str(system), 0) + 1
    return found
