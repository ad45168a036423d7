"""Replies are read strictly: what the scale does not have is never made to fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jurybox.design.plan import Trial, TrialId
from jurybox.judges.reply import UnusableReply, read_reply, reply_schema
from jurybox.study import Study
from jurybox.study.model import ItemId, SystemId
from tests.judges.studies import CHOICE, make_study

VALUES = [{"value": n, "anchor": words} for n, words in enumerate(("No", "Partly", "Yes"), 1)]
FAITH = {"faith": {"question": "Faithful?", "scale": {"values": VALUES}}}


def study_of(folder: Path, **options: Any) -> Study:
    return make_study(folder, items=2, **options).study


def trial_of(*systems: str) -> Trial:
    return Trial(id=TrialId("t"), item=ItemId("i0"), systems=tuple(map(SystemId, systems)))


ALONE, PAIR = trial_of("ada"), trial_of("ada", "bob")


def entry(value: Any, **more: Any) -> str:
    return json.dumps({"faith": {"reason": "So.", "value": value, **more}})


def test_a_score_is_a_number_of_the_scale(tmp_path: Path) -> None:
    study = study_of(tmp_path, protocol="rate", criteria=FAITH)
    reply = read_reply(study, ALONE, entry(3))
    assert (reply.shown[0].score, reply.shown[0].place, reply.reasons) == (3.0, 0, "So.")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (entry(4), "'faith' must be one of 1, 2, 3; got 4."),
        (entry(2.5), "'faith' must be one of 1, 2, 3; got 2.5."),
        (entry("3"), "'faith' must be a number; got \"3\"."),
        (entry(True), "'faith' must be a number; got true."),
        (entry(None), "'faith' must be a number; got null."),
        (entry([3]), "'faith' must be a number; got [3]."),
        ("{}", "'faith' is missing."),
        ('{"faith": 3}', "'faith' must be an object with reason and value; got 3."),
        ('{"faith": {"value": NaN}}', "The reply is not JSON: NaN is no number."),
        ('{"other": 1}', 'The reply has "other", which is not asked for.'),
        ('{"faith": {"value": 1}, "faith": {"value": 3}}', "The reply answers one thing twice."),
        (entry(1) + entry(3), "The reply has more than one JSON object."),
        ("Score: 3", "The reply has no JSON object."),
        ("", "The reply has no JSON object."),
        ('{"faith": {"value": 3', "The reply is not JSON"),
        ("{" * 100_000, "The reply is not JSON"),
        ('{"a":' * 100_000, "The reply is"),
    ],
)
def test_what_is_not_on_the_scale_is_unusable(tmp_path: Path, text: str, said: str) -> None:
    study = study_of(tmp_path, protocol="rate", criteria=FAITH)
    with pytest.raises(UnusableReply) as error:
        read_reply(study, ALONE, text)
    assert said in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        entry(2),
        f"```json\n{entry(2)}\n```",
        f"Here is my answer:\n\n{entry(2)}\n\nI hope this helps.",
        json.dumps(json.loads(entry(2)), indent=2),
        "\ufeff" + entry(2),
        '{"faith": {"reason": "First.\nSecond.\t", "value": 2}}',  # a break that JSON would escape
    ],
)
def test_words_around_the_object_do_no_harm(tmp_path: Path, text: str) -> None:
    study = study_of(tmp_path, protocol="rate", criteria=FAITH)
    assert read_reply(study, ALONE, text).shown[0].score == 2.0


def test_every_form_of_answer(tmp_path: Path) -> None:
    compare = study_of(tmp_path / "compare")
    for value, choice in (("A", "first"), ("B", "second"), ("tie", "tie")):
        text = json.dumps({"overall": {"reason": "r", "value": value}})
        assert read_reply(compare, PAIR, text).shown[0].choice == choice
    for wrong in ("a", "first", "both_bad", "AB", 1):
        text = json.dumps({"overall": {"reason": "r", "value": wrong}})
        with pytest.raises(UnusableReply, match="must be one of A, B, tie"):
            read_reply(compare, PAIR, text)

    graded = study_of(tmp_path / "graded", criteria={"overall": {"question": "?", "scale": "cmos"}})
    text = json.dumps({"overall": {"reason": "r", "value": -2}})
    assert read_reply(graded, PAIR, text).shown[0].score == -2.0

    sides = study_of(
        tmp_path / "sides",
        criteria={**CHOICE, "faith": {**FAITH["faith"], "per": "output"}},
    )
    both = {
        "overall": {"reason": "r", "value": "A"},
        "faith": {"reason": "s", "value": {"A": 3, "B": 1}},
    }
    reply = read_reply(sides, PAIR, json.dumps(both))
    assert [(one.place, one.score) for one in reply.shown[1:]] == [(0, 3.0), (1, 1.0)]
    assert reply.reasons == "overall: r\nfaith: s"
    both["faith"] = {"reason": "s", "value": {"A": 3}}
    with pytest.raises(UnusableReply, match="a value for each of A, B"):
        read_reply(sides, PAIR, json.dumps(both))


def test_ranks_and_the_best_of_some(tmp_path: Path) -> None:
    three = trial_of("ada", "bob", "cyd")
    systems = {"ada": 0.8, "bob": 0.4, "cyd": 0.2}
    asked = {"overall": {"question": "Order?"}}
    order = study_of(tmp_path / "order", protocol="rank", criteria=asked, systems=systems)
    text = json.dumps({"overall": {"reason": "r", "value": {"A": 2, "B": 1, "C": 3}}})
    assert read_reply(order, three, text).shown[0].ranks == (2.0, 1.0, 3.0)
    for ranks in ({"A": 1, "B": 1, "C": 3}, {"A": 0, "B": 1, "C": 2}, {"A": 1, "B": 2, "C": 4}):
        text = json.dumps({"overall": {"reason": "r", "value": ranks}})
        with pytest.raises(UnusableReply):
            read_reply(order, three, text)
    asked = {"overall": {"question": "Best?", "answer": "best"}}
    best = study_of(tmp_path / "best", protocol="rank", criteria=asked, systems=systems)
    text = json.dumps({"overall": {"reason": "r", "value": "C"}})
    assert read_reply(best, three, text).shown[0].ranks == (2.0, 2.0, 1.0)


MARK = {
    "errors": {
        "question": "What is wrong?",
        "field": "output",
        "categories": {"spelling": "Spelling", "meaning": "Meaning"},
        "severities": {"minor": 1, "major": 5},
    }
}


def span(quote: str, **more: Any) -> str:
    one = {"quote": quote, "occurrence": 1, "category": "spelling", "severity": "minor", **more}
    return json.dumps({"errors": {"reason": "r", "value": [one]}})


def test_errors_are_found_by_their_words(tmp_path: Path) -> None:
    study = study_of(tmp_path, protocol="mark", criteria=MARK)
    texts = {("output", 0): "the 👍 cat and the cat́"}
    (answer,) = read_reply(study, ALONE, span("cat"), texts=texts).shown
    assert answer.spans is not None
    # code points: t h e _ 👍 _ are 0 to 5
    assert (answer.spans[0].start, answer.spans[0].end) == (6, 9)
    (answer,) = read_reply(study, ALONE, span("the", occurrence=2), texts=texts).shown
    assert answer.spans is not None
    assert (answer.spans[0].start, answer.spans[0].end) == (14, 17)
    (answer,) = read_reply(study, ALONE, '{"errors": {"value": []}}', texts=texts).shown
    assert answer.spans == ()
    for wrong in (
        span("dog"),
        span("cat", occurrence=3),
        span("cat", occurrence=0),
        span(""),
        span("cat", category="tone"),
        span("cat", severity="fatal"),
        '{"errors": {"value": "none"}}',
        '{"errors": {"value": ["cat"]}}',
    ):
        with pytest.raises(UnusableReply):
            read_reply(study, ALONE, wrong, texts=texts)


def test_confidence_is_asked_and_checked(tmp_path: Path) -> None:
    sure = {"faith": {**FAITH["faith"], "confidence": 5}}
    study = study_of(tmp_path, protocol="rate", criteria=sure)
    assert read_reply(study, ALONE, entry(3, confidence=4)).shown[0].confidence == 4.0
    for given_ in ({}, {"confidence": 6}, {"confidence": "4"}):
        with pytest.raises(UnusableReply):
            read_reply(study, ALONE, entry(3, **given_))


def test_the_schema_asks_for_every_part_and_nothing_else(tmp_path: Path) -> None:
    sure = {"faith": {**FAITH["faith"], "confidence": 3}}
    schema = reply_schema(study_of(tmp_path, protocol="rate", criteria=sure), places=1)
    assert schema == {
        "type": "object",
        "properties": {
            "faith": {
                "type": "object",
                "properties": {
                    "reason": {"type": "string"},
                    "value": {"type": "number", "enum": [1, 2, 3]},
                    "confidence": {"type": "number", "enum": [1, 2, 3]},
                },
                "required": ["reason", "value", "confidence"],
                "additionalProperties": False,
            }
        },
        "required": ["faith"],
        "additionalProperties": False,
    }


@pytest.fixture(scope="module")
def rate(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return study_of(tmp_path_factory.mktemp("rate"), protocol="rate", criteria=FAITH)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


# A value of the scale, as a number, a word and what Python takes for 1: none is drawn.
@example(value=2)
@example(value="2")
@example(value=True)
@given(value=JSON)
def test_no_reply_crashes_and_none_is_coerced(rate: Study, value: Any) -> None:
    try:
        reply = read_reply(rate, ALONE, json.dumps({"faith": {"reason": "r", "value": value}}))
    except UnusableReply:
        return
    assert type(value) in (int, float)
    assert reply.shown[0].score == value


@given(text=st.text())
def test_no_text_crashes(rate: Study, text: str) -> None:
    with pytest.raises(UnusableReply):
        read_reply(rate, ALONE, text)
