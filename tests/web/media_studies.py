"""Small studies about one medium each: pictures to compare, recordings, films, and broken files."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np

from tests.study.examples import write_csv, write_jsonl
from tests.web.studies import SYSTEMS, finish, picture

RATE = 48_000
EVERY = 0.1
"""Seconds from one click of a click train to the next."""


def write_wave(path: Path, values: np.ndarray, *, rate: int = RATE) -> Path:
    """Write one channel of numbers from −1 to 1."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.round(32767 * values).astype("<i2").tobytes())
    return path


def clicks(seconds: float, height: float) -> np.ndarray:
    """A click train: one sample high every tenth of a second."""
    values = np.zeros(int(RATE * seconds))
    values[:: int(RATE * EVERY)] = height
    return values


def write_pair(folder: Path) -> Path:
    """Two pictures of the same scene, and the one both were made from."""
    write_jsonl(folder / "items.jsonl", [{"item": "disk", "original": "given/inputfile.png"}])
    picture(folder / "given" / "inputfile.png", 0, size=(640, 480))
    for number, system in enumerate(SYSTEMS):
        picture(folder / "images" / system / "disk.jpg", number, size=(640, 480))
    return finish(
        folder,
        """\
title: Which edit is cleaner?
protocol: compare
items: items.jsonl
outputs: images/{system}/{item}.jpg
show: {original: {as: image, reference: true}, output: image}
criteria:
  preference: {question: "Which picture is cleaner?", choices: [a, b, tie]}
design: {overlap: 1, raters: 1, seed: 7}
""",
    )


def write_brief(folder: Path) -> Path:
    """A picture that is seen for half a second, and one that must be."""
    write_jsonl(folder / "items.jsonl", [{"item": "disk"}])
    picture(folder / "images" / "genuine-camera" / "disk.jpg", 0)
    picture(folder / "images" / "zebra-model" / "disk.jpg", 1)
    return finish(
        folder,
        """\
title: Photograph or generated?
protocol: detect
items: items.jsonl
outputs: images/{system}/{item}.jpg
show: {output: {as: image, seconds: 0.5}}
real: [genuine-camera]
design: {overlap: 1, raters: 2, seed: 7}
""",
    )


def write_look(folder: Path) -> Path:
    """A picture that must be looked at for a second before the answer."""
    write_brief(folder)
    return finish(
        folder,
        """\
title: How good is it?
protocol: rate
items: items.jsonl
outputs: images/{system}/{item}.jpg
show: {output: {as: image, seconds: 1}}
criteria: {overall: {question: "How good is it?", scale: acr}}
design: {overlap: 1, raters: 1, seed: 7}
""",
    )


def write_sounds(folder: Path) -> Path:
    """Two click trains that differ by their sign, and the louder one both were made from."""
    write_jsonl(folder / "items.jsonl", [{"item": "train", "original": "given/inputfile.wav"}])
    write_wave(folder / "given" / "inputfile.wav", clicks(4, 0.9))
    for system, height in zip(SYSTEMS, (0.6, -0.6), strict=True):
        write_wave(folder / "sounds" / system / "train.wav", clicks(4, height))
    return finish(
        folder,
        """\
title: Which recording is closer to the original?
protocol: compare
items: items.jsonl
outputs: sounds/{system}/{item}.wav
show: {original: {as: audio, reference: true, caption: Reference}, output: {as: audio}}
criteria:
  preference: {question: "Which recording is closer to the reference?", choices: [a, b, tie]}
design: {overlap: 1, raters: 1, seed: 7}
""",
    )


