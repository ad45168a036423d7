"""Every answer about one output says at which place of the screen the output stood."""

from __future__ import annotations

from typing import Any, cast

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError

from jurybox.design.answers import Answer
from jurybox.store import Shape, Store, Submission
from jurybox.store.migrate import VERSION_TABLE
from jurybox.store.views import VIEWS
from jurybox.study.model import RaterId, SystemId
from tests.store.planning import at, enroll, fill, make_plan, make_trial

THREE = "x y z"


def answers(trial: str) -> list[Answer]:
    """One answer of each shape, about each of the trial's outputs."""
    systems = {"t0": THREE, "t1": "x", "t2": "x y"}[trial].split()
    made = [Answer(criterion="good", system=SystemId(s), score=3) for s in systems]
    made += [Answer(criterion="fit", system=SystemId(s), rank=1) for s in systems]
    made += [Answer(criterion="origin", system=SystemId(s), answer="real") for s in systems]
    made += [Answer(criterion="errors", field="text", system=SystemId(s)) for s in systems]
    return [*made, Answer(criterion="better", winner="tie", first="a")]


def send(store: Store, trial: str, order: tuple[int, ...], rater: str = "ann") -> None:
    sent = Submission(
        id=f"{rater} {trial}",
        rater=RaterId(rater),
        trial=cast(Any, trial),
        study_version=1,
        at=at(1),
        answers=tuple(answers(trial)),
        order=order,
    )
    store.submit(sent, now=at(2))


def places(store: Store, shape: Shape) -> list[tuple[Any, ...]]:
    table = store.table(shape)
    return [
        (f"{trial}{system}", place)
        for trial, system, place in zip(
            table["trial"], table["system"], table["place"], strict=True
        )
    ]


def filled(store: Store) -> None:
    trials = [make_trial("t0", "i0", THREE), make_trial("t1", "i1", "x"), make_trial("t2", "i2")]
    fill(store, make_plan(trials, ["t0 t1 t2"]))
    enroll(store, "ann")
    # At the first place stands the third output, z, at the second the first, x.
    send(store, "t0", (2, 0, 1))
    send(store, "t1", ())  # an import that says nothing: the plan shows one output alone
    send(store, "t2", ())  # an import that says nothing of two outputs


EXPECTED = [("t0x", 2), ("t0y", 3), ("t0z", 1), ("t1x", 1), ("t2x", None), ("t2y", None)]
SHAPES: tuple[Shape, ...] = ("ratings", "rankings", "detections", "spans")


@pytest.mark.parametrize("shape", SHAPES)
def test_the_place_comes_from_the_order_shown(store: Store, shape: Shape) -> None:
    filled(store)
    assert places(store, shape) == EXPECTED
    assert "place" not in store.table("votes")  # about two outputs; `first` says it


def test_a_store_from_before_is_filled_and_append_only_again(database_url: str) -> None:
    with Store.open(database_url) as store:
        filled(store)
        with store.database.engine.begin() as connection:  # as revision 0003 left it
            for view in reversed(VIEWS):
                connection.execute(text(f'DROP VIEW "{view}"'))
            connection.execute(text("ALTER TABLE raters DROP COLUMN key_hash"))
            connection.execute(text("ALTER TABLE response_rows DROP COLUMN place"))
            connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '0003'"))
    with Store.open(database_url) as store:
        for shape in SHAPES:
            assert places(store, shape) == EXPECTED
        with (
            pytest.raises(DatabaseError, match="response_rows is append-only"),
            store.database.engine.begin() as connection,
        ):
            connection.execute(text("UPDATE response_rows SET place = 1"))
