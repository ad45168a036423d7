"""Read ``study.yaml``: the study, or every problem with its file, line and column."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from jurybox.errors import InputError, Problem, SpecError
from jurybox.study.breach import Breach, breaches_of
from jurybox.study.model import Study
from jurybox.study.positions import Document, read_yaml

__all__ = ["check_file", "load_study", "study_file"]


def study_file(path: str | Path) -> Path:
    """The study.yaml that a path means: the file itself, or the one in the folder."""
    given = Path(path)
    if given.is_dir():
        return given / "study.yaml"
    return given


def load_study(path: str | Path = ".") -> Study:
    """Read a study from its folder or its study.yaml; all problems come in one ``SpecError``."""
    study, problems = check_file(path)
    errors = [problem for problem in problems if problem.severity == "error"]
    if study is None or errors:
        raise SpecError(errors)
    return study


def check_file(path: str | Path) -> tuple[Study | None, tuple[Problem, ...]]:
    """Read a study; gives it, or ``None``, with every problem in file order."""
    file = study_file(path)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from None
    document = read_yaml(content, str(file))
    if not isinstance(document.data, dict):
        return None, tuple(document.problems)
    study = Study.__new__(Study)
    try:
        Study.__pydantic_validator__.validate_python(document.data, self_instance=study)
    except ValidationError as error:
        return None, tuple(document.problems) + _placed(breaches_of(error), document)
    study._directory = file.parent.resolve()
    return study, ()


def _placed(found: tuple[Breach, ...], document: Document) -> tuple[Problem, ...]:
    problems: list[Problem] = []
    for breach in found:
        place = document.place(breach.path, on_key=breach.on_key)
        problems.append(
            Problem(message=str(breach), file=document.file, line=place.line, column=place.column)
        )
    return tuple(problems)


def locate(study: Study, breach: Breach) -> Problem:
    """A breach as a problem with its line, when the study's file is still there to look at."""
    if study.directory is not None:
        file = study.directory / "study.yaml"
        if file.is_file():
            return _placed((breach,), read_yaml(file.read_bytes(), file.name))[0]
    return Problem(message=str(breach))
