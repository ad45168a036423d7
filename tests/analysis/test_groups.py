"""Results by rater group: exploratory, beside a headline that is pooled over all raters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jurybox as jb
from jurybox import analyze
from jurybox.analysis.finding import Analysis, Finding
from jurybox.errors import InputError
from jurybox.results import ResultTable
from jurybox.stats.groups import GroupDifference
from jurybox.stats.multiple import benjamini_hochberg
from jurybox.study.model import RaterId
from tests.analysis.small_study import planned

Rows = dict[str, list[Any]]


def ratings(*, lift: float = 1.0, n_items: int = 15, group: str = "group") -> Rows:
    """Four experts and eight of the crowd; experts score new higher by ``lift``."""
    rng = np.random.default_rng(4)
    rows: Rows = {name: [] for name in ("item", "system", "rater", "score", group)}
    for rater in range(12):
        of = "expert" if rater < 4 else "crowd"
        for item in range(n_items):
            for system in ("new", "old"):
                raised = lift * (system == "new" and of == "expert")
                score = float(np.clip(np.rint(rng.normal(3 + raised, 0.8)), 1, 5))
                for name, value in zip(
                    rows, (f"i{item}", system, f"r{rater}", score, of), strict=True
                ):
                    rows[name].append(value)
    return rows


def by_group(found: Analysis) -> list[Finding]:
    return [one for one in found.findings if one.id.startswith("groups/")]


def rows_of(found: Analysis, table: str) -> list[tuple[Any, ...]]:
    made = found.table(table)
    assert made is not None
    return list(made.rows)


def test_a_column_group_gives_results_by_group() -> None:
    table = ratings()
    found = analyze(table)
    means = {(row[0], row[1]): row[2] for row in rows_of(found, "groups/overall")}
    for system in ("new", "old"):
        for group in ("crowd", "expert"):
            chosen = [
                score
                for score, s, g in zip(table["score"], table["system"], table["group"], strict=True)
                if (s, g) == (system, group)
            ]
            assert means[system, group] == pytest.approx(np.mean(chosen))
    differences = {row[0]: row for row in rows_of(found, "group_differences/overall")}
    assert differences["new"][3] == pytest.approx(means["new", "crowd"] - means["new", "expert"])
    ps = [row[5] for row in differences.values()]
    assert [row[6] for row in differences.values()] == list(benjamini_hochberg(ps))
    agreement = [row[0] for row in rows_of(found, "group_agreement/overall")]
    assert agreement == ["within crowd", "within expert", "crowd with expert"]


def test_looks_at_groups_are_exploratory_and_the_headline_stays_pooled() -> None:
    table = ratings()
    found = analyze(table)
    plain = analyze({name: values for name, values in table.items() if name != "group"})
    assert found.headline == plain.headline
    assert [f for f in found.findings if not f.id.startswith("groups/")] == list(plain.findings)
    assert {one.standing for one in by_group(found)} == {"exploratory"}
    (new, old) = (f for f in by_group(found) if isinstance(f.result, GroupDifference))
    assert new.sentence.startswith("By rater group, the mean score of new on overall is ")
    assert "by Benjamini–Hochberg over 2 comparisons of groups" in new.sentence
    assert not any(word in new.sentence for word in ("better", "higher", "significant"))
    assert old.result.p_adjusted is not None  # type: ignore[attr-defined]
    assert any(
        "the headline and all other results are pooled over all" in one for one in found.took
    )


def test_any_column_may_tell_the_group() -> None:
    table = ratings(group="language")
    assert by_group(analyze(table)) == []
    assert by_group(analyze(table, by="language")) == by_group(analyze(ratings()))
    with pytest.raises(InputError, match="by='tongue' needs a column of that name; the table has"):
        analyze(table, by="tongue")


def test_a_column_that_is_not_of_raters_is_left_alone() -> None:
    table = ratings()
    table["group"] = [f"topic {item[-1]}" for item in table["item"]]
    found = analyze(table)
    assert by_group(found) == []
    said = "no results by group: 12 raters answered in several groups, and a rater is of one"
    assert said in found.took


def test_one_group_is_not_compared_and_raters_without_one_are_counted() -> None:
    table = ratings()
    table["group"] = ["crowd" if group == "crowd" else "" for group in table["group"]]
    found = analyze(table)
    assert by_group(found) == []
    assert "every rater with a group is of crowd, so groups are not compared" in found.took
    table["group"] = [
        "solo" if rater == "r0" else group
        for rater, group in zip(table["rater"], table["group"], strict=True)
    ]
    found = analyze(table)
    assert "solo has one rater only: what it says holds for this rater" in found.warnings
    assert "3 raters without a group count in no result by group" in found.warnings
    assert len(by_group(found)) == 3


def test_groups_without_common_items_get_their_sentence() -> None:
    table = ratings()
    keep = [
        (int(item[1:]) < 7) == (group == "expert")
        for item, group in zip(table["item"], table["group"], strict=True)
    ]
    table = {
        name: [v for v, kept in zip(values, keep, strict=True) if kept]
        for name, values in table.items()
    }
    sentences = [one.sentence for one in by_group(analyze(table))]
    assert sentences[0] == (
        "The difference between crowd and expert in the mean score of new on overall is "
        "undefined: no item was judged by both crowd and expert."
    )
    assert sentences[-1] == (
        "How far crowd and expert agree on overall is undefined: no output was judged by both."
    )


def test_words_have_no_mean_but_agreement() -> None:
    table = ratings()
    table["score"] = ["good" if score > 3 else "poor" for score in table["score"]]
    found = analyze(table)
    assert found.table("groups/overall") is None
    assert len(by_group(found)) == 1
    assert "overall: the answers are words, so groups have no mean scores" in found.took


def other_shapes() -> dict[str, Rows]:
    rng = np.random.default_rng(8)
    raters = [(f"r{n}", "a" if n < 3 else "b") for n in range(7)]
    each = [(f"i{i}", rater, group) for i in range(6) for rater, group in raters]
    items, names, groups = (list(column) for column in zip(*each, strict=True))
    n = len(each)

    def pick(words: list[str]) -> list[str]:
        return [words[k] for k in rng.integers(0, len(words), size=n)]

    base = {"item": items, "rater": names, "group": groups}
    two = {key: [v for v in values for _ in range(2)] for key, values in base.items()}
    first = rng.integers(1, 3, size=n).tolist()
    return {
        "win rate of new over old": {
            **base, "system_a": ["new"] * n, "system_b": ["old"] * n,
            "winner": pick(["a", "b", "tie"]),
        },
        "share ranked first of new": {
            **two, "system": ["new", "old"] * n,
            "rank": [rank for place in first for rank in (place, 3 - place)],
        },
        "share picked of new": {
            **{key: [v for v in values for _ in range(3)] for key, values in base.items()},
            "system": ["new", "old", "other"] * n,
            "rank": [rank for place in first for rank in ((1, 2, 2) if place == 1 else (2, 1, 2))],
        },
        "share taken for real of model": {
            **base, "system": ["model" if i % 2 else "camera" for i in range(n)],
            "truth": ["generated" if i % 2 else "real" for i in range(n)],
            "answer": pick(["real", "generated"]),
        },
        "error points of new": {
            **base, "system": ["new"] * n, "criterion": ["errors"] * n,
            "severity": pick(["minor", "major"]), "category": ["accuracy"] * n,
            "start": [0] * n, "end": [3] * n, "field": ["text"] * n,
        },
    }  # fmt: skip


@pytest.mark.parametrize("about", list(other_shapes()))
def test_every_shape_has_a_figure_by_group(about: str) -> None:
    found = analyze(other_shapes()[about])
    sentences = [one.sentence for one in by_group(found)]
    assert any(f"the {about} on " in sentence for sentence in sentences), sentences
    (made,) = (one for one in found.tables if one.id.startswith("group_differences/"))
    unit = "" if about.startswith("error points") else ", points"  # shares differ by points
    assert made.columns[3].heading == f"Difference{unit}"


def test_a_study_with_groups_is_analyzed_by_group(tmp_path: Path) -> None:
    raters = {"groups": {"expert": {"quota": 3, "overlap": 1}, "crowd": 6}, "each": True}
    with planned(tmp_path, raters=raters, access={"invited": True}) as store:
        found = analyze(store)
        assert set(store.table("ratings")["group"]) == {"expert", "crowd"}
    counts = {(row[0], row[1]): (row[4], row[5]) for row in rows_of(found, "groups/overall")}
    # 8 items: every one answered once by 3 experts and twice by 6 of the crowd.
    assert counts["system-0", "expert"] == (3, 8)
    assert counts["system-0", "crowd"] == (6, 16)


def test_a_survey_answer_tells_the_group_of_a_study(tmp_path: Path) -> None:
    survey = {"age": {"question": "How old?", "choices": ["young", "old"]}}
    with planned(tmp_path, survey=survey) as store:
        for number, rater in enumerate(store.raters()):
            answer = "young" if number % 2 else "old"
            store.update_rater(RaterId(rater.id), survey={"age": answer})
        found = analyze(store, by="age")
        assert {row[1] for row in rows_of(found, "groups/overall")} == {"young", "old"}
        assert by_group(analyze(store)) == []
        with pytest.raises(InputError, match="by='sex' is no question of the study's survey; ther"):
            analyze(store, by="sex")


def test_the_public_function_gives_what_the_analysis_shows() -> None:
    table = ratings(group="kind")
    found = jb.compare_groups(table, by="kind")
    shown = rows_of(analyze(table, by="kind"), "group_differences/overall")
    assert [(r.of, r.group, r.other, r.estimate, r.p, r.p_adjusted) for r in found.rows] == [
        (*row[:4], *row[5:7]) for row in shown
    ]
    assert ResultTable.from_dict(found.to_dict()) == found


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"group": ["a"] * 360}, "needs two groups of raters; by='group' has a"),
        ({"group": [""] * 360}, "needs two groups of raters; by='group' has none"),
        ({"group": ["a", "b"] * 180}, "by='group': 12 raters answered in several groups"),
    ],
)
def test_what_cannot_be_compared_is_refused(change: Rows, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        jb.compare_groups({**ratings(), **change})


def test_captions_say_where_intervals_end_and_for_whom_they_hold() -> None:
    # Four experts, of whom all but one give new nearly always the top of the scale.
    table = ratings(lift=3.0)
    for k, (rater, system) in enumerate(zip(table["rater"], table["system"], strict=True)):
        if rater == "r0" and system == "new":
            table["score"][k] = 3.0
    found = analyze(jb.mapped(table, scale=[1, 2, 3, 4, 5]))
    shown, agreed = found.table("groups/overall"), found.table("group_agreement/overall")
    assert shown is not None
    assert agreed is not None
    assert 5.0 in [row[3][1] for row in shown.rows]
    assert shown.caption.endswith(
        "No interval leaves the scale, as no mean can: it ends at 1 or 5."
    )
    assert agreed.caption.endswith("So does that within expert, who are fewer than five raters.")
    without = analyze(table).table("groups/overall")
    assert without is not None
    assert "scale" not in without.caption
