# SPDX-License-Identifier: Apache-2.0
"""The part of the long tests that CI runs: what the change can break, and a quarter that rotates.

`tests/quarter.toml` names the quarter and the commit that the change is held against; `rotate.py`
moves both on.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from zlib import crc32

from runner.process import ROOT

FILE: Final = Path("tests/quarter.toml")
QUARTERS: Final = 4


@dataclass(frozen=True, slots=True)
class Quarter:
    """The quarter (0 to 3), and the commit before the change."""

    number: int
    base: str

    @property
    def toml(self) -> str:
        """The file's text."""
        return (
            "# What CI runs of the long tests: those that the change since `base` can break, and\n"
            "# a quarter of all. `python tests/rotate.py` moves it on as a change begins.\n"
            f'number = {self.number}\nbase = "{self.base}"\n'
        )


def read(text: str = "") -> Quarter:
    """The file's Quarter, or that of another text of it."""
    table = tomllib.loads(text or (ROOT / FILE).read_text())
    return Quarter(table["number"], table["base"])


def is_due(name: str, number: int) -> bool:
    """Tell whether a test file or stage is of this quarter: by its name, wherever it runs."""
    return crc32(name.encode()) % QUARTERS == number
