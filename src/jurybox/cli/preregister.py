"""``jurybox preregister``: what is fixed before the data, as a file with hashes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from jurybox.cli.place import DatabaseOption, StudyArgument, has_store, open_store, study_directory
from jurybox.errors import InputError, OptionError
from jurybox.formats import format_count

if TYPE_CHECKING:
    from jurybox.analysis import Analysis
    from jurybox.analysis.kept import Kept
    from jurybox.design.plan import Plan
    from jurybox.report.documents.preregistration import PlannedPower, Preregistration
    from jurybox.store.values import Version
    from jurybox.study import Material, Study

__all__ = ["find_preregistration", "preregister", "with_preregistration"]

FILE = "preregistration.json"
OF_ALL, OF_JUDGES = ("confidence",), ("epsilon", "panel")
"""The settings of the study's analysis that a report can be given otherwise."""


def preregister(
    study: StudyArgument = Path(),
    *,
    detect: Annotated[
        float | None,
        typer.Option(
            help="The difference that the study must find: its power at the planned size is "
            "written down. Points of the scale, or 0.05 for a win rate of 55%.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="The directory to write to.", show_default="the study directory"),
    ] = None,
    database: DatabaseOption = None,
) -> None:
    """Fix a study before its data: hashes of study, material and plan, rules, question, size.

    Writes preregistration.md for people and preregistration.json. A later 'jurybox report' finds
    the file in the study directory and says, part by part, whether study and data match it.

    Refused once there are answers to the main round: what is fixed after the data is not fixed.
    """
    from jurybox.report.documents.preregistration import preregister as take
    from jurybox.report.documents.preregistration import read_preregistration
    from jurybox.report.formats.preregistration import preregistration_markdown
    from jurybox.report.versions import package_versions
    from jurybox.study import load_material, load_study

    directory = study_directory(study)
    loaded = load_study(directory)
    material = load_material(loaded)
    plan = _planned(directory, database, loaded, material)
    made = take(
        loaded,
        material,
        plan,
        at=datetime.now(UTC),
        power=None if detect is None else _power(loaded, material, plan, detect),
        packages=package_versions(),
    )
    folder = out or directory
    path = folder / FILE
    if path.exists():
        raise InputError(
            f"{path}: there is a preregistration of {read_preregistration(path).when} already; "
            "move it away to fix the study anew."
        )
    text = json.dumps(made.to_dict(), ensure_ascii=False, indent=1, allow_nan=False)
    written = {path: text + "\n", path.with_suffix(".md"): preregistration_markdown(made)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for each, content in written.items():
            each.write_text(content, encoding="utf-8", newline="")
    except OSError as error:
        raise InputError(f"{folder}: cannot write there: {error.strerror}") from error
    typer.echo(
        f"Fixed: {format_count(made.n_answers, 'answer')} to "
        f"{format_count(made.n_trials, 'trial')}. Deposit this digest where others can see its "
        f"date:\n  {made.digest}"
    )
    for each in written:
        typer.echo(f"  {each}")


def with_preregistration(
    analysis: Analysis,
    directory: Path,
    kept: Kept,
    versions: Sequence[Version],
    plan: Plan | None,
    sent: Mapping[str, Sequence[Any]],
    told: Mapping[str, Any],
) -> Analysis:
    """The analysis with whether it is what the study directory's preregistration says.

    ``kept``: the version that is analyzed, of all ``versions``; ``sent``: the submissions;
    ``told``: what this report was told to do, which may be otherwise than the study says.
    """
    from jurybox.analysis.kept import standing
    from jurybox.report.documents.preregistration import Found, add_preregistration
    from jurybox.report.versions import package_versions

    made = find_preregistration(directory)
    if made is None:
        return analysis
    has_judges = any(finding.standing == "judge" for finding in analysis.findings)
    rows = zip(sent["received_at"], sent["status"], strict=True)
    answers = [
        (rater, version)
        for kind, whose, rater, version in standing(
            sent, ("kind", "rater_kind", "rater", "study_version")
        )
        if (kind, whose) == ("main", "person")
    ]
    answered = {version for _, version in answers} - {kept.number}
    found = Found(
        snapshot=kept.snapshot,
        study_hash=kept.study.hash(),
        material_hash=kept.material_hash,
        earlier={
            each.number: json.loads(each.study_json) for each in versions if each.number in answered
        },
        plan=plan,
        n_answers=len(answers),
        n_raters=len({rater for rater, _ in answers}),
        first_answer=min((at for at, status in rows if status == "answered"), default=None),
        packages=package_versions(),
        told={name: told.get(name) for name in (*OF_ALL, *(OF_JUDGES if has_judges else ()))},
    )
    return add_preregistration(analysis, made, found)


def find_preregistration(directory: Path) -> Preregistration | str | None:
    """The study directory's preregistration, if there is one, or why it cannot be read."""
    from jurybox.report.documents.preregistration import read_preregistration

    path = directory / FILE
    if not path.is_file():
        return None
    try:
        return read_preregistration(path)
    except InputError as error:
        return str(error)


def _planned(directory: Path, database: str | None, study: Study, material: Material) -> Plan:
    """The plan of the main round: the one in the store, else the one that would be made."""
    from jurybox.cli.ready import plan_round
    from jurybox.errors import StoreError
    from jurybox.study.versions import compare, snapshot

    if not has_store(directory, database):
        return plan_round(study, material, None, (), round="main")[1]
    with open_store(directory, database) as store:
        answered = store.table("submissions")["status"].count("answered")
        if answered:
            raise StoreError(
                f"{directory}: {format_count(answered, 'answer')} came already, so nothing can be "
                "fixed before the data; a new round in a new directory can be preregistered."
            )
        latest = store.latest_version()
        now_says = snapshot(study, material)
        changes = () if latest is None else compare(json.loads(latest.study_json), now_says)
        refused = [change.sentence for change in changes if change.kind == "refused"]
        if refused:
            raise StoreError(
                "\n".join([*refused, "The plan in study.db is of another study: plan it again."])
            )
        return plan_round(study, material, store, changes, round="main")[1]


def _power(study: Study, material: Material, plan: Plan, detect: float) -> PlannedPower:
    """How often a study of the planned size would find the difference, by formula."""
    from jurybox.report.documents.preregistration import PlannedPower
    from jurybox.simulate.asked import contrast_of
    from jurybox.simulate.scenario import Scenario, default_scatter
    from jurybox.simulate.sizes import formula_power
    from jurybox.stats.power.crossed import Crossed

    if detect == 0:
        raise OptionError("--detect: a difference of 0 cannot be found; name one that would matter")
    contrast = contrast_of(study, list(material.systems), items=len(material.items))
    if contrast.protocol == "rate" and abs(detect) > contrast.span:
        raise OptionError(
            f"--detect asks for a difference of {detect:g}, and the scale is {contrast.span:g} "
            "long; give it in points of the scale."
        )
    settings: dict[str, Any] = {
        "real_share": study.design.real_share,
        "confidence": study.analysis.confidence,
        "ties": contrast.ties,
    }
    if contrast.protocol == "mark":
        settings["points"] = contrast.span
    scenario = Scenario(
        protocol=contrast.protocol,
        effect=-abs(detect) if contrast.protocol in ("detect", "mark") else detect,
        scatter=default_scatter(contrast.protocol, contrast.span),
        systems=contrast.systems,
        compared=contrast.compared,
        screens=contrast.screens,
        best=contrast.best,
        **settings,
    )
    theirs = {slot.trial for slot in plan.slots}
    main = [trial for trial in plan.trials if trial.kind == "main" and trial.id in theirs]
    items = len({trial.item for trial in main})
    size = Crossed(items=items, raters=len(plan.booklets), overlap=plan.overlap)
    return PlannedPower(
        effect=detect,
        power=formula_power(scenario, size),
        assumed="by formula, with the documented defaults of how much raters and items scatter",
    )
