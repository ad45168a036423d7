"""Where a rater is: which page comes next, decided by the server from what it knows of the rater.

The page only shows what it is given, so a reload, another device or a lost connection leads back to
the same place. A stage is a dictionary: its name, its HTML and, for trials, what answering needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from jurybox.design.plan import Trial
from jurybox.screen.form import make_form
from jurybox.screen.guide import guide_fragment
from jurybox.study.guide import make_guide
from jurybox.study.languages import catalogue, later
from jurybox.web.feedback import check_answers
from jurybox.web.groups import has_place, is_wanted
from jurybox.web.pages import draw_page
from jurybox.web.past import list_past
from jurybox.web.rounds import plan_now

if TYPE_CHECKING:
    from jurybox.design.answers import Answer
    from jurybox.store import Assignment, Rater, Recorded
    from jurybox.web.site import Site

__all__ = [
    "HEADPHONES",
    "MORE",
    "Practice",
    "Stage",
    "bar_of",
    "code_of",
    "draw_feedback",
    "draw_guide",
    "is_done",
    "next_stage",
    "pause",
    "practice_stage",
    "trial_data",
]

Stage = dict[str, Any]
AHEAD = 2
"""How many trials a rater holds at once: the one on screen and the one after it."""
TRIES = 2
HEADPHONES = "headphones"
"""What is kept of the test of headphones, among the rater's details: as `5 of 6`."""
MORE = "more"
"""Kept among the details of a rater who goes on with what others left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Practice:
    """How far a rater is before the first trial; kept in the store with the rater."""

    guide: bool = False
    tries: int = 1
    right: tuple[bool, ...] = ()
    """This try's answers so far."""
    passed: bool | None = None

    @classmethod
    def of(cls, rater: Rater) -> Practice:
        """Read it from the rater."""
        kept: Mapping[str, Any] = rater.practice or {}
        return cls(
            guide=bool(kept.get("guide")),
            tries=int(kept.get("tries", 1)),
            right=tuple(bool(one) for one in kept.get("right", ())),
            passed=kept.get("passed"),
        )

    def to_dict(self) -> dict[str, Any]:
        """Give it as the store keeps it."""
        return {
            "guide": self.guide,
            "tries": self.tries,
            "right": list(self.right),
            "passed": self.passed,
        }

    def after(self, *, correct: bool, total: int, mark: float) -> Practice:
        """The state after one more answer: going on, passed, trying again, or failed."""
        right = (*self.right, correct)
        if len(right) < total:
            return Practice(guide=self.guide, tries=self.tries, right=right)
        if sum(right) >= mark * total - 1e-9:
            return Practice(guide=self.guide, tries=self.tries, right=right, passed=True)
        if self.tries < TRIES:
            return Practice(guide=self.guide, tries=self.tries + 1)
        return Practice(guide=self.guide, tries=self.tries, right=right, passed=False)


def next_stage(site: Site, rater: Rater) -> Stage:
    """What the rater sees now."""
    study = site.study
    ended = _ended(site, rater)
    if ended is not None:
        return ended
    if not has_place(site, rater):
        code = _code(site, rater, "screened_out")
        return _page(site, "group-full", code=code, wanted=is_wanted(site, rater))
    if study.consent is not None and rater.consented_at is None:
        text = study.words(study.consent)
        return _page(site, "consent", text=text)
    if study.survey and rater.survey is None:
        return _page(site, "survey")
    practice = Practice.of(rater)
    if _is_before_work(site, practice) and not _claim(site, rater, count=1):
        return _full(site, rater)  # nobody reads and practices for nothing
    if not practice.guide:
        return _page(site, "guide", guide=draw_guide(site, rater.id))
    if study.session.headphones and HEADPHONES not in rater.details:
        return _page(site, "headphones")
    if site.plan.practice and practice.passed is None:
        return practice_stage(site, practice, rater.id)
    if practice.passed is False and study.quality.exclude.practice_failed:
        site.store.update_rater(rater.id, stopped_at=site.now(), now=site.now())
        return _page(site, "screened-out", code=_code(site, rater, "screened_out"))
    return _trials(site, rater)


def _is_before_work(site: Site, practice: Practice) -> bool:
    """Whether the guide or the first practice trial comes next."""
    practices = bool(site.plan.practice) and practice.passed is None
    return not practice.guide or (practices and practice.tries == 1 and not practice.right)


