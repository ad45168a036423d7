"""The page of pitfalls: each mistake is made on purpose, and must be answered as the page says."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import jurybox as jb
from jurybox.cli.app import run
from jurybox.errors import InputError
from tests.documents import DOCS

PAGE = (DOCS / "pitfalls.md").read_text(encoding="utf-8")
QUOTED = re.findall(r'"([^"]+)"', "".join(re.findall(r"^\|[^|]+\|(.+)\|$", PAGE, re.MULTILINE)))
WORDS = (
    "stone river cloud tree house lamp road field moon star night winter summer spring autumn "
    "bird fish horse bread salt water wine sand hill lake rain snow leaf root seed"
).split()


def text(draw: random.Random, n: int) -> str:
    return " ".join(draw.choices(WORDS, k=n))


def answer_of(item: str, system: str, draw: random.Random) -> str:
    return text(draw, 20)


def write_study(
    folder: Path,
    *,
    answer: Callable[[str, str, random.Random], str] = answer_of,
    change: Callable[[list[dict[str, Any]]], None] = lambda items: None,
    quality: str = "{}",
) -> None:
    """24 items by two systems, fair but for what is asked for."""
    draw = random.Random(1)
    items: list[dict[str, Any]] = [
        {"item": f"q{k}", "prompt": text(draw, 12), "topic": f"t{k % 6}"} for k in range(24)
    ]
    change(items)
    outputs = [
        {"item": each["item"], "system": name, "answer": answer(each["item"], name, draw)}
        for each in items
        for name in ("aurora", "birch")
    ]
    folder.mkdir()
    for name, rows in (("items", items), ("outputs", outputs)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    (folder / "gold.csv").write_text(
        "item,system_a,system_b,preference\n" + "q0,aurora,birch,a\nq1,aurora,birch,a\n"
    )
    (folder / "study.yaml").write_text(
        "title: T\nprotocol: compare\nitems: items.jsonl\noutputs: outputs.jsonl\n"
        "show: {prompt: text, answer: text}\ndesign: {overlap: 2, seed: 1}\n"
        f"quality: {quality}\n"
    )


def second_is_first(items: list[dict[str, Any]]) -> None:
    items[1]["prompt"] = items[0]["prompt"] + " again"


def all_alike(items: list[dict[str, Any]]) -> None:
    for each in items:
        each.update(topic="x", difficulty=3)


CHECKED: dict[str, Mapping[str, Any]] = {
    "aurora names itself in 24 outputs": {
        "answer": lambda i, s, d: ("As Aurora, I say " if s == "aurora" else "") + text(d, 20)
    },
    "The length of answer alone tells aurora from birch": {
        "answer": lambda i, s, d: text(d, 60 if s == "aurora" else 20)
    },
    "2 of 24 items are nearly the same as another": {"change": second_is_first},
    "Systems have the very same output": {
        "answer": lambda i, s, d: f"answer {i}" if i in ("q3", "q4") else text(d, 20)
    },
    "`answer` is empty": {
        "answer": lambda i, s, d: " " if (i, s) == ("q3", "birch") else text(d, 20)
    },
    "The items come from 1 category": {"change": all_alike},
    "about equally hard": {"change": all_alike},
    "screens raters by the very agreement that is reported": {
        "quality": "{exclude: {agreement_below: 0.2}}"
    },
}


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command says, without the line ends of a terminal."""
    run(list(arguments))
    done = capsys.readouterr()
    return " ".join((done.out + done.err).split())


