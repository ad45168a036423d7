"""Judges' rankings and best-of-N choices beside people's."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import jurybox as jb
from jurybox.analysis.finding import Analysis, Table
from jurybox.errors import InputError
from jurybox.report import html, markdown
from tests.analysis.planted_judges import VERSIONS, sentence

COLUMNS = ("item", "system", "rater", "rater_kind", "rank", "place", "repeat")
Row = tuple[Any, ...]


def table(rows: list[Row], *, drop: tuple[str, ...] = ()) -> dict[str, list[Any]]:
    made = {name: [row[k] for row in rows] for k, name in enumerate(COLUMNS)}
    return {name: column for name, column in made.items() if name not in drop}


def ranking(
    item: Any, rater: str, ranks: dict[str, float], *, shown: str = "", repeat: int = 0
) -> list[Row]:
    """A ranking; ``shown``: the systems in the order shown, by default that of the ranks."""
    kind = "judge" if rater.startswith("j") else "person"
    order = shown or "".join(ranks)
    return [(item, s, rater, kind, ranks[s], order.index(s), repeat) for s in order]


def order(best_first: str) -> dict[str, float]:
    return {system: k + 1.0 for k, system in enumerate(best_first)}


def figures(found: Analysis, id: str) -> dict[tuple[str, str], float]:
    (one,) = [t for t in found.tables if t.id == id]
    return {(row[0], row[1]): row[2] for row in one.rows}


TWO = [
    *ranking("q1", "ada", order("abc")),
    *ranking("q1", "ben", order("acb")),
    *ranking("q1", "j", order("abc")),
    *ranking("q2", "ada", order("abc")),
    *ranking("q2", "ben", order("cba")),
    *ranking("q2", "j", {"a": 1, "b": 1, "c": 2}),
]


def test_tau_beside_two_people_by_hand() -> None:
    # q1: the judge ranks as ada (1), and with ben two of three pairs alike and one not (1/3).
    # q2: ada and ben are opposite (−1); the judge orders two pairs, as ada: ±2/√6, 0 on average.
    row = jb.judge_agreement(table(TWO)).of("j", "tau")
    assert row.estimate == pytest.approx((2 / 3 + 0) / 2)
    assert row.ceiling == pytest.approx((1 / 3 - 1) / 2)
    assert (row.n_units, row.n_replies, row.n_unusable) == (2, 2, 0)
    # A ranking has neither a confusion of single values nor a consensus.
    assert (row.confusion, row.against) == ((), "person")
    assert len(jb.judge_agreement(table(TWO)).rows) == 1


def test_the_ceiling_is_the_mean_tau_of_the_chapter_on_agreement() -> None:
    found = jb.analyze(planted())
    (agreement,) = [f.result for f in found.findings if f.id == "agreement/preference"]
    row = jb.judge_agreement(planted()).of("j-good", "tau")
    assert row.ceiling == pytest.approx(agreement.tau)  # type: ignore[attr-defined]


def test_two_orders_are_one_ranking_and_of_repeats_the_first_counts() -> None:
    # Shown a b c the judge ranks a b c, shown c b a it ranks b a c: mean ranks 1½, 1½ and 3, so
    # that a and b are tied. A repeat that says the opposite counts nowhere.
    rows = [
        *ranking("q1", "ada", order("abc")),
        *ranking("q1", "ben", order("abc")),
        *ranking("q1", "j", order("abc"), shown="abc"),
        *ranking("q1", "j", order("bac"), shown="cba"),
        *ranking("q1", "j", order("cba"), shown="abc", repeat=1),
        *ranking("q1", "j", order("cba"), shown="cba", repeat=1),
    ]
    row = jb.judge_agreement(table(rows)).of("j", "tau")
    # Two of three pairs are ordered, both as people do: 2/√(2·3).
    assert row.estimate == pytest.approx(2 / 6**0.5)
    assert (row.n_units, row.n_replies) == (1, 4)


def test_orders_that_cancel_are_held_against_the_judge() -> None:
    # Whatever is shown first is ranked first: both orders together tie everything, which has tau 0.
    rows = [row for k in range(4) for who in ("ada", "ben")
            for row in ranking(k, who, order("abc"))]  # fmt: skip
    rows += [r for k in range(4) for o in ("abc", "cba") for r in ranking(k, "j", order(o))]
    row = jb.judge_agreement(table(rows)).of("j", "tau")
    assert (row.estimate, row.ceiling) == (0.0, 1.0)
    biases = jb.judge_biases(table(rows))
    # All three pairs differ between the orders; the one shown first is always above the other.
    assert biases.of("j", "position").observed == 1.0
    assert biases.of("j", "first_shown").estimate == 0.5


def test_a_ranking_is_a_verdict_on_every_two_outputs() -> None:
    # Asked twice in each order. On the first of four items, in either order and call, a and b
    # change places; on the others nothing ever changes.
    rows: list[Row] = []
    for item in range(4):
        for who in ("ada", "ben"):
            rows += ranking(item, who, order("abc"))
        for shown, repeat in itertools.product(("abc", "cba"), (0, 1)):
            best = "bac" if item == 0 and shown == "cba" else "abc"
            rows += ranking(item, "j", order(best), shown=shown, repeat=repeat)
    biases = jb.judge_biases(table(rows))
    position = biases.of("j", "position")
    # One of twelve pairs differs between orders, and none between repeats.
    assert (position.observed, position.chance) == pytest.approx((1 / 12, 0))
    assert biases.of("j", "repeats").estimate == 0
    # Of the twelve, the one shown first is above in its order on the pair that changes (1), and on
    # half of the orders on the others: (1/2)/12 beyond one half.
    assert biases.of("j", "first_shown").estimate == pytest.approx(1 / 24)
    said = sentence(jb.analyze(table(rows)), "judge_bias/preference/j/first_shown")
    assert "With j the output shown first is ranked above the other in 54.2%" in said


def test_systems_as_people_and_judges_see_them() -> None:
    found = jb.analyze(table(TWO))
    # ada puts a first twice, ben a and c; the judge a, and then a and b together.
    assert figures(found, "by_rater_kind/preference") == pytest.approx({
        ("a", "people"): 3 / 4, ("b", "people"): 0, ("c", "people"): 1 / 4,
        ("a", "j"): 3 / 4, ("b", "j"): 1 / 4, ("c", "j"): 0,
    })  # fmt: skip
    # Of eight verdicts of people on a and another, ada wins four and ben two.
    above = figures(found, "by_rater_kind/preference/above")
    assert above["a", "people"] == pytest.approx(6 / 8)
    # The judge: both others of q1; of q2 c, and b by half.
    assert above["a", "j"] == pytest.approx(3.5 / 4)
    assert above["c", "j"] == 0


PICKS = [
    ("q1", "a", "a", "a"), ("q2", "a", "b", "b"), ("q3", "c", "c", "a"), ("q4", "a", "a", "a"),
]  # fmt: skip


def picked(best: str) -> dict[str, float]:
    return {system: 1.0 if system == best else 2.0 for system in "abc"}


def test_choices_of_the_best_are_words() -> None:
    raters = ("ada", "ben", "j")
    rows = [r for item, *given in PICKS for who, best in zip(raters, given, strict=True)
            for r in ranking(item, who, picked(best), shown="abc")]  # fmt: skip
    found = jb.judge_agreement(table(rows))
    row = found.of("j", "percent")
    # Judge: both, ben, neither, both of two people: (1 + ½ + 0 + 1)/4. People agree on 3 of 4.
    assert (row.estimate, row.ceiling) == pytest.approx((2.5 / 4, 3 / 4))
    # Of people's answers 5/8 are a, 1/8 b, 2/8 c, of the judge's 3/4 a, 1/4 b.
    chance = 3 / 4 * 5 / 8 + 1 / 4 * 1 / 8
    assert found.of("j", "kappa").estimate == pytest.approx((2.5 / 4 - chance) / (1 - chance))
    assert row.judge_values == ("a", "b")
    assert row.person_values == ("a", "b", "c")
    assert row.confusion == ((4 + 0, 0, 2), (1, 1, 0))
    page = jb.analyze(table(rows))
    assert "Share picked" in [c.heading for t in page.tables if t.kind == "by_rater_kind"
                              for c in t.columns]  # fmt: skip


def test_picks_of_two_orders_that_contradict_are_a_tie_with_nobody() -> None:
    rows = [r for item, one, two, _ in PICKS for who, best in (("ada", one), ("ben", two))
            for r in ranking(item, who, picked(best), shown="abc")]  # fmt: skip
    for item, *_ in PICKS:
        rows += ranking(item, "j", picked("a"), shown="abc")
        rows += ranking(item, "j", picked("c" if item == "q1" else "a"), shown="cba")
    row = jb.judge_agreement(table(rows)).of("j", "percent")
    # q1 nobody, q2 ada, q3 nobody, q4 both.
    assert row.n_units == 4
    assert row.estimate == pytest.approx((0 + 1 / 2 + 0 + 1) / 4)
    assert (row.judge_values, row.n_contradicted) == (("a", "tie"), 0)


def planted(seed: int = 1, *, n: int = 60, raters: int = 6, share: int = 1) -> dict[str, list[Any]]:
    """People near one order, a judge like one of them, one that guesses, and one that is sure."""
    rng = np.random.default_rng(seed)
    truth = {"a": 1.0, "b": 0.5, "c": 0.0}
    rows: list[Row] = []
    for item in range(n):
        own = {s: v + rng.normal(0, 0.6) for s, v in truth.items()}

        def drawn(sd: float, own: dict[str, float] = own) -> dict[str, float]:
            seen = {s: v + rng.normal(0, sd) for s, v in own.items()}
            return order("".join(sorted(seen, key=lambda s: -seen[s])))

        for r in range(raters if item % share == 0 else 0):
            rows += ranking(item, f"p{r}", drawn(0.8), shown="abc")
        rows += ranking(item, "j-good", drawn(0.8), shown="abc")
        rows += ranking(item, "j-guess", drawn(50.0), shown="abc")
    return table(rows)


def test_a_judge_like_people_is_at_the_ceiling_and_one_that_guesses_below() -> None:
    found = jb.analyze(planted(), epsilon=0.2)
    good, guess = (
        next(f.result for f in found.findings if f.id == f"judge/preference/{name}")
        for name in ("j-good", "j-guess")
    )
    assert good.difference_low < 0 < good.difference_high  # type: ignore[attr-defined]
    assert guess.difference_high < 0  # type: ignore[attr-defined]
    # A test of every person takes more items.
    tests = jb.alternative_annotator_test(planted(n=200), epsilon=0.2)
    assert (tests["j-good"].passes, tests["j-guess"].passes) == (True, False)
    said = sentence(found, "judge/preference/j-good")
    assert said.startswith("j-good agrees on preference with a person to a mean Kendall's tau-b of")
    for page in (html(found, versions=VERSIONS), markdown(found, versions=VERSIONS)):
        assert "Judges beside people" in page
        assert "Systems by people and by judges, ranked above: preference" in page


def test_people_and_a_judge_together() -> None:
    given = planted(n=200, share=4)
    found = jb.prediction_powered(given, probability=0.25)
    rows = {(r.judge, r.target, r.system, r.other): r for r in found.rows}
    assert {target for _, target, _, _ in rows} == {"win rate", "ranked first"}
    first = rows["j-good", "ranked first", "a", None]
    # Counted by hand: the share of people's rankings with a first, and of all of the judge's.
    people = [r for s, r, kind in zip(given["system"], given["rank"], given["rater_kind"],
                                      strict=True) if s == "a" and kind == "person"]  # fmt: skip
    judge = [r for s, r, who in zip(given["system"], given["rank"], given["rater"],
                                    strict=True) if s == "a" and who == "j-good"]  # fmt: skip
    assert first.people == pytest.approx(np.mean(np.array(people) == 1))
    assert first.judge_alone == pytest.approx(np.mean(np.array(judge) == 1))
    assert first.as_percent
    assert 0 < (first.weight or 0) <= 1
    assert (first.n_items, first.n_judged_items) == (50, 200)
    above = rows["j-good", "win rate", "a", "b"]
    assert above.interval is not None
    assert (above.worth or 0) > 50 > (rows["j-guess", "win rate", "a", "b"].worth_low or 0) - 1
    # The same seed, the same figures.
    assert jb.prediction_powered(given, probability=0.25) == found


def test_lengths_and_families_are_looked_for() -> None:
    rng = np.random.default_rng(3)
    rows: list[Row] = []
    lengths: dict[tuple[str, str], float] = {}
    for item in range(80):
        size = dict(zip("abc", rng.permutation([1, 2, 3]).tolist(), strict=True))
        lengths |= {(str(item), s): float(20 * 2**k) for s, k in size.items()}
        for r in range(6):
            seen = {s: rng.normal() for s in "abc"}
            rows += ranking(item, f"p{r}", order("".join(sorted(seen, key=seen.__getitem__))),
                            shown="abc")  # fmt: skip
        long = {s: rng.normal() + k for s, k in size.items()}
        rows += ranking(item, "j", order("".join(sorted(long, key=lambda s: -long[s]))),
                        shown="abc")  # fmt: skip
    found = jb.judge_biases(table(rows), lengths=lengths, families={"a": "x", "b": "y", "c": "y"},
                            judge_families={"j": "x"})  # fmt: skip
    verbosity = found.of("j", "verbosity")
    assert verbosity.interval is not None
    assert verbosity.interval.low > 0
    own = found.of("j", "self_preference")
    assert own.interval is not None
    assert own.interval.low < 0 < own.interval.high


# Every edge.


def test_one_person_has_no_ceiling() -> None:
    rows = [r for r in TWO if r[2] != "ben"]
    row = jb.judge_agreement(table(rows)).of("j", "tau")
    assert row.ceiling is None
    assert row.no_ceiling == "no unit of the judge has two people's answers"


def test_no_shared_item_is_said() -> None:
    rows = [r for r in TWO if (r[0] == "q1") == (r[3] == "person")]
    row = jb.judge_agreement(table(rows)).of("j", "tau")
    assert row.undefined == "no unit has an answer of the judge and of a person"
    assert "cannot be set beside people" in sentence(jb.analyze(table(rows)), "judge/preference/j")


def test_other_outputs_ranked_together_are_another_unit() -> None:
    rows = [*ranking("q1", "ada", order("ab")), *ranking("q1", "ben", order("ab")),
            *ranking("q1", "j", order("abc"))]  # fmt: skip
    assert jb.judge_agreement(table(rows)).of("j", "tau").estimate is None


def test_an_item_with_one_system_is_left_out() -> None:
    rows = [*TWO, *ranking("q3", "ada", order("a")), *ranking("q3", "j", order("a"))]
    row, same = (jb.judge_agreement(table(each)).of("j", "tau") for each in (rows, TWO))
    assert (row.estimate, row.interval, row.n_units) == (same.estimate, same.interval, 2)
    assert jb.judge_biases(table(rows)).of("j", "repeats").undefined is not None


def test_all_ties_say_so() -> None:
    rows = [(*row[:4], 1, *row[5:]) for row in TWO]
    row = jb.judge_agreement(table(rows)).of("j", "tau")
    assert row.undefined == "where two people ranked, they tie everything"
    assert jb.analyze(table(rows)).findings


def test_a_judge_that_always_ranks_alike_is_named_so() -> None:
    rows = [r if r[3] == "person" else (*r[:4], 1.0 + "abc".index(r[1]), *r[5:]) for r in TWO]
    row = jb.judge_agreement(table(rows)).of("j", "tau")
    assert "the judge gives one answer only" in row.notes


def test_unusable_rankings_are_counted() -> None:
    given = table(TWO)
    n = len(TWO)
    given["status"] = ["answered"] * n + ["unusable"] * 4
    # A reply to three outputs that was written down for each of them, and one for all of them.
    lost: list[Row] = [("q3", s, "j", "judge", None, k, 0) for k, s in enumerate("abc")]
    lost.append(("q4", None, "j", "judge", None, None, 0))
    for name, column in table(lost).items():
        given[name] = [*given[name], *column]
    row = jb.judge_agreement(given).of("j", "tau")
    assert (row.n_replies, row.n_unusable) == (4, 2)
    assert jb.judge_biases(given).of("j", "repeats").undefined is not None
    only = {name: [v for v, r, s in zip(column, given["rater"], given["status"], strict=True)
                   if r != "j" or s == "unusable"] for name, column in given.items()}  # fmt: skip
    assert jb.judge_agreement(only).of("j", "tau").undefined == "the judge has no usable answer"
    assert jb.judge_biases(only).of("j", "repeats").undefined == "it has no usable reply"


def test_rows_of_two_rankings_that_cannot_be_told_apart_are_refused() -> None:
    rows = [*TWO, *ranking("q1", "j", order("cba"))]
    with pytest.raises(InputError, match="judge j ranked the same outputs more than once"):
        jb.judge_agreement(table(rows, drop=("place",)))
    # In both orders the middle one stands at one place: here its rows are of two rankings.
    mixed = sorted(
        [*ranking("q1", "ada", order("abc")), *ranking("q1", "j", order("abc"), shown="abc"),
         *ranking("q1", "j", order("abc"), shown="cba")],
        key=lambda row: (row[1], row[5]),
    )  # fmt: skip
    with pytest.raises(InputError, match="let the rows of a ranking stand together"):
        jb.judge_agreement(table(mixed))


def test_a_rank_that_is_none_is_refused() -> None:
    rows = [(*r[:4], 0 if r[3] == "judge" else r[4], *r[5:]) for r in TWO]
    with pytest.raises(InputError, match="judge j, row 7: rank must be a number, 1 for the best"):
        jb.judge_agreement(table(rows))


def test_tables_print_and_go_into_a_frame() -> None:
    found = jb.judge_agreement(planted())
    assert type(found).from_dict(found.to_dict()) == found
    assert "mean Kendall's tau-b with a person" in str(found)
    tables = [t for t in jb.analyze(planted()).tables if t.kind == "judges"]
    assert isinstance(tables[0], Table)
    assert [t.id for t in tables] == ["judges/preference/tau"]


def test_a_panel_of_rankings_is_not_made_and_the_page_says_so() -> None:
    said = "preference: no panel is made of rankings, and each judge is looked at alone"
    assert said in jb.analyze(planted(n=20), panel="mean").warnings
    assert said not in jb.analyze(planted(n=20)).warnings
    rows = [r for item, *given in PICKS for who, best in zip(("ada", "j", "j2"), given, strict=True)
            for r in ranking(item, who, picked(best), shown="abc")]  # fmt: skip
    found = jb.analyze(table(rows), panel="majority")
    assert said not in found.warnings
    assert "judge/preference/panel (majority)" in {f.id for f in found.findings}


@pytest.mark.parametrize("outputs", ["ab", "abc"])
def test_judges_alone_rank_a_trial_once_in_whatever_orders_they_were_asked(outputs: str) -> None:
    # 6 trials, each asked as ab(c) and turned around; a is always ranked first, the last one last.
    rows = [
        (f"q{i}", system, "j", "judge", outputs.index(system) + 1, order.index(system), f"t{i}")
        for i in range(6)
        for order in (outputs, outputs[::-1])
        for system in order
    ]
    names = ("item", "system", "rater", "rater_kind", "rank", "place", "trial")
    found = jb.analyze(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    assert found.n_responses == 6
    again = f"{6 * len(outputs)} rows of a judge's further orders and repeats left out"
    assert any(said.startswith(again) for said in found.took)
    (table,) = [each for each in found.tables if each.kind == "rankings"]
    at = [column.name for column in table.columns].index("mean_rank")
    assert {row[0]: row[at] for row in table.rows} == {s: 1 + k for k, s in enumerate(outputs)}
