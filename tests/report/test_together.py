"""What a table shows row by row is said once; nothing is said of raters whom nobody named."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations

from jurybox.analysis.asked import Asked
from jurybox.analysis.context import Context
from jurybox.analysis.differences import omnibus_finding
from jurybox.analysis.finding import Analysis, Finding, Together
from jurybox.analysis.options import Options
from jurybox.report.blocks import Heading, Points, Shown
from jurybox.report.methods.paragraph import methods
from jurybox.report.page import make_page
from jurybox.report.said import words
from jurybox.report.said.together import said_below
from jurybox.report.said.together import said_together as together
from jurybox.report.sections.limitations import limitations_section
from jurybox.results import Interval, Result
from jurybox.stats.agreement.patterns import Agreement
from jurybox.stats.blocks import Omnibus
from jurybox.stats.equivalence import Equivalence
from jurybox.stats.places import PlacePull
from tests.report.conftest import interval


def said_together(findings: Iterable[Finding], headline: Finding | None = None) -> tuple[str, ...]:
    return tuple(said.text for said in together(findings, headline))


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
        "The table of differences has their intervals.",
        "a is better than z.",
    )


def test_pairs_are_counted_beside_a_headline_that_is_open_too() -> None:
    pairs = [pair("a", other) for other in "bcd"]
    said = said_together(pairs, pair("x", "y"))
    assert said[0].startswith("3 more pairs of systems are not told apart on fidelity: a and b;")
    assert said_together(pairs, pair("x", "y", told=True)) == said_together(pairs)


def test_two_pairs_beside_a_headline_that_is_open_too_share_a_sentence() -> None:
    said = said_together([pair("a", "c"), pair("b", "d")], pair("a", "b"))
    assert said == (
        "2 more pairs of systems are not told apart on fidelity: a and c; b and d. The table of "
        "differences has their intervals.",
    )


def test_where_no_two_systems_are_told_apart_they_are_named_and_not_their_pairs() -> None:
    table = " The table of differences has their intervals."
    known = [pair("a", "b"), pair("a", "c"), pair("b", "c")]
    (said,) = said_together(known)
    assert said == f"No two of a, b and c are told apart on fidelity.{table}"
    # The answer is one of the pairs.
    assert said_together(known[1:], known[0]) == (said,)
    assert said_together(known[1:], replace(known[0], told=True)) != (said,)
    many = [pair(*two) for two in combinations("abcdefgh", 2)]
    (said,) = said_together(many)
    assert said == f"No two of a, b, c, d, e, f and 2 more are told apart on fidelity.{table}"
    (said,) = said_together([pair(*two, number=False) for two in combinations("abc", 2)])
    assert said.startswith("No two of a, b and c can be compared on fidelity. Of the first pair: ")
    (said,) = said_together([within(*two) for two in combinations("abc", 2)])
    assert said.startswith("No two of a, b and c are shown to be equivalent on fidelity within ")


def test_votes_tell_of_two_systems_what_the_votes_between_them_tell() -> None:
    # Strengths rest on all votes, and may tell the same two apart.
    pairs = [replace(pair("a", other), id=f"win_rate/fidelity/a/{other}") for other in "bcd"]
    (said,) = said_together(pairs)
    assert said.startswith(
        "3 pairs of systems are not told apart on fidelity, pair by pair: a and b;"
    )


def within(first: str, second: str) -> Finding:
    found = Equivalence(estimate=0.9, interval=interval(0.7, 1.1), p=0.99, margin=0.1)
    return replace(
        pair(first, second), id=f"equivalence/fidelity/{first}/{second}", result=found
    )  # fmt: skip


def test_pairs_that_are_not_shown_to_be_equivalent_are_not_said_to_be_alike() -> None:
    (said,) = said_together([within("a", other) for other in "bcde"])
    assert said == (
        "4 pairs of systems are not shown to be equivalent on fidelity within a margin of 0.100: "
        "a and b; a and c; a and d; and 1 more. The table of the margin has their intervals."
    )


def test_systems_that_are_told_apart_are_no_open_question_of_equivalence(
    analysis: Analysis,
) -> None:
    told, left = pair("a", "b", told=True), pair("a", "c")
    made = replace(analysis, findings=(told, left, within("a", "b"), within("a", "c")))
    assert [f.systems[1] for f in words.open_findings(made)] == ["c", "c"]


def test_few_open_pairs_keep_their_own_sentences() -> None:
    pairs = [pair("a", other) for other in "bc"]
    assert said_together(pairs) == tuple(f"a is not told apart from {x}." for x in "bc")


def test_pairs_without_a_number_say_why_once() -> None:
    (said,) = said_together([pair("a", other, number=False) for other in "bcde"])
    assert said == (
        "4 pairs of systems cannot be compared on fidelity: a and b; a and c; a and d; and 1 more. "
        "Of the first pair: no item has responses for both a and b."
    )


WIDE = Interval(low=-1.0, high=1.0, confidence=0.95, method="t")


def trend(name: str, p: float) -> Finding:
    return Finding(
        id=f"order/score/{name}",
        sentence=f"Scores on {name} change.",
        result=Result(estimate=0.1, interval=WIDE, p=p),
        standing="exploratory",
        criterion=name,
    )


def test_what_has_no_number_on_several_criteria_is_said_once() -> None:
    pairs = [pair("a", other, number=False) for other in "bcd"]
    # There another system leads, so that the pairs stand in another order.
    also = [replace(each, criterion="style") for each in reversed(pairs)]
    (said,) = said_together([*pairs, *also])
    assert said == (
        "3 pairs of systems cannot be compared on fidelity and style: a and b; a and c; a and d. "
        "Of the first pair: no item has responses for both a and b."
    )
    # The answer is one of the pairs.
    all_of = [pair(*two, number=False) for two in combinations("abc", 2)]
    other = [replace(each, criterion="style") for each in all_of]
    (said,) = said_together([*all_of[1:], *other], all_of[0])
    assert said.startswith("No two of a, b and c can be compared on fidelity and style. ")
    # Of another pair it is another sentence.
    assert len(said_together([*pairs, *also, replace(pair("a", "e"), criterion="style")])) == 2
    none = Agreement(
        estimate=None, undefined="no unit has two responses", level="ordinal", statistic="alpha"
    )
    alphas = [
        Finding(
            id=f"agreement/{criterion}",
            sentence=f"Agreement on {criterion} is undefined: {none.undefined}.",
            result=none,
            told=False,
            standing="quality",
            criterion=criterion,
            together=Together(
                before="Agreement on ", of=criterion, after=f" is undefined: {none.undefined}."
            ),
        )
        for criterion in ("fidelity", "style", "grammar")
    ]
    (said,) = said_together(alphas)
    assert said == (
        "Agreement on fidelity, style and grammar is undefined: no unit has two responses."
    )


def test_pulls_of_the_first_place_are_no_trends_along_the_sitting() -> None:
    trends = [trend(x, 0.9) for x in "abc"]
    pulled = PlacePull(estimate=0.1, interval=WIDE, p=0.9, what="score")
    pulls = [replace(trend(x, 0.9), id=f"order/place/{x}", result=pulled) for x in "abcd"]
    assert said_together([*trends, *pulls]) == (
        "Along the sitting, 3 trends are not told from chance; the table below has their "
        "intervals.",
        "The pulls of the first place on 4 criteria are not told from chance; the table below has "
        "their intervals.",
    )


def test_trends_that_are_not_shown_are_one_sentence() -> None:
    said = said_together([trend("a", 0.4), trend("b", 0.001), *(trend(x, 0.9) for x in "cde")])
    assert said == (
        "Along the sitting, 4 trends are not told from chance; the table below has their "
        "intervals.",
        "Scores on b change.",
    )


def test_what_is_told_from_chance_depends_on_the_confidence_that_was_asked_for() -> None:
    # At 99% the five p of .03 are above .01, as their intervals contain 0.
    at = [
        [
            replace(one, result=replace(one.result, interval=replace(WIDE, confidence=confidence)))
            for one in (trend(name, 0.03) for name in "abcde")
        ]
        for confidence in (0.95, 0.99)
    ]
    assert [len(said_together(trends)) for trends in at] == [5, 1]


def test_what_was_found_on_a_criterion_stands_above_its_tables(analysis: Analysis) -> None:
    open_one = replace(analysis.findings[-1], criterion="quality", told=False, systems=())
    page = make_page(replace(analysis, findings=(*analysis.findings, open_one)), versions={})
    results = next(section for section in page.sections if section.id == "results")
    kinds = [type(block) for block in results.blocks]
    after = kinds[results.blocks.index(Heading(text="quality")) :]
    assert after.index(Points) < after.index(Shown)


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
    result = Omnibus(
        estimate=8.0, p=0.01, df=2, undefined="it has none", test="Friedman", n_systems=3,
        n_blocks=6,
    )  # fmt: skip
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


def test_the_same_systems_that_are_not_told_apart_on_several_criteria_share_a_sentence() -> None:
    def on(criterion: str, *names: str) -> list[Finding]:
        return [replace(pair(*two), criterion=criterion) for two in combinations(names, 2)]

    open_ones = [*on("fidelity", *"abc"), *on("tone", *"cba"), *on("ease", *"abd")]
    said = said_together(open_ones[1:], open_ones[0])
    assert said == (
        "No two of a, b and c are told apart on fidelity and tone. The tables of differences have "
        "their intervals.",
        "No two of a, b and d are told apart on ease. The table of differences has their "
        "intervals.",
    )
    assert [len(each.findings) for each in together(open_ones[1:], open_ones[0])] == [5, 3]


def test_what_stands_above_is_not_said_below_whatever_its_words(analysis: Analysis) -> None:
    own, other = pair("a", "b"), replace(pair("a", "b"), id="difference/tone/a/b")
    assert said_below([own, other], analysis, {own.id}) == (other.sentence,)


def test_trends_that_are_not_known_for_one_reason_are_one_sentence() -> None:
    why = "no output was judged by two raters at known places of the sitting"

    def unknown(what: str) -> Finding:
        return replace(
            trend(what, 0.4),
            sentence=f"The trend of {what} is undefined: {why}.",
            result=Result(estimate=None, undefined=why),
            together=Together(before="The trends of ", of=what, after=f" are undefined: {why}."),
        )

    said = said_together([unknown("score on a"), unknown("time per trial")])
    assert said == (f"The trends of score on a and time per trial are undefined: {why}.",)
    assert said_together([unknown("score on a")]) == (
        f"The trend of score on a is undefined: {why}.",
    )


def test_systems_that_are_told_apart_are_not_said_to_lack_equivalence_below_either(
    analysis: Analysis,
) -> None:
    told = replace(pair("a", "b", told=True), id="difference/fidelity/a/b")
    untold = within("b", "a")
    made = replace(analysis, findings=(*analysis.findings, told, untold, within("a", "c")))
    results = next(s for s in make_page(made, versions={}).sections if s.id == "results")
    said = [line for block in results.blocks if isinstance(block, Points) for line in block.items]
    assert said.count("b is not told apart from a.") == 0


def test_systems_that_are_not_shown_to_differ_on_several_criteria_share_a_sentence() -> None:
    def on(criterion: str, value: float, *, p: float = 0.3, n_blocks: int = 6) -> Finding:
        result = Omnibus(
            estimate=value, p=p, df=2, test="Friedman", n_systems=3, n_blocks=n_blocks,
            criterion=criterion,
        )  # fmt: skip
        return omnibus_finding(Context(asked=Asked(), options=Options()), result)

    both = [on("ease", 2.1), on("tone (of voice)", 3.4)]
    others = [on("truth", 9.0, p=0.01), on("wit", 2.2, n_blocks=5)]
    assert said_together([*both, *others]) == (
        "It is not shown that the 3 systems differ, even for these raters (Friedman on 6 items), "
        "on ease (χ²(2) = 2.1, p = 0.300) and tone (of voice) (χ²(2) = 3.4, p = 0.300).",
        *(each.sentence for each in others),
    )
    assert said_together(both[:1]) == (both[0].sentence,)
