"""Small studies that one rater finishes in a few trials, per protocol, and one with every medium.

System names, file names and hidden metadata carry words that must never reach a browser: SECRETS.
"""

from __future__ import annotations

import struct
import wave
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, PngImagePlugin

from tests.study.examples import write_csv, write_jsonl

SYSTEMS = ("zebra-model", "quagga-model")
SECRETS = (*SYSTEMS, "okapi-model", "tapir-model", "genuine-camera", "hushhush", "inputfile")
"""Names of systems, pieces of file names, and what is hidden inside the media."""

COLORS = ("#b3541e", "#1e6fb3", "#2f8f4e", "#7a3fb0")


def picture(path: Path, number: int, *, size: tuple[int, int] = (480, 360)) -> Path:
    """Draw a colored disk, with a note hidden in the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.new("RGB", size, "#e8ecef")
    draw = ImageDraw.Draw(image)
    x, y = size[0] // 2 + 30 * (number % 3 - 1), size[1] // 2
    draw.ellipse((x - 90, y - 90, x + 90, y + 90), fill=COLORS[number % 4])
    if path.suffix == ".png":
        info = PngImagePlugin.PngInfo()
        info.add_text("parameters", "hushhush")
        image.save(path, pnginfo=info)
    else:
        image.save(path, comment=b"hushhush", quality=88)
    return path


def sound(path: Path, *, seconds: float = 0.4) -> Path:
    """Write a short quiet tone, with a note hidden in the file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes(i % 40 for i in range(int(16000 * seconds))))
    note = b"LIST" + struct.pack("<I", 20) + b"INFOINAM" + struct.pack("<I", 8) + b"hushhush"
    content = path.read_bytes() + note
    path.write_bytes(b"RIFF" + struct.pack("<I", len(content) - 8) + content[8:])
    return path


def outputs(folder: Path, field: str, systems: Iterable[str], items: Mapping[str, Any]) -> None:
    """Write one table of outputs per system; each item gives a function of the system's number."""
    for number, system in enumerate(systems):
        rows = [{"item": item, field: text(number)} for item, text in items.items()]
        write_jsonl(folder / "outputs" / f"{system}.jsonl", rows)


def finish(folder: Path, text: str) -> Path:
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    return folder


def write_rate(folder: Path) -> Path:
    rows = []
    for n in (1, 2):
        picture(folder / "given" / f"inputfile-{n}.png", n)
        rows.append(
            {
                "item": f"edit-{n}",
                "instruction": f"Have the cow wear a hat, number {n}.",
                "input": f"given/inputfile-{n}.png",
            }
        )
        for k, system in enumerate(SYSTEMS):
            picture(folder / "images" / system / f"edit-{n}.png", n + k)
    write_jsonl(folder / "edits.jsonl", rows)
    practice = [
        {
            "item": "edit-1",
            "system": SYSTEMS[k],
            "consistency": value,
            "realism": "",
            "overall": "",
            "explanation": f"The hat is {'there' if k else 'missing'}.",
        }
        for k, value in ((0, "0"), (1, "1|2"))
    ]
    write_csv(folder / "practice.csv", practice)
    return finish(
        folder,
        """\
title: Text-guided editing
protocol: rate
items: edits.jsonl
outputs: images/{system}/{item}.png
show: {instruction: text, input: image, output: image}
instructions: Look at the input, then at the output.
criteria:
  consistency:
    question: Does the output do what was asked, and nothing else?
    scale:
      0: Key instruction missed, or a completely new background
      0.5: Partly done, unnatural or incomplete
      1: Done, with needless changes
      2: Exactly as asked
  realism:
    question: Does it look real?
    scale: {0: Broken, 0.5: Flawed, 1: Small flaws, 2: Flawless}
  overall: {question: "How good is it as a whole?", scale: 0-100}
design: {overlap: 1, raters: 1, seed: 7}
quality: {practice: practice.csv, practice_pass: 0.5}
consent: We store your ratings under the id you choose. **You can stop at any time.**
survey:
  vision:
    question: Is your color vision normal?
    choices: {yes: "Yes", no: "No", unsure: "I do not know"}
  field: {question: "What do you work on?", required: false}
access: {code: DONE-7, partial_code: HALF-7, payment: "9 euros an hour"}
""",
    )


