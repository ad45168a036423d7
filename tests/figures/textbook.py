"""The tables of textbooks."""

from __future__ import annotations

import math
import statistics
from typing import Any

import jurybox as jb
from jurybox.stats.agreement.alpha import Level
from jurybox.stats.agreement.icc import IccForm
from jurybox.stats.distributions import t_quantile
from jurybox.stats.strengths.bradley_terry import bradley_terry
from jurybox.stats.strengths.vote_fit import CoreFit, Settings, Ties, fit_core
from jurybox.tally.reading import read
from jurybox.tally.votes import vote_cells
from tests import reference
from tests.reference import QUICK


def textbook() -> Any:
    fleiss = reference.fleiss()
    ac = jb.gwet_ac(fleiss)
    # Gwet's interval holds for these raters: t with items − 1 = 29 degrees of freedom.
    half = t_quantile(0.95, 29) * (ac.item_error or 0)
    kappa = jb.fleiss_kappa(fleiss, **QUICK).estimate
    levels: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
    alphas = {
        level: jb.krippendorff_alpha(reference.krippendorff(), level=level, **QUICK).estimate
        for level in levels
    }
    return {
        "krippendorff2011": {"published": alphas, "computed": alphas},
        "fleiss1971": {
            "published": {"kappa": kappa},
            "computed": {
                "kappa": kappa,
                "randolph": jb.brennan_prediger(fleiss).estimate,
                "gwet": {
                    "est": ac.estimate,
                    "se": ac.item_error,
                    "ci": [(ac.estimate or 0) - half, (ac.estimate or 0) + half],
                    "pa": ac.observed,
                    "pe": ac.chance,
                },
                "alpha_nominal": jb.krippendorff_alpha(fleiss, level="nominal", **QUICK).estimate,
            },
        },
        "shrout_fleiss1979": _shrout_fleiss(),
        "agresti_baseball1987": _baseball(),
        "davidson1970_pudding": _pudding(),
    }


FORMS: dict[IccForm, tuple[str, str]] = {
    "ICC(1,1)": ("ICC11", "ICC(1,1)"),
    "ICC(2,1)": ("ICC21", "ICC(A,1)"),
    "ICC(3,1)": ("ICC31", "ICC(C,1)"),
    "ICC(1,k)": ("ICC14", "ICC(1,k)"),
    "ICC(2,k)": ("ICC24", "ICC(A,k)"),
    "ICC(3,k)": ("ICC34", "ICC(C,k)"),
}
"""The names of the six forms in the paper and in pingouin."""


def _shrout_fleiss() -> Any:
    published, computed = {}, {}
    for form, (in_paper, in_package) in FORMS.items():
        found = jb.icc(reference.shrout_fleiss(), form=form)
        assert found.interval is not None
        published[in_paper] = found.estimate
        computed[in_package] = {
            "ICC": found.estimate,
            "CI95": [found.interval.low, found.interval.high],
        }
    return {"published": published, "computed": computed}


def _baseball() -> Any:
    computed: dict[str, Any] = {}
    votes = vote_cells(read(reference.baseball(), shape="votes"), first=True)
    base = votes.systems.index("Baltimore")
    published: dict[str, Any] = {}
    for model, position in (("model1", False), ("model2", True)):
        # By the order of the two teams, too: the published deviance is that of 42 cells.
        settings = Settings(ties="drop", position=position)
        found = bradley_terry(votes, settings, cluster=None)
        gaps = {
            row.name: row.estimate - found["Baltimore"].estimate
            for row in found
            if row.name != "Baltimore"
        }
        fit = fit_core(votes, tuple(range(7)), settings)
        assert isinstance(fit, CoreFit)
        assert found.fit is not None
        computed |= {
            model: gaps,
            f"{model}_deviance": found.fit.deviance,
            f"{model}_df": found.fit.df,
        }
        if not position:
            v = fit.bread
            errors = {
                name: math.sqrt(v[k, k] + v[base, base] - 2 * v[k, base])
                for k, name in enumerate(votes.systems)
                if k != base
            }
            computed["model1_se"] = errors
            published["model1_sorted"] = sorted(gaps.values())
            published["se_about"] = statistics.fmean(errors.values())
            continue
        worth = {row.name: math.exp(row.estimate or 0) for row in found}
        shares = {name: value / sum(worth.values()) for name, value in worth.items()}
        home = found.coefficients[0].estimate
        computed["home_advantage"] = published["home_advantage"] = home
        computed["home_se"] = math.sqrt(fit.bread[-1, -1]) / fit.scale[0]
        computed["model2_abilities_sum1"] = shares
        published["model2_abilities_sorted"] = sorted(shares.values())
    return {"published": published, "computed": {"reference": "Baltimore", **computed}}


def _pudding() -> Any:
    found: dict[str, dict[str, Any]] = {}
    models: dict[Ties, str] = {
        "davidson": "davidson",
        "rao_kupper": "rao_kupper",
        "half": "ties_as_half",
    }
    for ties, name in models.items():
        fit = jb.bradley_terry(reference.pudding(), ties=ties)
        worth = [math.exp(fit[system].estimate) for system in "123456"]
        found[f"computed_{name}"] = {"worth_sum1": [each / sum(worth) for each in worth]}
        if ties != "half":
            found[f"computed_{name}"] |= {
                "tie_param": fit.tie_parameter,
                "loglik": fit.log_likelihood,
            }
    davidson = found["computed_davidson"]
    published = {"worth": davidson["worth_sum1"], "tie": davidson["tie_param"]}
    return {"published": published, **found}
