"""Rules of sense: each breach is one sentence at its path; what fits together passes."""

from __future__ import annotations

from typing import Any

import pytest

from jurybox.errors import SpecError
from jurybox.study import Study
from jurybox.study.rules import find_breaches, texts_of

RATE: dict[str, Any] = {"title": "t", "protocol": "rate", "outputs": "o.csv", "show": {"o": "text"}}
COMPARE = {**RATE, "protocol": "compare"}
RANK = {**RATE, "protocol": "rank"}
DETECT = {**RATE, "protocol": "detect", "real": ["real"]}
MARK = {
    **RATE,
    "protocol": "mark",
    "criteria": {"errors": {"categories": {"accuracy": "Meaning", "fluency": "Grammar"}}},
}


def judged(**criterion: Any) -> dict[str, Any]:
    return {"criteria": {"c": criterion}}


def marked(**criterion: Any) -> dict[str, Any]:
    return {"criteria": {"errors": {**MARK["criteria"]["errors"], **criterion}}}


WRONG: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    # criteria and protocol
    (RATE, judged(choices=["a", "b"]), "criteria.c.choices is for compare, not for rate."),
    (RATE, judged(answer="best"), "criteria.c.answer is for rank, not for rate."),
    (RATE, judged(categories={"x": "y"}), "criteria.c.categories is for mark, not for rate."),
    (RATE, judged(per="trial"), "criteria.c.per must be output in rate."),
    (RANK, judged(scale="acr"), "criteria.c.scale is for rate, compare or mark, not for rank."),
    (RANK, judged(per="output"), "criteria.c.per must be trial in rank."),
    (RANK, judged(level="ratio"), "criteria.c.level is for rate, compare or mark, not for rank."),
    (RANK, judged(answer="best", ties=True), "criteria.c.ties is for `answer: order`; the best"),
    (DETECT, judged(scale="acr"), "criteria.c.scale is for rate, compare or mark, not for detect."),
    (DETECT, {"criteria": {"c": {}, "d": {}}}, "criteria.d is a second criterion; detect asks one"),
    (COMPARE, judged(scale="acr"), "criteria.c.scale has no sign to name the winner; write `per:"),
    (COMPARE, judged(scale="acr", per="output"), "criteria judge single outputs only; compare"),
    (COMPARE, judged(scale="cmos", choices=["a", "b"]), "criteria.c.choices has scale and choices"),
    (COMPARE, judged(choices=["a", "tie"]), "criteria.c.choices must have both a and b."),
    (COMPARE, judged(choices=["a", "b", "a"]), "criteria.c.choices names an answer twice."),
    (COMPARE, judged(choices=["a", "b"], per="output"), "criteria.c.per must be trial with"),
    (COMPARE, judged(scale="cmos", **{"pass": 1}), "criteria.c.pass is for scores of single"),
    (RANK, judged(**{"pass": 1}), "criteria.c.pass is for rate, compare or mark, not for rank."),
    (COMPARE, judged(level="ordinal"), "criteria.c.level needs a `scale`."),
    # scales
    (RATE, judged(scale={1: "One"}), "criteria.c.scale must have at least 2 entries, got 1."),
    (RATE, judged(scale={"values": [{"value": 1, "anchor": "a"}, {"value": 1, "anchor": "b"}]}),
     "criteria.c.scale has the value 1 twice."),
    (RATE, judged(scale="arc"), "criteria.c.scale must be acr, likert, yes-no, 0-100 or cmos;"),
    (RATE, judged(scale=[1, 2]), "criteria.c.scale must be a scale's name or a map of values"),
    (RATE, judged(scale=5), "criteria.c.scale must be a scale's name or a map of values"),
    (RATE, judged(scale={"level": "ordinal"}), "criteria.c.scale must give values, which are num"),
    (RATE, judged(scale={1: {"value": 2, "anchor": "a"}, 2: "b"}), "criteria.c.scale.1.value is"),
    (RATE, judged(scale={"anchors": {0: "a", 1: "b"}, "step": 0.3}),
     "criteria.c.scale.1 cannot be reached in steps of 0.3 from 0."),
    (RATE, judged(scale={0: {"anchor": "a", "key": "1"}, 1: "b"}), "criteria.c.scale.0.key `1` al"),
    (RATE, judged(scale={0: {"anchor": "a", "key": "x"}, 1: {"anchor": "b", "key": "X"}}),
     "criteria.c.scale.1.key `X` already chooses 0."),
    (RATE, judged(scale={0: {"anchor": "a", "key": "b"}, 1: "b"}), "criteria.c.scale.0.key must b"),
    (RATE, judged(scale={0: {"anchor": "a", "probability": 0.5}, 1: "b"}),
     "criteria.c.scale.0.probability is for confidence."),
    (RATE, judged(confidence=1), "criteria.c.confidence must have 2 to 10 points, got `1`."),
    (RATE, judged(confidence=2.5), "criteria.c.confidence must be a number of points, a scale's"),
    (RATE, judged(confidence={1: {"anchor": "a", "probability": 1}, 2: "b"}),
     "criteria.c.confidence states a probability for some values only."),
    (RATE, judged(confidence={1: {"anchor": "a", "probability": 1},
                              2: {"anchor": "b", "probability": 0.5}}),
     "criteria.c.confidence states probabilities that fall as the values rise."),
    (RATE, judged(scale="acr", **{"pass": 5.5}), "criteria.c.pass must lie on the scale, 1 to 5,"),
    (RATE, judged(scale="acr", level="nominal", **{"pass": 4}), "criteria.c.pass needs ordered"),
    (RATE, judged(scale={-1: "a", 1: "b"}, level="ratio"), "criteria.c.level cannot be ratio: the"),
    # derived
    (RATE, {**judged(), "derived": {"d": {"mean": ["x"]}}}, "derived.d.mean[1] names `x`, which i"),
    (RATE, {**judged(), "derived": {"d": {"mean": ["c", "c"]}}}, "derived.d.mean[2] names `c` twi"),
    (RATE, {**judged(), "derived": {"d": {}}}, "derived.d must have one of mean, geometric_mean"),
    (RATE, {**judged(), "derived": {"c": {"mean": ["c"]}}}, "derived.c is a criterion already; re"),
    (RATE, {**judged(scale={-1: "a", 1: "b"}), "derived": {"d": {"geometric_mean": ["c"]}}},
     "derived.d.geometric_mean[1] names `c`, whose scale goes below 0: no geometric mean."),
    (RATE, {**judged(), "derived": {"d": {"weighted_mean": {"c": -1}}}},
     "derived.d.weighted_mean.c must be more than 0, got `-1`."),
    (COMPARE, {"derived": {"d": {"mean": ["preference"]}}}, "derived.d.mean[1] names `preference`"),
    # mark
    (MARK, {"criteria": {"c": {"scale": "acr"}}}, "The study lacks a criterion with `categories`;"),
    (MARK, marked(field="x"), "criteria.errors.field must be a text that is shown (o), got `x`."),
    (MARK, {"show": {"o": "text", "p": "code"}}, "criteria.errors lacks `field`, the text to mark"),
    (MARK, marked(weights={"acuracy": 3}), "criteria.errors.weights.acuracy names a category that"),
    (MARK, marked(weights={"x/y": 3}), "criteria.errors.weights.x/y names a category that does no"),
    (MARK, marked(weights={"fluency/punctuation": {"miner": 1}}),
     "criteria.errors.weights.fluency/punctuation.miner is not a severity; they are minor and"),
    (MARK, {"criteria": {**MARK["criteria"], "c": {"scale": "acr", "severities": {"x": 1}}}},
     "criteria.c.severities needs `categories`."),
    # show and sources
    (RATE, {"show": {"system": "text", "o": "text"}}, "show.system would show raters the system's"),
    (RATE, {"show": {"o": {"as": "image", "between": "x"}}}, "show.o.between is for a series, `as"),
    (RATE, {"show": {"o": {"as": "images", "between": "x"}, "x": "text"}},
     "show.o.between shows `x` already; take it out of `show`."),
    (RATE, {"show": {"o": {"as": "text", "play": "to-the-end"}}}, "show.o.play is for audio and"),
    (RATE, {"show": {"o": {"as": "image", "reference": True}}}, "show shows references only, and"),
    (RATE, {"show": {}}, "show must have at least 1 entry, got 0."),
    (RATE, {"items": "https://x.org/a.csv"}, "items is a URL; nothing is fetched, so save the fil"),
    (RATE, {"items": "a.xlsx"}, "items must end in .csv, .json, .jsonl, .ndjson or .tsv, got"),
    (RATE, {"outputs": "a/{sys}/{item}.png"}, "outputs may hold {system} and {item}, got `{sys}`;"),
    (RATE, {"outputs": "a/{item}.png"}, "outputs lacks {system}: every output belongs to a system"),
    (RATE, {"outputs": "a/{system}.png"}, "outputs is a pattern without {item}, so it must name a"),
    (RATE, {"outputs": "a/{system.csv"}, "outputs has a brace without its partner: `a/{system.csv"),
    (RATE, {"outputs": "a.png"}, "outputs must be a table (.csv, .json, .jsonl, .ndjson or .tsv)"),
    (RATE, {"outputs": "https://x.org/{system}.csv"}, "outputs is a URL; nothing is fetched, so"),
    (RATE, {"outputs": {"table": "a.csv", "columns": {"x": "c", "y": "c"}}},
     "outputs.columns names one column for two systems."),
    # systems
    (RATE, {"real": ["x"]}, "real is for detect, not for rate."),
    (DETECT, {"real": []}, "The study lacks `real`, the systems that are not generated."),
    (DETECT, {"systems": ["reel", "x"]}, "real[1] names `real`, which is not among the systems; d"),
    (RATE, {"systems": {"a": {"baseline": True}, "b": {"baseline": True}}}, "systems has two base"),
    # design
    (RATE, {"design": {"pairs": "cyclic"}}, "design.pairs is for compare, not for rate."),
    (RATE, {"design": {"pairs": "some"}}, "design.pairs must be all or cyclic, got `some`."),
    (COMPARE, {"design": {"pairs": {"random": 0}}}, "design.pairs.random must be at least 1, got"),
    (COMPARE, {"design": {"pairs": 3}}, "design.pairs must be all, cyclic, `{random: 200}` or"),
    (COMPARE, {"design": {"outputs_per_trial": 3}}, "design.outputs_per_trial is for rank or rate"),
    (RANK, {"design": {"outputs_per_trial": 1}}, "design.outputs_per_trial must be at least 2 in"),
    (RATE, {"design": {"real_share": 0.3}}, "design.real_share is for detect, not for rate."),
    (DETECT, {"design": {"real_share": 1}}, "design.real_share must lie between 0 and 1, got `1.0"),
    (RATE, {"design": {"people": 0.3}}, "design.people is for studies with `judges`, who rate"),
    (RANK, {"design": {"people": 0.3}}, "design.people is for studies with `judges`, who rate"),
    (RATE, {"design": {"people": 1}}, "design.people must be less than 1, got"),
    (RATE, {"design": {"raters": 2}}, "design.raters must be at least the overlap, 3, got `2`."),
    (RATE, {"design": {"stratify": ["a", "a"]}}, "design.stratify names a field twice."),
    (RATE, {"design": {"overlap": 0}}, "design.overlap must be at least 1, got `0`."),
    (RATE, {"design": {"allocation": "equal", "items": 4}},
     "design.allocation must be proportional, unless `design.stratify` says by which fields to be"),
    (RATE, {"design": {"allocation": "equal", "stratify": "a"}},
     "design.allocation must be proportional, unless `design.items` says how many items to take."),
    (RATE, {"design": {"core": 0}}, "design.core must be at least 1, got `0`."),
    (RATE, {"design": {"core": 5, "items": 4}}, "design.core must be at most the items, 4, got"),
    # quality
    (RATE, {"quality": {"exclude": {"hidden_reference_missed": 0.15}}},
     "quality.exclude.hidden_reference_missed needs a system that is the reference"),
    (RATE, {"quality": {"exclude": {"gold_below": 0.5}}}, "quality.exclude.gold_below needs `qual"),
    (RATE, {"quality": {"exclude": {"gold_under": 0.5}}},
     "quality.exclude.gold_under is not a known key; did you mean `gold_below`?"),
    (RATE, {"quality": {"exclude": {"withdrawn": True}}}, "quality.exclude.withdrawn is not a known"
     " key: responses of raters who withdraw are always left out."),
    (RATE, {"quality": {"gold": "gold.xlsx"}}, "quality.gold must end in .csv, .json, .jsonl,"),
    (RATE, {"criteria": {"o": {}}, "quality": {"gold": "g.csv"}}, "criteria.o is also a column of"),
    # session, access, survey
    (RATE, {"session": {"minutes": 20, "break_every": 20}}, "session.break_every must be less tha"),
    (RATE, {"access": {"listed": ["a"], "prolific": {"completed": "X"}}},
     "access.prolific has listed and prolific; choose one way in."),
    (RATE, {"access": {"resume": "id"}}, "access.resume is for listed ids; name them under"),
    (RATE, {"access": {"listed": ["a", "a"]}}, "access.listed[2] names `a` twice."),
    (RATE, {"access": {"prolific": {}}}, "access.prolific lacks `completed`."),
    (RATE, {"survey": {"x": {"question": "q", "choices": ["one"]}}}, "survey.x.choices must offer"),
    # languages
    (RATE, {"title": {"de": "Titel"}}, "title has no text in the study's language, `en`; add it."),
    (RATE, {"title": {"english": "x"}}, "title.english must be a language, as en or pt-BR, got"),
    (RATE, {"title": {}}, "title must have at least 1 entry, got 0."),
    (RATE, judged(scale={1: {"de": "a"}, 2: "b"}), "criteria.c.scale.1 has no text in the study's"),
    # judges
    (RATE, {"judges": {"j": {"model": "m", "endpoint": "localhost:80"}}}, "judges.j.endpoint must"),
    (RATE, {"judges": {"j": {"model": "m", "endpoint": "http://u:p@h/v1"}}}, "judges.j.endpoint h"),
    (RATE, {"judges": {"j": {"model": "m", "endpoint": "http://h", "key_env": "sk-12"}}},
     "judges.j.key_env must be the name of an environment variable, as MY_KEY; put the key into"),
    (RATE, {"judges": {"j": {"model": "m", "endpoint": "http://h", "api_key": "sk"}}},
     "judges.j.api_key is not a known key: a key never stands in the file; put it into the"),
    # analysis
    (RATE, {"analysis": {"primary": {}}}, "analysis.primary must have one of `win_rate: [new, old"),
    (RATE, {"systems": {"a": {"baseline": True}, "b": {}}, "analysis": {"baseline": "b"}},
     "analysis.baseline is `b`, and a is marked as the baseline; keep one"),
    (RATE, {"analysis": {"primary": {"mean": ["a", "a"]}}}, "analysis.primary.mean compares a sys"),
    (RATE, {"analysis": {"primary": {"win_rate": ["a", "b"]}}}, "analysis.primary.win_rate is for"),
    (RATE, {"analysis": {"primary": {"mean": ["a"]}}}, "analysis.primary.mean must have two entri"),
    (COMPARE, {"analysis": {"primary": {"mean": ["a", "b"]}}}, "analysis.primary.mean needs a cri"),
    (RATE, {"analysis": {"primary": {"mean": ["a", "b"], "criterion": "overal"}}},
     "analysis.primary.criterion names `overal`, which is not a criterion; there is overall; did"),
    (RATE, {"analysis": {"confidence": 1}}, "analysis.confidence must be less than 1"),
    # cases
    (RATE, {"cases": [{"case": "x", "scores": {"overall": 6}, "reason": "y"}]},
     "cases[1].scores.overall must be 1, 2, 3, 4, 5, got `6`."),
    (RATE, {"cases": [{"case": "x", "scores": {"overal": 5}, "reason": "y"}]},
     "cases[1].scores.overal is not a criterion; did you mean `overall`?"),
    (DETECT, {"cases": [{"case": "x", "scores": {"origin": "fake"}, "reason": "y"}]},
     "cases[1].scores.origin must be real or generated, got `fake`."),
]  # fmt: skip


