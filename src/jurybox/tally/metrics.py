"""Automatic metrics beside people's scores, as items × systems."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jurybox.errors import InputError
from jurybox.formats import joined
from jurybox.results import format_count
from jurybox.tally.opening import open_metrics
from jurybox.tally.ratios import between
from jurybox.tally.responses import Responses
from jurybox.tally.shapes import known_columns
from jurybox.tally.source import Source, connect, disconnect, quote

__all__ = [
    "ComparedOutputs",
    "JudgedOutputs",
    "MetricTable",
    "compared_outputs",
    "judged_outputs",
    "read_metrics",
]

Array = NDArray[np.float64]
ID = re.compile(r"(?:^|[^a-z])id$")
"""The end of a name, in small letters, that numbers rows: ``doc_id``, not ``fid``."""


@dataclass(frozen=True, slots=True, eq=False)
class JudgedOutputs:
    """People's scores; see ``jurybox.stats.metrics.judged.Judged``."""

    items: tuple[str, ...]
    systems: tuple[str, ...]
    total: Array
    count: Array
    rows: NDArray[np.int64]
    scores: Array
    n_raters: int | None


@dataclass(frozen=True, slots=True, eq=False)
class ComparedOutputs:
    """Whom people prefer to whom; see ``jurybox.stats.metrics.against_votes.Compared``."""

    items: tuple[str, ...]
    systems: tuple[str, ...]
    pairs: NDArray[np.int64]
    wins: Array
    count: Array
    n_raters: int | None


@dataclass(frozen=True, slots=True, eq=False)
class MetricTable:
    """Values of every metric by item and system; ``took`` says how the table was read."""

    values: dict[str, dict[tuple[str, str], float]]
    """Per metric, by item and system."""
    set_level: dict[str, dict[str, float]]
    """Per metric without items, by system."""
    took: tuple[str, ...]
    signatures: tuple[tuple[str, str], ...] = ()
    """Metrics with how they were computed, where the table says it."""
    lower_is_better: tuple[str, ...] = ()
    """Metrics of which less is better: their values are turned round."""
    bounds: dict[str, dict[str, tuple[float, float]]] = field(default_factory=dict)
    """Per metric without items, by system, its interval where the table has one."""

    def lay_out(self, items: Sequence[str], systems: Sequence[str]) -> dict[str, Array]:
        """Each metric that has items, as items × systems; NaN where there is no value."""
        row = {name: i for i, name in enumerate(items)}
        column = {name: k for k, name in enumerate(systems)}
        found = {}
        for metric, values in self.values.items():
            matrix = np.full((len(items), len(systems)), np.nan)
            for (item, system), value in values.items():
                if item in row and system in column:
                    matrix[row[item], column[system]] = value
            found[metric] = matrix
        return found


def judged_outputs(responses: Responses) -> JudgedOutputs:
    """The scores of one criterion as items × systems, with where each came from."""
    if not responses.has_item:
        raise InputError("metrics are compared with people item by item: ratings need 'item'")
    rater = "enum_code(rater)" if responses.has_rater else "-1"
    found = responses.connection.execute(
        "SELECT CAST(item AS VARCHAR) AS item, CAST(system AS VARCHAR) AS system, "
        f"CAST({rater} AS BIGINT) AS rater, score FROM {responses.source} ORDER BY rid"
    ).fetchnumpy()
    items, i = np.unique(np.asarray(found["item"], dtype=str), return_inverse=True)
    systems, s = np.unique(np.asarray(found["system"], dtype=str), return_inverse=True)
    rater_code = np.asarray(found["rater"], dtype=np.int64)
    scores = np.asarray(found["score"], dtype=np.float64)
    total, count = np.zeros((len(items), len(systems))), np.zeros((len(items), len(systems)))
    np.add.at(total, (i, s), scores)
    np.add.at(count, (i, s), 1)
    n_raters = len(np.unique(rater_code)) if responses.has_rater else None
    return JudgedOutputs(
        items=tuple(items.tolist()),
        systems=tuple(systems.tolist()),
        total=total,
        count=count,
        rows=np.column_stack([i.ravel(), s.ravel(), rater_code]).astype(np.int64),
        scores=scores,
        n_raters=n_raters,
    )


