"""The study: what is asked, what is shown, and how it is run, as one frozen value.

``load_study`` reads a study.yaml, ``load_material`` the items and outputs it names. Both find every
problem at once and raise one ``SpecError``.
"""

from jurybox.study.criteria import Case, Criterion, Derived, Shown
from jurybox.study.material import (
    Item,
    Known,
    Material,
    Output,
    check_material,
    load_material,
)
from jurybox.study.model import ItemId, Protocol, RaterId, Study, SystemId
from jurybox.study.read import check_file, load_study
from jurybox.study.scales import Level, Scale, ScaleValue

__all__ = [
    "Case",
    "Criterion",
    "Derived",
    "Item",
    "ItemId",
    "Known",
    "Level",
    "Material",
    "Output",
    "Protocol",
    "RaterId",
    "Scale",
    "ScaleValue",
    "Shown",
    "Study",
    "SystemId",
    "check_file",
    "check_material",
    "load_material",
    "load_study",
]
