"""Where the responses are: a table by itself, or everything that a study's store holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jurybox.analysis.asked import Asked, asked_by
from jurybox.analysis.finding import Collected
from jurybox.analysis.kept import (
    TableStore,
    count_collected,
    find_changes,
    kept_version,
    say_versions,
)
from jurybox.errors import AnalysisError
from jurybox.tally.shapes import ShapeName

if TYPE_CHECKING:
    from jurybox.study import Study

__all__ = ["Gathered", "gather"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """Tables to read, each with its shape where that is known."""

    tables: tuple[tuple[ShapeName | None, Any], ...]
    asked: Asked = field(default_factory=Asked)
    checks: Mapping[str, list[Any]] | None = None
    skipped: Mapping[str, int] = field(default_factory=dict)
    """How often a trial with an output of the system was skipped or unusable."""
    where: str = ""
    took: tuple[str, ...] = ()
    collected: Collected | None = None


def gather(source: Any, *, study: Study | None = None, database: str | None = None) -> Gathered:
    """Find the responses: in a study directory's store, in a store, or in a table."""
    if isinstance(source, str | Path) and _is_study(Path(source)):
        return _from_directory(Path(source), study, database)
    if hasattr(source, "table") and hasattr(source, "load_plan"):
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
        return _from_store(store, known, with_files=known.directory is not None)


def _from_store(store: TableStore, study: Study | None, *, with_files: bool = False) -> Gathered:
    """Everything in a store, by the version of the study that it keeps."""
    kept = kept_version(store)
    counted = study if kept is None else kept.study
    if counted is None:
        raise AnalysisError("a store without a version is analyzed with its study: pass study=")
    changes: tuple[str, ...] = ()
    if kept is not None and study is not None:
        changes = find_changes(kept, study, with_files=with_files)
    asked = asked_by(counted)
    tables = tuple((shape, store.table(shape)) for shape in asked.shapes)
    filled = tuple((shape, table) for shape, table in tables if _counts(table))
    if not filled:
        raise AnalysisError(
            f"{asked.title!r} has no answered trials yet; collect answers with 'jurybox serve' or "
            "'jurybox sheets'"
        )
    submissions, plan = store.table("submissions"), store.load_plan()
    return Gathered(
        tables=filled,
        asked=asked,
        checks=store.table("checks"),
        skipped=_skipped(submissions, plan),
        where="the study's responses",
        took=say_versions(submissions),
        collected=count_collected(submissions, plan, kept, changes),
    )


def _counts(table: Mapping[str, list[Any]]) -> bool:
    """Whether there is a response of a rater who has not withdrawn."""
    marks = table.get("excluded_by", [None] * len(table["rater"]))
    return any(mark != "withdrawn" for mark in marks)


def _skipped(submissions: Mapping[str, list[Any]], plan: Any) -> dict[str, int]:
    found: dict[str, int] = {}
    for trial, status in zip(submissions["trial"], submissions["status"], strict=True):
        if status in ("skipped", "unusable") and plan is not None:
            for system in plan.trial(trial).systems:
                found[str(system)] = found.get(str(system), 0) + 1
    return found
