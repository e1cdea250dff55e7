# SPDX-License-Identifier: Apache-2.0
"""Names that the gateway answers for its LAN: from its cache, and by asking the WAN."""

from typing import Final

# What its values are: the unit, and words.
QUANTITIES: Final = {
    "dns_answered": ("ratio", "share of the DNS queries that were answered"),
    "dns_per_s": ("queries/s", "DNS queries answered"),
    "dns_lost": ("ratio", "share of the DNS queries without an answer", True),
    "dns_refused": ("ratio", "share of the DNS queries that were answered by an error", True),
    "dns_every": ("queries", "one of so many DNS queries is lost, as regularly as counted"),
    "dns_hit_lost": ("ratio", "share of the cached names' queries without an answer", True),
    "dns_hit_p50_ns": ("ns", "median time of an answer from the cache"),
    "dns_hit_p95_ns": ("ns", "95th percentile of the time of an answer from the cache"),
    "dns_hit_p99_ns": ("ns", "99th percentile of the time of an answer from the cache"),
    "dns_miss_lost": ("ratio", "share of the unknown names' queries without an answer", True),
    "dns_miss_p50_ns": ("ns", "median time of an answer that was asked for"),
    "dns_miss_p95_ns": ("ns", "95th percentile of the time of an answer that was asked for"),
    "dns_miss_p99_ns": ("ns", "99th percentile of the time of an answer that was asked for"),
}
