"""How a foreign table is to be read: which column is what, and which word means what.

A ``TableMapping`` is plain data, the same in Python, on the command line and in ``mapping.yaml``.
``Mapped`` is a table together with one; every function that takes a table takes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from itertools import pairwise
from typing import Any

from jurybox.errors import OptionError
from jurybox.tally.shapes import SHAPES, ShapeName, known_columns

__all__ = ["Derivation", "Mapped", "TableMapping", "mapped", "merge"]

LEVELS = ("nominal", "ordinal", "interval", "ratio")
RULES = ("mean", "geometric_mean", "weighted_mean")


@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation:
    """A criterion computed per response from others: the rule, and its parts with weights."""

    rule: str
    weights: Mapping[str, float]

    @classmethod
    def parse(cls, name: str, words: str) -> Derivation:
        """``geometric_mean(SC, PR)`` or ``weighted_mean(SC=2, PR=1)``."""
        found = re.fullmatch(r"\s*(\w+)\s*\((.*)\)\s*", words)
        if not found or found[1] not in RULES:
            raise OptionError(
                f"derive {name!r}: write one of {', '.join(RULES)} with its parts, for example "
                f"geometric_mean(SC, PR); got {words!r}"
            )
        weights: dict[str, float] = {}
        for part in found[2].split(","):
            criterion, equals, weight = part.partition("=")
            if not criterion.strip() or bool(equals) != (found[1] == "weighted_mean"):
                raise OptionError(
                    f"derive {name!r}: {found[1]} takes names of criteria"
                    + (", each with =weight" if found[1] == "weighted_mean" else "")
                    + f"; got {part.strip()!r}"
                )
            weights[criterion.strip()] = _number(name, weight) if equals else 1.0
        return cls(rule=found[1], weights=weights)

    def __str__(self) -> str:
        weighted = self.rule == "weighted_mean"
        parts = (f"{name}={w:g}" if weighted else name for name, w in self.weights.items())
        return f"{self.rule}({', '.join(parts)})"


def _number(name: str, words: str) -> float:
    try:
        return float(words)
    except ValueError:
        raise OptionError(f"derive {name!r}: a weight must be a number; got {words!r}") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMapping:
    """How a table is to be read. Every field is also a key of ``mapping.yaml``."""

    importer: str | None = None
    """The foreign format, where it is not to be recognized (``from`` in the file)."""
    shape: ShapeName | None = None
    map: Mapping[str, str] = field(default_factory=dict)
    """Of each column of the shape, the table's column, or several joined by ``+``."""
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Of each column, what its words mean; the empty word is a missing value."""
    set: Mapping[str, str] = field(default_factory=dict)
    """Columns that are the same in every row."""
    level: str | None = None
    levels: Mapping[str, str] = field(default_factory=dict)
    """The level of measurement of single criteria."""
    scale: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Of criteria (``*``: of all) the values that scores may have in order, or only both ends."""
    raters: tuple[str, ...] = ()
    """Columns (or patterns of their names) that hold one rater's answers each."""
    judges: tuple[str, ...] = ()
    """Such columns of judges; without ``raters``, names in the column of raters."""
    raters_anonymous: bool = False
    scores: tuple[str, ...] = ()
    """Columns (or patterns) that hold the scores of one criterion each."""
    systems: tuple[str, ...] = ()
    """Columns (or patterns) that hold the scores, or ranks, of one system each."""
    counts: Mapping[str, str] = field(default_factory=dict)
    """Of each answer, the column that counts how often it was given."""
    derive: Mapping[str, Derivation] = field(default_factory=dict)
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of columns of the shape or the table, the values whose rows are read."""

    def __post_init__(self) -> None:
        for name, allowed in (("level", LEVELS), ("shape", tuple(SHAPES))):
            value = getattr(self, name)
            if value is not None and value not in allowed:
                raise OptionError(f"{name} must be one of {', '.join(allowed)}; got {value!r}")
        for criterion, level in self.levels.items():
            if level not in LEVELS:
                raise OptionError(
                    f"the level of {criterion!r} must be one of {', '.join(LEVELS)}; got {level!r}"
                )
        for column in (*self.map, *self.values, *self.set):
            if column not in known_columns():
                near = get_close_matches(column, known_columns(), n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"there are {_columns()}"
                raise OptionError(f"no table shape has a column {column!r}; {hint}")
        twice = [column for column in self.map if column in self.set]
        if twice:
            raise OptionError(f"{twice[0]!r} is both mapped and set; choose one")
        wide = [name for name in ("raters", "scores", "systems", "counts") if getattr(self, name)]
        if len(wide) > 1:
            raise OptionError(f"{wide[0]} and {wide[1]} cannot both spread over columns")

    @property
    def is_empty(self) -> bool:
        """Whether the table is to be read as it is."""
        return self == TableMapping()

    def to_plain(self) -> dict[str, Any]:
        """What ``mapping.yaml`` holds: only what differs from reading the table as it is."""
        found: dict[str, Any] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if not value or each.name == "levels":
                continue
            if each.name == "derive":
                value = {name: str(rule) for name, rule in value.items()}
            elif isinstance(value, Mapping):
                value = {k: _plain(v) for k, v in value.items()}
                value = value["*"] if each.name == "scale" and [*value] == ["*"] else value
            elif isinstance(value, tuple):
                value = list(value)
            found["from" if each.name == "importer" else each.name] = value
        if self.levels:
            found["level"] = {**({"*": self.level} if self.level else {}), **self.levels}
        return found

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> TableMapping:
        """From what ``mapping.yaml`` holds, or from keywords."""
        found = {("from" if key == "from_" else key): value for key, value in plain.items()}
        known = {("from" if f.name == "importer" else f.name) for f in fields(cls)} - {"levels"}
        unknown = [str(key) for key in found if key not in known]
        if unknown:
            near = get_close_matches(unknown[0], known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(sorted(known))}"
            raise OptionError(f"a mapping has no key {unknown[0]!r}; {hint}")
        levels = found.get("level")
        if isinstance(levels, Mapping):
            named = {str(k): str(v) for k, v in levels.items()}
            found["level"], found["levels"] = named.pop("*", None), named
        derived = {
            str(name): rule if isinstance(rule, Derivation) else Derivation.parse(name, str(rule))
            for name, rule in _dict("derive", found.get("derive")).items()
        }
        return cls(
            importer=found.get("from"),
            shape=found.get("shape"),
            map=_words("map", found.get("map")),
            values={
                column: _words(f"values of {column}", words)
                for column, words in _dict("values", found.get("values")).items()
            },
            set=_words("set", found.get("set")),
            level=found.get("level"),
            levels=found.get("levels", {}),
            scale=_scales(found.get("scale")),
            raters=_names("raters", found.get("raters")),
            judges=_names("judges", found.get("judges")),
            raters_anonymous=_flag("raters_anonymous", found.get("raters_anonymous")),
            scores=_names("scores", found.get("scores")),
            systems=_names("systems", found.get("systems")),
            counts=_words("counts", found.get("counts")),
            derive=derived,
            only={
                str(column): tuple(_word(each) for each in _several(values))
                for column, values in _dict("only", found.get("only")).items()
            },
        )


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value


def _several(values: Any) -> Sequence[Any]:
    """One value or several, as several."""
    return values if isinstance(values, list | tuple) else [values]


def _columns() -> str:
    return ", ".join(known_columns())


def _dict(key: str, value: Any) -> Mapping[Any, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise OptionError(f"{key} must name columns, each with what it is; got {value!r}")
    return value


def _words(key: str, value: Any) -> dict[str, str]:
    return {_word(k): _word(v) for k, v in _dict(key, value).items()}


def _word(value: Any) -> str:
    """A cell or a key as text: nothing is the empty word, and 2.0 is what people write as 2."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _scales(value: Any) -> dict[str, tuple[float, ...]]:
    """Of each criterion its scale; one scale alone is that of all."""
    named = value if isinstance(value, Mapping) else {} if value is None else {"*": value}
    return {str(criterion): _scale(each) for criterion, each in named.items()}


