"""Traps: tables on which a careless package crashes, or says NaN, 0, 1 or an interval of no width.

Every public statistic meets every small or degenerate table of its shape. The answer is a number
with an honest interval, or a sentence.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jurybox as jb
from jurybox.analysis import Analysis
from jurybox.errors import InputError, JuryboxError
from tests.analysis.trap_tables import (
    FOUR,
    SMALL,
    SMALL_DETECTIONS,
    SMALL_RANKINGS,
    SMALL_SPANS,
    SMALL_VOTES,
    Table,
    ratings,
    votes,
)

FEW: dict[str, Any] = {"n_resamples": 50}


def metric_of(table: Table) -> Table:
    """A metric of every output that a table of ratings has, and of one that it has not."""
    outputs = sorted({*zip(table["item"], table["system"], strict=True), ("other", "s")}, key=str)
    return {
        "item": [item for item, _ in outputs],
        "system": [system for _, system in outputs],
        "overlap": [k * k % 5 for k, _ in enumerate(outputs)],
    }


PROBABILITY = {"1": 0.5, "2": 0.75, "3": 1.0}
Call = tuple[str, Callable[[Table], Any]]
RATINGS: tuple[Call, ...] = (
    ("analyze", lambda t: jb.analyze(t, **FEW)),
    ("mean_scores", jb.mean_scores),
    ("compare_systems", jb.compare_systems),
    ("ordinal_model", jb.ordinal_model),
    *(
        (f"alpha {level}", lambda t, level=level: jb.krippendorff_alpha(t, level=level, **FEW))
        for level in ("nominal", "ordinal", "interval", "ratio")
    ),
    ("fleiss_kappa", lambda t: jb.fleiss_kappa(t, **FEW)),
    ("percent_agreement", lambda t: jb.percent_agreement(t, **FEW)),
    *(
        (f"cohen {weights}", lambda t, w=weights: jb.cohen_kappa(t, weights=w, **FEW))
        for weights in (None, "linear", "quadratic")
    ),
    *(
        (f"gwet {weights}", lambda t, w=weights: jb.gwet_ac(t, weights=w, **FEW))
        for weights in (None, "linear", "quadratic", "ordinal")
    ),
    ("brennan_prediger", lambda t: jb.brennan_prediger(t, **FEW)),
    *(
        (form, lambda t, form=form: jb.icc(t, form=form))
        for form in ("ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)")
    ),
    ("kendall_w", lambda t: jb.kendall_w(t, **FEW)),
    ("rater_pairs", jb.rater_pairs),
    ("rater_quality", jb.rater_quality),
    ("correlate_metrics", lambda t: jb.correlate_metrics(t, metric_of(t), **FEW)),
)
VOTES: tuple[Call, ...] = (
    ("analyze", lambda t: jb.analyze(t, **FEW)),
    *(
        (f"win_rates {ties}", lambda t, ties=ties: jb.win_rates(t, ties=ties))
        for ties in ("half", "drop", "outcome")
    ),
    *(
        (f"bradley_terry {ties}", lambda t, ties=ties: jb.bradley_terry(t, ties=ties))
        for ties in ("davidson", "rao_kupper", "half", "drop")
    ),
    ("bradley_terry unclustered", lambda t: jb.bradley_terry(t, cluster=None)),
    ("elo", lambda t: jb.elo(t)),
    ("fleiss_kappa", lambda t: jb.fleiss_kappa(t, **FEW)),
    ("cohen_kappa", lambda t: jb.cohen_kappa(t, **FEW)),
)
RANKINGS: tuple[Call, ...] = (
    ("analyze", lambda t: jb.analyze(t, **FEW)),
    ("plackett_luce", jb.plackett_luce),
    ("kendall_w", lambda t: jb.kendall_w(t, **FEW)),
)
DETECTIONS: tuple[Call, ...] = (
    ("analyze", lambda t: jb.analyze(t, **FEW)),
    ("turing_test", jb.turing_test),
    ("calibration", lambda t: jb.calibration(t, probability=PROBABILITY)),
)
SPANS: tuple[Call, ...] = (
    ("analyze", lambda t: jb.analyze(t, **FEW)),
    ("span_scores", jb.span_scores),
)


def _numbers(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        if {"low", "high", "confidence"} <= set(value):
            yield f"{path}: interval", (float(value["low"]), float(value["high"]))
        for name, part in value.items():
            yield from _numbers(part, f"{path}.{name}")
    elif isinstance(value, list):
        for k, part in enumerate(value):
            yield from _numbers(part, f"{path}[{k}]")
    elif isinstance(value, float):
        yield path, value


def check(call: Callable[[Table], Any], table: Table) -> None:
    """The answer is honest: strict JSON, no NaN, no interval of no width, a reason for a gap."""
    try:
        found = call(table)
    except JuryboxError as error:
        said = str(error)
        assert len(said) > 10
        assert "\n" not in said
        return
    data = found.to_dict()
    json.dumps(data, allow_nan=False)
    for path, value in _numbers(data):
        if isinstance(value, tuple):
            # A comparison with NaN is false, so this finds it too.
            assert value[0] < value[1], f"{path} has no width: {value}"
        else:
            assert not math.isnan(value), path
    assert str(found)


TWO, XYZ, ABC = (tuple(enumerate(names)) for names in ("ab", "xyz", "abc"))
CASES = [
    pytest.param(call, table, id=f"{name} of {trap}")
    for calls, tables in (
        (RATINGS, SMALL),
        (VOTES, SMALL_VOTES),
        (RANKINGS, SMALL_RANKINGS),
        (DETECTIONS, SMALL_DETECTIONS),
        (SPANS, SMALL_SPANS),
    )
    for trap, table in tables.items()
    for name, call in calls
]


@pytest.mark.parametrize(("call", "table"), CASES)
def test_a_trap_gets_a_number_with_its_interval_or_a_sentence(
    call: Callable[[Table], Any], table: Table
) -> None:
    check(call, table)


SINGLE: tuple[tuple[str, Callable[[], Any]], ...] = (
    *(
        (f"win_rates {ties}", lambda ties=ties: jb.win_rates(SMALL_VOTES["one vote"], ties=ties))
        for ties in ("half", "drop", "outcome")
    ),
    ("pass rate", lambda: jb.mean_scores(SMALL["one response"], pass_mark=2)),
    ("share at the worst value", lambda: jb.mean_scores(SMALL["one response"], robustness=True)),
    ("turing_test", lambda: jb.turing_test(SMALL_DETECTIONS["only one of each"])),
    ("analyze a vote", lambda: jb.analyze(SMALL_VOTES["one vote"])),
    ("analyze a tie", lambda: jb.analyze(SMALL_VOTES["one tie"])),
    ("analyze a rating", lambda: jb.analyze(SMALL["one response"])),
    ("analyze a ranking", lambda: jb.analyze(SMALL_RANKINGS["one ranking"])),
    ("analyze a detection", lambda: jb.analyze(SMALL_DETECTIONS["only one of each"])),
    *(
        (f"{each.__name__} of {trap}", lambda each=each, trap=trap: each(SMALL[trap], **FEW))
        for each in (jb.percent_agreement, jb.fleiss_kappa, jb.gwet_ac, jb.cohen_kappa)
        for trap in ("one pair that agrees", "one pair that differs")
    ),
)


def _shares(value: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every result that is a share or a coefficient of agreement."""
    if isinstance(value, dict):
        if "estimate" in value and ("what" in value or "statistic" in value):
            yield path, value
        for name, part in value.items():
            yield from _shares(part, f"{path}.{name}")
    elif isinstance(value, list):
        for k, part in enumerate(value):
            yield from _shares(part, f"{path}[{k}]")


