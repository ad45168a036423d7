"""The methods paragraph: what was asked, who answered, how intervals were made and adjusted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jurybox.analysis.finding import Analysis, Collected, Finding
from jurybox.report.methods.paragraph import TOGETHER, methods
from jurybox.report.methods.references import references
from jurybox.report.said.words import note
from jurybox.results import Interval, Result
from jurybox.stats.blocks import Omnibus
from jurybox.stats.equivalence import Equivalence
from jurybox.stats.means import MeanScore
from jurybox.stats.multiple import Comparison
from jurybox.stats.shares import Share
from jurybox.stats.spans import SpanScores
from tests.report.conftest import COLLECTED, interval, pictures

VERSIONS = {"jurybox": "0.1.0"}


def test_the_methods_say_what_was_done_and_nothing_else(analysis: Analysis) -> None:
    asked = pictures(quality={"gold": "gold.csv", "practice": "p.csv"}, design={"overlap": 13})
    said = methods(analysis, asked, VERSIONS)
    assert said == (
        "12 raters scored outputs; 2,880 ratings on 30 items from 4 systems (aurora, "
        "basalt, cirrus and delta) were analyzed. The study asks for fidelity (0, 0.5, 1 or 2) and "
        "quality (1, 2, 3, 4 or 5). 120 trials were answered, each by 13 raters (as "
        "planned). Raters did not see which system an output came from. 13 raters answered gold "
        "trials with known answers. "
        "1 rater (240 responses) was left out by rules fixed before the data (faster_than). "
        "Intervals have 95% confidence. Those of the estimate and agreement (clustered by rater "
        "and item, t with 11 degrees of freedom) hold for raters and items like these. "
        "Agreement was measured by Krippendorff's alpha. "
        "Random numbers came from seed 7. Computed with jurybox 0.1.0."
    )
    ruled = pictures(quality={"exclude": {"faster_than": 2.5, "straight_line": 0.9}})
    rules_in_full = (
        "(faster_than: a median of less than 2.5 s per trial; straight_line: one value makes up "
        "more than 90% of the answers to a criterion)."
    )
    assert f"fixed before the data {rules_in_full}" in methods(analysis, ruled, VERSIONS)
    nobody = methods(replace(analysis, excluded=()), ruled, VERSIONS)
    assert f"No rater was left out by the rules {rules_in_full}" in nobody
    bare = methods(replace(analysis, excluded=()), None, {})
    assert "left out" not in bare
    assert bare.endswith("Computed with jurybox.")


PICK = {"outputs_per_trial": 3}


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (
            {
                "protocol": "compare",
                "criteria": {
                    "better": {
                        "choices": ["a", "b", "tie", "both_bad"],
                        "confidence": 3,
                        "reason": "optional",
                    }
                },
            },
            "better (the first, the second, a tie or both bad; with confidence on 1, 2, 3; with a "
            "reason, optional).",
        ),
        (
            {"protocol": "compare", "criteria": {"better": {"scale": "cmos"}}},
            "better (the sign names the better one, −3, −2, −1, 0, 1, 2 or 3).",
        ),
        (
            {"criteria": {"harm": {"scale": "0-100", "direction": "lower", "pass": 10}}},
            "harm (0 to 100 in steps of 1; lower is better; 10 or less passes).",
        ),
        (
            {"protocol": "rank", "design": PICK, "criteria": {"fit": {"ties": True}}},
            "fit (an order, best first, ties allowed).",
        ),
        (
            {"protocol": "rank", "design": PICK, "criteria": {"fit": {"answer": "best"}}},
            "fit (the best output).",
        ),
        ({"protocol": "detect", "real": ["r"], "criteria": {"o": {}}}, "o (real or generated)."),
        (
            {
                "protocol": "mark",
                "criteria": {
                    "errors": {
                        "field": "output",
                        "categories": {"style": "odd"},
                        "severities": {"minor": 1, "major": 5},
                    }
                },
            },
            "errors (spans with category and severity).",
        ),
        (
            {
                "derived": {
                    "all": {"weighted_mean": {"fidelity": 2, "quality": 0.5}},
                    "mid": {"geometric_mean": ["fidelity", "quality"]},
                }
            },
            "From these come further criteria, for each response: all is the weighted mean of "
            "2 × fidelity and 0.5 × quality and mid is the geometric mean of fidelity and quality.",
        ),
        (
            {"criteria": {f"c{k}": {"scale": "acr"} for k in range(13)}},
            "The study asks for 13 criteria, which the design lists.",
        ),
        (
            {"design": {"items": 20, "stratify": ["topic"]}},
            "The plan drew 20 items at random, in strata of topic in proportion to their sizes.",
        ),
    ],
)
def test_the_methods_say_what_was_asked(
    analysis: Analysis, parts: dict[str, Any], said: str
) -> None:
    assert said in methods(analysis, pictures(**parts), VERSIONS)


def test_the_methods_say_of_outputs_without_an_item_that_two_met(analysis: Analysis) -> None:
    votes = replace(analysis, protocol="compare")
    assert "raters compared outputs of the same item two by two; 2,880 votes on" in methods(
        votes, None, {}
    )
    unnamed = methods(replace(votes, n_items=0), None, {})
    assert "raters compared outputs two by two; 2,880 votes from 4 systems" in unnamed


def test_the_methods_call_every_figure_by_what_it_is(analysis: Analysis) -> None:
    held = interval(0.2, 0.8)
    mean = MeanScore(estimate=0.5, interval=held, system="a", criterion="x")
    found = (
        Finding(
            id="win_rate/x",
            sentence="",
            result=Share(estimate=0.5, interval=held, what="win rate"),
        ),
        Finding(id="points/errors/a", sentence="", result=mean, figure=SpanScores.label),
        # In a study of marks that also scores every output.
        Finding(id="mean/overall/a", sentence="", result=mean),
    )
    said = methods(replace(analysis, findings=found, protocol="mark"), None, {})
    assert "Those of the win rate, error points per output and mean score (" in said


def test_the_methods_name_the_test_of_all_systems_together_only_where_one_was_computed(
    analysis: Analysis,
) -> None:
    def omnibus(test: str, criterion: str | None, estimate: float | None = 9.5) -> Finding:
        undefined = None if estimate is not None else "in every item the systems are tied"
        result = Omnibus(
            estimate=estimate, undefined=undefined, test=test, df=3, p=0.02, n_systems=4,
            n_blocks=30, criterion=criterion,
        )  # fmt: skip
        return Finding(id=f"omnibus/{criterion}", sentence="", result=result)

    def said(*found: Finding) -> str:
        return methods(replace(analysis, findings=found), None, {})

    tested = "Whether the systems differ at all was tested on ranks within items by the "
    given = ", for these raters."
    assert f"{tested}test of Friedman (1937){given}" in said(omnibus("Friedman", None))
    both = said(omnibus("Friedman", "x"), omnibus("Skillings–Mack", "y"), omnibus("Friedman", "z"))
    assert (
        f"{tested}tests of Friedman (1937, on x and z) and Skillings and Mack (1981, on y){given}"
    ) in both
    assert f"{tested}test of Durbin (1951, on x){given}" in said(omnibus("Durbin", "x"))
    assert tested not in said(omnibus("Friedman", "x", None))
    # What the paragraph names has its work among the references.
    for name, (who, year) in TOGETHER.items():
        cited = references(replace(analysis, findings=(omnibus(name, "x"),)))
        assert any(f"{who} ({year})" in work for work in cited)


def test_every_way_of_an_interval_is_said_with_its_fewest_and_most_degrees_of_freedom(
    analysis: Analysis,
) -> None:
    first = analysis.findings[0]
    ways = [
        ("two-way jackknife, t(17)", "raters and items like these"),
        ("two-way jackknife, t(9)", "raters and items like these"),
        ("two-way jackknife, t(23), ended where the scale ends", "raters and items like these"),
        ("clustered by item, t(4)", "items like these, judged by this judge"),
    ]
    found = tuple(
        replace(
            first,
            id=f"difference/{k}",
            result=Result(
                estimate=0.5,
                interval=replace(interval(0.2, 0.8), method=method, generalizes_to=whom),
            ),
        )
        for k, (method, whom) in enumerate(ways)
    )
    assert (
        "Those of the estimate (two-way jackknife, t(9 to 23), some ended where the scale ends) "
        "hold for raters and items like these; those of the estimate (clustered by item, t(4)) "
        "hold for items like these, judged by this judge."
    ) in methods(replace(analysis, findings=found), None, {})


def test_a_variance_that_was_replaced_is_told_in_the_methods_and_not_above(
    analysis: Analysis,
) -> None:
    why = "the two-way variance is not positive: the larger one-way variance (by item) is used"
    first, *rest = analysis.findings
    told = replace(first, result=replace(first.result, notes=(why, "only 3 raters")))
    changed = replace(analysis, findings=(told, *rest))
    assert "two-way" not in note(changed)
    assert note(changed).endswith("Only 3 raters.")
    assert "For 1 of 3 intervals the variance by raters and items was" in methods(changed, None, {})


BLIND = "aters did not see which system an output came from"


@pytest.mark.parametrize(
    ("collected", "said", "unsaid"),
    [
        (
            COLLECTED,
            "90 trials were answered, each by 1 to 3 raters (planned: 3); 30 planned trials were "
            f"not answered. R{BLIND}, and orders of outputs came from a balanced plan. 1 rater",
            "imported",
        ),
        (
            replace(COLLECTED, checked=(("practice", 2), ("attention", 1))),
            "2 raters answered practice trials with feedback and 1 rater answered attention "
            "checks.",
            "gold",
        ),
        (
            replace(COLLECTED, n_imported=180, n_planned=None),
            "each by 1 to 3 raters (planned: 3). All answers were imported; what these raters saw "
            "is not recorded, nor in which order, unless the table says it (first, place). 1 rater "
            "(240 responses) was left out by rules (",
            BLIND,
        ),
        (
            replace(COLLECTED, n_imported=60),
            "60 of 180 answers were imported; what these raters saw is not recorded, nor in which "
            f"order, unless the table says it (first, place). For the others, "
            f"r{BLIND}, and orders of outputs came from a balanced plan.",
            "before the data",
        ),
        (
            replace(COLLECTED, rounds=(("pilot", 1, 20), ("calibration", 4, 120))),
            "Apart from these came a pilot (1 rater, 20 answers) and a calibration round (4 "
            "raters, 120 answers); no figure counts them. 1 rater (",
            "imported",
        ),
        (None, "or the second). The study plans 3 raters for each trial. 1 rater (", BLIND),
    ],
)
def test_the_methods_count_what_was_answered_not_what_was_planned(
    analysis: Analysis, collected: Collected | None, said: str, unsaid: str
) -> None:
    known = {"practice": "p.csv", "gold": "g.csv", "attention": "a.csv"}
    asked = pictures(
        protocol="compare",
        criteria={"better": {"choices": ["a", "b"]}},
        design={"overlap": 3},
        quality=known,
    )
    text = methods(replace(analysis, collected=collected), asked, VERSIONS)
    assert said in text
    assert unsaid not in text


@pytest.mark.parametrize(
    ("design", "counts", "said"),
    [
        ({"overlap": 3}, (5, 5.0, 5), "each by 5 raters (as planned)."),
        (
            {"overlap": 3},
            (4, 5.0, 5),
            "4 to 5 raters (planned: 5, 2 of group expert and 3 of group crowd).",
        ),
        (
            {"overlap": 3, "core": 1},
            (5, 5.0, 9),
            "and 3 of group crowd, everybody on the 1 shared item).",
        ),
        ({"overlap": 3}, None, "plans 5 raters for each trial, 2 of group expert and 3 of group"),
    ],
)
def test_the_methods_add_up_what_each_group_is_planned_for(
    analysis: Analysis, design: Any, counts: Any, said: str
) -> None:
    groups = {"groups": {"expert": {"overlap": 2}, "crowd": {}}, "each": True}
    asked = pictures(design=design, raters=groups, access={"invited": True})
    collected = replace(COLLECTED, n_planned=90, raters_per_trial=counts)
    assert said in methods(replace(analysis, collected=collected), asked, VERSIONS)


def test_the_methods_name_the_adjustment_only_where_there_is_one(analysis: Analysis) -> None:
    def with_rows(*ways: str | None) -> Analysis:
        rows = tuple(
            replace(
                analysis.findings[1],
                id=f"difference/{i}",
                result=Comparison(estimate=0.1, undefined="no", p_adjusted=0.2, adjusted_by=way),
            )
            for i, way in enumerate(ways)
        )
        return replace(analysis, findings=(analysis.findings[0], *rows))

    assert "adjusted" not in methods(analysis, None, VERSIONS)
    joint = methods(with_rows("max-t over 3 comparisons"), None, VERSIONS)
    assert "named before the data and is tested alone" in joint
    assert "adjusted p of a family of comparisons come from one" in joint
    assert "(max-t over 3 comparisons)" in joint
    assert "Holm" not in joint
    table = methods(replace(with_rows(None), collected=None), None, VERSIONS)
    assert "named by the study and is tested alone" in table
    assert "is adjusted by Holm's method, and intervals are for one comparison each" in table
    both = methods(with_rows("max-t over 3 comparisons", "Holm over 2 comparisons"), None, VERSIONS)
    assert "no joint distribution, p is adjusted by Holm's method (Holm over 2 comp" in both
    looks = methods(with_rows("Benjamini–Hochberg over 2 comparisons of groups"), None, VERSIONS)
    assert "The p of exploratory looks is adjusted for how many they are (Benjamini–Ho" in looks
    assert "Holm" not in looks


def test_the_methods_say_how_equivalence_was_tested(analysis: Analysis) -> None:
    narrow = Interval(low=-0.1, high=0.2, confidence=0.9, method="t(9)")
    found = Equivalence(estimate=0.05, interval=narrow, p=0.01, margin=0.5)
    finding = replace(analysis.findings[0], id="equivalence/x", result=found, standing="secondary")
    said = methods(replace(analysis, findings=(*analysis.findings, finding)), None, VERSIONS)
    assert "within a margin of 0.500, stated before the data, was tested by two" in said
    assert "which the 90% interval decides" in said
    # Its narrower interval is not called one of 95%.
    assert "for the equivalence" not in said
