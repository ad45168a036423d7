"""What the report takes from the study: what was asked, the rules, and the methods paragraph."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jurybox.analysis.finding import Analysis, Column
from jurybox.report import html, markdown
from jurybox.report.methods import methods
from jurybox.report.words import rules
from jurybox.study import Study

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
    assert asked.hash() in page


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
        "agreement_below": 0.1,
    }
    said = rules(study(quality={"gold": "g.csv", "practice": "p.csv", "attention": "a.csv",
                                "exclude": stated}))  # fmt: skip
    assert [sentence.split(":")[0] for sentence in said] == list(stated)
    assert "fewer than 70.0% of the gold trials" in said[0]
    assert "less than 1.5 s" in said[3]
    assert "circular" in said[5]
    assert rules(study()) == ()


def test_the_methods_say_what_was_done_and_nothing_else(analysis: Analysis) -> None:
    asked = study(quality={"gold": "gold.csv"}, design={"overlap": 4})
    said = methods(analysis, asked, VERSIONS)
    assert said == (
        "12 raters gave each output a score; 2,880 ratings on 30 items from 4 systems (aurora, "
        "basalt, cirrus and delta) were analyzed. Each trial was answered by 4 raters; raters did "
        "not see which system an output came from; the study had gold trials with known answers. "
        "1 rater (240 responses) was left out by rules fixed before the data (faster_than). "
        "Intervals have 95% confidence and hold for raters and items like these: for the "
        "estimate, clustered by rater and item, t with 11 degrees of freedom. "
        "Random numbers came from seed 7. Computed with jurybox 0.1.0."
    )
    bare = methods(replace(analysis, excluded=()), None, {})
    assert "left out" not in bare
    assert bare.endswith("Computed with jurybox.")


def test_the_methods_name_the_adjustment_only_where_there_is_one(analysis: Analysis) -> None:
    columns = (*analysis.tables[2].columns[:-1], Column(name="p_adjusted", heading="p", kind="p"))
    adjusted = replace(
        analysis, tables=(replace(analysis.tables[2], columns=columns), *analysis.tables[3:])
    )
    assert "Holm" not in methods(analysis, None, VERSIONS)
    assert "named before the data and is tested alone" in methods(adjusted, None, VERSIONS)
    unnamed = tuple(replace(f, standing="secondary") for f in adjusted.findings)
    said = methods(replace(adjusted, findings=unnamed), None, VERSIONS)
    assert "Every p of a comparison is adjusted by Holm's method" in said