@pytest.mark.parametrize("call", [call for _, call in SINGLE], ids=[name for name, _ in SINGLE])
def test_one_observation_is_neither_all_nor_none(call: Callable[[], Any]) -> None:
    found = call()
    data = json.loads(json.dumps(found.to_dict()))
    for path, each in _shares(data):
        assert each["estimate"] is None, path
        assert each["undefined"], path
    if isinstance(found, Analysis):
        for said in (finding.sentence for finding in found.findings):
            assert " –" not in said
            assert not said.startswith("–")
        for table in data["tables"]:
            kinds = {column["name"]: column["kind"] for column in table["columns"]}
            for row in table["rows"]:
                shares = [row[name] for name, kind in kinds.items() if kind == "percent"]
                assert not {0, 1} & set(shares), table["id"]
    else:
        assert "single" in str(found) or "only one" in str(found) or "same value" in str(found)


@pytest.mark.parametrize("call", [call for _, call in RATINGS], ids=[name for name, _ in RATINGS])
def test_an_empty_table_is_refused(call: Callable[[Table], Any]) -> None:
    with pytest.raises(InputError, match="no rows"):
        call(ratings([]))


@pytest.mark.parametrize("call", [call for _, call in VOTES], ids=[name for name, _ in VOTES])
def test_an_unknown_winner_lists_the_values_and_is_no_tie(call: Callable[[Table], Any]) -> None:
    with pytest.raises(InputError, match="winner must be one of a, b, tie, both_bad; got 'draw'"):
        call(votes([("q", "a", "b", "r", "draw"), ("p", "a", "b", "r", "a")]))


