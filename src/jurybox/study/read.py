"""Read ``study.yaml``: the study, or every problem with its file, line and column."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError

from jurybox.errors import InputError, Problem, SpecError
from jurybox.study import breach
from jurybox.study.breach import Breach, breaches_of
from jurybox.study.model import Protocol, Study
from jurybox.study.positions import Document, read_yaml
from jurybox.study.rules import find_breaches

__all__ = ["Reading", "check_file", "load_study", "locate", "read_study", "study_file"]

REQUIRED = {"title": "?", "outputs": "{system}.csv", "show": {"?": "text"}}
"""What stands in for a required part that is wrong, so that the rest can still be checked."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of reading a study file."""

    file: Path
    study: Study | None
    """The study, when nothing is wrong with it."""
    partial: Study | None
    """The study without its wrong parts, to go on checking with."""
    problems: tuple[Problem, ...]
    """Every problem, in file order."""
    wrong_parts: frozenset[str]
    """The keys of the study that have something wrong in them."""


def study_file(path: str | Path) -> Path:
    """The study.yaml that a path means: the file itself, or the one in the folder."""
    given = Path(path)
    file = given / "study.yaml" if given.is_dir() else given
    if not file.exists():
        where = "here" if given == Path(".") else f"in {given}"
        message = f"There is no study.yaml {where}" if file != given else f"{given} does not exist"
        raise InputError(f"{message}; `jurybox new DIR` writes one.")
    return file


def load_study(path: str | Path = ".") -> Study:
    """A study, read from its folder.

    Parameters
    ----------
    path
        The study's folder or its ``study.yaml``; by default the current folder.

    Returns
    -------
    Study
        As the file says, every default filled in. All that is wrong with the file comes in one
        ``SpecError``, each problem with line and column.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import jurybox as jb
    >>> from jurybox.study.templates import write_template
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = write_template("ab-ties", Path(folder) / "answers")
    ...     jb.load_study(Path(folder) / "answers").protocol
    'compare'
    """
    study, problems = check_file(path)
    if study is None:
        raise SpecError([problem for problem in problems if problem.severity == "error"])
    return study


def check_file(path: str | Path) -> tuple[Study | None, tuple[Problem, ...]]:
    """Read a study; gives it, or ``None``, with every problem in file order."""
    reading = read_study(path)
    return reading.study, reading.problems


def read_study(path: str | Path) -> Reading:
    """Read a study file, and as much of a wrong one as makes sense."""
    file = study_file(path)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from None
    document = read_yaml(content, str(file))
    if document.data is None and not document.problems:
        document.problem("The file is empty; a study begins with `title:`.", document.place(()))
    if document.data is not None and not isinstance(document.data, dict):
        got = breach.show_value(document.data)
        message = f"A study is a map that begins with `title:`, got {got}."
        document.problem(message, document.place(()))
    if not isinstance(document.data, dict):
        return Reading(file, None, None, tuple(document.problems), frozenset())
    data, written, found = _respell(document.data)
    partial, more, wrong = _examine(data, document.empty)
    found += more
    if partial is not None:
        partial._directory = file.parent.resolve()
        rules = find_breaches(partial)
        found += [one for one in rules if not _follows(one, wrong)]
    found = [replace(one, path=_as_written(one.path, written)) for one in found]
    problems = _in_order([*document.problems, *(_placed(one, document) for one in found)])
    failed = any(problem.severity == "error" for problem in problems)
    keys = {str(path[0]) if path else "" for path in wrong} | {
        str(one.path[0]) if one.path else "" for one in found if one.severity == "error"
    }
    return Reading(file, None if failed else partial, partial, problems, frozenset(keys))


def _validate(data: Any) -> tuple[Study, tuple[Breach, ...]]:
    """The study that data make, whole only without a breach."""
    study = Study.__new__(Study)
    try:
        Study.__pydantic_validator__.validate_python(data, self_instance=study)
    except ValidationError as error:
        return study, breaches_of(error)
    return study, ()