def write_compare(folder: Path) -> Path:
    asked = "How do I cancel my subscription without losing the files I shared?"
    write_jsonl(folder / "prompts.jsonl", [{"item": f"q{n}", "prompt": asked} for n in (1, 2, 3)])
    outputs(
        folder,
        "answer",
        SYSTEMS,
        {
            f"q{n}": lambda k: (
                "Open **Settings → Subscription → Cancel**.\n\nShared files stay for 90 days."
                if k == 0
                else "Open *Settings*. Shared files are removed, so download them first."
            )
            for n in (1, 2, 3)
        },
    )
    gold = {
        "item": "sum",
        "prompt": "What is 2 + 2?",
        "answer_a": "It is 5.",
        "answer_b": "It is **4**.",
        "preference": "b",
        "explanation": "Two and two are four.",
    }
    write_csv(folder / "gold.csv", [gold])
    return finish(
        folder,
        """\
title: Does the new model answer better?
protocol: compare
items: prompts.jsonl
outputs: outputs/{system}.jsonl
show: {prompt: text, answer: markdown}
criteria:
  preference:
    question: Which answer would you rather get?
    choices: [a, b, tie, both_bad]
    confidence: {1: Slightly, 2: Fairly, 3: Clearly}
    reason: optional
design: {overlap: 1, raters: 1, seed: 7}
quality: {gold: gold.csv}
session: {break_every: 0.0001}
""",
    )


def write_sides(folder: Path) -> Path:
    write_jsonl(folder / "prompts.jsonl", [{"item": "q1", "prompt": "Why is the sky blue?"}])
    outputs(folder, "answer", SYSTEMS, {"q1": lambda k: ("Rayleigh scattering.", "Dust.")[k]})
    return finish(
        folder,
        """\
title: Graded comparison with sides
protocol: compare
items: prompts.jsonl
outputs: outputs/{system}.jsonl
show: {prompt: text, answer: text}
criteria:
  preference: {question: "Which one is better, and by how much?", scale: cmos}
  correctness: {question: "How correct is this answer?", scale: acr, per: output}
design: {overlap: 1, raters: 1, seed: 7}
""",
    )


def write_graded(folder: Path) -> Path:
    write_sides(folder)
    text = (folder / "study.yaml").read_text()
    lines = [line for line in text.splitlines() if "correctness" not in line]
    return finish(folder, "\n".join(lines).replace("with sides", "alone") + "\n")


def write_shared(folder: Path) -> Path:
    """Three comparisons in two booklets, of two and of one."""
    write_graded(folder)
    items = ("q1", "q2", "q3")
    write_jsonl(folder / "prompts.jsonl", [{"item": q, "prompt": f"What is {q}?"} for q in items])
    outputs(folder, "answer", SYSTEMS, {q: lambda k: ("This.", "That.")[k] for q in items})
    text = (folder / "study.yaml").read_text()
    return finish(folder, text.replace("raters: 1", "raters: 2"))


CAPTIONS = ("A red disk.", "A disk on a light ground.", "A cat.", "Something round.")


def write_rank(folder: Path) -> Path:
    picture(folder / "pictures" / "inputfile-1.png", 1)
    picture(folder / "pictures" / "inputfile-2.png", 2)
    write_csv(
        folder / "pictures.csv",
        [{"item": f"p{n}", "picture": f"pictures/inputfile-{n}.png"} for n in (1, 2)],
    )
    systems = (*SYSTEMS, "okapi-model", "tapir-model")
    outputs(folder, "caption", systems, {f"p{n}": lambda k: CAPTIONS[k] for n in (1, 2)})
    return finish(
        folder,
        """\
title: Which caption fits the picture best?
protocol: rank
items: pictures.csv
outputs: outputs/{system}.jsonl
show: {picture: image, caption: text}
criteria:
  fit: {question: "Put the captions in order, best first.", answer: order, ties: true}
design: {outputs_per_trial: 4, overlap: 1, raters: 1, seed: 7}
""",
    )


