"""`jurybox plan --with-judge`: how many items people must still rate beside a judge."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from jurybox.cli.place import has_store
from jurybox.cli.size import in_options
from jurybox.errors import InputError, OptionError
from jurybox.formats import format_count

if TYPE_CHECKING:
    from jurybox.stats.judges.prediction_powered import JudgeQuality

__all__ = ["WithJudge", "beside_judge"]

PANEL = "How many: beside a judge"


def _option(*names: str, **settings: Any) -> Any:
    return typer.Option(*names, rich_help_panel=PANEL, **settings)


WithJudgeOption = Annotated[
    bool,
    _option(
        "--with-judge",
        help="How many items people must still rate where a judge rates all, for an interval of "
        "--half-width. How good the judge is comes from the study's responses or from --pilot, or "
        "is given by --correlation, --sd, --rater-sd, --judged and --raters.",
    ),
]
HalfWidthOption = Annotated[
    float | None,
    _option("--half-width", help="Half the length of the interval: points, or 0.05 of a win rate."),
]
JudgeOption = Annotated[
    str | None,
    _option("--judge", help="The judge whose responses to go by.", show_default="the only one"),
]
CorrelationOption = Annotated[
    float | None,
    _option("--correlation", help="The correlation of people's answers and the judge's, by item."),
]
SdOption = Annotated[
    float | None, _option("--sd", help="The standard deviation of people's answer to an item.")
]
RaterSdOption = Annotated[
    float | None, _option("--rater-sd", help="The standard deviation of raters' own shifts.")
]
JudgedOption = Annotated[
    int | None, _option("--judged", help="The items that the judge rates, or will.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class WithJudge:
    """What was asked on the command line."""

    asked: bool
    half_width: float | None = None
    judge: str | None = None
    criterion: str | None = None
    correlation: float | None = None
    sd: float | None = None
    rater_sd: float | None = None
    judged: int | None = None

    @property
    def numbers(self) -> dict[str, float | int]:
        """What was given by number."""
        names = ("correlation", "sd", "rater_sd", "judged")
        found = {name: getattr(self, name) for name in names}
        return {name: value for name, value in found.items() if value is not None}

    def refuse_aimless(self) -> None:
        """Refuse options of this panel without the question."""
        named = {"half_width": self.half_width, "judge": self.judge}
        given = [name for name, value in {**named, **self.numbers}.items() if value is not None]
        if given and not self.asked:
            option = given[0].replace("_", "-")
            raise OptionError(f"--{option} belongs to the question --with-judge: give it too.")


def beside_judge(
    path: Path,
    asked: WithJudge,
    *,
    pilot: Path | None,
    raters: int | None,
    database: str | None,
    as_json: bool,
) -> None:
    """Answer in the terminal or as JSON."""
    from jurybox.analysis.api.sizes import sample_size

    if asked.half_width is None:
        raise OptionError("--with-judge needs --half-width, as 0.1 for an interval of ±0.1 points.")
    given: dict[str, Any] = {**asked.numbers, **({} if raters is None else {"raters": raters})}
    needed = {"correlation", "sd", "judged", "raters"}
    said: tuple[str, ...] = ()
    rated = 0
    if not needed <= given.keys():
        quality, said = _measured(_source(path, pilot, database), asked, database)
        rated = quality.n_items
        given = {**_as_given(quality), **given}
    try:
        made = sample_size("with_judge", half_width=asked.half_width, **given)
    except InputError as error:
        raise OptionError(in_options(str(error), "with_judge", given)) from None
    left = max(0, made.n - rated)
    if as_json:
        data = {"assumed": said, "rated": rated, "still_needed": left, "found": made.to_dict()}
        typer.echo(json.dumps(data, ensure_ascii=False, indent=2))
        return
    for sentence in said:
        typer.echo(sentence)
    if rated:
        few = {0: "no more are needed", 1: "1 more is needed"}
        more = few.get(left, f"{left:,} more are needed")
        typer.echo(f"People have rated {format_count(rated, 'item')}: {more}.")
    typer.echo(str(made))


def _as_given(quality: JudgeQuality) -> Mapping[str, Any]:
    return {
        "correlation": quality.correlation,
        "sd": quality.sd,
        "rater_sd": quality.rater_sd,
        "raters": quality.n_raters,
        "judged": quality.n_judged_items,
    }


def _source(path: Path, pilot: Path | None, database: str | None) -> Path:
    """The responses that say how good the judge is."""
    if pilot is not None:
        return pilot
    directory = path.parent if path.name == "study.yaml" else path
    if (directory / "study.yaml").is_file() and has_store(directory, database):
        return directory
    raise InputError(
        "--with-judge needs to know how good the judge is: name a study with responses of people "
        "and judges, give them as --pilot FILE, or give --correlation, --sd, --judged and --raters."
    )


def _measured(
    source: Path, asked: WithJudge, database: str | None
) -> tuple[JudgeQuality, tuple[str, ...]]:
    from jurybox.analysis.api.opened import one_criterion, opened
    from jurybox.analysis.gather import gather
    from jurybox.analysis.measure.prediction_powered import measured_quality
    from jurybox.tally.judge_replies import judge_replies
    from jurybox.tally.single_answers import single_answers

    gathered = gather(source, database=database)
    shape, table = gathered.tables[0]
    with opened(table, shape, asked.criterion) as found:
        name = one_criterion(found, "--criterion")
        known = gathered.asked.criterion(name)
        cost = {"severities": known.severities, "weights": known.weights}
        replies = judge_replies(single_answers(found, name, **cost), name)
    judge = _which(replies.judges, asked.judge)
    if not (replies.is_number or replies.shape == "votes"):
        raise InputError("--with-judge is for scores, votes, rankings and marks; these are words.")
    about, quality = measured_quality(replies, judge)
    if isinstance(quality, str):
        raise InputError(
            f"How good {replies.judges[judge]} is cannot be measured: {quality}; give "
            "--correlation, --sd, --rater-sd, --judged and --raters."
        )
    return quality, (
        f"{replies.judges[judge]} on the {about}, from {source}: correlation "
        f"{quality.correlation:.2f} with people over {quality.n_items:,} items, whose answers have "
        f"a standard deviation of {quality.sd:.3g}; that of {quality.n_raters} raters' own shifts "
        f"is {quality.rater_sd:.3g}.",
    )


def _which(judges: tuple[str, ...], name: str | None) -> int:
    if name is None and len(judges) == 1:
        return 0
    if name not in judges:
        said = "" if name is None else f" {name!r}"
        raise InputError(
            f"--judge{said}: choose one of {', '.join(judges)}, whose answers there are."
        )
    return judges.index(name)
