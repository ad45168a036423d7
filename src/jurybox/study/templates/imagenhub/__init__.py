"""The eight ImagenHub templates: one form, composed with each one's rubric, examples and cases."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Final

from jurybox.study.scales import format_value
from jurybox.study.templates import tables
from jurybox.study.templates.draw import Strip, Studio
from jurybox.study.templates.imagenhub import guided, mask_guided, several, subjects, text_guided
from jurybox.study.templates.imagenhub.parts import Anchors, Family, Value, WorkedCase
from jurybox.study.templates.imagenhub.rubrics import RUBRICS

__all__ = ["FAMILIES", "write"]

SYSTEMS: Final = ("aurora", "birch", "cedar")

TEXT_GUIDED_ANCHORS: Final = {
    ("consistency", 2.0): "cow-hat",
    ("consistency", 1.0): "hat-wall",
    ("consistency", 0.5): "hat-wrong",
    ("consistency", 0.0): "cabinets-elsewhere",
    ("realism", 2.0): "cow-hat",
    ("realism", 1.0): "nearly-untouched",
    ("realism", 0.5): "hat-wrong",
    ("realism", 0.0): "hat-elsewhere",
}

FAMILIES: Final[dict[str, Family]] = {
    "text-guided-editing": Family(
        rubric=RUBRICS["text-guided-editing"],
        examples=text_guided.EXAMPLES,
        cases=text_guided.CASES,
        anchor_examples=TEXT_GUIDED_ANCHORS,
    ),
    "mask-guided-editing": Family(
        rubric=RUBRICS["mask-guided-editing"],
        examples=mask_guided.EXAMPLES,
        cases=mask_guided.CASES,
        anchor_examples={
            ("consistency", 2.0): "soccer-natural",
            ("consistency", 1.0): "horse-legs",
            ("consistency", 0.5): "airplane-like",
            ("consistency", 0.0): "strawberry-stain",
            ("realism", 2.0): "soccer-natural",
            ("realism", 1.0): "strawberry-edge",
            ("realism", 0.5): "soccer-blend",
            ("realism", 0.0): "horse-none",
        },
    ),
    "subject-driven-editing": Family(
        rubric=RUBRICS["subject-driven-editing"],
        examples=subjects.EDITING_EXAMPLES,
        cases=subjects.EDITING_CASES,
        anchor_examples={
            ("consistency", 2.0): "teapot-exact",
            ("consistency", 1.0): "teapot-stripes",
            ("consistency", 0.5): "teapot-red",
            ("consistency", 0.0): "teapot-elsewhere",
            ("realism", 2.0): "teapot-exact",
            ("realism", 1.0): "teapot-edge",
            ("realism", 0.0): "teapot-broken",
        },
    ),
    "subject-driven-generation": Family(
        rubric=RUBRICS["subject-driven-generation"],
        examples=subjects.GENERATION_EXAMPLES,
        cases=subjects.GENERATION_CASES,
        anchor_examples={
            ("consistency", 2.0): "robot-exact",
            ("consistency", 1.0): "robot-eyes",
            ("consistency", 0.5): "robot-gold",
            ("consistency", 0.0): "robot-snow",
            ("realism", 2.0): "robot-exact",
            ("realism", 0.5): "robot-blur",
            ("realism", 0.0): "robot-noise",
        },
    ),
    "multi-subject-generation": Family(
        rubric=RUBRICS["multi-subject-generation"],
        examples=several.EXAMPLES,
        cases=several.CASES,
        anchor_examples={
            ("consistency", 2.0): "both-exact",
            ("consistency", 1.0): "wrong-material",
            ("consistency", 0.5): "wrong-color",
            ("consistency", 0.0): "one-missing",
            ("realism", 2.0): "both-exact",
            ("realism", 1.0): "no-action",
            ("realism", 0.0): "both-noise",
        },
    ),
    "control-guided-generation": Family(
        rubric=RUBRICS["control-guided-generation"],
        examples=guided.CONTROL_EXAMPLES,
        cases=guided.CONTROL_CASES,
        anchor_examples={
            ("consistency", 2.0): "cow-exact",
            ("consistency", 1.0): "cow-ball",
            ("consistency", 0.5): "cow-partly",
            ("consistency", 0.0): "cow-kitchen",
            ("realism", 2.0): "cow-exact",
            ("realism", 0.0): "cow-noise",
        },
    ),
    "style-guided-generation": Family(
        rubric=RUBRICS["style-guided-generation"],
        examples=guided.STYLE_EXAMPLES,
        cases=guided.STYLE_CASES,
        anchor_examples={
            ("consistency", 2.0): "points-exact",
            ("consistency", 1.0): "points-no-tree",
            ("consistency", 0.5): "points-gray",
            ("consistency", 0.0): "points-woodcut",
            ("realism", 2.0): "points-exact",
            ("realism", 0.5): "points-watermark",
        },
    ),
    "text-to-image": Family(
        rubric=RUBRICS["text-to-image"],
        examples=guided.TEXT_EXAMPLES,
        cases=guided.TEXT_CASES,
        anchor_examples={
            ("consistency", 2.0): "horse-exact",
            ("consistency", 1.0): "horse-shade",
            ("consistency", 0.5): "horse-white-noon",
            ("consistency", 0.0): "horse-dog",
            ("realism", 2.0): "horse-exact",
            ("realism", 0.5): "horse-watermark",
            ("realism", 0.0): "horse-broken",
        },
    ),
}


def write(name: str, directory: Path, *, three_point: bool) -> None:
    """Write the study of that name, four-point or three-point, with its tables and pictures."""
    family = FAMILIES[name]
    studio = Studio()
    second = "quality" if three_point else "realism"
    (directory / "study.yaml").write_text(
        _study(name, family, second, three_point=three_point), encoding="utf-8"
    )
    rows = []
    for example in family.examples:
        shown = _fields(studio, directory / "inputs", example.item, example.fields)
        rows.append({"item": example.item, "category": example.category, **shown})
        for system, output in zip(SYSTEMS, example.outputs, strict=True):
            studio.save(output, directory / "images" / system / f"{example.item}.png")
    tables.write_csv(directory / "items.csv", rows)
    trials = []
    for number, case in enumerate((c for c in family.cases if c.practice), start=1):
        item = f"practice-{number}"
        studio.save(case.output, directory / "practice" / f"{item}.png")
        trials.append(
            {
                "item": item,
                **_fields(studio, directory / "practice", item, case.fields),
                "output": f"practice/{item}.png",
                "consistency": _accepted(case.consistency, three_point=three_point),
                second: _accepted(case.realism, three_point=three_point),
                "explanation": _said(case.reason, second),
            }
        )
    tables.write_csv(directory / "practice.csv", trials)
    for case in family.cases:
        drawn = [value for value in case.fields.values() if not isinstance(value, str)]
        parts = tuple(part for part in drawn if not isinstance(part, Strip))
        studio.save(Strip((*parts, case.output)), directory / "cases" / f"{case.name}.png")


def _fields(studio: Studio, folder: Path, item: str, fields: Mapping[str, Value]) -> dict[str, str]:
    """The row's cells; pictures are drawn and named by their path."""
    cells: dict[str, str] = {}
    for name, value in fields.items():
        if isinstance(value, str):
            cells[name] = value
        else:
            studio.save(value, folder / f"{item}-{name}.png")
            cells[name] = f"{folder.name}/{item}-{name}.png"
    return cells


