"""Rater groups in the study file: short forms, breaches, and what a change of groups means."""

from __future__ import annotations

from typing import Any

import pytest

from jurybox.errors import SpecError
from jurybox.study import Material, Study
from jurybox.study.groups import RaterGroup, groups_of
from jurybox.study.schema import json_schema
from jurybox.study.versions import compare, snapshot

BASE: dict[str, Any] = {"title": "t", "protocol": "rate", "outputs": "o.csv", "show": {"o": "text"}}
LANGUAGE = {"language": {"question": "Which?", "choices": ["en", "de", "other"]}}
INVITED = {"invited": True}


def study(**parts: Any) -> Study:
    return Study(**{**BASE, **parts})


def test_a_number_is_a_quota_and_a_list_names_groups() -> None:
    long = {"expert": {"quota": 5}, "crowd": {}}
    written = study(raters={"groups": long}, access=INVITED)
    assert study(raters={"groups": {"expert": 5, "crowd": {}}}, access=INVITED) == written
    assert groups_of(written) == {"expert": RaterGroup(quota=5), "crowd": RaterGroup()}
    named = study(raters={"groups": ["expert", "crowd"]}, access=INVITED)
    assert list(groups_of(named)) == ["expert", "crowd"]


def test_without_names_every_answer_is_a_group() -> None:
    assert list(groups_of(study(raters={"by": "language"}, survey=LANGUAGE))) == [
        "en",
        "de",
        "other",
    ]
    assert groups_of(study()) == {}


def test_a_study_with_groups_is_written_and_read_back(tmp_path: Any) -> None:
    from jurybox.study import load_study

    made = study(
        raters={"groups": {"expert": {"quota": 5, "overlap": 1}, "crowd": 20}, "each": True},
        access={"listed": {"expert": ["ada", "ben"], "crowd": ["cy"]}},
    )
    made.save(tmp_path)
    assert load_study(tmp_path) == made


def test_editors_are_told_the_short_forms() -> None:
    schema = json_schema()["$defs"]["RaterGroups"]["properties"]["groups"]
    kinds = {form.get("type") for form in schema["anyOf"]}
    assert kinds == {"array", "object"}


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"raters": {}}, "raters lacks `groups`, or `by`, a question of `survey`"),
    ({"raters": {"groups": {"a": 0}}, "access": INVITED}, "raters.groups.a must be at least 1"),
    ({"raters": {"groups": ["a"]}}, "raters does not say how a rater's group is known: add `by`"),
    ({"raters": {"by": "langauge"}, "survey": LANGUAGE},
     "raters.by names `langauge`; the questions of `survey` are language; did you mean"),
    ({"raters": {"by": "language"}, "survey": {"language": "Which?"}},
     "raters.by names a question without choices; give survey.language.choices."),
    ({"raters": {"by": "language"}, "survey": {"language": {**LANGUAGE["language"],
                                                            "required": False}}},
     "raters.by names a question that may be left out; survey.language.required must be true."),
    ({"raters": {"by": "language", "groups": ["fr"]}, "survey": LANGUAGE},
     "raters.groups.fr is no answer to `language`; its choices are en, de or other."),
    ({"raters": {"by": "language"}, "survey": LANGUAGE, "access": {"listed": {"en": ["ada"]}}},
     "access.listed names groups, and raters.by takes them from `language`; keep one."),
    ({"access": {"listed": {"expert": ["ada"]}}}, "access.listed names groups, and `raters.groups"),
    ({"raters": {"groups": ["expert"]}, "access": {"listed": {"exprt": ["ada"]}}},
     "access.listed.exprt is no group; there are expert; did you mean `expert`?"),
    ({"raters": {"groups": ["expert"]}, "access": {"listed": ["ada"]}},
     "access.listed gives no groups; write `{expert: [ada, ben], …}` or name a table of ids."),
    ({"raters": {"groups": ["expert"]}, "access": {"listed": "ids.txt"}},
     "access.listed must be a table with the columns rater and group (.csv, .json, .jsonl"),
    ({"raters": {"groups": {"a": {}, "b": {}}}, "access": {"listed": {"a": ["x"], "b": ["x"]}}},
     "access.listed.b names `x` twice."),
    ({"raters": {"groups": {"a": {"overlap": 2}}}, "access": INVITED},
     "raters.groups.a.overlap needs `raters.each: true`, by which every trial is answered in each"),
    ({"raters": {"groups": {"a": 2, "b": 5}, "each": True}, "access": INVITED},
     "raters.groups.a.quota must be at least the overlap, 3, got `2`."),
    ({"raters": {"groups": {"a": 1, "b": 1}}, "access": INVITED},
     "raters.groups has places for 2 raters, fewer than the overlap, 3."),
    ({"raters": {"groups": {"a": 9, "b": 9}, "each": True}, "design": {"raters": 18},
      "access": INVITED}, "design.raters is for raters without groups; give each group its"),
    ({"raters": {"groups": {"a": 4, "b": 3}}, "design": {"raters": 9}, "access": INVITED},
     "design.raters must be at most the places of all groups, 7, got `9`: nobody could take the"),
    ({"raters": {"groups": ["a"], "each": "yes"}, "access": INVITED}, "raters.each must be true"),
]  # fmt: skip


@pytest.mark.parametrize(("parts", "message"), WRONG)
def test_what_is_wrong_is_one_sentence_at_its_place(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(SpecError) as error:
        study(**parts)
    assert len(error.value.problems) == 1
    assert error.value.problems[0].message.startswith(message)


CHANGES: list[tuple[dict[str, Any], dict[str, Any], list[tuple[str, str]]]] = [
    ({"groups": {"a": 5}}, {"groups": {"a": 6}}, [("extending", "raters.groups.a.quota")]),
    ({"groups": {"a": 5}}, {"groups": {"a": {}}}, [("extending", "raters.groups.a.quota")]),
    ({"groups": {"a": 5}}, {"groups": {"a": 4}}, [("refused", "raters.groups.a.quota")]),
    ({"groups": {"a": {}}}, {"groups": {"a": 9}}, [("refused", "raters.groups.a.quota")]),
    ({"groups": {"a": 5}}, {"groups": {"a": 5, "b": 5}}, [("extending", "raters.groups.b")]),
    ({"groups": {"a": 5, "b": 5}}, {"groups": {"a": 5}}, [("refused", "raters.groups.b")]),
    ({"groups": {"a": 5}}, {"groups": {"a": 5}, "each": True}, [("refused", "raters.each")]),
    (
        {"groups": {"a": {"quota": 9, "overlap": 3}}, "each": True},
        {"groups": {"a": {"quota": 9, "overlap": 4}}, "each": True},
        [("extending", "raters.groups.a.overlap")],
    ),
]


@pytest.mark.parametrize(("before", "after", "found"), CHANGES)
def test_more_places_extend_and_any_other_change_is_refused(
    before: dict[str, Any], after: dict[str, Any], found: list[tuple[str, str]]
) -> None:
    nothing = Material(items={}, systems=(), outputs={})
    old, new = (snapshot(study(raters=r, access=INVITED), nothing) for r in (before, after))
    assert [(change.kind, change.path) for change in compare(old, new)] == found


def test_groups_cannot_be_made_of_raters_who_are_there_already() -> None:
    nothing = Material(items={}, systems=(), outputs={})
    old = snapshot(study(access=INVITED), nothing)
    new = snapshot(study(access=INVITED, raters={"groups": {"a": 5}}), nothing)
    assert [(change.kind, change.path) for change in compare(old, new)] == [("refused", "raters")]
