"""Rules of sense for rater groups: a group can be told, and has raters enough."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jurybox.formats import in_words, joined
from jurybox.study.breach import Breach, Path, counted, nearest, show_value
from jurybox.study.groups import groups_of
from jurybox.study.tables import SUFFIXES, is_table

if TYPE_CHECKING:
    from jurybox.study.model import Study

__all__ = ["check_groups"]


def check_groups(study: Study) -> Iterator[Breach]:
    """Rater groups have a source, and places enough."""
    if study.raters is None:
        if isinstance(study.access.listed, dict):
            message = "names groups, and `raters.groups` has none; write a list of ids"
            yield Breach(path=("access", "listed"), message=message, also=(("raters",),))
        return
    yield from _check_survey(study) if study.raters.by is not None else _check_lists(study)
    yield from _check_places(study)


def _check_survey(study: Study) -> Iterator[Breach]:
    """The question that tells the group has to be answered by one of the groups."""
    raters, path = study.raters, ("raters", "by")
    if raters is None or raters.by is None:
        return
    asked = study.survey.get(raters.by)
    if asked is None:
        there = in_words(study.survey) or "none"
        hint = nearest(raters.by, study.survey)
        message = f"names {show_value(raters.by)}; the questions of `survey` are {there}{hint}"
        yield Breach(path=path, message=message, also=(("survey",),))
        return
    also: tuple[Path, ...] = (("survey", raters.by),)
    if asked.choices is None:
        message = f"names a question without choices; give survey.{raters.by}.choices"
        yield Breach(path=path, message=message, also=also)
    elif not asked.required:
        message = f"names a question that may be left out; survey.{raters.by}.required must be true"
        yield Breach(path=path, message=message, also=also)
    choices = tuple(asked.choices or ())
    for name in raters.groups if choices else ():
        if name not in choices:
            there = in_words(choices)
            hint = nearest(name, choices)
            message = f"is no answer to {show_value(raters.by)}; its choices are {there}{hint}"
            yield Breach(path=("raters", "groups", name), message=message, on_key=True, also=also)
    if isinstance(study.access.listed, dict):
        message = f"names groups, and raters.by takes them from {show_value(raters.by)}; keep one"
        yield Breach(path=("access", "listed"), message=message, also=(path,))


def _check_lists(study: Study) -> Iterator[Breach]:
    """Without a survey question the group stands in the list, or comes with the invitation."""
    raters, access = study.raters, study.access
    if raters is None:
        return
    if not raters.groups:
        message = "lacks `groups`, or `by`, a question of `survey` whose answers are the groups"
        yield Breach(path=("raters",), message=message)
    elif isinstance(access.listed, dict):
        for name in access.listed:
            if name not in raters.groups:
                hint = nearest(name, raters.groups)
                message = f"is no group; there are {joined(raters.groups)}{hint}"
                yield Breach(path=("access", "listed", name), message=message, on_key=True)
    elif isinstance(access.listed, str) and not is_table(access.listed):
        message = f"must be a table with the columns rater and group ({in_words(sorted(SUFFIXES))})"
        yield Breach(path=("access", "listed"), message=message, also=(("raters",),))
    elif isinstance(access.listed, tuple):
        message = "gives no groups; write `{expert: [ada, ben], …}` or name a table of ids"
        yield Breach(path=("access", "listed"), message=message, also=(("raters",),))
    elif access.listed is None and not access.invited:
        message = (
            "does not say how a rater's group is known: add `by`, a question of `survey`, or "
            "`access.listed`, or `access.invited`"
        )
        yield Breach(path=("raters",), message=message, also=(("access",),))


def _check_places(study: Study) -> Iterator[Breach]:
    """There are raters enough for every trial."""
    raters, design = study.raters, study.design
    if raters is None:
        return
    for name, group in raters.groups.items():
        path: Path = ("raters", "groups", name)
        overlap = group.overlap or design.overlap
        if group.overlap is not None and not raters.each:
            message = "needs `raters.each: true`, by which every trial is answered in each group"
            yield Breach(path=(*path, "overlap"), message=message, also=(("raters", "each"),))
        elif raters.each and group.quota is not None and group.quota < overlap:
            message = f"must be at least the overlap, {overlap}, got {show_value(group.quota)}"
            yield Breach(path=(*path, "quota"), message=message, also=(("design", "overlap"),))
    if raters.each and design.raters is not None:
        message = "is for raters without groups; give each group its `quota`"
        yield Breach(path=("design", "raters"), message=message, on_key=True)
    quotas = [group.quota for group in groups_of(study).values()]
    places = sum(quota or 0 for quota in quotas)
    if raters.each or None in quotas or not places:
        return
    if places < design.overlap:
        message = (
            f"has places for {counted(places, 'rater')}, fewer than the overlap, {design.overlap}"
        )
        yield Breach(path=("raters", "groups"), message=message, also=(("design", "overlap"),))
    elif design.raters is not None and design.raters > places:
        message = (
            f"must be at most the places of all groups, {places}, got {show_value(design.raters)}: "
            "nobody could take the other booklets"
        )
        yield Breach(path=("design", "raters"), message=message, also=(("raters", "groups"),))
