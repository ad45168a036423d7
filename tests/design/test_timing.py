"""How long a trial is expected to take, worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jurybox.design import expected_seconds
from jurybox.design.plan import Trial, TrialId
from jurybox.study.model import ItemId, Study, SystemId
from tests.design.studies import make_material, make_study


def seconds(study: Study, item: dict[str, Any], output: dict[str, Any], systems: int = 1) -> float:
    material = make_material(1, systems)
    id = ItemId("item-0")
    material = replace(
        material,
        items={id: replace(material.items[id], fields=item)},
        outputs={key: replace(o, fields=output) for key, o in material.outputs.items()},
    )
    names = tuple(SystemId(f"system-{s}") for s in range(systems))
    return expected_seconds(study, material, Trial(id=TrialId("t"), item=id, systems=names))


def test_words_are_read_at_two_hundred_a_minute() -> None:
    # 20 + 30 words = 50 · 0.3 s = 15 s, one criterion 4 s.
    study = make_study("rate")
    assert seconds(study, {"question": "w " * 20}, {"answer": "w " * 30}) == pytest.approx(19)


def test_each_output_and_each_answer_counts() -> None:
    # Two outputs of 10 words: 6 s; preference 4 s; correctness per side 2 · 4 s.
    study = make_study(
        "compare", criteria={"preference": {}, "correctness": {"scale": "acr", "per": "output"}}
    )
    assert seconds(study, {"question": ""}, {"answer": "w " * 10}, systems=2) == pytest.approx(18)


@pytest.mark.parametrize(
    ("medium", "value", "expected"),
    [
        ("image", Path("a.png"), 4),
        ("images", (Path("a.png"), Path("b.png"), Path("c.png")), 12),
        ("audio", Path("a.wav"), 20),
        ("video", Path("a.mp4"), 20),
        ("chat", ({"role": "user", "text": "a b"}, {"role": "system", "text": "c d"}), 1.2),
        # Nine kana and characters are 4.5 words; the full stop stands alone as another.
        ("text", "人工評価は必要です。", 1.65),
    ],
)
def test_each_medium_takes_its_time(medium: str, value: Any, expected: float) -> None:
    study = make_study("rate", show={"answer": medium})
    assert seconds(study, {}, {"answer": value}) == pytest.approx(4 + expected)


def test_fields_that_are_not_shown_take_no_time() -> None:
    study = make_study("rate", show={"answer": "text"})
    assert seconds(study, {"question": "w " * 500}, {"answer": "w"}) == pytest.approx(4.3)


def test_the_study_may_say_how_long_a_trial_takes() -> None:
    study = make_study("rate", session={"seconds_per_trial": 12})
    assert seconds(study, {"question": "w " * 500}, {"answer": "w"}) == 12
