"""The pages of results: what functions give back, field by field, and every error."""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import jurybox as jb
from jurybox import errors
from jurybox.analysis.finding import Analysis
from jurybox.results import Interval, Result, ResultTable
from jurybox.stats.judges.panels import PanelRule

__all__ = [
    *("BASES", "ERRORS", "WORDS", "about", "fields_of", "given", "group_page", "link", "page"),
    *("results", "spelled"),
]

BASES = (Result, Interval, ResultTable)
NO_RESULT = {"load_study", "mapped", "preview"}
"""They give no figures."""
ERRORS = [getattr(errors, name) for name in errors.__all__]
WORDS = {
    # Of every result.
    "estimate": "The figure; `None` if there is none, and `undefined` says why.",
    "interval": "The confidence interval.",
    "p": "p of the hypothesis that nothing differs; `None` if nothing is tested.",
    "n_items": "How many items it rests on.",
    "n_raters": "How many raters it rests on.",
    "n_responses": "How many responses it rests on.",
    "n_dropped": "Responses or items that could not be used.",
    "undefined": "Why there is no figure.",
    "low": "The lower end; `-inf` if there is none.",
    "high": "The upper end; `inf` if there is none.",
    "confidence": "The confidence of the intervals, 0.95 unless told otherwise.",
    "method": "How it was made, in words.",
    "generalizes_to": "Whom and what it speaks for.",
    "rows": "The results, one for each row.",
    "Table.rows": "The rows, each a tuple of plain values.",
    "notes": "What a reader must know, in sentences.",
    # What a row is about.
    "system": "The system.",
    "systems": "The systems it is about.",
    "other": "What it is compared with.",
    "PairAgreement.other": "The other rater.",
    "GroupDifference.other": "The other group.",
    "MetricComparison.other": "The metric that it is compared with.",
    "criterion": "The criterion.",
    "rater": "The rater.",
    "raters": "One row for each rater.",
    "judge": "The judge.",
    "group": "The group of raters.",
    "metric": "The automatic metric.",
    "category": "The category of error.",
    "severity": "The severity of the error.",
    "statistic": "Which statistic it is.",
    "level": "The level of measurement.",
    "Correlation.level": "Over all outputs, within items, or across systems.",
    "MetricComparison.level": "Over all outputs, within items, or across systems.",
    "panel_of": "The judges that a panel is made of; empty for a single judge.",
    "what": "What is compared.",
    # How it was made.
    "cluster": "How the intervals are clustered.",
    "seed": "The seed of what was drawn.",
    "n_resamples": "How often it was resampled.",
    "margin": "The margin within which a difference counts as none.",
    "baseline": "The system that all others are compared with.",
    "pass_mark": "The score from which an output passes.",
    "power": "How often a study of this size finds the effect.",
    "test": "The name of the test.",
    "form": "The form, as `ICC(2,1)`.",
    "epsilon": "What it is worth that the judge is cheap, as a share.",
    "ties": "How ties are treated.",
    "both_bad": "How *both bad* is treated.",
    "graded": "Whether the strength of a vote counts.",
    "standardize": "`rater`, where points were also taken as each rater's z-scores.",
    "p_method": "How p was computed.",
    "k": "By how much one vote moves a rating, at most.",
    "scale": "The difference in ratings at which the odds are `base` to 1.",
    "base": "The odds at that difference.",
    "initial": "The rating before the first vote.",
    "n_shuffles": "Over how many orders of the votes the median is taken.",
    # Comparisons.
    "p_adjusted": "p, adjusted for all comparisons of its family.",
    "adjusted_by": "How p was adjusted.",
    "simultaneous": "The interval that holds for all comparisons of the family at once.",
    "differences": "One row for each pair of systems.",
    "comparisons": "One row for each pair of metrics.",
    "trends": "What longer outputs change.",
    "t": "The t statistic.",
    "df": "Its degrees of freedom.",
    "se": "The standard error.",
    "tests": "Rank tests on item means; they hold for these raters.",
    "effects": "Effect sizes on item means; they hold for these raters.",
    "n_systems": "How many systems.",
    "n_units": "Units that are compared.",
    # Strengths and scores.
    "fit": "How well strengths alone describe the votes.",
    "pearson": "Pearson's X² before it is scaled.",
    "log_likelihood": "The log likelihood of the fitted strengths.",
    "n_rankings": "How many rankings.",
    "median": "The median of single responses.",
    "spans": "How many spans.",
    "n_outputs": "Outputs that two raters marked.",
    # Raters.
    "kappa": "Cohen's kappa.",
    "most_used": "The answer given most often.",
    "most_used_share": "How often it was given.",
    "tie_rate": "How often the rater says tie.",
    "gold": "The share of gold trials answered right.",
    "first_shown": "How often what is shown first wins.",
    "drift": "How scores move along the sitting.",
    "retest": "How often the same trial gets the same answer again.",
    "unit_variance": "The variance between units.",
    "residual_variance": "The variance that is left.",
    # Detections.
    "stated": "The mean stated probability.",
    "right": "The share of right answers.",
    "brier": "The Brier score.",
    "slope": "The calibration slope: 1 if stated odds are right.",
    "error": "The expected calibration error.",
    "bias": "The bias c; above zero, the answer tends to be “real”.",
    "pooled_bias": "The bias c of all answers pooled.",
    "JudgeBias.bias": "Which bias.",
    "balanced_accuracy": "The mean of the two shares of right answers.",
    "sensitivity": "d′ of all generated outputs together.",
    "areas": "The area for each system.",
    "called_real": "How many answers say real.",
    "called_generated": "How many answers say generated.",
    "generated": "Generated outputs shown.",
    "real": "Real outputs shown.",
    "fooling_rate": "How often generated outputs are called real.",
    "false_rejection": "How often real outputs are called generated.",
    "n_real": "Outputs of the real set.",
    "n_generated": "Outputs of the system.",
    "n_features": "Numbers per output.",
    # Judges.
    "ceiling": "How far two people agree on the same units.",
    "n_replies": "All replies of the judge.",
    "judge_values": "The values of the rows of `confusion`.",
    "person_values": "The values of its columns.",
    "passes_at_zero": "Whether it passes at ε = 0.",
    "advantages": "For each of `raters`, how often the judge is at least as close.",
    "ps": "For each of `raters`, p of the one-sided test.",
    "ps_adjusted": "The same, adjusted by Benjamini and Yekutieli.",
    "target": "What is estimated: a mean, a difference or a win rate.",
    "people": "What people alone say.",
    # How many are needed.
    "question": "What was asked about.",
    "asked": "What was asked for.",
    "sentence": "The answer in words.",
    "Finding.sentence": "The claim in words.",
    "n_second": "Answers of the second system, where it has its own.",
    "unit": "What `n` counts.",
    "half_width": "Half the width of the interval.",
    # An analysis.
    "title": "Its title.",
    "protocol": "rate, compare, rank, detect or mark.",
    "findings": "Every claim, the headline among them.",
    "tables": "Every table.",
    "excluded": "Raters left out by a rule.",
    "Excluded.n_responses": "How many responses of the rater are left out.",
    "warnings": "What to keep in mind.",
    "result": "The figure behind the sentence.",
    "standing": "What kind of claim it is.",
    "told": "Whether the data decide.",
    "id": "Stable and unique within the analysis.",
    "columns": "Name, heading and kind of each column.",
    "caption": "What to know about the table.",
    "name": "The column's name in CSV and JSON.",
    "heading": "The column's heading.",
    "kind": "How its cells are printed.",
    "rule": "The rule.",
}
"""Fields that their classes say nothing of, by name, or by class and name."""