def write_best(folder: Path) -> Path:
    write_jsonl(
        folder / "prompts.jsonl", [{"item": "disk", "prompt": "A red disk on a light ground"}]
    )
    for k, system in enumerate((*SYSTEMS, "okapi-model")):
        picture(folder / "images" / system / "disk.jpg", k)
    return finish(
        folder,
        """\
title: Which picture is the best?
protocol: rank
items: prompts.jsonl
outputs: images/{system}/{item}.jpg
show: {prompt: text, output: image}
criteria:
  best: {question: "Which picture is the best?", answer: best}
design: {outputs_per_trial: 3, overlap: 1, raters: 1, seed: 7}
""",
    )


def write_detect(folder: Path) -> Path:
    for n in range(1, 5):
        picture(folder / "images" / "genuine-camera" / f"photo-{n}.jpg", n)
        picture(folder / "images" / "zebra-model" / f"photo-{n}.jpg", n + 1)
    rows = [
        {"item": f"photo-{n}", "system": system, "origin": right, "explanation": "See the edge."}
        for n, system, right in ((1, "genuine-camera", "real"), (2, "zebra-model", "generated"))
    ]
    write_csv(folder / "practice.csv", rows)
    return finish(
        folder,
        """\
title: Photograph or generated?
protocol: detect
outputs: images/{system}/{item}.jpg
show: {output: {as: image, seconds: 5}}
real: [genuine-camera]
criteria:
  origin: {question: "Is this a photograph or a generated image?", confidence: 5}
design: {items: 2, real_share: 0.5, overlap: 1, raters: 1, seed: 7}
quality: {practice: practice.csv, practice_pass: 1, exclude: {practice_failed: true}}
""",
    )


TRANSLATIONS = (
    "The dog 👩‍🔬 eat becauze he is tired, naïve cafe\u0301 مرحبا بالعالم.",
    "The dog sleeps because it is tired.",
)


def write_mark(folder: Path) -> Path:
    source = "Der Hund schläft, denn er ist müde."
    write_csv(folder / "sources.csv", [{"item": "s1", "source": source}])
    outputs(folder, "translation", SYSTEMS, {"s1": lambda k: TRANSLATIONS[k]})
    return finish(
        folder,
        """\
title: Where does the translation go wrong?
protocol: mark
items: sources.csv
outputs: outputs/{system}.jsonl
show: {source: text, translation: text}
criteria:
  errors:
    question: Mark every error, then give its category and severity.
    field: translation
    categories:
      accuracy: Meaning added, lost or changed
      fluency: Grammar, spelling
      style: Unnatural wording
    severities: {minor: 1, major: 5}
  overall: {question: "How good is the translation as a whole?", scale: 0-100}
design: {overlap: 1, raters: 1, seed: 7}
""",
    )


def write_media(folder: Path, film: bytes) -> Path:
    """One trial per system with every medium at once."""
    for n in (1, 2, 3):
        picture(folder / "m" / f"inputfile-{n}.jpg", n)
    (folder / "m" / "inputfile-film.webm").write_bytes(film)
    item = {
        "item": "all",
        "question": "What happens here?",
        "talk": [
            {"role": "user", "text": "How do I print in Python?"},
            {"role": "assistant", "text": "Use print."},
        ],
        "ideal": "The one true answer.",
        "steps": [f"m/inputfile-{n}.jpg" for n in (1, 2, 3)],
    }
    write_jsonl(folder / "items.jsonl", [item])
    for k, system in enumerate(SYSTEMS):
        sound(folder / "m" / f"{system}.wav")
        row = {
            "item": "all",
            "story": ["First the disk moves.", f"Then it changes its color, says {k}."],
            "listing": "def hello():\n    print('hello')  # <b>not bold</b>\n",
            "speech": f"m/{system}.wav",
            "film": "m/inputfile-film.webm",
            "arabic": "مرحبا بالعالم 123",
        }
        write_jsonl(folder / "outputs" / f"{system}.jsonl", [row])
    return finish(
        folder,
        """\
title: Everything that can be shown
protocol: rate
items: items.jsonl
outputs: outputs/{system}.jsonl
show:
  question: text
  talk: chat
  ideal: {as: text, reference: true, caption: Reference}
  steps: {as: images, between: story}
  listing: code
  speech: {as: audio, play: to-the-end}
  film: video
  arabic: text
criteria:
  overall: {question: "How good is it?", scale: acr}
design: {overlap: 1, raters: 1, seed: 7}
""",
    )


