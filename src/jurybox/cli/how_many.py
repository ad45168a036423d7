"""The options of `jurybox plan` that ask how many, and what was asked with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from jurybox.errors import OptionError

if TYPE_CHECKING:
    from jurybox.study.model import Protocol

__all__ = ["HowMany"]

PANEL = "How many: by simulation"


def _option(*names: str, **settings: Any) -> Any:
    return typer.Option(*names, rich_help_panel=PANEL, **settings)


DetectOption = Annotated[
    float | None,
    _option(
        "--detect",
        help="Find the cheapest size that detects this difference: points of the scale, error "
        "points per output, or 0.05 for a win rate of 55% (of two ranked outputs too), or a "
        "fooling rate 5 points off.",
    ),
]
BudgetOption = Annotated[
    float | None,
    _option(
        "--budget",
        help="Find the smallest difference that this much money can detect (with --pay).",
    ),
]
HoursOption = Annotated[
    float | None,
    _option(
        "--hours", help="Find the smallest difference that this many hours of rating can detect."
    ),
]
PowerOption = Annotated[
    float, _option("--power", help="How often the difference must be detected.")
]
PilotOption = Annotated[
    Path | None,
    _option("--pilot", help="Responses of a pilot, to learn how much items and raters vary."),
]
CriterionOption = Annotated[
    str | None,
    _option(
        "--criterion",
        help="The criterion of the pilot's or the study's responses to go by.",
        show_default="the only one",
    ),
]
PayOption = Annotated[str | None, _option("--pay", help="Pay per hour, such as 12 or 12/h.")]
SecondsOption = Annotated[
    float | None,
    _option(
        "--seconds", help="How long a trial takes.", show_default="estimated from what is shown"
    ),
]
ProtocolOption = Annotated[
    Literal["rate", "compare", "rank", "detect", "mark"] | None,
    _option("--protocol", help="Without a study: how raters judge.", show_default="rate"),
]
SystemsOption = Annotated[
    int | None,
    _option("--systems", min=1, help="How many systems.", show_default="the study's, else 2"),
]
ScaleOption = Annotated[
    str | None,
    _option("--scale", help="Without a study: the ends of the scale.", show_default="1-5"),
]
StrengthsOption = Annotated[
    bool,
    _option(
        "--strengths",
        help="For votes or rankings of three systems or more: compare strengths (Bradley–Terry, "
        "Plackett–Luce), not win rates.",
    ),
]
OverlapOption = Annotated[
    int | None,
    _option(
        "--overlap",
        min=1,
        help="How many raters per output.",
        show_default="the study's, else searched",
    ),
]
RatersOption = Annotated[
    int | None,
    _option("--raters", min=2, help="How many raters.", show_default="the study's, else searched"),
]
StudiesOption = Annotated[
    int,
    _option("--studies", min=1, help="How many studies of the best size to simulate."),
]
SeedOption = Annotated[int, _option("--seed", min=0, help="The seed of the simulation.")]
MonthlyOption = Annotated[
    bool,
    _option(
        "--monthly",
        help="Hours and cost of a standing policy: people for every prompt change and launch, and "
        "a share of traffic.",
    ),
]
ChangesOption = Annotated[int, _option("--changes", min=0, help="Prompt changes a month.")]
LaunchesOption = Annotated[int, _option("--launches", min=0, help="Launches a month.")]
TrafficOption = Annotated[int, _option("--traffic", min=0, help="Answers served a month.")]
RateOption = Annotated[
    float, _option("--rate", min=0, max=1, help="The share of traffic that a person rates.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class HowMany:
    """What was asked on the command line."""

    detect: float | None = None
    budget: float | None = None
    hours: float | None = None
    power: float = 0.8
    pilot: Path | None = None
    criterion: str | None = None
    pay: str | None = None
    seconds: float | None = None
    protocol: Protocol | None = None
    systems: int | None = None
    scale: str | None = None
    strengths: bool = False
    overlap: int | None = None
    raters: int | None = None
    studies: int = 1000
    seed: int = 0
    monthly: bool = False
    changes: int = 4
    launches: int = 1
    traffic: int = 100_000
    rate: float = 0.01

    @property
    def asked(self) -> bool:
        """Whether the question is how many, and not who sees what."""
        return self.monthly or any(x is not None for x in (self.detect, self.budget, self.hours))

    def refuse_aimless(self) -> None:
        """Refuse options of this panel where none of them asks how many: they would do nothing."""
        given = [name for name, usual in DEFAULTS.items() if getattr(self, name) != usual]
        if given and not self.asked:
            raise OptionError(
                f"--{given[0]} goes with --detect, --budget or --hours, which ask how many are "
                "needed; a plan takes its numbers from design in study.yaml."
            )

    def refuse_beside_judge(self) -> None:
        """Refuse what the question --with-judge has no use for."""
        given = [name for name, usual in DEFAULTS.items() if getattr(self, name) != usual]
        for name in (name for name in given if name not in ("pilot", "criterion", "raters")):
            raise OptionError(
                f"--{name} does not go with --with-judge, which asks for an interval of "
                "--half-width beside a judge: leave out one of the two."
            )

    def refuse_planning(self, given: Mapping[str, bool]) -> None:
        """Refuse options of planning, by name, where the question is how many."""
        for name in (name for name, is_given in given.items() if is_given):
            raise OptionError(
                f"{name} belongs to planning who sees what, and the question how many plans "
                f"nothing: leave out {name}, or --detect, --budget, --hours and --monthly."
            )


DEFAULTS = asdict(HowMany())
