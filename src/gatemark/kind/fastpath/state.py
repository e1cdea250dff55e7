# SPDX-License-Identifier: Apache-2.0
"""The path of each flow by what the gateway says: its table of connections, its flow tables. Pure.

    udp 17 src=... dport=4001 ... [OFFLOAD] mark=0 use=3      in a flow table
    udp 17 src=... dport=4001 ... [HW_OFFLOAD] mark=0 use=3   in the hardware
    udp 17 86 src=... dport=4001 ... [ASSURED] mark=0 use=2   on the usual path, for 86 s more

Sources: net/netfilter/nf_conntrack_standalone.c (ct_seq_show), nf_flow_table_procfs.c; nft(8).
`HW_OFFLOAD` and a table's `flags offload` were tried on text alone, on no hardware.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import pairwise
from typing import Final, NamedTuple

from gatemark.node.reader import reader

PROTOCOLS: Final = {"udp": 17, "tcp": 6}
ENTRY: Final = re.compile(r"\b(udp|tcp)\s+\d+\s(.*)")
DPORT: Final = re.compile(r"\bdport=(\d{1,5})\b")
TABLE: Final = re.compile(r"flowtable (\S+) \{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")
DEVICES: Final = re.compile(r"devices = \{([^}]*)\}")
STATISTICS: Final = ("wq_add", "wq_del", "wq_stats")


class State(IntEnum):
    """Where a flow's packets go."""

    GONE = 0  # in no table
    USUAL = 1
    TABLE = 2
    HARDWARE = 3


Flow = tuple[int, int]  # protocol, far port


class Table(NamedTuple):
    """A flow table of netfilter's."""

    name: str
    devices: tuple[str, ...]
    hardware: bool
    counts: bool  # its flows have counters


class Sample(NamedTuple):
    """A reading."""

    at_ns: int
    states: Mapping[Flow, State]
    statistics: Mapping[str, int] = {}


class Move(NamedTuple):
    """A flow that is elsewhere than it was."""

    at_ns: int
    flow: Flow
    before: State
    after: State
    silent_ns: int  # since its last packet, at the reading

    @property
    def why(self) -> str:
        """Return the reason in a word: added, aged, torn, forgotten."""
        if self.after is State.GONE:
            return "forgotten"
        if self.after > self.before:
            return "added"
        return "aged" if self.silent_ns >= SILENT_NS else "torn"


SILENT_NS: Final = 1_500_000_000  # a flow table waits for seconds: one that is busier did not age


@reader("its table of connections")
def connections(text: str, flows: Iterable[Flow]) -> dict[Flow, State]:
    """Return the state of each flow."""
    states = dict.fromkeys(flows, State.GONE)
    for line in text.splitlines():
        if not (entry := ENTRY.search(line)) or not (port := DPORT.search(entry[2])):
            continue
        flow = PROTOCOLS[entry[1]], int(port[1])
        if flow in states:
            states[flow] = max(states[flow], _state(line))
    return states


def _state(line: str) -> State:
    if "[HW_OFFLOAD]" in line:
        return State.HARDWARE
    return State.TABLE if "[OFFLOAD]" in line else State.USUAL


@reader("its flow tables")
def tables(text: str) -> list[Table]:
    """Return the flow tables that `nft list flowtables` names."""
    return [Table(name, *_table(body)) for name, body in TABLE.findall(text)]


def _table(body: str) -> tuple[tuple[str, ...], bool, bool]:
    devices = DEVICES.search(body)
    names = tuple(word.strip(' "\n\t') for word in devices[1].split(",")) if devices else ()
    lines = [line.strip().rstrip(";") for line in body.splitlines()]
    return tuple(filter(None, names)), "flags offload" in lines, "counter" in lines


@reader("the statistics of its flow tables")
def statistics(text: str) -> dict[str, int]:
    """Return what /proc/net/stat/nf_flowtable counts over all CPUs; nothing without it."""
    lines = [line.split() for line in text.splitlines()]
    if not lines or lines[0] != [*STATISTICS]:
        return {}
    return {name: sum(int(row[at]) for row in lines[1:]) for at, name in enumerate(STATISTICS)}


def moves(samples: Sequence[Sample], sent: Mapping[Flow, Sequence[int]]) -> Iterator[Move]:
    """Yield each change of a flow; `sent` are the times of its packets, ns, in order."""
    for before, after in pairwise(samples):
        for flow, state in after.states.items():
            was = before.states.get(flow, State.GONE)
            if state is was:
                continue
            times = sent.get(flow, ())
            number = bisect_right(times, after.at_ns)
            last = times[number - 1] if number else 0
            yield Move(after.at_ns, flow, was, state, after.at_ns - last)
