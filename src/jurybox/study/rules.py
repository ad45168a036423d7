"""Rules of sense: what fits together in a study, checked after every part is well formed.

Each rule is a function from the study to its breaches. ``rules_criteria`` has those of criteria.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from jurybox.formats import in_words, joined
from jurybox.study.breach import Breach, Path, nearest, show_value
from jurybox.study.files import is_url
from jurybox.study.languages import languages
from jurybox.study.model import OutputTable, Study
from jurybox.study.parts import Text
from jurybox.study.rules_criteria import CRITERIA_RULES
from jurybox.study.rules_groups import check_groups
from jurybox.study.tables import SUFFIXES, is_table

__all__ = ["find_breaches", "texts_of"]


def find_breaches(study: Study) -> tuple[Breach, ...]:
    """Every breach of every rule, warnings included."""
    rules = [*CRITERIA_RULES, *STUDY_RULES]
    return tuple(dict.fromkeys(breach for rule in rules for breach in rule(study)))


def check_show(study: Study) -> Iterator[Breach]:
    """What is shown can be shown, and does not give the system away."""
    for name, shown in study.show.items():
        path: Path = ("show", name)
        if name in {"item", "system"}:
            message = f"would show raters the {name}'s name; name a field of a table"
            yield Breach(path=path, message=message, on_key=True)
        if shown.between is not None and shown.medium != "images":
            yield Breach(path=(*path, "between"), message="is for a series, `as: images`")
        if shown.between is not None and shown.between in study.show:
            message = f"shows {show_value(shown.between)} already; take it out of `show`"
            yield Breach(path=(*path, "between"), message=message)
        if shown.play == "to-the-end" and shown.medium not in {"audio", "video"}:
            yield Breach(path=(*path, "play"), message="is for audio and video")
    if study.show and all(shown.reference for shown in study.show.values()):
        yield Breach(path=("show",), message="shows references only, and nothing to judge")


def check_sources(study: Study) -> Iterator[Breach]:
    """Tables and patterns are named in a form that can be read."""
    if study.items is not None:
        yield from _check_table(("items",), study.items)
    quality = study.quality
    for kind in ("practice", "gold", "attention"):
        table = getattr(quality, kind)
        if table is not None:
            yield from _check_table(("quality", kind), table)
    if isinstance(study.outputs, OutputTable):
        yield from _check_table(("outputs", "table"), study.outputs.table)
        if len(set(study.outputs.columns.values())) < len(study.outputs.columns):
            message = "names one column for two systems"
            yield Breach(path=("outputs", "columns"), message=message)
    else:
        yield from _check_pattern(study.outputs)


def _check_table(path: Path, name: str) -> Iterator[Breach]:
    if is_url(name):
        yield Breach(path=path, message="is a URL; nothing is fetched, so save the file here")
    elif not is_table(name):
        message = f"must end in {in_words(sorted(SUFFIXES))}, got {show_value(name)}"
        yield Breach(path=path, message=message)


def _check_pattern(outputs: str) -> Iterator[Breach]:
    path: Path = ("outputs",)
    names = re.findall(r"\{([^{}]*)\}", outputs)
    unknown = [name for name in names if name not in {"system", "item"}]
    if is_url(outputs):
        yield Breach(path=path, message="is a URL; nothing is fetched, so save the files here")
    elif unknown:
        hint = nearest(unknown[0], ["system", "item"])
        message = f"may hold {{system}} and {{item}}, got {show_value('{' + unknown[0] + '}')}"
        yield Breach(path=path, message=message + hint)
    elif outputs.count("{") != len(names) or outputs.count("}") != len(names):
        yield Breach(path=path, message=f"has a brace without its partner: {show_value(outputs)}")
    elif "{" not in outputs and not is_table(outputs):
        suffixes = in_words(sorted(SUFFIXES))
        message = f"must be a table ({suffixes}) or a pattern with {{system}} and {{item}}"
        yield Breach(path=path, message=f"{message}, got {show_value(outputs)}")
    elif "{" in outputs and "system" not in names:
        yield Breach(path=path, message="lacks {system}: every output belongs to a system")
    elif "{" in outputs and "item" not in names and not is_table(outputs):
        message = "is a pattern without {item}, so it must name a table for each system"
        yield Breach(path=path, message=message)


def check_systems(study: Study) -> Iterator[Breach]:
    """Real systems stand in detect, and are among those named."""
    if study.protocol == "detect" and not study.real:
        message = "lacks `real`, the systems that are not generated"
        yield Breach(path=(), message=message, also=(("real",),))
    if study.protocol != "detect" and study.real:
        yield Breach(
            path=("real",), message=f"is for detect, not for {study.protocol}", on_key=True
        )
    systems = list(study.systems or ())
    if study.systems is None and isinstance(study.outputs, OutputTable):
        systems = list(study.outputs.columns)
    if systems:
        for n, name in enumerate(study.real):
            if name not in systems:
                hint = nearest(name, systems)
                message = f"names {show_value(name)}, which is not among the systems{hint}"
                yield Breach(path=("real", n), message=message, also=(("systems",), ("outputs",)))
    baselines = [name for name, system in (study.systems or {}).items() if system.baseline]
    if len(baselines) > 1:
        message = f"has two baselines, {joined(baselines)}; keep one"
        yield Breach(path=("systems",), message=message)
    named = study.analysis.baseline
    if named is not None and baselines and named not in baselines:
        message = (
            f"is {show_value(named)}, and {joined(baselines)} is marked as the baseline; keep one"
        )
        path: Path = ("analysis", "baseline")
        yield Breach(path=path, message=message, also=(("systems", baselines[0], "baseline"),))


def check_design(study: Study) -> Iterator[Breach]:
    """The design's settings belong to the protocol."""
    design, protocol = study.design, study.protocol
    belongs = {
        "pairs": {"compare"},
        "outputs_per_trial": {"rate", "rank"},
        "real_share": {"detect"},
    }
    for key, protocols in belongs.items():
        if getattr(design, key) != type(design).model_fields[key].default:
            if protocol not in protocols:
                message = f"is for {in_words(sorted(protocols))}, not for {protocol}"
                yield Breach(path=("design", key), message=message, on_key=True)
    if protocol == "rank" and design.outputs_per_trial == 1:
        message = "must be at least 2 in rank, got `1`"
        yield Breach(path=("design", "outputs_per_trial"), message=message)
    if protocol == "detect" and design.real_share in {0, 1}:
        message = f"must lie between 0 and 1, got {show_value(design.real_share)}; show both kinds"
        yield Breach(path=("design", "real_share"), message=message)
    if len(set(design.stratify)) < len(design.stratify):
        yield Breach(path=("design", "stratify"), message="names a field twice")
    if design.allocation == "equal":
        for key in ("stratify", "items"):
            if not getattr(design, key):
                message = f"must be proportional, unless `design.{key}` says {EQUAL_NEEDS[key]}"
                also: tuple[Path, ...] = (("design", key),)
                yield Breach(path=("design", "allocation"), message=message, also=also)
    if design.people is not None and not study.judges:
        message = "is for studies with `judges`, who rate the items that people do not"
        yield Breach(path=("design", "people"), message=message, on_key=True)
    if design.core is not None and design.items is not None and design.core > design.items:
        message = f"must be at most the items, {design.items}, got {show_value(design.core)}"
        yield Breach(path=("design", "core"), message=message)
    if design.raters is not None and design.raters < design.overlap:
        message = f"must be at least the overlap, {design.overlap}, got {show_value(design.raters)}"
        yield Breach(path=("design", "raters"), message=message)


