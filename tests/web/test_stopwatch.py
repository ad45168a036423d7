"""The times of a trial, and earlier answers as drafts, as pure functions in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.patience import PATIENCE
from tests.web.serving import live, open_study
from tests.web.studies import write_study

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

Run = Callable[[str, Any], Any]


@pytest.fixture(scope="module")
def run(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Run a script with the page's modules at hand."""
    folder: Path = tmp_path_factory.mktemp("modules")
    with open_study(write_study("graded", folder / "study")) as served, live(served.app) as url:
        page = browser.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.goto(f"{url}/static/icon.svg")

        def evaluate(script: str, given: Any) -> Any:
            return page.evaluate(
                "async ([root, script, given]) => {"
                "const load = (name) => import(`${root}/static/${name}.js`);"
                "const make = Object.getPrototypeOf(async () => {}).constructor;"
                "return new make('load', 'given', script)(load, given); }",
                [url, script, given],
            )

        yield evaluate
        page.close()


def read(run: Run, *steps: tuple[str, int], first: int | None = None, **start: Any) -> Any:
    """Start at 1000, do each step at its time, and read at the last one's."""
    script = """
        const { Stopwatch } = await load("stopwatch");
        const watch = new Stopwatch(1000, given.start);
        for (const [name, now] of given.steps.slice(0, -1)) watch[name](now);
        return watch.read(given.steps.at(-1)[1], given.first);
    """
    return run(script, {"start": start, "steps": [list(one) for one in steps], "first": first})


def test_time_runs_from_the_media_to_the_answer(run: Run) -> None:
    got = read(run, ("ready", 1400), ("read", 5000), first=2000, shown=77)
    assert got["ms"] == 3600
    assert got["timing"] == {
        "shown": 77,
        "ready": 400,
        "first": 1000,
        "hidden": 0,
        "submit": 4000,
    }


def test_media_that_never_come_count_from_the_start(run: Run) -> None:
    got = read(run, ("read", 5000))
    assert got["ms"] == 4000
    assert got["timing"]["ready"] is None
    assert got["timing"]["first"] is None


def test_hidden_time_is_taken_out_once(run: Run) -> None:
    # Hidden 2000-3000 and 4000-4500; hiding twice is hiding once.
    steps = [("ready", 1100), ("hide", 2000), ("hide", 2500), ("show", 3000), ("show", 3100)]
    got = read(run, *steps, ("hide", 4000), ("show", 4500), ("read", 6000))
    assert got["timing"]["hidden"] == 1500
    assert got["ms"] == 6000 - 1100 - 1500


def test_what_was_hidden_before_the_media_came_is_not_taken_out_again(run: Run) -> None:
    # Opened in the background: hidden 1000-3000, of which 400 ms after the media at 2600.
    got = read(run, ("ready", 2600), ("show", 3000), ("read", 5000), hidden=True)
    assert got["timing"]["hidden"] == 2000
    assert got["ms"] == 5000 - 2600 - 400


def test_an_answer_from_a_hidden_page_has_no_negative_time(run: Run) -> None:
    got = read(run, ("hide", 1000), ("ready", 1500), ("read", 4000))
    assert got["ms"] == 0


QUESTIONS: dict[str, tuple[dict[str, Any], Any, dict[str, Any]]] = {
    "scale": ({"kind": "scale", "place": 1}, 4, {"score": 4, "place": 1}),
    "slider at zero": ({"kind": "slider", "place": 0}, 0, {"score": 0, "place": 0}),
    "graded": ({"kind": "graded", "place": None}, -2, {"score": -2}),
    "choice": ({"kind": "choice", "place": None}, "tie", {"choice": "tie"}),
    "origin": ({"kind": "origin", "place": 0}, "real", {"answer": "real", "place": 0}),
    "order": (
        {"kind": "order", "place": None},
        {"groups": [[2], [0, 3], [1]], "tie": False},
        {"ranks": [2, 4, 1, 2]},
    ),
    "best": ({"kind": "best", "place": None}, 2, {"ranks": [2, 2, 1, 2]}),
    "spans": (
        {"kind": "spans", "place": 0},
        {"spans": [{"start": 0, "end": 2, "category": "c", "severity": "s"}], "none": False},
        {"spans": [{"start": 0, "end": 2, "category": "c", "severity": "s"}], "place": 0},
    ),
    "no spans": (
        {"kind": "spans", "place": 0},
        {"spans": [], "none": True},
        {"spans": [], "place": 0},
    ),
}


@pytest.mark.parametrize("kind", list(QUESTIONS))
def test_an_answer_becomes_a_draft_and_the_draft_the_same_answer(run: Run, kind: str) -> None:
    asked, given, answer = QUESTIONS[kind]
    common = {"criterion": "x", "required": True, "options": [{}] * 4, "severities": []}
    questions = [
        {**common, "id": "q0", "part": "value", **asked},
        {**common, "id": "q1", "part": "confidence", "kind": "scale", "place": asked["place"]},
        {**common, "id": "q2", "part": "reason", "kind": "text", "place": asked["place"]},
    ]
    sent = {"criterion": "x", **answer, "confidence": 3, "reason": "Because."}
    script = """
        const { draftFrom } = await load("past");
        const { shownAnswers, start } = await load("trial-state");
        const draft = draftFrom(given.form, { answers: [given.sent], comment: "Hm." });
        return { draft, again: shownAnswers(start(given.form, draft)) };
    """
    form = {"letters": ["A", "B", "C", "D"], "questions": questions}
    got = run(script, {"form": form, "sent": sent})
    assert got["draft"]["comment"] == "Hm."
    assert got["draft"]["answers"] == {"q0": given, "q1": 3, "q2": "Because."}
    assert got["again"] == [sent]


@pytest.mark.parametrize(
    ("to", "action"),
    [
        ("https://www.mturk.com/", "https://www.mturk.com/mturk/externalSubmit"),
        (
            "https://workersandbox.mturk.com",
            "https://workersandbox.mturk.com/mturk/externalSubmit",
        ),
        ("https://www.mturk.com.evil.example", None),
        ("https://evil.example/www.mturk.com", None),
        ("https://www.mturk.com@evil.example", None),
        ("http://www.mturk.com", None),
        ("https://www.mturk.com:8443", None),
        ("javascript:alert(1)", None),
        ("", None),
    ],
)
def test_the_code_goes_to_mechanical_turk_and_nowhere_else(
    run: Run, to: str, action: str | None
) -> None:
    script = """
        const { mturkReturn } = await load("links");
        return mturkReturn(new URLSearchParams({ assignmentId: "A1", turkSubmitTo: given }));
    """
    expected = action and {"assignment": "A1", "action": action}
    assert run(script, to) == expected