def write_groups(folder: Path) -> Path:
    """Write the comparison for two groups of raters, of which the invitation tells one."""
    write_compare(folder)
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    text = text.replace("{overlap: 1, raters: 1, seed: 7}", "{overlap: 1, seed: 7}")
    groups = "{groups: {expert: 1, crowd: 2}, each: true}"
    return finish(folder, f"{text}access: {{invited: true}}\nraters: {groups}\n")


def write_panel(folder: Path) -> Path:
    """Three systems rated by a panel that calibrates first, with gold trials and rules."""
    systems = (*SYSTEMS, "okapi-model")
    asked = ("Why is the sky blue?", "How do tides come about?", "What is yeast?", "Who was Ada?")
    items = {f"q{n}": text for n, text in enumerate(asked, start=1)}
    rows = [{"item": item, "prompt": text} for item, text in items.items()]
    write_jsonl(folder / "prompts.jsonl", rows)
    said = ("In short: it depends.", "Light, water and time explain it.", "I do not know.")
    outputs(folder, "answer", systems, {item: lambda k: said[k] for item in items})
    gold = [
        {
            "item": f"sum-{n}",
            "prompt": f"What is {n} + {n}?",
            "answer": f"It is {2 * n}.",
            "correct": "5",
            "clear": "",
            "explanation": "The sum is right.",
        }
        for n in (1, 2)
    ]
    write_csv(folder / "gold.csv", gold)
    return finish(
        folder,
        """\
title: Are the answers right?
protocol: rate
items: prompts.jsonl
outputs: outputs/{system}.jsonl
show: {prompt: text, answer: text}
criteria:
  correct: {question: "How correct is the answer?", scale: acr}
  clear: {question: "How clear is the answer?", scale: acr}
design: {overlap: 3, raters: 4, seed: 7}
quality:
  gold: gold.csv
  calibration: {items: 2, target: 0.6}
  exclude: {gold_below: 0.6, straight_line: 0.9}
analysis: {primary: {mean: [zebra-model, quagga-model]}}
""",
    )


def write_mturk(folder: Path) -> Path:
    """Write the graded comparison as it is shown on Mechanical Turk."""
    text = (write_graded(folder) / "study.yaml").read_text(encoding="utf-8")
    return finish(folder, f"{text}access: {{mturk: true, payment: 2 dollars}}\n")


def write_rules(folder: Path) -> Path:
    """Write the comparison with every rule that may leave answers out."""
    text = (write_compare(folder) / "study.yaml").read_text(encoding="utf-8")
    rules = (
        "{gold_below: 0.7, attention_failed: 2, faster_than: 1.5, straight_line: 0.9, "
        "agreement_below: 0.1}"
    )
    quality = f"{{gold: gold.csv, attention: gold.csv, exclude: {rules}}}"
    return finish(folder, text.replace("{gold: gold.csv}", quality))


WRITERS: dict[str, Callable[[Path], Path]] = {
    "rate": write_rate,
    "compare": write_compare,
    "sides": write_sides,
    "graded": write_graded,
    "shared": write_shared,
    "rank": write_rank,
    "best": write_best,
    "detect": write_detect,
    "mark": write_mark,
    "groups": write_groups,
    "mturk": write_mturk,
    "rules": write_rules,
    "panel": write_panel,
}


def write_study(name: str, folder: Path) -> Path:
    """Write one of the small studies; gives the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    return WRITERS[name](folder)
