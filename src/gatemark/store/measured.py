# SPDX-License-Identifier: Apache-2.0
"""The values of another tool, in our words."""

import msgspec

from gatemark.store.record import Definition, Scalar

UNKNOWN = "unknown"  # what no file of a tool tells of a path
# Fields that say which way a packet went, or who sent it: a tool cannot know the first.
OF_PATH = frozenset({"path", "features", "direction", "clients", "flow_ports", "slow_to_pps"})
OF_TOOL = frozenset({"driver", "duration_s", "settle_s"})


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """One file of a tool: one trial."""

    tool: str  # with its version: iperf3 3.12
    values: dict[str, float]  # quantity (of quantity.UNITS) -> value
    definition: Definition  # as far as the file tells it
    asked: dict[str, Scalar] = {}  # the offered rate
    unknown: frozenset[str] = OF_PATH  # fields of the definition that it does not tell
