"""Places on a shared screen: the pull of the first is described, or why it cannot be told."""

from __future__ import annotations

import random
from contextlib import closing
from typing import Any

import pytest

from jurybox.analysis import Analysis, analyze
from jurybox.analysis.asked import Asked, AskedCriterion
from jurybox.analysis.context import Context
from jurybox.analysis.options import Options
from jurybox.analysis.places import place_chapter, pulls_of
from jurybox.stats.clusters import Cluster
from jurybox.stats.places import PlacePull, SharePull
from jurybox.tally.reading import read

SYSTEMS = ("new", "old", "tiny")


def shared(
    *, pull: float = 0.0, ranked: bool = False, turned: bool = True, items: int = 20
) -> dict[str, list[Any]]:
    """Eight raters judge three outputs of each item on one screen."""
    draw = random.Random(5)
    rows = []
    for i in range(items):
        quality = {s: draw.gauss(50 - 5 * k, 5) for k, s in enumerate(SYSTEMS)}
        for r in range(8):
            order = draw.sample(SYSTEMS, 3) if turned else list(SYSTEMS)
            looks = {s: quality[s] + draw.gauss(0, 5) + pull * (order[0] == s) for s in order}
            best = sorted(looks, key=lambda s: -looks[s])
            for place, s in enumerate(order, start=1):
                # Whole scores: agreement about hundreds of distinct ones takes an analysis long.
                value = best.index(s) + 1 if ranked else round(looks[s])
                rows.append((f"i{i}", s, f"r{r}", value, place))
    names = ("item", "system", "rater", "rank" if ranked else "score", "place")
    return {name: [row[k] for row in rows] for k, name in enumerate(names)}


def pull_of(found: Analysis, criterion: str) -> tuple[PlacePull, str]:
    (finding,) = [f for f in found.findings if f.id == f"order/place/{criterion}"]
    assert finding.standing == "exploratory"
    assert isinstance(finding.result, PlacePull)
    return finding.result, finding.sentence


def test_a_planted_pull_on_scores_is_described() -> None:
    found = analyze(shared(pull=6.0))
    pull, said = pull_of(found, "overall")
    assert pull.estimate == pytest.approx(6, abs=2)
    assert pull.interval is not None
    assert pull.interval.low < 6 < pull.interval.high
    assert pull.p is not None
    assert pull.p < 0.001
    assert said.startswith(
        "Standing first on the screen goes with a change of scores on overall by "
    )
    assert "against the same outputs at other places (95% interval" in said
    assert said.endswith("480 answers, 8 raters, 20 items).")
    table = found.table("order/places/overall")
    assert table is not None
    data = shared(pull=6.0)
    for row, place in zip(table.rows, (1, 2, 3), strict=True):
        scores = [y for y, p in zip(data["score"], data["place"], strict=True) if p == place]
        assert row[0] == str(place)
        assert row[1] == pytest.approx(sum(scores) / len(scores))
        assert row[2][0] < row[1] < row[2][1]
        assert row[3] == 160
    pulls = found.table("order/pull")
    assert pulls is not None
    assert pulls.rows == (
        ("overall", "points", pull.estimate, (pull.interval.low, pull.interval.high), pull.p,
         None, 480),
    )  # fmt: skip


def test_no_mean_by_place_leaves_the_scale() -> None:
    # By two raters t(1) is 12.7 standard errors to either side.
    data = shared()
    kept = [k for k, rater in enumerate(data["rater"]) if rater in ("r0", "r1")]
    data = {name: [column[k] for k in kept] for name, column in data.items()}
    data["score"] = [5 if score > 45 else 1 for score in data["score"]]
    asked = Asked(criteria={"overall": AskedCriterion(ends=(1.0, 5.0))})
    for known, is_within in ((asked, True), (Asked(), False)):
        context = Context(asked=known, options=Options())
        with closing(read(data)) as responses:
            chapter = place_chapter(context, [responses], pulls_of(context, [responses]))
        ends = [row[2] for row in chapter.tables[1].rows]
        assert all(1 <= low < high <= 5 for low, high in ends) == is_within


def test_without_one_none_is_told() -> None:
    pull, _ = pull_of(analyze(shared()), "overall")
    assert pull.interval is not None
    assert pull.interval.low < 0 < pull.interval.high