def _ended(site: Site, rater: Rater) -> Stage | None:
    if rater.withdrawn_at is not None:
        return _page(site, "withdrawn", code=code_of(site, rater))
    if rater.details.get("consent") == "declined":
        return _page(site, "declined", code=code_of(site, rater))
    if rater.finished_at is not None:
        return _end(site, rater)
    if rater.stopped_at is not None:
        code = code_of(site, rater)
        if Practice.of(rater).passed is False and site.study.quality.exclude.practice_failed:
            return _page(site, "screened-out", code=code)
        gave = rater.survey is not None or bool(site.store.submissions(rater=rater.id))
        return _page(site, "stopped", code=code, count=len(_kept(site, rater)), gave=gave)
    if rater.paused:
        return _page(site, "paused")
    return None


def _full(site: Site, rater: Rater) -> Stage:
    """Nothing is left; who came from Prolific has been asked there already, and gets a way back."""
    return _page(site, "full", code=_code(site, rater, "screened_out"))


def _page(site: Site, name: str, **values: Any) -> Stage:
    return {"stage": name, "html": draw_page(site, f"stage-{name}.html", **values), "bar": None}


def _kept(site: Site, rater: Rater) -> list[Recorded]:
    """What the rater has answered or skipped in all rounds."""
    sent = site.store.submissions(rater=rater.id)
    return [one for one in sent if one.status != "superseded" and one.submission.slot is not None]


def _count(site: Site, rater: Rater) -> int:
    """How many trials of the round that is on the rater has answered or skipped."""
    now = plan_now(site).round
    return sum(one.submission.round == now for one in _kept(site, rater))


def _code(site: Site, rater: Rater, kind: str) -> str | None:
    access = site.study.access
    if access.prolific is not None:
        named = {"partial": None}.get(kind, getattr(access.prolific, kind, None))
        return named or access.partial_code
    if kind == "completed":
        return access.code or site.seals.code(kind, rater.id)
    if kind == "partial":
        return access.partial_code or site.seals.code(kind, rater.id)
    return None


def code_of(site: Site, rater: Rater) -> str | None:
    """The code that the rater was shown at the end; none before it.

    Who withdraws keeps theirs: the answers are not used, but the work was done.
    """
    if rater.details.get("consent") == "declined":
        return _code(site, rater, "no_consent")
    if rater.finished_at is not None:
        return _code(site, rater, "completed")
    if rater.stopped_at is None and rater.withdrawn_at is None:
        return None
    if Practice.of(rater).passed is False and site.study.quality.exclude.practice_failed:
        return _code(site, rater, "screened_out")
    return _code(site, rater, "completed" if is_done(site, rater) else "partial")


def is_done(site: Site, rater: Rater) -> bool:
    """Whether the rater has answered as many trials of the main round as one is asked for."""
    if plan_now(site).round != "main":
        return False
    return 0 < site.size_for(rater.group) <= _count(site, rater)


def _end(site: Site, rater: Rater) -> Stage:
    code = _code(site, rater, "completed")
    return _page(site, "end", code=code, count=_count(site, rater))


def draw_guide(site: Site, rater: str | None = None) -> str:
    """The guide as a fragment, with pictures for this rater, or for the organizer."""
    guide = make_guide(site.study, site.material)
    return guide_fragment(guide, find_media=site.shelf.shown_to(rater).find_media)


def practice_stage(site: Site, practice: Practice, rater: str | None = None) -> Stage:
    """The practice trial that comes next."""
    number = len(practice.right)
    trial = site.plan.trial(site.plan.practice[number])
    total = len(site.plan.practice)
    order = tuple(range(len(trial.systems)))
    said = (
        later("Practice %(number)s of %(total)s")
        if practice.tries == 1
        else later("Practice %(number)s of %(total)s, second try")
    )
    words = catalogue(site.study.language).gettext(said, number=number + 1, total=total)
    bar = {"words": words, "done": number, "total": total}
    data = trial_data(site, trial, order, name=site.practice_name(trial.id), rater=rater)
    return {"stage": "practice", "html": "", "bar": bar, "trial": {**data, "position": number}}


