"""Bundled templates: complete studies to start from, with example items and practice.

General templates are folders of plain files under ``general``; the ImagenHub ones are composed from
one form. Pictures and sounds are made when a template is written, so that none is kept here.
"""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from jurybox.errors import InputError, OptionError
from jurybox.study.model import Protocol

__all__ = ["Template", "list_templates", "write_template"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """What the list of templates says about one of them."""

    name: str
    protocol: Protocol
    medium: str
    """What is judged: image, images, audio or text."""
    summary: str
    three_point: bool = False
    """Whether it can also be written with the three points 0, 0.5 and 1."""


def _general(name: str, protocol: Protocol, medium: str, summary: str) -> Template:
    return Template(name=name, protocol=protocol, medium=medium, summary=summary)


GENERAL: Final = (
    _general("image-quality", "rate", "image", "Three scores from 1 to 5"),
    _general("text-coherence", "rate", "text", "One score from 1 to 5"),
    _general("mos", "rate", "image", "One opinion, bad to excellent"),
    _general("likert", "rate", "text", "Agreement with a statement"),
    _general("acceptable", "rate", "text", "Yes or no"),
    _general("real-vs-generated", "detect", "image", "Real or not, and how sure"),
    _general("rag-qa", "rate", "text", "Four scores, pass mark 4"),
    _general("ab-forced", "compare", "image", "A or B, a forced choice"),
    _general("ab-ties", "compare", "text", "A, B, tie or both bad"),
    _general("ab-rubric", "compare", "text", "Vote, reason, scores per side"),
    _general("best-of-n", "rank", "text", "The best of N, or all in order"),
    _general("transformation-telling", "rate", "images", "Sentences between pictures"),
    _general("mqm", "mark", "text", "Errors in a translation"),
    _general("mushra", "rate", "audio", "Listening test, 0 to 100"),
)


def list_templates() -> tuple[Template, ...]:
    """Give every template, in the order in which they are listed."""
    from jurybox.study.templates.imagenhub.rubrics import RUBRICS

    family = (
        Template(
            name=f"imagenhub/{name}",
            protocol="rate",
            medium="image",
            summary=rubric.summary,
            three_point=True,
        )
        for name, rubric in RUBRICS.items()
    )
    return (*GENERAL, *family)


def find_template(name: str) -> Template:
    """Give the template of that name; ``InputError`` names the nearest one."""
    found = {template.name: template for template in list_templates()}
    if name in found:
        return found[name]
    by_tail = [known for known in found if known.rpartition("/")[2] == name]
    near = by_tail or difflib.get_close_matches(name, found, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else "`jurybox new --list` shows them all."
    raise OptionError(f"There is no template {name!r}; {hint}")


def write_template(name: str, directory: Path, *, three_point: bool = False) -> Path:
    """Write a complete, runnable study into an empty or new directory; gives that directory.

    Parameters
    ----------
    name : str
        One of the names that ``list_templates`` gives.
    directory : Path
        Must be absent or empty, so that nothing is overwritten.
    three_point : bool
        Write an ImagenHub template with the published 0, 0.5, 1.
    """
    template = find_template(name)
    if three_point and not template.three_point:
        raise OptionError(
            f"The template {name!r} has no three-point form; only imagenhub/… templates have one."
        )
    make_empty(directory)
    if template.three_point:
        from jurybox.study.templates import imagenhub

        imagenhub.write(name.partition("/")[2], directory, three_point=three_point)
    else:
        _write_general(name, directory)
    return directory


def make_empty(directory: Path) -> None:
    """Create the directory, or accept an empty one; ``InputError`` says what is in the way."""
    if directory.exists() and not directory.is_dir():
        raise InputError(f"{directory} is a file; name a directory that is new or empty.")
    if directory.is_dir() and any(directory.iterdir()):
        raise InputError(f"{directory} is not empty; name a directory that is new or empty.")
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{directory} cannot be created: {error.strerror}.") from None


def _write_general(name: str, directory: Path) -> None:
    from jurybox.study.templates.draw import Studio
    from jurybox.study.templates.pictures import PICTURES

    _copy(resources.files(__package__).joinpath("general", name), directory)
    if name == "mushra":
        from jurybox.study.templates.sounds import write_sounds

        write_sounds(directory)
    if name == "mqm":
        _count_marks(directory / "practice.jsonl")
    studio = Studio()
    if name in PICTURES:
        for path, drawing in PICTURES[name]().items():
            studio.save(drawing, directory / path)


def _copy(source: Traversable, target: Path) -> None:
    target.mkdir(exist_ok=True)
    for entry in source.iterdir():
        if entry.is_dir():
            _copy(entry, target / entry.name)
        else:
            (target / entry.name).write_bytes(entry.read_bytes())


def _count_marks(path: Path) -> None:
    """Replace the marks written into the practice texts by their offsets."""
    from jurybox.study.templates.marks import unmark

    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        row["translation"], row["errors"] = unmark(row["translation"])
        row["explanation"] = row.pop("explanation")
        rows.append(json.dumps(row, ensure_ascii=False) + "\n")
    path.write_text("".join(rows), encoding="utf-8")
