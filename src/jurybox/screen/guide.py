"""The rater's guide as Markdown and as one self-contained HTML file.

Both are drawn from the same ``Guide``. The study's own words are Markdown and are sanitized; every
other value is escaped, so that nothing in a study can bring a script into the page.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote

from markupsafe import Markup, escape

from jurybox.errors import InputError
from jurybox.screen.clean import clean_bytes
from jurybox.screen.media_file import kind_of, media_type
from jurybox.screen.prose import FindMedia, Media, draw_markdown, find_pictures
from jurybox.screen.words import templates_in
from jurybox.study.files import FileProblem, Files, is_url
from jurybox.study.languages import Catalogue, catalogue, later

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.runtime import Context

    from jurybox.study.guide import (
        Guide,
        GuideAnchor,
        GuideCase,
        GuideCriterion,
        GuideMedia,
    )

__all__ = ["guide_fragment", "guide_html", "guide_markdown"]

Say = Callable[..., str]
"""Says the program's words in the guide's language."""


def guide_html(guide: Guide) -> str:
    """Give the guide as one HTML file that needs nothing beside it: no script, no network."""
    return _environment(guide.language).get_template("guide.html").render(guide=guide)


def guide_markdown(guide: Guide, *, base: Path | None = None) -> str:
    """Give the guide as Markdown; pictures are named relative to ``base``.

    Without ``base`` they are named as in the study, for a file beside the study.yaml. Sound and
    film, for which Markdown has no sign, are links.
    """
    return _markdown(guide, base, played="linked")


def _markdown(guide: Guide, base: Path | None, *, played: Literal["linked", "shown"]) -> str:
    """The guide as Markdown; sound and film are linked, or shown by the sign of a picture."""
    words = catalogue(guide.language)
    _ = words.gettext
    sections = [
        f"# {_inline(guide.title)}",
        _block(guide.task),
        _section(_("What you see"), [_seen(field, _) for field in guide.shown]),
        _section(_("What to look for"), [f"- {_inline(line)}" for line in guide.look_for]),
        f"## {_('What you answer')}",
        *(_criterion(criterion, words) for criterion in guide.criteria),
        _cases(guide, _),
        _section(
            _("When to skip"),
            [
                _(_SKIP),
                "",
                *(
                    "- " + _("%(name)s: %(words)s", name=f"**{name}**", words=when)
                    for name, when in guide.skipping
                ),
            ],
        ),
        _section(
            _("Keys"),
            [f"| {_('Key')} | {_('What it does')} |", "|---|---|"]
            + [f"| {_code(key.key)} | {_cell(key.does)} |" for key in guide.keys],
        ),
        _section(_("Your session"), [f"- {sentence}" for sentence in guide.session]),
    ]
    text = "\n\n".join(section for section in sections if section) + "\n"
    return _with_pictures(text, guide.folder, base, played=played)


def guide_fragment(guide: Guide, *, find_media: FindMedia) -> Markup:
    """Give the guide as part of the rater's page, without its title, which the page has.

    A key that the rater can change is marked with its command, so that the page prints their own.
    """
    # The guide's sections move up a level, where its title was.
    text = re.sub(r"\A# .*\n", "", _markdown(guide, None, played="shown"))
    text = re.sub(r"^##", "#", text, flags=re.MULTILINE)
    html = str(draw_markdown(text, find_media=find_media))
    for one in (key for key in guide.keys if key.commands):
        does = f"</td>\n<td>{escape(one.does)}</td>"
        keys = zip(one.commands, one.key.split(), strict=True)
        own = " ".join(_KEY.format(*key) for key in keys)
        html = html.replace(f"<td><code>{escape(one.key)}</code>{does}", f"<td>{own}{does}")
    said = str(draw_markdown(catalogue(guide.language).gettext(_SKIP))).strip()
    html = html.replace(said, said.replace("<code>s</code>", _KEY.format("skip", "s")))
    return Markup(html)  # noqa: S704 - drawn from Markdown, with keys that are not the study's


_KEY = '<kbd data-key="{}">{}</kbd>'
_SKIP = later(
    "Press `s`, or the button *Skip*, and give the reason. A skipped trial counts neither for nor "
    "against anything."
)


def _with_pictures(
    text: str, folder: Path | None, base: Path | None, *, played: Literal["linked", "shown"]
) -> str:
    """The text with its pictures named from ``base``; one that the study lacks is only described.

    All pictures are named as in the study first, be they the study's own words or its examples.
    """
    files = None if folder is None else Files(folder)

    def name(found: re.Match[str]) -> str:
        if found["words"] is None:
            return found[0]
        try:
            path = files.find(unquote(found["bare"] or found["held"] or "")) if files else None
        except FileProblem:
            path = None
        if path is None or files is None:
            return found["words"]
        address = os.path.relpath(path, base.resolve() if base is not None else files.root)
        # Angle brackets let a name have spaces and parentheses.
        sign = "" if played == "linked" and kind_of(path) != "image" else "!"
        return f"{sign}[{found['words']}](<{re.sub(r'[<>]', '', address.replace(os.sep, '/'))}>)"

    named = re.sub(f"{_CODE}|{_PICTURE}", name, text, flags=re.MULTILINE | re.DOTALL)
    if all(_is_local(source) for source in find_pictures(named)):
        return named
    # What is left was written in a way that only the parser sees, as by reference: it stays words.
    return named.replace("![", "!\\[")


def _is_local(source: str) -> bool:
    return not is_url(source) and not source.startswith("/")


_CODE = r"\\.|^ {0,3}(?P<fence>`{3,}|~{3,}).*?(?:^ {0,3}(?P=fence)|\Z)|(?P<tick>`+)[^`\n]+(?P=tick)"
_PICTURE = (
    r"!\[(?P<words>[^\[\]\n]*)\]\("
    r"[ \t]*(?:<(?P<held>[^<>\n]*)>|(?P<bare>[^\s<>()]+))(?:\s+(?:\"[^\"\n]*\"|'[^'\n]*'))?[ \t]*\)"
)
_TAG = r"<(?=[A-Za-z/!?])"


def _section(heading: str, lines: list[str]) -> str:
    return "\n".join([f"## {heading}", "", *lines]) if lines else ""


def _seen(field: Any, _: Say) -> str:
    caption = f"**{_inline(field.caption)}**"
    return "- " + (_("%(field)s: what you judge", field=caption) if field.of_output else caption)


def _criterion(criterion: GuideCriterion, words: Catalogue) -> str:
    _ = words.gettext
    lines = [f"### {_inline(criterion.title)}", "", f"**{_inline(criterion.question)}**", ""]
    if criterion.look_for:
        lines += [_("Look for: %(what)s", what=_inline(criterion.look_for)), ""]
    lines += [criterion.answered, ""]
    lines += _anchor_table(criterion.anchors, _)
    if criterion.pass_mark is not None:
        mark = words.number(criterion.pass_mark)
        lines += [_("An output passes with %(score)s or more.", score=mark), ""]
    if criterion.kinds:
        lines += _kind_table(criterion, words)
    if criterion.confidence:
        lines += [_("Then say how sure you are:"), "", *_anchor_table(criterion.confidence, _)]
    if criterion.reason:
        lines += [_(WHY[criterion.reason]), ""]
    return "\n".join(lines).rstrip()


WHY = {
    "required": later("Then say why, in one sentence."),
    "optional": later("You may say why, in one sentence."),
}


def _anchor_table(anchors: tuple[GuideAnchor, ...], _: Say) -> list[str]:
    if not anchors:
        return []
    examples = any(anchor.example for anchor in anchors)
    head = [_("Answer"), _("What it means"), _("Key")] + ([_("Example")] if examples else [])
    rows = [head, ["---"] * len(head)]
    for anchor in anchors:
        row = [f"**{_cell(anchor.shown)}**", _cell(anchor.words), _code(anchor.key or "")]
        if examples:
            row.append(_picture(anchor.example, _("Example for %(answer)s", answer=anchor.shown)))
        rows.append(row)
    return [*(f"| {' | '.join(row)} |" for row in rows), ""]


def _kind_table(criterion: GuideCriterion, words: Catalogue) -> list[str]:
    _ = words.gettext
    costly = (_("Costs, %(severity)s", severity=name) for name in criterion.severities)
    head = [_("Category"), _("What it means"), *costly]
    rows = [head, ["---"] * len(head)]
    for kind in criterion.kinds:
        costs = (words.number(weight) for _severity, weight in kind.weights)
        rows.append([f"**{_cell(kind.name)}**", _cell(kind.words), *costs])
    return [*(f"| {' | '.join(row)} |" for row in rows), ""]


def _cases(guide: Guide, _: Say) -> str:
    lines: list[str] = []
    for number, case in enumerate(guide.cases, start=1):
        title = _("Case %(number)s", number=number)
        lines += [f"### {title}", "", _inline(case.words), ""]
        if case.example:
            lines += [_picture(case.example, title), ""]
        why = _("Why: %(reason)s", reason=_inline(case.reason))
        lines += [scores_in_words(case, guide), "", why, ""]
    return _section(_("Worked cases"), lines).rstrip()


def scores_in_words(case: GuideCase, guide: Guide) -> str:
    """The accepted answers of a case: `**Consistency 0**, **Realism 1 or 2**`."""
    titles = {criterion.name: criterion.title for criterion in guide.criteria}
    _ = catalogue(guide.language).gettext
    either = f" {_('or')} "
    said = (
        _("%(name)s: %(words)s", name=titles.get(name, name), words=either.join(accepted))
        for name, accepted in case.scores
    )
    return _(", ").join(f"**{_inline(one)}**" for one in said)


def _picture(media: GuideMedia | None, words: str) -> str:
    return "" if media is None else f"![{_inline(words)}](<{re.sub(r'[<>]', '', media.name)}>)"


def _inline(text: str) -> str:
    """Words of a study on one line, so that they can neither end a list nor bring in HTML."""
    return _without_tags(" ".join(text.split()), keep=rf"\\.|{_PICTURE}")


def _block(text: str) -> str:
    """Markdown of a study without HTML; code keeps its angle brackets."""
    return _without_tags(text, keep=f"{_CODE}|{_PICTURE}")


def _without_tags(text: str, *, keep: str) -> str:
    """The text with every `<` escaped that would open a tag, as the pages show it."""
    pattern = re.compile(f"(?P<keep>{keep})|{_TAG}", re.MULTILINE | re.DOTALL)
    return pattern.sub(lambda found: found["keep"] or "\\<", text)


def _cell(text: str) -> str:
    return _inline(text).replace("|", "\\|")


def _code(key: str) -> str:
    return f"`{key}`" if key else ""


@cache
def _environment(language: str) -> Environment:
    """The form of the HTML page in one language; made once, since it does not change."""
    from jinja2 import pass_context

    environment = templates_in(language, "jurybox.screen")
    environment.filters |= {
        "prose": pass_context(_prose),
        "words": pass_context(_words),
        "embedded": _embedded,
        "medium": lambda media: kind_of(media.path),
    }
    environment.globals["why"] = WHY
    environment.globals["css"] = Markup(_css())  # noqa: S704 - our own file
    return environment


def _css() -> str:
    return (Path(__file__).parent / "guide.css").read_text(encoding="utf-8")


def _prose(context: Context, text: str) -> Markup:
    """Markdown with the study's pictures in it."""
    folder = context["guide"].folder
    files = None if folder is None else Files(folder)

    def find_picture(source: str) -> Media | None:
        try:
            address = "" if files is None else _embedded(files.find(source))
        except (FileProblem, InputError):
            return None
        return Media(address) if address.startswith("data:image/") else None

    return draw_markdown(text, find_media=find_picture)


def _words(context: Context, text: str) -> Markup:
    """One line of Markdown without the paragraph around it."""
    html = str(_prose(context, text)).strip()
    single = re.fullmatch(r"<p>(.*)</p>", html, re.DOTALL)
    inner = single[1] if single and "<p>" not in single[1] else html
    return Markup(inner)  # noqa: S704 - draw_markdown has sanitized it


def _embedded(path: Path) -> str:
    """The cleaned file as a ``data:`` address."""
    try:
        data = clean_bytes(path.read_bytes())
    except InputError as error:
        raise InputError(f"{path.name} cannot be put into the guide: {error}.") from error
    return f"data:{media_type(data[:16])};base64,{base64.b64encode(data).decode('ascii')}"
