"""Who sees what: trials, pairs, orders, sides, checks and booklets, from the study and one seed."""

from __future__ import annotations

from jurybox.design.balance import Balance, balance
from jurybox.design.plan import Booklet, Plan, Slot, Trial
from jurybox.design.planning import extend_plan, make_plan
from jurybox.design.timing import expected_seconds
from jurybox.design.trials import find_known

__all__ = [
    "Balance",
    "Booklet",
    "Plan",
    "Slot",
    "Trial",
    "balance",
    "expected_seconds",
    "extend_plan",
    "find_known",
    "make_plan",
]
