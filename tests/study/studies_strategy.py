"""Hypothesis strategies for whole valid studies, as the keyword arguments of ``Study``."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

# Texts that trouble YAML: quotes, colons, hashes, words that look like other types, other scripts.
TROUBLE = (
    """yes no null 1 0.5 true 2020-01-01 # - ' "q" {x} [y] *a &a !t % @ ends: << ~ … é مرحبا"""
)
WORDS = st.one_of(
    st.sampled_from([*TROUBLE.split(), "a: b", "# no", "- x", "line\nline", "  padded  ", "\ttab"]),
    st.sampled_from(["a\n\n  b\n", "x" * 200, "one\n", "two\n\n", " \n", "日本\n語"]),
    st.text(min_size=1, max_size=30),
).filter(lambda text: bool(text) and not text.endswith(".md"))
NAMES = st.text("abcdefghijklmnopqrstuvwxyz0123456789_- é", min_size=1, max_size=12).filter(
    lambda name: name == name.strip() and name not in {"item", "system"}
)
TEXTS = WORDS | st.fixed_dictionaries({"en": WORDS}, optional={"de": WORDS, "pt-BR": WORDS})
NUMBERS = st.integers(-20, 20).map(float) | st.floats(-100, 100).map(lambda x: round(x, 3))
MEDIA = st.sampled_from(["text", "markdown", "code", "image", "audio", "video", "chat"])


def maps(keys: Any, values: Any, *, least: int = 0, most: int = 3) -> Any:
    return st.dictionaries(keys, values, min_size=least, max_size=most)


@st.composite
def scales(draw: st.DrawFn) -> Any:
    kind = draw(st.sampled_from(["named", "map", "long", "list", "slider"]))
    if kind == "named":
        return draw(st.sampled_from(["acr", "likert", "yes-no", "0-100", "cmos"]))
    if kind == "slider":
        low = draw(st.integers(-10, 10))
        size = draw(st.integers(1, 20))
        anchors = {low: draw(TEXTS), low + size: draw(TEXTS)}
        return {"anchors": anchors, "step": draw(st.sampled_from([1, 0.5]))}
    values = draw(st.lists(NUMBERS, min_size=2, max_size=6, unique=True))
    written = {value: draw(TEXTS) for value in values}
    if kind == "list":
        return {"values": [{"value": v, "anchor": a} for v, a in written.items()]}
    if kind == "long":
        examples = {v: {"anchor": a, "example": "m.png"} for v, a in written.items()}
        return {"values": examples, "level": draw(st.sampled_from(["nominal", "interval"]))}
    return written


@st.composite
def criteria(draw: st.DrawFn, protocol: str) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for place, name in enumerate(draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))):
        criterion: dict[str, Any] = {}
        if draw(st.booleans()):
            criterion["question"] = draw(TEXTS)
        if draw(st.booleans()):
            criterion["reason"] = draw(st.sampled_from(["optional", "required"]))
        if draw(st.booleans()):
            criterion["confidence"] = draw(st.integers(2, 10) | scales())
        if protocol in {"rate", "mark"} or (protocol == "compare" and place > 0):
            criterion["scale"] = draw(scales())
            criterion["per"] = "output"
        if protocol == "compare" and place == 0 and draw(st.booleans()):
            criterion["choices"] = draw(st.permutations(["a", "b", "tie", "both_bad"]))
        if protocol == "rank":
            criterion["answer"] = draw(st.sampled_from(["order", "best"]))
        if protocol == "mark" and place == 0:
            del criterion["scale"]
            criterion["categories"] = draw(maps(NAMES, TEXTS, least=1))
            criterion["field"] = "shown"
        made[name] = criterion
        if protocol == "detect":
            break
    return made


@st.composite
def studies(draw: st.DrawFn) -> dict[str, Any]:
    """Everything a study may say, in short and long forms."""
    protocol = draw(st.sampled_from(["rate", "compare", "rank", "detect", "mark"]))
    study: dict[str, Any] = {
        "title": draw(TEXTS),
        "protocol": protocol,
        "outputs": draw(
            st.sampled_from(["o.csv", "{system}.jsonl", "m/{system}/{item}.png"])
            | st.fixed_dictionaries(
                {"table": st.just("w.tsv"), "columns": maps(NAMES, NAMES, least=1)}
            )
        ),
        "show": {"shown": "text", **draw(maps(NAMES, MEDIA))},
    }
    if isinstance(study["outputs"], dict):
        columns = study["outputs"]["columns"]
        study["outputs"]["columns"] = {name: f"c{n}" for n, name in enumerate(columns)}
    if protocol == "detect":
        study["real"] = list(study["outputs"]["columns"]) if "w" in str(study["outputs"]) else ["r"]
    if draw(st.booleans()) or protocol == "mark":
        study["criteria"] = draw(criteria(protocol))
    extra = {
        "instructions": TEXTS,
        "look_for": st.lists(TEXTS, max_size=3),
        "consent": TEXTS,
        "survey": maps(NAMES, WORDS | st.fixed_dictionaries({"question": TEXTS})),
        "design": st.fixed_dictionaries(
            {}, optional={"overlap": st.integers(1, 9), "seed": st.integers(0, 2**40)}
        ),
        "session": st.fixed_dictionaries({"minutes": st.floats(1, 40)}),
        "analysis": st.fixed_dictionaries({"confidence": st.floats(0.5, 0.99)}),
        "quality": st.fixed_dictionaries({"exclude": st.just({"faster_than": 1.5})}),
        "judges": maps(NAMES, st.just({"model": "m", "endpoint": "http://h/v1"})),
    }
    return {**study, **draw(st.fixed_dictionaries({}, optional=extra))}
