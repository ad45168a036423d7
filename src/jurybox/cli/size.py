"""``jurybox size``: how many votes, answers or items a question needs, by formula."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Annotated, Any, Literal

import typer

from jurybox.errors import InputError, OptionError

__all__ = ["size"]

size = typer.Typer(
    help="How many votes, answers or items a question needs, by formula.\n\n"
    "Leave out what you want to know: with --n the power is found, with --n and no effect the "
    "smallest effect. Crossed designs with ties and several systems: 'jurybox plan --detect'.",
    short_help="How many votes, answers or items a question needs, by formula.",
    no_args_is_help=True,
)

N = Annotated[int | None, typer.Option("--n", help="How many votes, answers or items you have.")]
Power = Annotated[
    float | None,
    typer.Option("--power", help="The probability of finding the effect.", show_default="0.8"),
]
Confidence = Annotated[float, typer.Option("--confidence", help="1 minus the test's level.")]
OneSided = Annotated[bool, typer.Option("--one-sided", help="Test this direction only.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
Sd = Annotated[
    float | None, typer.Option("--sd", help="Standard deviation of one system's scores.")
]
Correlation = Annotated[
    float | None,
    typer.Option(
        "--correlation",
        help="The correlation of the two systems' scores of one item: paired. Else unpaired.",
    ),
]
Ratio = Annotated[
    float | None,
    typer.Option(
        "--ratio",
        help="Answers about the second system for each about the first.",
        show_default="1",
    ),
]
Raters = Annotated[int | None, typer.Option("--raters", help="Raters of a crossed design.")]
Overlap = Annotated[
    int | None, typer.Option("--overlap", help="Raters per output.", show_default="all raters")
]
Components = Annotated[
    str | None,
    typer.Option(
        "--components",
        help="For a crossed design, in points: the standard deviations of items and of raters in "
        "what they do to one system, and of noise: 0.4,0.2,0.8. --n then counts items.",
    ),
]
MarginOption = Annotated[
    float | None,
    typer.Option("--margin", help="The largest difference that does not matter. No default."),
]


BEFORE_NAMES = (
    r"^|; (?=\w+ is)|needs? |takes? |exceed |neither |one of |with |find no |a larger |"
    r"the smallest that |of scores |\(and "
)
"""Where sentences of ``sample_size`` name arguments."""


@size.command("win-rate")
def win_rate(
    rate: Annotated[
        float | None, typer.Option("--rate", help="The win rate, such as 0.55.")
    ] = None,
    n: N = None,
    power: Power = None,
    confidence: Confidence = 0.95,
    one_sided: OneSided = False,
    as_json: AsJson = False,
) -> None:
    """A win rate (or a share right of two) against 50%, by the exact binomial test."""
    _show("win_rate", locals())


@size.command()
def proportions(
    first: Annotated[float, typer.Option("--first", help="The first system's share.")],
    second: Annotated[
        float | None, typer.Option("--second", help="The second system's share.")
    ] = None,
    ratio: Ratio = None,
    n: N = None,
    power: Power = None,
    confidence: Confidence = 0.95,
    one_sided: OneSided = False,
    as_json: AsJson = False,
) -> None:
    """Two shares of different answers, by Cohen's h."""
    _show("proportions", locals())


@size.command()
def means(
    difference: Annotated[
        float | None,
        typer.Option("--difference", help="The difference between mean scores, in points."),
    ] = None,
    sd: Sd = None,
    correlation: Correlation = None,
    ratio: Ratio = None,
    raters: Raters = None,
    overlap: Overlap = None,
    components: Components = None,
    n: N = None,
    power: Power = None,
    confidence: Confidence = 0.95,
    one_sided: OneSided = False,
    as_json: AsJson = False,
) -> None:
    """A difference of mean scores: paired, unpaired, or items × raters crossed."""
    _show("means", locals())


@size.command()
def mcnemar(
    losses: Annotated[
        float, typer.Option("--losses", help="Share of items only the second gets right.")
    ],
    gains: Annotated[
        float | None, typer.Option("--gains", help="Share of items only the first gets right.")
    ] = None,
    n: N = None,
    power: Power = None,
    confidence: Confidence = 0.95,
    one_sided: OneSided = False,
    as_json: AsJson = False,
) -> None:
    """Two systems right or wrong on the same items, by the exact McNemar test."""
    _show("mcnemar", locals())


def _margin(question: Literal["equivalence", "noninferiority"], says: str) -> None:
    """Equivalence and non-inferiority take the same options."""

    def command(
        margin: MarginOption = None,
        difference: Annotated[
            float | None,
            typer.Option(
                "--difference", help="The true difference, first minus second, in points."
            ),
        ] = None,
        sd: Sd = None,
        correlation: Correlation = None,
        first: Annotated[
            float | None, typer.Option("--first", help="For shares: the first system's share.")
        ] = None,
        second: Annotated[
            float | None, typer.Option("--second", help="For shares: the second system's share.")
        ] = None,
        ratio: Ratio = None,
        raters: Raters = None,
        overlap: Overlap = None,
        components: Components = None,
        n: N = None,
        power: Power = None,
        confidence: Confidence = 0.95,
        as_json: AsJson = False,
    ) -> None:
        _show(question, locals())

    size.command(question, help=says)(command)


_margin("equivalence", "That two systems differ by less than a margin: two one-sided tests.")
_margin("noninferiority", "That the first system is worse by less than a margin, if at all.")


