# SPDX-License-Identifier: Apache-2.0
"""Addresses that the gateway leases to its LAN: how many, how soon, and if they are renewed."""

from typing import Final

# What its values are: the unit, and words.
QUANTITIES: Final = {
    "dhcp_granted": ("ratio", "share of the leases and renewals that were granted"),
    "dhcp_leases_per_s": ("leases/s", "leases granted"),
    "dhcp_leased": ("ratio", "share of the hosts that got an address"),
    "dhcp_renewed": ("ratio", "share of the leases that were renewed"),
    "dhcp_lost": ("ratio", "share of the DHCP messages without an answer in a second", True),
    "dhcp_refused": ("ratio", "share of the hosts that were refused what they were offered", True),
    "dhcp_shared": ("addresses", "addresses that two hosts have at the same time", True),
    "dhcp_offer_p50_ns": ("ns", "median time of an offer"),
    "dhcp_lease_p50_ns": ("ns", "median time from asking to an address"),
    "dhcp_lease_p95_ns": ("ns", "95th percentile of the time from asking to an address"),
    "dhcp_lease_p99_ns": ("ns", "99th percentile of the time from asking to an address"),
    "dhcp_renew_p50_ns": ("ns", "median time of a renewal"),
    "dhcp_renew_p95_ns": ("ns", "95th percentile of the time of a renewal"),
    "dhcp_renew_p99_ns": ("ns", "99th percentile of the time of a renewal"),
    "dhcp_lasts_s": ("s", "time that an address is leased for"),
}