EQUAL_NEEDS = {"stratify": "by which fields to be equal", "items": "how many items to take"}


def check_quality(study: Study) -> Iterator[Breach]:
    """An exclusion rule has the table that feeds it."""
    needs = {
        "gold_below": "gold",
        "attention_failed": "attention",
        "practice_failed": "practice",
    }
    for rule, table in needs.items():
        if getattr(study.quality.exclude, rule) and getattr(study.quality, table) is None:
            message = f"needs `quality.{table}`, the table of {table} trials"
            yield Breach(
                path=("quality", "exclude", rule), message=message, also=(("quality", table),)
            )
    hidden = any(system.hidden_reference for system in (study.systems or {}).values())
    if study.quality.exclude.hidden_reference_missed is not None and not hidden:
        yield Breach(
            path=("quality", "exclude", "hidden_reference_missed"),
            message="needs a system that is the reference, as "
            "`systems: {original: {hidden_reference: true}}`",
        )
    if study.quality.exclude.agreement_below is not None:
        yield Breach(
            path=("quality", "exclude", "agreement_below"),
            message="screens raters by the very agreement that is reported; the report says so",
            severity="warning",
        )


def check_session(study: Study) -> Iterator[Breach]:
    """Breaks fit into the sitting."""
    session = study.session
    if session.break_every is not None and session.break_every >= session.minutes:
        message = f"must be less than `minutes`, {session.minutes:g}, got `{session.break_every:g}`"
        yield Breach(path=("session", "break_every"), message=message)
    if session.minutes > 45 and session.break_every is None:
        message = f"asks for {session.minutes:g} minutes without a break; 30 to 45 are usual"
        yield Breach(path=("session", "minutes"), message=message, severity="warning")