def _scale(value: Any) -> tuple[float, ...]:
    """``1..5``, ``1,2,3`` or a list: the values in order."""
    parts = re.split(r"\.\.|,", value) if isinstance(value, str) else value
    try:
        values = tuple(float(each) for each in parts)
    except (TypeError, ValueError):
        values = ()
    if len(values) < 2 or any(not a < b for a, b in pairwise(values)):
        raise OptionError(
            f"scale takes both ends, as 0..100, or all values in order, as 1,2,3,4,5; got {value!r}"
        )
    return values


def _names(key: str, value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if not isinstance(value, Iterable):
        raise OptionError(f"{key} must be names of columns; got {value!r}")
    return tuple(str(each) for each in value)


def _flag(key: str, value: Any) -> bool:
    if value is not None and not isinstance(value, bool):
        raise OptionError(f"{key} must be true or false; got {value!r}")
    return bool(value)


def merge(base: TableMapping, over: TableMapping) -> TableMapping:
    """Both mappings; where they differ, ``over`` holds."""
    changes: dict[str, Any] = {}
    for each in fields(TableMapping):
        mine, theirs = getattr(base, each.name), getattr(over, each.name)
        if isinstance(mine, Mapping):
            # A column that is set is no longer mapped, and the other way round.
            other = {"map": over.set, "set": over.map}.get(each.name, {})
            changes[each.name] = {**{k: v for k, v in mine.items() if k not in other}, **theirs}
        else:
            changes[each.name] = theirs or mine
    return replace(base, **changes)


@dataclass(frozen=True, slots=True, eq=False)
class Mapped:
    """A table and how it is to be read; every function that takes a table takes it."""

    source: Any
    mapping: TableMapping


def mapped(source: Any, mapping: Any = None, **options: Any) -> Mapped:
    """A table of other columns and words, as every function here takes it.

    Parameters
    ----------
    source
        A path or glob (CSV, TSV, JSON, JSONL, Parquet), a folder of a known export, a data frame, a
        DuckDB relation or a mapping of columns.
    mapping
        The path of a ``mapping.yaml``, or a dictionary of the same keys.
    **options
        The same keys, over those of ``mapping``:

        - ``map``: of each column the table's own, ``{"score": "rating", "item": "doc+seg_id"}``;
        - ``values``: what words mean, ``{"winner": {"left": "a", "right": "b", "draw": "tie"}}``;
          the empty word is a missing value, ``unusable`` and ``skipped`` are no answer;
        - ``set``: columns that are the same in every row, ``{"system": "SD"}``;
        - ``level``: of every criterion (``"ordinal"``), or of each (``{"fluency": "interval"}``);
        - ``scale``: the values of every criterion (``[1, 2, 3, 4, 5]``; a slider's ends
          ``[0, 100]``), or of each: no interval leaves them, and a score beyond them is refused;
        - ``raters``, ``judges``: columns with one rater's answers each, ``["annotator*"]``;
        - ``raters_anonymous``: raters are positions, the first column is no one person;
        - ``scores``: columns with one criterion's scores each, ``["human_*"]``;
        - ``systems``: columns with one system's scores each (ranks with ``shape="rankings"``);
        - ``counts``: columns that count an answer, ``{"a": "wins", "b": "losses"}``;
        - ``only``: rows that are read, ``{"system": ["SD", "SDXL"]}``;
        - ``derive``: criteria made of others, ``{"overall": "geometric_mean(SC, PR)"}``;
        - ``shape`` and ``from_``: where they are not to be recognized.

    Returns
    -------
    Mapped
        The table and how to read it. Nothing is read yet.

    Examples
    --------
    >>> import jurybox as jb
    >>> forms = {
    ...     "picture": ["p1", "p2", "p3", "p4"],
    ...     "model": ["SD", "SD", "SD", "SD"],
    ...     "annotator1": [1, 2, 2, 3],
    ...     "annotator2": [1, 2, 3, 3],
    ... }
    >>> ratings = jb.mapped(
    ...     forms, map={"item": "picture", "system": "model"}, raters=["annotator*"]
    ... )
    >>> jb.mean_scores(ratings)["SD"].estimate
    2.125
    """
    if isinstance(source, Mapped):
        own = mapped(source.source, mapping, **options).mapping
        return Mapped(source.source, merge(source.mapping, own))
    if mapping is None:
        base = TableMapping()
    elif isinstance(mapping, TableMapping):
        base = mapping
    elif isinstance(mapping, Mapping):
        base = TableMapping.of(mapping)
    else:
        from jurybox.tally.mapping_file import load_mapping

        base = load_mapping(mapping)
    return Mapped(source, merge(base, TableMapping.of(options)) if options else base)


def near(name: str, columns: Sequence[str]) -> str:
    """The sentence's end that helps who misspelled a column."""
    found = get_close_matches(name.lower(), [c.lower() for c in columns], n=1)
    if found:
        (real,) = [c for c in columns if c.lower() == found[0]][:1]
        return f"did you mean {real!r}?"
    shown = ", ".join(columns[:20]) + (", …" if len(columns) > 20 else "")
    return f"the table has {shown}"
