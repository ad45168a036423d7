"""The notebook in examples/ runs from top to bottom, without a network, in seconds."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

from tests.patience import PATIENCE

EXAMPLES = Path(__file__).parents[1] / "examples"


class ThisPython(AsyncKernelManager):
    """A kernel of the interpreter that runs the tests, whatever kernels the machine has."""

    @property
    def kernel_spec(self) -> KernelSpec:
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        return KernelSpec(argv=command, display_name="this", language="python")


@pytest.mark.filterwarnings("default::DeprecationWarning")  # the kernel's own, not ours
def test_the_notebook_runs(tmp_path: Path) -> None:
    untyped: Any = nbformat
    notebook = untyped.read(EXAMPLES / "first_study.ipynb", as_version=4)
    client = NotebookClient(
        notebook,
        timeout=round(PATIENCE),
        kernel_manager_class=ThisPython,
        resources={"metadata": {"path": str(tmp_path)}},
    )
    client.execute(env={**os.environ, "IPYTHONDIR": str(tmp_path / "ipython")})
    # What a cell prints may come in several pieces, cut wherever the kernel was on sending them.
    printed = "\n".join(
        "".join(o["text"] for o in cell.get("outputs", ()) if o["output_type"] == "stream")
        for cell in notebook.cells
    )
    assert "60 trials, 240 slots, 12 booklets" in printed
    shown = [
        output["data"]
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if "data" in output
    ]
    assert any('<iframe sandbox=""' in data.get("text/html", "") for data in shown)
    assert "report.html" in printed
    assert "new" in printed
