"""A stable share of ids: the same everywhere, nested, and as large as asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurybox.design.traffic import Share, hash_id
from jurybox.errors import InputError


def test_the_hash_is_blake2b_of_salt_zero_byte_and_id() -> None:
    # printf '\0q1' | b2sum -l 64 and printf 'may\0q1' | b2sum -l 64 (GNU coreutils 9)
    assert f"{hash_id('q1'):016x}" == "ec5b799baf5ff14b"
    assert f"{hash_id('q1', b'may' + bytes(1)):016x}" == "567ca6e5d2250c10"
    # printf '\0\xc3\xa9' | b2sum -l 64: é is two bytes
    assert f"{hash_id('é'):016x}" == "585d7a236b67c086"


@given(st.text(max_size=30), st.floats(0.001, 1), st.floats(0.001, 1))
def test_a_higher_rate_takes_all_that_a_lower_one_took(id: str, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert Share(high).takes(id) or not Share(low).takes(id)
    assert Share(1).takes(id)


def test_about_one_in_a_hundred_is_taken_whatever_the_ids_look_like() -> None:
    # Binomial(200,000, 0.01) has mean 2,000 and standard deviation 44.5; five of them are 222.
    for ids in (map(str, range(200_000)), (f"2026-11-15/{n:08}" for n in range(200_000))):
        share = Share("0.01")
        assert abs(sum(share.takes(id) for id in ids) - 2000) < 222


def test_another_salt_takes_others() -> None:
    # Two independent shares of a half agree on half of 10,000 ids; five deviations are 250.
    one, other = Share(0.5), Share(0.5, salt="may")
    same = sum(one.takes(str(n)) == other.takes(str(n)) for n in range(10_000))
    assert abs(same - 5000) < 250


def test_a_rate_is_taken_as_it_is_written() -> None:
    # 0.1 in binary is a little more than a tenth; the decimal decides at its very edge.
    class Edge(Share):
        def edge(self) -> object:
            return self._below

    assert Edge("0.1").edge() == Edge(0.1).edge()
    assert Edge("0.1").edge() == 2**64 // 10 + 1  # the first whole number that is not below it
    assert Edge("1e-2").edge() == Edge("0.01").edge()


@pytest.mark.parametrize("rate", ["0", "-0.1", "1.01", "", "1%", "1/0", "nan", "inf"])
def test_a_rate_outside_its_bounds_is_refused(rate: str) -> None:
    with pytest.raises(InputError, match="more than 0 and at most 1"):
        Share(rate)
