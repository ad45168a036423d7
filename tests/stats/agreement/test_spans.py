"""Agreement of spans: character F1 with partial credit, and its interval."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import t

from jurybox.analysis.api import span_agreement
from jurybox.errors import InputError
from jurybox.results import Result
from jurybox.stats.agreement.spans import pair_score
from jurybox.stats.agreement.spans import span_agreement as from_pairs
from jurybox.stats.clusters import Spread
from jurybox.stats.logits import logit_ends
from jurybox.stats.two_way import variance_of_pairs

POINTS = {"minor": 1, "major": 5}
Span = tuple[int, int, str]
Marked = dict[tuple[str, str, str], list[Span]]
"""The spans of each item, system and rater; none where the output was marked free of errors."""


def table(marked: Marked) -> dict[str, list[Any]]:
    rows: list[tuple[Any, ...]] = []
    for key, spans in marked.items():
        rows += [(*key, *span) for span in spans] or [(*key, None, None, None)]
    names = ("item", "system", "rater", "start", "end", "severity")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def simulated(seed: int, raters: int, items: int = 12) -> Marked:
    draw = random.Random(seed)
    marked: Marked = {}
    for i in range(items):
        for system in ("a", "b"):
            wrong = [(s, s + draw.randint(2, 9)) for s in draw.sample(range(0, 60, 12), 2)]
            for r in range(raters):
                spans = [
                    (max(0, low + draw.randint(-2, 2)), high + draw.randint(1, 3), severity)
                    for low, high in wrong
                    if draw.random() < 0.6
                    for severity in (draw.choice(["minor", "major"]),)
                ]
                marked[(f"i{i}", system, f"r{r}")] = spans
    return marked


def all_pairs(marked: Marked) -> list[tuple[str, str, str, float]]:
    """Character by character, the severest mark on top."""
    found = []
    for one, two in combinations(sorted(marked), 2):
        if one[:2] == two[:2]:
            a, b = (sorted(marked[key], key=lambda s: POINTS[s[2]]) for key in (one, two))
            found.append((one[0], one[2], two[2], pair_score(a, b)))
    return found


def test_by_hand() -> None:
    # a marks 0–4 major and 4–5 minor, b 2–6 major: 2 characters alike, 1 half; 2·2.5/(5 + 4).
    marked: Marked = {
        ("1", "s", "a"): [(0, 4, "major"), (4, 5, "minor")],
        ("1", "s", "b"): [(2, 6, "major")],
        ("2", "s", "a"): [],
        ("2", "s", "b"): [],
        ("3", "s", "a"): [(0, 3, "minor")],
        ("3", "s", "b"): [],
    }
    found = span_agreement(table(marked))
    assert found.estimate == pytest.approx((5 / 9 + 1 + 0) / 3)
    assert (found.n_pairs, found.n_empty, found.n_outputs) == (3, 1, 3)
    assert found.among_marked == pytest.approx(5 / 18)
    assert found.notes[0].startswith("1 of 3 pairs is of two raters who both marked nothing")
    assert span_agreement(table(marked), partial=0).estimate == pytest.approx((4 / 9 + 1) / 3)


@pytest.mark.parametrize("raters", [2, 3, 6])
def test_the_database_against_characters(raters: int) -> None:
    marked = simulated(raters, raters)
    found = span_agreement(table(marked))
    assert found.estimate == pytest.approx(np.mean([pair[3] for pair in all_pairs(marked)]))
    assert found.interval is not None
    few = raters < 5
    assert found.interval.method.startswith("bootstrap of items" if few else "logit, two-way")
    assert ("these raters" in found.interval.generalizes_to) == few


spans = st.lists(
    st.tuples(st.integers(0, 12), st.integers(1, 6), st.sampled_from(["minor", "major"])),
    max_size=4,
).map(lambda found: [(low, low + size, severity) for low, size, severity in found])


@settings(max_examples=12, deadline=None)
@given(spans, spans, spans)
def test_overlapping_spans_in_any_arrangement(a: list[Span], b: list[Span], c: list[Span]) -> None:
    marked: Marked = {
        ("1", "s", "a"): a,
        ("1", "s", "b"): b,
        ("2", "s", "a"): c,
        ("2", "s", "b"): a,
    }
    found = span_agreement(table(marked), n_resamples=10)
    scores = [pair[3] for pair in all_pairs(marked)]
    assert found.estimate == pytest.approx(np.mean(scores))
    assert all(0 <= score <= 1 for score in scores)


@given(spans, spans)
def test_a_pair_is_symmetric_and_agrees_with_itself(a: list[Span], b: list[Span]) -> None:
    assert pair_score(a, b) == pytest.approx(pair_score(b, a))
    assert pair_score(a, a) == 1


def test_the_jackknife_leaves_every_cluster_out_once() -> None:
    pairs = all_pairs(simulated(7, 6))
    found = span_agreement(table(simulated(7, 6)))

    def variance(keys: Any) -> float:
        clusters = sorted({key for pair in pairs for key in keys(pair)})
        theta = [np.mean([p[3] for p in pairs if key not in keys(p)]) for key in clusters]
        g = len(clusters)
        return float((g - 1) / g * ((np.array(theta) - np.mean(theta)) ** 2).sum())

    item = variance(lambda p: {p[0]})
    rater = variance(lambda p: {p[1], p[2]})
    cell = variance(lambda p: {(p[0], p[1]), (p[0], p[2])})
    both, df = variance_of_pairs(item, rater, cell, n_items=12, n_raters=6) or (0, 0)
    spread = Spread(variance=both, df=df, method="", generalizes_to="")
    mean = float(np.mean([pair[3] for pair in pairs]))
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx(
        logit_ends(mean, spread, t.ppf(0.975, df))
    )


def test_fields_are_different_texts() -> None:
    marked = table(
        {("1", "s", "a"): [(0, 4, "minor")], ("1", "s", "b"): [(0, 4, "minor")], **_clean("2")}
    )
    assert span_agreement({**marked, "field": ["x", "x", None, None]}).among_marked == 1
    assert span_agreement({**marked, "field": ["x", "y", None, None]}).among_marked == 0


def _clean(item: str) -> Marked:
    return {(item, "s", "a"): [], (item, "s", "b"): []}


def test_a_span_without_a_place_leaves_its_rater_out_of_the_output() -> None:
    marked = table({**simulated(1, 3, items=4)})
    marked["severity"][0], marked["start"][0] = "minor", None
    first = (marked["item"][0], marked["system"][0], marked["rater"][0])
    kept = {key: value for key, value in simulated(1, 3, items=4).items() if key != first}
    found = span_agreement(marked)
    assert found.estimate == pytest.approx(np.mean([pair[3] for pair in all_pairs(kept)]))
    assert found.n_dropped == 1
    assert found.notes[-1] == "1 marking with a span that has no place left out"


def test_one_rater_per_output_is_undefined() -> None:
    marked: Marked = {("1", "s", "a"): [(0, 4, "minor")], ("2", "s", "b"): []}
    found = span_agreement(table(marked))
    assert found.estimate is None
    assert found.undefined == "every output was marked by one rater only"


def test_what_is_missing_is_said() -> None:
    marked = table(simulated(1, 2))
    unplaced = {name: column for name, column in marked.items() if name not in ("start", "end")}
    assert span_agreement(unplaced).undefined == "the table does not say where spans start and end"
    nobody = {name: column for name, column in marked.items() if name != "rater"}
    assert span_agreement(nobody).undefined == "the table names no raters"
    with pytest.raises(InputError, match="partial must lie between 0 and 1"):
        span_agreement(marked, partial=2)


def test_one_item_and_raters_who_never_differ() -> None:
    one = span_agreement(table({key: v for key, v in simulated(1, 3).items() if key[0] == "i0"}))
    assert one.estimate is not None
    assert (one.interval, one.undefined) == (None, "there is only one item")
    for raters, why in ((2, "resampling items never changes it"), (6, "neither raters nor items")):
        same: Marked = {(f"i{i}", "s", f"r{r}"): [] for i in range(4) for r in range(raters)}
        found = span_agreement(table(same))
        assert found.estimate == 1
        assert found.interval is None
        assert (found.undefined or "").startswith(why)
        assert found.among_marked is None


@dataclass(frozen=True)
class Pairs:
    items: NDArray[Any]
    one: NDArray[Any]
    two: NDArray[Any]
    score: NDArray[Any]
    empty: NDArray[Any]
    n_outputs: int = 2


def test_a_rater_in_every_pair() -> None:
    hub = Pairs(
        items=np.array([0, 0, 1, 1]),
        one=np.array([0, 0, 0, 0]),
        two=np.array([1, 2, 3, 4]),
        score=np.array([0.5, 0.2, 0.8, 0.1]),
        empty=np.zeros(4, dtype=bool),
    )
    found = from_pairs(hub, seed=0)
    assert found.estimate == 0.4
    assert found.undefined == "without one rater or one item no pair is left"
    nobody = np.zeros(0, dtype=int)
    none = Pairs(nobody, nobody, nobody, nobody, nobody, n_outputs=0)
    known = "no output was marked by two raters with known places"
    assert from_pairs(none, seed=0).undefined == known


def test_same_seed_same_result_and_strict_json() -> None:
    marked = table(simulated(1, 3))
    one, two = (span_agreement(marked, seed=4) for _ in range(2))
    assert one == two
    assert Result.from_dict(one.to_dict()) == one


def test_severities_without_points_are_named() -> None:
    marked = simulated(1, 3)
    marked["i0", "a", "r0"] = [(0, 4, "Odd"), (10, 12, "grave")]
    found = span_agreement(table(marked), n_resamples=20)
    assert found.notes[-1] == (
        "grave and odd have no points: where a rater's spans overlap, any other severity "
        "lies on top"
    )
    marked["i0", "a", "r0"] = [(0, 4, "odd")]
    assert span_agreement(table(marked), n_resamples=20).notes[-1].startswith("odd has no points")
    known = span_agreement(table(simulated(1, 3)), n_resamples=20)
    assert not any("no points" in note for note in known.notes)
