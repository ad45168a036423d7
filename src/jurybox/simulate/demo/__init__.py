"""The bundled demo: a study of five picture makers whose true quality is planted."""

from jurybox.simulate.demo.study import (
    DEMO_RATERS,
    EQUAL,
    PRIMARY,
    demo_truth,
    is_demo,
    write_demo_study,
)

__all__ = ["DEMO_RATERS", "EQUAL", "PRIMARY", "demo_truth", "is_demo", "write_demo_study"]
