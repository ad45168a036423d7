"""The six studies of the syntax page, each with small real tables and drawn pictures.

``write_example("rate", directory)`` gives a folder that passes ``jurybox check``; tests of
every room may use it.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

STUDIES = Path(__file__).parent / "studies"
EXAMPLES: dict[str, str] = {
    name: (STUDIES / f"{name}.yaml").read_text(encoding="utf-8")
    for name in ("smallest", "rate", "compare", "rank", "detect", "mark")
}
"""Name of the example to the text of its study.yaml."""

COLORS = ["#b3541e", "#1e6fb3", "#2f8f4e", "#7a3fb0", "#b01e5c", "#5c6670"]
SHAPES: list[Callable[..., Any]] = [
    ImageDraw.ImageDraw.ellipse,
    ImageDraw.ImageDraw.rectangle,
    lambda draw, box, fill: draw.polygon([(box[0], box[3]), (box[2], box[3]), (32, box[1])], fill),
]


def draw_picture(path: Path, number: int, *, noise: int = 0) -> Path:
    """Draw a colored shape on a light ground; ``noise`` adds that many stray lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.new("RGB", (64, 48), "#eef1f4")
    draw = ImageDraw.Draw(image)
    SHAPES[number % 3](draw, (16, 8, 48, 40), fill=COLORS[number % len(COLORS)])
    for line in range(noise):
        draw.line(
            [(0, 7 * line + 3), (63, 40 - 5 * line)], fill=COLORS[(number + line) % 6], width=1
        )
    image.save(path)
    return path


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]], *, delimiter: str = ",") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def write_example(name: str, directory: Path, *, items: int = 6) -> Path:
    """Write the example with its tables and media; gives the folder."""
    directory.mkdir(parents=True, exist_ok=True)
    WRITERS[name](directory, items)
    text = EXAMPLES[name].replace("items: 100", f"items: {2 * items}")
    (directory / "study.yaml").write_text(text, encoding="utf-8")
    return directory


def _answers(directory: Path, items: int) -> None:
    topics = ["history", "cooking", "travel"]
    prompts = [
        {
            "item": f"q{n}",
            "prompt": f"What should I know about {topics[n % 3]} in year {1900 + n}?",
            "topic": topics[n % 3],
        }
        for n in range(1, items + 1)
    ]
    write_jsonl(directory / "prompts.jsonl", prompts)
    for system, words in (("new", "Three things matter:"), ("old", "It depends.")):
        write_jsonl(
            directory / "answers" / f"{system}.jsonl",
            (
                {"item": row["item"], "answer": f"{words}\n\n- *one* for {row['item']}\n- two"}
                for row in prompts
            ),
        )


def _compare(directory: Path, items: int) -> None:
    _answers(directory, items)
    write_csv(
        directory / "gold.csv",
        [
            {
                "item": "q1",
                "system_a": "new",
                "system_b": "old",
                "prompt": "",
                "answer_a": "",
                "answer_b": "",
                "preference": "a",
                "correctness_a": "4|5",
                "correctness_b": "",
                "explanation": "The first answer says what matters, the second says nothing.",
            },
            {
                "item": "g2",
                "system_a": "",
                "system_b": "",
                "prompt": "What is 2 + 2?",
                "answer_a": "It is 5.",
                "answer_b": "It is **4**.",
                "preference": "b",
                "correctness_a": "1",
                "correctness_b": "5",
                "explanation": "Two and two are four.",
            },
        ],
    )


def _rate(directory: Path, items: int) -> None:
    edits = []
    for n in range(1, items + 1):
        draw_picture(directory / "input" / f"e{n}.png", n)
        edits.append(
            {
                "item": f"e{n}",
                "instruction": f"Make the shape number {n} blue.",
                "input": f"input/e{n}.png",
                "category": ["color", "shape"][n % 2],
            }
        )
        for noise, system in enumerate(("brush", "magic", "plain")):
            draw_picture(directory / "images" / system / f"e{n}.png", n + 1, noise=2 * noise)
    write_jsonl(directory / "edits.jsonl", edits)


def _rank(directory: Path, items: int) -> None:
    pictures, captions = [], []
    for n in range(1, items + 1):
        draw_picture(directory / "pictures" / f"p{n}.png", n)
        pictures.append({"item": f"p{n}", "picture": f"pictures/p{n}.png"})
        for system, words in zip(
            ("ada", "bert", "cleo", "dora"),
            ("A shape", "Something", "A colored shape", "A cat"),
            strict=True,
        ):
            captions.append(
                {"item": f"p{n}", "system": system, "caption": f"{words}, picture {n}."}
            )
    write_csv(directory / "pictures.csv", pictures)
    write_csv(directory / "captions.csv", captions)


def _detect(directory: Path, items: int) -> None:
    for n in range(1, 2 * items + 1):
        draw_picture(directory / "images" / "real" / f"photo{n}.jpg", n)
        for noise, system in enumerate(("model-x", "model-y"), start=1):
            draw_picture(directory / "images" / system / f"scene{n}.jpg", n, noise=2 * noise)
    rows = []
    for n in range(1, 6):
        answer = "real" if n % 2 else "generated"
        draw_picture(directory / "practice" / f"t{n}.jpg", n, noise=0 if n % 2 else 4)
        rows.append(
            {
                "output": f"practice/t{n}.jpg",
                "origin": answer,
                "explanation": "Stray lines give it away." if n % 2 == 0 else "Clean.",
            }
        )
    write_csv(directory / "practice.csv", rows)
    (directory / "hints.md").write_text(
        "Take your time, then trust the first impression.\n", "utf-8"
    )


def _mark(directory: Path, items: int) -> None:
    sources, translations = [], []
    for n in range(1, items + 1):
        sources.append(
            {"item": f"s{n}", "source": f"Der Hund Nummer {n} schläft, denn er ist müde."}
        )
        for system, words in (
            ("alpha", "sleeps because he is tired"),
            ("beta", "eat becauze tired"),
        ):
            translations.append(
                {"item": f"s{n}", "system": system, "translation": f"The dog number {n} {words}."}
            )
    write_csv(directory / "sources.tsv", sources, delimiter="\t")
    write_csv(directory / "translations.tsv", translations, delimiter="\t")


WRITERS: dict[str, Callable[[Path, int], None]] = {
    "smallest": _answers,
    "rate": _rate,
    "compare": _compare,
    "rank": _rank,
    "detect": _detect,
    "mark": _mark,
}
