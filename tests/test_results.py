"""Results print, draw, save and reload themselves."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace

import pytest

import jurybox as jb
from jurybox.errors import InputError
from jurybox.results import (
    Interval,
    Result,
    ResultTable,
    format_interval,
    format_number,
    format_p,
    format_percent,
    printed_alike,
)

VOTES = {
    "item": [1, 1, 2, 2, 3, 3],
    "system_a": ["new"] * 6,
    "system_b": ["old"] * 6,
    "rater": ["ada", "ben"] * 3,
    "winner": ["a", "b", "tie", "a", "a", "a"],
}
RATINGS = {
    "item": [1, 1, 2, 2, 3, 3] * 2,
    "system": ["new"] * 6 + ["<old>"] * 6,
    "rater": ["ada", "ben"] * 6,
    "score": [5, 4, 4, 4, 5, 3, 3, 2, 4, 3, 3, 3],
}
DETECTIONS = {
    "item": list(range(40)) * 2,
    "system": (["photo"] * 20 + ["model"] * 20) * 2,
    "rater": ["ada"] * 40 + ["ben"] * 40,
    "truth": (["real"] * 20 + ["generated"] * 20) * 2,
    "answer": (["real"] * 15 + ["generated"] * 20 + ["real"] * 5) * 2,
}
EVERY: list[Result | ResultTable] = [
    jb.win_rates(VOTES),
    jb.bradley_terry(VOTES),
    jb.bradley_terry(VOTES, ties="half"),
    jb.mean_scores(RATINGS),
    jb.compare_systems(RATINGS),
    jb.krippendorff_alpha(RATINGS, level="ordinal"),
    jb.cohen_kappa(RATINGS),
    jb.turing_test(DETECTIONS),
]
IDS = [type(each).__name__ for each in EVERY]


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (-0.25, "−0.250"),
        (1234.5, "1,234.500"),
        (-1e-9, "0.000"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
    ],
)
def test_numbers(value: float, printed: str) -> None:
    assert format_number(value) == printed


@pytest.mark.parametrize(
    ("p", "printed"),
    [
        (0.0496, "p = 0.0496"),
        (0.05, "p = 0.050"),
        (0.04999999, "p = 0.050"),
        (0.0009, "p < 0.001"),
        (1.0, "p = 1.000"),
        (None, "p –"),
    ],
)
def test_p_values(p: float | None, printed: str) -> None:
    assert format_p(p) == printed


def test_estimate_and_bounds_have_the_same_digits() -> None:
    interval = Interval(low=0.1, high=0.25, confidence=0.9, method="t")
    assert format_interval(interval) == "0.100 to 0.250"
    assert format_interval(interval, percent=True) == "10.0 to 25.0"
    assert format_interval(None) == "–"
    assert format_percent(None) == "–"


def test_an_interval_is_not_turned_around() -> None:
    with pytest.raises(InputError, match="low must not exceed high, got 1 and 0"):
        Interval(low=1, high=0, confidence=0.95, method="t")


def test_a_missing_number_needs_its_reason() -> None:
    with pytest.raises(InputError, match="a missing estimate needs its reason"):
        Result(estimate=None)
    with pytest.raises(InputError, match="NaN is not an estimate"):
        Result(estimate=math.nan)


@pytest.mark.parametrize("result", EVERY, ids=IDS)
def test_json_brings_it_back(result: Result | ResultTable) -> None:
    text = json.dumps(result.to_dict(), allow_nan=False)
    back = type(result).from_dict(json.loads(text))
    assert back == result
    assert hash(back) == hash(result)
    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301 - what was just written


def test_an_infinite_bound_is_strict_json() -> None:
    interval = Interval(low=0.5, high=math.inf, confidence=0.95, method="profile")
    result = Result(estimate=1.0, interval=interval)
    assert result.to_dict()["interval"]["high"] == "inf"
    assert Result.from_dict(json.loads(json.dumps(result.to_dict()))) == result


def test_from_dict_refuses_what_it_does_not_know() -> None:
    data = EVERY[0].to_dict()
    with pytest.raises(InputError, match="there is no ResultTable of kind 'Nonsense'"):
        ResultTable.from_dict({**data, "kind": "Nonsense"})
    with pytest.raises(InputError, match="version must be 1, got 99"):
        ResultTable.from_dict({**data, "version": 99})
    with pytest.raises(InputError, match="expected a BradleyTerry, got a WinRates"):
        type(EVERY[1]).from_dict(data)


@pytest.mark.parametrize("result", EVERY, ids=IDS)
def test_it_prints_itself(result: Result | ResultTable) -> None:
    assert "\n" not in repr(result)
    assert "nan" not in str(result).lower()
    assert result.to_markdown().strip()
    html = result._repr_html_()
    assert "<old>" not in html


def test_no_kind_of_table_writes_every_field_of_every_row() -> None:
    below = [kind for sub in ResultTable.__subclasses__() for kind in (sub, *sub.__subclasses__())]
    assert type(jb.bradley_terry(VOTES)) in below
    assert all(kind.__repr__ is ResultTable.__repr__ for kind in below)


def test_a_table_by_name_and_as_columns() -> None:
    found = jb.mean_scores(RATINGS)
    assert len(found) == 2
    assert found["new"].estimate == pytest.approx(25 / 6)
    with pytest.raises(InputError, match="there is no row 'newer'; there are new, <old>"):
        found["newer"]
    frame = found.to_frame()
    start = ["system", "criterion", "estimate", "low", "high", "p", "n_responses"]
    assert list(frame.columns[:7]) == start
    assert frame["estimate"].tolist() == [found["new"].estimate, found["<old>"].estimate]


def test_str_of_a_table() -> None:
    printed = str(jb.win_rates(VOTES)).splitlines()
    assert printed[0] == "win rate"
    assert printed[1].split() == [*"estimate 95% interval for these raters p n".split()]
    assert printed[2].split()[:2] == ["new", "75.0%"]


def test_markdown_of_a_table() -> None:
    lines = jb.mean_scores(RATINGS).to_markdown().splitlines()
    assert lines[0] == "|  | estimate | 95% interval | for these raters | n |"
    assert lines[1] == "| --- | ---: | ---: | ---: | ---: |"
    assert "- intervals hold for raters and items like these, or for these raters alone" in lines
    assert lines[-1] == "- only 2 raters carry the interval: more raters would narrow it"


def test_an_undefined_result_prints_its_reason() -> None:
    none = Result(estimate=None, undefined="there are no votes")
    assert none.short() == "undefined: there are no votes"
    alike = Result(estimate=100.0, undefined="neither raters nor items vary")
    assert alike.short() == "100.0 (no interval: neither raters nor items vary)"
    bare = Result(estimate=1.0, undefined="there is only one rater")
    assert bare.short() == "1.000 (no interval: there is only one rater)"
    empty = ResultTable(rows=(), undefined="there are no votes")
    assert str(empty) == "results: undefined: there are no votes"


def test_charts_are_altair() -> None:
    import altair as alt

    found = jb.win_rates(VOTES)
    chart = found.chart()
    assert isinstance(chart, alt.LayerChart)
    values = json.dumps(chart.to_dict())
    assert '"new"' in values
    one = replace(found.rows[0], interval=None, undefined="not asked")
    assert one.chart().to_dict()
    assert jb.bradley_terry(VOTES).chart().to_dict()


def test_the_ends_of_a_much_narrower_interval_are_told_apart() -> None:
    wide = Interval(low=-3.0, high=3.0, confidence=0.95, method="t")
    narrow = Interval(low=-0.0498, high=0.0483, confidence=0.95, method="t")
    found = Result(estimate=-0.0008, interval=wide, these_raters=narrow)
    assert found.ends(wide) == "−3.0 to 3.0"
    # With one digit both would be 0.0.
    assert found.ends(narrow) == "−0.05 to 0.05"


def test_numbers_of_one_table_are_printed_alike() -> None:
    def row(low: float, high: float) -> Result:
        interval = Interval(low=low, high=high, confidence=0.95, method="t")
        return Result(estimate=(low + high) / 2, interval=interval)

    wide, narrow = row(-1.4, 1.8), row(-0.25, 0.35)
    assert [each.format(each.estimate) for each in (wide, narrow)] == ["0.20", "0.050"]
    alike = printed_alike([wide, narrow])
    assert [each.format(each.estimate) for each in alike] == ["0.200", "0.050"]
    assert alike[0].short() == "0.200 (−1.400 to 1.800)"
    # It is how they are printed, not what they are.
    assert alike == [wide, narrow]
    assert alike[0].to_dict() == wide.to_dict()
    lone = Result(estimate=4.0, undefined="neither raters nor items vary")
    assert [each.digits for each in printed_alike([lone, wide])] == [2, 2]
    assert [each.digits for each in printed_alike([lone])] == [lone.digits]