def compared_outputs(responses: Responses, rows: str) -> ComparedOutputs:
    """Comparisons of one criterion as items × pairs, from rows such as ``pair_rows()``."""
    found = responses.connection.execute(
        "SELECT k, CAST(item AS VARCHAR) AS item, sum(u) AS u, sum(w) AS w "
        f"FROM ({rows.replace('{r}', responses.source)}) GROUP BY ALL ORDER BY ALL"
    ).fetchnumpy()
    items, i = np.unique(np.asarray(found["item"], dtype=str), return_inverse=True)
    numbers, p = np.unique(np.asarray(found["k"], dtype=np.int64), return_inverse=True)
    names = between(responses, numbers.tolist())
    systems = sorted({name for pair in names for name in pair})
    wins, count = np.zeros((len(items), len(numbers))), np.zeros((len(items), len(numbers)))
    wins[i, p], count[i, p] = found["u"], found["w"]
    return ComparedOutputs(
        items=tuple(items.tolist()),
        systems=tuple(systems),
        pairs=np.array([[systems.index(name) for name in pair] for pair in names], dtype=np.int64),
        wins=wins,
        count=count,
        n_raters=responses.count()[1] if responses.has_rater else None,
    )


def read_metrics(source: Source, lower_is_better: Sequence[str] = ()) -> MetricTable:
    """Read a table ``item, system, metric, value``, or one with a column per metric.

    In a wide table every column of numbers that no table shape knows is a metric, but for ids
    (``doc_id``), which number rows and measure nothing. Values without an item hold for a system's
    whole set of outputs. A table with a row per value may also say of it ``low`` and ``high``, the
    ends of its interval, ``better``, which is ``higher`` or ``lower``, and ``signature``, how it
    was computed. The values of a metric of which less is better are turned round, so that more is
    better of all.
    """
    table = _read(source)
    return _directed(table, [*table.lower_is_better, *lower_is_better])


def _directed(table: MetricTable, lower: Sequence[str]) -> MetricTable:
    known = [*table.values, *table.set_level]
    for name in lower:
        if name not in known:
            raise InputError(
                f"lower_is_better names {name!r}, and there is no such metric; there are "
                f"{', '.join(known)}"
            )
    lower = list(dict.fromkeys(lower))
    if not lower:
        return table
    values, whole = dict(table.values), dict(table.set_level)
    for name in lower:
        if name in values:
            values[name] = {key: -value for key, value in values[name].items()}
        else:
            whole[name] = {key: -value for key, value in whole[name].items()}
    said = f"{', '.join(lower)}: lower is better, so that the values count with the opposite sign"
    return replace(
        table,
        values=values,
        set_level=whole,
        took=(*table.took, said),
        lower_is_better=tuple(lower),
    )


def _read(source: Source) -> MetricTable:
    connection = connect()
    try:
        where = open_metrics(connection, source)
        named = [str(row[0]) for row in connection.execute("DESCRIBE raw").fetchall()]
        found = {name.strip().lower(): name for name in named}
        if "item" not in found and "system" not in found:
            raise InputError(
                f"{where}: metrics need the columns 'item' or 'system', 'metric' and 'value', or "
                f"a column per metric; the table has {', '.join(named)}"
            )
        item = _text(found.get("item"))
        system = f"coalesce({_text(found.get('system'))}, 'all outputs')"
        if "metric" in found and "value" in found:
            selection = (
                f"SELECT {item}, {system}, {_text(found['metric'])}, "
                f"{_text(found['value'])}, row_number() OVER () FROM raw"
            )
            rows = connection.execute(selection).fetchall()
            return _with_more(_collect(rows, where), connection, found, where)
        names, ids = _metric_columns(connection, found)
        if not names:
            raise InputError(f"{where}: no column of numbers is a metric among {', '.join(named)}")
        rows = []
        for name in names:
            rows += connection.execute(
                f"SELECT {item}, {system}, ?, {_text(name)}, row_number() OVER () FROM raw", [name]
            ).fetchall()
        table = _collect(rows, where)
        no_metric = [f"{name} is an id and no metric" for name in ids]
        return replace(table, took=(*table.took, *no_metric))
    finally:
        disconnect(connection)


