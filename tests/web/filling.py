"""A study in the middle of its life: calibrated, half answered, with raters of several kinds."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from jurybox.cli.offers import make_offers
from jurybox.design import make_plan
from jurybox.simulate.run import run
from jurybox.simulate.truth import Kind, Truth
from jurybox.store import Submission
from jurybox.study.model import RaterId
from tests.web.serving import Served

if TYPE_CHECKING:
    from jurybox.design.plan import Round
    from jurybox.web.site import Offers

QUALITY = {"zebra-model": 0.8, "quagga-model": 0.5, "okapi-model": 0.2}
TRUTH = Truth(quality={"correct": QUALITY, "clear": QUALITY}, seconds=20)
KINDS: tuple[Kind, ...] = ("careful", "straight_liner", "drop_out")


def real_offers(served: Served) -> Offers:
    """What the command line gives the pages."""
    return make_offers(served.study, served.material, served.store)


def fill(served: Served, *, now: datetime, kinds: tuple[Kind, ...] = KINDS) -> None:
    """Let simulated raters calibrate, then answer, within the last three hours."""
    answer_round(served, "calibration", ("careful",) * 4, now - timedelta(hours=3))
    answer_round(served, "main", kinds, now - timedelta(hours=2))


def answer_round(served: Served, round: Round, kinds: tuple[Kind, ...], now: datetime) -> None:
    """Let raters of these kinds answer one round."""
    study, material, store = served.study, served.material, served.store
    plan = store.load_plan(round)
    if plan is None:
        plan = make_plan(study, material, round=round)
        store.save_plan(plan, version=1, now=now)
    run(study, material, plan, store, TRUTH, seed=3, now=now, raters=kinds)


def trouble(served: Served, *, now: datetime) -> None:
    """A rater changes an answer, skips a trial, writes comments and reports a problem."""
    store, rater = served.store, RaterId("rater-01")
    first = store.submissions(rater=rater)[-1].submission
    again = Submission(
        **{
            name: getattr(first, name)
            for name in ("rater", "trial", "study_version", "answers", "slot", "round", "session")
        },
        id="again",
        position=first.position,
        order=first.order,
        ms=4200,
        at=now,
        comment="On second thought <b>worse</b>.",
    )
    store.submit(again, now=now)
    words = "The answer is cut off in the middle."
    store.event("problem", rater=rater, trial=first.trial, detail={"words": words}, now=now)
