"""The closed forms against hand calculation, symmetry and brute force."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurybox.errors import InputError
from jurybox.simulate.rehearsal import plant, planted_contrast
from jurybox.simulate.truth import (
    Truth,
    draw_effect,
    expected_real_rate,
    expected_score,
    expected_win_rate,
    scale_value,
)
from jurybox.study import load_material, load_study
from jurybox.study.model import SystemId
from jurybox.study.scales import Scale, expand
from tests.study.examples import write_example

NEW, OLD = SystemId("new"), SystemId("old")
FOUR = Scale.model_validate(expand({0: "a", 0.5: "b", 1: "c", 2: "d"}))
SLIDER = Scale.model_validate(expand("0-100"))
STILL = {
    "item_sd": 0, "item_system_sd": 0, "rater_sd": 0, "taste_sd": 0, "noise_sd": 0,
}  # fmt: skip


def truth(new: float = 0.7, old: float = 0.5, **settings: Any) -> Truth:
    return Truth(quality={"fit": {"new": new, "old": old}}, **settings)


def test_without_scatter_the_expected_score_is_the_value_itself() -> None:
    # 0.7 lies in the third quarter of the latent scale, whose value is 1.
    assert expected_score(truth(**STILL), FOUR, "fit", NEW) == 1
    assert expected_score(truth(**STILL), SLIDER, "fit", NEW) == pytest.approx(70)


def test_the_expected_score_by_hand() -> None:
    # Only noise, sd 0.25, quality 0.5: cuts at 0.25, 0.5, 0.75 are z = -1, 0, 1, so the four
    # values have probabilities 0.158655, 0.341345, 0.341345, 0.158655 and the mean is
    # 0 + 0.5 · 0.341345 + 1 · 0.341345 + 2 · 0.158655 = 0.829327.
    planted = truth(new=0.5, **{**STILL, "noise_sd": 0.25})
    assert expected_score(planted, FOUR, "fit", NEW) == pytest.approx(0.829327, abs=2e-6)


def test_the_win_rate_by_hand() -> None:
    # Differences have sd √2 · 0.1; 0.2 apart, tie width 0.1: wins if z > (0.1 − 0.2)/0.141421 =
    # −0.707107, loses if z < (−0.1 − 0.2)/0.141421 = −2.12132: 0.760250 + 0.5 · (1 − 0.760250 −
    # 0.016947) = 0.871651.
    planted = truth(**{**STILL, "noise_sd": 0.1}, tie_width=0.1)
    assert expected_win_rate(planted, "fit", NEW, OLD) == pytest.approx(0.871651, abs=2e-6)


def test_equal_systems_win_half_whatever_the_bias() -> None:
    planted = truth(new=0.5, position_bias=0.3)
    assert expected_win_rate(planted, "fit", NEW, OLD) == pytest.approx(0.5)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 0.3))
def test_one_wins_what_the_other_loses(new: float, old: float, bias: float) -> None:
    planted = truth(new, old, position_bias=bias)
    there = expected_win_rate(planted, "fit", NEW, OLD)
    back = expected_win_rate(planted, "fit", OLD, NEW)
    assert there + back == pytest.approx(1)


def test_at_the_border_half_is_taken_for_real() -> None:
    assert expected_real_rate(truth(), "fit", OLD) == pytest.approx(0.5)
    assert expected_real_rate(truth(), "fit", NEW) > 0.5


@pytest.mark.parametrize("scale", [FOUR, SLIDER])
@pytest.mark.parametrize("shown", [1, 3])
def test_the_closed_form_is_the_mean_of_many_draws(scale: Scale, shown: int) -> None:
    planted = truth(position_bias=0.1)
    draws = 0.7 + planted.spread * np.random.default_rng(1).standard_normal(200_000)
    draws[: len(draws) // shown] += 0.1 if shown > 1 else 0
    values = np.array([scale_value(scale, x) for x in draws])
    error = values.std() / np.sqrt(len(values))
    expected = expected_score(planted, scale, "fit", NEW, shown=shown)
    assert expected == pytest.approx(values.mean(), abs=5 * error)


@given(st.floats(-2, 3))
def test_every_latent_gives_an_allowed_value(latent: float) -> None:
    assert FOUR.allows(scale_value(FOUR, latent))
    assert SLIDER.allows(scale_value(SLIDER, latent))


def test_effects_are_standard_normal_and_belong_to_their_names() -> None:
    drawn = np.array([draw_effect(7, "item", f"i{k}") for k in range(4000)])
    assert abs(drawn.mean()) < 4 / np.sqrt(4000)
    assert abs(drawn.std() - 1) < 4 / np.sqrt(8000)
    assert draw_effect(7, "item", "i0") == drawn[0]
    assert draw_effect(8, "item", "i0") != drawn[0]
    assert draw_effect(7, "item", "i0", "x") != draw_effect(7, "item", "i0x")


def test_what_is_not_planted_is_a_sentence() -> None:
    with pytest.raises(InputError, match="no value for criterion 'fit' and system 'third'"):
        truth().of("fit", SystemId("third"))
    with pytest.raises(InputError, match="noise_sd must not be negative, got -1"):
        truth(noise_sd=-1)


@pytest.mark.parametrize(
    ("criterion", "known"),
    [("answer: order", True), ("answer: order, ties: true", False), ("answer: best", False)],
)
def test_what_is_planted_in_rankings(criterion: str, known: bool, tmp_path: Path) -> None:
    directory = write_example("rank", tmp_path / "s")
    file = directory / "study.yaml"
    file.write_text(file.read_text().replace("answer: order, ties: true", criterion))
    study = load_study(directory)
    systems = load_material(study).systems
    planted = planted_contrast(study, systems, plant(study, systems, {systems[0]: 0.05}))
    # A gap of 0.05 between latents that scatter by √(2(0.08² + 0.05² + 0.12²)) = 0.2159: Φ(0.2316).
    assert planted.truth == (pytest.approx(0.5916, abs=1e-4) if known else None)
