"""What every route of one served study shares: the study, its store, and names that say nothing."""

from __future__ import annotations

import hmac
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from jurybox.design.groups import groups_in
from jurybox.design.plan import Plan, Slot, Trial, TrialId
from jurybox.design.timing import expected_seconds
from jurybox.design.trials import find_known
from jurybox.errors import RaterError, StoreError
from jurybox.screen.trial import TrialContent, draw_trial
from jurybox.web.guard import Denied
from jurybox.web.names import give_names
from jurybox.web.rounds import plan_now
from jurybox.web.shelf import Shelf

if TYPE_CHECKING:
    from jurybox.store import Store
    from jurybox.study.material import Known, Material
    from jurybox.study.model import Study

__all__ = ["Contents", "Offers", "Seals", "Site"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seals:
    """Names and tokens made with the study's secret: the same every time, guessed by nobody."""

    secret: bytes = field(repr=False)

    def name(self, kind: str, value: str) -> str:
        """An opaque name for a slot, a trial or a file."""
        return hmac.new(self.secret, f"{kind}\n{value}".encode(), sha256).hexdigest()[:24]

    def token(self, rater: str) -> str:
        """The token that lets one rater in."""
        return hmac.new(self.secret, f"token\n{rater}".encode(), sha256).hexdigest()[:40]

    def code(self, kind: str, rater: str) -> str:
        """A completion code for a rater of a study that names none."""
        return self.name(f"code {kind}", rater)[:8].upper()


@dataclass(frozen=True, slots=True, kw_only=True)
class Offers:
    """What other rooms do for the organizer's pages; none when the server was started without."""

    prepare: Callable[[], None] | None = None
    """Called when the organizer comes: it may get ready, without delay, what the others need."""
    analyze: Callable[[Mapping[str, str]], Any] | None = None
    """Gives an analysis, in which systems have the names that they are given."""
    report: Callable[[Mapping[str, str]], str] | None = None
    """Gives the report as one self-contained HTML page, with such names too."""
    raters: Callable[[], Any] | None = None
    """Gives what the analysis knows of each rater: ``numbers(rater)`` and ``excluded``."""
    rules: Callable[[], Mapping[str, str]] | None = None
    """Gives the first of the study's rules that a rater breaks, for those who break one."""
    calibration: Callable[[], Sequence[Any]] | None = None
    """Gives the agreement on each criterion of the calibration: ``criterion`` and ``result``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What is served: the study, what it shows, and what other rooms make of both."""

    study: Study
    material: Material
    offers: Offers


class Site:
    """One served study, as it is in one edition of its store."""

    def __init__(
        self,
        contents: Contents,
        store: Store,
        *,
        now: Callable[[], datetime],
        admin_token: str,
        root: str = "",
    ) -> None:
        # Read before the plan: one that grows meanwhile makes another edition, and another site.
        self.edition = store.edition()
        self.behind = False
        """Whether there is a newer edition that the study's files do not fit."""
        self.study = contents.study
        self.material = contents.material
        self.store = store
        self.now = now
        self.offers = contents.offers
        self.remembered: dict[str, Any] = {}
        """What the organizer's pages found last, with the state of the store that it is of."""
        self.remembering: defaultdict[str, Lock] = defaultdict(Lock)
        self.gave_older = self.older_until = datetime.min.replace(tzinfo=UTC)
        """When a page last took something found before the latest change, and until when it may."""
        self.admin_hash = sha256(admin_token.encode()).digest()
        self.seals = Seals(secret=store.secret())
        self.names = give_names(store, self.material.systems, self.seals)
        """What the organizer's pages call the systems while their names are hidden."""
        self.root = root
        """What the addresses in its pages begin with."""
        self.shelf = Shelf(self.study, self.material, self.seals.name, root=root)
        self._read_plan()

    def _read_plan(self) -> None:
        plan = self.store.load_plan()
        if plan is None:
            raise StoreError("The study has no plan yet; 'jurybox plan' makes one.")
        self.plan: Plan = plan
        some = [trial for trial in plan.trials if trial.kind != "practice"][:200]
        times = [expected_seconds(self.study, self.material, trial) for trial in some]
        self.seconds_per_trial = sum(times) / len(times) if times else 0.0
        """How long a trial usually takes, from the first trials of the plan."""
        self._known = {
            trial.id: find_known(self.study, self.material, trial)
            for trial in plan.trials
            if trial.kind != "main"
        }
        self.calibration = self.store.load_plan("calibration")
        """The plan of the round before the main one, where the study has it."""
        plans = [plan] if self.calibration is None else [plan, self.calibration]
        self._slots = {self.seals.name("slot", slot.id): slot for p in plans for slot in p.slots}
        self._trials = {trial.id: trial for p in plans for trial in p.trials}
        self._practice = {self.seals.name("practice", id): plan.trial(id) for id in plan.practice}

    @property
    def version(self) -> int:
        """The number of the study's version that answers are given to."""
        return self.edition.version or 1

    @property
    def name(self) -> str:
        """What tells this study from others in the same browser."""
        return self.seals.name("study", "")[:12]

    @property
    def booklet_sizes(self) -> tuple[int, ...]:
        """How many trials one rater is asked for: the usual booklet, or the range over groups."""
        sizes = sorted({self.size_for(group) for group in groups_in(self.plan) or (None,)})
        return tuple(dict.fromkeys((sizes[0], sizes[-1])))

    def size_for(self, group: str | None) -> int:
        """The size of the usual booklet that a rater of the group gets; of all without a group."""
        sizes = Counter(
            len(booklet.slots)
            for booklet in plan_now(self).booklets
            if group is None or booklet.group in (None, group)
        )
        return max(sizes, key=lambda size: (sizes[size], size), default=0)

    @property
    def minutes(self) -> tuple[int, ...]:
        """How long one rater takes, with practice, in whole minutes, or the range over groups."""
        counts = [size + len(self.plan.practice) for size in self.booklet_sizes]
        each = [max(1, round(count * self.seconds_per_trial / 60)) for count in counts]
        return tuple(dict.fromkeys(each))

    def slot(self, name: str) -> Slot:
        """The slot behind an opaque name."""
        if name not in self._slots:
            raise RaterError("This trial is not part of the study any more; reload the page.")
        return self._slots[name]

    def trial(self, id: TrialId) -> Trial:
        """The trial with this id, of any round."""
        return self._trials[id]

    def practice(self, name: str) -> Trial | None:
        """The practice trial behind an opaque name."""
        return self._practice.get(name)

    def practice_name(self, trial: TrialId) -> str:
        """The opaque name of a practice trial."""
        return self.seals.name("practice", trial)

    def slot_name(self, slot: str) -> str:
        """The opaque name of a slot."""
        return self.seals.name("slot", slot)

    def known(self, trial: Trial) -> Known | None:
        """The known answer of a practice, gold or attention trial."""
        return self._known.get(trial.id)

    def content(self, trial: Trial, order: tuple[int, ...]) -> TrialContent:
        """What a trial shows, its outputs in the order of the slot."""
        if trial.id not in self._trials:  # claimed from a plan that is newer than this site
            raise Denied(503, "This study is being extended; please try again in a minute.")
        systems = [trial.systems[index] for index in order]
        outputs = [self.material.output_fields(trial.item, system) for system in systems]
        return TrialContent(item=self.material.item_fields(trial.item), outputs=outputs)

    def texts(self, trial: Trial, order: tuple[int, ...]) -> dict[tuple[str, int], str]:
        """Give the texts that are marked in a trial, by field and place."""
        fields = {c.field for c in self.study.criteria.values() if c.categories and c.field}
        outputs = self.content(trial, order).outputs
        return {
            (field, place): str(output[field])
            for place, output in enumerate(outputs)
            for field in fields
            if field in output
        }

    def draw(
        self,
        trial: Trial,
        order: tuple[int, ...],
        *,
        rater: str | None = None,
        with_form: bool = True,
    ) -> Markup:
        """The trial as the rater sees it, with media for them; without one, for the organizer."""
        shown = self.shelf.shown_to(rater)
        return draw_trial(
            self.study,
            self.content(trial, order),
            media_url=shown.url,
            output_url=shown.output_url,
            with_form=with_form,
        )
