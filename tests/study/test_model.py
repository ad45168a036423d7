"""The study as a value: defaults by protocol, words, hash."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from jurybox.errors import SpecError
from jurybox.study import Criterion, Study
from jurybox.study.model import RandomPairs

BASE: dict[str, Any] = {"title": "t", "outputs": "o.csv", "show": {"o": "text"}}


@pytest.mark.parametrize(
    ("protocol", "extra", "name", "expected"),
    [
        ("rate", {}, "overall", {"per": "output", "level": "ordinal"}),
        ("compare", {}, "preference", {"per": "trial", "choices": ("a", "b", "tie")}),
        ("rank", {}, "preference", {"per": "trial", "answer": "order"}),
        ("detect", {"real": "r"}, "origin", {"per": "output", "confidence": None}),
    ],
)
def test_a_study_without_criteria_has_the_protocols_own(
    protocol: str, extra: dict[str, Any], name: str, expected: dict[str, Any]
) -> None:
    study = Study(**BASE, protocol=protocol, **extra)
    assert list(study.criteria) == [name]
    criterion = study.criteria[name]
    assert {key: getattr(criterion, key) for key in expected} == expected
    assert study.words(criterion.question).endswith(("?", "."))
    assert (criterion.scale is not None) == (protocol == "rate")


def test_mark_needs_criteria_of_its_own() -> None:
    with pytest.raises(SpecError, match="mark asks where an output goes wrong"):
        Study(**BASE, protocol="mark")
    study = Study(**BASE, protocol="mark", criteria={"e": {"categories": {"x": "y"}}})
    assert study.criteria["e"].severities == {"minor": 1, "major": 5}
    assert study.criteria["e"].field == "o"


def test_a_criterion_in_compare_is_a_vote_a_grade_or_a_side() -> None:
    criteria = {"vote": {}, "grade": {"scale": "cmos"}, "side": {"per": "output"}}
    study = Study(**BASE, protocol="compare", criteria=criteria)
    assert [c.per for c in study.criteria.values()] == ["trial", "trial", "output"]
    assert [c.graded for c in study.criteria.values()] == [False, True, False]
    side = study.criteria["side"].scale
    assert side is not None
    assert side.name == "acr"
    assert study.criteria["side"].question == "Side"


def test_numbered_confidence_states_probabilities_in_detect_only() -> None:
    def stated(protocol: str, **extra: Any) -> list[float | None]:
        criteria = {"c": {"confidence": 5}}
        study = Study(**BASE, protocol=protocol, criteria=criteria, **extra)
        confidence = study.criteria["c"].confidence
        assert confidence is not None
        assert confidence.values[0].anchor == "Guessing"
        assert confidence.values[-1].anchor == "Certain"
        return [value.probability for value in confidence.values]

    assert stated("detect", real=["r"]) == [0.5, 0.625, 0.75, 0.875, 1.0]
    assert stated("rate") == [None] * 5


def test_short_forms_equal_their_long_forms() -> None:
    short = Study(
        title="t", protocol="compare", outputs="o.csv", show={"o": "image"},
        systems=["a", "b"], look_for="hands", survey={"age": "How old?"},
        design={"stratify": "topic", "pairs": {"random": 7}},
    )  # fmt: skip
    long = Study(
        title="t", protocol="compare", outputs="o.csv", show={"o": {"as": "image", "zoom": True}},
        systems={"a": {}, "b": {"baseline": False}}, look_for=["hands"],
        survey={"age": {"question": "How old?", "required": True}},
        design={"stratify": ["topic"], "pairs": RandomPairs(random=7)},
        criteria={"preference": {"question": "Which one is better?", "choices": ["a", "b", "tie"],
                                 "per": "trial"}},
    )  # fmt: skip
    assert short == long
    assert short.hash() == long.hash()


def test_words_choose_the_language_and_read_files(tmp_path: Path) -> None:
    texts = {"en": "Hello", "de": "Hallo"}
    study = Study(**BASE, protocol="rate", language="de-AT", instructions="read.md")
    assert study.words(texts) == "Hallo"
    assert study.words({"de-AT": "Servus", "de": "Hallo"}) == "Servus"
    assert study.words({"fr": "Salut", "en": "Hello"}) == "Hello"
    assert study.words("plain") == "plain"
    assert study.words(None) == ""
    assert study.words("read.md") == "read.md"  # it has no folder yet
    (tmp_path / "read.md").write_bytes(b"\xef\xbb\xbf# Hi\n")
    study.save(tmp_path)
    assert study.words(study.instructions) == "# Hi\n"
    assert study.words({"de": "read.md"}) == "# Hi\n"
    (tmp_path / "read.md").write_bytes(b"\xff")
    with pytest.raises(SpecError, match=r"read\.md cannot be read: not UTF-8"):
        study.words("read.md")
    with pytest.raises(SpecError, match=r"gone\.md cannot be read: No such file"):
        study.words("gone.md")


def test_the_hash_follows_what_is_seen_and_analyzed_only(tmp_path: Path) -> None:
    (tmp_path / "read.md").write_text("one")
    study = Study(**BASE, protocol="rate", instructions="read.md")
    study.save(tmp_path)
    before = study.hash()
    free = study.model_copy(update={"session": study.session.model_copy(update={"minutes": 5})})
    assert free.hash() == before
    named = study.model_copy(update={"title": "another"})
    assert named.hash() != before
    (tmp_path / "read.md").write_text("two")
    assert study.hash() != before


def test_a_study_is_frozen_and_its_categories_include_weighted_ones() -> None:
    study = Study(**BASE, protocol="rate")
    with pytest.raises(ValidationError, match="frozen"):
        study.__setattr__("title", "other")
    criterion = Criterion(
        categories={"fluency": "Grammar"}, weights={"fluency/comma": 0.1, "non-translation": 25}
    )
    assert criterion.all_categories == {
        "fluency": "Grammar",
        "fluency/comma": "comma",
        "non-translation": "non-translation",
    }