def check_access(study: Study) -> Iterator[Breach]:
    """There is one way in."""
    access = study.access
    ways = [key for key in ("listed", "invited", "prolific", "mturk") if getattr(access, key)]
    if len(ways) > 1:
        message = f"has {joined(ways)}; choose one way in"
        yield Breach(path=("access", ways[1]), message=message, on_key=True)
    if access.resume == "id" and "listed" not in ways:
        message = "is for listed ids; name them under `access.listed`"
        yield Breach(path=("access", "resume"), message=message, also=(("access", "listed"),))
    if access.prolific is not None and access.partial_code is None:
        message = "has no code for raters who stop early; give `access.partial_code` too"
        yield Breach(path=("access", "prolific"), message=message, severity="warning")
    before: set[str] = set()
    for path, rater in _listed_ids(study):
        if rater in before:
            yield Breach(path=path, message=f"names {show_value(rater)} twice")
        elif not rater.strip():
            yield Breach(path=path, message="is an empty id")
        before.add(rater)
    for name, question in study.survey.items():
        if question.choices is not None and len(question.choices) < 2:
            yield Breach(
                path=("survey", name, "choices"), message="must offer at least two answers"
            )


def _listed_ids(study: Study) -> Iterator[tuple[Path, str]]:
    listed = study.access.listed
    if isinstance(listed, tuple):
        yield from ((("access", "listed", n), rater) for n, rater in enumerate(listed))
    elif isinstance(listed, dict):
        for group, ids in listed.items():
            yield from ((("access", "listed", group), rater) for rater in ids)


def check_judges(study: Study) -> Iterator[Breach]:
    """A judge has an address, and its key stays out of the file. No message repeats a key."""
    for name, judge in study.judges.items():
        url = None
        try:
            url = urlsplit(judge.endpoint)
            secret = url.username or url.password or "key=" in url.query
        except ValueError:
            secret = None
        path: Path = ("judges", name, "endpoint")
        if url is None or url.scheme not in {"http", "https"} or not url.hostname:
            example = "`http://127.0.0.1:8000/v1`"
            message = f"must be a URL as {example}, got {show_value(judge.endpoint)}"
            yield Breach(path=path, message=message)
        elif secret:
            yield Breach(path=path, message=f"holds a secret; {KEY_ADVICE}")
        if judge.key_env is not None and not re.fullmatch(r"[A-Z_][A-Z0-9_]*", judge.key_env):
            message = f"must be the name of an environment variable, as MY_KEY; {KEY_ADVICE}"
            yield Breach(path=("judges", name, "key_env"), message=message)


KEY_ADVICE = "put the key into the environment and its variable's name into `key_env`"


