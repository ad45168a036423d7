"""``jurybox size``: every question from the command line."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from jurybox.cli.app import run

PAGE = (Path(__file__).parents[2] / "docs" / "sizing.md").read_text(encoding="utf-8")
RECORDED = re.findall(r"\| `jurybox (size [^`]+)` \| ([\d,]+ \w+) \|", PAGE)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("win-rate --rate 0.55", "820 votes find a win rate of 55.0% against 50%"),
        ("win-rate --n 820", "820 votes find a win rate of 54.9%"),
        ("win-rate --rate 0.6 --n 100 --one-sided", "100 votes find a win rate of 60.0%"),
        ("proportions --first .3 --second .4", "356 answers for each system tell 30.0% from 40.0%"),
        ("means --difference .5 --sd 1", "64 answers for each system"),
        ("means --difference .5 --sd 1 --correlation .5", "34 items with an answer for each"),
        ("means --difference .4 --raters 12 --overlap 3 --components .4,.2,.8", "of 12 raters"),
        ("mcnemar --gains .2 --losses .1", "249 items tell gains on 20.0% of items"),
        ("equivalence --margin .5 --sd 1", "70 answers for each system show that the systems"),
        ("noninferiority --margin .1 --first .85 --second .65", "25 answers for each system"),
        ("agreement --alpha .6 --level interval --raters 3 --half-width .1", "101 items judged"),
        ("agreement --kappa .6 --shares .5,.5 --raters 2 --half-width .1", "246 items judged"),
        ("fooling --rate .3 --half-width .05", "320 answers about generated outputs"),
        ("fooling --rate .4 --real .6", "97 answers about generated and 97 about real"),
        (
            "with-judge --correlation .7 --sd 1 --judged 1000 --raters 20 --half-width .2",
            "60 items rated by people, of 1,000 rated by the judge, give a mean",
        ),
    ],
)
def test_questions(line: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["size", *line.split()]) == 0
    shown = capsys.readouterr().out
    assert said in shown.splitlines()[0]
    assert "note: " in shown


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("win-rate --n 1000000000000", "find a win rate of 50.0001% against 50%"),
        ("proportions --first .3 --n 10000000000", "tell 30.000% from 30.002%"),
        ("fooling --real .7 --n 10000000000", "tell a fooling rate of 69.998% from 70.000% for"),
        ("means --sd 1 --n 100000000", "find a difference of 0.0004 points"),
    ],
)
def test_a_difference_is_visible_however_small(
    line: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["size", *line.split()]) == 0
    assert said in capsys.readouterr().out.splitlines()[0]


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["size", "means", "--difference", "0.5", "--sd", "1", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["kind"], made["n"], made["n_second"], made["asked"]) == ("SampleSize", 64, 64, "n")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("win-rate --rate 0.5", "--rate must differ from 0.5"),
        ("win-rate", "win-rate needs --rate, or --n to find the smallest that --n can find"),
        (
            "win-rate --rate .6 --n 9 --power .8",
            "win-rate: leave out one of --n, --power and --rate",
        ),
        ("equivalence --sd 1", "equivalence needs --margin"),
        (
            "equivalence --margin .2 --first .5",
            "needs --first and --second, and of scores --sd and",
        ),
        ("proportions --first .3 --n 3", "find no --second at all with a power of 0.8; take a"),
        ("agreement --alpha .6 --level interval --raters 3", "agreement needs --half-width or --n"),
        ("agreement --kappa .6 --raters 2 --half-width .1", "nominal answers need --shares, how"),
        ("fooling --rate .3 --per-rater 9 --half-width .1", "--per-rater and --rater-correlation"),
        ("means --difference 1 --raters 3", "needs --components and --raters (and --overlap)"),
        ("agreement --raters 3 --half-width .1", "give --alpha with its --level, or --kappa"),
        ("agreement --kappa .5 --level interval --raters 3 --half-width .1", "whose level is"),
        ("means --difference 1 --raters 3 --components 1,b", "--components takes numbers"),
    ],
)
def test_sentences(line: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["size", *line.split()]) == 2
    shown = capsys.readouterr()
    assert said in shown.err
    assert len(shown.err.splitlines()) == 1


def test_every_question_is_on_the_page_of_planning() -> None:
    from jurybox.cli.size import size

    kinds = {command.name or command.callback.__name__ for command in size.registered_commands}  # type: ignore[union-attr]
    assert {line.split()[1] for line, _ in RECORDED} == kinds


@pytest.mark.parametrize(("line", "answer"), RECORDED)
def test_the_page_of_planning_is_true(
    line: str, answer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(shlex.split(line)) == 0
    assert capsys.readouterr().out.startswith(f"{answer} ")
