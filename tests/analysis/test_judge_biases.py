"""Biases of judges and people and judges together, from tables: the public functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jurybox as jb
from jurybox.errors import InputError
from jurybox.report import markdown

COLUMNS = ("item", "system", "rater", "rater_kind", "score")


def rows(*given: tuple[Any, ...], columns: tuple[str, ...] = COLUMNS) -> dict[str, list[Any]]:
    return {name: [row[k] for row in given] for k, name in enumerate(columns)}


def shared(
    *, items: int = 150, every: int = 3, raters: int = 6, words: bool = False, seed: int = 1
) -> dict[str, list[Any]]:
    """A judge on every item, half a point too kind, and two people on every third."""
    rng = np.random.default_rng(seed)

    def answer(score: float) -> Any:
        return ("yes" if score > 3 else "no") if words else score

    made: list[tuple[Any, ...]] = []
    for item in range(items):
        good = rng.normal(3, 1)
        said = round(good + 0.5 + rng.normal(0, 0.4), 3)
        made.append((item, "new", "j1", "judge", answer(said)))
        if item % every == 0:
            for who in rng.permutation(raters)[:2]:
                score = answer(round(good + rng.normal(0, 0.5), 3))
                made.append((item, "new", f"p{who}", "person", score))
    return rows(*made)


VOTE = ("item", "system_a", "system_b", "rater", "rater_kind", "first", "repeat", "winner")


def votes(*, repeats: int = 2, orders: str = "ab") -> dict[str, list[Any]]:
    """Of 20 items the judge takes what is shown first on every fourth; people take new."""
    made: list[tuple[Any, ...]] = []
    for item in range(20):
        made += [(item, "new", "old", who, "person", "a", 0, "a") for who in ("ada", "ben")]
        made += [
            (item, "new", "old", "j1", "judge", first, k, first if item % 4 == 0 else "a")
            for first in orders
            for k in range(repeats)
        ]
    return rows(*made, columns=VOTE)


def test_flips_of_a_table() -> None:
    found = jb.judge_biases(votes())
    # 5 of 20 flip with the order and none with the call; new wins 1 or ½, the first one half more.
    assert found.of("j1", "position").estimate == pytest.approx(0.25)
    assert found.of("j1", "first_shown").estimate == pytest.approx(0.125)
    assert found.of("j1", "repeats").estimate == 0
    assert found.of("j1", "wording").undefined == (
        "it is there in one wording only; add a judge of the same model with another template"
    )
    with pytest.raises(InputError, match="there is no 'leniency' of 'j1'"):
        found.of("j1", "leniency")
    once = jb.judge_biases(votes(repeats=1))
    assert "no call is there twice" in (once.of("j1", "position").undefined or "")
    alone = jb.judge_biases(votes(orders="a"))
    assert "one order only" in (alone.of("j1", "position").undefined or "")


def test_biases_are_looks_with_an_adjusted_p() -> None:
    found = jb.judge_biases(votes())
    # 5 of 20 items have 1 and the others 0: the variance of their mean ¼ is
    # (5 · 0.75² + 15 · 0.25²) / 20² · 20/19 = 0.009868, t = 0.25 / 0.09934 = 2.517 with df 19. What
    # is shown first wins ½ more on the same five: half of both, and the same t.
    for bias in ("position", "first_shown"):
        row = found.of("j1", bias)
        assert row.p == pytest.approx(0.020992, abs=1e-6)
        # Two of two, both the largest: 2/2 · p.
        assert row.p_adjusted == row.p
        assert row.adjusted_by == "Benjamini–Hochberg over 2 biases of judges"
    assert (found.of("j1", "repeats").p, found.of("j1", "repeats").p_adjusted) == (None, None)


def test_biases_on_all_criteria_are_one_family() -> None:
    """Each criterion's p is larger than alone: it is one of as many looks as there are."""
    tables = [shared(items=40, every=1, seed=seed) for seed in (1, 2, 3)]
    both: dict[str, list[Any]] = {}
    for k, table in enumerate(tables):
        for name, column in {**table, "criterion": [f"c{k}"] * len(table["item"])}.items():
            both.setdefault(name, []).extend(column)
    found = jb.analyze(both)
    rows: list[Any] = [f.result for f in found.findings if f.id.startswith("judge_bias/")]
    rows = [row for row in rows if row.p is not None]
    ps = [row.p for row in rows]
    # Leniency and compression on three criteria: the k-th smallest p times 6 / k, and never more
    # than that of a larger one.
    assert len(ps) == 6
    ordered = sorted(ps)
    steps = [min(1.0, 6 * p / k) for k, p in enumerate(ordered, start=1)]
    wanted = {p: min(steps[k:]) for k, p in enumerate(ordered)}
    assert [row.p_adjusted for row in rows] == pytest.approx([wanted[p] for p in ps])
    assert {row.adjusted_by for row in rows} == {"Benjamini–Hochberg over 6 biases of judges"}
    sentences = [f.sentence for f in found.findings if f.result is rows[0]]
    assert sentences[0].count(" by Benjamini–Hochberg over 6 biases of judges)") == 1
    text = markdown(found, versions={"jurybox": "0.1.0"})
    # The methods say against what biases are tested and that they are looks; the limits say how
    # many.
    assert "of the bias of a judge against 0, by the t of the interval" in text
    assert "(Benjamini–Hochberg over 6 biases of judges)" in text
    assert "6 exploratory looks were made" in text
    assert "Controlling the false discovery rate" in text


