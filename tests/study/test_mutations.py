"""A study file with any slip in it: always a sentence with a place, never another exception."""

from __future__ import annotations

import copy
import io
import math
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from jurybox.errors import Problem
from jurybox.study.positions import read_yaml
from jurybox.study.read import check_file
from tests.study.examples import STUDIES

TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(STUDIES.glob("*.yaml"))}
DATA = {name: read_yaml(text.encode(), name).data for name, text in TEXTS.items()}

# Maps whose keys are the author's own names, or values of a scale, or languages.
OWN_NAMES = re.compile(
    r"(show|criteria|derived|systems|survey|judges|outputs\.columns|cases\.\d+\.scores"
    r"|criteria\.\w+\.(categories|severities|weights|weights\.[^.]+|scale|scale\.values|confidence"
    r"|scale\.anchors)|derived\.\w+\.weighted_mean|survey\.\w+\.choices"
    r"|title|instructions|look_for\.\d+|criteria\.\w+\.scale\.[\d.]+)"
)
WRONG_VALUES: list[Any] = [
    None, [], [None], {}, {"a": 1}, 0, -1, 3, 10**30, 0.5, -0.5, 1e308, math.nan, math.inf, True,
    False, "", "x", "yes", "x" * 5000, "\u202e", [1, "a", None], {"as": {"as": "text"}}, [[]],
    {1: {2: 3}},
]  # fmt: skip


