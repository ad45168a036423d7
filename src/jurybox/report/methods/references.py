"""The works that describe the methods of an analysis: those it really used, and no others."""

from __future__ import annotations

from collections.abc import Callable

from jurybox.analysis.finding import Analysis
from jurybox.analysis.table import Method
from jurybox.report.said.tidy import tidied
from jurybox.results import Result
from jurybox.stats.agreement.concordance import Concordance
from jurybox.stats.agreement.patterns import Agreement
from jurybox.stats.blocks import Omnibus
from jurybox.stats.judges.agreement import JudgeAgreement, JudgeStatistic
from jurybox.stats.strengths.goodness import GoodnessOfFit

__all__ = ["references", "uses"]

Used = Callable[[Analysis], bool]


def references(analysis: Analysis) -> tuple[str, ...]:
    """The references of the methods paragraph, each with what it stands for."""
    return tuple(f"{what}: {work}." for what, work, is_used in WORKS if is_used(analysis))


def uses(analysis: Analysis, what: str) -> bool:
    """Whether the reference that stands for this is given, so that the paragraph speaks of it."""
    (is_used,) = (is_used for name, _, is_used in WORKS if name == what)
    return is_used(analysis)


def _found(*kinds: str) -> Used:
    """Whether there is a number of this kind of finding."""
    return lambda analysis: any(
        f.kind in kinds and f.result.estimate is not None for f in analysis.findings
    )


def _scaled(analysis: Analysis) -> bool:
    """Whether the fit of strengths was tested by an X² that is scaled for clusters."""
    fits = (f.result for f in analysis.findings if isinstance(f.result, GoodnessOfFit))
    return any(fit.scaled_for and fit.estimate is not None for fit in fits)


def _began(start: str) -> Used:
    """Whether there is a number of a finding whose id begins so."""
    return lambda analysis: any(
        f.id.startswith(start) and f.result.estimate is not None for f in analysis.findings
    )


def _agreed(result: type[Result]) -> Used:
    """Whether raters' agreement was measured by this statistic."""
    return lambda analysis: any(
        f.kind in ("agreement", "agreement_before")
        and isinstance(f.result, result)
        and f.result.estimate is not None
        for f in analysis.findings
    )


def _interval(words: str) -> Used:
    """Whether an interval was made in a way that has these words in its name."""
    return lambda analysis: any(
        f.result.interval is not None and words in f.result.interval.method
        for f in analysis.findings
    )


def _adjusted(words: str) -> Used:
    return lambda analysis: any(
        str(getattr(f.result, "adjusted_by", "") or "").startswith(words) for f in analysis.findings
    )


def _made(method: Method) -> Used:
    """Whether a table that is shown was made by it: one without any number is not."""
    return lambda analysis: any(
        method in table.methods and tidied(table) is not None for table in analysis.tables
    )


def _measured(*names: str) -> Used:
    """Whether a metric of this name says how it was computed: others may mean something else."""
    return lambda analysis: any(name in names for name, _ in analysis.facts.signatures)


def _column(name: str) -> Used:
    return lambda analysis: any(
        column.name == name for table in analysis.tables for column in table.columns
    )


def _both(one: Used, two: Used) -> Used:
    return lambda analysis: one(analysis) and two(analysis)


def _either(one: Used, two: Used) -> Used:
    return lambda analysis: one(analysis) or two(analysis)


def _judged(statistic: JudgeStatistic) -> Used:
    """Whether a judge was set beside people by it."""
    return lambda analysis: any(
        isinstance(f.result, JudgeAgreement)
        and f.result.statistic == statistic
        and f.result.estimate is not None
        for f in analysis.findings
    )


def _tested(name: str) -> Used:
    """Whether all systems were tested together by this test."""
    return lambda analysis: any(
        isinstance(f.result, Omnibus) and f.result.test == name and f.result.estimate is not None
        for f in analysis.findings
    )


def _is(protocol: str) -> Used:
    return lambda analysis: analysis.protocol == protocol and analysis.n_responses > 0


