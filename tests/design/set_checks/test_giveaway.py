"""Giveaways that are planted are found, and what is not there is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jurybox.design.set_checks import check_set
from tests.design.set_checks.sets import (
    WORDS,
    check_texts,
    make_material,
    make_study,
    pictures,
    questions,
    warned,
)


def texts(rng: np.random.Generator, lengths: Any) -> list[str]:
    return [" ".join(rng.choice(WORDS, int(n))) for n in lengths]


def test_a_system_that_says_more_is_told_by_its_length() -> None:
    rng = np.random.default_rng(0)
    found = check_texts(
        {"brief": texts(rng, rng.poisson(40, 40)), "wordy": texts(rng, rng.poisson(80, 40))}
    )
    check = found["length/answer"]
    assert check.warns
    assert check.figure is not None
    assert check.figure > 0.95
    assert "ratio 2.0" in check.sentence
    assert "wordy" in check.sentence
    assert "favor longer texts" in check.bias
    assert check.n_items == 40


def test_a_small_difference_shows_beside_the_items_other_output() -> None:
    # Lengths differ by items by far more than by system, but `wordy` is the longer on each.
    rng = np.random.default_rng(1)
    lengths = rng.integers(20, 400, 60)
    found = check_texts({"brief": texts(rng, lengths), "wordy": texts(rng, 1.3 * lengths)})
    check = found["length/answer"]
    assert check.warns
    assert check.figure is not None
    assert check.figure > 0.9
    assert "beside the other outputs of its item" in check.sentence


def test_detection_never_shows_two_outputs_of_an_item_together() -> None:
    rng = np.random.default_rng(2)
    lengths = rng.integers(20, 400, 60)
    outputs = {"camera": texts(rng, lengths), "model": texts(rng, 1.2 * lengths)}
    assert check_texts(outputs)["length/answer"].warns
    found = check_texts(outputs, protocol="detect", real=["camera"])
    assert not found["length/answer"].warns


@pytest.mark.parametrize(
    ("id", "one", "other"),
    [
        ("lines/answer", "a b c d", "a\nb\nc d"),
        ("marks/answer", "apple river stone", "- apple **river** stone"),
        ("first_word/answer", "Certainly, apple", "The apple there"),
    ],
)
def test_manners_of_writing(id: str, one: str, other: str) -> None:
    assert check_texts({"x-1": [one] * 12, "x-2": [other] * 12})[id].warns


SIZES = {"width": 512.0, "height": 512.0}


@pytest.mark.parametrize(
    ("kind", "one", "other", "said"),
    [
        ("format", {"format": "PNG"}, {"format": "JPEG"}, "one PNG in 100% and other JPEG in 100%"),
        ("size", SIZES, {"width": 1024.0, "height": 1024.0}, "ratio"),
        ("aspect", SIZES, {"width": 512.0, "height": 384.0}, "1.30 and one 1 (width by height)"),
        ("duration", {"seconds": 4.0}, {"seconds": 6.5}, "other 6.50 and one 4 s"),
        ("sampling_rate", {"sampling_rate": 16000.0}, {"sampling_rate": 44100.0}, "Hz"),
        ("channels", {"channels": 1.0}, {"channels": 2.0}, "other 2 and one 1"),
        ("frame_rate", {"frame_rate": 24.0}, {"frame_rate": 30.0}, "pictures a second"),
        ("sound", {"sound": "with sound"}, {"sound": "without sound"}, "without sound in 100%"),
        (
            "loudness",
            {"sampling_rate": 8000.0, "loudness": -30.0},
            {"sampling_rate": 8000.0, "loudness": -18.0},
            "other −18 and one −30 dBFS",
        ),
    ],
)
@pytest.mark.parametrize("protocol", ["rate", "detect"])
def test_what_files_give_away(
    kind: str, one: dict[str, Any], other: dict[str, Any], said: str, protocol: str
) -> None:
    material, facts = pictures(20, {"one": [one] * 20, "other": [other] * 20})
    real = {"real": ["one"]} if protocol == "detect" else {}
    study = make_study(protocol, show={"question": "text", "output": "image"}, **real)
    checks = {check.id: check for check in check_set(study, material, facts=facts)}
    check = checks[f"{kind}/output"]
    assert check.warns
    assert check.figure == 1
    if protocol == "detect":
        assert "tells real from generated" in check.sentence
        assert "fooling rate" in check.bias
    else:
        assert said in check.sentence


def test_what_nobody_notices_is_no_giveaway() -> None:
    facts_of: dict[str, Any] = {
        "one": [{"seconds": 5.02, "sampling_rate": 44100.0, "loudness": -23.1}] * 20,
        "other": [{"seconds": 5.0, "sampling_rate": 44000.0, "loudness": -23.4}] * 20,
    }
    material, facts = pictures(20, facts_of)
    study = make_study("rate", show={"question": "text", "output": "audio"})
    assert warned(check_set(study, material, facts=facts)) == []


def test_sound_that_was_not_heard_is_said_not_to_be_measured() -> None:
    unheard = {"sampling_rate": 44100.0, "unheard": "sounds/other/3.mp3 cannot be decoded"}
    heard = {"sampling_rate": 44100.0, "loudness": -23.0}
    facts_of: dict[str, Any] = {"one": [heard] * 6, "other": [unheard] + [heard] * 5}
    material, facts = pictures(6, facts_of)
    study = make_study("rate", show={"question": "text", "output": "audio"})
    check = {c.id: c for c in check_set(study, material, facts=facts)}["loudness/output"]
    assert check.undefined == "measured in 11 of 12 files: sounds/other/3.mp3 cannot be decoded"
    assert check.mendable


def test_films_without_sound_do_not_keep_the_others_from_being_compared() -> None:
    silent: dict[str, Any] = {"width": 64.0, "height": 48.0, "sound": "without sound"}
    with_sound = {**silent, "sound": "with sound", "sampling_rate": 48000.0}
    facts_of: dict[str, Any] = {
        "one": [silent] * 4 + [{**with_sound, "loudness": -12.0}] * 16,
        "other": [silent] * 4 + [{**with_sound, "loudness": -20.0}] * 16,
    }
    material, facts = pictures(20, facts_of)
    study = make_study("rate", show={"question": "text", "output": "video"})
    assert warned(check_set(study, material, facts=facts)) == ["loudness/output"]


def test_a_series_is_told_by_how_many_pictures_it_has() -> None:
    series: dict[str, Any] = {
        "one": [(Path(f"/a/{i}.png"),) * 3 for i in range(12)],
        "other": [(Path(f"/b/{i}.png"),) * 5 for i in range(12)],
    }
    material = make_material(questions(12), series, "output")
    study = make_study("rate", show={"question": "text", "output": "images"})
    assert "pictures/output" in warned(check_set(study, material, facts={}))


def test_media_that_were_not_probed_are_left_out() -> None:
    facts_of: dict[str, Any] = {"one": [SIZES] * 10 + [{}] * 10, "other": [SIZES] * 20}
    material, facts = pictures(20, facts_of)
    study = make_study("rate", show={"question": "text", "output": "image"})
    checks = {check.id: check for check in check_set(study, material, facts=facts)}
    assert checks["size/output"].figure == 0.5
    nothing = check_set(study, material, facts={})
    assert {check.id: check.undefined for check in nothing}["giveaway"] == (
        "nothing of the outputs could be measured"
    )


@pytest.mark.parametrize(
    ("outputs", "reason"),
    [
        ({"alone": ["apple", "river stone", "cloud"]}, "there is one system"),
        ({"one": ["apple"], "other": ["river stone cloud"]}, "there is one item"),
    ],
)
def test_too_little_to_tell(outputs: dict[str, list[str]], reason: str) -> None:
    check = check_texts(outputs)["length/answer"]
    assert (check.figure, check.undefined, check.warns) == (None, reason, False)


def test_equal_lengths_are_a_coin() -> None:
    check = check_texts({"one": ["apple river"] * 8, "other": ["stone cloud"] * 8})["length/answer"]
    assert (check.figure, check.warns) == (0.5, False)


def test_items_that_some_systems_lack() -> None:
    rng = np.random.default_rng(3)
    brief = [*texts(rng, [10] * 20), *[None] * 10]
    wordy = [*[None] * 10, *texts(rng, [30] * 20)]
    assert check_texts({"brief": brief, "wordy": wordy})["length/answer"].warns


def test_sets_without_a_giveaway_rarely_warn() -> None:
    """Of 200 random sets at most 5% warn of anything."""
    rng = np.random.default_rng(20)
    false = []
    for number in range(200):
        n, k = int(rng.integers(6, 40)), int(rng.integers(2, 5))
        lengths = rng.integers(5, 120, n)
        outputs = {
            f"sys-{s}": [
                "\n".join(texts(rng, [max(1, rng.poisson(size)), 1 + rng.poisson(2)]))
                for size in lengths
            ]
            for s in range(k)
        }
        protocol = ("compare", "rate", "detect")[number % 3]
        real = {"real": ["sys-0"]} if protocol == "detect" else {}
        study = make_study(protocol, design={"seed": number}, **real)
        material = make_material(questions(n), outputs)
        false += [w for w in warned(check_set(study, material, facts={})) if w != "shared_outputs"]
    assert len(false) <= 10, false


def test_random_sets_of_pictures_rarely_warn() -> None:
    rng = np.random.default_rng(21)
    study = make_study("rate", show={"question": "text", "output": "image"})
    n_warned = 0
    for _ in range(150):
        n, k = int(rng.integers(6, 30)), int(rng.integers(2, 6))
        facts_of: dict[str, Any] = {
            f"sys-{s}": [
                {
                    "format": str(rng.choice(["PNG", "JPEG", "WEBP"])),
                    "width": float(rng.choice([512, 768, 1024])),
                    "height": float(rng.integers(300, 900)),
                }
                for _ in range(n)
            ]
            for s in range(k)
        }
        material, facts = pictures(n, facts_of)
        n_warned += bool(warned(check_set(study, material, facts=facts)))
    assert n_warned <= 7


def test_few_items_are_enough_where_one_feature_alone_varies() -> None:
    # Two of the 2⁷ ways to shuffle the systems tell them as well, 1/64; of five items, 1/16.
    facts_of: dict[str, Any] = {"one": [{"format": "PNG"}] * 7, "other": [{"format": "JPEG"}] * 7}
    material, facts = pictures(7, facts_of)
    study = make_study("rate", show={"question": "text", "output": "image"})
    assert "format/output" in warned(check_set(study, material, facts=facts))
    five = list(material.items)[:5]
    checks = check_set(study, material, facts=facts, items=five)
    assert "format/output" not in warned(checks)
    (found,) = [check for check in checks if check.id == "format/output"]
    assert found.shown == "100% guessed right by it (a coin: 50%), as chance may on 5 items"
