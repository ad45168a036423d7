"""What an analysis says of agreement."""

from __future__ import annotations

import random
import statistics
from typing import Any

import pytest

import jurybox as jb
from jurybox.analysis import rater_pairs
from jurybox.analysis.agreement import _kappa_finding
from jurybox.analysis.finding import Analysis, Finding, Table
from jurybox.results import Interval
from jurybox.stats.agreement.patterns import Agreement
from jurybox.study import Study
from tests import reference


def ratings(
    raters: int, items: int, systems: tuple[str, ...] = ("new", "old"), *, seed: int = 1
) -> dict[str, list[Any]]:
    draw = random.Random(seed)
    rows = []
    for item in range(items):
        for place, system in enumerate(systems):
            good = draw.choice([1, 2, 3, 4]) + place
            for rater in range(raters):
                score = min(5, max(1, good + draw.choice([-1, 0, 0, 0, 1])))
                rows.append((f"i{item:02}", system, f"r{rater:02}", score))
    names = ("item", "system", "rater", "score")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def finding(analysis: Analysis, name: str) -> Finding:
    return next(each for each in analysis.findings if each.id == name)


def table(analysis: Analysis, name: str) -> Table:
    return next(each for each in analysis.tables if each.id == name)


def test_pooled_within_systems_and_pairs() -> None:
    found = jb.analyze(ratings(3, 20))
    alpha = finding(found, "agreement/overall")
    assert "Krippendorff's words" in alpha.sentence
    assert "Within systems α is" in alpha.sentence
    rows = table(found, "agreement/ratings").rows
    assert table(found, "agreement/ratings").title == "Agreement among raters: scores"
    assert [row[1] for row in rows] == ["all systems", "new", "old", "mean within systems"]
    assert rows[3][2] == pytest.approx((rows[1][2] + rows[2][2]) / 2)
    one = {name: values for name, values in ratings(3, 20).items()}
    keep = [k for k, system in enumerate(one["system"]) if system == "new"]
    new = {name: [values[k] for k in keep] for name, values in one.items()}
    assert rows[1][2] == pytest.approx(jb.krippendorff_alpha(new, level="ordinal").estimate)
    assert rows[1][5] == pytest.approx(jb.fleiss_kappa(new).estimate)
    pairs = table(found, "rater_pairs/overall")
    assert len(pairs.rows) == 3
    assert "Fleiss' kappa on overall" in finding(found, "fleiss/overall").sentence
    assert any("the level is not stated" in said for said in found.took)


def test_few_raters_are_said_to_speak_for_themselves() -> None:
    few = jb.analyze(ratings(3, 20), n_resamples=50)
    for name in ("agreement/overall", "fleiss/overall"):
        assert "(95% interval for these raters " in finding(few, name).sentence
    assert "hold for these raters alone" in table(few, "agreement/ratings").caption
    many = jb.analyze(ratings(5, 20), n_resamples=50)
    assert "(95% interval 0." in finding(many, "agreement/overall").sentence
    assert "these raters alone" not in table(many, "agreement/ratings").caption


def test_the_mean_within_systems_is_given_of_kappa_too() -> None:
    rows = table(jb.analyze(ratings(3, 20), n_resamples=50), "agreement/ratings").rows
    assert rows[3][5] == pytest.approx((rows[1][5] + rows[2][5]) / 2)


def test_a_system_without_agreement_has_its_reason_below_the_table() -> None:
    data = ratings(3, 20)
    data["score"] = [
        5 if system == "new" else score
        for system, score in zip(data["system"], data["score"], strict=True)
    ]
    shown = table(jb.analyze(data, n_resamples=50), "agreement/ratings")
    assert shown.rows[1][1:4] == ("new", None, None)
    assert " No alpha of new on overall: every response is the same value." in shown.caption
    assert "The share of same answers is counted over all systems." in shown.caption