def test_two_votes_that_contradict_are_a_tie() -> None:
    # On the flipped items the judge has ½ and people 1: its own family, new, loses 5 · ½ of 20.
    found = jb.judge_biases(votes(), families={"new": "x", "old": "y"}, judge_families={"j1": "x"})
    assert found.of("j1", "self_preference").estimate == pytest.approx(-0.125)


def test_a_lenient_judge_of_a_table() -> None:
    found = jb.judge_biases(shared())
    row = found.of("j1", "leniency")
    assert row.interval is not None
    assert row.interval.low < 0.5 < row.interval.high
    assert (row.n_items, row.n_raters) == (50, 6)
    assert found.of("j1", "compression").estimate == pytest.approx(0, abs=0.15)


def test_words_have_no_direction() -> None:
    found = jb.judge_biases(shared(words=True))
    assert {row.bias for row in found.rows} == {"position", "first_shown", "repeats", "wording"}
    assert all(row.estimate is None for row in found.rows)


def test_wordings_are_two_judges_that_are_there() -> None:
    table = votes()
    other = {name: list(column) for name, column in table.items()}
    for k, rater in enumerate(table["rater"]):
        if rater == "j1":
            for name, column in table.items():
                other[name].append("j2" if name == "rater" else column[k])
    found = jb.judge_biases(other, wordings=[("j1", "j2")])
    assert found.of("j1", "wording").estimate == 0
    for pair, said in ((("j1", "j3"), "there is no judge 'j3'"), (("j1", "j1"), "against itself")):
        with pytest.raises(InputError, match=said):
            jb.judge_biases(other, wordings=[pair])


def test_people_alone_have_no_biases() -> None:
    table = rows((1, "new", "ada", "person", 3), (2, "new", "ben", "person", 4))
    for function in (jb.judge_biases, lambda t: jb.prediction_powered(t, probability=0.5)):
        with pytest.raises(InputError, match="there is no judge beside people"):
            function(table)


def test_both_together() -> None:
    (row,) = jb.prediction_powered(shared(), probability=1 / 3).rows
    assert (row.n_items, row.n_raters, row.n_judged_items) == (50, 6, 150)
    assert row.estimate is not None
    assert row.people is not None
    assert row.judge_alone is not None
    assert row.worth is not None
    assert row.judge_alone - row.people == pytest.approx(0.5, abs=0.25)
    assert row.worth > 50


