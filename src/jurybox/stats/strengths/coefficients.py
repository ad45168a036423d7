"""What the first place and covariates add to the log odds of winning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from jurybox.results import Result
from jurybox.stats.clusters import Cluster, Generalize, OneWay, claims, t_interval
from jurybox.stats.distributions import t_two_sided
from jurybox.stats.strengths.results import Fit
from jurybox.stats.strengths.vote_fit import CoreFit, Settings

__all__ = ["Asked", "Coefficient", "coefficients_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient(Result):
    """What something beside the systems adds to the log odds of winning."""

    label: ClassVar[str] = "effect on the log odds of winning"
    neutral: ClassVar[float | None] = 0.0

    covariate: str
    """``position`` (shown first), or the name of the covariate (one unit more than the other)."""

    @property
    def name(self) -> str:
        """The covariate."""
        return self.covariate


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The settings of every interval."""

    confidence: float
    cluster: Cluster
    generalize: Generalize

    @property
    def summed(self) -> tuple[str, ...]:
        """The kinds of clusters whose scores the covariance adds up."""
        if self.cluster is None:
            return ()
        if self.cluster == "both" and self.generalize == "raters+items":
            return ("item", "rater", "cell")
        return ("rater",) if self.cluster == "rater" else ("item",)

    @property
    def counted(self) -> tuple[str, ...]:
        """The kinds that are only counted."""
        if self.cluster is None:
            return ()
        return tuple(kind for kind in ("item", "rater") if kind not in self.summed)

    @property
    def options(self) -> dict[str, Any]:
        """The same as keywords."""
        return {
            "confidence": self.confidence,
            "cluster": self.cluster,
            "generalize": self.generalize,
        }


def coefficients_of(
    fitted: Sequence[CoreFit], full: Sequence[Fit], settings: Settings, asked: Asked
) -> tuple[Coefficient, ...]:
    """The coefficients of the only fit; with several groups they differ, and none is given."""
    found = []
    for name in settings.names:
        if len(fitted) != 1:
            why = (
                "the systems fall into groups that are fitted apart"
                if fitted
                else "no strengths could be fitted"
            )
            found.append(Coefficient(estimate=None, undefined=why, covariate=name))
            continue
        fit = fitted[0]
        if name not in fit.names:
            found.append(Coefficient(estimate=None, undefined=fit.missing[name], covariate=name))
            continue
        found.append(_coefficient(fit, full[0], fit.names.index(name), asked))
    return tuple(found)


def _coefficient(fit: CoreFit, full: Fit, c: int, asked: Asked) -> Coefficient:
    design = fit.votes.design
    at = design.size + design.tied + c
    scale = float(fit.scale[c])
    found = {}
    for kind, (matrix, clusters) in full.covariances.items():
        large = clusters > 1 and matrix[at, at] > 1e-12 * fit.bread[at, at]
        factor = clusters / (clusters - 1) if large else 0.0
        found[kind] = OneWay(variance=float(matrix[at, at]) * factor / scale**2, clusters=clusters)
    claim = claims(found, cluster=asked.cluster, generalize=asked.generalize)
    estimate = float(fit.at[at]) / scale
    main = claim.main
    return Coefficient(
        estimate=estimate,
        interval=t_interval(estimate, main, asked.confidence),
        these_raters=t_interval(estimate, claim.these_raters, asked.confidence),
        p=None if main is None else t_two_sided(estimate / main.se, main.df),
        n_items=found["item"].clusters if "item" in found else None,
        n_raters=found["rater"].clusters if "rater" in found else None,
        n_responses=full.n_responses,
        undefined=claim.undefined,
        notes=claim.notes,
        covariate=fit.names[c],
    )
