"""Sentences in the terminal: hanging bullets, numbers in one piece, no word alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurybox.cli.lines import bullet, paragraph
from jurybox.cli.terminal import cell_width


def test_further_lines_hang_below_the_first() -> None:
    assert bullet("one two three four five", 12) == "• one two\n  three\n  four five"
    assert bullet("one two three", 14, indent=2, mark="–") == "  – one\n    two three"
    assert paragraph("one two three", 10) == "one\ntwo three"


def test_a_p_value_stays_in_one_piece() -> None:
    assert bullet("the gap is 1.2 (p = 0.7)", 19) == "• the gap is 1.2\n  (p = 0.7)"


@pytest.mark.parametrize("sentence", ["word", "", "a longword that has no end"])
def test_short_sentences_stay_whole(sentence: str) -> None:
    assert paragraph(sentence, 80) == sentence


@given(st.lists(st.text("abcde", min_size=1, max_size=9), min_size=4), st.integers(30, 90))
def test_nothing_is_lost_and_no_word_stands_alone(words: list[str], width: int) -> None:
    shown = bullet(" ".join(words), width)
    assert shown.split() == ["•", *words]
    assert all(len(line) <= width for line in shown.splitlines())
    assert len(shown.splitlines()[-1].split()) >= 2


def test_what_would_steer_the_terminal_is_named() -> None:
    assert bullet("\x1b[31mred \u202eb", 80) == "• \\u001b[31mred \\u202eb"


def test_lines_are_as_wide_as_they_look() -> None:
    said = "模型甲 and 模型乙 are not told apart " * 4
    lines = bullet(said.strip(), 40).splitlines()
    assert max(map(cell_width, lines)) <= 40
    # As much stands on a line as there is room for.
    assert min(map(cell_width, lines[:-1])) > 30
    assert " ".join(line[2:] for line in lines) == said.strip()
