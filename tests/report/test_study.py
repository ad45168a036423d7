"""What the report takes from the study: what was asked, the rules, and the methods paragraph."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jurybox.analysis.finding import Analysis, Collected, Finding
from jurybox.report import html, markdown
from jurybox.report.asked import plain_blocks
from jurybox.report.blocks import Points, Words
from jurybox.report.markdown import write_page
from jurybox.report.methods import TOGETHER, methods
from jurybox.report.page import make_page
from jurybox.report.references import references
from jurybox.report.words import note, rules
from jurybox.results import Interval, Result
from jurybox.stats.blocks import Omnibus
from jurybox.stats.equivalence import Equivalence
from jurybox.stats.means import MeanScore
from jurybox.stats.multiple import Comparison
from jurybox.stats.shares import Share
from jurybox.study import Study
from tests.report.conftest import interval

VERSIONS = {"jurybox": "0.1.0"}


def study(**parts: Any) -> Study:
    given: dict[str, Any] = {
        "title": "Does the picture show what was asked?",
        "protocol": "rate",
        "outputs": "outputs.csv",
        "show": {"output": "text"},
        "criteria": {
            "fidelity": {
                "question": "Is it what was asked?",
                "scale": {0: "Missed <b>", 0.5: "Partly", 1: "Nearly", 2: "Exactly"},
            },
            "quality": {"question": "How good is it?", "scale": "acr"},
        },
        **parts,
    }
    return Study(**given)


def test_every_question_and_anchor_is_shown(analysis: Analysis) -> None:
    asked = study(derived={"overall": {"weighted_mean": {"fidelity": 2, "quality": 0.5}}})
    page = html(analysis, study=asked, versions=VERSIONS)
    text = markdown(analysis, study=asked, versions=VERSIONS)
    for words in ("Is it what was asked?", "Partly", "Nearly", "Exactly", "Excellent"):
        assert words in page
        assert words in text
    assert "Missed &lt;b&gt;" in page
    assert r"Missed \<b\>" in text
    assert "overall: weighted mean of 2 × fidelity, 0.5 × quality, per response." in page
    # The datasheet has it, and no list at the end repeats the datasheet.
    assert page.count(asked.hash()) == text.count(asked.hash()) == 1


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (
            {"protocol": "compare", "criteria": {"p": {"choices": ["a", "b", "both_bad"]}}},
            "Choices: first, second, both bad.",
        ),
        (
            {"protocol": "detect", "real": ["x"], "criteria": {"o": {"confidence": 5}}},
            "Confidence was asked on 1, 2, 3, 4, 5.",
        ),
        (
            {
                "protocol": "mark",
                "criteria": {"e": {"field": "output", "categories": {"style": "Clumsy words"}}},
            },
            "style: Clumsy words",
        ),
        (
            {
                "protocol": "mark",
                "criteria": {
                    "e": {
                        "field": "output",
                        "categories": {"style": "Clumsy words"},
                        "severities": {"minor": 1, "major": 5},
                        "weights": {"style/comma": {"minor": 0.1}, "nonsense": 25},
                    }
                },
            },
            "An error counts 1 if minor and 5 if major; of style/comma 0.1 if minor; of nonsense "
            "25.",
        ),
        (
            {
                "protocol": "detect",
                "real": ["x"],
                "criteria": {"o": {}},
                "design": {"real_share": 0.3},
            },
            "30% of the trials, as planned",
        ),
        ({"protocol": "rank", "criteria": {"r": {"question": "Best first?"}}}, "Best first?"),
    ],
)
def test_other_protocols_say_how_they_are_answered(
    analysis: Analysis, parts: dict[str, Any], words: str
) -> None:
    assert words in html(analysis, study=study(**parts), versions=VERSIONS)


def test_rules_are_said_in_words() -> None:
    stated = {
        "gold_below": 0.7,
        "practice_failed": True,
        "attention_failed": 2,
        "faster_than": 1.5,
        "straight_line": 0.9,
        "hidden_reference_missed": 0.15,
        "agreement_below": 0.1,
    }
    said = rules(study(systems={"original": {"hidden_reference": True}, "new": {}},
                       quality={"gold": "g.csv", "practice": "p.csv", "attention": "a.csv",
                                "exclude": stated}))  # fmt: skip
    assert [sentence.split(":")[0] for sentence in said] == list(stated)
    assert "fewer than 70% of the gold trials" in said[0]
    assert "less than 1.5 s" in said[3]
    assert "below 90% of the scale in more than 15%" in said[5]
    assert "circular" in said[6]
    assert rules(study()) == ()


def test_the_methods_say_what_was_done_and_nothing_else(analysis: Analysis) -> None:
    asked = study(quality={"gold": "gold.csv", "practice": "p.csv"}, design={"overlap": 13})
    said = methods(analysis, asked, VERSIONS)
    assert said == (
        "12 raters scored outputs; 2,880 ratings on 30 items from 4 systems (aurora, "
        "basalt, cirrus and delta) were analyzed. 120 trials were answered, each by 13 raters (as "
        "planned). Raters did not see which system an output came from. 13 raters answered gold "
        "trials with known answers. "
        "1 rater (240 responses) was left out by rules fixed before the data (faster_than). "
        "Intervals have 95% confidence. Those of the estimate and agreement (clustered by rater "
        "and item, t with 11 degrees of freedom) hold for raters and items like these. "
        "Agreement was measured by Krippendorff's alpha. "
        "Random numbers came from seed 7. Computed with jurybox 0.1.0."
    )
    bare = methods(replace(analysis, excluded=()), None, {})
    assert "left out" not in bare
    assert bare.endswith("Computed with jurybox.")


def test_the_methods_call_every_figure_by_what_it_is(analysis: Analysis) -> None:
    held = interval(0.2, 0.8)
    mean = MeanScore(estimate=0.5, interval=held, system="a", criterion="x")
    found = (
        Finding(
            id="win_rate/x",
            sentence="",
            result=Share(estimate=0.5, interval=held, what="win rate"),
        ),
        Finding(id="points/errors/a", sentence="", result=mean),
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


COLLECTED = Collected(
    version=1, n_answers=180, n_trials=90, n_planned=120, raters_per_trial=(1, 2.0, 3)
)
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
        (None, "were analyzed. The study plans 3 raters for each trial. 1 rater (", BLIND),
    ],
)
def test_the_methods_count_what_was_answered_not_what_was_planned(
    analysis: Analysis, collected: Collected | None, said: str, unsaid: str
) -> None:
    known = {"practice": "p.csv", "gold": "g.csv", "attention": "a.csv"}
    asked = study(protocol="compare", criteria={}, design={"overlap": 3}, quality=known)
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
    asked = study(design=design, raters=groups, access={"invited": True})
    collected = replace(COLLECTED, n_planned=90, raters_per_trial=counts)
    assert said in methods(replace(analysis, collected=collected), asked, VERSIONS)


def test_what_changed_since_raters_answered_stands_near_the_top(analysis: Analysis) -> None:
    sentence = "gold_below changed: needs a new round; the analysis follows version 1"
    collected = replace(COLLECTED, changes=(sentence,))
    changed = replace(analysis, collected=collected, warnings=(sentence, *analysis.warnings))
    for page in (html(changed, versions=VERSIONS), markdown(changed, versions=VERSIONS)):
        plain = page.replace("\\", "")
        assert plain.count(sentence) == 1
        assert plain.index("Changed since raters answered.") < plain.index(sentence)
        assert plain.index(sentence) < plain.index("What cannot be said.")
    assert "Changed since" not in html(analysis, versions=VERSIONS)


def test_rules_that_may_be_younger_than_the_answers_are_not_called_older(
    analysis: Analysis,
) -> None:
    asked = study(quality={"gold": "g.csv", "exclude": {"gold_below": 0.7}})
    assert "Exclusion rules, fixed before the data" in html(analysis, study=asked)
    table = replace(analysis, collected=None)
    assert "before the data" not in html(table, study=asked)


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


def test_what_a_larger_study_would_give_stands_below_the_answer_and_only_there(
    analysis: Analysis,
) -> None:
    more = Finding(
        id="more_data/fidelity/aurora/basalt",
        sentence="The 95% interval reaches 0.190 to each side; with twice the raters about 0.140, "
        "with twice the items about 0.170 would be expected.",
        result=Result(estimate=0.19, undefined="a half-width has no interval of its own"),
        standing="quality",
        criterion="fidelity",
        systems=("aurora", "basalt"),
    )
    of_another = replace(
        more, id="more_data/quality/aurora/basalt", criterion="quality", sentence="Another one."
    )
    page = make_page(
        replace(analysis, findings=(*analysis.findings, more, of_another)), versions=VERSIONS
    )
    assert more.sentence in page.note
    written = write_page(page)
    assert written.count("with twice the raters about 0.140") == 1
    assert "Another one." in written
    assert "Another one." not in page.note


def test_instructions_in_markdown_are_plain_paragraphs_and_points() -> None:
    text = "Look *twice*.\nThen `choose`:\n\n1. **A**\n2. <b>B</b>\n\n```\nx = 1\n```\n\n# Last"
    assert plain_blocks(text) == [
        Words(text="Look twice. Then choose:"),
        Points(items=("A", "<b>B</b>")),
        Words(text="x = 1\n"),
        Words(text="Last"),
    ]
    assert plain_blocks("") == []


def test_who_picks_the_best_is_not_said_to_put_in_order(analysis: Analysis) -> None:
    ranked = replace(analysis, protocol="rank")
    for answer, done in (("best", "picked the best output"), ("order", "put the outputs of an")):
        asked = study(
            protocol="rank", criteria={"fit": {"question": "Which fits best?", "answer": answer}}
        )
        text = markdown(ranked, study=asked, versions=VERSIONS)
        assert done in methods(ranked, asked, VERSIONS)
        assert ("the best output of an item is picked" in text) == (answer == "best")


def test_sentences_between_the_pictures_of_a_series_are_named(analysis: Analysis) -> None:
    asked = study(show={"states": {"as": "images", "between": "sentences"}})
    text = markdown(analysis, study=asked, versions=VERSIONS)
    assert "Each trial showed states (images, with sentences between them)." in text
