"""Judges' marks beside people's: the points that they cost, and the characters."""

from __future__ import annotations

from statistics import mean
from typing import Any

import numpy as np
import pytest

import jurybox as jb
from jurybox.analysis.finding import Analysis
from jurybox.errors import InputError
from jurybox.report import html, markdown
from jurybox.stats.agreement.spans import pair_score
from tests.analysis.planted_judges import VERSIONS, sentence

COLUMNS = ("item", "system", "rater", "rater_kind", "start", "end", "severity", "place", "repeat")
Span = tuple[int, int, str]
Row = tuple[Any, ...]


def table(rows: list[Row], *, drop: tuple[str, ...] = ()) -> dict[str, list[Any]]:
    made = {name: [row[k] for row in rows] for k, name in enumerate(COLUMNS)}
    return {name: column for name, column in made.items() if name not in drop}


def marks(
    item: Any, system: str, rater: str, *spans: Span, place: int = 0, repeat: int = 0
) -> list[Row]:
    kind = "judge" if rater.startswith("j") else "person"
    return [
        (item, system, rater, kind, *span, place, repeat) for span in spans or [(None, None, None)]
    ]


A: Span = (0, 4, "major")
B: Span = (4, 6, "minor")

TWO = [
    *marks("q1", "new", "ada", A),
    *marks("q1", "new", "ben", A, B),
    *marks("q1", "new", "j", B),
    *marks("q2", "new", "ada"),
    *marks("q2", "new", "ben", B),
    *marks("q2", "new", "j"),
]


def test_points_and_characters_by_hand() -> None:
    found = jb.judge_agreement(table(TWO))
    row = found.of("j", "weighted_kappa")
    # Points: q1 ada 5, ben 6, the judge 1; q2 0, 1 and 0. Squared distances of the judge
    # (16 + 25)/2 and (0 + 1)/2, on average 10.5; of two people 1 and 1. Judge: mean ½, square ½;
    # people: mean (5.5 + 0.5)/2 = 3, square (30.5 + 0.5)/2 = 15.5. By chance
    # 15.5 + ½ − 2 · 3 · ½ = 13 and 2 · 15.5 − 2 · 9 = 13.
    assert row.estimate == pytest.approx(1 - 10.5 / 13)
    assert row.ceiling == pytest.approx(1 - 1 / 13)
    assert (row.level, row.answers) == ("ratio", "error points")
    # Characters, q1: the judge and ada none of 4 + 2; the judge and ben 2 · 2/(2 + 6) = ½; ada and
    # ben 2 · 4/(4 + 6) = 0.8. q2: both clean 1; one clean 0; ada and ben 0.
    f1 = found.of("j", "f1")
    assert f1.estimate == pytest.approx((0.25 + 0.5) / 2)
    assert f1.ceiling == pytest.approx((0.8 + 0) / 2)
    assert (f1.n_units, f1.n_replies, f1.against, f1.level) == (2, 2, "person", None)
    assert row.n_replies == 2


def test_the_severest_mark_lies_on_top_and_other_severities_count_half() -> None:
    rows = [
        *marks("q1", "new", "ada", (0, 4, "minor")),
        *marks("q1", "new", "ben", (0, 4, "minor")),
        *marks("q1", "new", "j", (0, 4, "minor"), (0, 2, "major")),
    ]
    # Two characters alike, two half: 2 · (2 + 1)/(4 + 4).
    assert jb.judge_agreement(table(rows)).of("j", "f1").estimate == pytest.approx(0.75)


def some(seed: int, *, systems: str = "ab", n: int = 12) -> list[Row]:
    rng = np.random.default_rng(seed)

    def spans() -> list[Span]:
        starts = rng.integers(0, 30, rng.integers(0, 4))
        return [(int(s), int(s + rng.integers(1, 8)), ("minor", "major")[rng.integers(0, 2)])
                for s in starts]  # fmt: skip

    rows: list[Row] = []
    for item in range(n):
        for system in systems:
            for who in ("p0", "p1", "p2", "j"):
                if rng.random() > 0.15:
                    rows += marks(item, system, who, *spans())
    return rows


@pytest.mark.parametrize("seed", range(4))
def test_f1_is_that_of_plain_python(seed: int) -> None:
    rows = some(seed)
    given: dict[tuple[Any, str], dict[str, list[Span]]] = {}
    for item, system, who, _, *span, _, _ in rows:
        of = given.setdefault((item, system), {}).setdefault(who, [])
        if span[2] is not None:
            of.append((span[0], span[1], span[2]))
    own, ceiling = [], []
    for answers in given.values():
        # The severest comes last, and lies on top.
        made = {who: sorted(spans, key=lambda s: s[2] == "major")
                for who, spans in answers.items()}  # fmt: skip
        people = [who for who in made if who != "j"]
        if "j" in made and len(people) > 1:
            own.append(mean(pair_score(made["j"], made[who]) for who in people))
            ceiling.append(mean(pair_score(made[a], made[b]) for a in people for b in people
                                if a < b))  # fmt: skip
    row = jb.judge_agreement(table(rows)).of("j", "f1")
    assert (row.estimate, row.ceiling, row.n_units) == pytest.approx(
        (mean(own), mean(ceiling), len(own))
    )


