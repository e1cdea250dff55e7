# SPDX-License-Identifier: Apache-2.0
"""The counters that an agent reports: made by agent/counters.py, not by hand."""

from typing import Final, TypedDict


class SinkCounters(TypedDict):
    """The counters of a sink."""

    received: int
    unique: int
    duplicated: int
    reordered: int
    stale: int
    foreign: int
    beyond: int
    mark_changed: int
    port_changed: int
    corrupt: int
    ring_dropped: int
    clock_stepped_ns: int
    bytes: int
    first_ns: int
    last_ns: int
    gaps_over_1ms: int


class FlowCounters(TypedDict):
    """The counters of each flow, as columns."""

    unique: list[int]
    duplicated: list[int]
    reordered: list[int]
    highest: list[int]
    source_port: list[int]


class CorruptByCounters(TypedDict):
    """The packets that are wrong, by what shows it."""

    ip_sum: int
    udp_sum: int
    no_sum: int
    header: int


class ReplayCounters(TypedDict):
    """The counters of a side of a replay."""

    received: int
    unique: int
    duplicated: int
    reordered: int
    stale: int
    foreign: int
    unmasked: int
    mark_changed: int
    corrupt: int
    ring_dropped: int
    clock_stepped_ns: int
    bytes: int
    first_ns: int
    last_ns: int
    gaps_over_1ms: int


# Those that are values of a record: unit, and what it is in a few words.
VALUES: Final = {
    "mark_changed": ("packets", "packets whose DSCP was another as they arrived"),
}
# What a record notes of those that are above 0.
NOTES: Final[dict[str, str]] = {
    "port_changed": "{count} packets of known flows came from a new port: the NAT changed it",
}
