"""What the organizer's pages take from other rooms: analysis, report, raters, calibration.

Each is a function of the study's database, so that it can be done in another process.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jurybox.analysis.calibration_round import CriterionAgreement
    from jurybox.analysis.finding import Analysis
    from jurybox.analysis.raters.overview import RaterOverview
    from jurybox.cli.aside import Aside
    from jurybox.design.set_checks import SetCheck
    from jurybox.store import Store
    from jurybox.study import Material, Study
    from jurybox.web.app import Offers

__all__ = ["make_offers"]

Names = Mapping[str, str]
"""What the systems are called until the organizer unblinds; then there are none."""


def make_offers(
    study: Study, material: Material, store: Store, aside: Aside | None = None
) -> Offers:
    """What is made when a page asks for it: aside, or here where there is no other process."""
    from jurybox.web.app import Offers

    def do(work: Any, *given: Any) -> Any:
        return work(store, *given) if aside is None else aside.do(work, *given)

    @cache  # media take long to look at, and do not change while they are served
    def checked(names: tuple[tuple[str, str], ...]) -> tuple[SetCheck, ...]:
        found: tuple[SetCheck, ...] = do(_check, study, material, dict(names))
        return found

    def report(names: Names) -> str:
        return str(do(_report, study, material, names, checked(tuple(names.items()))))

    return Offers(
        prepare=None if aside is None else lambda: aside.begin(_prepare),
        analyze=lambda names: do(_analyze, study, material, names),
        report=report,
        raters=lambda: do(_raters, study, material),
        rules=lambda: do(_rules, study),
        calibration=lambda: do(_calibration, study),
    )


def _prepare(store: Store) -> None:
    """What every number takes: with it at hand, only the counting is left to wait for."""
    from jurybox.analysis import api  # noqa: F401
    from jurybox.analysis.raters import overview  # noqa: F401

    store.submissions(limit=1)


def _analyze(store: Store, study: Study, material: Material, names: Names) -> Analysis:
    from jurybox.analysis.api import analyze
    from jurybox.analysis.blinded import BlindStore, blind_material, blind_study

    return analyze(
        BlindStore(store, names) if names else store,
        study=blind_study(study, names),
        material=blind_material(material, names) if names else material,
    )


def _check(store: Store, study: Study, material: Material, names: Names) -> tuple[SetCheck, ...]:
    from jurybox.analysis.blinded import blind_material, blind_study
    from jurybox.cli.set_check import check_fairness

    seen = blind_material(material, names) if names else material
    return check_fairness(blind_study(study, names), seen, plan=store.load_plan())


def _report(
    store: Store,
    study: Study,
    material: Material,
    names: Names,
    checks: tuple[SetCheck, ...],
) -> str:
    from jurybox.analysis.blinded import blind_material, blind_study
    from jurybox.analysis.set_chapter import add_set
    from jurybox.report import html
    from jurybox.report.fieldwork.nothing import analyzed_or_nothing
    from jurybox.study.guide import make_guide

    guide, called = make_guide(study, material), blind_study(study, names)
    analysis = analyzed_or_nothing(
        lambda: _analyze(store, study, material, names),
        called,
        blind_material(material, names) if names else material,
        sent=store.table("submissions"),
        left_out=lambda: _raters(store, study, material).excluded,
    )
    return html(add_set(analysis, checks), study=called, guide=guide)


def _raters(store: Store, study: Study, material: Material) -> RaterOverview:
    from jurybox.analysis.raters.overview import look_at_raters

    return look_at_raters(store, study=study, material=material)


def _rules(store: Store, study: Study) -> dict[str, str]:
    from jurybox.analysis.raters.overview import find_broken_rules

    return find_broken_rules(store, study=study)


def _calibration(store: Store, study: Study) -> tuple[CriterionAgreement, ...]:
    from jurybox.analysis.calibration_round import RoundStore, round_agreement

    return round_agreement(RoundStore(store, "calibration"), study=study)
