"""Who is left out of a study by rules stated before the data, and what is said of it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from jurybox.analysis import analyze
from jurybox.analysis.asked import Asked
from jurybox.analysis.context import Context
from jurybox.analysis.finding import Analysis, Excluded, Finding, format_rows
from jurybox.analysis.options import Options
from jurybox.analysis.raters.everybody import everybody_chapter
from jurybox.errors import AnalysisError
from jurybox.report import html
from jurybox.results import Interval, Result
from jurybox.stats.differences import Difference, ShareGap
from jurybox.stats.shares import Share
from jurybox.study import Study
from tests.analysis.stored_answers import (
    Columns,
    FakeStore,
    ratings,
    table,
    with_rules,
)


def checks(kind: str, right: dict[str, tuple[int, int]]) -> Columns:
    rows = [(rater, kind, k < good, None) for rater, (good, n) in right.items() for k in range(n)]
    return table("rater kind correct excluded_by", rows)


@pytest.mark.parametrize(
    ("rules", "known", "said"),
    [
        (
            {"gold_below": 0.7},
            checks("gold", {"r0": (4, 10), "r1": (7, 10)}),
            "r0: 4 of 10 gold trials right (40%; the rule asks for 70%)",
        ),
        (
            {"practice_failed": True},
            checks("practice", {"r0": (2, 5), "r1": (3, 5)}),
            "r0: 2 of 5 practice trials right (the rule asks for 60%)",
        ),
        (
            {"attention_failed": 2},
            checks("attention", {"r0": (1, 3), "r1": (2, 3)}),
            "r0: 2 attention checks failed (the rule allows fewer than 2)",
        ),
        (
            {"faster_than": 4.05},
            None,
            "r0: a median of 4.0 s per trial (the rule asks for 4.05 s)",
        ),
    ],
)
def test_rules_stated_before_the_data(
    rules: dict[str, Any], known: Columns | None, said: str
) -> None:
    found = with_rules(rules, known)
    assert [each.sentence for each in found.excluded] == [said]
    assert [each.rater for each in found.excluded] == ["r0"]
    assert found.n_raters == 5
    again = [f for f in found.findings if f.id.startswith("with_excluded/")]
    assert len(again) == 1
    assert again[0].sentence.startswith("With the 1 excluded rater counted in: old scores")
    assert again[0].result.n_raters == 6
    raters = found.table("raters")
    assert raters is not None
    assert [row[-1] for row in raters.rows][:2] == [next(iter(rules)), ""]


def test_a_share_just_beyond_the_rule_is_shown_to_be_beyond_it() -> None:
    data = ratings()
    # 45% of answers beside 45% allowed would break no rule.
    some = {k for k, rater in enumerate(data["rater"]) if rater == "r2"}
    most = round(0.91 * len(some))
    for n, k in enumerate(sorted(some)):
        data["score"][k] = 3 if n < most else 1 + n % 2
    share = most / len(some)
    close = with_rules({"straight_line": share - 0.001}, ratings=data)
    assert any(
        f"{share:.1%} of answers are 3 (the rule allows {share - 0.001:.1%})" in each.sentence
        for each in close.excluded
    )


def test_a_straight_line_and_a_rater_apart() -> None:
    data = ratings()
    draw = random.Random(5)
    for k, rater in enumerate(data["rater"]):
        if rater == "r0":
            data["score"][k] = 1
        if rater == "r1":
            data["score"][k] = draw.choice([0, 1, 2]) if k % 2 == 0 else draw.randint(1, 5)
    found = with_rules({"straight_line": 0.9}, ratings=data)
    assert [each.rule for each in found.excluded] == ["straight_line"]
    assert "100% of answers are 1 (the rule allows 90%)" in found.excluded[0].sentence
    apart = with_rules({"agreement_below": -0.1}, ratings=data)
    assert [each.rater for each in apart.excluded] == ["r0", "r1"]
    assert "raises agreement by construction" in apart.excluded[0].sentence


def test_who_is_left_out_does_not_depend_on_the_criterion_that_is_looked_at() -> None:
    # r0 says 1 to every consistency, and this and that of realism: no straight line in all.
    data = ratings()
    for k, (rater, criterion) in enumerate(zip(data["rater"], data["criterion"], strict=True)):
        if (rater, criterion) == ("r0", "consistency"):
            data["score"][k] = 1
    rules = {"straight_line": 0.9}
    assert with_rules(rules, ratings=data).excluded == ()
    alone = with_rules(rules, ratings=data, criterion="consistency")
    assert (alone.excluded, alone.n_raters, alone.n_responses) == ((), 6, 120)
    # And one who is left out by all answers is left out of each.
    for k, rater in enumerate(data["rater"]):
        data["score"][k] = 1 if rater == "r0" else data["score"][k]
    alone = with_rules(rules, ratings=data, criterion="realism")
    assert ([each.rater for each in alone.excluded], alone.n_responses) == (["r0"], 100)


def test_a_criterion_by_itself_may_be_computed_from_others_and_says_what_is_not_looked_at() -> None:
    overall = with_rules({}, criterion="overall")
    assert {f.criterion for f in overall.findings if f.kind in ("mean", "difference")} == {
        "overall"
    }
    assert overall.n_responses == 120  # 10 items × 2 systems × 6 raters
    whole = {f.id: f.result for f in with_rules({}).findings}
    mean = next(f for f in overall.findings if f.id == "mean/overall/new")
    assert mean.result == whole["mean/overall/new"]
    (said,) = [w for w in overall.warnings if w.startswith("only overall is looked at")]
    assert "not consistency and realism" in said
    # The study's primary contrast is on realism: of overall nothing was asked first.
    assert all(f.standing != "primary" for f in overall.findings)
    assert not any("has no answer" in warning for warning in overall.warnings)
    realism = with_rules({}, criterion="realism")
    assert realism.headline is not None
    assert realism.headline.standing == "primary"


def test_scores_beside_votes_may_be_looked_at_by_themselves() -> None:
    votes = table(
        "item rater criterion system_a system_b winner trial excluded_by",
        [(f"i{i}", f"r{r}", "preference", "new", "old", "a", f"t{i}", None)
         for i in range(6) for r in range(4)],
    )  # fmt: skip
    scores = table(
        "item system rater criterion score trial excluded_by",
        [(f"i{i}", s, f"r{r}", "correctness", 1 + (i + r) % 4 + (s == "new"), f"t{i}", None)
         for i in range(6) for r in range(4) for s in ("new", "old")],
    )  # fmt: skip
    asked = Study(
        title="Answers",
        protocol="compare",
        outputs="o.csv",
        show={"output": "text"},
        criteria={"preference": {}, "correctness": {"scale": "acr", "per": "output"}},
    )
    found = analyze(
        FakeStore({"votes": votes, "ratings": scores}), study=asked, criterion="correctness"
    )
    assert (found.protocol, found.n_responses) == ("rate", 48)
    assert {finding.criterion for finding in found.findings} == {"correctness"}
    assert any("not preference" in warning for warning in found.warnings)


def test_who_misses_the_hidden_reference_is_left_out_by_itu_r_bs_1534() -> None:
    # 20 items; the reference gets 95, the other system 60. r0 gives it 89 on 3 items: 15%, which
    # the rule allows; r1 on 4 items: 20%, which it does not; r2 gives exactly 90 everywhere.
    rows = []
    for rater, low in (("r0", 3), ("r1", 4), ("r2", 0)):
        for item in range(20):
            heard = 90 if rater == "r2" else 89 if item < low else 95
            rows += [(rater, f"i{item:02}", "original", "quality", heard)]
            rows += [(rater, f"i{item:02}", "codec", "quality", 60 + item % 7)]
    data = table("rater item system criterion score", rows)
    asked = Study(
        title="T",
        protocol="rate",
        outputs="o/{system}/{item}.wav",
        show={"output": "audio"},
        systems={"original": {"hidden_reference": True}, "codec": {}},
        criteria={"quality": {"scale": "0-100"}},
        quality={"exclude": {"hidden_reference_missed": 0.15}},
    )
    found = analyze(FakeStore({"ratings": data}), study=asked)
    assert [each.sentence for each in found.excluded] == [
        "r1: 4 of 20 hidden references below 90% of the scale (the rule allows 15%)"
    ]


def test_the_hidden_reference_is_not_what_the_answer_is_about() -> None:
    asked = Study(
        title="T",
        protocol="rate",
        outputs="o/{system}/{item}.wav",
        show={"output": "audio"},
        systems={"original": {"hidden_reference": True}, "new": {}, "old": {}},
        criteria={"quality": {"scale": "0-100"}},
    )
    scores = {"original": 100, "new": 70, "old": 40}
    rows = [
        (f"r{r}", f"i{i}", system, "quality", score - (i + r) % 3)
        for r in range(5)
        for i in range(6)
        for system, score in scores.items()
    ]
    data = table("rater item system criterion score", rows)
    found = analyze(FakeStore({"ratings": data}), study=asked)
    assert found.headline is not None
    assert set(found.headline.systems) == {"new", "old"}
    (shown,) = [each for each in found.tables if each.id == "mean_scores/quality"]
    assert shown.caption.startswith("original is the hidden reference. Intervals ")


def test_neither_reference_nor_anchors_are_what_the_answer_is_about() -> None:
    asked = Study(
        title="T",
        protocol="rate",
        outputs="o/{system}/{item}.wav",
        show={"output": "audio"},
        systems={
            "original": {"hidden_reference": True},
            "mid": {"anchor": True},
            "low": {"anchor": True},
            "new": {},
            "old": {},
        },
        criteria={"quality": {"scale": "0-100"}},
    )
    # A middle anchor better than a system is a finding, and not the answer.
    scores = {"original": 100, "new": 70, "mid": 60, "old": 40, "low": 10}

    def answered(*systems: str) -> Analysis:
        rows = [
            (
                f"r{r}",
                f"i{i}",
                system,
                "quality",
                scores[system] - (3 * i + 2 * r + len(system)) % 5,
            )
            for r in range(5)
            for i in range(6)
            for system in systems
        ]
        data = table("rater item system criterion score", rows)
        return analyze(FakeStore({"ratings": data}), study=asked)

    found = answered(*scores)
    assert found.headline is not None
    assert found.headline.systems == ("new", "old")
    (shown,) = [each for each in found.tables if each.id == "mean_scores/quality"]
    assert shown.caption.startswith("original is the hidden reference, mid and low are anchors. ")
    # That all five are not alike is known before anybody answers.
    assert not [each for each in found.findings if each.id.startswith("omnibus/")]
    # One system alone is held against the best of them, and never these against each other.
    alone = answered("original", "old", "mid", "low").headline
    assert alone is not None
    assert set(alone.systems) == {"original", "old"}


def test_a_mean_opinion_score_is_called_one_wherever_it_stands() -> None:
    asked = Study(
        title="T",
        protocol="rate",
        outputs="o/{system}/{item}.wav",
        show={"output": "audio"},
        criteria={"quality": {"scale": "acr"}},
    )
    rows = [
        (f"r{r}", f"i{i}", system, "quality", 1 + (i * r + k + r) % 5, f"group {r % 2}")
        for r in range(6)
        for i in range(6)
        for k, system in enumerate(("new", "old"))
    ]
    data = table("rater item system criterion score rater_group", rows)
    metrics = {"item": data["item"], "system": data["system"], "length": list(range(72))}
    metrics = {name: values[:12] for name, values in metrics.items()}
    found = analyze(FakeStore({"ratings": data}), study=asked, metrics=metrics)
    page = html(found, study=asked)
    shown = {each.kind for each in found.tables}
    assert {"mean_scores", "groups", "extremes"} <= shown
    assert "ean opinion score" in page
    assert "ean score" not in page


def test_every_broken_rule_is_said() -> None:
    known = checks("gold", {"r0": (4, 10), "r1": (7, 10)})
    found = with_rules({"gold_below": 0.7, "faster_than": 4.05}, known)
    (left_out,) = found.excluded
    assert left_out.rules == ("gold_below", "faster_than")
    assert left_out.sentence == (
        "r0: 4 of 10 gold trials right (40%; the rule asks for 70%); "
        "a median of 4.0 s per trial (the rule asks for 4.05 s)"
    )
    raters = found.table("raters")
    assert raters is not None
    assert [row[-1] for row in raters.rows][:2] == ["gold_below, faster_than", ""]
    assert found.to_dict()["excluded"][0]["also"] == ["faster_than"]


def test_a_mark_of_the_store_is_said_beside_a_broken_rule_of_another_name() -> None:
    data = ratings()
    data["excluded_by"] = ["gold_below" if r == "r0" else None for r in data["rater"]]
    found = with_rules({"faster_than": 4.05}, ratings=data)
    assert found.excluded[0].rules == ("faster_than", "gold_below")
    assert found.excluded[0].sentence.endswith("; marked as excluded by gold_below")


def test_marks_of_the_store_are_kept_and_withdrawn_never_comes_back() -> None:
    data = ratings()
    data["excluded_by"] = [
        {"r0": "gold_below", "r1": "withdrawn"}.get(rater) for rater in data["rater"]
    ]
    found = with_rules({}, ratings=data)
    assert [(each.rater, each.rule) for each in found.excluded] == [("r0", "gold_below")]
    assert found.n_raters == 4
    again = next(f for f in found.findings if f.id.startswith("with_excluded/"))
    assert again.result.n_raters == 5


def test_everybody_excluded_is_said() -> None:
    with pytest.raises(AnalysisError, match="every response is excluded by a rule"):
        with_rules({"faster_than": 60.0})


def test_a_study_whose_raters_all_withdrew_has_no_answers() -> None:
    data = ratings()
    data["excluded_by"] = ["withdrawn"] * len(data["rater"])
    with pytest.raises(AnalysisError, match="has no answered trials yet; collect answers with"):
        with_rules({}, ratings=data)


def test_every_headline_figure_stands_with_and_without_the_excluded() -> None:
    data = ratings()
    # r0 sees everything the other way round.
    data["score"] = [
        (2 if criterion == "consistency" else 6) - score if rater == "r0" else score
        for rater, criterion, score in zip(
            data["rater"], data["criterion"], data["score"], strict=True
        )
    ]
    found = with_rules({"faster_than": 4.05}, ratings=data)
    both = found.table("with_and_without")
    assert both is not None
    figures = [row[:3] for row in both.rows]
    assert figures == [
        ("difference", "old, new", "realism"),
        ("mean", "new", "realism"),
        ("mean", "old", "realism"),
        *(("agreement", "all systems", name) for name in ("consistency", "realism", "overall")),
    ]
    rows = {
        row[:3]: dict(zip([c.name for c in both.columns], row, strict=True)) for row in both.rows
    }
    for criterion in ("consistency", "realism"):
        row = rows["agreement", "all systems", criterion]
        assert row["with"] < row["without"]
    everybody = with_rules({}, ratings=data)
    means = {f.id: f.result.estimate for f in everybody.findings}
    assert rows["mean", "new", "realism"]["with"] == means["mean/realism/new"]
    rules = found.table("exclusions")
    assert rules is not None
    assert rules.rows == (("faster_than", 1, 1, 40),)
    # Of one rule nobody stands in several rows.
    assert rules.caption == ""
    assert everybody.table("with_and_without") is None
    assert everybody.table("exclusions") is None


def test_figures_of_other_units_have_digits_of_their_own_whoever_leads() -> None:
    def compared(one: str, two: str, estimate: float, half: float) -> Finding:
        low, high = estimate - half, estimate + half
        wide = Interval(low=low - half, high=high + half, confidence=0.95, method="t, max-t")
        interval = Interval(low=low, high=high, confidence=0.95, method="t")
        result = Difference(
            estimate=estimate, interval=interval, simultaneous=wide, system=one, other=two
        )
        return Finding(
            id=f"difference/quality/{one}/{two}",
            sentence=f"{one} and {two} differ.",
            result=result,
            criterion="quality",
            systems=(one, two),
        )

    def agreement(alpha: float) -> Finding:
        interval = Interval(low=alpha - 0.1, high=alpha + 0.1, confidence=0.95, method="t")
        result = Result(estimate=alpha, interval=interval)
        return Finding(id="agreement/quality", sentence="", result=result, criterion="quality")

    out = [Excluded(rater="r1", rule="gold_below", sentence="", n_responses=9)]
    context = Context(asked=Asked(), options=Options())
    after = [compared("low", "high", 1.25, 5.0), agreement(0.6)]
    before = [compared("high", "low", 2.0, 6.0)]
    table = everybody_chapter(context, after, before, out).tables[0]
    # The pair is one row, seen from the side of the answer, though the other led before.
    assert format_rows(table) == [
        ["difference", "low, high", "quality", "−2.0", "−14.0 to 10.0", "1.2", "−8.8 to 11.2"],
        ["agreement", "all systems", "quality", "–", "–", "0.600", "0.500 to 0.700"],
    ]
    assert table.caption == (
        "1 rater left out by rule. The interval of two systems compared is the simultaneous one."
    )


def test_shares_of_yes_stand_with_their_difference_and_no_means_of_zeros_and_ones() -> None:
    gap = ShareGap(estimate=0.1, undefined="one item", system="new", other="old")
    share = Share(estimate=0.75, undefined="one item", what="share of yes", system="new")
    mean = Result(estimate=0.75, undefined="one item")
    after = [
        Finding(id=f"{kind}/ok/{'/'.join(who)}", sentence="", result=result, criterion="ok",
                systems=who)
        for kind, who, result in (
            ("difference", ("new", "old"), gap), ("mean", ("new",), mean), ("pass", ("new",), share)
        )
    ]  # fmt: skip
    out = [Excluded(rater="r1", rule="gold_below", sentence="", n_responses=9)]
    context = Context(asked=Asked(), options=Options())
    table = everybody_chapter(context, after, after, out).tables[0]
    assert [row[:2] for row in table.rows] == [("difference", "new, old"), ("share of yes", "new")]


def test_screening_by_agreement_is_circular_and_says_so() -> None:
    data = ratings()
    data["score"] = [
        (2 if criterion == "consistency" else 6) - score if rater == "r0" else score
        for rater, criterion, score in zip(
            data["rater"], data["criterion"], data["score"], strict=True
        )
    ]
    found = with_rules({"agreement_below": -0.1}, ratings=data)
    assert [each.rater for each in found.excluded] == ["r0"]
    assert any("the agreement before exclusion is the one to report" in w for w in found.warnings)
    assert not any("before exclusion" in w for w in with_rules({"faster_than": 4.05}).warnings)