def paths(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    parts = data.items() if isinstance(data, dict) else enumerate(data)
    for key, part in parts:
        yield (*path, key)
        if isinstance(part, dict | list):
            yield from paths(part, (*path, key))


ALL_PATHS = [(name, path) for name, data in DATA.items() for path in paths(data)]


def is_own_name(path: tuple[Any, ...]) -> bool:
    holder = ".".join(str(part) for part in path[:-1])
    if holder.endswith((".scale", ".confidence", ".anchors")) and isinstance(path[-1], str):
        return False  # the long form's keys stand where values could
    if re.fullmatch(r"criteria\.\w+\.scale\.[\d.]+", holder):
        return path[-1] in {"en", "de"}
    return OWN_NAMES.fullmatch(holder) is not None


def check(data: Any) -> tuple[str, tuple[Problem, ...]]:
    stream = io.StringIO()
    yaml = YAML(typ="safe", pure=True)
    yaml.allow_unicode = True
    yaml.dump(data, stream)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "study.yaml"
        file.write_text(stream.getvalue(), encoding="utf-8")
        study, problems = check_file(file)
        if study is not None:
            assert not [p for p in problems if p.severity == "error"]
        else:
            assert problems
        return stream.getvalue(), problems


def assert_located(text: str, problems: tuple[Problem, ...]) -> None:
    lines = text.splitlines() or [""]
    for problem in problems:
        assert problem.file is not None
        assert problem.file.endswith("study.yaml")
        assert problem.line is not None
        assert problem.column is not None
        assert 1 <= problem.line <= len(lines) + 1
        assert problem.column >= 1
        sentence = problem.message
        assert sentence.endswith((".", "?", "!"))
        assert "\n" not in sentence
        # None of pydantic's or ruamel's own words.
        for foreign in ("Input should", "valid dictionary", "pydantic", "Extra inputs", "mapping"):
            assert foreign not in sentence
        assert len(sentence) < 500
    order = [(problem.line or 0, problem.column or 0) for problem in problems]
    assert order == sorted(order)


def holder_of(data: Any, path: tuple[Any, ...]) -> Any:
    for part in path[:-1]:
        data = data[part]
    return data


def rename(data: Any, path: tuple[Any, ...], new: str) -> Any:
    changed = copy.deepcopy(data)
    holder = holder_of(changed, path)
    renamed = {new if key == path[-1] else key: value for key, value in holder.items()}
    holder.clear()
    holder.update(renamed)
    return changed


@st.composite
def slips(draw: st.DrawFn, word: str) -> str:
    """One slip of the pen: a letter dropped, doubled, swapped or replaced."""
    place = draw(st.integers(0, len(word) - 1))
    kind = draw(st.sampled_from(["drop", "double", "swap", "replace", "capital"]))
    if kind == "drop" and len(word) > 2:
        return word[:place] + word[place + 1 :]
    if kind == "double":
        return word[: place + 1] + word[place:]
    if kind == "swap" and place + 1 < len(word) and word[place] != word[place + 1]:
        return word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    if kind == "capital":
        return word.capitalize()
    return word[:place] + "q" + word[place + 1 :]


KEYS = [(n, p) for n, p in ALL_PATHS if isinstance(p[-1], str) and not is_own_name(p)]


@given(st.data())
def test_a_misspelled_key_is_told_with_its_right_spelling(data: st.DataObject) -> None:
    name, path = data.draw(st.sampled_from(KEYS))
    slip = data.draw(slips(path[-1]))
    if slip in holder_of(DATA[name], path) or slip == path[-1]:
        return
    text, problems = check(rename(DATA[name], path, slip))
    assert_located(text, problems)
    told = [p.message for p in problems if f"`{path[-1]}`" in p.message or slip in p.message]
    assert any(re.search(rf"\b{re.escape(path[-1])}\b", message) for message in told), problems


OWN = [(n, p) for n, p in ALL_PATHS if isinstance(p[-1], str) and is_own_name(p)]


@given(st.data())
def test_a_misspelled_name_of_the_author_is_fine_or_located(data: st.DataObject) -> None:
    name, path = data.draw(st.sampled_from(OWN))
    slip = data.draw(slips(path[-1]))
    if slip not in holder_of(DATA[name], path):
        assert_located(*check(rename(DATA[name], path, slip)))


@given(place=st.sampled_from(ALL_PATHS), value=st.sampled_from(WRONG_VALUES))
def test_a_wrong_value_anywhere_is_fine_or_located(place: tuple[str, Any], value: Any) -> None:
    name, path = place
    changed = copy.deepcopy(DATA[name])
    holder_of(changed, path)[path[-1]] = value
    assert_located(*check(changed))


@pytest.mark.full
@pytest.mark.parametrize("name", sorted(DATA))
def test_every_wrong_value_everywhere(name: str) -> None:
    for path in paths(DATA[name]):
        for value in WRONG_VALUES:
            changed = copy.deepcopy(DATA[name])
            holder_of(changed, path)[path[-1]] = value
            assert_located(*check(changed))


@given(st.data())
def test_several_slips_are_all_told(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(DATA)))
    tops = [key for key in DATA[name] if key not in {"protocol"}]
    chosen = data.draw(st.lists(st.sampled_from(tops), unique=True, min_size=2, max_size=4))
    changed = DATA[name]
    for key in chosen:
        changed = rename(changed, (key,), f"{key}x")
    text, problems = check(changed)
    assert_located(text, problems)
    for key in chosen:
        assert any(f"{key}x is not a known key" in problem.message for problem in problems)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=8) | st.integers(), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(place=st.sampled_from(ALL_PATHS), value=JUNK)
def test_any_junk_anywhere_is_fine_or_located(place: tuple[str, Any], value: Any) -> None:
    name, path = place
    changed = copy.deepcopy(DATA[name])
    holder_of(changed, path)[path[-1]] = value
    assert_located(*check(changed))


@given(st.data())
def test_any_bytes_are_a_study_or_located(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(sorted(TEXTS.values()))).encode()
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 30)))
    changed = text[:start] + data.draw(st.binary(max_size=12)) + text[end:]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "study.yaml"
        file.write_bytes(changed)
        study, problems = check_file(file)
        assert (study is None) == any(problem.severity == "error" for problem in problems)
        assert all(problem.line and problem.column for problem in problems)


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_every_study_of_the_tests_is_valid(name: str, tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(TEXTS[name], encoding="utf-8")
    assert check_file(tmp_path)[1] == ()
