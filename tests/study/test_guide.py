"""The guide says everything that the study says, in the study's words, and no more."""

from __future__ import annotations

from pathlib import Path

import pytest

from jurybox.errors import SpecError
from jurybox.study import load_material, load_study
from jurybox.study.guide import Guide, make_guide
from jurybox.study.templates import write_template
from tests.study.examples import draw_picture, write_example


def guide_of(folder: Path) -> Guide:
    study = load_study(folder)
    return make_guide(study, load_material(study))


def keys_of(guide: Guide) -> dict[str, str]:
    return {key.key: key.does for key in guide.keys}


def test_a_rate_guide_has_every_value_with_its_anchor_and_key(tmp_path: Path) -> None:
    guide = guide_of(write_example("rate", tmp_path))
    assert guide.title == "Text-guided editing"
    assert [criterion.name for criterion in guide.criteria] == ["consistency", "realism"]
    consistency = guide.criteria[0]
    assert consistency.form == "scale"
    assert [(anchor.shown, anchor.words, anchor.key) for anchor in consistency.anchors] == [
        ("0", "Instruction missed", "0"),
        ("0.5", "Partly done", "5"),
        ("1", "Done with needless changes", "1"),
        ("2", "Exactly as asked", "2"),
    ]
    assert keys_of(guide)["5"] == "The score 0.5"
    assert [(field.name, field.of_output) for field in guide.shown] == [
        ("instruction", False),
        ("input", False),
        ("output", True),
    ]


def test_a_vote_has_its_four_keys(tmp_path: Path) -> None:
    guide = guide_of(write_example("compare", tmp_path))
    preference, correctness = guide.criteria
    assert preference.form == "choice"
    assert {anchor.value: anchor.key for anchor in preference.anchors} == {
        "a": "1",
        "b": "2",
        "tie": "0",
        "both_bad": "9",
    }
    assert len(preference.confidence) == 3
    assert preference.reason == "optional"
    assert correctness.answered == "Give one score for each of the two sides."
    assert keys_of(guide)["9"] == "Neither is good enough"


def test_a_vote_without_ties_does_not_speak_of_them(tmp_path: Path) -> None:
    write_template("ab-forced", tmp_path / "study")
    guide = guide_of(tmp_path / "study")
    assert [anchor.value for anchor in guide.criteria[0].anchors] == ["a", "b"]
    assert "0" not in keys_of(guide)


def test_a_graded_vote_is_numbered_from_one(tmp_path: Path) -> None:
    write_example("smallest", tmp_path)
    file = tmp_path / "study.yaml"
    file.write_text(file.read_text() + "criteria: {preference: {scale: cmos}}\n")
    (preference,) = guide_of(tmp_path).criteria
    assert preference.form == "graded"
    assert [(anchor.value, anchor.shown, anchor.key) for anchor in preference.anchors] == [
        (value, str(place), str(place)) for place, value in enumerate(range(-3, 4), start=1)
    ]


def test_the_other_protocols_have_their_own_form_and_keys(tmp_path: Path) -> None:
    forms = {}
    for name in ("rank", "detect", "mark"):
        guide = guide_of(write_example(name, tmp_path / name))
        forms[name] = (guide.criteria[0].form, set(keys_of(guide)))
    assert forms["rank"][0] == "order"
    assert "a b c …" in forms["rank"][1]
    assert forms["detect"][0] == "origin"
    assert {"r", "g"} <= forms["detect"][1]
    assert forms["mark"][0] == "spans"
    for _, keys in forms.values():
        assert {"Enter", "s", "i", "?"} <= keys


def test_errors_have_their_weights_written_out(tmp_path: Path) -> None:
    (errors, overall) = guide_of(write_example("mark", tmp_path)).criteria
    # minor 1 and major 5, but a minor punctuation mark costs 0.1 and a non-translation always 25
    assert {kind.name: dict(kind.weights) for kind in errors.kinds} == {
        "accuracy": {"minor": 1, "major": 5},
        "fluency": {"minor": 1, "major": 5},
        "fluency/punctuation": {"minor": 0.1, "major": 5},
        "non-translation": {"minor": 25, "major": 25},
    }
    assert overall.form == "slider"


