"""Write constraints.txt: the newest version of everything that developing jurybox installs.

pip resolves without installing, so what happens to be in the environment plays no part.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
HEADER = """\
# The exact version of every package that jurybox and its tests install, so that two machines agree.
# Written by `make constraints`; raise the versions by running it again, then `make check test`.
"""


def main() -> None:
    report = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"),
            *("--report", "-", "--editable", ".[dev]"),
        ],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
    ).stdout
    packages = [package["metadata"] for package in json.loads(report)["install"]]
    pins = [f"{p['name']}=={p['version']}\n" for p in packages if p["name"] != "jurybox"]
    (ROOT / "constraints.txt").write_text(HEADER + "".join(sorted(pins, key=str.lower)))
    print(f"constraints.txt pins {len(pins)} packages.")


if __name__ == "__main__":
    main()
