"""Write the demo study to a directory: its file, its tables and its pictures.

What a picture shows follows the planted truth of its item and system, so that a guest who rates the
demo sees the same differences that the simulated raters do.
"""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image

from jurybox.errors import InputError
from jurybox.simulate.demo.ideas import Idea, known_ideas, make_ideas
from jurybox.simulate.truth import Kind, Truth, draw_effect
from jurybox.study.model import ItemId, SystemId
from jurybox.study.templates.draw import Picture, Studio

__all__ = ["DEMO_RATERS", "EQUAL", "PRIMARY", "demo_truth", "is_demo", "write_demo_study"]

MARK = "# The study that `jurybox demo` writes"
PRIMARY = "fidelity"
EQUAL = (SystemId("basalt"), SystemId("cirrus"))
"""The two systems that are planted exactly equal."""

DEMO_RATERS: tuple[Kind, ...] = (
    "careful", "careful", "drop_out", "careful", "speeder", "careful", "careful", "careful",
    "straight_liner", "careful", "careful", "coin_flipper", "careful", "careful", "careful",
)  # fmt: skip

STUDY = """\
{mark}: five picture makers, two of them equal, and simulated raters.
title: Does the picture show what was asked for?
description: >-
  Five systems drew a picture from a sentence and wrote a caption for it. Their true quality is
  planted, so that one can see whether the analysis finds it.
protocol: rate
items: items.csv                       # item, instruction, category
outputs: outputs.csv                   # item, system, output (a picture), caption
show: {{instruction: text, output: image, caption: markdown}}
instructions: >-
  You see a request, a picture and its caption. Compare the picture with the request first, then
  judge how well it is made. Say what you see; there is no need to guess who made it.
criteria:
  fidelity:
    question: Does the picture show what was asked for?
    scale:
      0: The request is missed
      0.5: Only part of it is there
      1: It is there, with one detail wrong
      2: Everything asked for is there
    pass: 1
  quality:
    question: How well are the picture and its caption made?
    scale:
      1: Broken, hard to recognize
      2: Heavy flaws
      3: Flaws that disturb
      4: Small flaws
      5: No flaws
    pass: 4
design: {{overlap: 4, raters: {raters}, seed: {seed}}}
quality:
  practice: practice.csv
  gold: gold.csv
  exclude: {{gold_below: 0.6, faster_than: 2.5, straight_line: 0.9}}
session: {{minutes: 20}}
analysis: {{primary: {{criterion: fidelity, mean: [aurora, basalt]}}}}
"""

FLAWS: tuple[Callable[[Picture], Picture], ...] = (
    lambda p: p.with_flaw("tear", bands=9).with_flaw("noise", amount=60),
    lambda p: p.with_flaw("blur", radius=4).with_flaw("noise", amount=28),
    lambda p: p.with_flaw("blur", radius=2),
    lambda p: p.with_flaw("dull", share=0.45),
    lambda p: p,
)
"""What is done to a picture of quality 1 to 5."""

VARIED: Mapping[str, tuple[dict[str, Any], ...]] = {
    "lake": tuple({"firs": count} for count in range(2, 7)),
    "meadow": (
        {},
        {"also": "tree"},
        {"scale": 1.1},
        {"scale": 1.35},
        {"also": "tree", "scale": 1.1},
    ),
    "cottage": ({}, {"chimney": False}, {"has_tree": False}, {"roof": "brown"}, {"roof": "navy"}),
    "fruits": ({}, {"cloth": "teal"}, {"cloth": "cream"}, {"cloth": "pink"}, {"cloth": "navy"}),
}

Row = Mapping[str, Any]


def demo_truth() -> Truth:
    """What is planted in the demo; two systems are exactly equal."""
    return Truth(
        quality={
            "fidelity": {
                "aurora": 0.82, "basalt": 0.64, "cirrus": 0.64, "delta": 0.5, "ember": 0.34,
            },
            "quality": {
                "aurora": 0.76, "basalt": 0.62, "cirrus": 0.62, "delta": 0.58, "ember": 0.4,
            },
        },
        seconds=9.0,
    )  # fmt: skip


def is_demo(directory: Path) -> bool:
    """Whether the directory holds a demo study, and may be written anew."""
    try:
        with (directory / "study.yaml").open(encoding="utf-8") as file:
            return file.readline().startswith(MARK)
    except OSError:
        return False


