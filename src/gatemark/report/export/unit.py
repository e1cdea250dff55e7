# SPDX-License-Identifier: Apache-2.0
"""The unit of a column, by its name: `received_pps_lo`, `values.delay_p50_ns`, `rate_pps`."""

import re
from collections.abc import Iterable
from typing import Final

from gatemark.quantity import ENDINGS, QUANTITIES

TABLES: Final = re.compile(r"^(values|point|definition)\.")
BOUND: Final = re.compile(r"_(lo|hi)$")
NOMINAL: Final = ENDINGS | {"_ms": "ms", "_s": "s"}  # what was set besides


def units(names: Iterable[str]) -> dict[str, str]:
    """The units of the columns that have one."""
    every = {name: _unit(name) for name in names}
    return {name: unit for name, unit in every.items() if unit}


def _unit(name: str) -> str:
    name = BOUND.sub("", TABLES.sub("", name))
    if name in QUANTITIES:
        return QUANTITIES[name].unit
    return next((unit for ending, unit in NOMINAL.items() if name.endswith(ending)), "")
