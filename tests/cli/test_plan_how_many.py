"""`jurybox plan --detect`, `--budget`, `--hours` and `--monthly`: how many it takes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jurybox.cli.app import run
from jurybox.simulate.drawn import Drawer
from jurybox.simulate.scenario import Scenario
from jurybox.stats.power.crossed import Crossed
from jurybox.stats.power.pilot import Scatter
from tests.cli.test_plan import answer
from tests.study.examples import EXAMPLES, write_example

QUICK = ("--studies", "40")


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes take longer to begin than these few studies take."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0})


def answered(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    assert run(["plan", *options, "--json", *QUICK]) == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    return data


def refused(capsys: pytest.CaptureFixture[str], *options: str, code: int = 2) -> str:
    assert run(["plan", *options]) == code
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("protocol", "difference"),
    [("rate", "0.5"), ("compare", "0.15"), ("rank", "0.15"), ("detect", "0.2"), ("mark", "2.5")],
)
def test_without_a_study(
    protocol: str, difference: str, nowhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = answered(capsys, "--detect", difference, "--protocol", protocol, "--pay", "12/h")
    best = found["found"]["best"]
    assert best["power"]["estimate"] >= 0.8
    assert best["power"]["monte_carlo_error"] < 0.1
    assert best["cost"] == pytest.approx(12 * best["hours"])
    assert best in found["found"]["rows"]
    assert best in found["found"]["curve"]
    assert not list(nowhere.iterdir())


def test_it_is_printed_with_what_is_assumed(
    nowhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plan", "--detect", "0.5", "--systems", "3", "--scale", "0-100", *QUICK]) == 1
    assert "No size finds a difference of 0.5" in capsys.readouterr().err
    options = ["--detect", "12", "--systems", "3", "--scale", "0-100", "--overlap", "3"]
    assert run(["plan", *options, *QUICK]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "3 systems rated; 3 comparisons as one family." in shown
    # A tenth of the scale's length: the documented default.
    assert "items by system 10," in shown
    assert "20 seconds a trial, 5 minutes a rater" in shown
    assert "a difference of 12 in the mean score" in shown
    assert "overlap: 3" in shown
    assert "by 40 simulations" in shown
    assert "Power by number of items" in shown


def test_a_pilot_says_how_much_scatters(nowhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scatter = Scatter(item=0.3, item_system=0.1, rater=0.3, rater_system=0.05, noise=0.2)
    asked = Scenario(protocol="rate", effect=0.0, scatter=scatter)
    made = Drawer(asked, Crossed(items=60, raters=20, overlap=5)).draw(np.random.default_rng(0))
    rows = zip(made.item, made.about, made.rater, made.value, strict=True)
    lines = ["item,system,rater,score", *(f"{i},s{s},r{r},{v}" for i, s, r, v in rows)]
    Path("pilot.csv").write_text("\n".join(lines))
    with_pilot = answered(capsys, "--detect", "0.3", "--pilot", "pilot.csv")
    without = answered(capsys, "--detect", "0.3")
    assert "from 600 responses of pilot.csv" in with_pilot["assumed"][1]
    assert with_pilot["found"]["best"]["hours"] < without["found"]["best"]["hours"] / 2
    # The same answers under two names: one of them has to be chosen.
    head, *rest = lines
    both = [f"{head},criterion", *(f"{row},{name}" for row in rest for name in ("x", "y"))]
    Path("two.csv").write_text("\n".join(both))
    assert run(["plan", "--detect", "0.3", "--pilot", "two.csv"]) == 1
    assert "several criteria (x, y): choose one with --criterion" in capsys.readouterr().err
    chosen = answered(capsys, "--detect", "0.3", "--pilot", "two.csv", "--criterion", "y")
    assert chosen["found"] == with_pilot["found"]
    assert run(["plan", "--detect", "0.3", "--criterion", "y"]) == 2
    assert "--criterion chooses one of a pilot's" in capsys.readouterr().err


def test_a_budget_is_hours_at_a_pay(nowhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    money = answered(capsys, "--budget", "60", "--pay", "12")
    hours = answered(capsys, "--hours", "5", "--pay", "€12 / hour")
    assert money["found"] == hours["found"]
    assert money["found"]["best"]["cost"] <= 60
    assert run(["plan", "--hours", "5", *QUICK]) == 0
    assert "The smallest difference seen with a power of 80%" in capsys.readouterr().out


def test_every_line_fits_into_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    options = ("--budget", "250", "--pay", "12", "--monthly", "--systems", "3")
    assert run(["plan", *options, *QUICK]) == 0
    shown = capsys.readouterr().out
    # A recommended design is copied, so that it stays in one line.
    assert [line for line in shown.splitlines() if len(line) > 80 and "design: {" not in line] == []
    # No figure and no heading is cut.
    assert "…" not in shown


def test_nothing_is_recommended_where_no_difference_would_be_seen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = compare_study(tmp_path, "{pairs: all}")
    options = ("--hours", "1", "--raters", "3", "--overlap", "1", "--seconds", "60")
    assert run(["plan", study, *options, *QUICK]) == 0
    shown = capsys.readouterr().out
    assert "Not even a win rate of 99.5% is seen so often: power " in shown
    assert "No difference is seen with a power of 80%; the largest" in shown
    assert "Add items or raters." in shown
    assert "Recommended" not in shown


def test_somebody_who_sees_no_bar_is_told_that_it_takes_a_while(
    nowhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plan", "--detect", "0.8", "--overlap", "1", *QUICK]) == 0
    assert "Simulating studies of several sizes" in capsys.readouterr().err


def test_a_month_adds_up(nowhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--detect", "0.15", "--protocol", "compare", "--pay", "10", "--monthly"]
    options += ["--changes", "3", "--launches", "2", "--traffic", "50000", "--rate", "0.02"]
    found = answered(capsys, *options)
    each = found["found"]["best"]["hours"]
    changes, launches, traffic, total = found["monthly"]
    assert changes["hours"] == pytest.approx(3 * each)
    assert launches["hours"] == pytest.approx(2 * each)
    # 2% of 50,000 are 1,000 answers of 30 seconds: 30,000 s.
    assert traffic["hours"] == pytest.approx(30_000 / 3600)
    assert total["hours"] == pytest.approx(5 * each + 30_000 / 3600)
    assert total["cost"] == pytest.approx(10 * total["hours"])
    assert run(["plan", *options, *QUICK]) == 0
    assert "1,000 answers × 1 rater × 30 s" in capsys.readouterr().out


def test_strengths_need_fewer_items_than_win_rates(
    nowhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--detect", "0.15", "--protocol", "compare", "--systems", "4", "--overlap", "2"]
    rates = answered(capsys, *options, "--raters", "20")
    strengths = answered(capsys, *options, "--raters", "20", "--strengths")
    assert "6 comparisons as one family of Bradley–Terry strengths" in strengths["assumed"][0]
    assert strengths["found"]["best"]["items"] < rates["found"]["best"]["items"]
    assert "three systems or more" in refused(capsys, *options[:4], "--strengths")


@pytest.mark.parametrize("name", ["compare", "rate", "rank", "detect", "mark"])
def test_a_study_says_what_it_compares(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert name in EXAMPLES
    directory = write_example(name, tmp_path / name)
    found = answered(capsys, str(directory), "--hours", "40", "--raters", "20")
    assert found["found"]["best"]["raters"] == 20
    assert not (directory / "study.db").exists()


def reworded(directory: Path, old: str, new: str) -> str:
    file = directory / "study.yaml"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))
    return str(directory)


def test_the_best_of_few_on_a_screen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = write_example("rank", tmp_path / "s")
    reworded(directory, "answer: order, ties: true", "answer: best")
    study = reworded(directory, "outputs_per_trial: 4, overlap: 5", "outputs_per_trial: 3")
    options = ("--hours", "9", "--raters", "20", "--strengths")
    found = answered(capsys, study, *options)
    assert found["assumed"][0] == (
        "Assumed: the best named of 3 outputs on a screen, 4 systems; 6 comparisons as one family "
        "of Plackett–Luce strengths."
    )
    best = found["found"]["best"]
    # Four systems in full blocks of three: two of them an item.
    assert best["trials"] == 2 * best["items"]


def test_marks_without_a_score_are_error_points(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example("mark", tmp_path / "s")
    score = '  overall: {question: "How good is the translation as a whole?", scale: 0-100}\n'
    study = reworded(directory, score, "")
    found = answered(capsys, study, "--detect", "2.5")
    # As of one major error, which has 5 points in this study.
    assert found["assumed"][0] == "Assumed: 2 systems marked, 5 error points per output."
    assert found["found"]["best"]["effect"] == -2.5


def compare_study(tmp_path: Path, design: str, more: str = "") -> str:
    """Five systems on ten items."""
    texts = [
        f'{{"item": "q{n}", "system": "s{k}", "answer": "Answer {k} to {n}."}}'
        for n in range(10)
        for k in range(5)
    ]
    (tmp_path / "answers.jsonl").write_text("\n".join(texts))
    (tmp_path / "study.yaml").write_text(
        "title: Which is better?\nprotocol: compare\noutputs: answers.jsonl\n"
        f"show: {{answer: text}}\ncriteria: {{better: {{}}}}\ndesign: {design}\n{more}"
    )
    return str(tmp_path)


@pytest.mark.parametrize(
    ("design", "per_item", "family", "said"),
    [
        ("{pairs: all}", 10, 10, "compared in pairs, "),
        ("{pairs: cyclic}", 5, 5, "compared in 5 of 10 pairs, "),
        ("{pairs: {baseline: s0}}", 4, 4, "compared in 4 of 10 pairs, "),
        ("{pairs: {random: 25}}", 2.5, 10, "compared in pairs drawn at random, 2.5 an item, "),
    ],
)
def test_trials_and_hours_follow_the_pairs_that_meet(
    design: str,
    per_item: float,
    family: int,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    study = compare_study(tmp_path, design)
    options = (study, "--detect", "0.2", "--raters", "20", "--overlap", "2", "--seconds", "30")
    found = answered(capsys, *options)
    assert said in found["assumed"][0]
    assert f"; {family} comparisons as one family." in found["assumed"][0]
    best = found["found"]["best"]
    assert best["trials"] == round(per_item * best["items"])
    # Two raters a trial, half a minute each, and twenty starts of five minutes.
    assert best["hours"] == pytest.approx((best["trials"] * 2 * 0.5 + 20 * 5) / 60)


def test_random_pairs_are_recommended_in_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = compare_study(tmp_path, "{pairs: {random: 25}}")
    options = ("--detect", "0.3", "--raters", "20", "--overlap", "3")
    assert run(["plan", study, *options, *QUICK]) == 0
    shown = capsys.readouterr().out
    asked = re.search(
        r"{items: (\d+), overlap: 3, raters: 20, pairs: {random: (\d+)}} takes", shown
    )
    assert asked is not None
    # 25 pairs on ten items.
    assert int(asked[2]) == round(2.5 * int(asked[1]))


@pytest.mark.parametrize(
    ("groups", "raters", "overlap"),
    [
        # Each trial has two experts and, by design.overlap, three others.
        ("{groups: {expert: {quota: 8, overlap: 2}, crowd: 12}, each: true}", 20, 5),
        ("{groups: {expert: 8, crowd: 12}}", 20, 3),
    ],
)
def test_rater_groups_are_counted_together(
    groups: str, raters: int, overlap: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = f"access: {{listed: {{expert: [ada], crowd: [ben]}}}}\nraters: {groups}\n"
    study = compare_study(tmp_path, "{pairs: cyclic, overlap: 3}", more)
    best = answered(capsys, study, "--detect", "0.2")["found"]["best"]
    assert (best["raters"], best["overlap"]) == (raters, overlap)


def test_two_that_never_meet_have_no_win_rate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = "analysis: {primary: {win_rate: [s0, s2]}}\n"
    for design in ("{pairs: cyclic}", "{pairs: {baseline: s1}}"):
        study = compare_study(tmp_path, design, asked)
        said = refused(capsys, study, "--detect", "0.1", code=1)
        assert "compares s0 and s2, which never meet by design.pairs" in said
    study = compare_study(tmp_path, "{pairs: {random: 25}}")
    (tmp_path / "answers.jsonl").unlink()
    assert "say it with design.items" in refused(capsys, study, "--detect", "0.1", code=1)


def test_a_study_of_which_there_are_too_few_items_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example("compare", tmp_path / "s")
    assert run(["plan", str(directory), "--detect", "0.15", *QUICK]) == 0
    shown = capsys.readouterr().out
    assert "The study has 6 items" in shown
    assert "more are needed" in shown
    assert "overlap: 3" in shown  # the study's own


def test_a_trial_takes_what_it_took_in_the_pilot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example("rate", tmp_path / "s")
    assert run(["plan", str(directory), "--round", "pilot"]) == 0
    answer(directory, "pilot", count=10, ms=90_000)
    capsys.readouterr()
    found = answered(capsys, str(directory), "--detect", "0.5", "--raters", "60")
    assert found["assumed"][-1].startswith("90 seconds a trial")


def test_a_study_is_planned_before_its_outputs_are_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example("compare", tmp_path / "s")
    for file in (directory / "answers").iterdir():
        file.unlink()
    found = answered(capsys, str(directory), "--detect", "0.15", "--systems", "4")
    assert found["assumed"][0] == "The outputs cannot be read yet: 4 systems assumed."


def test_a_study_may_ask_for_more_items_than_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example("compare", tmp_path / "s")
    file = directory / "study.yaml"
    file.write_text(file.read_text().replace("design: {", "design: {items: 500, "))
    found = answered(capsys, str(directory), "--detect", "0.15")
    assert found["assumed"][0].startswith("Assumed: ")  # its outputs are there
    assert "without outputs" in refused(capsys, str(directory), "--detect", "0.1", "--systems", "4")


@pytest.mark.parametrize("option", [("--power", "0.9"), ("--strengths",), ("--raters", "5")])
def test_an_option_that_would_do_nothing_is_refused(
    option: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = write_example("compare", tmp_path / "s")
    said = refused(capsys, str(directory), *option)
    assert said.startswith(f"{option[0]} goes with --detect, --budget or --hours,")
    assert not (directory / "study.db").exists()


@pytest.mark.parametrize("option", [("--dry-run",), ("--round", "pilot")])
@pytest.mark.parametrize("question", [("--detect", "0.1"), ("--hours", "9"), ("--monthly",)])
def test_options_of_planning_are_refused_where_nothing_is_planned(
    option: tuple[str, ...], question: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(capsys, *question, *option)
    assert said.startswith(f"{option[0]} belongs to planning who sees what, and the question how")


def test_what_cannot_be_answered_is_said(nowhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Give one of" in refused(capsys, "--detect", "1", "--hours", "3")
    assert "say with --pay" in refused(capsys, "--budget", "100")
    assert "as 12 or 12/h" in refused(capsys, "--detect", "1", "--pay", "much")
    for scale in ("5-1", "1.2.3-4", ".-5"):
        assert "as 1-5" in refused(capsys, "--detect", "1", "--scale", scale)
    for pay in ("-3", "−3", "12,50"):
        assert "as 12 or 12/h" in refused(capsys, "--detect", "1", "--pay", pay)
    for seconds in ("0", "-1", "nan"):
        assert "seconds must be above 0" in refused(capsys, "--detect", "1", "--seconds", seconds)
    for hours in ("0", "-1", "nan", "inf"):
        assert "--hours is so many hours as there" in refused(capsys, "--hours", hours)
    assert "above 0; got -5." in refused(capsys, "--budget", "-5", "--pay", "10")
    assert "the scale is 4 long" in refused(capsys, "--detect", "4.5")
    assert "needs 5 different" in refused(
        capsys, "--detect", "1", "--overlap", "5", "--raters", "3", code=1
    )
    assert "A trial of 9,000 seconds does not fit into a session of" in refused(
        capsys, "--detect", "1", "--seconds", "9000", code=1
    )
    assert "0.01 hours do not pay for a study" in refused(capsys, "--hours", "0.01", code=1)
    assert "how large one study is" in refused(capsys, "--monthly")
    assert "cannot be detected" in refused(capsys, "--detect", "0")
    assert "win rate of 1.1" in refused(capsys, "--detect", "0.6", "--protocol", "compare")
    assert "no study.yaml" in refused(capsys, "elsewhere", "--detect", "0.1", code=1)
    few = ("--detect", "6", "--protocol", "mark")
    assert "6 error points fewer, and outputs are assumed to have 5" in refused(capsys, *few)
    directory = write_example("rate", nowhere / "t")
    assert "the study has its own" in refused(
        capsys, str(directory), "--detect", "1", "--scale", "1-5"
    )
