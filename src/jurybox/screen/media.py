"""A study's media looked at before a rater is: which files it names, and what is wrong with them.

What a browser cannot show, or what is broken, becomes a problem with the place that names the file
and the command that mends it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jurybox.errors import Problem, SpecError
from jurybox.screen.media_file import Kind, check_cleaning, check_file, kind_of
from jurybox.screen.prose import find_pictures
from jurybox.study.breach import Breach
from jurybox.study.files import FileProblem, Files, is_url
from jurybox.study.read import locate
from jurybox.study.rules import texts_of

if TYPE_CHECKING:
    from jurybox.study.material import Material
    from jurybox.study.model import Study

__all__ = ["MediaUse", "check_media", "media_uses", "name_from", "refuse_unclean"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaUse:
    """A media file, and the place in the study that names it."""

    path: Path
    kind: Kind
    file: str | None = None
    row: int | None = None
    text: Breach | None = None
    """For a picture in one of the study's own texts: where that stands."""


def media_uses(study: Study, material: Material) -> Iterator[MediaUse]:
    """Every place at which the study shows a media file."""
    yield from (use for use in _in_texts(study) if isinstance(use, MediaUse))
    yield from _examples(study)
    yield from (use for use in _in_material(study, material) if isinstance(use, MediaUse))


def _in_material(study: Study, material: Material) -> Iterator[MediaUse | Problem]:
    """The media of items and outputs; a problem for each picture in Markdown that is missing."""
    files = None if study.directory is None else Files(study.directory)
    for item in (*material.items.values(), *material.known_items.values()):
        yield from _in_fields(study, item.fields, files, file=item.file, row=item.row or None)
    for output in (*material.outputs.values(), *material.known_outputs.values()):
        yield from _in_fields(study, output.fields, files, file=output.file, row=output.row or None)


def _in_fields(
    study: Study,
    fields: Mapping[str, Any],
    files: Files | None,
    *,
    file: str | None,
    row: int | None,
) -> Iterator[MediaUse | Problem]:
    for name, shown in study.show.items():
        value = fields.get(name)
        if shown.medium == "markdown" and files is not None and "![" in str(value):
            yield from _in_markdown(str(value), files, field=name, file=file, row=row)
        kind: Kind | None = _kind(shown.medium)
        if kind is None or value is None:
            continue
        for path in value if isinstance(value, tuple | list) else (value,):
            yield MediaUse(path=Path(path), kind=kind, file=file, row=row)


def _in_markdown(
    text: str, files: Files, *, field: str, file: str | None, row: int | None
) -> Iterator[MediaUse | Problem]:
    """The pictures of a Markdown field; of those that lie elsewhere raters see the description."""
    for source in find_pictures(text):
        if is_url(source):
            continue
        try:
            yield MediaUse(path=files.find(source), kind="image", file=file, row=row)
        except FileProblem as error:
            message = f"{field} shows a picture: {error}; add it, or show {field} as text"
            yield Problem(message=message, file=file, line=row)


def _kind(medium: str) -> Kind | None:
    match medium:
        case "image" | "images":
            return "image"
        case "audio":
            return "audio"
        case "video":
            return "video"
    return None


def _in_texts(study: Study) -> Iterator[MediaUse | Breach]:
    """The pictures in the study's own texts; a breach for each that the study does not have."""
    files = None if study.directory is None else Files(study.directory)
    for path, text in texts_of(study):
        try:
            names = find_pictures(study.words(text))
        except SpecError:  # a text that cannot be read is a problem of its own
            continue
        for name in names:
            try:
                if files is None:
                    raise FileProblem("the study has no folder yet")
                found = files.find(name)
            except FileProblem as error:
                yield Breach(path=path, message=f"shows a picture: {error}")
            else:
                shows = Breach(path=path, message=f"shows the picture {name}")
                yield MediaUse(path=found, kind="image", text=shows)


def _examples(study: Study) -> Iterator[MediaUse]:
    """The files that show what a value of a scale or a worked case means."""
    named: list[tuple[tuple[str | int | float, ...], str | None]] = [
        (("cases", n, "example"), case.example) for n, case in enumerate(study.cases)
    ]
    for name, criterion in study.criteria.items():
        for part in ("scale", "confidence"):
            scale = getattr(criterion, part)
            for value in scale.values if scale else ():
                named.append((("criteria", name, part, value.value, "example"), value.example))
    for path, example in named:
        found = None if example is None else ((study.directory or Path()) / example).resolve()
        if found is not None and found.is_file():  # a missing one is a problem of its own
            shows = Breach(path=path, message=f"shows {example}")
            yield MediaUse(path=found, kind=kind_of(found), text=shows)


def check_media(study: Study, material: Material) -> tuple[Problem, ...]:
    """Every media file that is missing, broken or cannot be shown, each named once."""
    problems = [locate(study, found) for found in _in_texts(study) if isinstance(found, Breach)]
    problems += [one for one in _in_material(study, material) if isinstance(one, Problem)]
    seen: set[tuple[Path, Kind]] = set()
    for use in media_uses(study, material):
        if (use.path, use.kind) in seen:
            continue
        seen.add((use.path, use.kind))
        name = name_from(study.directory, use.path)
        phrase = check_file(use.path, use.kind, shown_as=name)
        if phrase is not None:
            problems.append(_problem(study, use, name, phrase))
    return tuple(problems)


def _problem(study: Study, use: MediaUse, name: str, phrase: str) -> Problem:
    """A problem at the place that names the file; the file is named unless it is that place."""
    if use.text is not None:
        return locate(study, replace(use.text, message=f"{use.text.message}: {phrase}"))
    told = phrase[0].upper() + phrase[1:] if use.file == name else f"{name}: {phrase}"
    return Problem(message=told, file=use.file, line=use.row)


def name_from(directory: Path | None, path: Path) -> str:
    """The name of a file as it is read from the study's folder."""
    if directory is not None and path.is_relative_to(directory.resolve()):
        return str(path.relative_to(directory.resolve()))
    if directory is not None and path.is_relative_to(directory):
        return str(path.relative_to(directory))
    return str(path)


def refuse_unclean(
    study: Study,
    material: Material,
    *,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> None:
    """Clean every media file, and raise if one would keep its metadata, which may name a system.

    What is sent later is the same, cleaned in the same way, or nothing: a cleaned file is a list of
    pieces of the original, so that there is no copy that could grow old.
    """
    problems = []
    uses = {use.path: use for use in media_uses(study, material)}
    for number, (path, use) in enumerate(uses.items(), start=1):
        progress(number, len(uses))
        if path.is_file():
            name = name_from(study.directory, path)
            phrase = check_cleaning(path, use.kind, name)
            if phrase is not None:
                # What cannot be cleaned is often no picture or recording at all.
                phrase = check_file(path, use.kind, shown_as=name) or phrase
                problems.append(_problem(study, use, name, phrase))
    if problems:
        raise SpecError(problems)
