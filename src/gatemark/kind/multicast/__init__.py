# SPDX-License-Identifier: Apache-2.0
"""A multicast group: joined, received, left."""

from typing import Final

# What its values are: the unit, and words.
QUANTITIES: Final = {
    "forwarded_share": ("ratio", "share of a group's packets that came to its member"),
    "flooded_share": ("ratio", "share of a group's packets that came to no member", True),
    "join_ns": ("ns", "time from joining a group to its next packet"),
    "leave_ns": ("ns", "time from leaving a group to its last packet"),
    "group_stopped": ("ratio", "share of the groups that stopped while they had a member", True),
    "group_never": ("ratio", "share of the groups that never came to their member", True),
    "group_lasted_ns": (
        "ns",
        "time from joining a group to its last packet, of those that stopped",
    ),
    "query_every_ns": ("ns", "time from a question for members to the next"),
    "query_silent_ns": ("ns", "time without a question for members, before a group was left"),
}