@pytest.mark.parametrize("said", CHECKED)
def test_a_set_with_this_mistake_is_told_before_anybody_rates(
    said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_study(tmp_path / "fair")
    assert said not in printed(capsys, "check", str(tmp_path / "fair"))
    write_study(tmp_path / "study", **CHECKED[said])
    assert said in printed(capsys, "check", str(tmp_path / "study"))


def test_changed_rules_and_gold_of_one_answer_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, kept = tmp_path / "study", tmp_path / "kept"
    write_study(folder, quality="{gold: gold.csv, exclude: {faster_than: 0.5}}")
    printed(capsys, "simulate", str(folder), "--out", str(kept))
    answers = ("--database", str(kept / "study.db"))
    printed(capsys, "report", str(folder), *answers, "--format", "md")
    report = (folder / "report" / "report.md").read_text(encoding="utf-8")
    assert "every gold trial has the same right answer" in report
    file = folder / "study.yaml"
    file.write_text(file.read_text().replace("faster_than: 0.5", "faster_than: 1"))
    assert "changes what an answer means, so it needs a new round" in printed(
        capsys, "check", str(folder), *answers
    )


def ratings(
    *,
    systems: Sequence[str] = "ABCDE",
    raters: Sequence[str] = ("r0", "r1", "r2", "r3", "r4", "eager"),
    score: Callable[[int, random.Random], Any] = lambda k, d: d.randint(1, 5),
    **others: Callable[[int, str, str], Any],
) -> dict[str, list[Any]]:
    draw = random.Random(1)
    cells = [(f"q{i}", s, r) for i in range(20) for s in systems for r in raters]
    table: dict[str, list[Any]] = dict(
        zip(("item", "system", "rater"), map(list, zip(*cells, strict=True)), strict=True)
    )
    table["score"] = [score(k, draw) for k in range(len(cells))]
    for name, value in others.items():
        table[name] = [value(k, s, r) for k, (_, s, r) in enumerate(cells)]
    return table


def votes(winners: str = "ab", **columns: Any) -> dict[str, list[Any]]:
    draw = random.Random(1)
    words = {"a": "a", "b": "b", "t": "tie", "2": "both_bad", "?": "neither"}
    cells = [(f"q{i}", f"r{r}") for i in range(40) for r in range(6)]
    return {
        "item": [item for item, _ in cells],
        "rater": [rater for _, rater in cells],
        "system_a": ["new"] * len(cells),
        "system_b": ["old"] * len(cells),
        "winner": [words[draw.choice(winners)] for _ in cells],
        **{name: [value] * len(cells) for name, value in columns.items()},
    }


def of_one_system(table: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Half of the raters saw A alone, the others B alone."""
    kept = [
        k
        for k, (s, r) in enumerate(zip(table["system"], table["rater"], strict=True))
        if s == "AB"[r in ("r0", "r1", "r2")]
    ]
    return {name: [cells[k] for k in kept] for name, cells in table.items()}


def mostly_eager(table: dict[str, list[Any]]) -> dict[str, list[Any]]:
    kept = [k for k, r in enumerate(table["rater"]) if r == "eager" or k % 12 == 0]
    return {name: [cells[k] for k in kept] for name, cells in table.items()}


ANALYZED: dict[str, Callable[[], Any]] = {
    "Whether being shown first helps cannot be said": lambda: votes(first="a"),
    "every rater judged one system only": lambda: of_one_system(ratings(systems="AB")),
    "rater eager gave more than half of the responses": lambda: mostly_eager(ratings()),
    "every interval holds for this rater only": lambda: ratings(systems="AB", raters=("ada",)),
    "are not told apart": ratings,
    "What cannot be said": ratings,
    "undefined: every response is the same value": lambda: ratings(
        systems=("new",), score=lambda k, d: 3
    ),
    "call both bad": lambda: votes("abt2"),
    "outside the range of all others, and counted as given": lambda: ratings(
        score=lambda k, d: 99 if k % 17 == 0 else d.randint(1, 5)
    ),
    "Whatever the 30 missing answers on overall would have been": lambda: ratings(
        systems="AB",
        score=lambda k, d: d.randint(1, 5),
        status=lambda k, s, r: "skipped" if k % 24 in (0, 3, 13) else "answered",
    ),
    "100 rows of judges left out of people's figures": lambda: ratings(
        rater_kind=lambda k, s, r: "judge" if r == "eager" else "person"
    ),
    "a study of this size": ratings,
}


@pytest.mark.parametrize("said", ANALYZED)
def test_responses_with_this_mistake_are_answered_so(said: str) -> None:
    assert said in " ".join(str(jb.analyze(ANALYZED[said]())).split())


def test_an_unknown_word_is_refused() -> None:
    with pytest.raises(InputError, match="winner must be one of a, b, tie, both_bad"):
        jb.analyze(votes("ab?"))


def test_every_sentence_of_the_page_is_tried() -> None:
    elsewhere = {
        "every gold trial has the same right answer",
        "changes what an answer means, so it needs a new round",
        "winner must be one of a, b, tie, both_bad",
    }
    assert set(QUOTED) == {*CHECKED, *ANALYZED, *elsewhere}
