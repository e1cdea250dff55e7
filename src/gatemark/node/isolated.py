# SPDX-License-Identifier: Apache-2.0
"""Another Python for a module of ours, which imports nothing from the folder that it starts in.

`python -m` puts the current folder in front of all others, and PYTHONPATH may: so a `json.py` there
would run, as root where we are root. An isolated one (python(1), -I) looks into neither. It takes
Gatemark from where this process has it, which may be a checkout that is not installed.
"""

import sys
from pathlib import Path
from typing import Final

INTERPRETER: Final = (sys.executable, "-I")
OURS: Final = str(Path(__file__).absolute().parents[2])
RUN: Final = """
import sys
_, ours, module, *words = sys.argv
if ours not in sys.path:
    sys.path.insert(0, ours)
import runpy
sys.argv = [module, *words]
runpy.run_module(module, run_name="__main__", alter_sys=True)
"""


def python(module: str, *words: str) -> tuple[str, ...]:
    """The command that runs a module of ours, as `python -m` would."""
    return (*INTERPRETER, "-c", RUN, OURS, module, *words)
