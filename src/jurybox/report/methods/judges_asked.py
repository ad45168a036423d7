"""How judges were asked, for the methods paragraph: what the study says of each that answered."""

from __future__ import annotations

from collections.abc import Iterator

from jurybox.analysis.finding import Analysis
from jurybox.formats import joined
from jurybox.results import format_count
from jurybox.study.model import Study
from jurybox.study.settings import Judge

__all__ = ["judges_asked"]

ORDERS = {"both": "in both orders", "random": "in a random order", "fixed": "in the planned order"}


def judges_asked(analysis: Analysis, study: Study | None) -> Iterator[str]:
    """Who judged, by which model and how, and that people's figures are free of it."""
    names = _answered(analysis)
    if not names:
        return
    known = {} if study is None else study.judges
    said = [f"{name} ({_how(known[name], study)})" for name in names if name in known]
    rest = [name for name in names if name not in known]
    who = format_count(len(names), "judge")
    if not analysis.of_judges:
        yield (
            f"{who} ({joined(names)}) answered beside people; their answers are in "
            "no figure of people alone."
        )
    if said:
        yield f"Judges were asked without names of systems: {joined(said)}."
    if rest:
        were = "was" if len(rest) == 1 else "were"
        yield f"How {joined(rest)} {were} asked is not recorded."


def _answered(analysis: Analysis) -> list[str]:
    """The judges whose answers the analysis has, each once."""
    if analysis.of_judges:
        table = analysis.table("raters")
        return [] if table is None else [str(row[0]) for row in table.rows]
    found = (f.result for f in analysis.findings if f.standing == "judge")
    # A panel is made of what the others answered.
    own = (result for result in found if not getattr(result, "panel_of", ()))
    names = (getattr(result, "judge", None) for result in own)
    return list(dict.fromkeys(name for name in names if name))


def _how(judge: Judge, study: Study | None) -> str:
    """One judge's model and settings."""
    parts = [f"model {judge.model}", f"temperature {judge.temperature:g}"]
    several = study is not None and (
        study.protocol in ("compare", "rank") or study.design.outputs_per_trial not in (None, 1)
    )
    parts += [ORDERS[judge.order]] if several else []
    parts.append("once" if judge.repeats == 1 else f"{judge.repeats:,} times each")
    if judge.trials != "all":
        parts.append("on a part of the trials")
    words = "the study's questions and anchors"
    parts.append(f"by {words}" if judge.template is None else "by a prompt of its own")
    return ", ".join(parts)