def _respell(given: Any) -> tuple[Any, dict[breach.Path, str], list[Breach]]:
    """The data with misspelled keys spelled right, so that what stands under them is checked too.

    With it, the key that was written at each such path, and the breaches that these keys are.
    """
    data, written, found = copy.deepcopy(given), dict[breach.Path, str](), list[Breach]()
    for _ in range(20):
        before = len(found)
        for one in _validate(data)[1]:
            holder = _part(data, one.path[:-1])
            if one.meant is None or not isinstance(holder, dict) or one.meant in holder:
                continue
            name = next((name for name in holder if str(name) == str(one.path[-1])), None)
            if name is not None:
                holder[one.meant] = holder.pop(name)
                written[(*map(str, one.path[:-1]), one.meant)] = str(name)
                found.append(one)
        if len(found) == before:
            break
    return data, written, found


def _part(data: Any, path: breach.Path) -> Any:
    for key in path:
        if isinstance(data, dict):
            data = next((part for name, part in data.items() if str(name) == str(key)), None)
        elif isinstance(data, list) and isinstance(key, int) and key < len(data):
            data = data[key]
        else:
            return None
    return data


def _as_written(path: breach.Path, written: Mapping[breach.Path, str]) -> breach.Path:
    """A path with its misspelled keys as the file has them."""
    names = tuple(map(str, path))
    return tuple(written.get(names[: n + 1], key) for n, key in enumerate(path))


def _examine(
    data: Any, empty: Iterable[breach.Path]
) -> tuple[Study | None, list[Breach], list[breach.Path]]:
    """Build the study, taking wrong parts out until what is left is one."""
    wrong: list[breach.Path] = list(empty)
    found: list[Breach] = []
    protocol = data.get("protocol")
    for attempt in range(20):
        study, breaches = _validate(data)
        if not breaches:
            return study, found, wrong
        if attempt == 0:
            known = {(*path,) for path in empty}
            found = [b for b in breaches if b.lacks is None or (*b.path, b.lacks) not in known]
        for one in breaches:
            wrong.append(one.path if one.path or one.lacks is None else (one.lacks,))
            _take_out(data, one.path)
        for key, stand_in in REQUIRED.items():
            data.setdefault(key, stand_in)
        if "protocol" not in data:
            meant = breach.closest(protocol, get_args(Protocol))
            if meant is None:
                break
            data["protocol"] = meant
    return None, found, wrong


def _take_out(data: Any, path: breach.Path) -> None:
    """Take the wrong part out of its map; from a list, the whole list."""
    holder, last = None, None
    for key in path:
        if not isinstance(data, dict):
            break
        name = next((name for name in data if str(name) == str(key)), None)
        if name is None:
            break
        holder, last, data = data, name, data[name]
    if holder is not None:
        del holder[last]


def _follows(one: Breach, wrong: Iterable[breach.Path]) -> bool:
    """Whether a rule's breach may only follow from something else that is wrong."""
    rests_on = [one.path, *one.also] if one.path else list(one.also)
    return any(
        all(str(a) == str(b) for a, b in zip(path[:2], cause[:2], strict=False))
        for path in rests_on
        for cause in wrong
    )


def _placed(one: Breach, document: Document) -> Problem:
    place = document.place(one.path, on_key=one.on_key or one.lacks is not None)
    return Problem(
        message=str(one),
        file=document.file,
        line=place.line,
        column=place.column,
        severity=one.severity,
    )


def _in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    unique = dict.fromkeys(problems)
    return tuple(sorted(unique, key=lambda problem: (problem.line or 0, problem.column or 0)))


def locate(study: Study, one: Breach) -> Problem:
    """A breach as a problem with its line, when the study's file is still there to look at."""
    if study.directory is not None:
        file = study.directory / "study.yaml"
        if file.is_file():
            return _placed(one, read_yaml(file.read_bytes(), file.name))
    return Problem(message=str(one), severity=one.severity)
