# SPDX-License-Identifier: Apache-2.0
"""A part of the kernel, by the names of its functions."""

import msgspec

SUBSYSTEMS_SCHEMA = "gatemark.subsystems/1"
NETFILTER = "netfilter and conntrack"  # the one that a study counted: its share is told by itself


class Subsystem(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[subsystem]]`: of those that a function fits the first has it."""

    name: str
    patterns: tuple[str, ...]  # of names, as fnmatch(3)
    travels: bool = False  # a packet passes it: such functions bound the packet's own travel
    waits: bool = False  # the processor is in it between packets
    jumps: bool = False  # what stands between a call and its function: no calls


class File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`subsystems.toml` as it is written."""

    schema: str
    subsystem: tuple[Subsystem, ...]
