# SPDX-License-Identifier: Apache-2.0
"""One packet at a time, and what the gateway executes for it."""

from typing import Final

# What its values are: the unit, and words.
QUANTITIES: Final = {
    "instructions": ("instructions", "instructions of a packet"),
    "mode_share": ("ratio", "share of the walks with the most frequent number"),
    "instructions_at_rate": ("instructions", "instructions of a packet at the rate"),
    "instructions_busiest": ("instructions", "instructions of a packet on the busiest CPU"),
}
