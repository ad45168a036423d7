"""A whole study before its launch: simulated raters, the real plan, store and analysis.

What is planted is known, so that the analysis can be asked whether it found it. Nothing is written
but into the store that is given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

from jurybox.analysis import Analysis, Finding, analyze, main_findings
from jurybox.design.plan import Plan
from jurybox.errors import InputError
from jurybox.simulate.run import Simulated, run
from jurybox.simulate.truth import (
    Kind,
    Truth,
    expected_real_rate,
    expected_score,
    expected_win_rate,
)
from jurybox.stats.distributions import normal_score
from jurybox.study.material import Material
from jurybox.study.model import Study, SystemId

if TYPE_CHECKING:
    from jurybox.store import Store

__all__ = ["Planted", "Rehearsal", "plant", "planted_contrast", "rehearse"]

MIDDLE = 0.55
"""The quality of a system of which nothing is said: a little above the middle of the scale."""
ACCEPTED = 0.7
"""In detect: how often such a system's outputs, and real ones, are taken for real."""
START = datetime(2000, 1, 1, 9, tzinfo=UTC)
ContrastKind = Literal["difference", "win_rate", "acceptance"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """The comparison that the study is about, and what was planted in it."""

    kind: ContrastKind
    systems: tuple[str, ...]
    criterion: str | None
    truth: float | None
    """``None`` where it has no closed form, as for criteria computed from others."""

    @property
    def null(self) -> float:
        """What it would be if the two were alike."""
        return 0.5 if self.kind == "win_rate" else 0.0

    def turned(self, value: float) -> float:
        """The same seen from the other system."""
        return 2 * self.null - value


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """One simulated study: what was found of what was planted."""

    planted: Planted
    simulated: Simulated
    analysis: Analysis | None = field(repr=False)
    """``None`` where nothing but the planted comparison was looked for."""
    finding: Finding | None
    """The finding about the planted comparison; ``None`` where the analysis has none."""
    estimate: float | None
    low: float | None
    high: float | None
    """Seen from the first planted system."""

    @property
    def found(self) -> bool:
        """Whether the two are told apart, in the planted direction."""
        if self.finding is None or not self.finding.told or self.estimate is None:
            return False
        truth = self.planted.truth
        if truth is None or truth == self.planted.null:
            return True
        return (self.estimate > self.planted.null) == (truth > self.planted.null)

    @property
    def covers(self) -> bool | None:
        """Whether the interval holds the planted truth."""
        if self.low is None or self.high is None or self.planted.truth is None:
            return None
        return self.low <= self.planted.truth <= self.high


def plant(study: Study, systems: Sequence[SystemId], added: Mapping[str, float]) -> Truth:
    """The truth in which all systems are alike but for what is added, in lengths of the scale.

    A hidden reference is recognized, or the rule that asks for it would leave everybody out.
    """
    unknown = [name for name in added if name not in systems]
    if unknown:
        raise InputError(
            f"there is no system {unknown[0]!r}; the study has {', '.join(map(str, systems))}"
        )
    bare = Truth(quality={}, bad_below=-np.inf)
    middle = MIDDLE
    if study.protocol == "detect":
        middle = 0.5 + normal_score(ACCEPTED) * bare.spread
    quality = {str(system): middle + added.get(system, 0.0) for system in systems}
    hidden = frozenset(
        name for name, system in (study.systems or {}).items() if system.hidden_reference
    )
    fixed = [name for name in added if name in hidden]
    if fixed:
        raise InputError(
            f"{fixed[0]} is the hidden reference, which careful raters give the top of the scale; "
            "add to another system"
        )
    return Truth(
        quality={name: quality for name in study.criteria}, recognized=hidden, bad_below=-np.inf
    )


def planted_contrast(study: Study, systems: Sequence[SystemId], truth: Truth) -> Planted:
    """What ``analysis.primary`` compares; without it the two systems that are planted furthest.

    A hidden reference or an anchor is compared only if the study says so: what it is, is known.
    """
    first = next(iter(truth.quality.values()))
    if study.protocol == "detect":
        real = [SystemId(name) for name in study.real]
        made = [system for system in systems if system not in real]
        name = next(iter(study.criteria))
        furthest = max(made, key=lambda each: abs(first[each] - first[real[0]]))
        accepted = [expected_real_rate(truth, name, each) for each in real]
        gap = expected_real_rate(truth, name, furthest) - sum(accepted) / len(accepted)
        return Planted(kind="acceptance", systems=(furthest,), criterion=None, truth=gap)
    primary = study.analysis.primary
    named = None if primary is None else primary.win_rate or primary.mean
    if named is None:
        if len(systems) < 2:
            raise InputError(
                f"the study has one system, {systems[0]}: a rehearsal looks for a difference that "
                "was planted between two; add a system to the study"
            )
        known = study.systems or {}
        anchors = {name for name in known if known[name].anchor}
        judged = [each for each in systems if each not in truth.recognized | anchors]
        pairs = combinations(judged if len(judged) > 1 else systems, 2)
        named = max(pairs, key=lambda pair: abs(first[pair[0]] - first[pair[1]]))
        named = named if first[named[0]] >= first[named[1]] else (named[1], named[0])
    one, two = SystemId(named[0]), SystemId(named[1])
    asked = None if primary is None else primary.criterion
    by_mean = primary is not None and primary.mean is not None
    voted = study.protocol in ("compare", "rank") and not by_mean
    for name, criterion in study.criteria.items():
        if asked not in (None, name):
            continue
        if voted and criterion.per != "output":
            ties = "tie" in (criterion.choices or ()) or criterion.graded or criterion.ties
            rate = expected_win_rate(truth, name, one, two, ties=ties)
            # A third output on the screen makes no difference to an order without ties.
            exact = study.protocol == "compare" or (criterion.answer == "order" and not ties)
            exact = exact and not {one, two} & truth.recognized
            return Planted(
                kind="win_rate",
                systems=(one, two),
                criterion=name,
                truth=rate if exact else None,
            )
        if not voted and criterion.scale is not None:
            scores = [expected_score(truth, criterion.scale, name, each) for each in (one, two)]
            return Planted(
                kind="difference", systems=(one, two), criterion=name, truth=scores[0] - scores[1]
            )
    return Planted(kind="difference", systems=(one, two), criterion=asked, truth=None)


def rehearse(
    study: Study,
    material: Material,
    plan: Plan,
    store: Store,
    truth: Truth,
    *,
    seed: int,
    raters: Sequence[Kind] | None = None,
    whole: bool = True,
) -> Rehearsal:
    """Let simulated raters answer the plan in the store, analyze it, and look for what is planted.

    The raters come in an order drawn by the seed, so that no kind has the first booklets.
    Without the ``whole`` analysis the same is found of what is planted, in a fraction of the time.
    """
    kinds = None
    if raters is not None:
        order = np.random.default_rng((seed, 1)).permutation(len(raters))
        kinds = [raters[k] for k in order]
    done = run(study, material, plan, store, truth, seed=seed, now=START, raters=kinds)
    analysis = analyze(store, study=study, material=material, seed=seed) if whole else None
    findings = (
        main_findings(store, study=study, material=material, seed=seed)
        if analysis is None
        else analysis.findings
    )
    planted = planted_contrast(study, material.systems, truth)
    finding = _look(findings, planted)
    estimate = low = high = None
    if finding is not None and finding.result.estimate is not None:
        interval = finding.result.claimed
        ends = () if interval is None else (interval.low, interval.high)
        values = [finding.result.estimate, *ends]
        if finding.systems != planted.systems:
            values = [planted.turned(value) for value in values]
        estimate = values[0]
        low, high = (min(values[1:]), max(values[1:])) if ends else (None, None)
    return Rehearsal(
        planted=planted,
        simulated=done,
        analysis=analysis,
        finding=finding,
        estimate=estimate,
        low=low,
        high=high,
    )


def _look(findings: Sequence[Finding], planted: Planted) -> Finding | None:
    for finding in findings:
        same = set(finding.systems) == set(planted.systems)
        of_it = planted.criterion in (None, finding.criterion)
        if finding.kind == planted.kind and same and of_it:
            return finding
    return None