def about(functions: Mapping[str, Iterable[str]]) -> dict[str, list[type[Any]]]:
    """The classes by what the functions that give them are about, each where it is met first."""
    groups: dict[str, list[type[Any]]] = {}
    met: list[type[Any]] = []
    for group, names in functions.items():
        before = len(met)
        for name in names:
            _add(given(name), met)
        if met[before:]:
            groups[group] = met[before:]
    return groups


def link(kind: type[Any], homes: Mapping[type[Any], str], words: str = "") -> str:
    """A link to the fields of a class."""
    return f"[`{words or kind.__name__}`]({homes[kind]}.md#{kind.__name__.lower()})"


def page(groups: Mapping[str, Iterable[type[Any]]], homes: Mapping[type[Any], str]) -> str:
    """What every result has, every other class with its first words, and every error."""
    parts = [
        "# Every result and error",
        "What functions give back, generated from the classes. Results are frozen: they compare, "
        "hash, pickle and become strict JSON (`to_dict()`). `print` shows a few lines, "
        "`to_markdown()` a table, `chart()` an Altair chart; a result with rows also has "
        "`to_frame()`, and `result[name]` is the row of that name.",
        *(part for kind in BASES for part in _described(kind, homes)),
    ]
    for group, kinds in groups.items():
        rows = (f"- {link(kind, homes)}: {_first_sentence(kind)}" for kind in kinds)
        (home,) = {homes[kind] for kind in kinds}
        parts += [f"## [{group.capitalize()}]({home}.md)", "\n".join(rows)]
    parts += [
        "## Errors",
        "All are in `jurybox.errors`. Each says what is wrong, where, and what to do.",
        "\n".join(
            f"- `{error.__name__}`{_below(error)}: {_first_words(error)}" for error in ERRORS
        ),
    ]
    return "\n\n".join(parts) + "\n"


def group_page(group: str, kinds: Iterable[type[Any]], homes: Mapping[type[Any], str]) -> str:
    """The classes that functions about one thing give, field by field."""
    parts = [
        f"# {group.capitalize()}: results",
        "From the [list of results](results.md); generated from the classes.",
        *(part for kind in kinds for part in _described(kind, homes)),
    ]
    return "\n\n".join(parts) + "\n"