def test_two_orders_are_one_answer_also_for_the_middle_one() -> None:
    # Three outputs are shown as a b c and as c b a. In the first order the judge finds A in each,
    # in the second B: points 5 and 1, on average 3. The second output has one place in both.
    rows: list[Row] = []
    for system in "abc":
        rows += [r for who in ("ada", "ben") for r in marks("q1", system, who, A)]
    for repeat, span in ((0, A), (1, B)):
        rows += [r for k, s in enumerate("abc") for r in marks("q1", s, "j", span, place=k,
                                                             repeat=repeat)]  # fmt: skip
        rows += [r for k, s in enumerate("cba") for r in marks("q1", s, "j", B, place=k,
                                                             repeat=repeat)]  # fmt: skip
    found = jb.judge_agreement(table(rows))
    f1 = found.of("j", "f1")
    # F1 with either person is 1 in the first order and 0 in the second.
    assert f1.estimate == pytest.approx(0.5)
    (seen,) = [t for t in jb.analyze(table(rows)).tables if t.id == "by_rater_kind/errors"]
    assert {(row[0], row[1]): row[2] for row in seen.rows} == pytest.approx(
        {(s, who): points for s in "abc" for who, points in (("people", 5.0), ("j", 3.0))}
    )


def figures(found: Analysis, id: str) -> dict[tuple[str, str], float]:
    (one,) = [t for t in found.tables if t.id == id]
    return {(row[0], row[1]): row[2] for row in one.rows}


def test_systems_as_people_and_judges_see_them_with_the_fewest_points_first() -> None:
    rows = [*TWO, *marks("q1", "old", "ada", A, A), *marks("q1", "old", "j", A)]
    found = jb.analyze(table(rows))
    assert figures(found, "by_rater_kind/errors") == pytest.approx(
        {("new", "people"): 3.0, ("new", "j"): 0.5, ("old", "people"): 10.0, ("old", "j"): 5.0}
    )
    (seen,) = [t for t in found.tables if t.id == "by_rater_kind/errors"]
    assert [row[0] for row in seen.rows] == ["new", "new", "old", "old"]


def test_leniency_is_in_error_points() -> None:
    rows: list[Row] = []
    for item in range(10):
        for who in ("ada", "ben", "cy"):
            rows += marks(item, "new", who, A, *([B] if item % 2 else []))
        rows += marks(item, "new", "j", *([B] if item % 2 else []), *([A] if item < 5 else []))
    biases = jb.judge_biases(table(rows))
    # On five of ten items a major error less.
    assert biases.of("j", "leniency").estimate == pytest.approx(-2.5)
    said = sentence(jb.analyze(table(rows)), "judge_bias/errors/j/leniency")
    assert said.startswith("j gives 2.5 fewer error points (")
    assert "than people on the same outputs on errors" in said


def planted(*, n: int = 60, share: int = 1) -> dict[str, list[Any]]:
    """Errors that each person, and a judge like one, finds with 70%; and a judge that guesses."""
    rng = np.random.default_rng(4)
    rows: list[Row] = []
    for item in range(n):
        there = [(10 * k, 10 * k + 6, ("minor", "major")[rng.integers(0, 2)])
                 for k in range(rng.integers(0, 5))]  # fmt: skip
        wild = [(10 * k + 3, 10 * k + 9, "minor") for k in rng.permutation(6).tolist()]

        def found(there: list[Span] = there) -> list[Span]:
            return [span for span in there if rng.random() < 0.7]

        for r in range(6 if item % share == 0 else 0):
            rows += marks(item, "new", f"p{r}", *found())
        rows += marks(item, "new", "j-good", *found())
        rows += marks(item, "new", "j-guess", *wild[: rng.integers(0, 5)])
    return table(rows)