def _points(scores: Iterable[float], *, three_point: bool) -> list[float]:
    """The accepted scores; with three points, 2 becomes 1."""
    return list(dict.fromkeys(min(score, 1) if three_point else score for score in scores))


def _accepted(scores: Iterable[float], *, three_point: bool) -> str:
    return "|".join(format_value(score) for score in _points(scores, three_point=three_point))


def _study(name: str, family: Family, second: str, *, three_point: bool) -> str:
    from jinja2 import Environment, StrictUndefined

    rubric = family.rubric
    form = resources.files(__package__).joinpath("study.yaml.jinja").read_text(encoding="utf-8")
    # It makes YAML, where HTML's escapes would be wrong; every word in it is ours.
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True)  # noqa: S701
    environment.filters |= {"scalar": scalar, "number": format_value, "indented": indented}
    criteria = [("consistency", rubric.consistency), (second, _renamed(rubric.realism, second))]
    examples = {
        (second if criterion == "realism" else criterion, value): case
        for (criterion, value), case in family.anchor_examples.items()
        if not (three_point and value == 2)
    }
    if three_point:  # the best of three is illustrated by the best of four
        examples |= {
            (second if criterion == "realism" else criterion, 1.0): case
            for (criterion, value), case in family.anchor_examples.items()
            if value == 2
        }
    return environment.from_string(form).render(
        name=name,
        rubric=rubric,
        three_point=three_point,
        instructions=_instructions(family, second),
        criteria=criteria,
        examples=examples,
        columns=["item", "category", *(given.name for given in rubric.inputs)],
        cases=[_case(case, second, three_point=three_point) for case in family.cases],
    )