def _with_more(
    table: MetricTable, connection: Any, found: dict[str, str], where: str
) -> MetricTable:
    """What a table with a row per value says beside the values."""
    asked = ", ".join(_text(found.get(name)) for name in ("better", "signature", "low", "high"))
    system, metric = (
        f"coalesce({_text(found.get('system'))}, 'all outputs')",
        _text(found["metric"]),
    )
    rows = connection.execute(f"SELECT {metric}, {system}, {asked} FROM raw").fetchall()
    lower: dict[str, None] = {}
    signatures: dict[tuple[str, str], None] = {}
    bounds: dict[str, dict[str, tuple[float, float]]] = {}
    for number, (name, of, better, signature, low, high) in enumerate(rows, start=1):
        if better not in (None, "higher", "lower"):
            raise InputError(
                f"{where}, row {number}: better must be higher or lower; got {better!r}"
            )
        if better == "lower":
            lower[name] = None
        if signature is not None:
            signatures[name, signature] = None
        if name in table.set_level and low is not None and high is not None:
            bounds.setdefault(name, {})[of] = _ends(low, high, f"{where}, row {number}")
    alike: dict[str, list[str]] = {}
    for name, signature in signatures:
        alike.setdefault(signature, []).append(name)
    said = [
        f"{joined(names)} {'is' if len(names) == 1 else 'are'} {signature}"
        for signature, names in alike.items()
    ]
    return replace(
        table,
        took=(*table.took, *said),
        signatures=tuple(signatures),
        lower_is_better=tuple(lower),
        bounds=bounds,
    )


def _ends(low: str, high: str, where: str) -> tuple[float, float]:
    try:
        ends = float(low), float(high)
    except ValueError as error:
        raise InputError(f"{where}: low and high must be numbers; got {low!r}, {high!r}") from error
    if not ends[0] <= ends[1]:
        raise InputError(f"{where}: low must not exceed high; got {low} and {high}")
    return ends


def _text(name: str | None) -> str:
    return "NULL" if name is None else f"nullif(trim(CAST({quote(name)} AS VARCHAR)), '')"


def _metric_columns(connection: Any, found: dict[str, str]) -> tuple[list[str], list[str]]:
    """The columns of numbers that measure something, and those that number rows."""
    names: list[str] = []
    ids: list[str] = []
    for lower, name in found.items():
        if lower in known_columns():
            continue
        ((numbers, given),) = connection.execute(
            f"SELECT count(TRY_CAST({_text(name)} AS DOUBLE)), count({_text(name)}) FROM raw"
        ).fetchall()
        if given and numbers == given:
            (ids if ID.search(lower) else names).append(name)
    return names, ids


def _collect(rows: list[tuple[Any, ...]], where: str) -> MetricTable:
    values: dict[str, dict[Any, float]] = {}
    whole: dict[str, dict[Any, float]] = {}
    missing = 0
    for item, system, metric, value, number in rows:
        if metric is None:
            raise InputError(f"{where}, row {number}: the metric has no name")
        if value is None or value.lower() in ("nan", "none", "null", "na"):
            missing += 1
            continue
        try:
            made = float(value)
        except ValueError as error:
            raise InputError(
                f"{where}, row {number}: the value of {metric!r} must be a number; got {value!r}"
            ) from error
        if not np.isfinite(made):
            raise InputError(f"{where}, row {number}: the value of {metric!r} is {value}")
        of = system if item is None else f"{system} on {item}"
        place: dict[Any, float] = (whole if item is None else values).setdefault(metric, {})
        key = system if item is None else (item, system)
        if key in place:
            raise InputError(f"{where}, row {number}: {metric!r} has a second value for {of}")
        place[key] = made
    for metric in sorted(set(values) & set(whole)):
        raise InputError(f"{where}: {metric!r} has values with and without an item")
    names = ", ".join([*values, *whole])
    if not names:
        raise InputError(f"{where}: no metric has a value")
    took = [f"{where}: {format_count(len(values) + len(whole), 'metric')} ({names})"]
    took += [f"{format_count(missing, 'value')} missing, left out"] if missing else []
    return MetricTable(values, whole, tuple(took))
