"""The set of a study: its media probed, then checked; a bar on a terminal while it takes long."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jurybox.analysis import Analysis
    from jurybox.design import Plan
    from jurybox.design.set_checks import SetCheck
    from jurybox.study import Material, Study

__all__ = ["check_fairness", "with_set"]


def check_fairness(
    study: Study, material: Material, *, plan: Plan | None = None
) -> tuple[SetCheck, ...]:
    """Check the set: of a planned study the items in its plan, else all."""
    from rich.console import Console

    from jurybox.cli.bars import progress_bars
    from jurybox.design.set_checks import check_set
    from jurybox.screen.probe import probe_media

    with progress_bars(Console(stderr=True), only_terminal=True) as bar:
        facts = probe_media(study, material, tell=bar("Looking at media"))
    planned = {trial.item for trial in plan.trials if trial.kind == "main"} if plan else None
    return check_set(study, material, facts=facts, items=planned)


def with_set(analysis: Analysis, study: Study, material: Material, plan: Plan | None) -> Analysis:
    """The analysis with the findings on its set."""
    from jurybox.analysis.set_chapter import add_set

    return add_set(analysis, check_fairness(study, material, plan=plan))
