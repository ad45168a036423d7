"""A preregistration for people to read: the question, the rules, the size, the hashes."""

from __future__ import annotations

from jurybox.analysis.asked import asked_by
from jurybox.formats import format_confidence
from jurybox.report.documents.preregistration import Preregistration
from jurybox.report.formats.markdown import as_points, as_text
from jurybox.report.said.words import rules
from jurybox.results import format_count, format_number, format_percent
from jurybox.study.model import Study

__all__ = ["preregistration_markdown"]


def preregistration_markdown(made: Preregistration) -> str:
    """The preregistration as Markdown; every text of the study is shown as text."""
    study = made.study
    parts = [
        f"# Preregistration: {as_text(made.title)}",
        as_text(f"Fixed on {made.when}, before any answer."),
        "## Question",
        as_points(_question(study)),
        "## Size",
        as_points(_size(made)),
        "## Exclusion rules",
        as_points(rules(study) or ("none is stated.",)),
        "## Hashes (SHA-256)",
        as_points([
            f"study: {made.study_hash}",
            f"items, outputs and known answers: {made.material_hash}",
            f"plan: {made.plan_hash}",
            f"this preregistration: {made.digest}",
        ]),
        "## Made with",
        as_points([f"{name} {version}" for name, version in made.packages.items()]),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _question(study: Study) -> list[str]:
    said = [f"protocol: {study.protocol}"]
    for name, criterion in study.criteria.items():
        asked = "" if criterion.question is None else f" “{study.words(criterion.question)}”"
        said.append(f"criterion {name}:{asked}" if asked else f"criterion {name}")
    choices = study.analysis
    said.append(f"primary comparison: {_primary(study)}")
    if study.baseline is not None:
        said.append(f"baseline: {study.baseline}")
    if choices.margin is not None:
        said.append(f"margin of equivalence: {choices.margin:g}")
    return [*said, f"confidence: {format_confidence(choices.confidence)}"]


def _primary(study: Study) -> str:
    primary = study.analysis.primary
    systems = None if primary is None else primary.win_rate or primary.mean
    if primary is None or systems is None:
        return "none is named, so all comparisons are one family"
    criterion = primary.criterion or next(iter(study.criteria))
    kind = "win rate" if primary.win_rate else asked_by(study).criterion(criterion).mean_name
    on = "" if primary.criterion is None else f" on {primary.criterion}"
    return f"{kind} of {' against '.join(systems)}{on}"


def _size(made: Preregistration) -> list[str]:
    said = [
        f"{format_count(made.n_items, 'item')}, {format_count(made.n_trials, 'trial')}, "
        f"{format_count(made.overlap, 'rater')} for each: {format_count(made.n_answers, 'answer')} "
        f"in {format_count(made.n_booklets, 'booklet')}",
        f"seed of the plan: {made.seed}",
    ]
    if made.power is None:
        return [*said, "power: not stated"]
    power = format_percent(made.power.power, 0)
    effect = format_number(made.power.effect)
    return [*said, f"power: {power} to find a difference of {effect}, {made.power.assumed}"]