def check_analysis(study: Study) -> Iterator[Breach]:
    """The primary question is one that the criteria can answer."""
    primary = study.analysis.primary
    if primary is None:
        return
    path: Path = ("analysis", "primary")
    if (primary.win_rate is None) == (primary.mean is None):
        message = "must have one of `win_rate: [new, old]` and `mean: [new, old]`"
        yield Breach(path=path, message=message)
        return
    key = "win_rate" if primary.win_rate is not None else "mean"
    contrast = primary.win_rate or primary.mean or ("", "")
    if contrast[0] == contrast[1]:
        yield Breach(path=(*path, key), message="compares a system with itself")
    votes = study.protocol in {"compare", "rank"}
    scored = {n for n, c in study.criteria.items() if c.scale is not None and c.per == "output"}
    scored |= set(study.derived)
    if study.protocol == "mark" and not scored:
        scored = set(study.criteria)  # the mean of an output's error points
    voted = {n for n, c in study.criteria.items() if c.per == "trial"} if votes else set()
    fitting = voted if key == "win_rate" else scored
    if key == "win_rate" and not votes:
        yield Breach(
            path=(*path, key), message=f"is for compare and rank, not for {study.protocol}"
        )
    elif primary.criterion is not None and primary.criterion not in fitting:
        known = {*study.criteria, *study.derived}
        what = "cannot answer this" if primary.criterion in known else "is not a criterion"
        there = in_words(sorted(fitting)) or "none that can"
        message = f"names {show_value(primary.criterion)}, which {what}; there is {there}"
        hint = nearest(primary.criterion, fitting)
        also: tuple[Path, ...] = (("criteria",), ("derived",))
        yield Breach(path=(*path, "criterion"), message=message + hint, also=also)
    elif not fitting:
        message = "needs a criterion with a scale that is judged per output"
        yield Breach(path=(*path, key), message=message, also=(("criteria",),))


def check_languages(study: Study) -> Iterator[Breach]:
    """The pages speak the study's language, and so does every text in several languages."""
    language = study.language
    if language.partition("-")[0] not in languages():
        message = f"is {show_value(language)}, for which there is no catalogue: the buttons and "
        message += f"hints of the pages will be in English; they speak {in_words(languages())}"
        yield Breach(path=("language",), message=message, severity="warning")
    for path, text in texts_of(study):
        if isinstance(text, dict) and not {language, language.partition("-")[0]} & set(text):
            message = f"has no text in the study's language, {show_value(language)}; add it"
            yield Breach(path=path, message=message, also=(("language",),))


def texts_of(study: Study) -> Iterator[tuple[Path, Text]]:
    """Every text that a rater may read, with its path."""
    for key in ("title", "instructions", "consent"):
        if (text := getattr(study, key)) is not None:
            yield (key,), text
    for n, line in enumerate(study.look_for):
        yield ("look_for", n), line
    for n, case in enumerate(study.cases):
        yield ("cases", n, "case"), case.case
        yield ("cases", n, "reason"), case.reason
    for name, shown in study.show.items():
        if shown.caption is not None:
            yield ("show", name, "caption"), shown.caption
    yield from _criteria_texts(study)
    for name, question in study.survey.items():
        yield ("survey", name, "question"), question.question
        if isinstance(question.choices, dict):
            for choice, text in question.choices.items():
                yield ("survey", name, "choices", choice), text
    if study.access.payment is not None:
        yield ("access", "payment"), study.access.payment


def _criteria_texts(study: Study) -> Iterator[tuple[Path, Text]]:
    for name, criterion in study.criteria.items():
        for key in ("question", "look_for"):
            if (text := getattr(criterion, key)) is not None:
                yield ("criteria", name, key), text
        for key in ("scale", "confidence"):
            scale = getattr(criterion, key)
            for value in scale.values if scale is not None else ():
                written = int(value.value) if value.value.is_integer() else value.value
                yield ("criteria", name, key, written), value.anchor
        for category, text in (criterion.categories or {}).items():
            yield ("criteria", name, "categories", category), text


STUDY_RULES: tuple[Callable[[Study], Iterator[Breach]], ...] = (
    check_show,
    check_sources,
    check_systems,
    check_design,
    check_quality,
    check_session,
    check_access,
    check_groups,
    check_judges,
    check_analysis,
    check_languages,
)
