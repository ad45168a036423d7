"""The pages' templates, with the words every page needs."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from jurybox.screen.form import letter, make_form, title_of
from jurybox.screen.prose import draw_markdown
from jurybox.screen.words import templates_in

if TYPE_CHECKING:
    from jinja2 import Environment

    from jurybox.web.site import Site

__all__ = ["draw_page"]


@cache
def _environment(language: str) -> Environment:
    made = templates_in(language, "jurybox.web", "jurybox.screen")
    made.globals.update(
        version=version("jurybox"),
        markdown=draw_markdown,
        title_of=title_of,
        letter=letter,
    )
    return made


def draw_page(site: Site, template: str, *, root: str = "", **values: Any) -> Markup:
    """The template filled with the study and the values; ``root`` leads from it to the study."""
    study = site.study
    places = len(site.plan.trials[0].systems) if site.plan.trials else 1
    html = (
        _environment("en" if template.startswith("organizer") else study.language)
        .get_template(template)
        .render(
            site=site,
            root=root or site.root,
            study=study,
            title=study.words(study.title),
            form=make_form(study, places=places),
            **values,
        )
    )
    return Markup(html)  # noqa: S704 - the template escapes every value
