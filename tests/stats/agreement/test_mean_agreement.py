"""Agreement within systems, averaged over them: its interval is of all systems at once."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import numpy as np
import pytest

import jurybox as jb
from jurybox.analysis.measure.agreement import means_within_systems
from jurybox.analysis.options import Options
from jurybox.stats.agreement.patterns import Agreement
from jurybox.stats.distributions import t_quantile
from jurybox.stats.two_way import variance_of_pairs
from jurybox.tally.reading import read
from tests.stats.agreement.rater_matrices import Matrix, fisher_z, noisy, table
from tests.stats.agreement.test_alpha import per_unit, plain_alpha

Row = tuple[str, str, float, str]
NAMES = ("item", "rater", "score", "system")


def rows_of(systems: dict[str, Matrix]) -> list[Row]:
    return [
        (item, rater, score, system)
        for system, matrix in systems.items()
        for item, rater, score in zip(*table(matrix).values(), strict=True)
    ]


def columns(rows: list[Row]) -> dict[str, list[Any]]:
    return dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True))


def means(rows: list[Row]) -> tuple[Agreement | None, Agreement | None]:
    with closing(read(columns(rows))) as responses:
        return means_within_systems(responses, Options(confidence=0.95), level="interval")


def plain_mean(rows: list[Row]) -> float:
    systems = sorted({row[3] for row in rows})
    return float(
        np.mean([plain_alpha([r[:3] for r in rows if r[3] == s], "interval") for s in systems])
    )


def left_out(rows: list[Row], clusters: list[Any], k: float) -> tuple[float, float]:
    """Of z without each cluster: (G − 1)/G Σ (z₍g₎ − mean)² and (G − 1)(mean − z)."""
    left = []
    for one in sorted(set(clusters)):
        kept = [row for row, cluster in zip(rows, clusters, strict=True) if cluster != one]
        left.append(fisher_z(plain_mean(kept), k))
    whole = fisher_z(plain_mean(rows), k)
    return (len(left) - 1) * float(np.var(left)), (len(left) - 1) * float(np.mean(left) - whole)


def test_a_cluster_is_left_out_of_every_system_at_once() -> None:
    rows = rows_of({name: noisy(5, 8, seed, 0.15) for seed, name in enumerate("abc")})
    k = per_unit([(item + system, rater, score) for item, rater, score, system in rows])
    kinds = ([r[0] for r in rows], [r[1] for r in rows], [r[:2] for r in rows])
    item, rater, cell = (left_out(rows, kind, k) for kind in kinds)
    found = means(rows)[0]
    assert found is not None
    assert found.estimate == pytest.approx(plain_mean(rows))
    assert found.interval is not None
    variance, df = variance_of_pairs(item[0], rater[0], cell[0], n_items=8, n_raters=5) or (0, 0)
    middle = fisher_z(plain_mean(rows), k) - (item[1] + rater[1] - cell[1])
    half = t_quantile(0.95, df) * variance**0.5
    assert fisher_z(found.interval.low, k) == pytest.approx(middle - half, abs=1e-9)
    assert fisher_z(found.interval.high, k) == pytest.approx(middle + half, abs=1e-9)


@pytest.mark.parametrize("raters", [3, 6])
def test_the_same_answers_under_a_second_name_tell_nothing_more(raters: int) -> None:
    # By leaving out (six raters) and by drawing items (three): what is copied is no evidence.
    once = noisy(raters, 15, 4)
    alone = jb.krippendorff_alpha(columns(rows_of({"a": once})), level="interval")
    found = means(rows_of({"a": once, "b": once, "c": once}))[0]
    assert found is not None
    assert found.estimate == pytest.approx(alone.estimate)
    assert found.interval is not None
    assert alone.interval is not None
    assert found.interval.low == pytest.approx(alone.interval.low)
    assert found.interval.high == pytest.approx(alone.interval.high)
    assert found.interval.generalizes_to == alone.interval.generalizes_to
    assert (found.n_items, found.n_raters, found.n_units) == (15, raters, 45)


def test_kappa_is_averaged_too() -> None:
    systems = {"a": noisy(4, 10, 1), "b": noisy(4, 10, 2)}
    each = [jb.fleiss_kappa(columns(rows_of({name: systems[name]}))).estimate for name in systems]
    kappa = means(rows_of(systems))[1]
    assert kappa is not None
    assert kappa.estimate == pytest.approx(np.mean([k for k in each if k is not None]))
    assert kappa.name == "Fleiss' kappa, mean within systems"


def test_systems_without_a_coefficient_of_their_own_are_left_out() -> None:
    # Of one output chance cannot be told, and constant answers leave nothing to agree about.
    usual: Matrix = noisy(3, 10, 1)
    single: Matrix = [[1.0] + [None] * 9, [2.0] + [None] * 9, [1.0] + [None] * 9]
    constant: Matrix = [[3.0] * 10] * 3
    found = means(rows_of({"a": usual, "b": single, "c": constant}))[0]
    assert found is not None
    assert found.estimate == pytest.approx(
        plain_alpha([r[:3] for r in rows_of({"a": usual})], "interval")
    )
    assert found.n_units == 10
    assert means(rows_of({"b": single, "c": constant})) == (None, None)


def test_a_detected_system_may_have_two_outputs_of_one_item() -> None:
    # Four units of system a: a real and a generated output of each item.
    rows = [
        (item, "a", rater, truth, answer, item + truth)
        for item, truth, answers in (
            ("i1", "real", ["real", "real", "generated"]),
            ("i1", "generated", ["generated", "generated", "generated"]),
            ("i2", "real", ["real", "generated", "real"]),
            ("i2", "generated", ["generated", "real", "generated"]),
        )
        for rater, answer in zip("xyz", answers, strict=True)
    ]
    rows += [(row[0], "b", row[2], row[3], row[4], row[5]) for row in rows]
    names = ("item", "system", "rater", "truth", "answer", "trial")
    table_of = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    with closing(read(table_of)) as responses:
        found = means_within_systems(responses, Options(confidence=0.95), level="nominal")[0]
        alone = jb.krippendorff_alpha(
            {name: values[:12] for name, values in table_of.items()}, level="nominal"
        )
    assert found is not None
    assert found.estimate == pytest.approx(alone.estimate)
    assert found.n_units == 8


def test_every_row_of_the_table_has_its_interval() -> None:
    analysis = jb.analyze(columns(rows_of({"a": noisy(4, 20, 1), "b": noisy(4, 20, 2)})))
    (table_of,) = (each for each in analysis.tables if each.id == "agreement/ratings")
    last = table_of.rows[-1]
    assert last[1] == "mean within systems"
    assert last[3] is not None
    assert last[6] is not None
    (sentence,) = (each.sentence for each in analysis.findings if each.id == "agreement/overall")
    assert "on average (95% interval for these raters " in sentence
