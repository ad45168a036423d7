"""What each rater did, counted from their responses."""

from __future__ import annotations

from contextlib import closing

from jurybox.tally.raters import rater_tallies
from jurybox.tally.reading import read


def test_a_line_may_be_straight_at_another_height_for_each_criterion() -> None:
    # ada: always 2 for fit and 4 for style; ben: 3 of 6 and 2 of 6 answers are the most used.
    scores = {
        ("ada", "fit"): [2] * 6,
        ("ada", "style"): [4] * 6,
        ("ben", "fit"): [1, 1, 1, 2, 3, 4],
        ("ben", "style"): [1, 1, 2, 3, 4, 5],
    }
    rows = [
        (f"i{item}", "new", rater, criterion, score)
        for (rater, criterion), given in scores.items()
        for item, score in enumerate(given)
    ]
    names = ("item", "system", "rater", "criterion", "score")
    table = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    with closing(read(table)) as responses:
        ada, ben = rater_tallies(responses)
        (alone,) = rater_tallies(responses.of_criterion("fit").without(["ben"]))
    assert ada.most_used_share == 1
    assert ada.most_used == "2 on fit and 4 on style"
    assert ben.most_used_share == 5 / 12
    assert ben.most_used == "1"
    assert (alone.most_used, alone.most_used_share) == ("2", 1)
