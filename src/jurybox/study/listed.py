"""The list of raters who get in, and the group of each where the list gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jurybox.errors import Problem, SpecError
from jurybox.formats import joined
from jurybox.study.breach import nearest, show_value
from jurybox.study.groups import groups_of
from jurybox.study.tables import read_table

if TYPE_CHECKING:
    from pathlib import Path

    from jurybox.study.model import Study

__all__ = ["check_listed", "listed_raters"]


def listed_raters(study: Study, root: Path) -> dict[str, str | None] | None:
    """The ids on the study's list with their groups; ``None`` where anybody gets in.

    A list that is a table with groups and cannot be read is a ``SpecError`` that says why.
    """
    listed = study.access.listed
    if listed is None:
        return None
    if isinstance(listed, dict):
        return {rater: group for group, ids in listed.items() for rater in ids}
    if isinstance(listed, tuple):
        return dict.fromkeys(listed)
    if _gives_groups(study):
        problems: list[Problem] = []
        found = _read(study, root / listed, listed, problems)
        if problems:
            raise SpecError(problems)
        return found
    lines = (root / listed).read_text(encoding="utf-8-sig").splitlines()
    return dict.fromkeys(line.strip() for line in lines if line.strip())


def check_listed(study: Study, root: Path, problems: list[Problem]) -> None:
    """Note what is wrong with a list that is a table of raters and groups."""
    listed = study.access.listed
    if isinstance(listed, str) and _gives_groups(study) and (root / listed).is_file():
        _read(study, root / listed, listed, problems)


def _gives_groups(study: Study) -> bool:
    return study.raters is not None and study.raters.by is None


def _read(study: Study, path: Path, name: str, problems: list[Problem]) -> dict[str, str | None]:
    table = read_table(path, name, problems)
    found: dict[str, str | None] = {}
    if table is None:
        return found
    for column in ("rater", "group"):
        if column not in table.columns:
            there = joined(table.columns)
            message = f"lacks the column `{column}`; its columns are {there}."
            problems.append(Problem(message=message, file=name))
            return found
    groups = groups_of(study)
    for row in table.rows:
        rater, group = (str(row.values.get(key) or "").strip() for key in ("rater", "group"))
        if not rater:
            problems.append(row.problem("The row has no rater."))
        elif rater in found:
            problems.append(row.problem(f"Rater {show_value(rater)} stands here again."))
        elif group not in groups:
            there = joined(groups)
            hint = nearest(group, groups)
            message = f"{show_value(group)} is no group; there are {there}{hint}"
            problems.append(row.problem(message if hint else f"{message}."))
        found[rater] = group
    return found
