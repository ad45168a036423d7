"""``analyze`` on tables of every shape, and on every degenerate one."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from jurybox.analysis import Analysis, Column, Table, analyze
from jurybox.analysis.finding import CellKind, format_cells, format_rows
from jurybox.errors import InputError

Columns = dict[str, list[Any]]


def table(names: str, rows: list[tuple[Any, ...]]) -> Columns:
    return dict(zip(names.split(), map(list, zip(*rows, strict=True)), strict=True))


def ratings(seed: int = 1) -> Columns:
    draw = random.Random(seed)
    level = {"good": 1.5, "fair": 0.0, "equal": 0.0}
    return table(
        "item system rater criterion score",
        [
            (f"i{i}", s, f"r{r}", c, min(5, max(1, round(3 + level[s] + draw.gauss(0, 0.8)))))
            for i in range(12)
            for s in level
            for r in range(6)
            for c in ("quality", "realism")
        ],
    )


def votes(seed: int = 1) -> Columns:
    draw = random.Random(seed)
    rows = []
    for i in range(15):
        for r in range(10):
            a, b = draw.sample(["best", "mid", "low"], 2)
            gap = {"best": 1.5, "mid": 0, "low": -0.2}
            p = 1 / (1 + 2.718 ** (gap[b] - gap[a]))
            winner = draw.choices(["a", "b", "tie", "both_bad"], [p, 1 - p, 0.15, 0.05])[0]
            rows.append((f"i{i}", a, b, f"r{r}", winner, draw.choice("ab")))
    return table("item system_a system_b rater winner first", rows)


def rankings() -> Columns:
    draw = random.Random(1)
    rows = []
    for i in range(12):
        for r in range(6):
            order = sorted("xyz", key=lambda s: {"x": 0, "y": 1, "z": 1}[s] + draw.gauss(0, 1))
            rows += [(f"i{i}", f"r{r}", s, k + 1) for k, s in enumerate(order)]
    return table("item rater system rank", rows)


def detections() -> Columns:
    draw = random.Random(1)
    rows = []
    for i in range(24):
        kind = ("photo", "real", 0.85) if i % 2 else ("model", "generated", 0.3)
        for r in range(6):
            answer = "real" if draw.random() < kind[2] else "generated"
            rows.append((f"i{i}", kind[0], f"r{r}", kind[1], answer))
    return table("item system rater truth answer", rows)


def spans() -> Columns:
    draw = random.Random(1)
    rows: list[tuple[Any, ...]] = []
    for i in range(12):
        for s, n in (("mt", 2), ("human", 0)):
            for r in range(5):
                found = [draw.choice(["minor", "major"]) for _ in range(draw.randint(0, n + 1))]
                marks: list[tuple[str | None, str | None]] = [("accuracy", each) for each in found]
                marks = marks or [(None, None)]
                rows += [(f"i{i}", s, f"r{r}", *mark) for mark in marks]
    return table("item system rater category severity", rows)


EVERY = {
    "rate": ratings(),
    "compare": votes(),
    "rank": rankings(),
    "detect": detections(),
    "mark": spans(),
}


@pytest.mark.parametrize("protocol", EVERY)
def test_every_shape_gives_findings_tables_and_strict_json(protocol: str) -> None:
    found = analyze(EVERY[protocol])
    assert found.protocol == protocol
    assert found.headline is not None
    assert found.headline is found.findings[0]
    assert len({f.id for f in found.findings}) == len(found.findings)
    assert len({t.id for t in found.tables}) == len(found.tables)
    for finding in found.findings:
        assert finding.sentence.endswith(".")
        assert "None" not in finding.sentence
        assert "nan" not in finding.sentence.lower().split()
        if finding.result.interval is not None:
            assert "interval" in finding.sentence
    for each in found.tables:
        assert all(len(row) == len(each.columns) for row in each.rows)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (data["kind"], data["version"]) == ("Analysis", 1)
    assert data["headline"] == found.headline.id
    assert found.to_markdown().startswith(f"# {found.title}\n")
    assert analyze(EVERY[protocol]) == found


def sentences(found: Analysis) -> str:
    return "\n".join(finding.sentence for finding in found.findings)


def test_ratings_tell_the_good_system_and_not_the_equal_ones() -> None:
    found = analyze(ratings())
    told = {f.systems for f in found.findings if f.told and len(f.systems) == 2}
    assert {("good", "fair"), ("good", "equal")} <= told
    untold = [f for f in found.untold if set(f.systems) == {"fair", "equal"}]
    assert len(untold) == 2  # one per criterion
    assert "are not told apart on quality: the difference is" in untold[0].sentence
    assert "by max-t" in untold[0].sentence
    scores = found.table("mean_scores/quality")
    assert scores is not None
    assert scores.rows[0][0] == "good"
    assert "quality: the level is not stated; numbers are taken as ordinal" in found.took


def test_without_a_primary_contrast_all_pairs_are_one_family() -> None:
    found = analyze(ratings())
    one = analyze(ratings(), criterion="quality")
    both = {f.id: f.result for f in found.findings if f.id.startswith("difference/quality")}
    alone = {f.id: f.result for f in one.findings if f.id.startswith("difference/quality")}
    assert both.keys() == alone.keys()
    for name, result in both.items():
        assert result.p == pytest.approx(alone[name].p, rel=1e-9)
        assert result.p_adjusted >= alone[name].p_adjusted  # type: ignore[attr-defined]  # differences


def test_votes_say_wins_strengths_ties_and_the_pull_of_the_first_place() -> None:
    found = analyze(votes())
    said = sentences(found)
    assert "best wins" in said
    assert "end in a tie" in said
    assert "call both bad" in said
    assert "first-shown advantage" in said or "shown first" in said
    assert any(set(f.systems) == {"mid", "low"} for f in found.untold)
    rates = found.table("win_rates/preference")
    assert rates is not None
    assert [c.name for c in rates.columns] == [
        *("system", "win_rate", "interval", "ties", "both_bad"),
        *("strength", "strength_interval", "ranks", "votes"),
    ]


def test_rankings_say_who_is_first_and_what_is_not_told() -> None:
    found = analyze(rankings())
    assert "x is ranked first in" in sentences(found)
    assert any(set(f.systems) == {"y", "z"} for f in found.untold)


def test_detections_never_claim_indistinguishable() -> None:
    found = analyze(detections())
    assert found.headline is not None
    assert found.headline.sentence.startswith("Raters tell model from real: its outputs pass")
    assert "beside a false-rejection rate of" in sentences(found)
    same = detections()
    draw = random.Random(3)
    same["answer"] = [draw.choice(["real", "generated"]) for _ in same["answer"]]
    head = analyze(same).headline
    assert head is not None
    assert "It is open whether raters tell model from real: " in head.sentence


def test_spans_count_clean_outputs() -> None:
    found = analyze(spans())
    points = found.table("points/errors")
    assert points is not None
    assert points.rows[0][0] == "human"
    assert all(row[3] == 60 for row in points.rows)  # 12 items × 5 raters, clean or not
    assert found.headline is not None
    assert "error points fewer per output than mt" in found.headline.sentence


def test_words_have_no_mean_but_agreement() -> None:
    found = analyze(
        table(
            "item system rater score",
            [(i, "s", r, "yes" if (i + r) % 3 else "no") for i in range(6) for r in range(3)],
        )
    )
    assert "overall: the answers are words and taken as nominal" in found.took
    assert found.table("answers/overall") is not None
    assert any(f.id == "agreement/overall" for f in found.findings)


def test_yes_and_no_as_numbers_stay_within_bounds() -> None:
    found = analyze(
        table("item system rater score", [(i, "s", r, 1) for i in range(6) for r in range(5)])
    )
    shares = [f for f in found.findings if f.id == "pass/overall/s"]
    assert "gets 1 (yes) on overall in 100.0% of ratings (95% interval 56.6 to 100.0" in (
        shares[0].sentence
    )


DEGENERATE: dict[str, Columns] = {
    "one vote": table("item system_a system_b rater winner", [(1, "x", "y", "r", "a")]),
    "all ties": table(
        "item system_a system_b rater winner",
        [(i, "x", "y", f"r{r}", "tie") for i in range(3) for r in range(3)],
    ),
    "only itself": table("item system_a system_b rater winner", [(1, "x", "x", "r", "a")]),
    "never loses": table(
        "item system_a system_b rater winner",
        [(i, "x", "y", f"r{r}", "a") for i in range(4) for r in range(3)],
    ),
    "disconnected": table(
        "item system_a system_b rater winner",
        [
            (i, *pair, f"r{r}", "ab"[(i + r) % 2])
            for i in range(4)
            for r in range(3)
            for pair in (("x", "y"), ("p", "q"))
        ],
    ),
    "nobody is named": table("system_a system_b winner", [("x", "y", "a"), ("x", "y", "b")]),
    "one rating": table("item system rater score", [(1, "x", "r", 3)]),
    "one rater": table("item system rater score", [(i, s, "r", i) for i in range(4) for s in "xy"]),
    "one item": table("item system rater score", [(1, s, r, r) for r in range(4) for s in "xy"]),
    "one category": table(
        "item system rater score", [(i, "x", r, 3) for i in range(4) for r in range(4)]
    ),
    "no variance between": table(
        "item system rater score", [(i, s, r, 3) for i in range(4) for r in range(4) for s in "xy"]
    ),
    "raters nested in systems": table(
        "item system rater score",
        [(i, s, f"{s}{r}", i + r) for i in range(4) for r in range(3) for s in "xy"],
    ),
    "no shared item": table(
        "item system rater score",
        [(f"{s}{i}", s, r, i + r) for i in range(4) for r in range(3) for s in "xy"],
    ),
    "one rater per unit": table(
        "item system rater score", [(i, "x", i % 3, i % 2) for i in range(9)]
    ),
    "all tied": table("item rater system rank", [(i, "r", s, 1) for i in range(3) for s in "xy"]),
    "always first": table(
        "item rater system rank",
        [(i, r, s, k) for i in range(3) for r in "ab" for k, s in enumerate("xyz", start=1)],
    ),
    "only generated": table(
        "item system rater truth answer", [(i, "m", "r", "generated", "real") for i in range(3)]
    ),
    "only real": table(
        "item system rater truth answer", [(i, "m", "r", "real", "real") for i in range(3)]
    ),
    "no spans": table(
        "item system rater category severity", [(i, "m", "r", None, None) for i in range(3)]
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", DEGENERATE)
def test_a_degenerate_table_gives_a_sentence(case: str) -> None:
    found = analyze(DEGENERATE[case])
    json.dumps(found.to_dict(), allow_nan=False)
    for finding in found.findings:
        result = finding.result
        assert result.estimate is not None or result.undefined
        for interval in (result.interval, result.these_raters):
            assert interval is None or interval.low < interval.high
        if result.interval is None:
            assert result.undefined
    assert found.findings or found.warnings


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("one vote", "is undefined: a single response is no share"),
        ("all ties", "no vote has a winner"),
        ("only itself", "every vote compares a system with itself"),
        ("never loses", "x was never beaten, so its strength has no upper bound"),
        ("disconnected", "2 groups that were never compared with each other (p, q; x, y)"),
        ("nobody is named", "no column 'rater': raters are unknown"),
        ("one rater", "Agreement on overall is undefined: there is only one rater."),
        ("one item", "1 item: too few to speak for others"),
        ("one category", "Agreement on overall is undefined: every response is the same value."),
        ("no variance between", "no interval: neither raters nor items vary"),
        ("raters nested in systems", "no rater judged both x and y"),
        ("no shared item", "no item has responses for both x and y"),
        ("one rater per unit", "Agreement on overall is undefined: no unit has two responses."),
        ("all tied", "no ranking puts one system above another"),
        ("always first", "x was never beaten"),
        ("only generated", "no real output was shown"),
        ("only real", "no generated output was shown"),
    ],
)
def test_the_sentence_says_what_is_the_matter(case: str, said: str) -> None:
    found = analyze(DEGENERATE[case])
    assert said in "\n".join([sentences(found), *found.warnings, *found.took])


def test_what_is_wrong_with_a_table_is_an_input_error() -> None:
    with pytest.raises(InputError, match="has no rows"):
        analyze({"item": [], "score": []})
    with pytest.raises(
        InputError, match="there is no criterion 'speed'; there are quality, realism"
    ):
        analyze(ratings(), criterion="speed")
    with pytest.raises(InputError, match="confidence must lie between 0 and 1"):
        analyze(ratings(), confidence=1.0)


def test_a_rater_with_most_of_the_responses_is_named() -> None:
    rows = [(i, "x", "busy", i % 3) for i in range(9)] + [(1, "x", "ann", 1), (2, "x", "bob", 2)]
    found = analyze(table("item system rater score", rows))
    assert "rater busy gave more than half of the responses" in found.warnings


@pytest.mark.parametrize("shuffle", [random.Random(1).shuffle, list.reverse])
def test_the_order_of_rows_does_not_matter(shuffle: Callable[[list[Any]], None]) -> None:
    whole = votes()
    rows = list(zip(*whole.values(), strict=True))
    shuffle(rows)
    other = analyze(table(" ".join(whole), rows))
    one = analyze(whole)
    assert [f.sentence for f in one.findings] == [f.sentence for f in other.findings]


def test_json_stays_strict_where_an_interval_has_no_end() -> None:
    made = Table(
        id="strengths",
        title="Strengths",
        columns=(
            Column(name="system", heading="System"),
            Column(name="strength", heading="Strength", kind="number"),
            Column(name="interval", heading="95% interval", kind="interval"),
        ),
        rows=(("top", float("inf"), (0.3, float("inf"))), ("low", None, (-float("inf"), 0.1))),
    )
    found = replace(analyze(votes()), tables=(made,))
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["tables"][0]["rows"] == [
        {"system": "top", "strength": "inf", "interval": [0.3, "inf"]},
        {"system": "low", "strength": None, "interval": ["-inf", 0.1]},
    ]
    assert [format_cells(made, row)[2] for row in made.rows] == ["0.300 to ∞", "−∞ to 0.100"]


def test_a_bare_table_of_few_values_has_a_distribution() -> None:
    rows = [(f"i{i}", "s", f"r{r}", (-1, 0.5)[i % 2]) for i in range(4) for r in range(3)]
    made = analyze(table("item system rater score", rows)).table("distribution/overall")
    assert made is not None
    assert [c.name for c in made.columns] == ["system", "share_-1", "share_0.5"]
    assert [c.heading for c in made.columns] == ["System", "−1", "0.5"]
    assert made.rows == (("s", 0.5, 0.5),)


@pytest.mark.parametrize("values", [1, 12])
def test_one_value_and_many_values_have_no_distribution(values: int) -> None:
    rows = [(f"i{i}", "s", f"r{r}", i % values) for i in range(12) for r in range(3)]
    assert analyze(table("item system rater score", rows)).table("distribution/overall") is None


def test_the_interval_of_a_count_is_of_whole_numbers() -> None:
    # λ has three digits; what both together are worth is a number of items.
    kinds: tuple[CellKind, ...] = ("number", "count", "interval")
    columns = tuple(Column(name=f"c{k}", heading="C", kind=kind) for k, kind in enumerate(kinds))
    made = Table(id="x", title="X", columns=columns, rows=((0.487, 51, (39.13, 71.59)),))
    assert format_rows(made) == [["0.487", "51", "39 to 72"]]


def test_a_column_has_the_digits_that_most_of_its_intervals_deserve() -> None:
    names = ("system", "mean", "interval", "sd")
    kinds: tuple[CellKind, ...] = ("text", "number", "interval", "number")
    made = Table(
        id="x",
        title="X",
        columns=tuple(
            Column(name=name, heading=name, kind=kind)
            for name, kind in zip(names, kinds, strict=True)
        ),
        # Half-widths of 3 and 12: nobody needs thousandths of a scale from 0 to 100.
        rows=(("a", 71.2345, (68.2345, 74.2345), 9.5), ("b", 50.0, (38.0, 62.0), None)),
    )
    assert format_rows(made) == [
        ["a", "71.2", "68.2 to 74.2", "9.5"],
        ["b", "50.0", "38.0 to 62.0", "–"],
    ]
    narrow = replace(made, rows=(("a", 0.71234, (0.7, 0.72), 0.1), *made.rows))
    assert format_rows(narrow)[1] == ["a", "71.234", "68.234 to 74.234", "9.500"]
    # Two digits of the narrowest half-width are enough for the others.
    beside = replace(made, rows=(("a", 6.833, (6.377, 7.289), None), *made.rows))
    assert format_rows(beside)[0][1:3] == ["6.83", "6.38 to 7.29"]
    assert format_rows(beside)[2][1:3] == ["50.00", "38.00 to 62.00"]
    # What lies between −1 and 1, as agreement does, keeps two digits beside a wide interval.
    agreed = replace(made, rows=(("a", 71.2345, (68.2345, 74.2345), 0.31),))
    assert format_rows(agreed) == [["a", "71.2", "68.2 to 74.2", "0.31"]]
    # Two numbers before the interval of their difference are as precise as that.
    numbers: tuple[CellKind, ...] = ("number", "number", "number", "interval")
    moved = replace(
        made,
        columns=tuple(
            Column(name=f"c{k}", heading="", kind=kind) for k, kind in enumerate(numbers)
        ),
        rows=((2.625, 2.45, -0.175, (-0.418, 0.068)),),
    )
    assert format_rows(moved) == [["2.625", "2.450", "−0.175", "−0.418 to 0.068"]]


def test_numbers_without_an_interval_have_three_digits_of_the_largest_at_most() -> None:
    columns = tuple(Column(name=name, heading=name, kind="number") for name in ("percentile", "sd"))
    made = Table(id="x", title="X", columns=columns, rows=((100.0, 0.512), (34.8, 10.9921)))
    assert format_rows(made) == [["100.0", "0.5"], ["34.8", "11.0"]]
    small = replace(made, rows=((3.0, 0.2721),))
    assert format_rows(small) == [["3.00", "0.27"]]


def test_a_part_of_a_table_prints_the_numbers_of_the_whole() -> None:
    columns = (
        Column(name="system", heading="System"),
        Column(name="mean", heading="Mean", kind="number"),
        Column(name="interval", heading="95% interval", kind="interval"),
        Column(name="sd", heading="SD", kind="number"),
    )
    rows = (("a", 5.0, (1.0, 9.0), 2.0), ("b", 5.0, (4.9, 5.1), 2.0))
    whole = Table(id="x", title="X", columns=columns, rows=rows)
    assert format_rows(whole.part(rows=1)) == format_rows(whole)[:1]
    assert format_rows(whole.part(columns=(0, 3))) == [["a", "2.000"], ["b", "2.000"]]
    assert whole.part(rows=1).to_dict()["rows"] == whole.to_dict()["rows"][:1]


def test_a_sentence_has_the_same_digits_as_its_interval() -> None:
    row = (0, 20, 40, 60, 80, 100)
    table = {
        "item": [f"q{i}" for i in range(6) for _ in range(4)],
        "system": ["new"] * 24,
        "rater": ["r0", "r1", "r2", "r3"] * 6,
        "score": [row[(i + r) % 6] for i in range(6) for r in range(4)],
    }
    (mean,) = [f for f in analyze(table).findings if f.id.startswith("mean/")]
    assert mean.result.interval is not None
    assert mean.result.interval.high - mean.result.interval.low > 4
    assert "a mean score of 50.0 on overall (95% interval " in mean.sentence
    assert re.search(r"interval −?\d+\.\d to \d+\.\d;", mean.sentence)