def write_long(folder: Path) -> Path:
    """Two recordings of more than five minutes, too long to be held in memory."""
    write_sounds(folder)
    for path in folder.rglob("*.wav"):
        write_wave(path, np.tile(clicks(1, 0.5)[::6], 301), rate=RATE // 6)
    return folder


def write_headphones(folder: Path) -> Path:
    """The recordings, after a page about volume and headphones."""
    write_sounds(folder)
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    return finish(folder, f"{text}session: {{headphones: true}}\n")


def write_heard(folder: Path) -> Path:
    """Two short recordings of different length that must be played to the end."""
    write_jsonl(folder / "items.jsonl", [{"item": "word", "text": "Say something."}])
    for system, seconds in zip(SYSTEMS, (0.6, 0.9), strict=True):
        write_wave(folder / "sounds" / system / "word.wav", clicks(seconds, 0.5))
    return finish(
        folder,
        """\
title: Which voice is more natural?
protocol: compare
items: items.jsonl
outputs: sounds/{system}/{item}.wav
show: {text: text, output: {as: audio, play: to-the-end}}
criteria: {preference: {question: "Which one is more natural?", choices: [a, b]}}
design: {overlap: 1, raters: 1, seed: 7}
""",
    )


def write_mushra(folder: Path) -> Path:
    """A listening test with a hidden reference and an anchor among five outputs."""
    write_csv(folder / "items.csv", [{"item": "train", "original": "given/inputfile.wav"}])
    write_wave(folder / "given" / "inputfile.wav", clicks(3, 0.9))
    systems = (*SYSTEMS, "okapi-model", "tapir-model", "genuine-camera")
    for number, system in enumerate(systems):
        write_wave(folder / "sounds" / system / "train.wav", clicks(3, 0.9 - 0.1 * number))
    return finish(
        folder,
        """\
title: How close is it to the reference?
protocol: rate
items: items.csv
outputs: sounds/{system}/{item}.wav
show: {original: {as: audio, reference: true, caption: Reference}, output: {as: audio}}
criteria:
  quality:
    question: How good is each recording, compared with the reference?
    scale:
      anchors: {0: Bad, 20: Poor, 40: Fair, 60: Good, 80: Excellent, 100: As the reference}
design: {outputs_per_trial: all, overlap: 1, raters: 1, seed: 7}
""",
    )


def write_mushra_practice(folder: Path) -> Path:
    """The same with a practice trial of two of its outputs."""
    write_mushra(folder)
    row = {
        "item": "train",
        "systems": "|".join(SYSTEMS),
        "quality_1": "90..100",
        "quality_2": "0..40",
        "explanation": "A is as loud as the reference.",
    }
    write_csv(folder / "practice.csv", [row])
    with (folder / "study.yaml").open("a", encoding="utf-8") as file:
        file.write("quality: {practice: practice.csv}\n")
    return folder


def write_films(folder: Path, film: bytes) -> Path:
    """Two films side by side."""
    write_jsonl(folder / "items.jsonl", [{"item": "move", "text": "A square moves."}])
    for system in SYSTEMS:
        (folder / "films" / system).mkdir(parents=True)
        (folder / "films" / system / "move.webm").write_bytes(film)
    return finish(
        folder,
        """\
title: Which film is smoother?
protocol: compare
items: items.jsonl
outputs: films/{system}/{item}.webm
show: {text: text, output: video}
criteria: {preference: {question: "Which film is smoother?", choices: [a, b, tie]}}
design: {overlap: 1, raters: 1, seed: 7}
""",
    )


def write_examples(folder: Path, film: bytes) -> Path:
    """Recordings on a scale whose values are explained by a recording, a film and a picture."""
    write_sounds(folder)
    (folder / "anchors").mkdir()
    write_wave(folder / "anchors" / "bad.wav", clicks(0.5, 0.2))
    (folder / "anchors" / "fair.webm").write_bytes(film)
    picture(folder / "anchors" / "good.png", 1)
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    begin, end = text.index("criteria:"), text.index("design:")
    scale = """\
criteria:
  clean:
    question: How clean is it?
    scale:
      1: {anchor: Clicks throughout, example: anchors/bad.wav}
      2: {anchor: Some clicks, example: anchors/fair.webm}
      3: {anchor: No click, example: anchors/good.png}
"""
    text = text[:begin].replace("protocol: compare", "protocol: rate") + scale + text[end:]
    return finish(folder, text)


def write_broken(folder: Path) -> Path:
    """A study in which one picture of two is no picture."""
    write_pair(folder)
    (folder / "images" / SYSTEMS[1] / "disk.jpg").write_bytes(b"no picture at all")
    return folder


def write_broken_sound(folder: Path) -> Path:
    """A study in which one recording of two is none."""
    write_sounds(folder)
    (folder / "sounds" / SYSTEMS[1] / "train.wav").write_bytes(b"no recording at all")
    return folder


MEDIA = {
    "pair": write_pair,
    "brief": write_brief,
    "look": write_look,
    "sounds": write_sounds,
    "headphones": write_headphones,
    "long": write_long,
    "heard": write_heard,
    "mushra": write_mushra,
    "mushra-practice": write_mushra_practice,
    "broken": write_broken,
    "broken-sound": write_broken_sound,
}
FILMS = {"films": write_films, "examples": write_examples}
"""Those that need a film."""