@pytest.mark.parametrize(("base", "change", "sentence"), WRONG)
def test_what_does_not_fit_is_said(
    base: dict[str, Any], change: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(SpecError) as caught:
        Study(**{**base, **change})
    messages = [problem.message for problem in caught.value.problems]
    assert any(message.startswith(sentence) for message in messages), messages
    assert "sk-12" not in str(caught.value)


FINE: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (RATE, {}),
    (RATE, judged(scale="yes-no", **{"pass": 1})),
    (RATE, judged(scale={0: "a", 0.5: {"anchor": "b", "key": "5"}, 1: "c"})),
    (COMPARE, {}),
    (COMPARE, judged(scale={-1: "A", 0: "Same", 1: "B"})),
    (COMPARE, {"criteria": {"p": {}, "q": {"scale": "acr", "per": "output", "pass": 4}},
               "analysis": {"primary": {"criterion": "q", "mean": ["a", "b"]}}}),
    (RANK, {"design": {"outputs_per_trial": "all"}}),
    (RANK, {"analysis": {"primary": {"win_rate": ["a", "b"]}}}),
    (MARK, {"analysis": {"primary": {"mean": ["a", "b"]}}}),
    (RATE, {"systems": {"a": {"baseline": True}, "b": {}}, "analysis": {"baseline": "a"}}),
    (DETECT, judged(confidence=5)),
    (DETECT, {"systems": {"real": {}, "x": "made"}, "design": {"real_share": 0.3}}),
    (MARK, marked(weights={"fluency/punctuation": {"minor": 0.1}, "non-translation": 25})),
    (RATE, {"language": "de-AT", "title": {"de": "Titel"}}),
    (RATE, {"access": {"listed": ["a", "b"], "resume": "id"}}),
    (RATE, {"access": {"listed": "raters.txt", "resume": "id"}}),
]  # fmt: skip


