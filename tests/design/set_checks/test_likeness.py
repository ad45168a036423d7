"""Near-duplicate items: texts, pictures and both."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from jurybox.design.set_checks import SetCheck
from jurybox.design.set_checks.check import Facts
from jurybox.design.set_checks.likeness import ALIKE, check_likeness
from tests.design.set_checks.sets import make_material, make_study, questions

TEN = "one two three four five six seven eight nine ten"
PRINT = 0x0F0F_3355_AAAA_C3C3


def likeness(items: list[dict[str, Any]], facts: Facts | None = None, **show: str) -> SetCheck:
    study = make_study(show={**(show or {"question": "text"}), "answer": "text"})
    material = make_material(items, {"one": ["x"] * len(items)})
    return check_likeness(study, material, facts or {})


def test_texts_that_differ_in_case_and_marks_are_the_same() -> None:
    check = likeness([{"question": "What's new?"}, {"question": "WHAT S NEW"}, *questions(20)])
    assert check.warns
    assert check.figure == 2
    assert check.sentence == "2 of 22 items are nearly the same as another: q0 and q1 (100%)."
    assert "counts several times" in check.bias


def test_by_hand() -> None:
    # Of 9 pairs of words the last differs: 8 of the 10 that either has are in both, 80%.
    other = TEN.replace("ten", "eleven")
    assert "(80%)" in likeness([{"question": TEN}, {"question": other}]).sentence
    # One word in the middle takes two pairs away: 7 of 11.
    middle = TEN.replace("five", "fifty")
    assert likeness([{"question": TEN}, {"question": middle}]).figure == 0


def test_texts_without_spaces_are_compared_by_character() -> None:
    one, other = "今日はとても良い天気ですね本当に", "今日はとても良い天気ですね本当だ"
    assert likeness([{"question": one}, {"question": other}]).warns
    assert not likeness([{"question": one}, {"question": "明日は雨が降るかもしれません"}]).warns


def test_words_of_a_template_do_not_make_items_alike() -> None:
    head = "Answer the following question in one short paragraph and explain each step of it:"
    items = [{"question": f"{head} {row['question']}"} for row in questions(40)]
    short = [{"question": f"{head} city{i} mayor{i}?"} for i in range(40)]
    assert likeness(items).figure == 0
    assert likeness(short).figure == 0


@given(
    st.lists(
        st.lists(st.sampled_from("abcd"), min_size=1, max_size=7).map(" ".join),
        min_size=2,
        max_size=9,
    )
)
def test_every_pair_is_found(texts: list[str]) -> None:
    def traits(text: str) -> set[tuple[str, ...]]:
        words = text.split()
        return {*pairwise(words)} or {tuple(words)}

    alike = {
        name
        for one, other in combinations(range(len(texts)), 2)
        for a, b in [(traits(texts[one]), traits(texts[other]))]
        if len(a & b) / len(a | b) >= ALIKE
        for name in (one, other)
    }
    assert likeness([{"question": text} for text in texts]).figure == len(alike)


def picture(name: str, bits: int, tint: str = "808080" * 4) -> tuple[Path, dict[str, float | str]]:
    return Path(f"/set/{name}.png"), {"fingerprint": f"{bits:016x}", "tint": tint}


def test_pictures_by_their_fingerprint() -> None:
    # Four bits of 64 apart is alike (94%), five is not; nor is another color.
    made = [
        picture("a", PRINT),
        picture("b", PRINT ^ 0b1111),
        picture("c", PRINT ^ (0b11111 << 40)),
        picture("d", PRINT, "804080" * 4),
    ]
    check = likeness([{"photo": path} for path, _ in made], dict(made), photo="image")
    assert check.sentence == "2 of 4 items are nearly the same as another: q0 and q1 (94%)."


def test_plain_pictures_are_told_by_their_content_alone() -> None:
    blank = [(path, {**facts, "content": path.stem[0]}) for path, facts in
             (picture("a1", 0), picture("a2", 1), picture("b1", 0))]  # fmt: skip
    check = likeness([{"photo": path} for path, _ in blank], dict(blank), photo="image")
    assert check.sentence == "2 of 3 items are nearly the same as another: q0 and q1 (100%)."


def test_everything_shown_must_be_alike() -> None:
    one, two = picture("a", PRINT), picture("b", ~PRINT & (1 << 64) - 1)
    facts = dict([one, two])
    other = "quite another thing is asked of this picture here"
    items = [
        {"question": TEN, "photo": one[0]},
        {"question": TEN, "photo": two[0]},
        {"question": other, "photo": one[0]},
        {"question": f"{TEN} eleven", "photo": one[0]},
    ]
    check = likeness(items, facts, question="text", photo="image")
    assert check.sentence == "2 of 4 items are nearly the same as another: q0 and q3 (90%)."


def test_recordings_are_alike_when_they_are_the_same_file() -> None:
    paths = [Path(f"/set/{n}.wav") for n in "abc"]
    facts: Facts = dict(
        zip(paths, [{"content": "x"}, {"content": "x"}, {"seconds": 1.0}], strict=True)
    )
    check = likeness([{"sound": path} for path in paths], facts, sound="audio")
    assert check.figure == 2


def test_nothing_to_compare() -> None:
    bare = likeness([{}, {}])
    assert (bare.figure, bare.undefined) == (None, "nothing is shown of an item but its outputs")
    assert likeness([{"question": TEN}]).figure == 0
    # Files that could not be probed, and texts without a word, are like nothing.
    missing = likeness([{"photo": Path("/gone.png")}, {"photo": Path("/gone.png")}], photo="image")
    assert missing.figure == 0
    assert likeness([{"question": "…"}, {"question": "???"}]).figure == 0


def test_many_copies_are_all_counted() -> None:
    copies = [{"question": f"{TEN} {'again ' * (i % 3)}"} for i in range(60)]
    others = questions(80)
    check = likeness([*copies, *others])
    assert check.figure == 60
    assert check.sentence.endswith("and others.")
