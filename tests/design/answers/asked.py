"""One study per way of asking, and answers to it as a screen would send them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from jurybox.design.answers import ShownAnswer, ShownSpan
from jurybox.design.plan import Trial, TrialId
from jurybox.study.model import ItemId, Study, SystemId
from tests.design.studies import make_study

TEXT = "Er ging 🙂 nach Haus."
SYSTEMS = tuple(SystemId(name) for name in ("north", "south", "east", "west"))

STUDIES: dict[str, Study] = {
    "rate": make_study(
        "rate",
        criteria={
            "realism": {"scale": {0: "Broken", 0.5: "Flawed", 2: "Fine"}, "confidence": 3},
            "overall": {"scale": "0-100", "reason": "optional"},
        },
    ),
    "compare": make_study(
        "compare",
        criteria={
            "preference": {"choices": ["a", "b", "tie", "both_bad"], "confidence": 3},
            "correctness": {"scale": "acr", "per": "output"},
        },
    ),
    "forced": make_study("compare", criteria={"preference": {"choices": ["a", "b"]}}),
    "graded": make_study(
        "compare", criteria={"preference": {"scale": "cmos", "reason": "required"}}
    ),
    "rank": make_study("rank", criteria={"fit": {"answer": "order", "ties": True}}),
    "strict": make_study("rank", criteria={"fit": {"answer": "order"}}),
    "best": make_study("rank", criteria={"fit": {"answer": "best"}}),
    "detect": make_study("detect", criteria={"origin": {"confidence": 5}}),
    "mark": make_study(
        "mark",
        criteria={
            "errors": {
                "field": "answer",
                "categories": {"accuracy": "Wrong", "fluency": "Odd"},
                "severities": {"minor": 1, "major": 5},
            },
            "overall": {"scale": "0-100"},
        },
    ),
}


def make_trial(n: int) -> Trial:
    return Trial(id=TrialId("t"), item=ItemId("i"), systems=SYSTEMS[:n])


def sent(**values: Any) -> ShownAnswer:
    return ShownAnswer.model_validate(values)


def n_outputs(name: str) -> st.SearchStrategy[int]:
    if STUDIES[name].protocol == "compare":
        return st.just(2)
    if STUDIES[name].protocol == "rank":
        return st.integers(2, 4)
    return st.integers(1, 4) if name == "rate" else st.just(1)


def _score(name: str, criterion: str) -> st.SearchStrategy[float]:
    scale = STUDIES[name].criteria[criterion].scale
    assert scale is not None
    if scale.step is not None:
        return st.integers(int(scale.low), int(scale.high)).map(float)
    return st.sampled_from([value.value for value in scale.values])


@st.composite
def competition(draw: st.DrawFn, n: int, *, ties: bool) -> tuple[float, ...]:
    """Ranks as people give them: tied ones share the best, the next is skipped."""
    if not ties:
        return tuple(map(float, draw(st.permutations(range(1, n + 1)))))
    marks = draw(st.lists(st.integers(0, n), min_size=n, max_size=n))
    return tuple(1.0 + sum(other < mark for other in marks) for mark in marks)


@st.composite
def spans(draw: st.DrawFn) -> tuple[ShownSpan, ...]:
    found = draw(
        st.sets(
            st.tuples(
                st.integers(0, len(TEXT) - 1),
                st.integers(1, 5),
                st.sampled_from(["accuracy", "fluency"]),
                st.sampled_from(["minor", "major"]),
            ),
            max_size=4,
        )
    )
    made = {(start, min(start + length, len(TEXT)), c, s) for start, length, c, s in found}
    return tuple(
        ShownSpan(start=start, end=end, category=category, severity=severity)
        for start, end, category, severity in sorted(made)
    )


@st.composite
def answers(draw: st.DrawFn, name: str, n: int) -> tuple[ShownAnswer, ...]:
    """Right answers to every criterion, in the order of criteria and places."""
    made = []
    for criterion, asked in STUDIES[name].criteria.items():
        for place in range(n) if name in {"rate", "mark"} or asked.per == "output" else [None]:
            values: dict[str, Any] = {"criterion": criterion, "place": place}
            if asked.categories:
                values["spans"] = draw(spans())
            elif asked.scale is not None:
                values["score"] = draw(_score(name, criterion))
            elif name in {"compare", "forced"}:
                allowed = ["first", "second", "tie", "both_bad"][: len(asked.choices or ())]
                values["choice"] = draw(st.sampled_from(allowed))
            elif name == "detect":
                values |= {"place": 0, "answer": draw(st.sampled_from(["real", "generated"]))}
            elif name == "best":
                pick = draw(st.integers(0, n - 1))
                values["ranks"] = tuple(1.0 if place == pick else 2.0 for place in range(n))
            else:
                values["ranks"] = draw(competition(n, ties=asked.ties))
            if asked.confidence is not None:
                values["confidence"] = float(draw(st.integers(1, 3)))
            if asked.reason == "required" or (asked.reason and draw(st.booleans())):
                values["reason"] = "It reads better."
            made.append(ShownAnswer(**values))
    return tuple(made)
