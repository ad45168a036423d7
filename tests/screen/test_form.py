"""The questions of a trial as data: kinds, places and keys."""

from __future__ import annotations

from typing import Any

import pytest

from jurybox.screen.form import make_form
from jurybox.study import Study


def study(protocol: str, criteria: dict[str, Any], **more: Any) -> Study:
    show = more.pop("show", {"prompt": "text", "answer": "text"})
    return Study(
        title="A study",
        protocol=protocol,
        outputs="o/{system}.jsonl",
        show=show,
        criteria=criteria,
        **more,
    )


def keys(asked: Any) -> list[tuple[Any, str | None]]:
    return [(option.value, option.key) for option in asked.options]


def test_a_digit_means_the_value_and_half_is_on_five() -> None:
    scale = {0: "Broken", 0.5: "Flawed", 1: "Small flaws", 2: "Flawless"}
    (asked,) = make_form(study("rate", {"realism": {"scale": scale}}), places=1).questions
    assert keys(asked) == [(0, "0"), (0.5, "5"), (1, "1"), (2, "2")]
    assert [option.shown for option in asked.options] == ["0", "0.5", "1", "2"]


def test_a_key_of_the_scale_wins_and_a_taken_digit_is_left_out() -> None:
    scale = {0.5: {"anchor": "Half", "key": "h"}, 1.5: "More", 5: "All", 12: "Dozen", -1: "Less"}
    (asked,) = make_form(study("rate", {"x": {"scale": scale}}), places=1).questions
    assert keys(asked) == [(0.5, "h"), (1.5, None), (5, "5"), (12, "2"), (-1, None)]


@pytest.mark.parametrize(
    ("values", "given"),
    [
        ([0, 0.5, 1, 1.5, 2], ["0", "5", "1", None, "2"]),
        ([0.25, 0.5, 0.75, 1], ["5", None, None, "1"]),
        ([1, 10, 100], ["1", "0", None]),
        ([12, 2, 22], [None, "2", None]),
    ],
)
def test_a_key_is_printed_on_one_answer_alone(values: list[float], given: list[str | None]) -> None:
    scale = {value: f"It is {value}" for value in values}
    (asked,) = make_form(study("rate", {"x": {"scale": scale}}), places=1).questions
    assert keys(asked) == list(zip(values, given, strict=True))


def test_a_key_written_as_a_capital_is_the_letter() -> None:
    scale = {0: {"anchor": "No", "key": "H"}, 1: "Yes"}
    (asked,) = make_form(study("rate", {"x": {"scale": scale}}), places=1).questions
    assert keys(asked) == [(0, "h"), (1, "1")]


def test_no_two_answers_of_a_named_scale_share_a_key() -> None:
    for name in ("acr", "likert", "yes-no"):
        (asked,) = make_form(study("rate", {"x": {"scale": name}}), places=1).questions
        given = [option.key for option in asked.options]
        assert None not in given
        assert len(set(given)) == len(given)


def test_each_output_is_asked_about_by_its_letter() -> None:
    form = make_form(study("rate", {"x": {"scale": "acr"}, "y": {"scale": "acr"}}), places=2)
    assert [(q.name, q.place) for q in form.questions] == [
        *(("X · A", 0), ("X · B", 1), ("Y · A", 0), ("Y · B", 1))
    ]
    assert form.letters == ("A", "B")


def test_a_comparison_uses_1_2_0_9_and_only_what_is_allowed() -> None:
    asked = {"preference": {"choices": ["a", "b", "tie", "both_bad"], "confidence": 3}}
    choice, sure = make_form(study("compare", asked), places=2).questions
    assert keys(choice) == [("first", "1"), ("tie", "0"), ("both_bad", "9"), ("second", "2")]
    assert (sure.part, sure.kind, sure.required) == ("confidence", "scale", True)
    forced = make_form(study("compare", {"preference": {"choices": ["a", "b"]}}), places=2)
    assert keys(forced.questions[0]) == [("first", "1"), ("second", "2")]


def test_a_graded_comparison_prints_1_to_7_whatever_its_values() -> None:
    form = make_form(study("compare", {"preference": {"scale": "cmos"}}), places=2)
    (asked,) = form.questions
    assert asked.kind == "graded"
    assert asked.place is None
    assert keys(asked) == [(value, str(value + 4)) for value in range(-3, 4)]


def test_what_is_counted_beyond_nine_has_no_key() -> None:
    graded = {"preference": {"scale": {value: f"It is {value}" for value in range(-5, 6)}}}
    (asked,) = make_form(study("compare", graded), places=2).questions
    assert keys(asked)[8:] == [(3, "9"), (4, None), (5, None)]
    severities = {f"s{number}": number for number in range(1, 12)}
    errors = {"field": "answer", "categories": {"a": "A"}, "severities": severities}
    (spans,) = make_form(study("mark", {"errors": errors}), places=1).questions
    assert [option.key for option in spans.severities[8:]] == ["9", None, None]


def test_sides_of_a_comparison_are_asked_one_by_one() -> None:
    asked = {"preference": {}, "correctness": {"scale": "acr", "per": "output"}}
    form = make_form(study("compare", asked), places=2)
    assert [(q.kind, q.place) for q in form.questions] == [
        *(("choice", None), ("scale", 0), ("scale", 1))
    ]


@pytest.mark.parametrize(("answer", "kind"), [("order", "order"), ("best", "best")])
def test_a_ranking_uses_letters(answer: str, kind: str) -> None:
    form = make_form(study("rank", {"fit": {"answer": answer}}), places=3)
    assert form.questions[0].kind == kind
    assert keys(form.questions[0]) == [(0, "a"), (1, "b"), (2, "c")]
    assert "c" in form.keys


def test_after_the_alphabet_outputs_have_two_letters_and_no_key() -> None:
    form = make_form(study("rank", {"fit": {"answer": "order"}}), places=50)
    assert form.letters[24:28] == ("Y", "Z", "AA", "AB")
    assert len(set(form.letters)) == 50
    assert keys(form.questions[0])[25:27] == [(25, "z"), (26, None)]
    assert len(form.keys) == 27  # the letters, and = for a tie


def test_a_required_reason_is_waited_for_and_an_optional_one_is_not() -> None:
    for reason, waits in (("required", True), ("optional", False)):
        form = make_form(study("compare", {"preference": {"reason": reason}}), places=2)
        assert [(q.part, q.required) for q in form.questions] == [
            *(("value", True), ("reason", waits))
        ]


def test_a_slider_and_a_marking_are_told_as_such() -> None:
    asked = {
        "errors": {"categories": {"a": "One", "b": "Two"}, "field": "answer"},
        "overall": {"scale": "0-100"},
    }
    spans, slider = make_form(study("mark", asked), places=1).questions
    assert (spans.kind, [option.key for option in spans.options]) == ("spans", ["1", "2"])
    assert [option.value for option in spans.severities] == ["minor", "major"]
    assert (slider.kind, slider.low, slider.high, slider.step) == ("slider", 0, 100, 1)


def test_ids_are_distinct_and_travel_to_the_page() -> None:
    asked = {
        "preference": {"confidence": 3, "reason": "optional"},
        "x": {"scale": "acr", "per": "output"},
    }
    form = make_form(study("compare", asked), places=2)
    told = form.to_dict()
    ids = [question["id"] for question in told["questions"]]
    assert ids == ["q0", "q1", "q2", "q3", "q4"]
