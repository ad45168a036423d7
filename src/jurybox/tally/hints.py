"""What foreign columns and words probably mean: offered in a sentence, never applied in silence."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

__all__ = ["columns_hint", "numbers_hint", "values_hint"]

RATER = (
    "rater|annotator|worker|user|judge|evaluator|participant|person|coder|subject|reviewer|assessor"
)
COLUMNS: Mapping[str, str] = {
    "item": r"(prompt|question|item|doc|document|text|input|example|instance|segment|case|task|"
    r"image|picture|photo|file|clip|video|audio|sentence|stimulus)"
    r"([ _.-]?(id|no|number|key))?|id|idx|index|qid",
    "system_a": r"(model|system|answer|response|output|option)[ _.-]?(a|1|one|left)|"
    r"(left|first)([ _.-]?(model|system|answer|response|output|option))?|a",
    "system_b": r"(model|system|answer|response|output|option)[ _.-]?(b|2|two|right)|"
    r"(right|second)([ _.-]?(model|system|answer|response|output|option))?|b",
    "system": r"(model|system|generator|method|engine|variant|condition)([ _.-]?(name|id))?",
    "rater": rf"({RATER})([ _.-]?(id|name))?|your (full )?name|e-?mail( address)?",
    "winner": r"winner|preference|preferred|choice|vote|verdict|better|best|chosen|"
    r"(which|who)\b.*\b(better|best|prefer\w*|wins?)\b.*",
    "rank": r"rank(ing)?",
    "truth": r"truth|origin|source|true[ _.-]?label|ground[ _.-]?truth|gold|actual|is[ _.-]?real",
    "answer": r"answer|guess|judg[em]\w*|response|decision|prediction|said",
    "severity": r"severity",
    "score": r"(.*[ _.-])?(score|rating|stars|grade|mos|quality)",
}
WORDS: Mapping[str, Sequence[tuple[str, str]]] = {
    "winner": (
        ("both_bad", r".*(both|all).*(bad|poor|wrong|fail).*|neither.*"),
        ("tie", r".*\b(tie|tied|draw|equal|same|similar|no (preference|difference)|both)\b.*|="),
        ("a", r"(model|system|answer|response|option|output)?[ _.-]*(a|1|one|left|first)"),
        ("b", r"(model|system|answer|response|option|output)?[ _.-]*(b|2|two|right|second)"),
    ),
    "origin": (
        ("real", r".*\b(human|real|person|authentic|genuine|original|natural)\b.*"),
        ("generated", r".*\b(machine|ai|fake|bot|synthetic|artificial|llm|model|computer)\b.*"),
    ),
    "rater_kind": (
        ("person", r".*\b(humans?|people|crowd|expert|annotator|worker)\b.*"),
        ("judge", r".*\b(machine|ai|bot|robot|llm|model|judges?)\b.*"),
    ),
    "severity": (("major", r"critical"),),
}
MISSING = r"n\.?/?a\.?|nan|none|null|missing|-+|–|—|\?+|\.|skip(ped)?|x"
NUMBER_LIKE = r"[-+−]?\d+([.,]\d+)?\s*(%|/\s*\d+([.,]\d+)?)?"


def columns_hint(columns: Sequence[str], shapes: Mapping[str, Sequence[str]]) -> str:
    """How to say which column is what; ``shapes`` gives the columns that each shape needs."""
    for name, needed in shapes.items():
        sides = ("system",) if "system_a" not in needed else ()
        found = _guessed([*dict.fromkeys((*needed, "item", "rater", *sides))], columns)
        if set(needed) <= found.keys():
            return f"as {name} it may be read by {_maps(found)}"
    # A table with two systems in a row compares them, whichever column says who won.
    two = _guessed(["system_a", "system_b"], columns)
    systems = tuple(two) if len(two) == 2 else ("system",)
    stems = {c: m[1] for c in columns if (m := re.fullmatch(rf"({RATER})[ _.-]?\w{{1,2}}", c))}
    numbered = stems if len(stems) > 1 else {}
    found = _guessed(["item", "rater", *systems], [c for c in columns if c not in numbered])
    if numbered:
        pattern = shlex.quote(min(numbered.values()) + "*")
        return f"it may be read by {_maps(found)} --raters {pattern}".replace("  ", " ")
    answer = "winner" if len(two) == 2 else "score"
    rest = [c for c in columns if c not in found.values()]
    named = {name: found.get(name, "…") for name in ("item", *systems, "rater")}
    is_last = len(rest) == 1 and "…" not in named.values()
    say = f"say which column is what by {_maps({**named, answer: rest[0] if is_last else '…'})}"
    if not rest or is_last:
        return say
    return (
        f"{say}; where each of several columns holds the answers of one rater, criterion or "
        f"system, by --raters {shlex.quote(','.join(rest))}, --scores … or --systems …"
    )


def _maps(found: Mapping[str, str]) -> str:
    said = [
        f"{ours}=…" if theirs == "…" else shlex.quote(f"{ours}={theirs}")
        for ours, theirs in found.items()
        if ours != theirs
    ]
    return " ".join(f"--map {each}" for each in said)


def _guessed(wanted: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """A column of the table for each that is wanted, where one is or sounds like it."""
    from difflib import get_close_matches

    found = {name: name for name in wanted if name in columns}
    for name in wanted:
        free = [c for c in columns if c not in found.values()]
        like = [c for c in free if re.fullmatch(rf"(input\.|answer\.)?({COLUMNS[name]})", c)]
        like += get_close_matches(name, free, n=1, cutoff=0.8)
        if name not in found and like:
            found[name] = like[0]
    return found


def values_hint(column: str, words: Sequence[str]) -> str:
    """The option that says what words mean, with … for those that could mean anything."""
    if any("," in word or "=" in word for word in words):
        return "'values' in a mapping.yaml (on the command line no word may hold a comma)"
    known = WORDS["origin"] if column in ("truth", "answer") else WORDS.get(column, ())
    pairs = []
    for word in words:
        meanings = [ours for ours, like in known if re.fullmatch(like, word.strip().lower())]
        missing = re.fullmatch(MISSING, word.strip().lower())
        pairs.append(f"{word}={'' if missing else meanings[0] if meanings else '…'}")
    return "--values " + shlex.quote(f"{column}:{','.join(pairs)}")


def numbers_hint(words: Sequence[str]) -> str | None:
    """What to do where words are numbers that are written otherwise."""
    real = [w for w in words if not re.fullmatch(MISSING, w.strip().lower())]
    like = [word for word in real if re.fullmatch(NUMBER_LIKE, word.strip())]
    if not like or len(like) < len(real):
        return None
    word = like[0]
    if "," in word:
        return f"{word!r} has a comma; write numbers as 2.5 and 1000"
    return f"{word!r} is no plain number; write it as one"
