"""Real photographs and Stable Diffusion, told apart by 112 people."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import stats

import jurybox as jb
from jurybox.stats.detection.turing import Counts, plain_sensitivity
from jurybox.stats.distributions import t_quantile
from jurybox.stats.shares import wilson
from tests import reference
from tests.reference import QUICK


def gengap_turing() -> Any:
    table = reference.table("gengap_turing", "responses_long.csv")
    people = jb.turing_test(table, cluster="rater")
    rows = reference.rows_of("gengap_turing/data/responses_long.csv")
    kept = [row for row in rows if row["passed_attention_check"] == "1"]
    total = Counts(
        hits=sum(r.hits for r in people.raters),
        generated=sum(r.generated for r in people.raters),
        false_alarms=sum(r.false_alarms for r in people.raters),
        real=sum(r.real for r in people.raters),
    )
    d_prime, bias = plain_sensitivity(total) or (None, None)
    accuracy = people.balanced_accuracy
    assert accuracy is not None
    assert accuracy.interval is not None
    assert accuracy.estimate is not None
    assert people.hit is not None
    assert people.fooling is not None
    assert people.false_rejection is not None
    rejected = people.false_rejection.estimate or 0
    half = (accuracy.interval.high - accuracy.interval.low) / 2
    # The notebook's "one sample t-test" is a z on 112 single trials, of the rounded accuracy.
    share = round(accuracy.estimate, 4)
    z = (share - 0.5) / math.sqrt(share * (1 - share) / len(people.raters))
    pooled = wilson(accuracy.estimate, len(kept), 0.95)
    anova = list(_mixed_anova(people))
    everybody = len({row["participant"] for row in rows})
    ages = {
        age: jb.turing_test(
            reference.table("gengap_turing", "responses_long.csv", only={"age_group": age})
        )
        for age in ("young", "old")
    }
    return {
        "published": {
            "n_before": everybody,
            "n_failed_attention": len(jb.analyze(table, **QUICK).excluded),
            "n_after": len(people.raters),
            "overall_accuracy": accuracy.estimate,
            "abstract_accuracy": f"{100 * accuracy.estimate:.1f}%",
            "t_statistic_printed": z,
            "p_printed": 2 * stats.t.sf(z, len(people.raters) - 1),
            "p_image_authenticity": f"{anova[1]['p_unc']:.3f} (figure title)".lstrip("0"),
        },
        "computed": {
            "n_total": everybody,
            "n_clean": len(people.raters),
            "n_responses": sum(r.n_responses or 0 for r in people.raters),
            "missing": sum(not row["answer"] for row in rows),
            "accuracy": accuracy.estimate,
            "acc_real": 1 - rejected,
            "acc_fake": people.hit.estimate,
            **{f"acc_{age}": _accuracy(test) for age, test in ages.items()},
            **{f"n_{age}": len(test.raters) for age, test in ages.items()},
            "notebook_style_t": z,
            "proper_one_sample_t": (accuracy.estimate - 0.5) / (half / t_quantile(0.95, 111)),
            "proper_p": accuracy.p,
            "hit_rate_machine": people.hit.estimate,
            "false_alarm_rate": rejected,
            "dprime_pooled": d_prime,
            "criterion_c_pooled": bias,
            "fooling_rate_machine_called_human": people.fooling.estimate,
            "acc_all_120": sum(row["truth"] == row["answer"] for row in rows) / len(rows),
            "wilson95_pooled": [pooled.low, pooled.high],
            "mixed_anova": anova,
        },
    }


def _accuracy(test: jb.TuringTest) -> float | None:
    return None if test.balanced_accuracy is None else test.balanced_accuracy.estimate


def _mixed_anova(people: jb.TuringTest) -> Iterator[dict[str, Any]]:
    """Age between people, truth within them, in percent right."""
    young = set(reference.gengap(age="young")["rater"])
    real = {r.rater: 100 * (1 - (r.false_rejection or 0)) for r in people.raters}
    fake = {r.rater: 100 * (1 - (r.fooling_rate or 0)) for r in people.raters}
    groups = [[r for r in real if (r in young) is side] for side in (True, False)]
    means = [np.array([(real[r] + fake[r]) / 2 for r in group]) for group in groups]
    gaps = [np.array([real[r] - fake[r] for r in group]) for group in groups]
    n, grand = len(real), np.concatenate(means).mean()
    overall = np.concatenate(gaps).mean()
    error = sum(((g - g.mean()) ** 2).sum() for g in gaps) / 2
    sums = (
        (
            "age_group",
            2 * sum(len(m) * (m.mean() - grand) ** 2 for m in means),
            2 * sum(((m - m.mean()) ** 2).sum() for m in means),
        ),
        ("truth", n * overall**2 / 2, error),
        ("Interaction", sum(len(g) * (g.mean() - overall) ** 2 for g in gaps) / 2, error),
    )
    for name, own, left in sums:
        f = own / (left / (n - 2))
        yield {
            "Source": name,
            "SS": own,
            "DF1": 1,
            "DF2": n - 2,
            "MS": own,
            "F": f,
            "p_unc": stats.f.sf(f, 1, n - 2),
            "np2": own / (own + left),
        }
