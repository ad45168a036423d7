"""Agreement on many criteria is a few sentences, and no number loses its interval."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from jurybox.analysis.finding import Finding, Together
from jurybox.report.said.together import said_together as together
from jurybox.stats.agreement.patterns import Agreement
from tests.report.conftest import interval

CRITERIA = {"fidelity": (0.4, 0.3, 0.5), "tone": (0.7, 0.6, 0.75), "grammar": (0.5, 0.45, 0.55)}


def said_together(findings: Iterable[Finding]) -> tuple[str, ...]:
    return tuple(said.text for said in together(findings))


def agreed(kind: str, criterion: str, *, sizes: int = 90, more: str = "") -> Finding:
    value, low, high = CRITERIA[criterion]
    statistic = "Fleiss' kappa" if kind == "fleiss" else "Krippendorff's alpha"
    result = Agreement(
        statistic=statistic,
        estimate=value,
        interval=interval(low, high),
        n_responses=sizes,
        n_raters=6,
        n_items=15,
    )
    return Finding(
        id=f"{kind}/{criterion}",
        sentence=f"Agreement on {criterion} is something.{more}",
        result=result,
        standing="quality",
        criterion=criterion,
        together=Together(
            before=statistic if kind == "fleiss" else "Agreement", of=criterion, after=more
        ),
    )


def test_alpha_on_three_criteria_is_one_sentence_for_each_word() -> None:
    (said,) = said_together([agreed("agreement", name) for name in CRITERIA])
    assert said == (
        "Agreement is too low to rely on (Krippendorff's words) on fidelity (α = 0.400, 95% "
        "interval 0.300 to 0.500) and grammar (α = 0.500, 95% interval 0.450 to 0.550). On tone "
        "(α = 0.700, 95% interval 0.600 to 0.750) it is between too low to rely on and "
        "tentative. Each rests on 90 responses, 6 raters, 15 items. The table has it within "
        "systems, too."
    )


def test_kappa_keeps_what_to_do_for_each_criterion() -> None:
    (said,) = said_together([agreed("fleiss", name, sizes=k) for k, name in enumerate(CRITERIA)])
    assert said == (
        "Fleiss' kappa is between fair and moderate (Landis and Koch's words) on fidelity "
        "(κ = 0.400, 95% interval 0.300 to 0.500). On tone (κ = 0.700, 95% interval 0.600 to "
        "0.750) it is substantial. On grammar (κ = 0.500, 95% interval 0.450 to 0.550) it is "
        "moderate. What to do: on fidelity, calibrate the raters together; on tone, go on; on "
        "grammar, aim for 0.6 before production."
    )


def test_what_was_before_exclusion_is_said_in_short() -> None:
    (said,) = said_together([agreed("agreement_before", name) for name in CRITERIA])
    assert said == (
        "Before exclusion, α is from 0.400 to 0.700 on the 3 criteria; the table with and without "
        "exclusions has each with its interval."
    )


def test_one_criterion_and_a_sentence_that_says_more_stand_alone() -> None:
    one = agreed("agreement", "fidelity")
    remark = " The low α beside many equal answers is prevalence: 95% of the answers are '1'."
    alone = replace(agreed("agreement", "grammar", more=remark), together=None)
    assert said_together([one, alone]) == (one.sentence, alone.sentence)


def test_two_criteria_share_a_sentence() -> None:
    two = [agreed(kind, name) for kind in ("agreement", "fleiss") for name in ("fidelity", "tone")]
    alphas, kappas = said_together(two)
    assert alphas.count("α = ") == kappas.count("κ = ") == 2


def test_that_a_rule_raised_the_agreement_is_kept() -> None:
    raised = " A rule raised it."
    (said,) = said_together([agreed("agreement", name, more=raised) for name in CRITERIA])
    assert said.count(raised) == 1