@size.command()
def agreement(
    raters: Annotated[int, typer.Option("--raters", help="Raters of each item.")],
    alpha: Annotated[float | None, typer.Option("--alpha", help="The alpha to expect.")] = None,
    kappa: Annotated[float | None, typer.Option("--kappa", help="The kappa to expect.")] = None,
    level: Annotated[
        Literal["nominal", "ordinal", "interval"] | None,
        typer.Option("--level", help="The level of the answers, for alpha; kappa is nominal."),
    ] = None,
    shares: Annotated[
        str | None,
        typer.Option("--shares", help="How common each nominal category is: 0.5,0.3,0.2."),
    ] = None,
    half_width: Annotated[
        float | None, typer.Option("--half-width", help="Half the length of the interval you want.")
    ] = None,
    n: N = None,
    confidence: Confidence = 0.95,
    as_json: AsJson = False,
) -> None:
    """The items that an interval of alpha or kappa needs to be this narrow."""
    if (alpha is None) == (kappa is None) or (kappa is not None and level not in (None, "nominal")):
        raise OptionError("give --alpha with its --level, or --kappa, whose level is nominal")
    given = locals()
    del given["alpha"], given["kappa"]
    given |= {"agreement": alpha} if kappa is None else {"agreement": kappa, "level": "nominal"}
    _show("agreement", given)


@size.command()
def fooling(
    rate: Annotated[
        float | None, typer.Option("--rate", help="How often generated outputs pass for real.")
    ] = None,
    half_width: Annotated[
        float | None, typer.Option("--half-width", help="Half the length of the rate's interval.")
    ] = None,
    real: Annotated[
        float | None, typer.Option("--real", help="Compare with how often real ones pass.")
    ] = None,
    ratio: Annotated[
        float | None,
        typer.Option("--ratio", help="Answers about real per generated.", show_default="1"),
    ] = None,
    per_rater: Annotated[
        float | None, typer.Option("--per-rater", help="Answers that each rater gives.")
    ] = None,
    rater_correlation: Annotated[
        float | None,
        typer.Option(
            "--rater-correlation", help="The correlation of any two answers of one rater."
        ),
    ] = None,
    n: N = None,
    power: Power = None,
    confidence: Confidence = 0.95,
    one_sided: OneSided = False,
    as_json: AsJson = False,
) -> None:
    """A fooling rate: how precise, or against real outputs. Against 50%: win-rate."""
    _show("fooling", locals())


@size.command("with-judge")
def with_judge(
    correlation: Annotated[
        float,
        typer.Option(
            "--correlation", help="The correlation of people's answers and the judge's, by item."
        ),
    ],
    sd: Annotated[
        float, typer.Option("--sd", help="The standard deviation of people's answer to an item.")
    ],
    judged: Annotated[int, typer.Option("--judged", help="The items that the judge rates.")],
    raters: Annotated[int, typer.Option("--raters", help="The people who share their items.")],
    rater_sd: Annotated[
        float | None,
        typer.Option(
            "--rater-sd", help="The standard deviation of raters' own shifts.", show_default="0"
        ),
    ] = None,
    half_width: Annotated[
        float | None, typer.Option("--half-width", help="Half the length of the interval you want.")
    ] = None,
    n: N = None,
    confidence: Confidence = 0.95,
    as_json: AsJson = False,
) -> None:
    """The items that people must rate beside a judge; by data: 'jurybox plan --with-judge'."""
    _show("with_judge", locals())


def _numbers(name: str, text: str | None) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise OptionError(
            f"--{name} takes numbers between commas, as 0.5,0.3; got {text}"
        ) from None


def in_options(said: str, question: str, names: Iterable[str]) -> str:
    """A sentence about a function's arguments as one about the options of a command.

    An argument is named where the sentence begins or after a verb, alone or in a list; elsewhere
    the same word is a word.

    >>> in_options("win_rate needs rate, or n to find the smallest", "win_rate", ["rate", "n"])
    'win-rate needs --rate, or --n to find the smallest'
    >>> in_options("rate must be a win rate between 0 and 1", "win_rate", ["rate", "n"])
    '--rate must be a win rate between 0 and 1'
    """
    known = sorted({*names, "n", "power", "confidence"} - {question}, key=len, reverse=True)
    name = rf"(?:{'|'.join(map(re.escape, known))})\b(?! of [\de])"
    listed = rf"{name}(?:(?:,| and| or|, or| nor) {name})*"

    def options(found: re.Match[str]) -> str:
        return found[1] + re.sub(name, lambda one: f"--{one[0].replace('_', '-')}", found[2])

    shown = re.sub(rf"({BEFORE_NAMES})({listed})", options, said)
    return shown.replace(question, question.replace("_", "-"), 1)


def _show(question: Any, options: dict[str, Any]) -> None:
    """Print the answer. A command's parameters are the function's, but for those named here."""
    from jurybox.analysis.api.sizes import sample_size

    given = {name: value for name, value in options.items() if name not in ("as_json", "question")}
    given |= {name: _numbers(name, given[name]) for name in given.keys() & {"components", "shares"}}
    try:
        made = sample_size(question, **given)
    except InputError as error:
        raise OptionError(in_options(str(error), question, given)) from None
    if options["as_json"]:
        typer.echo(json.dumps(made.to_dict(), ensure_ascii=False, indent=2))
    else:
        typer.echo(str(made))