def test_two_raters_get_cohens_kappa_plain_and_weighted() -> None:
    found = jb.analyze(ratings(2, 20))
    assert "Landis and Koch's words" in finding(found, "cohen/overall").sentence
    assert finding(found, "cohen/quadratic/overall").result.estimate is not None
    assert not any(each.id.startswith("fleiss/") for each in found.findings)
    assert not any(each.id.startswith("rater_pairs/") for each in found.tables)


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ((0.1, 0.3), "calibrate the raters together."),
        ((0.45, 0.55), "aim for 0.6 before production."),
        ((0.7, 0.9), "go on."),
        ((0.3, 0.7), "calibrate the raters together."),
    ],
)
def test_kappa_says_what_to_do_by_its_lower_end(ends: tuple[float, float], words: str) -> None:
    low, high = ends
    interval = Interval(low=low, high=high, confidence=0.95, method="t")
    kappa = Agreement(estimate=(low + high) / 2, interval=interval, statistic="Fleiss' kappa")
    assert _kappa_finding("fleiss", kappa, "overall").sentence.endswith(f" What to do: {words}")


def test_many_raters_are_summarized() -> None:
    data = ratings(31, 12, ("only",))
    # r30 answers nine items: fewer than ten are no number, but still 30 pairs who share a unit.
    gone = [k for k, name in enumerate(data["rater"]) if name == "r30"][:3]
    data = {name: [v for k, v in enumerate(own) if k not in gone] for name, own in data.items()}
    (row,) = table(jb.analyze(data), "rater_pairs/overall").rows
    assert row[:2] == (31 * 30 // 2, 30 * 29 // 2)
    known = [
        pair.kappa
        for pair in jb.rater_pairs(data, weights="quadratic").rows
        if pair.kappa is not None
    ]
    assert row[2:] == pytest.approx(
        (min(known), statistics.median(known), max(known)), rel=1e-12, abs=1e-12
    )


def test_pairs_of_answers_beyond_count_are_not_compared_unasked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # 12 units of 31 raters have 12 · 31 · 30 / 2 = 5,580 pairs of answers.
    for most, n in ((5_580, 1), (5_579, 0)):
        monkeypatch.setattr(rater_pairs, "MOST", most)
        found = jb.analyze(ratings(31, 12, ("only",)))
        assert sum(each.id == "rater_pairs/overall" for each in found.tables) == n


def test_prevalence_is_named_with_ac1_and_the_common_answer() -> None:
    scores = [[0, 0]] * 46 + [[0, 1], [1, 0], [0, 1], [1, 0]]
    rows = [(f"i{i:02}", f"r{r}", s) for i, own in enumerate(scores) for r, s in enumerate(own)]
    data = dict(zip(("item", "rater", "score"), map(list, zip(*rows, strict=True)), strict=True))
    found = jb.analyze(data)
    sentence = finding(found, "agreement/overall").sentence
    assert "is prevalence: 96.0% of the answers are '0'" in sentence
    assert (finding(found, "ac1/overall").result.estimate or 0) > 0.9
    # Where a study asks for yes or no, nobody answered '0'.
    asked = Study(
        title="Does it pass?",
        protocol="rate",
        outputs="outputs.csv",
        show={"output": "text"},
        criteria={"overall": {"question": "Does it?", "scale": "yes-no"}},
    )
    said = finding(jb.analyze(data, study=asked), "agreement/overall").sentence
    assert "is prevalence: 96.0% of the answers are 'no'" in said


def test_one_rater_per_output_is_said_to_be_no_agreement() -> None:
    data = {
        "item": [f"i{k}" for k in range(20)],
        "rater": [f"r{k % 4}" for k in range(20)],
        "score": [k % 5 + 1 for k in range(20)],
    }
    found = finding(jb.analyze(data), "agreement/overall")
    assert found.sentence == "Agreement on overall is undefined: no unit has two responses."
    assert not found.told


def test_interval_levels_get_the_intraclass_correlation() -> None:
    from jurybox.tally.mapping import mapped

    found = jb.analyze(mapped(ratings(3, 15, ("only",)), level="interval"))
    single = finding(found, "icc2_1/overall")
    assert "ICC(2,1) on overall" in single.sentence
    assert "the share of the variance of the mean of 3" in finding(found, "icc2_k/overall").sentence
    assert (finding(found, "icc2_k/overall").result.estimate or 0) > (single.result.estimate or 0)


def test_how_often_two_answers_are_the_same_is_not_said_of_a_slider() -> None:
    scores = [float(7 * i + r) for i in range(10) for r in range(4)]
    data = {
        "item": [i for i in range(10) for _ in range(4)],
        "system": ["a"] * 40,
        "rater": [f"r{r}" for _ in range(10) for r in range(4)],
        "score": scores,
    }
    found = jb.analyze(data)
    assert "agree in" not in finding(found, "agreement/overall").sentence
    for id in ("agreement/ratings", "rater_pairs/overall"):
        shown = found.table(id)
        assert shown is not None
        place = shown.place("percent")
        assert place is not None
        assert {row[place] for row in shown.rows} == {None}
        assert "same answers" not in shown.caption
    few = jb.analyze({**data, "score": [score // 10 for score in scores]})
    assert "two raters agree in" in finding(few, "agreement/overall").sentence


def test_agreement_before_exclusion_comes_first() -> None:
    data = ratings(7, 20, ("only",))
    draw = random.Random(3)
    odd = [k for k, rater in enumerate(data["rater"]) if rater == "r06"]
    for k in odd:
        data["score"][k] = draw.randint(1, 5)
    data["excluded_by"] = ["gold_below" if r == "r06" else None for r in data["rater"]]
    found = jb.analyze(data)
    names = [each.id for each in found.findings]
    assert names.index("agreement_before/overall") < names.index("agreement/overall")
    before = finding(found, "agreement_before/overall")
    after = finding(found, "agreement/overall")
    assert before.sentence.startswith("Before exclusion, agreement on overall is")
    assert after.sentence.startswith("Without the excluded raters, agreement on overall is")
    assert (before.result.n_raters, after.result.n_raters) == (7, 6)
    assert (before.result.estimate or 0) < (after.result.estimate or 0)


def test_rankings_get_kendalls_w() -> None:
    draw = random.Random(2)
    rows = []
    for item in range(10):
        for rater in range(4):
            order = sorted(range(3), key=lambda s: s + draw.gauss(0, 1))
            rows += [(f"i{item}", f"r{rater}", f"s{s}", order.index(s) + 1) for s in range(3)]
    names = ("item", "rater", "system", "rank")
    data = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    found = jb.analyze(data)
    (criterion,) = {each.criterion for each in found.findings if each.id.startswith("agreement/")}
    sentence = finding(found, f"agreement/{criterion}").sentence
    assert sentence.startswith(f"Kendall's W on {criterion} is")
    assert "mean tau" in sentence
    row = table(found, "agreement/rankings").rows[0]
    assert row[1] == pytest.approx(jb.kendall_w(data).estimate)


def test_an_imagenhub_folder_gives_the_published_kappas_with_intervals() -> None:
    known = reference.expected("imagenhub")["published"]["values"]["Text-To-Image"]
    found = jb.analyze(reference.imagenhub("Text-To-Image"), n_resamples=50)
    rows = {(row[0], row[1]): row for row in table(found, "agreement/ratings").rows}
    for system, values in known.items():
        for criterion in ("SC", "PR"):
            row = rows[criterion, system]
            assert row[2] == pytest.approx(values[f"{criterion}_alpha_ordinal"], abs=0.0051)
            assert row[5] == pytest.approx(values[f"{criterion}_fleiss_kappa"], abs=0.0051)
            assert row[3][0] < row[2] < row[3][1]
            assert row[6][0] < row[5] < row[6][1]
