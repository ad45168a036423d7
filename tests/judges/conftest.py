"""What the tests of judges share."""

from __future__ import annotations

import pytest


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits without a word from the server are short."""
    monkeypatch.setattr("jurybox.judges.endpoint.LONGEST_WAIT", 0.01)