def _alike(one: Any, two: Any, path: str = "") -> Iterator[str]:
    """Where two results differ by more than rounding."""
    if isinstance(one, dict) and isinstance(two, dict) and set(one) == set(two):
        for name, part in one.items():
            yield from _alike(part, two[name], f"{path}.{name}")
    elif isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        for k, parts in enumerate(zip(one, two, strict=True)):
            yield from _alike(*parts, f"{path}[{k}]")
    elif isinstance(one, float) and isinstance(two, float):
        if not math.isclose(one, two, rel_tol=1e-9, abs_tol=1e-12):
            yield f"{path}: {one} and {two}"
    elif one != two:
        yield f"{path}: {one} and {two}"


def _said(call: Callable[[Table], Any], table: Table) -> Any:
    try:
        return json.loads(json.dumps(call(table).to_dict()))
    except InputError as error:
        return str(error)


ROUNDED = {
    # Two systems with the same scores on every item.
    "no difference": [
        (i, s, r, (i * 5 + 3 * j) % 7 / 10) for i in FOUR for s in "ab" for j, r in XYZ
    ],
    "one value a system": [(i, s, r, 0.3 + 0.4 * k) for i in FOUR for k, s in TWO for r in "xyz"],
    "below and above zero": [
        (i, s, r, (-0.1, 0.0, 0.3)[(i * i + j + i * k) % 3])
        for i in range(6)
        for k, s in TWO
        for j, r in XYZ
    ],
}
WITHOUT_RATERS = {
    "compare_systems": jb.compare_systems,
    "compare_systems by item": lambda t: jb.compare_systems(t, cluster="item"),
}


@pytest.mark.parametrize("rows", ROUNDED.values(), ids=ROUNDED)
@pytest.mark.parametrize("call", [call for _, call in RATINGS], ids=[name for name, _ in RATINGS])
def test_rounding_noise_in_scores_moves_no_figure(
    call: Callable[[Table], Any], rows: list[tuple[Any, Any, Any, Any]]
) -> None:
    # 0.1 + 0.2 beside 0.3, and 0.1 + 0.2 - 0.3 beside 0: one unit in the last place, up or down.
    def moved(item: int, score: float) -> float:
        sign = -1.0 if item % 2 else 1.0
        return math.nextafter(score, sign * math.inf) if score else sign * 5.5e-17

    noisy = [
        (item, system, rater, moved(item, score) if system == "b" else score)
        for item, system, rater, score in rows
    ]
    assert noisy != rows
    clean, found = (_said(call, ratings(each)) for each in (rows, noisy))
    assert list(_alike(clean, found)) == []


@pytest.mark.parametrize("call", WITHOUT_RATERS.values(), ids=WITHOUT_RATERS)
def test_the_same_scores_in_another_order_do_not_differ(call: Callable[[Table], Any]) -> None:
    # (0.1 + 0.2) + 0.3 is not 0.1 + (0.2 + 0.3) in the sixteenth digit, and means follow.
    scores = (0.1, 0.2, 0.3, 0.7)
    rows = [
        (i, s, r, scores[(i + j * (1 if s == "a" else 3)) % 4])
        for i in range(6)
        for s in "ab"
        for j, r in enumerate("wxyz")
    ]
    table = ratings(rows)
    del table["rater"]
    (row,) = call(table).rows
    assert (row.estimate, row.interval, row.p) == (0.0, None, None)
    assert row.undefined == "the 6 items do not vary"


few, name, rater = st.integers(0, 3), st.sampled_from("abc"), st.sampled_from("xyz")
any_ratings = st.lists(
    st.tuples(few, name, rater, st.integers(1, 3)),
    min_size=1,
    max_size=14,
    unique_by=lambda row: row[:3],
)
any_votes = st.lists(
    st.tuples(few, name, name, rater, st.sampled_from(["a", "b", "tie", "both_bad"])),
    min_size=1,
    max_size=14,
    unique_by=lambda row: (row[0], *sorted(row[1:3]), row[3]),
)


@settings(max_examples=6)
@given(any_ratings)
def test_any_small_table_of_ratings(rows: list[tuple[Any, Any, Any, Any]]) -> None:
    for _, call in RATINGS:
        check(call, ratings(rows))


@settings(max_examples=6)
@given(any_votes)
def test_any_small_table_of_votes(rows: list[tuple[Any, Any, Any, Any, Any]]) -> None:
    for _, call in VOTES:
        check(call, votes(rows))


@pytest.mark.full
@given(any_ratings, any_votes)
def test_very_many_small_tables(
    scores: list[tuple[Any, Any, Any, Any]], choices: list[tuple[Any, Any, Any, Any, Any]]
) -> None:
    for _, call in RATINGS:
        check(call, ratings(scores))
    for _, call in VOTES:
        check(call, votes(choices))
