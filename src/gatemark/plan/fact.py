# SPDX-License-Identifier: Apache-2.0
"""The facts that an inventory always has of a gateway, and those that a station file may add.

A check of `[expect]` may need one of them.
"""

from typing import Final

FACTS: Final = (
    "model",
    "soc",
    "processor",
    "architecture",
    "processors",
    "cpu_mhz",
    "caches",
    "memory",
    "memory_mhz",
    "bus",
    "bus_mhz",
    "flash",
    "storage",
    "switch",
    "nics",
    "wireless",
    "firmware",
)
