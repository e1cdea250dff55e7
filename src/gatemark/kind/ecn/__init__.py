# SPDX-License-Identifier: Apache-2.0
"""The work of a gateway on the two bits of ECN: kept, set, bleached."""

from typing import Final

# What its values are: the unit, and words.
QUANTITIES: Final = {
    "ecn_kept": ("ratio", "share of the packets whose ECN bits came as they may"),
    "ecn_bleached": ("ratio", "share of capable packets that came as not capable (ECN)", True),
    "ecn_hidden": ("ratio", "share of marked packets that came without the mark (ECN)", True),
    "ecn_made": ("ratio", "share of packets that came as capable and were sent as not (ECN)", True),
    "ecn_marked": ("ratio", "share of capable packets that came marked (ECN)"),
    "ecn_lost": ("ratio", "share of the packets of ECN that were lost", True),
    "ecn_opened": ("ratio", "whether a segment that asks for ECN came so"),
}
