"""The tests run beside each other, one on each core: no command starts processes of its own."""

from __future__ import annotations

import pytest

from jurybox.simulate import power


@pytest.fixture(autouse=True)
def one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the pool, whose start takes longer than the few studies simulated here.

    That several processes find what one finds is held by tests/simulate/test_power.py.
    """
    monkeypatch.setattr(power, "cores", lambda: 1)
