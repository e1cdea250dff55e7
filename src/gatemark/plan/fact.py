# SPDX-License-Identifier: Apache-2.0
"""What an inventory always has of a gateway, perhaps `unknown`, and what a station file may tell.

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