WORKS: tuple[tuple[str, str, Used], ...] = (
    (
        "Clustering by rater and item",
        "Cameron, Gelbach and Miller (2011), Robust inference with multiway clustering, Journal of "
        "Business & Economic Statistics 29(2), 238–249, doi:10.1198/jbes.2010.07136",
        _interval("clustered by rater and item"),
    ),
    (
        "Intervals of shares of 0% and 100%",
        "Wilson (1927), Probable inference, the law of succession, and statistical inference, "
        "Journal of the American Statistical Association 22(158), 209–212, "
        "doi:10.1080/01621459.1927.10502953",
        _interval("Wilson"),
    ),
    (
        "Strengths",
        "Bradley and Terry (1952), Rank analysis of incomplete block designs: I. The method of "
        "paired comparisons, Biometrika 39(3/4), 324–345, doi:10.2307/2334029",
        _both(_is("compare"), _found("strength")),
    ),
    (
        "Ties",
        "Davidson (1970), On extending the Bradley–Terry model to accommodate ties in paired "
        "comparison experiments, Journal of the American Statistical Association 65(329), 317–328, "
        "doi:10.1080/01621459.1970.10481082",
        _both(_is("compare"), _made("Davidson's model")),
    ),
    (
        "Strengths from rankings",
        "Luce (1959), Individual choice behavior: a theoretical analysis, Wiley; Plackett (1975), "
        "The analysis of permutations, Applied Statistics 24(2), 193–202, doi:10.2307/2346567",
        _both(_is("rank"), _found("strength")),
    ),
    (
        "Fit of the strengths",
        "Rao and Scott (1981), The analysis of categorical data from complex sample surveys: "
        "chi-squared tests for goodness of fit and independence in two-way tables, Journal of "
        "the American Statistical Association 76(374), 221–230, "
        "doi:10.1080/01621459.1981.10477633; Thomas and Rao (1987), Small-sample comparisons of "
        "level and power for simple goodness-of-fit statistics under cluster sampling, Journal of "
        "the American Statistical Association 82(398), 630–636, "
        "doi:10.1080/01621459.1987.10478475",
        _scaled,
    ),
    (
        "Simultaneous intervals",
        "Hothorn, Bretz and Westfall (2008), Simultaneous inference in general parametric models, "
        "Biometrical Journal 50(3), 346–363, doi:10.1002/bimj.200810425",
        _adjusted("max-t"),
    ),
    (
        "p for several comparisons",
        "Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian "
        "Journal of Statistics 6(2), 65–70",
        _either(_adjusted("Holm"), _made("Holm's method")),
    ),
    (
        "Exploratory looks",
        "Benjamini and Hochberg (1995), Controlling the false discovery rate: a practical and "
        "powerful approach to multiple testing, Journal of the Royal Statistical Society B 57(1), "
        "289–300, doi:10.1111/j.2517-6161.1995.tb02031.x",
        _adjusted("Benjamini"),
    ),
    (
        "All systems together",
        "Friedman (1937), The use of ranks to avoid the assumption of normality implicit in the "
        "analysis of variance, Journal of the American Statistical Association 32(200), 675–701, "
        "doi:10.1080/01621459.1937.10503522",
        _tested("Friedman"),
    ),
    (
        "All systems together, items of some",
        "Durbin (1951), Incomplete blocks in ranking experiments, British Journal of Psychology, "
        "Statistical Section 4(2), 85–90, doi:10.1111/j.2044-8317.1951.tb00310.x",
        _tested("Durbin"),
    ),
    (
        "All systems together, unequal items",
        "Skillings and Mack (1981), On the use of a Friedman-type statistic in balanced and "
        "unbalanced block designs, Technometrics 23(2), 171–177, "
        "doi:10.1080/00401706.1981.10486261",
        _tested("Skillings–Mack"),
    ),
    (
        "Equivalence",
        "Schuirmann (1987), A comparison of the two one-sided tests procedure and the power "
        "approach for assessing the equivalence of average bioavailability, Journal of "
        "Pharmacokinetics and Biopharmaceutics 15(6), 657–680, doi:10.1007/BF01068419",
        _found("equivalence"),
    ),
    (
        "Cliff's δ",
        "Cliff (1993), Dominance statistics: ordinal analyses to answer ordinal questions, "
        "Psychological Bulletin 114(3), 494–509, doi:10.1037/0033-2909.114.3.494",
        _column("delta"),
    ),
    (
        "d′",
        "Macmillan and Creelman (2005), Detection theory: a user's guide, 2nd edition, Erlbaum; "
        "Hautus (1995), Corrections for extreme proportions and their biasing effects on estimated "
        "values of d′, Behavior Research Methods, Instruments, & Computers 27(1), 46–51, "
        "doi:10.3758/BF03203619",
        _found("d_prime"),
    ),
    (
        "Area under the curve, clustered",
        "Obuchowski (1997), Nonparametric analysis of clustered ROC curve data, Biometrics 53(2), "
        "567–578, doi:10.2307/2533958",
        _found("area"),
    ),
    (
        "Parts of the Brier score",
        "Murphy (1973), A new vector partition of the probability score, Journal of Applied "
        "Meteorology 12(4), 595–600, doi:10.1175/1520-0450(1973)012<0595:ANVPOT>2.0.CO;2",
        _found("brier"),
    ),
    (
        "Chance and the calibration error",
        "Bröcker and Smith (2007), Increasing the reliability of reliability diagrams, Weather and "
        "Forecasting 22(3), 651–661, doi:10.1175/WAF993.1",
        _found("calibration_error"),
    ),
    (
        "Error spans",
        "Freitag et al. (2021), Experts, errors, and context: a large-scale study of human "
        "evaluation for machine translation, Transactions of the ACL 9, 1460–1474, "
        "doi:10.1162/tacl_a_00437",
        _is("mark"),
    ),
    (
        "Alpha",
        "Krippendorff (2019), Content analysis: an introduction to its methodology, 4th edition, "
        "Sage, chapter 12",
        _agreed(Agreement),
    ),
    (
        "Kendall's W",
        "Kendall and Babington Smith (1939), The problem of m rankings, Annals of Mathematical "
        "Statistics 10(3), 275–287, doi:10.1214/aoms/1177732186",
        _agreed(Concordance),
    ),
    (
        "Tau of a judge and a person",
        "Kendall (1945), The treatment of ties in ranking problems, Biometrika 33(3), 239–251, "
        "doi:10.1093/biomet/33.3.239",
        _judged("tau"),
    ),
    (
        "F1 of marked characters",
        "Blain, Zerva, Rei and others (2023), Findings of the WMT 2023 shared task on quality "
        "estimation, WMT 2023, 629–653, doi:10.18653/v1/2023.wmt-1.52",
        _either(_found("span_agreement"), _judged("f1")),
    ),
    (
        "Fleiss' kappa",
        "Fleiss (1971), Measuring nominal scale agreement among many raters, Psychological "
        "Bulletin 76(5), 378–382, doi:10.1037/h0031619",
        _found("fleiss"),
    ),
    (
        "Words for kappa",
        "Landis and Koch (1977), The measurement of observer agreement for categorical data, "
        "Biometrics 33(1), 159–174, doi:10.2307/2529310",
        _found("fleiss"),
    ),
    (
        "Cohen's kappa",
        "Cohen (1960), A coefficient of agreement for nominal scales, Educational and "
        "Psychological Measurement 20(1), 37–46, doi:10.1177/001316446002000104",
        _either(_found("cohen"), _made("Cohen's kappa")),
    ),
    (
        "Weighted kappa",
        "Cohen (1968), Weighted kappa: nominal scale agreement provision for scaled disagreement "
        "or partial credit, Psychological Bulletin 70(4), 213–220, doi:10.1037/h0026256",
        _either(_began("cohen/quadratic/"), _made("quadratic weights")),
    ),
    (
        "Gwet's AC",
        "Gwet (2008), Computing inter-rater reliability and its variance in the presence of high "
        "agreement, British Journal of Mathematical and Statistical Psychology 61(1), 29–48, "
        "doi:10.1348/000711006X126600",
        _found("ac1"),
    ),
    (
        "Intraclass correlation",
        "McGraw and Wong (1996), Forming inferences about some intraclass correlation "
        "coefficients, Psychological Methods 1(1), 30–46, doi:10.1037/1082-989X.1.1.30",
        _began("icc"),
    ),
    (
        "Agreement between groups",
        "Wong, Paritosh and Aroyo (2021), Cross-replication reliability: an empirical approach to "
        "interpreting inter-rater reliability, ACL 2021, doi:10.18653/v1/2021.acl-long.548",
        _began("groups/agreement/"),
    ),
    (
        "People and a judge together",
        "Angelopoulos, Duchi and Zrnic (2023), PPI++: efficient prediction-powered inference, "
        "arXiv:2311.01453",
        _found("combined"),
    ),
    (
        "Alternative-annotator test",
        "Calderon, Reichart and Dror (2025), The alternative annotator test for LLM-as-a-judge: "
        "how to statistically justify replacing human annotators with LLMs, ACL 2025, "
        "doi:10.18653/v1/2025.acl-long.782",
        _found("alternative_annotator"),
    ),
    (
        "p over people in that test",
        "Benjamini and Yekutieli (2001), The control of the false discovery rate in multiple "
        "testing under dependency, Annals of Statistics 29(4), 1165–1188, "
        "doi:10.1214/aos/1013699998",
        _found("alternative_annotator"),
    ),
    (
        "Two metrics compared",
        "Deutsch, Dror and Roth (2021), A statistical analysis of summarization evaluation "
        "metrics using resampling methods, Transactions of the ACL 9, 1132–1146, "
        "doi:10.1162/tacl_a_00417",
        _made("metrics compared"),
    ),
    (
        "Williams' t",
        "Williams (1959), Regression analysis, Wiley; Graham and Baldwin (2014), Testing for "
        "significance of increased correlation with human judgment, EMNLP 2014, 172–176, "
        "doi:10.3115/v1/D14-1020",
        _made("Williams' t"),
    ),
    (
        "BLEU",
        "Papineni, Roukos, Ward and Zhu (2002), BLEU: a method for automatic evaluation of machine "
        "translation, ACL 2002, 311–318, doi:10.3115/1073083.1073135; Post (2018), A call for "
        "clarity in reporting BLEU scores, WMT 2018, 186–191, doi:10.18653/v1/W18-6319",
        _measured("bleu", "sentence_bleu"),
    ),
    (
        "chrF",
        "Popović (2015), chrF: character n-gram F-score for automatic MT evaluation, WMT 2015, "
        "392–395, doi:10.18653/v1/W15-3049",
        _measured("chrf", "sentence_chrf"),
    ),
    (
        "ROUGE",
        "Lin (2004), ROUGE: a package for automatic evaluation of summaries, Text Summarization "
        "Branches Out, 74–81, aclanthology.org/W04-1013",
        _measured("rouge1", "rouge2", "rougeL"),
    ),
    (
        "FID",
        "Heusel, Ramsauer, Unterthiner, Nessler and Hochreiter (2017), GANs trained by a two "
        "time-scale update rule converge to a local Nash equilibrium, NeurIPS 2017, "
        "arXiv:1706.08500",
        _measured("fid"),
    ),
    (
        "KID",
        "Bińkowski, Sutherland, Arbel and Gretton (2018), Demystifying MMD GANs, ICLR 2018, "
        "arXiv:1801.01401",
        _measured("kid"),
    ),
    (
        "Precision and recall of features",
        "Kynkäänniemi, Karras, Laine, Lehtinen and Aila (2019), Improved precision and recall "
        "metric for assessing generative models, NeurIPS 2019, arXiv:1904.06991",
        _measured("precision", "recall"),
    ),
    (
        "Difference of two shares",
        "Newcombe (1998), Interval estimation for the difference between independent proportions: "
        "comparison of eleven methods, Statistics in Medicine 17(8), 873–890, "
        "doi:10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I",
        _interval("Newcombe"),
    ),
    (
        "Changes between rounds",
        "Zou and Donner (2008), Construction of confidence limits about effect measures: a general "
        "approach, Statistics in Medicine 27(10), 1693–1702, doi:10.1002/sim.3095",
        _interval("as of independent rounds"),
    ),
    (
        "Pairs right within items",
        "Deutsch, Foster and Freitag (2023), Ties matter: meta-evaluating modern metrics with "
        "pairwise accuracy and tie calibration, EMNLP 2023, doi:10.18653/v1/2023.emnlp-main.798",
        _column("within_items"),
    ),
    (
        "Soft accuracy",
        "Thompson, Mathur, Deutsch and Khayrallah (2024), Improving statistical significance in "
        "human evaluation of automatic metrics via soft pairwise accuracy, WMT 2024, "
        "doi:10.18653/v1/2024.wmt-1.118",
        _column("soft"),
    ),
)
"""What is cited, the work, and whether an analysis used it."""
