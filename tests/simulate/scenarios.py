"""Small scenarios, and studies drawn of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from jurybox.simulate.drawn import Drawer, Drawn
from jurybox.simulate.scenario import Scenario, default_scatter
from jurybox.simulate.screens import Screens
from jurybox.stats.power.crossed import Crossed

SIZE = Crossed(items=30, raters=8, overlap=3)


def scenario(protocol: Any, effect: float, **settings: Any) -> Scenario:
    span = 5.0 if protocol == "mark" else 4.0
    scatter = settings.pop("scatter", default_scatter(protocol, span))
    return Scenario(protocol=protocol, effect=effect, scatter=scatter, **settings)


def rated(outputs: int | None) -> Screens:
    return Screens(kind="apart", outputs=outputs)


def drawn(asked: Scenario, size: Crossed = SIZE, seed: int = 0) -> Drawn:
    return Drawer(asked, size).draw(np.random.default_rng(seed))