def test_words_are_in_the_language_of_the_study_and_from_its_files(tmp_path: Path) -> None:
    write_example("rate", tmp_path)
    file = tmp_path / "study.yaml"
    text = file.read_text().replace(
        "title: Text-guided editing", "title: {en: Editing, de: Bearbeiten}\nlanguage: de"
    )
    file.write_text(text + "instructions: read.md\nlook_for: [{en: Look, de: Schau}]\n")
    (tmp_path / "read.md").write_text("Lies **dies**.\n")
    guide = guide_of(tmp_path)
    assert (guide.title, guide.language) == ("Bearbeiten", "de")
    assert guide.task == "Lies **dies**."
    assert guide.look_for == ("Schau",)


def test_cases_tell_every_accepted_answer_and_find_their_picture(tmp_path: Path) -> None:
    write_example("rate", tmp_path)
    draw_picture(tmp_path / "cases" / "one.png", 1)
    with (tmp_path / "study.yaml").open("a") as file:
        file.write(
            "cases:\n  - case: It did nothing.\n    scores: {consistency: 0, realism: [1, 2]}\n"
            "    reason: Nothing was asked in vain.\n    example: cases/one.png\n"
        )
    (case,) = guide_of(tmp_path).cases
    assert case.scores == (("consistency", ("0",)), ("realism", ("1", "2")))
    assert case.example is not None
    assert case.example.name == "cases/one.png"
    assert case.example.path == (tmp_path / "cases" / "one.png").resolve()


def test_a_missing_example_is_a_sentence(tmp_path: Path) -> None:
    study = load_study(write_example("rate", tmp_path))
    material = load_material(study)
    case = {"case": "x", "scores": {"realism": 1}, "reason": "y", "example": "gone.png"}
    with_case = type(study)(
        **{
            **study.model_dump(by_alias=True, exclude_defaults=True),
            "cases": [case],
        }
    )
    object.__setattr__(with_case, "_directory", study.directory)
    with pytest.raises(SpecError, match=r"gone\.png"):
        make_guide(with_case, material)


def test_the_session_says_what_the_rater_can_expect(tmp_path: Path) -> None:
    write_template("text-coherence", tmp_path / "study")
    session = " ".join(guide_of(tmp_path / "study").session)
    assert "6 practice trials" in session
    assert "With fewer than 60% right you practice once more." in session
    assert "40 minutes at most" in session
    assert "Every 15 minutes" in session


def test_a_pass_mark_that_excludes_is_said_beforehand(tmp_path: Path) -> None:
    write_template("text-coherence", tmp_path / "study")
    file = tmp_path / "study" / "study.yaml"
    text = file.read_text(encoding="utf-8")
    assert text.count("  practice_pass: 0.6") == 1
    rule = "  practice_pass: 0.6\n  exclude: {practice_failed: true}"
    file.write_text(text.replace("  practice_pass: 0.6", rule), encoding="utf-8")
    session = " ".join(guide_of(tmp_path / "study").session)
    assert "You need 60% right to go on, and have two tries." in session


def test_a_yes_or_no_is_told_in_words(tmp_path: Path) -> None:
    write_template("acceptable", tmp_path / "study")
    guide = guide_of(tmp_path / "study")
    assert [case.scores for case in guide.cases] == [
        (("acceptable", ("Yes",)),),
        (("acceptable", ("No",)),),
    ]
    assert guide.criteria[0].answered == "Choose one of the two answers."


def test_every_way_to_skip_is_named_with_its_reason(tmp_path: Path) -> None:
    guide = guide_of(write_example("rate", tmp_path))
    assert [name for name, _ in guide.skipping] == [
        "Broken content",
        "Cannot decide",
        "Offensive",
        "Another reason",
    ]


def test_the_keys_of_recordings_are_told_and_take_no_others(tmp_path: Path) -> None:
    keys = keys_of(guide_of(write_template("mushra", tmp_path / "m")))
    assert {"p", "a b …", "r", "x"} <= set(keys)
    assert not {"c", "b n", "w"} & set(keys)  # these letters play outputs
    pictures = keys_of(guide_of(write_template("ab-forced", tmp_path / "p")))
    assert {"z", "w", "f", "c", "b n"} <= set(pictures)
    assert "a b …" not in pictures
