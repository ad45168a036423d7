"""A table opened for one statistic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from jurybox.errors import InputError
from jurybox.tally.derived import Rule, add_derived
from jurybox.tally.ratings import are_numbers
from jurybox.tally.reading import read
from jurybox.tally.responses import Responses
from jurybox.tally.shapes import ShapeName

__all__ = ["numbers_of", "one_criterion", "opened"]


@contextmanager
def opened(
    table: Any,
    shape: ShapeName | None,
    criterion: str | None,
    needs: frozenset[str] | None = None,
    covariates: Sequence[str] = (),
    *,
    as_counts: bool = False,
    as_patterns: bool = False,
    by: str | None = None,
) -> Iterator[Responses]:
    """The responses of a table, of one criterion where it is named; closed at the end.

    ``needs``: the columns that the statistic is computed from, by default all; see
    ``Options.reads``. The others: see ``tally.reading.read``.
    """
    responses = read(
        table,
        shape=shape,
        needs=needs,
        covariates=covariates,
        as_counts=as_counts,
        as_patterns=as_patterns,
        by=by,
    )
    try:
        derive(responses, criterion)
        if criterion is not None:
            known = responses.criteria
            if criterion not in known:
                raise InputError(
                    f"there is no criterion {criterion!r}; there are {', '.join(known)}"
                )
            responses = responses.of_criterion(criterion)
        yield responses
    finally:
        responses.close()


def derive(responses: Responses, criterion: str | None = None) -> None:
    """Add the criteria that the table's mapping or format makes of others; only the named one."""
    for name, rule in responses.stated.derive.items():
        if criterion in (None, name) and responses.shape.name == "ratings":
            add_derived(responses, name, cast(Rule, rule.rule), rule.weights)


def one_criterion(responses: Responses, by: str = "criterion=") -> str:
    """The only criterion; refuse several, with what chooses one."""
    criteria = responses.criteria
    if len(criteria) > 1:
        raise InputError(
            f"the table has several criteria ({', '.join(criteria)}): choose one with {by}"
        )
    return criteria[0]


def numbers_of(part: Responses, criterion: str) -> Responses:
    """The responses, if their scores are numbers."""
    if not are_numbers(part):
        raise InputError(
            f"the answers to {criterion!r} are words: they have no mean; give them numbers by "
            "jb.mapped(table, values={'score': {word: number, …}})"
        )
    return part
