"""The items at the ends of a system."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jurybox.tally import ratios
from jurybox.tally.extremes import extremes
from jurybox.tally.reading import read


def ends(scores: dict[str, list[int]], most: int = 2) -> tuple[list[str], list[str]]:
    """The highest and the lowest items of one system, each with the scores of its raters."""
    rows = [(item, rater, y) for item, given_ in scores.items() for rater, y in enumerate(given_)]
    table = {
        "item": [item for item, _, _ in rows],
        "system": ["one"] * len(rows),
        "rater": [f"r{rater}" for _, rater, _ in rows],
        "score": [y for _, _, y in rows],
    }
    responses = read(table, shape="ratings")
    try:
        found = extremes(responses, str(ratios.mean_of("score")), most=most)
    finally:
        responses.close()
    return [e.item for e in found if e.is_high], [e.item for e in found if not e.is_high]


def test_the_highest_and_the_lowest_means_stand_at_the_ends() -> None:
    # Means: a 5, b 4.5, c 3, d 2, e 1.
    scores = {"a": [5, 5], "b": [5, 4], "c": [3, 3], "d": [2, 2], "e": [1, 1]}
    assert ends(scores) == (["a", "b"], ["e", "d"])


def test_of_equal_means_the_one_with_more_answers_comes_first() -> None:
    assert ends({"a": [5], "b": [5, 5], "c": [1]}, most=1) == (["b"], ["c"])


def test_items_that_are_all_alike_have_no_ends() -> None:
    assert ends({"a": [3], "b": [3], "c": [3], "d": [3]}) == ([], [])


def test_one_item_has_no_ends() -> None:
    assert ends({"a": [3, 4]}) == ([], [])


@given(
    st.dictionaries(
        st.sampled_from("abcdefgh"), st.lists(st.integers(1, 3), min_size=1, max_size=3), min_size=1
    ),
    st.integers(1, 3),
)
def test_no_item_is_at_both_ends_and_none_is_higher_than_the_highest(
    scores: dict[str, list[int]], most: int
) -> None:
    high, low = ends(scores, most)
    mean = {item: sum(given_) / len(given_) for item, given_ in scores.items()}
    assert not set(high) & set(low)
    assert max(len(high), len(low)) <= most
    # What is as low as the lowest is no best, however few there are; and the other way round.
    assert all(mean[item] > min(mean.values()) for item in high)
    assert all(mean[item] < max(mean.values()) for item in low)
    assert bool(high) == bool(low) == (len(set(mean.values())) > 1)
    others = [mean[item] for item in scores if item not in high]
    assert all(mean[item] >= other for item in high for other in others)
    others = [mean[item] for item in scores if item not in low]
    assert all(mean[item] <= other for item in low for other in others)
