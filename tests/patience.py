"""How long a test waits for what must come.

No test may tell a slow machine from a broken program: it waits for a state, and this long only when
the state never comes. One that passes never waits as long.
"""

from __future__ import annotations

PATIENCE = 180.0
"""Seconds."""
