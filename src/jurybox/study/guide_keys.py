"""The keys that answer and move, as the guide and the page print them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from jurybox.study.languages import catalogue, later
from jurybox.study.model import Study

if TYPE_CHECKING:
    from jurybox.study.guide import GuideCriterion

__all__ = ["GuideKey", "keys_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GuideKey:
    """A key and what it does."""

    key: str
    does: str
    commands: tuple[str, ...] = ()
    """What the page calls each of the keys that a rater can change there."""


SPAN_KEYS: Final = (
    GuideKey(key="← →", does=later("Move by word in the text")),
    GuideKey(key="Shift + ← →", does=later("Choose more words")),
    GuideKey(key="Enter", does=later("Mark the chosen words")),
    GuideKey(key="1 … 9", does=later("The category, then the severity, in the order of the list")),
    GuideKey(key="Esc", does=later("Give up this mark")),
    GuideKey(key="0", does=later("There is no error")),
)


def keys_of(study: Study, criteria: tuple[GuideCriterion, ...]) -> Iterator[GuideKey]:
    """The keys that answer, then those that move and help."""
    _ = catalogue(study.language).gettext
    forms = {criterion.form for criterion in criteria}
    for choices in (criterion.anchors for criterion in criteria if criterion.form == "choice"):
        for anchor in choices:
            yield GuideKey(key=anchor.key or "", does=anchor.words.rstrip(".。"))
        break
    if "scale" in forms or "graded" in forms or any(c.confidence for c in criteria):
        yield GuideKey(key="0 … 9", does=_("The answer with this number, for the current question"))
    chosen = [c.anchors for c in criteria if c.form == "scale"] + [c.confidence for c in criteria]
    odd = {(a.key, a.shown) for anchors in chosen for a in anchors if a.key and a.key != a.shown}
    for key, shown in sorted(odd):
        yield GuideKey(key=key, does=_("The score %(score)s", score=shown))
    if "origin" in forms:
        yield GuideKey(key="r", does=_("Real"))
        yield GuideKey(key="g", does=_("Generated"))
    if forms & {"order", "best"}:
        yield GuideKey(key="a b c …", does=_("Choose the output with this letter, the best first"))
    if "order" in forms:
        if any(criterion.ties for criterion in study.criteria.values()):
            yield GuideKey(key="=", does=_("The next output shares the place of the last"))
        yield GuideKey(key="Backspace", does=_("Undo the last choice"))
    if "spans" in forms:
        yield from (replace(one, does=_(one.does)) for one in SPAN_KEYS)
    if len(criteria) > 1:
        yield GuideKey(key="Tab", does=_("To the next question"))
    media = {shown.medium for shown in study.show.values()}
    if media & {"image", "images"}:
        yield GuideKey(key="z", does=_("Zoom pictures"), commands=("zoom",))
    if "image" in media and study.protocol == "compare":
        yield GuideKey(key="w", does=_("Wipe between two pictures"), commands=("wipe",))
        yield GuideKey(key="f", does=_("Two pictures in turn"), commands=("flicker",))
    several = study.protocol == "compare" or study.design.outputs_per_trial not in (None, 1)
    heard = bool(media & {"audio", "video"}) and several and study.protocol != "rank"
    if media & {"audio", "video"}:
        yield GuideKey(key="p", does=_("Play or pause"), commands=("play",))
    if heard:
        yield GuideKey(key="a b …", does=_("Hear the output with this letter, from the same spot"))
        yield GuideKey(key="r", does=_("Hear the reference"), commands=("reference",))
        yield GuideKey(key="x", does=_("Hear the next one"), commands=("next",))
    yield GuideKey(key="Enter", does=_("Submit, once everything is answered"))
    yield GuideKey(key="s", does=_("Skip this trial"), commands=("skip",))
    taken = {a.key for c in criteria for a in (*c.anchors, *c.confidence)}
    taken |= {"b", "c"} if heard or forms & {"order", "best"} else set()
    if "c" not in taken:
        yield GuideKey(key="c", does=_("Comment"), commands=("comment",))
    if study.session.back and "b" not in taken:
        yield GuideKey(
            key="b n",
            does=_("Back to your last answer, and forward again"),
            commands=("back", "forward"),
        )
    yield GuideKey(key="i", does=_("This guide"), commands=("guide",))
    yield GuideKey(key="?", does=_("All keys"), commands=("keys",))
