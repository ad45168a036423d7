"""Where the responses are: a table by itself, or everything that a study's store holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from jurybox.analysis.asked import Asked, AskedCriterion, AskedDerived, asked_by
from jurybox.analysis.finding import Collected
from jurybox.analysis.kept import (
    Kept,
    TableStore,
    count_collected,
    count_rounds,
    find_changes,
    find_simulated,
    kept_version,
    say_looks,
    say_opened,
    say_simulated,
    say_versions,
)
from jurybox.errors import AnalysisError, InputError, SpecError
from jurybox.tally.derived import Rule
from jurybox.tally.mapping import Mapped
from jurybox.tally.responses import Responses
from jurybox.tally.shapes import ShapeName, known_columns

if TYPE_CHECKING:
    from jurybox.analysis.measure.judge_biases import JudgeFacts
    from jurybox.analysis.measure.judges import Strata
    from jurybox.design.plan import Trial
    from jurybox.stats.agreement.alpha import Level
    from jurybox.store import Store
    from jurybox.study import Material, Study

__all__ = ["Gathered", "gather", "gather_raters", "with_categories", "with_stated"]

OF_RATERS = (
    *("item", "system", "system_a", "system_b", "rater", "criterion", "trial", "rater_kind"),
    *("score", "winner", "first", "strength", "rank", "truth", "answer", "field", "start", "end"),
    *("category", "severity", "position", "repeat", "ms", "excluded_by"),
)
"""The columns that raters' numbers are made of; the store gives main, answered rows only."""
CHECKED = ("rater", "kind", "correct", "excluded_by")
SENT = (
    *("id", "trial", "item", "kind", "rater", "rater_kind", "study_version", "repeat"),
    *("status", "reason", "excluded_by"),
)
"""The columns of submissions that say how the answers came; times take longest to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """Tables to read, each with its shape where that is known."""

    tables: tuple[tuple[ShapeName | None, Any], ...]
    asked: Asked = field(default_factory=Asked)
    checks: Mapping[str, list[Any]] | None = None
    unanswered: Mapping[str, list[Any]] | None = None
    """Main trials that were skipped or unusable: a row for each, or for each system shown."""
    expected: Mapping[str, float] | float | None = None
    """Seconds that a trial should take: of all, or of each."""
    where: str = ""
    took: tuple[str, ...] = ()
    collected: Collected | None = None
    by: str | None = None
    """The column that tells a rater's group; by default ``group``, where there is one."""
    category: str | None = None
    """The column that tells an item's category; by default ``category``, where there is one."""
    replies: Mapping[str, tuple[int, int]] | None = None
    """How many of each judge's replies to main trials could not be used, and how many there are."""
    facts: JudgeFacts | None = None
    """What the study says of its judges and systems, where there are judges."""
    strata: Strata | None = None
    """The parts of the material within which judges are looked at, where there are judges."""
    categories: Mapping[str, Mapping[str, str]] | None = None
    """By field, the category of each item, where the material or a column tells it."""


def gather(
    source: Any,
    *,
    study: Study | None = None,
    material: Material | None = None,
    database: str | None = None,
    by: str | None = None,
    category: str | None = None,
) -> Gathered:
    """Find the responses: in a study directory's store, in a store, or in a table."""
    if isinstance(source, Mapped) and isinstance(source.source, str | Path):
        if _is_study(Path(source.source)):
            raise InputError(f"{source.source} is a study, which knows its columns: map nothing")
    elif isinstance(source, str | Path) and _is_study(Path(source)):
        return _from_directory(Path(source), study, material, database, by, category)
    if hasattr(source, "table") and hasattr(source, "load_plan"):
        return _from_store(source, study, material, by=by, category=category)
    asked = Asked() if study is None else asked_by(study)
    return Gathered(tables=((None, source),), asked=asked, by=by, category=category)


def with_stated(asked: Asked, opened: Sequence[Responses]) -> Asked:
    """What the study asked, and beneath it what is stated of its tables: levels, derived criteria.

    A table by itself has no study; then its mapping, or the format it was imported from, says it.
    """
    criteria, derived = dict(asked.criteria), dict(asked.derived)
    for responses in opened:
        stated = responses.stated
        for name, rule in stated.derive.items():
            made = AskedDerived(rule=cast(Rule, rule.rule), weights=rule.weights)
            derived.setdefault(name, made)
        if stated.level is None and not stated.levels and not stated.scale:
            continue
        parts = [part for rule in stated.derive.values() for part in rule.weights]
        for name in dict.fromkeys((*responses.criteria, *stated.derive, *parts)):
            known = criteria.get(name, AskedCriterion())
            level = known.level or stated.levels.get(name, stated.level)
            known = replace(known, level=cast("Level | None", level))
            scale = stated.scale.get(name, stated.scale.get("*", ()))
            if scale and name not in stated.derive and known.ends is None:
                values = scale if len(scale) > 2 else known.values
                known = replace(known, values=values, ends=(scale[0], scale[-1]))
            criteria[name] = known
    return replace(asked, criteria=criteria, derived=derived)


