"""The studies of the covering set: two short trials of any form, with outputs of any medium."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.study.examples import write_jsonl
from tests.web.films import film
from tests.web.media_studies import clicks, write_wave
from tests.web.studies import finish, picture

CODE = "DONE-7"
SENTENCE = "The dog 👩‍🔬 cafe\u0301 مرحبا sleeps becauze he is tired, says system {number}."
MARKED = ("sleeps", "becauze")
"""Two neighboring words after an emoji, a combining accent and Arabic."""

FORMS: dict[str, str] = {
    "rate": """\
protocol: rate
criteria:
  good: {question: "How good is it?", scale: acr}
  whole: {question: "And as a whole?", scale: 0-100}
""",
    "rows": """\
protocol: rate
criteria: {quality: {question: "How good is each recording?", scale: 0-100}}
""",
    "compare": """\
protocol: compare
criteria: {preference: {question: "Which one is better?", choices: [a, b, tie, both_bad]}}
""",
    "graded": """\
protocol: compare
criteria: {preference: {question: "Which one is better, and by how much?", scale: cmos}}
""",
    "rank": """\
protocol: rank
criteria: {fit: {question: "Put them in order, best first.", answer: order, ties: true}}
""",
    "best": """\
protocol: rank
criteria: {best: {question: "Which one is the best?", answer: best}}
""",
    "detect": """\
protocol: detect
real: [genuine-camera]
criteria: {origin: {question: "Is this real or generated?", confidence: 5}}
""",
    "mark": """\
protocol: mark
criteria:
  errors:
    question: Mark every error, then give its category and severity.
    field: made
    categories: {accuracy: Meaning changed, fluency: "Grammar, spelling"}
    severities: {minor: 1, major: 5}
""",
}
SYSTEMS = {
    "rows": ("zebra-model", "quagga-model", "okapi-model"),
    "rank": ("zebra-model", "quagga-model", "okapi-model"),
    "best": ("zebra-model", "quagga-model", "okapi-model"),
    "detect": ("genuine-camera", "zebra-model"),
}
TWO = ("zebra-model", "quagga-model")
ITEMS = {"rate": 1, "mark": 1, "detect": 4}
"""Two elsewhere: with one output on a screen, each output of one item makes a trial."""
DESIGN = {
    "rows": ", outputs_per_trial: all",
    "rank": ", outputs_per_trial: 3",
    "best": ", outputs_per_trial: 3",
    "detect": ", items: 2, real_share: 0.5",
}


def write_case(folder: Path, *, form: str, medium: str, language: str) -> Path:
    """Write a study of two trials for one rater."""
    folder.mkdir(parents=True)
    systems = SYSTEMS.get(form, TWO)
    items = tuple(f"i{number}" for number in range(ITEMS.get(form, 2)))
    asked = [{"item": item, "asked": "What do you make of it?"} for item in items]
    write_jsonl(folder / "items.jsonl", asked)
    for number, system in enumerate(systems):
        made = [
            {"item": item, "made": output(folder, medium, number, f"{item}-{system}")}
            for item in items
        ]
        write_jsonl(folder / "outputs" / f"{system}.jsonl", made)
    design = f"overlap: 1, raters: 1, seed: 7{DESIGN.get(form, '')}"
    return finish(
        folder,
        f"title: One of many\nitems: items.jsonl\noutputs: outputs/{{system}}.jsonl\n"
        f"show: {{asked: text, made: {medium}}}\nlanguage: {language}\n{FORMS[form]}"
        f"design: {{{design}}}\naccess: {{code: {CODE}}}\n",
    )


def output(folder: Path, medium: str, number: int, name: str) -> Any:
    """What a system made, as its table holds it."""
    sentence = SENTENCE.format(number=number)
    match medium:
        case "text":
            return sentence
        case "markdown":
            return f"**Answer.** {sentence}\n\n- first\n- second"
        case "code":
            return f"def answer():\n    return '{sentence}'"
        case "chat":
            return [
                {"role": "user", "text": "Say something."},
                {"role": "assistant", "text": sentence},
            ]
        case "image":
            return _in(folder, picture(folder / "media" / f"{name}.png", number))
        case "images":
            return [
                _in(folder, picture(folder / "media" / f"{name}-{k}.png", number + k))
                for k in range(3)
            ]
        case "audio":
            wave = clicks(1, 0.5 - 0.1 * number)
            return _in(folder, write_wave(folder / "media" / f"{name}.wav", wave))
        case _:
            path = folder / "media" / f"{name}.webm"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(film())
            return _in(folder, path)


def _in(folder: Path, path: Path) -> str:
    return path.relative_to(folder).as_posix()