def test_a_judge_like_people_is_at_the_ceiling_and_one_that_guesses_below() -> None:
    found = jb.judge_agreement(planted())
    for statistic in ("weighted_kappa", "f1"):
        good, guess = (found.of(name, statistic) for name in ("j-good", "j-guess"))
        assert good.difference_low is not None
        assert good.difference_high is not None
        assert good.difference_low < 0 < good.difference_high
        assert guess.difference_high is not None
        assert guess.difference_high < 0
    tests = jb.alternative_annotator_test(planted(), epsilon=0.2)
    assert (tests["j-good"].passes, tests["j-guess"].passes) == (True, False)
    assert tests["j-good"].answers == "error points"
    whole = jb.analyze(planted(), epsilon=0.2)
    # The agreement of people alone is the same figure, where every unit has all of them.
    same = next(f.result for f in whole.findings if f.id == "span_agreement/errors")
    assert found.of("j-good", "f1").ceiling == pytest.approx(same.estimate)
    assert not any("panel" in f.id and f.id.endswith("/f1")
                   for f in jb.analyze(planted(n=20), panel="mean").findings)  # fmt: skip
    for page in (html(whole, versions=VERSIONS), markdown(whole, versions=VERSIONS)):
        assert "j-good agrees on errors (error points) with a person to a kappa" in page
        assert "j-good agrees on errors with a person to a mean character F1 of" in page
    assert found == jb.judge_agreement(planted())


def test_people_and_a_judge_together() -> None:
    given = planted(n=200, share=4)
    (row, *_) = jb.prediction_powered(given, probability=0.25, judge="j-good").rows
    points = {"minor": 1, "major": 5, None: 0}
    sums: dict[tuple[Any, str], int] = {}
    for item, who, severity in zip(given["item"], given["rater"], given["severity"], strict=True):
        sums[item, who] = sums.get((item, who), 0) + points[severity]
    assert row.people == pytest.approx(mean(v for (_, who), v in sums.items() if who[0] == "p"))
    assert row.judge_alone == pytest.approx(mean(v for (_, w), v in sums.items() if w == "j-good"))
    assert (row.target, row.n_items, row.n_judged_items) == ("mean", 50, 200)
    assert row.worth is not None
    assert row.worth > 50


def test_points_of_ones_own() -> None:
    rows = [(*r[:6], {"major": "bad", "minor": "so-so"}.get(r[6], r[6]), *r[7:]) for r in TWO]
    with pytest.raises(InputError, match="severity must be one of major, minor, neutral"):
        jb.judge_agreement(table(rows))
    told: dict[str, Any] = {"severities": {"bad": 5, "so-so": 1}}
    row = jb.judge_agreement(table(rows), **told).of("j", "weighted_kappa")
    assert row.estimate == pytest.approx(1 - 10.5 / 13)
    assert jb.judge_biases(table(rows), **told).of("j", "leniency").estimate == pytest.approx(-2.5)
    (test,) = jb.alternative_annotator_test(table(rows), epsilon=0.1, **told).rows
    assert test.undefined is not None
    (both,) = jb.prediction_powered(table(rows), probability=0.5, **told).rows
    assert both.undefined is not None


# Every edge.


def test_outputs_free_of_errors_by_everybody() -> None:
    rows = [r for k in range(6) for who in ("ada", "ben", "j") for r in marks(k, "new", who)]
    found = jb.judge_agreement(table(rows))
    assert found.of("j", "weighted_kappa").undefined == "the answers do not vary"
    f1 = found.of("j", "f1")
    # Two who mark nothing agree; all of them do, so that the interval is Wilson's of six items.
    assert (f1.estimate, f1.ceiling) == (1.0, 1.0)
    assert f1.interval is not None
    assert f1.interval.low == pytest.approx(6 / (6 + 1.959964**2))
    assert jb.analyze(table(rows)).findings


def test_one_person_and_no_shared_item() -> None:
    row = jb.judge_agreement(table([r for r in TWO if r[2] != "ben"])).of("j", "f1")
    assert (row.estimate, row.ceiling) == (0.5, None)
    rows = [r for r in TWO if (r[0] == "q1") == (r[3] == "person")]
    for statistic in ("weighted_kappa", "f1"):
        one = jb.judge_agreement(table(rows)).of("j", statistic)
        assert one.undefined == "no unit has an answer of the judge and of a person"


def test_marks_without_places_have_points_alone() -> None:
    rows = jb.judge_agreement(table(TWO, drop=("start", "end"))).rows
    assert {row.statistic for row in rows} == {"weighted_kappa", "pearson"}
    # Of one marking that does not say where, no F1 is known.
    given = table(TWO)
    given["start"][0] = given["end"][0] = None
    f1 = jb.judge_agreement(given).of("j", "f1")
    assert (f1.n_units, f1.estimate) == (1, 0.5)


def test_unusable_replies_are_counted() -> None:
    given = table([*TWO, ("q3", None, "j", "judge", None, None, None, None, 0)])
    given["status"] = ["answered"] * len(TWO) + ["unusable"]
    found = jb.judge_agreement(given)
    for statistic in ("weighted_kappa", "f1"):
        row = found.of("j", statistic)
        assert (row.n_replies, row.n_unusable) == (3, 1)
    said = [f.sentence for f in jb.analyze(given).findings if f.kind == "judge"]
    assert sum("1 of its 3 replies was unusable" in each for each in said) == 1
