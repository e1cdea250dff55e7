# SPDX-License-Identifier: Apache-2.0
"""A multicast group: joined, received, left."""

from typing import Final

# What its values are: the unit, and words.
QUANTITIES: Final = {
    "forwarded_share": ("ratio", "share of a group's packets that came to its member"),
    "flooded_share": ("ratio", "share of a group's packets that came to no member", True),
    "join_ns": ("ns", "time from joining a group to its next packet"),
    "leave_ns": ("ns", "time from leaving a group to its last packet"),
}
