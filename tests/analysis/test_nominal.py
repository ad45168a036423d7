"""Numbers that only name: answered like words, counted, and never averaged."""

from __future__ import annotations

import json

import pytest

import jurybox as jb
from jurybox.analysis import analyze
from jurybox.analysis.against import add_against
from jurybox.analysis.finding import Analysis
from jurybox.analysis.gate import judge
from jurybox.analysis.gate_condition import Condition
from jurybox.errors import InputError
from jurybox.tally.mapping import Mapped
from tests import reference
from tests.rated import Columns

# In the order of their codes: sums are then added up in one order, and equal to the last digit.
WORDS = {"1": "facts", "2": "fluency", "3": "style"}
COLUMNS = "item system rater criterion score rater_group category position ms"


def errors(*, words: bool = False) -> Columns:
    """Which error an output has: of two systems, by six raters of two groups, in two categories."""
    rows = []
    for i in range(8):
        for k, system in enumerate(("new", "old")):
            for r in range(6):
                code = str(1 + (i + k * (r % 2) + (r == 5)) % 3)
                score = WORDS[code] if words else int(code)
                where = ("native", "learner")[r % 2], ("news", "chat")[i % 2]
                rows.append((f"i{i}", system, f"r{r}", "error", score, *where, 2 * i + k, 900 + i))
    return dict(zip(COLUMNS.split(), map(list, zip(*rows, strict=True)), strict=True))


def nominal(table: Columns) -> Mapped:
    return jb.mapped(table, level="nominal")


def kinds(found: Analysis) -> set[str]:
    return {table.id for table in found.tables} | {finding.id for finding in found.findings}


def test_the_diagnoses_of_fleiss_have_no_mean() -> None:
    found = analyze(reference.fleiss(), n_resamples=20)
    assert found.headline is not None
    assert found.headline.id == "agreement/overall"
    assert "mean" not in json.dumps([finding.sentence for finding in found.findings])
    answers = found.table("answers/overall")
    assert answers is not None
    # Fleiss (1971), table 1: 26 depressions, 26 personality disorders, 30 schizophrenias, 55
    # neuroses and 43 others.
    assert [row[1:] for row in answers.rows] == [
        ("1", 26), ("2", 26), ("3", 30), ("4", 55), ("5", 43)
    ]  # fmt: skip
    assert (
        "overall: the answers are nominal, so there is no mean score; a level of ordinal or "
        "interval (--level) would give them an order"
    ) in found.took
    beside = found.table("agreement/ratings")
    assert beside is not None
    # One system, and nobody named: nothing differs between systems, and few are not counted.
    assert beside.caption == (
        "Krippendorff's alpha. Raters are not named, so that the intervals hold for these raters "
        "alone."
    )
    (kappa,) = [each for each in found.findings if each.id == "fleiss/overall"]
    assert kappa.result.estimate == pytest.approx(0.430, abs=5e-4)


def test_numbers_that_only_name_say_what_the_same_words_do() -> None:
    coded, named = (
        analyze(table, n_resamples=20) for table in (nominal(errors()), errors(words=True))
    )
    assert kinds(coded) == kinds(named)
    assert not {each for each in kinds(coded) if "mean" in each or "difference" in each}
    for code, name in zip(coded.findings, named.findings, strict=True):
        # Answers in another order are added up in another order.
        same = None if name.result.estimate is None else pytest.approx(name.result.estimate, 1e-12)
        assert code.result.estimate == same
    assert "error: the answers are nominal, so groups have no mean scores" in coded.took


def test_numbers_of_an_unknown_level_keep_their_means() -> None:
    assert analyze(errors(), n_resamples=20).table("mean_scores/error") is not None


def test_zeros_and_ones_are_shares_at_any_level() -> None:
    table = errors()
    table["score"] = [int(score == 1) for score in table["score"]]
    shown = analyze(nominal(table), n_resamples=20).table("mean_scores/error")
    assert shown is not None
    assert shown.title == "Share of yes: error"


def test_a_criterion_that_another_is_computed_from_is_a_number() -> None:
    table = errors()
    both = {name: values * 2 for name, values in table.items()}
    both["criterion"] = ["error"] * len(table["item"]) + ["style"] * len(table["item"])
    mapped = jb.mapped(both, level="nominal", derive={"all": "mean(error, style)"})
    assert analyze(mapped, n_resamples=20).table("mean_scores/all") is not None


def test_rounds_and_releases_are_not_decided_by_names() -> None:
    over = Condition(kind="mean", names=("new", "error"), side="above", threshold=1)
    with pytest.raises(InputError, match="the answers to 'error' are nominal: they have no mean"):
        judge(nominal(errors()), [over])
    new = analyze(nominal(errors()), n_resamples=20)
    found = add_against(new, nominal(errors()), nominal(errors()), name="May")
    assert not [each for each in found.findings if "mean score" in each.sentence]
