# SPDX-License-Identifier: Apache-2.0
"""A prefix that the gateway is delegated by DHCPv6: got, renewed, and in use all the time."""

from typing import Final

# What its values are: the unit, and words.
QUANTITIES: Final = {
    "pd_held": ("ratio", "share of the questions to the delegated prefix that were answered"),
    "pd_renewed": ("ratio", "share of the renewals that were due and came through"),
    "pd_up_ns": ("ns", "time from the gateway's first question to a prefix in use"),
    "pd_renew_ns": ("ns", "median time from a lease to its renewal"),
    "pd_gap_ns": ("ns", "longest time in which the delegated prefix did not answer", True),
}
