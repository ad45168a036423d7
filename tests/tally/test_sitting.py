"""Answers with their place in the sitting, against loops over all rows."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from jurybox.tally.reading import read
from jurybox.tally.sitting import Sitting, answers_in_order, is_placed, times_in_order

Row = tuple[str, str, str, float, int, float]
NAMES = ("item", "system", "rater", "score", "position", "ms")


def rows(seed: int) -> list[Row]:
    draw = random.Random(seed)
    outputs = [(f"i{i}", s) for i in range(4) for s in "ab"]
    found = []
    for r in range(4):
        for place, (item, system) in enumerate(draw.sample(outputs, 6)):
            score = float(draw.randint(1, 5))
            found.append((item, system, f"r{r}", score, 3 * place + 2, 1000.0 * (1 + place)))
    return found


def table(found: list[Row]) -> dict[str, list[Any]]:
    return {name: [row[k] for row in found] for k, name in enumerate(NAMES)}


def sums(sitting: Sitting) -> list[tuple[float, float]]:
    """Place and value of every answer, in an order that does not depend on names."""
    return sorted(
        (round(float(x), 9), round(float(y), 9)) for x, y in zip(sitting.x, sitting.y, strict=True)
    )


@pytest.mark.parametrize("seed", range(3))
def test_places_and_distances_are_those_of_plain_loops(seed: int) -> None:
    found = rows(seed)
    responses = read(table(found))
    units = defaultdict(list)
    for item, system, _, score, _, _ in found:
        units[item, system].append(score)
    # Six trials at places 2, 5, …, 17 are 0, 0.2, …, 1.
    place = {k: (k - 2) / 15 for k in range(2, 18, 3)}
    expected: dict[str, list[tuple[float, float]]] = {"score": [], "distance": [], "same": []}
    for item, system, _, score, position, _ in found:
        others = list(units[item, system])
        others.remove(score)
        expected["score"].append((place[position], score))
        if others:
            gap = abs(score - sum(others) / len(others))
            expected["distance"].append((place[position], gap))
            alike = others.count(score) / len(others)
            expected["same"].append((place[position], alike))
    for value, wanted in expected.items():
        made = answers_in_order(responses, value)
        assert sums(made) == sorted((round(x, 9), round(y, 9)) for x, y in wanted)
        assert len(np.unique(made.rater)) == 4
    times = times_in_order(responses)
    assert sums(times) == sorted(
        (round(place[row[4]], 9), round(math.log(row[5] / 1000), 9)) for row in found
    )
    responses.close()


def test_the_time_of_a_trial_counts_once_whatever_it_asks() -> None:
    data = {
        "item": ["i"] * 4 + ["j"] * 4,
        "system": ["a", "a", "b", "b"] * 2,
        "rater": ["r"] * 8,
        "criterion": ["x", "y"] * 4,
        "trial": ["t"] * 4 + ["u"] * 4,
        "score": [1] * 8,
        "position": [0] * 4 + [1] * 4,
        "ms": [5000] * 4 + [7000] * 4,
    }
    responses = read(data)
    times = times_in_order(responses)
    assert sums(times) == [(0.0, round(math.log(5), 9)), (1.0, round(math.log(7), 9))]
    responses.close()


def test_a_second_answer_and_a_single_trial_have_no_place() -> None:
    data = {
        "item": ["i", "j", "i", "i"],
        "rater": ["r", "r", "r", "s"],
        "trial": ["t1", "t2", "t3", "t1"],
        "score": [1, 2, 5, 3],
        "position": [0, 1, 2, 0],
    }
    responses = read(data)
    assert is_placed(responses)
    # The retest of i is no answer of its own; s has one trial, which is neither first nor last.
    assert sums(answers_in_order(responses, "score")) == [(0.0, 1.0), (1.0, 2.0)]
    responses.close()
    bare = read({"item": ["i"], "rater": ["r"], "score": [1]})
    assert not is_placed(bare)
    bare.close()