def write_demo_study(
    directory: Path, *, seed: int, progress: Callable[[int, int], None] | None = None
) -> Path:
    """Write the study and give the path of its file; an older demo in the directory is replaced.

    ``progress`` is told how many of how many pictures are drawn.
    """
    if directory.exists() and any(directory.iterdir()) and not is_demo(directory):
        raise InputError(
            f"{directory} is not empty and holds no demo; name another directory, as in "
            "`jurybox demo my-demo`"
        )
    _clear(directory)
    truth, ideas = demo_truth(), make_ideas()
    pictures = _Pictures(directory, len(ideas) * len(truth.quality[PRIMARY]) + 9, progress)
    _table(
        directory / "items.csv",
        ({"item": i.name, "instruction": i.instruction, "category": i.category} for i in ideas),
    )
    _table(directory / "outputs.csv", _outputs(pictures, truth, ideas, seed))
    _table(directory / "gold.csv", _known(pictures, "gold", GOLD))
    _table(directory / "practice.csv", _known(pictures, "practice", PRACTICE))
    path = directory / "study.yaml"
    text = STUDY.format(mark=MARK, raters=len(DEMO_RATERS), seed=seed)
    path.write_text(text, encoding="utf-8")
    return path


def _clear(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    # Only what a demo consists of: somebody may have put notes beside it.
    for name in ("pictures", "report", "guest"):
        shutil.rmtree(directory / name, ignore_errors=True)
    for path in directory.glob("study.db*"):
        path.unlink()


def _table(path: Path, rows: Iterable[Row]) -> None:
    listed = list(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(listed[0]))
        writer.writeheader()
        writer.writerows(listed)


@dataclass(slots=True)
class _Pictures:
    """Draws pictures into the study and counts them; the file names give nothing away."""

    directory: Path
    total: int
    progress: Callable[[int, int], None] | None
    drawn: int = 0
    studio: Studio = field(default_factory=Studio)

    def add(self, picture: Picture) -> str:
        self.drawn += 1
        name = f"pictures/{self.drawn:03}.png"
        path = self.directory / name
        path.parent.mkdir(exist_ok=True)
        few = self.studio.draw(picture).quantize(
            64, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE
        )
        few.save(path, "PNG")
        if self.progress is not None:
            self.progress(self.drawn, self.total)
        return name


def _level(truth: Truth, criterion: str, item: str, system: SystemId, seed: int) -> float:
    """The latent of an output before any rater sees it."""
    return (
        truth.of(criterion, system)
        + truth.item_sd * draw_effect(seed, "item", criterion, item)
        + truth.item_system_sd * draw_effect(seed, "item×system", criterion, item, system)
    )


def _step(latent: float, steps: int) -> int:
    return min(max(int(latent * steps // 1), 0), steps - 1)


def _outputs(pictures: _Pictures, truth: Truth, ideas: Sequence[Idea], seed: int) -> Iterable[Row]:
    for idea in ideas:
        for name in truth.quality[PRIMARY]:
            system, item = SystemId(name), ItemId(idea.name)
            shown = idea.levels[_step(_level(truth, "fidelity", item, system, seed), 4)]
            made = _step(_level(truth, "quality", item, system, seed), 5)
            yield {
                "item": item,
                "system": system,
                "output": pictures.add(FLAWS[made](_varied(shown.picture, seed, item, system))),
                "caption": _caption(shown.sentence, made),
            }


def _varied(picture: Picture, seed: int, item: str, system: str) -> Picture:
    """The same picture with another detail that nobody asked for: no two systems draw alike."""
    chance = draw_effect(seed, "detail", item, system)
    detail = VARIED[picture.scene][int(abs(chance) * 1000) % 5]
    return picture.but(**detail)


def _caption(sentence: str, made: int) -> str:
    """The sentence; the worse the system writes, the less of it is left in order."""
    words = sentence.split()
    if made == 0:
        words = [word for k, word in enumerate(words) for _ in range(2 if k % 3 == 1 else 1)]
    if made <= 1:
        return " ".join(words).lower()
    return " ".join(words) + "."


# Idea, level of fidelity, level of quality, right answers, why.
GOLD = (
    (0, 3, 4, "2", "4|5", ""),
    (1, 0, 0, "0|0.5", "1|2", ""),
    (2, 3, 4, "2", "4|5", ""),
    (3, 0, 4, "0|0.5", "4|5", ""),
    (0, 0, 0, "0|0.5", "1|2", ""),
)
PRACTICE = (
    (1, 3, 4, "2", "4|5", "Animal, hat and place are all as asked, and the picture is clean."),
    (2, 2, 4, "1", "4|5", "The cottage and the night are there; the door has another color."),
    (3, 0, 1, "0|0.5", "1|2", "None of the fruits is there, and the picture is blurred and noisy."),
    (0, 3, 1, "2", "1|2", "Everything asked for is there; how well it is made comes second."),
)  # fmt: skip


def _known(
    pictures: _Pictures, kind: str, rows: Sequence[tuple[int, int, int, str, str, str]]
) -> Iterable[Row]:
    ideas = known_ideas()
    for number, (which, level, made, fidelity, quality, why) in enumerate(rows, start=1):
        shown = ideas[which].levels[level]
        yield {
            "item": f"{kind}-{number}",
            "instruction": ideas[which].instruction,
            "output": pictures.add(FLAWS[made](shown.picture)),
            "caption": _caption(shown.sentence, made),
            "fidelity": fidelity,
            "quality": quality,
            "explanation": why,
        }
