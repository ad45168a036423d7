"""What a table shows row by row is said once; nothing is said of raters whom nobody named."""

from __future__ import annotations

from dataclasses import replace

from jurybox.analysis.finding import Analysis, Finding
from jurybox.report import words
from jurybox.report.limitations import limitations_section
from jurybox.report.methods import methods
from jurybox.report.together import said_together
from jurybox.results import Interval, Result
from tests.report.conftest import interval


def pair(first: str, second: str, *, told: bool = False, number: bool = True) -> Finding:
    result = (
        Result(estimate=0.1, interval=interval(-0.1, 0.3), p=0.4)
        if number
        else Result(estimate=None, undefined=f"no item has responses for both {first} and {second}")
    )
    said = "is better than" if told else "is not told apart from"
    return Finding(
        id=f"difference/fidelity/{first}/{second}",
        sentence=f"{first} {said} {second}.",
        result=result,
        told=told,
        criterion="fidelity",
        systems=(first, second),
    )


def test_many_open_pairs_are_one_sentence_and_the_shown_ones_stay() -> None:
    pairs = [pair("a", other) for other in "bcdef"]
    shown = pair("a", "z", told=True)
    assert said_together([*pairs, shown]) == (
        "5 pairs of systems are not told apart on fidelity: a and b; a and c; a and d; and 2 more. "
        "The table of pairs has their intervals.",
        "a is better than z.",
    )


def test_pairs_are_counted_beside_a_headline_that_is_open_too() -> None:
    pairs = [pair("a", other) for other in "bcd"]
    said = said_together(pairs, pair("x", "y"))
    assert said[0].startswith("3 more pairs of systems are not told apart on fidelity: a and b;")
    assert said_together(pairs, pair("x", "y", told=True)) == said_together(pairs)


def test_few_open_pairs_keep_their_own_sentences() -> None:
    pairs = [pair("a", other) for other in "bc"]
    assert said_together(pairs) == tuple(f"a is not told apart from {x}." for x in "bc")


def test_pairs_without_a_number_say_why_once() -> None:
    (said,) = said_together([pair("a", other, number=False) for other in "bcde"])
    assert said == (
        "4 pairs of systems cannot be compared on fidelity: a and b; a and c; a and d; and 1 more. "
        "Of the first pair: no item has responses for both a and b."
    )


def trend(name: str, p: float) -> Finding:
    bounds = Interval(low=-1.0, high=1.0, confidence=0.95, method="t")
    return Finding(
        id=f"order/score/{name}",
        sentence=f"Scores on {name} change.",
        result=Result(estimate=0.1, interval=bounds, p=p),
        standing="exploratory",
        criterion=name,
    )


def test_trends_that_are_not_shown_are_one_sentence() -> None:
    said = said_together([trend("a", 0.4), trend("b", 0.001), *(trend(x, 0.9) for x in "cde")])
    assert said == (
        "Along the sitting 4 trends were looked for, and none is told from chance; the "
        "table below has their intervals.",
        "Scores on b change.",
    )


def test_raters_and_items_without_a_name_are_no_zero(analysis: Analysis) -> None:
    nameless = replace(analysis, n_raters=0, n_items=0, excluded=())
    assert (
        words.counts(nameless) == "2,880 ratings · raters not named · items not named · 4 systems"
    )
    assert words.raters(nameless) == ("The data hold 2,880 ratings and do not name who gave them.")
    assert methods(nameless, None, {}).startswith("Raters scored outputs; 2,880 ratings ")
    section = limitations_section(nameless, None)
    assert section is not None
    assert " 0 " not in str(section.blocks)


def test_one_rater_gave_no_average(analysis: Analysis) -> None:
    assert words.raters(replace(analysis, n_raters=1, excluded=())) == (
        "1 rater gave the 2,880 ratings analyzed here."
    )


def test_a_table_without_a_title_gives_its_size_once(analysis: Analysis) -> None:
    untitled = replace(analysis, title="2,880 ratings")
    assert words.counts(untitled) == "12 raters · 30 items · 4 systems"


def test_a_test_of_all_systems_lacks_no_interval() -> None:
    result = Result(
        estimate=8.0, p=0.01, undefined="a test of all systems together has no interval"
    )
    found = Finding(id="omnibus/fidelity", sentence="They differ (χ²(2) = 8.0).", result=result)
    assert words.with_reason(found) == found.sentence


def test_without_an_interval_the_limits_are_still_a_sentence(analysis: Analysis) -> None:
    section = limitations_section(replace(analysis, findings=()), None)
    assert section is not None
    assert (
        "Raters: nothing is stored of how the raters were found; the answer holds for no other "
        "people, task or language."
    ) in str(section.blocks)


def test_one_rating_was_analyzed(analysis: Analysis) -> None:
    said = methods(replace(analysis, n_responses=1), None, {})
    assert "1 rating on 30 items from 4 systems (aurora, basalt, cirrus and delta) was " in said