@pytest.mark.parametrize(("base", "change"), FINE)
def test_what_fits_together_passes(base: dict[str, Any], change: dict[str, Any]) -> None:
    assert Study(**{**base, **change})


def test_who_stops_early_on_prolific_needs_a_code_that_prolific_knows() -> None:
    (warning,) = find_breaches(Study(**{**RATE, "access": {"prolific": {"completed": "X"}}}))
    assert warning.severity == "warning"
    assert "access.prolific has no code for raters who stop early" in str(warning)
    codes = {"prolific": {"completed": "X"}, "partial_code": "Y"}
    assert list(find_breaches(Study(**{**RATE, "access": codes}))) == []


def test_warnings_do_not_stop_a_study() -> None:
    study = Study(**{**RATE, "quality": {"exclude": {"agreement_below": 0.2}}})
    (warning,) = find_breaches(study)
    assert warning.severity == "warning"
    assert "the report says so" in str(warning)


def test_a_language_that_the_pages_do_not_speak_is_warned_of_once() -> None:
    (warning,) = find_breaches(Study(**{**RATE, "language": "fi-FI"}))
    assert warning.severity == "warning"
    assert str(warning) == (
        "language is `fi-FI`, for which there is no catalogue: the buttons and hints of the pages "
        "will be in English; they speak ar, de, en, es, fr or zh."
    )
    assert find_breaches(Study(**{**RATE, "language": "zh-CN"})) == ()


def test_texts_of_gives_every_text_a_rater_may_read() -> None:
    study = Study(
        **{**RATE, "title": "A", "instructions": "B", "look_for": "C", "consent": "D",
           "show": {"o": {"as": "text", "caption": "E"}},
           "cases": [{"case": "F", "scores": {"c": 1}, "reason": "G"}],
           "criteria": {"c": {"question": "H", "look_for": "I", "scale": {0: "J", 1: "K"}}},
           "survey": {"s": {"question": "L", "choices": {"x": "M", "y": "N"}}},
           "access": {"payment": "O"}}
    )  # fmt: skip
    assert "".join(sorted(str(text) for _, text in texts_of(study))) == "ABCDEFGHIJKLMNO"


def test_a_level_that_nobody_wrote_is_not_complained_of() -> None:
    with pytest.raises(SpecError) as caught:
        Study(**{**RANK, **judged(scale="acr")})
    assert [problem.message for problem in caught.value.problems] == [
        "criteria.c.scale is for rate, compare or mark, not for rank."
    ]
