"""Sheets going out: a rater enrolled, a booklet claimed, one zip with the sheet and its media."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from sqlalchemy import Connection

from jurybox.design.ids import make_id
from jurybox.design.plan import Plan
from jurybox.errors import RaterError, StoreError
from jurybox.store.claiming import claim
from jurybox.store.free import Claim
from jurybox.store.places import take_place
from jurybox.store.raters import enroll
from jurybox.store.sheets.files import Named, need_openpyxl, write_csv, write_xlsx
from jurybox.store.sheets.guide import guide_lines
from jurybox.store.sheets.layout import Layout, asked_columns, make_layout
from jurybox.store.values import Assignment
from jurybox.study.groups import groups_of
from jurybox.study.model import RaterId

if TYPE_CHECKING:
    from jurybox.store.store import Store
    from jurybox.study import Material, Study

__all__ = [
    "Edition",
    "SheetFormat",
    "SheetOptions",
    "WrittenSheet",
    "sheet_setting",
    "write_sheets",
]

SheetFormat = Literal["xlsx", "csv"]

FILE_NAME = re.compile(r"[^\W_][-\w .@+]{0,79}")
"""A rater's name that is also the name of a file, visible and on every system."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """What raters answer: a version of the study with its material and plan."""

    study: Study
    material: Material
    plan: Plan
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetOptions:
    """How sheets are written."""

    format: SheetFormat
    directory: Path
    lease: timedelta
    clean: Callable[[bytes], bytes]
    """Takes the metadata out of a media file."""
    group: str | None = None
    """The rater group of everybody who gets a sheet, in a study with groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenSheet:
    """A sheet that was written, and what is in it."""

    rater: RaterId
    path: Path
    n_trials: int
    n_rows: int


def write_sheets(
    store: Store,
    edition: Edition,
    raters: Sequence[str],
    options: SheetOptions,
    *,
    now: datetime,
) -> tuple[WrittenSheet, ...]:
    """A zip per rater with a booklet of their own; for a rater who has one, the same one again.

    Either every rater gets a booklet or, with a sentence that says why, none does.
    """
    asked_columns(edition.study, 1)  # refuses what a sheet cannot ask, before anybody is enrolled
    if options.format == "xlsx":
        need_openpyxl()
    named = _check_names(raters)
    _check_group(edition.study, options.group)
    options.directory.mkdir(parents=True, exist_ok=True)
    dealt = store.database.write(
        lambda c: {r: _claim_booklet(c, edition, r, options, now=now) for r in named}
    )
    return tuple(
        _write_one(store, edition, rater, assignments, options, now=now)
        for rater, assignments in dealt.items()
    )


def _check_group(study: Study, group: str | None) -> None:
    groups = groups_of(study)
    if groups and group not in groups:
        raise RaterError(
            f"This study has the rater groups {', '.join(groups)}; say for which one the sheets "
            f"are{f', not {group!r}' if group else ''}: --group {next(iter(groups))}."
        )
    if group is not None and not groups:
        raise RaterError(f"This study has no rater groups; leave out --group {group}.")


def _check_names(names: Sequence[str]) -> list[RaterId]:
    """The raters, each with a name that is a file name, and no other's."""
    for name in names:
        if not FILE_NAME.fullmatch(name):
            raise RaterError(
                f"'{name}' cannot name a sheet; a name begins with a letter or a digit and goes on "
                "with letters, digits, blanks and . - _ @ +, at most 80 in all."
            )
    folded = [name.casefold() for name in names]
    twice = [name for name in names if folded.count(name.casefold()) > 1]
    if twice:
        raise RaterError(f"The rater '{min(twice)}' is named twice; each sheet needs its own.")
    return [RaterId(name) for name in names]


def sheet_setting(sheet: str) -> str:
    """The name under which the store remembers whose sheet it is."""
    return f"sheet:{sheet}"