def with_categories(gathered: Gathered, opened: Sequence[Responses]) -> Gathered:
    """The same, with the categories of items that a table by itself tells."""
    if gathered.collected is not None:
        return gathered
    # Imported here: few tables tell categories.
    from jurybox.tally.categories import item_categories

    found = item_categories(opened[0])
    if found is None:
        return gathered
    if found.several is not None:
        said = f"no results by category: item {found.several} has several, and an item is of one"
        return replace(gathered, took=(*gathered.took, said))
    field = gathered.category or "category"
    categories = {field: found.of}
    if not opened[0].n_judges:
        return replace(gathered, categories=categories)
    from jurybox.analysis.measure.judges import Strata

    return replace(gathered, categories=categories, strata=Strata(categories=categories))


def _is_study(path: Path) -> bool:
    return path.name == "study.yaml" or (path / "study.yaml").is_file()


def _from_directory(
    path: Path,
    study: Study | None,
    material: Material | None,
    database: str | None,
    by: str | None,
    category: str | None,
) -> Gathered:
    # Imported here: a bare table needs neither the study's reader nor its database.
    from jurybox.store import Store
    from jurybox.study import load_study

    directory = path.parent if path.name == "study.yaml" else path
    known = load_study(directory) if study is None else study
    if database is None and not (directory / "study.db").is_file():
        raise AnalysisError(
            f"{directory}: this study has no responses yet (there is no study.db); plan it with "
            "'jurybox plan' and collect with 'jurybox serve'"
        )
    with Store.open(database or directory / "study.db", create=False) as store:
        with_files = known.directory is not None
        return _from_store(store, known, material, with_files=with_files, by=by, category=category)


def _from_store(
    store: TableStore,
    study: Study | None,
    material: Material | None,
    *,
    with_files: bool = False,
    by: str | None = None,
    category: str | None = None,
) -> Gathered:
    """Everything in a store, by the version of the study that it keeps."""
    from jurybox.analysis.blinded import BlindStore

    kept = kept_version(store)
    changes: tuple[str, ...] = ()
    if kept is not None and study is not None:
        changes = find_changes(kept, study, with_files=with_files)
    counted = _counted(kept, study)
    wanted = (*known_columns(), "group")
    asked, filled = _answers(
        lambda shape: store.table(shape, retests=True, columns=wanted), counted
    )
    filled = tuple((shape, _grouped(store, counted, table, by)) for shape, table in filled)
    submissions, plan = store.table("submissions", columns=SENT), store.load_plan()
    checks = store.table("checks", columns=CHECKED)
    strata = _strata(counted, material, study if with_files else None, submissions)
    rounds, simulated = count_rounds(store), find_simulated(store)
    collected = count_collected(submissions, checks, plan, kept, changes, rounds, simulated)
    return Gathered(
        tables=filled,
        asked=replace(asked, is_blind=isinstance(store, BlindStore)),
        checks=checks,
        unanswered=_unanswered(submissions, plan, pairs=counted.protocol == "compare"),
        expected=_expected(counted, lambda: () if plan is None else plan.trials, material),
        where="the study's responses",
        took=(
            *say_simulated(collected.simulated),
            *say_versions(submissions),
            *_unasked(submissions),
            *say_opened(store),
            *say_looks(store),
        ),
        collected=collected,
        replies=_replies(submissions),
        strata=strata,
        facts=_facts(counted, plan, strata, submissions),
        categories=_categories(counted, material, category),
    )


def gather_raters(
    store: Store, *, study: Study | None = None, material: Material | None = None
) -> Gathered:
    """Only what the raters' own numbers need of a store: answers, checks and expected times."""
    counted = _counted(kept_version(store), study)
    asked, filled = _answers(
        lambda shape: store.table(shape, retests=True, columns=OF_RATERS), counted
    )
    return Gathered(
        tables=filled,
        asked=asked,
        checks=store.table("checks", columns=CHECKED),
        expected=_expected(counted, store.load_trials, material),
    )


def _counted(kept: Kept | None, study: Study | None) -> Study:
    """The study by which a store is analyzed: the version that it keeps, if it does."""
    counted = study if kept is None else kept.study
    if counted is None:
        raise AnalysisError("a store without a version is analyzed with its study: pass study=")
    return counted


def _answers(
    read: Callable[[ShapeName], dict[str, list[Any]]], study: Study
) -> tuple[Asked, tuple[tuple[ShapeName, dict[str, list[Any]]], ...]]:
    """What was asked, and the tables of what was answered."""
    asked = asked_by(study)
    tables = ((shape, read(shape)) for shape in asked.shapes)
    filled = tuple((shape, table) for shape, table in tables if _counts(table))
    if not filled:
        raise AnalysisError(
            f"{asked.title!r} has no answered trials yet; collect answers with 'jurybox serve' or "
            "'jurybox sheets'"
        )
    return asked, filled


