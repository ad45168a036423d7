"""Small tables that are traps, by name and by shape."""

from __future__ import annotations

from typing import Any

Table = dict[str, list[Any]]


def ratings(rows: list[tuple[Any, Any, Any, Any]]) -> Table:
    names = ("item", "system", "rater", "score")
    return {name: [row[k] for row in rows] for k, name in enumerate(names)}


def votes(rows: list[tuple[Any, Any, Any, Any, Any]]) -> Table:
    names = ("item", "system_a", "system_b", "rater", "winner")
    return {name: [row[k] for row in rows] for k, name in enumerate(names)}


def rankings(rows: list[tuple[Any, Any, Any, Any]]) -> Table:
    names = ("item", "rater", "system", "rank")
    return {name: [row[k] for row in rows] for k, name in enumerate(names)}


def detections(rows: list[tuple[Any, Any, Any, Any, Any, Any]]) -> Table:
    names = ("item", "system", "rater", "truth", "answer", "confidence")
    return {name: [row[k] for row in rows] for k, name in enumerate(names)}


def spans(rows: list[tuple[Any, Any, Any, Any]]) -> Table:
    names = ("item", "system", "rater", "severity")
    made = {name: [row[k] for row in rows] for k, name in enumerate(names)}
    made["start"] = [0 if row[3] else None for row in rows]
    made["end"] = [4 if row[3] else None for row in rows]
    made["category"] = ["wrong" if row[3] else None for row in rows]
    return made


