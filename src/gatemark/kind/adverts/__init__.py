# SPDX-License-Identifier: Apache-2.0
"""Router advertisements: how soon, how often, and how long they let a host have its prefix."""

from typing import Final

# What its values are: the unit, and words.
QUANTITIES: Final = {
    "ra_kept": ("ratio", "share of the time in which a host had a router and a prefix"),
    "ra_asked_ns": ("ns", "time from asking for a router to its advert"),
    "ra_every_ns": ("ns", "median time between two router adverts"),
    "ra_longest_ns": ("ns", "longest time without a router advert"),
    "ra_router_s": ("s", "time that a router is one for, as it says"),
    "ra_preferred_s": ("s", "time that a prefix is to be used for, as a router says"),
    "ra_valid_s": ("s", "time that a prefix is valid for, as a router says"),
}