def trial_data(
    site: Site, trial: Trial, order: tuple[int, ...], *, name: str, rater: str | None = None
) -> dict[str, Any]:
    """What the page needs to show one trial and take its answer."""
    return {
        "assignment": name,
        "version": site.version,
        "html": site.draw(trial, order, rater=rater),
        "form": make_form(site.study, places=len(order)).to_dict(),
    }


def _claim(site: Site, rater: Rater, *, count: int, pool: bool = True) -> tuple[Assignment, ...]:
    """The rater's next assignments; one is theirs already while they read and practice."""
    lease = timedelta(minutes=site.study.session.lease_minutes)
    bound = site.study.access.listed is not None  # each id of the list keeps its booklet
    round = plan_now(site).round
    return site.store.claim(
        rater.id, count=count, lease=lease, now=site.now(), bound=bound, round=round, pool=pool
    )


def _is_pool_open(site: Site, rater: Rater) -> bool:
    lease = timedelta(minutes=site.study.session.lease_minutes)
    bound = site.study.access.listed is not None
    return site.store.is_pool_open(rater, lease=lease, now=site.now(), bound=bound)


def _hand(site: Site, rater: Rater) -> tuple[Assignment, ...]:
    """What the rater works on: as many trials as were promised, and more only if they want to."""
    if MORE in rater.details or plan_now(site).round == "calibration":
        return _claim(site, rater, count=AHEAD)
    hand = _claim(site, rater, count=AHEAD, pool=False)
    left = site.size_for(rater.group) - _count(site, rater)
    if hand or left <= 0:
        return hand
    return _claim(site, rater, count=min(AHEAD, left))


def _trials(site: Site, rater: Rater) -> Stage:
    hand = _hand(site, rater)
    if not hand:
        done = _count(site, rater)
        if done == 0:
            return _full(site, rater)
        if plan_now(site).round == "calibration":
            return _page(site, "calibrated")
        now = site.now()
        if MORE not in rater.details and _is_pool_open(site, rater):
            return _page(site, "more", count=done)
        site.store.update_rater(rater.id, finished_at=now, now=now)
        return _end(site, rater)
    pause_minutes = site.study.session.break_every
    return {
        "stage": "trial",
        "trials": [_assigned(site, rater, one) for one in hand],
        "past": list_past(site, rater),
        "until": max(one.leased_until for one in hand).isoformat(),
        "break_every": None if pause_minutes is None else pause_minutes * 60,
    }


def _assigned(site: Site, rater: Rater, assignment: Assignment) -> dict[str, Any]:
    trial, number = assignment.trial, assignment.position
    name = site.slot_name(assignment.slot)
    data = trial_data(site, trial, assignment.order, name=name, rater=rater.id)
    # A repeat begins blank: what is kept of its trial may have been chosen the first time.
    draft = None if assignment.repeat else site.store.load_draft(rater.id, trial.id)
    return {**data, "position": number, "draft": draft, "bar": bar_of(site, number, rater.group)}


def bar_of(site: Site, number: int, group: str | None = None) -> dict[str, Any]:
    """Where the rater is, in words and as a share."""
    total = max(site.size_for(group), number + 1)
    minutes = max(1, round((total - number) * site.seconds_per_trial / 60))
    said = catalogue(site.study.language)
    return {
        "words": said.gettext("Trial %(number)s of %(total)s", number=number + 1, total=total),
        "minutes": minutes,
        "done": number,
        "total": total,
    }


def pause(site: Site, rater: Rater) -> Stage:
    """A break: what is leased goes back, and the rater goes on when they like."""
    site.store.release(rater.id, now=site.now())
    count, size = _count(site, rater), site.size_for(rater.group)
    if count >= size:  # nothing to rest for
        return next_stage(site, rater)
    return _page(site, "break", count=count, left=max(0, size - count))


def draw_feedback(
    site: Site, trial: Trial, answers: Sequence[Answer], *, correct: bool, practice: Practice
) -> str:
    """What a rater reads after a practice trial: right or not, which part of it, and why."""
    known = site.known(trial)
    marked = site.texts(trial, tuple(range(len(trial.systems))))
    texts = {field: text for (field, place), text in marked.items() if place == 0}
    return draw_page(
        site,
        "feedback.html",
        correct=correct,
        explanation=known.explanation if known else "",
        checked=check_answers(site.study, known, answers, texts=texts) if known else (),
        practice=practice,
        total=len(site.plan.practice),
        again=practice.tries > 1 and not practice.right,
    )