FOUR = range(4)
KINDS = ("real", "generated")
KIND = tuple(enumerate(KINDS))
SMALL = {
    "one response": ratings([("q", "s", "r", 3)]),
    "one pair that agrees": ratings([("q", "s", r, 3) for r in "xy"]),
    "one pair that differs": ratings([("q", "s", r, 3 + j) for j, r in enumerate("xy")]),
    "one rater": ratings([(i, s, "r", (i + k) % 5) for i in range(6) for k, s in enumerate("ab")]),
    "one item": ratings(
        [("q", s, r, k + j) for k, s in enumerate("ab") for j, r in enumerate("xyz")]
    ),
    "one system": ratings([(i, "s", r, (i + j) % 3) for i in range(6) for j, r in enumerate("xy")]),
    "one value": ratings([(i, s, r, 3) for i in range(4) for s in "ab" for r in "xyz"]),
    "one value a system": ratings(
        [(i, s, r, k) for i in range(4) for k, s in enumerate("ab") for r in "xyz"]
    ),
    "no shared unit": ratings([(i, "s", f"r{i}", i) for i in range(6)]),
    "raters nested in systems": ratings(
        [(i, s, f"{s}{j}", (i * j) % 4) for i in range(6) for s in "ab" for j in range(3)]
    ),
    "words": ratings([(i, "s", r, "yes" if i % 2 else "no") for i in range(5) for r in "xy"]),
    "yes and no": ratings([(i, s, r, i % 2) for i in range(6) for s in "ab" for r in "xyzuvw"]),
    "systems that share no item": ratings(
        [(f"{s}{i}", s, r, i) for s in "ab" for i in range(4) for r in "xy"]
    ),
    "huge": ratings([(i, s, r, 1e11 + i) for i in range(4) for s in "ab" for r in "xyz"]),
    "tiny": ratings([(i, s, r, 1e-200 * i) for i in range(4) for s in "ab" for r in "xyz"]),
    "two raters who always differ": ratings(
        [(i, "s", r, j) for i in range(12) for j, r in enumerate("xy")]
    ),
}
SMALL_VOTES = {
    "one vote": votes([("q", "a", "b", "r", "a")]),
    "one tie": votes([("q", "a", "b", "r", "tie")]),
    "all ties": votes([(i, "a", "b", r, "tie") for i in range(5) for r in "xyz"]),
    "all both bad": votes([(i, "a", "b", r, "both_bad") for i in range(5) for r in "xyz"]),
    "never loses": votes([(i, "a", "b", r, "a") for i in range(5) for r in "xyz"]),
    "never loses among three": votes(
        [(i, "a", o, r, "a") for i in range(5) for o in "bc" for r in "xyz"]
        + [(i, "b", "c", r, "ab"[(i + j) % 2]) for i in range(5) for j, r in enumerate("xyz")]
    ),
    "two groups": votes(
        [
            (i, a, b, r, "ab"[(i + j) % 2])
            for i in range(4)
            for a, b in ("ab", "cd")
            for j, r in enumerate("xyz")
        ]
    ),
    "itself": votes([("q", "a", "a", "r", "a")]),
    "itself among others": votes([("q", "a", "a", "r", "a"), ("q", "a", "b", "r", "b")]),
    "one rater": votes([(i, "a", "b", "r", "ab"[i % 2]) for i in range(8)]),
    "one item": votes([("q", "a", "b", r, "ab"[j % 2]) for j, r in enumerate("stuvwxyz")]),
    "a circle": votes(
        [(i, *pair, r, "a") for i in range(6) for pair in ("ab", "bc", "ca") for r in "xyz"]
    ),
    "a chain": votes(
        [(i, *pair, r, "a") for i in range(3) for pair in ("ab", "bc", "cd") for r in "xy"]
    ),
    "ties and wins of one": votes(
        [(i, "a", "b", r, "a" if i else "tie") for i in range(5) for r in "xyz"]
    ),
    "more systems than raters": votes(
        [
            (i, a, b, r, "ab"[(i + ord(a)) % 2])
            for i in range(4)
            for a in "abcd"
            for b in "efgh"
            for r in "xy"
        ]
    ),
}
SMALL_RANKINGS = {
    "one ranking": rankings([("q", "r", s, k + 1) for k, s in enumerate("abc")]),
    "one output": rankings([("q", "r", "a", 1)]),
    "all tied": rankings([(i, r, s, 1) for i in range(4) for r in "xyz" for s in "abc"]),
    "all alike": rankings(
        [(i, r, s, k + 1) for i in range(4) for r in "xyz" for k, s in enumerate("abc")]
    ),
    "gaps": rankings(
        [(i, r, s, 2 * k + 1) for i in range(4) for r in "xyz" for k, s in enumerate("abc")]
    ),
    "best of": rankings(
        [
            (i, r, s, 1 if s == "abc"[(i + j) % 3] else 2)
            for i in range(5)
            for j, r in enumerate("xyz")
            for s in "abc"
        ]
    ),
}
SMALL_DETECTIONS = {
    "one": detections([("q", "s", "r", "real", "real", "1")]),
    "only one of each": detections(
        [("p", "cam", "r", "real", "real", "1"), ("q", "s", "r", "generated", "generated", "2")]
    ),
    "only real": detections([(i, "cam", r, "real", "real", "1") for i in range(4) for r in "xyz"]),
    "only generated": detections(
        [(i, "s", r, "generated", "real", "2") for i in range(4) for r in "xyz"]
    ),
    "all right": detections(
        [
            (f"{t}{i}", t, r, t, t, "3")
            for i in range(6)
            for t in ("real", "generated")
            for r in "xyz"
        ]
    ),
    "all wrong": detections(
        [
            (f"{t}{i}", t, r, t, "real" if t == "generated" else "generated", "3")
            for i in range(6)
            for t in ("real", "generated")
            for r in "xyz"
        ]
    ),
    "always real": detections(
        [
            (f"{t}{i}", t, r, t, "real", str(1 + i % 3))
            for i in range(6)
            for t in ("real", "generated")
            for r in "xyz"
        ]
    ),
    "one rater": detections(
        [
            (f"{t}{i}", t, "r", t, ("real", "generated")[i % 2], "2")
            for i in range(12)
            for t in ("real", "generated")
        ]
    ),
}
SMALL_SPANS = {
    "one": spans([("q", "s", "r", "major")]),
    "no errors": spans([(i, s, r, None) for i in range(4) for s in "ab" for r in "xyz"]),
    "some": spans(
        [
            (i, s, r, "minor" if (i + j) % 2 else None)
            for i in range(4)
            for s in "ab"
            for j, r in enumerate("xyz")
        ]
    ),
}
