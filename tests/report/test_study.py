"""What the report takes from the study: what was asked, the rules, and what changed since."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jurybox.analysis.asked import Asked
from jurybox.analysis.context import Context
from jurybox.analysis.differences import omnibus_finding
from jurybox.analysis.finding import Analysis, Column, Finding, Table
from jurybox.analysis.options import Options
from jurybox.report import html, markdown
from jurybox.report.blocks import Points, Shown, Words
from jurybox.report.formats.markdown import write_page
from jurybox.report.methods.paragraph import methods
from jurybox.report.page import make_page
from jurybox.report.said.plain import plain_blocks
from jurybox.report.said.together import said_together
from jurybox.report.said.words import rules
from jurybox.results import Result
from jurybox.stats.blocks import Omnibus
from tests.report.conftest import COLLECTED, pictures

VERSIONS = {"jurybox": "0.1.0"}


def test_simulated_raters_are_called_so_wherever_raters_are_counted(analysis: Analysis) -> None:
    rehearsal = replace(analysis, collected=replace(COLLECTED, simulated="all"))
    text = markdown(rehearsal, study=pictures(), versions=VERSIONS)
    assert "\n2,880 ratings · 12 simulated raters · 30 items" in text
    assert "\n12 simulated raters gave the 2,880 ratings analyzed here" in text
    assert "\n12 simulated raters scored outputs; 2,880 ratings" in text
    assert "| 12, all of them simulated, and 1 more who was left out by rule |" in text
    assert "simulated" not in markdown(analysis, study=pictures(), versions=VERSIONS)


def test_every_question_and_anchor_is_shown(analysis: Analysis) -> None:
    asked = pictures(derived={"overall": {"weighted_mean": {"fidelity": 2, "quality": 0.5}}})
    page = html(analysis, study=asked, versions=VERSIONS)
    text = markdown(analysis, study=asked, versions=VERSIONS)
    for words in ("Is it what was asked?", "Partly", "Nearly", "Exactly", "Excellent"):
        assert words in page
        assert words in text
    assert "Missed &lt;b&gt;" in page
    assert r"Missed \<b\>" in text
    assert "overall: weighted mean of 2 × fidelity and 0.5 × quality, per response." in page
    # The datasheet has it, and no list at the end repeats the datasheet.
    assert page.count(asked.hash()) == text.count(asked.hash()) == 1
    assert page.count("Seed of the analysis") == text.count("Seed of the analysis") == 1
    assert "<footer>" not in page


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (
            {"protocol": "compare", "criteria": {"p": {"choices": ["a", "b", "both_bad"]}}},
            "Choices: A, B, both bad.",
        ),
        (
            {"protocol": "detect", "real": ["x"], "criteria": {"o": {"confidence": 5}}},
            "Confidence was asked on 1 (Guessing), 2 (Unsure), 3 (Fairly sure), 4 (Sure), "
            "5 (Certain); these state a chance of 50%, 62.5%, 75%, 87.5% and 100% to be right.",
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
    assert words in html(analysis, study=pictures(**parts), versions=VERSIONS)


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
    said = rules(pictures(systems={"original": {"hidden_reference": True}, "new": {}},
                       quality={"gold": "g.csv", "practice": "p.csv", "attention": "a.csv",
                                "exclude": stated}))  # fmt: skip
    assert [sentence.split(":")[0] for sentence in said] == list(stated)
    assert "fewer than 70% of the gold trials" in said[0]
    assert "less than 1.5 s" in said[3]
    assert "below 90% of the scale in more than 15%" in said[5]
    assert "circular" in said[6]
    assert rules(pictures()) == ()


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
    asked = pictures(quality={"gold": "g.csv", "exclude": {"gold_below": 0.7}})
    assert "Exclusion rules, fixed before the data" in html(analysis, study=asked)
    table = replace(analysis, collected=None)
    assert "before the data" not in html(table, study=asked)


def test_what_a_larger_study_would_give_stands_below_the_answer_and_only_there(
    analysis: Analysis,
) -> None:
    more = Finding(
        id="more_data/fidelity/aurora/basalt",
        sentence="The 95% interval of aurora − basalt reaches 0.190 to each side.",
        of_answer="It reaches 0.190 to each side; with twice the raters about 0.140 is expected.",
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
    # Right behind the interval that it is about, which it need not name again.
    assert f" It holds for raters and items like these. {more.of_answer}" in page.note
    written = write_page(page)
    assert written.count("with twice the raters about 0.140") == 1
    assert "Another one." in written
    assert "Another one." not in page.note


def test_rules_stand_beside_whom_they_leave_out_and_what_that_changes(analysis: Analysis) -> None:
    figure = Column(name="figure", heading="Figure")
    moved = tuple(
        Table(id=id, title=f"Of {id}", columns=(figure,), rows=(("mean",),))
        for id in ("with_and_without", "exclusions", "order")
    )
    asked = pictures(quality={"gold": "gold.csv", "exclude": {"gold_below": 0.6}})
    found = replace(analysis, tables=(*analysis.tables, *moved))
    drawn = make_page(found, study=asked, versions=VERSIONS)
    blocks = next(s for s in drawn.sections if s.id == "raters").blocks
    named = [b.table.title if isinstance(b, Shown) else getattr(b, "text", "") for b in blocks]
    assert named[-6:] == [
        "Of order",
        "Exclusion rules, fixed before the data",
        "",
        "Of exclusions",
        "Raters left out",
        "Of with_and_without",
    ]


def test_criteria_on_which_systems_cannot_be_tested_together_share_a_sentence(
    analysis: Analysis,
) -> None:
    def untested(criterion: str, why: str) -> Finding:
        found = Omnibus(
            estimate=None, undefined=why, test="Friedman", n_systems=4, n_blocks=0,
            criterion=criterion,
        )  # fmt: skip
        return omnibus_finding(Context(asked=Asked(), options=Options()), found)

    few = "no item has all its systems judged by the same raters"
    said = said_together([untested("a", few), untested("b", few), untested("c", "one item")])
    assert tuple(each.text for each in said) == (
        f"The 4 systems cannot be tested together on a and b: {few}.",
        "The 4 systems cannot be tested together on c: one item.",
    )
    # Nor is it said again below.
    found = (*analysis.findings, untested("a", few), untested("b", few))
    page = write_page(make_page(replace(analysis, findings=found), versions=VERSIONS))
    assert page.count("cannot be tested together") == 1


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
        asked = pictures(
            protocol="rank", criteria={"fit": {"question": "Which fits best?", "answer": answer}}
        )
        text = markdown(ranked, study=asked, versions=VERSIONS)
        assert done in methods(ranked, asked, VERSIONS)
        assert ("the best output of an item is picked" in text) == (answer == "best")


def test_sentences_between_the_pictures_of_a_series_are_named(analysis: Analysis) -> None:
    asked = pictures(show={"states": {"as": "images", "between": "sentences"}})
    text = markdown(analysis, study=asked, versions=VERSIONS)
    assert "Each trial showed states (images, with sentences between them)." in text
