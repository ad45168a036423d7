"""Votes as Chatbot Arena publishes them: ``model_a, model_b, winner``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jurybox.tally.mapping import TableMapping, merge
from jurybox.tally.source import quote

__all__ = ["choose"]

WINNERS = {
    "model_a": "a",
    "model_b": "b",
    "tie": "tie",
    "tie (bothbad)": "both_bad",
    "tie(bothbad)": "both_bad",
    "bothbad": "both_bad",
    "both_bad": "both_bad",
}
ONE_HOT = {"a": "winner_model_a", "b": "winner_model_b", "tie": "winner_tie"}
ITEMS = ("question_id", "conversation_id", "prompt_id", "id")
RATERS = ("judge", "judge_hash", "user_id", "user", "annotator", "evaluation_session_id")
"""Who voted; of later files only the sitting is known, which is one person's."""


def choose(
    names: Sequence[str], mapping: TableMapping
) -> tuple[TableMapping, Mapping[str, str], list[str]] | None:
    """The mapping of such a table; ``None`` of any other."""
    have = {name.strip().lower(): name for name in names}
    one_hot = [have[column] for column in ONE_HOT.values() if column in have]
    if "system_a" in have or not {"model_a", "model_b"} <= set(have):
        return None
    if "winner" not in have and not one_hot and "winner" not in mapping.map:
        return None
    columns = {"system_a": have["model_a"], "system_b": have["model_b"]}
    item = next((have[name] for name in ITEMS if name in have), None)
    if item is not None and "item" not in have:
        # A conversation of several turns is voted on turn by turn.
        columns["item"] = f"{item}+{have['turn']}" if "turn" in have else item
    rater = next((have[name] for name in RATERS if name in have), None)
    if rater is not None and "rater" not in have:
        columns["rater"] = rater
    computed: dict[str, str] = {}
    values = {"winner": WINNERS} if "winner" in have or "winner" in mapping.map else {}
    if not values:
        cases = " ".join(
            f"WHEN TRY_CAST({quote(have[column])} AS DOUBLE) = 1 THEN '{answer}'"
            for answer, column in ONE_HOT.items()
            if column in have
        )
        computed["winner"] = f"CASE {cases} END"
    base = TableMapping(importer="arena", map=columns, values=values)
    # Whoever says what a winner means says it of all of them.
    if "winner" in mapping.values:
        base = TableMapping(importer="arena", map=columns)
    return merge(base, mapping), computed, ["read as Chatbot Arena votes"]
