"""Error spans as the WMT's expert evaluations publish them (Freitag et al., 2021)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jurybox.tally.mapping import TableMapping, merge
from jurybox.tally.source import quote

__all__ = ["choose"]

SEGMENTS = ("seg_id", "globalsegid", "global_seg_id", "docsegid", "doc_seg_id")
TELLING = ("system", "rater", "category", "severity")
CLEAN = {"No-error": "", "no-error": ""}
"""An output without errors is a row that says so: it stays, without a span."""
OPEN, CLOSE = "<v>", "</v>"


def choose(
    names: Sequence[str], mapping: TableMapping
) -> tuple[TableMapping, Mapping[str, str], list[str]] | None:
    """The mapping of such a table; ``None`` of any other."""
    have = {name.strip().lower(): name for name in names}
    segment = next((have[name] for name in SEGMENTS if name in have), None)
    document = have.get("doc") or have.get("doc_id")
    if "item" in have or segment is None or document is None:
        return None
    if not all(name in have for name in TELLING):
        return None
    computed = _marked(have)
    values = {c: CLEAN for c in ("severity", "category") if c not in mapping.values}
    base = TableMapping(importer="wmt_mqm", map={"item": f"{document}+{segment}"}, values=values)
    said = ["read as WMT MQM spans; a row of no error keeps its output in the mean"]
    return merge(base, mapping), computed, said


def _marked(have: Mapping[str, str]) -> dict[str, str]:
    """Where a span stands: between tags in the text, or by a column of its start."""
    if "start" in have:
        return {}
    if "target" in have:
        target = quote(have["target"])
        source = quote(have["source"]) if "source" in have else "NULL"
        cell = f"CASE WHEN instr({target}, '{OPEN}') > 0 THEN {target} ELSE {source} END"
        start = f"nullif(instr({cell}, '{OPEN}'), 0) - 1"
        end = f"nullif(instr({cell}, '{CLOSE}'), 0) - 1 - {len(OPEN)}"
        field = (
            f"CASE WHEN instr({target}, '{OPEN}') > 0 THEN 'target' "
            f"WHEN instr({source}, '{OPEN}') > 0 THEN 'source' END"
        )
        return {"field": field, "start": start, "end": end}
    if "span_start" in have and "span" in have:
        start = f"TRY_CAST({quote(have['span_start'])} AS BIGINT)"
        known = f"CASE WHEN {start} >= 0 THEN {start} END"
        length = f"length({quote(have['span'])})"
        return {"start": known, "end": f"{known} + {length}"}
    return {}
