# SPDX-License-Identifier: Apache-2.0
"""The probes that a plan may name, in the order in which they start.

Each is a module of this name in `probe/kind/`: a line here is all that registers it.
"""

from typing import Final

PROBES: Final = (
    "cpu",
    "softirq",
    "memory",
    "slab",
    "pagesets",
    "conntrack",
    "interfaces",
    "soak",
    "temperature",
    "power",
    "shaper",
    "interrupts",
    "freed",
    "drops",
    "instructions",
    "footprint",
)
