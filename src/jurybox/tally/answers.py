"""Where the answers of responses are: rows of unit, rater and answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jurybox.errors import InputError
from jurybox.tally.responses import Responses
from jurybox.tally.source import text

__all__ = ["AnswerRows", "answer_rows", "unit_of"]

MANY_VALUES = 300
"""Distinct numbers up to which each is a value of its own."""
GROUPS = 200
"""Groups of neighbors that more distinct numbers are taken in."""
OF_SEVERAL = {"rankings": "kendall_w", "spans": "span_agreement"}
"""What says how far raters agree, where an answer has several rows."""


@dataclass(frozen=True, slots=True)
class AnswerRows:
    """Where the answers are, in SQL: rows of unit u, rater r and answer x."""

    rows: str
    values: tuple[Any, ...]
    """The distinct answers in order."""
    per_item: int
    """A unit's number is its item's number times this, plus less than this."""
    n_grouped: int = 0
    parts: int = 1
    """In how many parts an item's units are told apart, each with places of its own."""

    @property
    def n_places(self) -> int:
        """How many places an answer may have."""
        return self.parts * len(self.values)

    def place(self, x: str = "x") -> str:
        """The place of an answer among the values, in SQL; of a later part after all of those."""
        own = self._value(x)
        if self.parts == 1:
            return own
        part = f"((u % {self.per_item}) // {self.per_item // self.parts})"
        return f"({part} * {len(self.values)} + {own})"

    def _value(self, x: str) -> str:
        first = self.values[0]
        if isinstance(first, float) and all(v == first + k for k, v in enumerate(self.values)):
            return f"CAST({x} - {first!r} AS BIGINT)"
        if len(self.values) > 64:
            return "v"
        cases = " ".join(f"WHEN {_literal(v)} THEN {k}" for k, v in enumerate(self.values))
        return f"CAST(CASE {x} {cases} END AS BIGINT)"


def _literal(value: Any) -> str:
    # The shortest text that reads back as the same number is not always read so as a decimal.
    return text(value) if isinstance(value, str) else f"CAST('{value!r}' AS DOUBLE)"


def answer_rows(responses: Responses, *, grouped: bool = False) -> AnswerRows:
    """One answer of a rater to a unit; of repeated ones the first counts.

    A unit is an output, or an item with an unordered pair of systems, whose winner is then turned
    to the order of their names. Items and raters count in the order of their names. ``grouped``:
    whether very many distinct numbers are taken in groups, each at its mean.
    """
    unit, value, where, per_item = unit_of(responses)
    rater = responses.number("rater") if responses.has_rater else "rid"
    query = responses.connection.execute
    rows = f"(SELECT {unit} AS u, CAST({rater} AS BIGINT) AS r, {value} AS x, rid FROM "
    rows += f"{responses.source} WHERE {where})"
    if not responses.once:
        query(
            "CREATE OR REPLACE TEMP TABLE picked AS SELECT u, r, arg_min(x, rid) AS x "
            f"FROM {rows} GROUP BY u, r"
        )
        rows = "picked"
    found = query(f"SELECT DISTINCT x FROM {rows}").fetchall()
    n_grouped = 0
    if grouped and len(found) > MANY_VALUES and isinstance(found[0][0], float):
        n_grouped, rows = len(found), _group(responses, rows)
        found = query(f"SELECT DISTINCT x FROM {rows}").fetchall()
    answers = AnswerRows(rows, tuple(sorted(row[0] for row in found)), per_item, n_grouped)
    if answers.values and answers.place() == "v":
        query(
            "CREATE OR REPLACE TEMP TABLE answer_values AS SELECT x, "
            f"row_number() OVER (ORDER BY x) - 1 AS v FROM (SELECT DISTINCT x FROM {rows})"
        )
        joined = f"(SELECT u, r, x, v FROM {rows} JOIN answer_values USING (x))"
        return AnswerRows(joined, answers.values, per_item, n_grouped)
    return answers


def _group(responses: Responses, rows: str) -> str:
    """The answers with neighbors in groups of about as many answers, each at its mean."""
    responses.connection.execute(
        "CREATE OR REPLACE TEMP TABLE value_groups AS SELECT x, sum(x * n) OVER (PARTITION BY g) "
        f"/ sum(n) OVER (PARTITION BY g) AS y FROM (SELECT x, n, floor({GROUPS}.0 * (sum(n) OVER "
        "(ORDER BY x) - n) / sum(n) OVER ()) AS g FROM "
        f"(SELECT x, count(*) AS n FROM {rows} GROUP BY x))"
    )
    return f"(SELECT u, r, y AS x FROM {rows} JOIN value_groups USING (x))"


def unit_of(responses: Responses) -> tuple[str, str, str, int]:
    """A unit's number, the answer to it, which responses have one, in SQL; and units per item."""
    shape = responses.shape.name
    if shape in OF_SEVERAL:
        raise InputError(
            f"agreement on {shape} is not computed from single answers: use {OF_SEVERAL[shape]}"
        )
    if not responses.has_item:
        raise InputError(
            "agreement needs a column 'item': without it no two responses share a unit"
        )
    item = f"CAST({responses.number('item')} AS BIGINT)"
    n = int(responses.value("SELECT len(enum_range(CAST(NULL AS systems)))"))
    if shape == "votes":
        one, two = (f"{f}(enum_code(system_a), enum_code(system_b))" for f in ("least", "greatest"))
        unit = f"{item} * {n * n} + CAST({one} AS BIGINT) * {n} + {two}"
        value = (
            "CASE WHEN system_a <= system_b OR winner IN ('tie', 'both_bad') THEN winner "
            "WHEN winner = 'a' THEN 'b' ELSE 'a' END"
        )
        return unit, value, "system_a <> system_b", n * n
    unit = f"{item} * {n} + enum_code(system)"
    if shape == "detections":
        # A system may have a real and a generated output of one item, which are two units.
        unit = f"({unit}) * 2 + CASE WHEN truth = 'real' THEN 1 ELSE 0 END"
        return unit, "CAST(answer AS VARCHAR)", "true", 2 * n
    numbers = responses.value("SELECT count(*) = count(score) FROM {r}")
    return unit, "CAST(score AS DOUBLE)" if numbers else "word", "true", n