@pytest.mark.parametrize(("pull", "told"), [(8.0, True), (0.0, False)])
def test_rankings_compare_the_share_ranked_first_with_chance(pull: float, told: bool) -> None:
    found = analyze(shared(pull=pull, ranked=True))
    result, said = pull_of(found, "preference")
    assert isinstance(result, SharePull)
    assert result.p is not None
    assert (result.p < 0.01) == told
    assert "the share ranked first on preference by " in said
    assert " percentage points, against the same outputs" in said
    pulls = found.table("order/pull")
    assert pulls is not None
    assert result.estimate is not None
    assert pulls.rows[0][1:3] == ("percentage points", 100 * result.estimate)
    # One look alone has nothing to be adjusted for.
    assert pulls.caption.endswith("with what stood beside it. Exploratory.")
    table = found.table("order/places/preference")
    assert table is not None
    assert [column.kind for column in table.columns] == [
        *("text", "percent", "interval", "percent", "count")
    ]
    shares = [row[1] for row in table.rows]
    assert sum(shares) == pytest.approx(1)
    assert [row[3] for row in table.rows] == [pytest.approx(1 / 3)] * 3
    assert (table.rows[0][2][0] > 1 / 3) == told


def test_best_of_n_by_hand() -> None:
    # Two outputs each; the pick stands first on 3 of 4 screens. First minus second on each screen:
    # 1, −1, 1, 1. Item 0: a picked at place 1 by r0 and at place 2 by r1: pull (1 − 1)/2 = 0.
    # Item 1: a picked at place 1 by r0, b at place 1 by r1: (1 + 1)/2 = 1. Together 0.5.
    data = {
        "item": ["i0"] * 4 + ["i1"] * 4,
        "rater": ["r0", "r0", "r1", "r1"] * 2,
        "system": ["a", "b"] * 4,
        "rank": [1, 2, 1, 2, 1, 2, 2, 1],
        "place": [1, 2, 2, 1, 1, 2, 2, 1],
    }
    found = analyze(data)
    pull, _ = pull_of(found, "preference")
    assert pull.estimate == pytest.approx(0.5)
    table = found.table("order/places/preference")
    assert table is not None
    assert [(row[0], row[1], row[3], row[4]) for row in table.rows] == [
        ("1", 0.75, 0.5, 4),
        ("2", 0.25, 0.5, 4),
    ]


def test_p_is_adjusted_together_with_the_trends() -> None:
    data = shared(pull=6.0)
    draw = random.Random(1)
    of = {(r, i): draw.random() for r, i in zip(data["rater"], data["item"], strict=True)}
    data["position"] = [of[r, i] for r, i in zip(data["rater"], data["item"], strict=True)]
    pull, said = pull_of(analyze(data), "overall")
    assert pull.adjusted_by == "Benjamini–Hochberg over 3 looks at order"
    assert pull.p is not None
    assert pull.p_adjusted == pytest.approx(3 * pull.p)  # the smallest of three
    assert "by Benjamini–Hochberg over 3 looks at order" in said


def test_a_place_that_never_varies_is_undefined_with_its_reason() -> None:
    found = analyze(shared(turned=False))
    pull, said = pull_of(found, "overall")
    assert pull.estimate is None
    assert said.startswith("The pull of the first place on scores on overall is undefined: no ")
    assert found.table("order/places/overall") is not None


def test_one_output_on_a_screen_or_no_place_at_all_has_no_such_look() -> None:
    data = shared(items=3)
    none = {name: column for name, column in data.items() if name != "place"}
    for table in (
        {**data, "place": [1] * len(data["place"])},
        {**data, "place": [None] * len(data["place"])},
        {**data, "place": ["top"] * len(data["place"])},
        none,
        {name: column for name, column in data.items() if name != "rater"},
    ):
        found = analyze(table)
        assert not [f for f in found.findings if f.id.startswith("order/")]
        assert found.table("order/pull") is None


def test_words_have_no_mean_by_place() -> None:
    data = shared()
    data["score"] = ["good" if score > 45 else "bad" for score in data["score"]]
    assert analyze(data).table("order/pull") is None


def test_places_do_not_change_any_other_finding() -> None:
    for ranked in (False, True):
        data = shared(ranked=ranked, items=6)
        found = analyze(data)
        del data["place"]
        plain = analyze(data)
        kept = [f for f in found.findings if not f.id.startswith("order/place/")]
        assert kept == list(plain.findings)


def test_the_interval_is_clustered_as_asked() -> None:
    clusters: tuple[Cluster, ...] = ("both", "item", "rater", None)
    said: dict[Cluster, str] = {}
    with closing(read(shared(pull=6.0))) as responses:
        for cluster in clusters:
            context = Context(asked=Asked(), options=Options(cluster=cluster))
            (pull,) = pulls_of(context, [responses])
            assert pull.interval is not None
            said[cluster] = pull.interval.method
    assert said == {
        "both": "clustered by rater and item, t(7)",
        "item": "clustered by item, t(19)",
        "rater": "clustered by rater, t(7)",
        None: "unclustered, t(479)",
    }


def test_one_rater_sees_every_output_at_one_place_only() -> None:
    data = shared()
    mine = [k for k, rater in enumerate(data["rater"]) if rater == "r0"]
    found = analyze({name: [column[k] for k in mine] for name, column in data.items()})
    pull, _ = pull_of(found, "overall")
    assert pull.estimate is None
    assert pull.undefined is not None
