"""References from the study file into its material: systems, fields, and files it names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jurybox.errors import Problem
from jurybox.formats import in_words, joined
from jurybox.study.breach import Breach, Path, nearest, show_value
from jurybox.study.criteria import TEXTUAL
from jurybox.study.files import FileProblem, Files
from jurybox.study.listed import check_listed
from jurybox.study.material import Material
from jurybox.study.model import Study, is_file_name
from jurybox.study.read import locate
from jurybox.study.settings import BaselinePairs

__all__ = ["check_references"]


def check_references(
    study: Study, material: Material | None, files: Files, problems: list[Problem]
) -> None:
    """Note everything the study names and does not have; without material, only its files."""
    found = list(_files(study, files))
    check_listed(study, files.root, problems)
    if material is not None:
        found += [*_systems(study, material), *_fields(study, material), *_items(study, material)]
    problems += [locate(study, breach) for breach in found]


def _systems(study: Study, material: Material) -> Iterator[Breach]:
    named: list[tuple[Path, str]] = [(("real", n), name) for n, name in enumerate(study.real)]
    if isinstance(study.design.pairs, BaselinePairs):
        named.append((("design", "pairs", "baseline"), study.design.pairs.baseline))
    if study.analysis.baseline is not None:
        named.append((("analysis", "baseline"), study.analysis.baseline))
    if study.analysis.primary is not None:
        for key in ("win_rate", "mean"):
            for n, name in enumerate(getattr(study.analysis.primary, key) or ()):
                named.append((("analysis", "primary", key, n), name))
    for path, name in named:
        if name not in material.systems:
            there = joined(material.systems)
            hint = nearest(name, material.systems)
            yield Breach(
                path=path, message=f"names {show_value(name)}; the systems are {there}{hint}"
            )
    if study.protocol == "detect" and set(material.systems) <= set(study.real):
        yield Breach(path=("real",), message="names every system, so none is generated")


def _fields(study: Study, material: Material) -> Iterator[Breach]:
    items = {name for item in material.items.values() for name in item.fields}
    outputs = {name for output in material.outputs.values() for name in output.fields}
    for n, name in enumerate(study.design.stratify):
        if name not in items:
            there = ", ".join(sorted(items)) or "none"
            hint = nearest(name, items)
            message = f"names {show_value(name)}; the fields of the items are {there}{hint}"
            yield Breach(path=("design", "stratify", n), message=message)
    for criterion, asked in study.criteria.items():
        if asked.field is not None and asked.field in items:
            field = show_value(asked.field)
            message = f"names {field}, which belongs to the item; mark a field of the output"
            yield Breach(path=("criteria", criterion, "field"), message=message)
        elif study.protocol == "mark" and asked.field is None and asked.categories:
            texts = [n for n, s in study.show.items() if n in outputs and s.medium in TEXTUAL]
            message = f"lacks `field`, the text to mark: {in_words(texts)}"
            yield Breach(path=("criteria", criterion), message=message)


def _items(study: Study, material: Material) -> Iterator[Breach]:
    for name, judge in study.judges.items():
        if isinstance(judge.trials, tuple):
            for n, item in enumerate(judge.trials):
                if item not in material.items:
                    message = f"names item {show_value(item)}, which does not exist"
                    yield Breach(path=("judges", name, "trials", n), message=message)


def _files(study: Study, files: Files) -> Iterator[Breach]:
    for path, name in _named_files(study):
        try:
            files.find(name)
        except FileProblem as error:
            yield Breach(path=path, message=f"names a file: {error}")


def _named_files(study: Study) -> Iterator[tuple[Path, str]]:
    yield from _texts(study.model_dump(by_alias=True), ())
    for n, case in enumerate(study.cases):
        if case.example is not None:
            yield ("cases", n, "example"), case.example
    for name, criterion in study.criteria.items():
        for value in criterion.scale.values if criterion.scale else ():
            if value.example is not None:
                path: Path = ("criteria", name, "scale", value.value, "example")
                yield path, value.example
    for name, judge in study.judges.items():
        if judge.template is not None and not is_file_name(judge.template):
            yield ("judges", name, "template"), judge.template
    if isinstance(study.access.listed, str) and not is_file_name(study.access.listed):
        yield ("access", "listed"), study.access.listed


def _texts(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _texts(part, (*path, key))
    elif isinstance(value, list | tuple):
        for place, part in enumerate(value):
            yield from _texts(part, (*path, place))
    elif isinstance(value, str) and is_file_name(value):
        yield path, value
