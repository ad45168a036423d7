"""The methods paragraph names every test that the report prints, from what was found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jurybox.analysis.finding import Analysis, Column, Facts, Finding, Table
from jurybox.analysis.pairs import RANKINGS
from jurybox.analysis.spans import costs
from jurybox.analysis.table import Method
from jurybox.report.methods.paragraph import methods
from jurybox.report.methods.references import references
from jurybox.results import Interval, Result
from jurybox.stats.agreement.concordance import Concordance
from jurybox.stats.agreement.patterns import Agreement
from jurybox.stats.detection.calibration import ExpectedError, Slope
from jurybox.stats.detection.turing import Sensitivity
from jurybox.stats.differences import Difference
from jurybox.stats.judges.alternative_annotator import AlternativeAnnotatorTest
from jurybox.stats.means import MeanScore
from jurybox.stats.shares import Share
from jurybox.stats.strengths.goodness import GoodnessOfFit
from jurybox.study import Study


def held(method: str) -> Interval:
    return Interval(low=0.1, high=0.9, confidence=0.95, method=method)


T = held("clustered by rater and item, t(11)")
SAID = "(p = 0.020)"
FIGURE: dict[str, Any] = {"estimate": 0.5, "interval": T, "p": 0.02}
ALONE: dict[str, Any] = {"estimate": 0.5, "undefined": "a test has no interval", "p": 0.02}


def found(id: str, result: Result, sentence: str = SAID) -> Finding:
    return Finding(id=id, sentence=sentence, result=result)


def said(analysis: Analysis, *findings: Finding) -> str:
    return methods(replace(analysis, findings=findings), None, {})


def test_figures_are_named_by_what_they_were_tested_against_and_how(analysis: Analysis) -> None:
    at_edge = held("Wilson with n = 3 clusters")
    text = said(
        analysis,
        found("difference/x", Difference(system="a", other="b", criterion="x", **FIGURE)),
        found("d_prime", Sensitivity(**FIGURE)),
        found("win_rate/1", Share(what="win rate", against=0.5, **FIGURE)),
        found("win_rate/2", Share(what="win rate", against=0.5, **FIGURE | {"interval": at_edge})),
        found("calibration_slope", Slope(**FIGURE)),
    )
    assert (
        "Each p is of a two-sided test: of the difference and d′ against 0, of the win rate "
        "against 50% and of the calibration slope against 1, by the t of the interval; of the win "
        "rate against 50%, by Wilson's z where the clusters do not vary."
    ) in text


def test_rankings_have_ranks_and_shares_ranked_above(analysis: Analysis) -> None:
    win = found("win_rate/x/a/b", Share(what="win rate", against=0.5, **FIGURE))
    text = said(
        analysis,
        replace(win, figure=RANKINGS.figure),
        replace(found("mean_rank/x/a", MeanScore(system="a", **FIGURE)), figure="mean rank"),
        found("agreement/x", Concordance(p_method="permutation of ranks", **FIGURE)),
    )
    assert "Those of the share ranked above, mean rank and agreement (clustered by" in text
    assert "of the share ranked above against 50%" in text
    assert "win rate" not in text
    assert "the Kendall's W" not in text


def test_what_ties_count_and_what_second_fits_do_is_said_where_there_are_any(
    analysis: Analysis,
) -> None:
    def made_by(*methods: dict[Method, str]) -> Analysis:
        tables = tuple(
            Table(id=f"made/{k}", title="", columns=(), rows=(), methods=each)
            for k, each in enumerate(methods)
        )
        return replace(analysis, findings=(strong,), tables=tables, protocol="compare")

    strong = found("strength/x/a", Result(estimate=0.5, interval=T))
    tables = made_by(
        {"ties as halves": "ties and “both bad”"},
        {"second fit": "takes out the pull of the first place"},
        {"second fit": "weights a vote by its strength over the largest one"},
    )
    assert (
        "In win rates, ties and “both bad” count half. Strengths come from the model of Bradley "
        "and Terry (1952). A second fit takes out the pull of the first place, another weights a "
        "vote by its strength over the largest one."
    ) in methods(tables, None, {})
    none = methods(made_by({}), None, {})
    assert "count half" not in none
    assert "second fit" not in none
    ranked = replace(made_by({"ties as halves": "ties"}), protocol="rank")
    assert "In shares of who is ranked above, ties count half." in methods(ranked, None, {})


def test_what_d_prime_is_made_of_is_said_with_its_correction(analysis: Analysis) -> None:
    finding = found("d_prime", Sensitivity(**FIGURE))
    assert (
        "In d′ and c generated outputs are the signal, and 0.5 is added to every count and 1 to "
        "every total (Hautus, 1995)."
    ) in said(analysis, finding)
    works = references(replace(analysis, findings=(finding,)))
    assert any("Hautus (1995), Corrections" in work for work in works)


def test_kappas_of_words_and_of_scores_are_weighted_differently(analysis: Analysis) -> None:
    kappa = (Column(name="rater", heading=""), Column(name="kappa", heading="", kind="number"))
    plain: dict[Method, str] = {"Cohen's kappa": ""}
    tables = tuple(
        Table(id=f"rater_pairs/{k}", title="", columns=kappa, rows=(("r1", 0.5),), methods=made)
        for k, made in enumerate((plain, {**plain, "quadratic weights": ""}))
    )
    text = methods(replace(analysis, findings=(), tables=tables), None, {})
    assert "Cohen's kappa, with quadratic weights where values are in order, of every two" in text


def test_what_errors_count_and_who_marks_the_same_are_said_where_a_slider_is_the_result(
    analysis: Analysis,
) -> None:
    marked = Table(id="points/errors", title="", columns=(), rows=())
    tables = (
        replace(marked, methods={"error points": costs({"minor": 1, "major": 5}, None)}),
        replace(marked, id="agreement/errors/spans"),
    )
    text = methods(replace(analysis, findings=(), tables=tables), None, {})
    assert "An error counts 1 if minor and 5 if major, summed over an output's marks; one" in text
    assert "Agreement was measured by the F1 of characters that two raters mark." in text


def test_the_methods_say_how_metrics_were_computed_and_cite_those_alone(
    analysis: Analysis,
) -> None:
    rows = tuple((name, "a", 1.0) for name in ("fid", "kid", "fid", "mine", "precision"))
    table = Table(id="metric_values", title="", columns=(), rows=rows)
    how = "features:16|real:300"
    facts = Facts(signatures=(("fid", how), ("kid", how)))
    beside = replace(analysis, findings=(), tables=(table,), facts=facts)
    text = methods(beside, None, {})
    assert "Metrics were computed thus: fid and kid (features:16|real:300)." in text
    assert "How mine and precision were computed is not recorded." in text
    cited = "\n".join(references(beside))
    assert "Heusel" in cited
    assert "Bińkowski" in cited
    assert "Kynkäänniemi" not in cited


def test_the_methods_say_how_judges_were_asked(analysis: Analysis) -> None:
    names = ("own", "sent")
    judged = tuple(
        replace(
            found(
                f"alternative_annotator/x/{name}",
                AlternativeAnnotatorTest(estimate=0.5, interval=T, judge=name, epsilon=0.2),
            ),
            standing="judge",
        )
        for name in names
    )
    asked = Study(
        title="Which?",
        protocol="compare",
        outputs="outputs.csv",
        show={"output": "text"},
        judges={"own": {"model": "m-1", "endpoint": "http://127.0.0.1:1/v1", "repeats": 2}},
    )
    text = methods(replace(analysis, findings=judged), asked, {})
    assert (
        "2 judges (own and sent) answered beside people; their answers are in no figure of" in text
    )
    assert (
        "Judges were asked without names of systems: own (model m-1, temperature 0, in both "
        "orders, 2 times each, by the study's questions and anchors). How sent was asked is not "
        "recorded."
    ) in text
    assert "judge" not in methods(replace(analysis, findings=()), asked, {})


def test_a_family_is_said_to_have_no_variance_below_a_one_way_one(analysis: Analysis) -> None:
    floor = "In a family no variance counts as less than that by raters or by items alone."
    joint: dict[str, Any] = {"p_adjusted": 0.04, "adjusted_by": "max-t over 2 comparisons"}
    pair = found("difference/x", Difference(system="a", other="b", **FIGURE | joint))
    assert floor in said(analysis, pair)
    one_way = FIGURE | joint | {"interval": held("clustered by item, t(29)")}
    pair = found("difference/x", Difference(system="a", other="b", **one_way))
    assert "max-t" in said(analysis, pair)
    assert floor not in said(analysis, pair)


def test_a_criterion_computed_from_others_is_named_with_them(analysis: Analysis) -> None:
    facts = Facts(derived=(("overall", "geometric mean", ("SC", "PR")),))
    text = methods(replace(analysis, facts=facts), None, {})
    assert "For each response, overall is the geometric mean of SC and PR. " in text
    assert "For each response" not in methods(replace(analysis, facts=Facts()), None, {})


def test_the_fit_of_unclustered_votes_is_scaled_for_nobody(analysis: Analysis) -> None:
    text = said(analysis, found("fit/x", GoodnessOfFit(**ALONE)))
    assert "who beats whom was tested by Pearson's X²." in text
    assert "Rao" not in text


def test_a_p_that_no_sentence_prints_is_not_named(analysis: Analysis) -> None:
    silent = found("pass/x", Share(what="pass rate", against=0.5, **FIGURE), "72.2% pass.")
    assert "two-sided" not in said(analysis, silent)


@pytest.mark.parametrize(
    ("finding", "words", "work"),
    [
        (
            found("fit/x", GoodnessOfFit(scaled_for=("rater", "item"), **ALONE)),
            "by Pearson's X², scaled for raters and items (Rao and Scott, 1981), against F (Thomas "
            "and Rao, 1987).",
            "Thomas and Rao (1987)",
        ),
        (
            found("calibration_error", ExpectedError(under_null=0.1, n_resamples=2000, **ALONE)),
            "was tested against 2,000 draws of what calibrated raters would answer (Bröcker",
            "Bröcker and Smith (2007)",
        ),
        (
            found(
                "alternative_annotator/x/judge",
                AlternativeAnnotatorTest(estimate=0.5, interval=T, judge="judge", epsilon=0.2),
            ),
            "(Calderon, Reichart and Dror, 2025) at ε = 0.2: a one-sided t test over items for "
            "each person, adjusted by Benjamini and Yekutieli (2001) at 5%",
            "Benjamini and Yekutieli (2001)",
        ),
        (
            found(
                "cohen/quadratic/x",
                Agreement(
                    estimate=0.5, interval=T, statistic="Cohen's kappa with quadratic weights"
                ),
            ),
            "Agreement was measured by Cohen's kappa with quadratic weights.",
            "Cohen (1968)",
        ),
        (
            found("agreement/x", Concordance(p_method="permutation of ranks", **FIGURE)),
            "by Kendall's W (p against random rankings, permutation of ranks).",
            "Kendall and Babington Smith (1939)",
        ),
    ],
)  # fmt: skip
def test_what_has_a_work_of_its_own_is_named_and_cited_only_where_it_was_done(
    analysis: Analysis, finding: Finding, words: str, work: str
) -> None:
    assert words in said(analysis, finding)
    assert "two-sided" not in said(analysis, finding)
    assert any(work in each for each in references(replace(analysis, findings=(finding,))))
    none = replace(finding.result, estimate=None, undefined="there is only one rater")
    undone = replace(finding, result=none)
    assert words not in said(analysis, undone)
    assert not any(work in each for each in references(replace(analysis, findings=(undone,))))


def test_alpha_is_named_with_the_levels_it_was_computed_of(analysis: Analysis) -> None:
    alphas = [
        found(
            f"agreement/{level}",
            Agreement(estimate=0.5, interval=T, level=level, statistic="Krippendorff's alpha"),
        )
        for level in ("ordinal", "nominal", "ordinal")
    ]
    assert "measured by Krippendorff's alpha (ordinal and nominal)." in said(analysis, *alphas)


def test_kappas_of_pairs_that_are_not_shown_are_not_named(analysis: Analysis) -> None:
    def with_kappas(*rows: tuple[object, ...]) -> Analysis:
        pairs = Table(
            id="rater_pairs/x",
            title="Pairs of raters",
            columns=(
                Column(name="rater", heading="Rater"),
                Column(name="other", heading="Other"),
                Column(name="kappa", heading="Kappa", kind="number"),
            ),
            rows=rows,
            methods={"Cohen's kappa": ""},
        )
        return replace(analysis, tables=(pairs,))

    named = "Cohen's kappa of every two raters"
    shown = with_kappas(("r1", "r2", 0.5), ("r1", "r3", None))
    assert named in methods(shown, None, {})
    assert any("Cohen (1960)" in work for work in references(shown))
    left_out = with_kappas(("r1", "r2", None))
    assert named not in methods(left_out, None, {})
    assert not any("Cohen (1960)" in work for work in references(left_out))