def _categories(
    study: Study, material: Material | None, field: str | None
) -> dict[str, dict[str, str]] | None:
    if material is None:
        if field is not None:
            raise InputError(f"category={field!r} is looked up in the items: pass material=")
        return None
    # Imported here: a bare table has no items to look at.
    from jurybox.analysis.strata import categories_of

    return categories_of(study, material, field)


def _replies(submissions: Mapping[str, list[Any]]) -> dict[str, tuple[int, int]]:
    """How many replies of each judge could not be used, and how many there are."""
    columns = (submissions[name] for name in ("rater", "status", "rater_kind", "kind"))
    found = Counter(
        (str(rater), str(status))
        for rater, status, *whose in zip(*columns, strict=True)
        if whose == ["judge", "main"] and status in ("answered", "unusable")
    )
    return {
        rater: (found[rater, "unusable"], found[rater, "unusable"] + found[rater, "answered"])
        for rater in {rater for rater, _ in found}
    }


def _strata(
    study: Study,
    material: Material | None,
    on_disk: Study | None,
    submissions: Mapping[str, list[Any]],
) -> Strata | None:
    """The parts of the material, which is read where it was not given, if there are judges."""
    if "judge" not in submissions["rater_kind"]:
        return None
    # Imported here: only judges are looked at within parts of the material.
    from jurybox.analysis.strata import strata_of
    from jurybox.study.material import load_material

    if material is None and on_disk is not None:
        try:
            material = load_material(on_disk)
        except SpecError:
            # That the tables cannot be read is said where they are compared.
            return None
    return None if material is None else strata_of(study, material)


def _facts(
    study: Study, plan: Any, strata: Strata | None, submissions: Mapping[str, list[Any]]
) -> JudgeFacts | None:
    if "judge" not in submissions["rater_kind"]:
        return None
    # Imported here: few studies have judges.
    from jurybox.analysis.judge_facts import facts_of

    return facts_of(study, plan, {} if strata is None else strata.lengths)


def _unasked(submissions: Mapping[str, list[Any]]) -> tuple[str, ...]:
    if "judge" not in submissions["rater_kind"]:
        return ()
    # Imported here: few studies have judges.
    from jurybox.analysis.judge_facts import say_unasked

    return say_unasked(submissions)


def _grouped(
    store: TableStore, study: Study, table: dict[str, list[Any]], by: str | None
) -> dict[str, list[Any]]:
    """The table with each rater's answer to a survey question as their group, if that is asked."""
    if by is None or by == "group":
        return table
    if by not in study.survey:
        known = ", ".join(["group", *study.survey])
        raise InputError(f"by={by!r} is no question of the study's survey; there are {known}")
    told = {rater.id: (rater.survey or {}).get(by) for rater in store.raters()}
    return {**table, "group": [told.get(rater) or None for rater in table["rater"]]}


def _counts(table: Mapping[str, list[Any]]) -> bool:
    """Whether there is a response of a rater who has not withdrawn."""
    marks = table.get("excluded_by", [None] * len(table["rater"]))
    return any(mark != "withdrawn" for mark in marks)


def _unanswered(
    submissions: Mapping[str, list[Any]], plan: Any, *, pairs: bool
) -> dict[str, list[Any]] | None:
    """The main trials that people skipped or could not judge, withdrawn raters' apart."""
    if plan is None:
        return None
    names = ("trial", "item", "rater", "system", "other", "status", "reason")
    rows = []
    for number, status in enumerate(submissions["status"]):
        if status not in ("skipped", "unusable"):
            continue
        sent = {name: values[number] for name, values in submissions.items()}
        if sent["excluded_by"] == "withdrawn":
            continue
        if sent["kind"] != "main" or sent["rater_kind"] != "person" or sent["repeat"]:
            continue
        shown = [str(system) for system in plan.trial(sent["trial"]).systems]
        head = (sent["trial"], sent["item"], sent["rater"])
        each = [tuple(shown)] if pairs else [(system, system) for system in shown]
        rows += [(*head, *systems, sent["status"], sent["reason"]) for systems in each]
    return {name: [row[k] for row in rows] for k, name in enumerate(names)}


def _expected(
    study: Study, planned: Callable[[], Sequence[Trial]], material: Material | None
) -> Mapping[str, float] | float | None:
    """How long a trial should take: what the study says, else by what it shows."""
    if study.session.seconds_per_trial is not None:
        return float(study.session.seconds_per_trial)
    if material is None:
        return None
    from jurybox.design.timing import trials_seconds

    # The files may have changed since the trials were planned.
    trials = [
        trial
        for trial in planned()
        if trial.kind == "main"
        and trial.item in material.items
        and all((trial.item, system) in material.outputs for system in trial.systems)
    ]
    if not trials:
        return None
    seconds = trials_seconds(study, material, trials)
    return {str(trial.id): float(s) for trial, s in zip(trials, seconds, strict=True)}
