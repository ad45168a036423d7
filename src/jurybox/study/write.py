"""Write a study as YAML: what the study says, in the short forms a person would use."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

from jurybox.study.criteria import Criterion, Shown
from jurybox.study.defaults import complete_criteria, complete_criterion
from jurybox.study.model import Study
from jurybox.study.scales import NAMED, Scale, expand, expand_confidence, with_probabilities

__all__ = ["study_to_data", "study_to_yaml"]

WIDTH = 96


def study_to_yaml(study: Study) -> str:
    """Give the text of a study.yaml that reads back as an equal study."""
    yaml = YAML()
    yaml.width = WIDTH
    yaml.indent(mapping=2, sequence=4, offset=2)
    stream = io.StringIO()
    data = study_to_data(study)
    styled = _styled(data, block=True)
    if "criteria" in data:
        styled["criteria"] = _styled(data["criteria"], block=True)
    yaml.dump(styled, stream)
    return stream.getvalue()


def study_to_data(study: Study) -> dict[str, Any]:
    """Give what the study says as plain data, defaults left out and short forms used."""
    data = _said(study)
    data["show"] = {name: _shown(shown) for name, shown in study.show.items()}
    data.pop("criteria", None)
    if study.criteria != complete_criteria(study.protocol, {}, study.show, study.language):
        criteria = {name: _criterion(study, name) for name in study.criteria}
        data["criteria"] = criteria
    if study.systems is not None:
        systems = {name: _said(system) for name, system in study.systems.items()}
        data["systems"] = systems if any(systems.values()) else list(systems)
    order = list(Study.model_fields)
    return {key: data[key] for key in sorted(data, key=order.index)}


def _said(part: BaseModel) -> dict[str, Any]:
    """What differs from the defaults, by the names of the file."""
    return part.model_dump(by_alias=True, exclude_defaults=True)


def _shown(shown: Shown) -> Any:
    said = _said(shown)
    return shown.medium if set(said) == {"as"} else said


def _criterion(study: Study, name: str) -> dict[str, Any]:
    """What must be written so that the rest follows from the protocol."""
    criterion = study.criteria[name]
    fields = {
        key: getattr(criterion, key)
        for key, field in Criterion.model_fields.items()
        if getattr(criterion, key) != field.default
    }
    for key in ("question", "per", "level", "field", "severities"):
        rest = {other: value for other, value in fields.items() if other != key}
        shorter = Criterion.model_construct(**rest)
        if complete_criterion(study.protocol, name, shorter, study.show) == criterion:
            fields = rest
    said = {
        Criterion.model_fields[key].alias or key: value
        for key, value in Criterion.model_construct(**fields)
        if key in fields
    }
    if "scale" in said:
        said["scale"] = _scale(said["scale"])
    if "confidence" in said:
        said["confidence"] = _confidence(said["confidence"], detect=study.protocol == "detect")
    return said


def _scale(scale: Scale) -> Any:
    for name in NAMED:
        if scale == Scale.model_validate(expand(name)):
            return name
    anchors = {}
    for value in scale.values:
        said = value.model_dump(exclude_defaults=True, exclude={"value"})
        short = set(said) == {"anchor"} and isinstance(said["anchor"], str)
        anchors[value.value] = said["anchor"] if short else said
    if len(anchors) < len(scale.values):  # values stand twice: only the long form can say it
        return _said(scale)
    rest = scale.model_dump(exclude_defaults=True, exclude={"values"})
    if scale.step is not None:
        rest.pop("level", None)
        level = {"level": scale.level} if scale.level != "interval" else {}
        return {"anchors": anchors, **rest, **level}
    return {"values": anchors, **rest} if rest else anchors


def _confidence(confidence: Scale, *, detect: bool) -> Any:
    points = len(confidence.values)
    if 2 <= points <= 10:
        numbered = Scale.model_validate(expand_confidence(points))
        if confidence == (with_probabilities(numbered) if detect else numbered):
            return points
    return _scale(confidence)


def _styled(value: Any, *, block: bool = False) -> Any:
    """Give plain data the shape it is written in: short maps and lists on one line."""
    if isinstance(value, BaseModel):
        value = _said(value)
    if isinstance(value, Mapping):
        made = CommentedMap((_plain(key), _styled(part)) for key, part in value.items())
        if not block and len(repr(dict(value))) < WIDTH - 24 and not _has_lines(value):
            made.fa.set_flow_style()
        return made
    if isinstance(value, list | tuple):
        parts = CommentedSeq(_styled(part) for part in value)
        if len(repr(list(value))) < WIDTH - 24 and not _has_lines(value):
            parts.fa.set_flow_style()
        return parts
    return _plain(value)


def _has_lines(value: Any) -> bool:
    return "\\n" in repr(value)


def _is_paragraphs(text: str) -> bool:
    """Whether a text can stand as an indented block: clean lines, the first not indented."""
    lines = text.removesuffix("\n").split("\n")
    clean = all(line == line.rstrip() and line.isprintable() for line in lines)
    return len(lines) > 1 and clean and lines[0][:1].isalnum() and lines[-1] != ""


def _plain(value: Any) -> Any:
    """A whole number is written without its fraction; a text that begins oddly is quoted."""
    if isinstance(value, str) and _is_paragraphs(value):
        return LiteralScalarString(value)
    if isinstance(value, str) and not (value[:1].isalnum() and value.isprintable()):
        return DoubleQuotedScalarString(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value
