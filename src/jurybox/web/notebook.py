"""A trial in a notebook, as raters see it: no server, no script, nothing recorded."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from jurybox.errors import InputError
from jurybox.screen.clean import clean_file
from jurybox.screen.media_file import media_type
from jurybox.screen.trial import TrialContent, draw_trial
from jurybox.study.breach import counted
from jurybox.study.languages import catalogue

if TYPE_CHECKING:
    from jurybox.design.plan import Slot, Trial
    from jurybox.study.material import Material
    from jurybox.study.model import Study

__all__ = ["Preview", "preview"]

MOST_MEDIA = 20_000_000
"""So many bytes of media are put into a notebook, which keeps them in its file."""
HEIGHT = 720
_STYLES = ("tokens.css", "page.css", "trial.css", "media.css")
_PAGE = Markup(
    '<!doctype html><html lang="{language}" dir="{direction}"><head><meta charset="utf-8">'
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
    "media-src data:; style-src 'unsafe-inline'\">"
    '<meta name="color-scheme" content="light dark"><title>{title}</title>'
    "<style>{styles}</style></head><body><main>{trial}</main></body></html>"
)
_NOTHING = {
    "image": "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
    "other": "data:,",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A trial as raters see it; a notebook shows it, ``html`` is the page it shows."""

    title: str
    number: int
    """The trial's place in the first booklet, counted from 1."""
    total: int
    html: str = field(repr=False)
    left_out: int = 0
    """How many media files were too large to be put in, or could not be."""

    def __str__(self) -> str:
        return " ".join(self._sentences())

    def _sentences(self) -> list[str]:
        told = [f"Trial {self.number:,} of {self.total:,} of “{self.title}”, as raters see it."]
        if self.left_out:
            told.append(
                f"{counted(self.left_out, 'media file')} left out: a preview holds "
                f"{MOST_MEDIA // 1_000_000} MB, and what 'jurybox check' accepts; "
                "'jurybox serve' shows everything."
            )
        return told

    def _repr_html_(self) -> str:
        """The trial in a frame that can run no script and reach no other page."""
        words = escape(str(self))
        return (
            f'<p>{words}</p><iframe sandbox="" title="{words}" width="100%" height="{HEIGHT}" '
            f'style="border: 1px solid #8b857b; border-radius: 12px" '
            f'srcdoc="{escape(self.html)}"></iframe>'
        )


def preview(study: Study | str | Path, n: int = 1) -> Preview:
    """The nth trial as raters see it, in a notebook, without a server.

    It is drawn from the same fragment as the rater's page. Systems have no name in it, outputs
    stand in the order of the first booklet, and media are cleaned as for raters. Nothing is
    recorded, and no plan is kept; a plan that is kept already may show another order, if items or
    raters were added to it. To answer as a rater does, take ``/preview`` of ``jurybox serve``.

    Parameters
    ----------
    study
        A study, or the path of its directory or its ``study.yaml``.
    n
        Which trial of the first booklet, counted from 1.

    Returns
    -------
    Preview
        Shows itself in a notebook, in a frame without scripts; ``html`` is the page it holds.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import jurybox as jb
    >>> from jurybox.study.templates import write_template
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study = write_template("ab-ties", Path(folder) / "answers")
    ...     print(jb.preview(study, 2))
    Trial 2 of 18 of “Which answer is better?”, as raters see it.
    """
    from jurybox.design import make_plan
    from jurybox.study import Study, load_material, load_study

    if not isinstance(study, Study):
        study = load_study(study)
    material = load_material(study)
    plan = make_plan(study, material)
    slots = plan.booklets[0].slots if plan.booklets else ()
    if not 1 <= n <= len(slots):
        raise InputError(
            f"The first booklet has {counted(len(slots), 'trial')}; n counts them from 1, got {n}."
        )
    slot = next(slot for slot in plan.slots if slot.id == slots[n - 1])
    return _draw(study, material, plan.trial(slot.trial), slot, number=n, total=len(slots))


def _draw(
    study: Study, material: Material, trial: Trial, slot: Slot, *, number: int, total: int
) -> Preview:
    outputs = [material.output_fields(trial.item, trial.systems[place]) for place in slot.order]
    media = _Media()
    drawn = draw_trial(
        study,
        TrialContent(item=material.item_fields(trial.item), outputs=outputs),
        media_url=media.url,
    )
    title = study.words(study.title)
    html = _PAGE.format(
        language=study.language,
        direction=catalogue(study.language).direction,
        title=title,
        styles=Markup(_styles()),  # noqa: S704 - our own files
        trial=drawn,
    )
    return Preview(
        title=title, number=number, total=total, html=str(html), left_out=len(media.left_out)
    )


class _Media:
    """Gives files as ``data:`` addresses as long as there is room."""

    def __init__(self) -> None:
        self.left_out: set[Path] = set()
        self._room = MOST_MEDIA
        self._given: dict[Path, str] = {}

    def url(self, path: Path) -> str:
        if path not in self._given:
            self._given[path] = self._embed(path)
        return self._given[path]

    def _embed(self, path: Path) -> str:
        kind = "image"
        try:
            pieces = clean_file(path)
            with path.open("rb") as file:
                kind = media_type(b"".join(pieces.read(file, 0, 16)))
                if pieces.size <= self._room:
                    self._room -= pieces.size
                    content = base64.b64encode(pieces.join(file)).decode("ascii")
                    return f"data:{kind};base64,{content}"
        except (OSError, InputError):
            pass
        self.left_out.add(path)
        return _NOTHING["image" if kind.startswith("image") else "other"]


@cache
def _styles() -> str:
    here = Path(__file__).parent
    files = [*(here / "static" / name for name in _STYLES), here / "notebook.css"]
    return "\n".join(file.read_text(encoding="utf-8") for file in files)