def _renamed(anchors: Anchors, second: str) -> Anchors:
    if second == "realism":
        return anchors
    question = anchors.question.replace("Perceptual realism", "Perceptual quality")
    return replace(anchors, question=question)


def _case(case: WorkedCase, second: str, *, three_point: bool) -> dict[str, str]:
    scores = {"consistency": case.consistency, second: case.realism}
    written = {
        criterion: _points(accepted, three_point=three_point)
        for criterion, accepted in scores.items()
        if accepted
    }
    inside = ", ".join(f"{criterion}: {_flow(values)}" for criterion, values in written.items())
    return {
        "name": case.name,
        "words": _said(case.words, second),
        "reason": _said(case.reason, second),
        "scores": f"{{{inside}}}",
    }


def _said(words: str, second: str) -> str:
    """The words of a case, with the second criterion under the name it has here."""
    if second == "realism":
        return words
    return words.replace("realism", second).replace("Realism", second.capitalize())


def _flow(values: list[float]) -> str:
    words = [format_value(value) for value in values]
    return words[0] if len(words) == 1 else f"[{', '.join(words)}]"


def _instructions(family: Family, second: str) -> str:
    """What raters read first, as Markdown."""
    word = "realism" if second == "realism" else "quality"
    aside = (
        "The example pictures are drawings that stand in for photographs: take a clean drawing for "
        "a flawless photograph."
        if family.rubric.as_photograph
        else "The example pictures are drawn by a program: take a clean one for a finished work."
    )
    return "\n\n".join(
        [
            family.rubric.opening,
            f"Give two scores. **Semantic consistency** says how well the output does what was "
            f"asked. **Perceptual {word}** says how well it holds up as a picture, whatever was "
            "asked. Judge the two apart: a flawless picture of the wrong thing scores high on the "
            "second and low on the first.",
            "Take the score whose description fits best. If a picture is missing, black or broken, "
            "skip the trial and choose *broken content*.",
            aside,
        ]
    )


def indented(text: str, width: int) -> str:
    """Wrap Markdown paragraphs and indent them, for a block of YAML."""
    paragraphs = [textwrap.fill(part, 98 - width) for part in text.split("\n\n")]
    return textwrap.indent("\n\n".join(paragraphs), " " * width)


def scalar(text: str, width: int) -> str:
    """One line of words as YAML: plain where that is safe, folded where it is long."""
    if len(text) + width > 84:
        return ">-\n" + textwrap.indent(textwrap.fill(text, 98 - width), " " * width)
    safe = text[0].isalpha() and ": " not in text and " #" not in text
    return text if safe else json.dumps(text, ensure_ascii=False)