def _described(kind: type[Any], homes: Mapping[type[Any], str]) -> list[str]:
    parts = [f"## `{kind.__name__}`", _first_words(kind)]
    rows = [
        f"| `{name}` | {_cell(words)} | {_cell(_linked(hint, homes))} |"
        for name, hint, words in fields_of(kind)
    ]
    if rows:
        parts.append("\n".join(["| field | meaning | type |", "|---|---|---|", *rows]))
    base = next(base for base in kind.__mro__ if base in (Result, ResultTable, object))
    if base is not object and kind is not base:
        parts.append(f"It also has what every {link(base, homes)} has.")
    return parts


def _linked(hint: str, homes: Mapping[type[Any], str]) -> str:
    """The type, with a link to the class that it names."""
    named = (kind for kind in homes if re.search(rf"\b{kind.__name__}\b", hint))
    kind = next(named, None)
    return link(kind, homes, hint) if kind else f"`{hint}`"


def _first_sentence(kind: type[Any]) -> str:
    return re.split(r"(?<=\.) ", _first_words(kind))[0]


def _first_words(kind: type[Any]) -> str:
    return " ".join((inspect.getdoc(kind) or "").split("\n\n>>>")[0].split()).replace("``", "`")


def _below(error: type[Any]) -> str:
    names = [base.__name__ for base in error.__bases__ if base not in (Exception, object)]
    return f" (a {' and a '.join(f'`{name}`' for name in names)})" if names else ""


def _cell(text: str) -> str:
    return text.replace("``", "`").replace("|", r"\|")


def given(name: str) -> type[Any] | None:
    """The class of what a public function gives, if it is a result."""
    thing = getattr(jb, name)
    if inspect.isclass(thing) or name in NO_RESULT:
        return None
    if name == "analyze":  # Its hints name classes that are imported only to be checked.
        return Analysis
    kind: type[Any] = get_type_hints(thing)["return"]
    return kind


def results() -> list[type[Any]]:
    """Every class that a public function gives, each followed by what it holds."""
    return [kind for kinds in about({"": jb.__all__}).values() for kind in kinds]


def _add(kind: type[Any] | None, found: list[type[Any]]) -> None:
    known = (*found, *BASES)
    if (
        kind is None
        or kind in known
        or not is_dataclass(kind)
        or not kind.__module__.startswith("jurybox.")
    ):
        return
    found.append(kind)
    for hint in get_type_hints(kind).values():
        for part in _classes(hint):
            _add(part, found)


def _classes(hint: Any) -> Iterator[Any]:
    if inspect.isclass(hint) and not get_args(hint):
        yield hint
    for part in get_args(hint):
        yield from _classes(part)


def fields_of(kind: type[Any]) -> Iterator[tuple[str, str, str]]:
    """The fields that a class adds to its base: name, type, and words, empty if it has none."""
    above = (base for base in (Result, ResultTable) if kind is not base and issubclass(kind, base))
    shared = {each.name for base in above for each in fields(base)} - {"rows"}
    written: dict[str, tuple[str, str]] = {}
    for base in reversed(kind.__mro__):
        if is_dataclass(base):
            written |= {name: (hint, words) for name, hint, words in _written(base)}
    for each in fields(kind):
        if each.name not in shared and each.repr:
            hint, words = written[each.name]
            yield each.name, hint, words or _words(kind, each.name)


def _words(kind: type[Any], name: str) -> str:
    of, _, end = name.rpartition("_")
    if end in ("low", "high") and of:
        of = {"judge": "judge_alone"}.get(of, of)
        return f"The {'lower' if end == 'low' else 'upper'} end of the interval of `{of}`."
    return WORDS.get(f"{kind.__name__}.{name}", WORDS.get(name, ""))


def _written(kind: type[Any]) -> Iterator[tuple[str, str, str]]:
    """The fields that stand in a class, each with the text below it, which only the source has."""
    made = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    lines = made.body if isinstance(made, ast.ClassDef) else []
    for line, below in zip(lines, [*lines[1:], None], strict=True):
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            text = ""
            if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
                text = " ".join(str(below.value.value).split())
            yield line.target.id, spelled(ast.unparse(line.annotation), kind), text


def spelled(hint: str, home: Any) -> str:
    """The type with the choices in place of their name, as `Level` where ``home`` was written."""
    known = {"PanelRule": PanelRule, **vars(sys.modules[home.__module__])}

    def choices(hint: Any) -> str | None:
        if get_origin(hint) is Literal:
            return " | ".join(repr(choice) for choice in get_args(hint))
        if get_origin(hint) in (Union, UnionType):
            parts = [choices(part) for part in get_args(hint)]
            if {*parts} <= {None, "None"}:
                return None
            plain = (re.sub(r"(\w+\.)+", "", str(part)) for part in get_args(hint))
            return " | ".join(part or other for part, other in zip(parts, plain, strict=True))
        return "None" if hint is NoneType else None

    hint = re.sub(r"\bLiteral\[(.*?)\]", lambda found: found[1].replace(", ", " | "), hint)
    return re.sub(r"\b[A-Z]\w+", lambda word: choices(known.get(word[0])) or word[0], hint)