def _write_one(
    store: Store,
    edition: Edition,
    rater: RaterId,
    assignments: tuple[Assignment, ...],
    options: SheetOptions,
    *,
    now: datetime,
) -> WrittenSheet:
    secret = store.secret()
    sheet = make_id(secret.hex(), "sheet", rater)
    layout = make_layout(edition.study, edition.material, assignments, sheet=sheet)
    named = _name_media(layout, secret)
    path = options.directory / f"{rater}.zip"
    _write_zip(path, edition.study, layout, named, options)
    before = json.loads(store.setting(sheet_setting(sheet)) or "{}")
    # A sheet given out before may still come back, with rows that this one has no more.
    positions = {**before.get("positions", {}), **{a.slot: a.position for a in assignments}}
    about = {
        "rater": rater,
        "version": edition.version,
        "round": edition.plan.round,
        "positions": positions,
    }
    store.set_setting(sheet_setting(sheet), json.dumps(about))
    store.event("sheet written", rater=rater, detail={"trials": len(assignments)}, now=now)
    return WrittenSheet(rater=rater, path=path, n_trials=len(assignments), n_rows=len(layout.rows))


def _claim_booklet(
    connection: Connection,
    edition: Edition,
    rater: RaterId,
    options: SheetOptions,
    *,
    now: datetime,
) -> tuple[Assignment, ...]:
    """All slots of the rater's booklet that are not answered yet; the rater is enrolled."""
    plan, lease, group = edition.plan, options.lease, options.group
    details = {"answers_in": "sheet"}
    enroll(connection, rater, token_hash=None, kind="person", details=details, now=now)
    if group is not None:
        quota = groups_of(edition.study)[group].quota
        if not take_place(connection, rater, group, quota=quota, lease=lease, now=now):
            raise StoreError(
                f"There is no place left for '{rater}': all {quota} of the group '{group}' are "
                f"taken; raise raters.groups.{group}.quota. No sheet was written."
            )
    asked = Claim(rater=rater, count=1, lease=lease, now=now, round=plan.round)
    first = claim(connection, asked)
    if not first:
        raise StoreError(
            f"There is no booklet left for '{rater}': all {len(plan.booklets)} are taken or "
            "answered; raise design.raters or design.overlap and plan again. No sheet was written."
        )
    # Repeats stay out: with the first answer before their eyes nobody is tested again.
    sizes = Counter(slot.booklet for slot in plan.slots if not slot.repeat)
    booklet_of = {slot.id: slot.booklet for slot in plan.slots}
    own = booklet_of[first[0].slot]
    held = claim(connection, replace(asked, count=sizes[own]))
    return tuple(a for a in held if booklet_of[a.slot] == own and not a.repeat) or held


def _name_media(layout: Layout, secret: bytes) -> Named:
    """An opaque name for each media file; without the secret nobody can tell which is which."""
    named: dict[Path, str] = {}
    for row in layout.rows:
        for cell in row.cells.values():
            for path in cell if isinstance(cell, tuple) else ():
                digest = hmac.new(secret, str(path).encode(), hashlib.sha256).hexdigest()
                named[path] = f"media/{digest[:16]}{path.suffix.lower()}"
    return named


def _write_zip(
    path: Path, study: Study, layout: Layout, named: Named, options: SheetOptions
) -> None:
    content = BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        if options.format == "xlsx":
            _add(archive, "sheet.xlsx", write_xlsx(study, layout, named))
        else:
            _add(archive, "sheet.csv", write_csv(layout, named))
            lines = (f"{left}\t{right}".strip() for left, right in guide_lines(study))
            _add(archive, "guide.txt", "\n".join(lines).encode())
        for source, name in sorted(named.items(), key=lambda pair: pair[1]):
            _add(archive, name, options.clean(source.read_bytes()))
    # Whole or not at all: an interrupted run leaves no half zip behind.
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(content.getvalue())
    part.replace(path)


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    # A fixed time: when a file was made can tell who made it.
    entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, content)
