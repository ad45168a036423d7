"""What people gave each output, as scores that a metric is held against, and the words for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from jurybox.analysis.context import Context
from jurybox.analysis.finding import CellKind
from jurybox.analysis.measure.metrics import scores_of_outputs
from jurybox.analysis.measure.spans import Weights
from jurybox.tally.metrics import JudgedOutputs, judged_outputs
from jurybox.tally.ratings import are_numbers
from jurybox.tally.responses import Responses

__all__ = ["Scored", "scores_of_people"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One criterion's scores of outputs, of which more is better, and how they are spoken of."""

    criterion: str
    judged: JudgedOutputs
    followed: str
    """What a good metric follows; a clause with its comma."""
    as_it_rises: str
    """What happens while what is followed rises."""
    given: str
    """What people gave."""
    task: str
    """What a metric would do for a rater."""
    preferred: str
    """What people do who hold one of two outputs for the better one."""
    noun: str
    """What one response is called."""
    heading: str
    """The heading of their mean."""
    axis: str
    """What their mean is called along the axis of a chart."""
    kind: CellKind = "number"
    """How their mean is printed."""
    measured: str = "the mean score"
    """What of an output a correlation is with."""
    sign: float = 1.0
    """Turns the scores into what is shown."""


def scores_of_people(context: Context, responses: Responses) -> Iterator[Scored]:
    """Every criterion on which outputs have a score of their own; votes and rankings have none."""
    for criterion in responses.criteria:
        part = responses.of_criterion(criterion)
        name = "" if len(responses.criteria) == 1 else f" ({criterion})"
        if responses.shape.name == "spans":
            yield _marked(context, part, criterion, name)
        elif responses.shape.name == "detections":
            if part.value("SELECT bool_or(truth = 'generated') FROM {r}"):
                yield _called(part, criterion, name)
        elif are_numbers(part):
            yield _rated(context, part, criterion)


def _rated(context: Context, part: Responses, criterion: str) -> Scored:
    mean = context.asked.criterion(criterion).mean_name
    return Scored(
        criterion=criterion,
        judged=judged_outputs(scores_of_outputs(part)),
        followed=f"people's scores of {criterion}",
        as_it_rises=f"people's scores of {criterion} rise",
        given=f"people's scores of {criterion}",
        task=f"telling the better of two outputs of one item in {criterion}",
        preferred="prefer one",
        noun="rating",
        heading=mean.capitalize(),
        axis=f"people's {mean}",
        measured=f"the {mean}",
    )


def _marked(context: Context, part: Responses, criterion: str, name: str) -> Scored:
    """Error points with the opposite sign: more of them is worse."""
    asked = context.asked.criterion(criterion)
    weights = Weights(severities=asked.severities, weights=asked.weights)
    return Scored(
        criterion=criterion,
        judged=judged_outputs(scores_of_outputs(part, weights)),
        followed=f"how few error points people give{name},",
        as_it_rises=f"people give fewer error points{name}",
        given=f"people's error points{name}",
        task=f"telling which of two outputs of one item has fewer errors{name}",
        preferred="mark fewer errors in one",
        noun="marked output",
        heading="Error points",
        axis="people's mean error points, fewer being better",
        measured="the mean of the error points with the opposite sign, so that more is better"
        " of both",
        sign=-1.0,
    )


def _called(part: Responses, criterion: str, name: str) -> Scored:
    """How often an output that is generated is called real."""
    return Scored(
        criterion=criterion,
        judged=judged_outputs(scores_of_outputs(part)),
        followed=f"how often people call generated outputs real{name},",
        as_it_rises=f"people call generated outputs real more often{name}",
        given=f"people's answers{name}",
        task=f"telling which of two generated outputs of one item passes for real{name}",
        preferred="call one real more often",
        noun="answer",
        heading="Taken for real",
        axis="share of raters who take the output for real",
        kind="percent",
        measured="the share of raters who call the output real",
    )
