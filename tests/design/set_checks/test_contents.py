"""What is inside outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jurybox.design.set_checks import SetCheck, check_set
from jurybox.design.set_checks.check import SetCheck as Check
from jurybox.design.set_checks.check import few
from jurybox.errors import InputError
from tests.design.set_checks.sets import check_texts, make_material, make_study, questions

PLAIN = ["apple river", "stone cloud", "paper window", "garden silver"]
OTHER = ["music winter", "yellow bridge", "cloud apple", "river garden"]


def names(outputs: dict[str, list[str]]) -> SetCheck:
    return check_texts(outputs)["names"]


@pytest.mark.parametrize(
    "said", ["As GPT-4, I", "as gpt 4 I", "(gpt_4)", "I am **GPT4**!", "gpt-4"]
)
def test_a_name_is_found_as_a_word_whatever_its_case(said: str) -> None:
    check = names({"gpt-4": [said, *PLAIN[1:]], "rival": OTHER})
    assert check.warns
    assert check.figure == 1
    assert check.sentence == "gpt-4 names itself in 1 output (q0)."
    assert check.systems == ("gpt-4",)
    assert "not blind" in check.bias


@pytest.mark.parametrize("said", ["gpt-40 is", "chatgpt-4", "gpt and 4", "my rival says"])
def test_parts_of_words_and_other_systems_are_no_names(said: str) -> None:
    assert names({"gpt-4": [said, *PLAIN[1:]], "rival": OTHER}).figure == 0


def test_a_name_that_is_a_word_counts_only_beyond_chance() -> None:
    once = names({"new": ["a new thing", *PLAIN[1:]], "old": OTHER})
    assert not once.warns
    # In 10 of 10 own outputs and none of 10 others: 1 way in C(20, 10) = 184,756.
    always = names({"new": ["this is new"] * 10, "old": ["river stone"] * 10})
    assert always.figure == 10
    # As often in the others' outputs, or once where the item asks for it.
    assert not names({"aurora": ["an aurora"] * 4, "basalt": ["the aurora"] * 4}).warns
    study = make_study()
    asked = [{**row, "question": "What is aurora?"} for row in questions(4)]
    material = make_material(asked, {"aurora": ["an aurora", *PLAIN[1:]], "basalt": OTHER})
    checks = {check.id: check for check in check_set(study, material, facts={})}
    assert not checks["names"].warns


def test_names_inside_a_chat() -> None:
    chat = [({"role": "user", "text": "Who are you?"}, {"role": "bot", "text": "I am Zephyr."})] * 6
    other = [({"role": "user", "text": "Who are you?"}, {"role": "bot", "text": "Guess."})] * 6
    study = make_study(show={"question": "text", "answer": "chat"})
    material = make_material(questions(6), {"zephyr": chat, "rival": other})
    checks = {check.id: check for check in check_set(study, material, facts={})}
    assert checks["names"].figure == 6


def test_a_name_without_a_letter_is_never_found() -> None:
    assert names({"++": ["C++ is", *PLAIN[1:]], "rival": OTHER}).figure == 0


def test_outputs_that_two_systems_share() -> None:
    outputs = {
        "one": PLAIN,
        "two": [" apple river\n", "same here", "silver", "winter"],
        "three": ["music", "same here", "bridge", PLAIN[3]],
        "four": ["a", "b", "c", "d"],
    }
    check = check_texts(outputs)["shared_outputs"]
    assert check.figure == 3
    assert check.sentence == (
        "Systems have the very same output: one and two on 1 item (q0), one and three on 1 item "
        "(q3) and two and three on 1 item (q1)."
    )
    assert check.systems == ("one", "three", "two")
    assert "draw the systems together" in check.bias


def test_files_are_the_same_by_their_content() -> None:
    paths = {s: [Path(f"/{s}/{i}.png") for i in range(3)] for s in ("one", "two")}
    facts: dict[Path, dict[str, float | str]] = {
        path: {"content": f"{system}-{path.stem}"}
        for system, each in paths.items()
        for path in each
    }
    facts[paths["two"][2]] = {"content": "one-2"}
    material = make_material(questions(3), paths, "output")
    study = make_study("rate", show={"question": "text", "output": "image"})
    checks = {check.id: check for check in check_set(study, material, facts=facts)}
    assert checks["shared_outputs"].figure == 1
    assert "(q2)" in checks["shared_outputs"].sentence
    assert checks["names"].undefined == "no text is shown of an output"
    assert checks["empty_outputs"].undefined == "no text is shown of an output"
    alone = make_material(questions(3), {"one": paths["one"]}, "output")
    reasons = {check.id: check.undefined for check in check_set(study, alone, facts=facts)}
    assert reasons["shared_outputs"] == "there is one system"


def test_outputs_that_are_the_reference() -> None:
    items = [{**row, "gold": f"the right answer {i}"} for i, row in enumerate(questions(4))]
    outputs: dict[str, list[Any]] = {
        "copier": ["the right answer 0", "the right answer 1", "else", "more"],
        "honest": OTHER,
    }
    show = {
        "question": "text",
        "gold": {"as": "text", "reference": True},
        "answer": "text",
    }
    material = make_material(items, outputs)
    checks = {c.id: c for c in check_set(make_study("rate", show=show), material, facts={})}
    check = checks["reference_outputs"]
    assert check.figure == 2
    assert check.sentence == ("2 outputs are the reference itself: copier on 2 items (q0 and q1).")
    assert check_texts({"one": PLAIN})["reference_outputs"].undefined == "no reference is shown"


def test_outputs_without_a_letter_or_digit() -> None:
    check = check_texts({"mute": ["…", "\u200b", "42", "ok"], "other": OTHER})["empty_outputs"]
    assert check.figure == 2
    assert check.sentence == (
        "2 outputs (25.0%) have no letter and no digit: mute 2 times (q0 and q1)."
    )


def test_all_outputs_empty() -> None:
    checks = check_texts({"mute": ["-"] * 6, "still": ["?"] * 6})
    assert checks["empty_outputs"].figure == 12
    assert checks["length/answer"].figure == 0.5


def test_only_the_planned_items_are_looked_at() -> None:
    material = make_material(questions(4), {"one": PLAIN, "two": [*OTHER[:3], PLAIN[3]]})
    study = make_study()
    all_items = {c.id: c for c in check_set(study, material, facts={})}
    some = {c.id: c for c in check_set(study, material, facts={}, items=list(material.items)[:3])}
    assert all_items["shared_outputs"].warns
    assert not some["shared_outputs"].warns
    assert some["shared_outputs"].n_items == 3


def test_no_output_and_no_item() -> None:
    checks = check_set(make_study(), make_material([], {"one": [], "two": []}), facts={})
    assert not any(check.warns for check in checks)


def test_what_does_not_warn_says_nothing() -> None:
    for check in check_texts({"one": PLAIN, "two": OTHER}).values():
        assert check.warns == bool(check.sentence) == bool(check.bias)


def test_a_check_without_a_figure_needs_its_reason() -> None:
    with pytest.raises(InputError, match="needs its reason"):
        Check(id="x", about="X", figure=None)
    with pytest.raises(InputError, match="what it can bias"):
        Check(id="x", about="X", figure=1.0, warns=True, sentence="Bad.")


def test_names_in_a_sentence() -> None:
    assert few([]) == ""
    assert few(["a"]) == "a"
    assert few(["a", "b", "c"]) == "a, b and c"