@pytest.mark.parametrize(
    ("table", "options", "said"),
    [
        (shared(), {"probability": None}, "not known with which probability"),
        (shared(words=True), {"probability": 0.3}, "words or nominal, which have no mean"),
        (shared(), {"probability": 0.8}, "people rated 50 of the judge's 150 units, and a probab"),
        (shared(), {"probability": 1 / 3, "tuned": ["j1"]}, "the judge was tuned on these answers"),
        (shared(every=1), {"probability": 0.9}, "it has nothing to add"),
        (shared(items=60), {"probability": 1 / 3}, "people rated 20 items with 6 raters; it takes"),
        (shared(raters=4), {"probability": 1 / 3}, "with 4 raters"),
    ],
)
def test_what_is_not_combined(table: Any, options: Any, said: str) -> None:
    found = jb.prediction_powered(table, **options)
    reasons = [found.undefined, *(row.undefined for row in found.rows)]
    assert any(said in (reason or "") for reason in reasons), reasons
    assert all(row.estimate is None for row in found.rows)


def test_what_was_chosen_because_judges_disagree_is_not_combined() -> None:
    """Two judges differ on every third item, which is the very part that people got."""
    table = {name: list(column) for name, column in shared(seed=2).items()}
    judged = [k for k, kind in enumerate(table["rater_kind"]) if kind == "judge"]
    for k in judged:
        off = (1.0 if table["item"][k] % 3 == 0 else 0.1) * (1 if k % 2 else -1)
        row = (table["item"][k], "new", "j2", "judge", table["score"][k] + off)
        for name, value in zip(COLUMNS, row, strict=True):
            table[name].append(value)
    found = jb.prediction_powered(table, probability=1 / 3)
    assert found.rows == ()
    assert found.undefined is not None
    assert found.undefined.startswith(
        "judges' replies lie 1.000 apart on what people rated and 0.100 on the rest, which chance"
    )
    warned = jb.analyze(table).warnings
    assert any(text.startswith("Agreement of judges on") for text in warned), warned
    # On a random part they differ as elsewhere.
    rng = np.random.default_rng(4)
    for k, who in enumerate(table["rater"]):
        if who == "j2":
            table["score"][k] += rng.normal(0, 2)
    assert jb.prediction_powered(table, probability=1 / 3).undefined is None


def test_votes_that_were_chosen_because_judges_disagree() -> None:
    made: list[tuple[Any, ...]] = []
    for item in range(90):
        for first in "ab":
            flips = item % 3 == 0 or item % 10 == 1
            winner = first if flips else "a"
            made.append((item, "new", "old", "j1", "judge", first, 0, winner))
        if item % 3 == 0:
            made += [
                (item, "new", "old", f"p{(item + k) % 7}", "person", "a", 0, "ab"[k])
                for k in (0, 1)
            ]
    found = jb.prediction_powered(rows(*made, columns=VOTE), probability=1 / 3)
    # Of 60 others the 6 numbers 1, 11, 31, 41, 61 and 71 flip.
    assert found.undefined is not None
    assert "differ on 100.0% of what people rated and on 10.0% of the rest" in found.undefined


def test_what_cannot_be_asked() -> None:
    with pytest.raises(InputError, match="probability must lie between 0 and 1"):
        jb.prediction_powered(shared(), probability=1.5)
    with pytest.raises(InputError, match="there is no judge 'me'; there are j1"):
        jb.prediction_powered(shared(), probability=0.3, judge="me")


def test_a_table_says_why_people_and_judges_are_not_combined() -> None:
    found = jb.analyze(shared())
    assert any(
        w.startswith("People and judges are not combined: it is not") for w in found.warnings
    )
    ids = {finding.id for finding in found.findings}
    assert {"judge_bias/overall/j1/leniency", "judge_bias/overall/j1/unknown"} <= ids
    text = markdown(found, versions={"jurybox": "0.1.0"})
    assert "Biases of judges: overall" in text
