# SPDX-License-Identifier: Apache-2.0
"""TCP connections: how many at once, how many a second."""

from typing import Final

# What its values are: the unit, and words.
QUANTITIES: Final = {
    "connections": ("connections", "concurrent connections"),
    "connections_per_s": ("connections/s", "connection rate"),
    "connect_p50_ns": ("ns", "median time to open a connection"),
    "connect_p99_ns": ("ns", "99th percentile of the time to open a connection"),
    "echo_p50_ns": ("ns", "median time of a request and its answer"),
    "echo_p99_ns": ("ns", "99th percentile of the time of a request and its answer"),
    "connection_bytes": ("bytes", "the tester's memory for a connection, both ends"),
}
