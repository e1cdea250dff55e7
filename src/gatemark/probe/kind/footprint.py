# SPDX-License-Identifier: Apache-2.0
"""Probe `footprint`: the memory of each process and cache, entries and CPU time, after the load.

Of a gateway that is a namespace only its own processes and its own table of connections are read:
memory, the kernel's caches and CPUs are those of this machine, which others use as well. One shell
command, which busybox knows. Formats: proc_pid_status(5), proc_meminfo(5), slabinfo(5).
"""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from gatemark.node.quoted import literal
from gatemark.node.reader import reader
from gatemark.probe.probe import Outcome, Probe, Seen, Sent, twice

READ: Final = literal("""
grep -E '^(MemTotal|MemFree|MemAvailable|Slab):' /proc/meminfo; echo =
cat /proc/sys/net/netfilter/nf_conntrack_count /proc/sys/net/netfilter/nf_conntrack_max 2> /dev/null
echo =
grep '^cpu ' /proc/stat; echo =
ls -l /proc/self/ns/net /proc/[0-9]*/ns/net 2> /dev/null; echo =
grep -sE '^(Name|VmRSS):' /proc/[0-9]*/status; echo =
cat /proc/slabinfo 2> /dev/null || true
""")
BETWEEN: Final = re.compile(r"^=\n", re.MULTILINE)
KIB: Final = 1024
LEAST_BYTES: Final = 64 * KIB  # of a cache that is kept
HEADS: Final = 2  # lines of /proc/slabinfo
OURS: Final = ("gm-agent",)  # processes of the tester on the gateway
IDLE: Final = slice(3, 5)  # of a line of /proc/stat: idle, and waiting for I/O


class Reading(NamedTuple):
    """One reading; bytes."""

    memory: dict[str, int]
    table: tuple[int, ...]  # entries, and how many there may be; () without connection tracking
    ticks: tuple[int, int]  # of all CPUs: idle, and all
    spaces: dict[str, str]  # process -> its network namespace; self: the reader's own
    processes: dict[str, tuple[str, int]]  # its number -> name, memory
    slabs: dict[str, int]


@reader("what its processes and caches hold")
def parse(text: str) -> Reading:
    """One reading."""
    memory, table, cpu, spaces, processes, slabs = BETWEEN.split(text, 5)
    kib = {name: int(rest.split()[0]) for name, _, rest in _pairs(memory)}
    ticks = [int(word) for word in cpu.split()[1:9]]
    return Reading(
        {name: count * KIB for name, count in kib.items()},
        tuple(map(int, table.split())),
        (sum(ticks[IDLE]), sum(ticks)),
        dict(_spaces(spaces)),
        dict(_processes(processes)),
        dict(_slabs(slabs)),
    )


def _pairs(text: str) -> Iterator[tuple[str, str, str]]:
    return (line.partition(":") for line in text.splitlines())


def _spaces(text: str) -> Iterator[tuple[str, str]]:
    """`... /proc/812/ns/net -> net:[4026531840]`."""
    for line in text.splitlines():
        path, _, space = line.partition(" -> ")
        yield path.rpartition("/proc/")[2].partition("/")[0], space


def _processes(text: str) -> Iterator[tuple[str, tuple[str, int]]]:
    """`/proc/812/status:Name: dnsmasq`, then its VmRSS, which no thread of the kernel has."""
    names: dict[str, str] = {}
    for path, _, rest in _pairs(text):
        number, (what, _, value) = path.split("/")[2], rest.partition(":")
        if what == "Name":
            names[number] = value.strip()
        elif number in names:
            yield number, (names[number], int(value.split()[0]) * KIB)


def _slabs(text: str) -> Iterator[tuple[str, int]]:
    """Name, active objects, objects, bytes of an object."""
    for line in text.splitlines()[HEADS:]:
        name, _, objects, size, *_ = line.split()
        if (held := int(objects) * int(size)) >= LEAST_BYTES:
            yield name, held


def outcome(seen: Seen, sent: Sent) -> Outcome:
    """The second reading, and the share of its CPUs that was busy between the two."""
    before, after = seen.own["footprint"]
    is_space = sent.own is not None  # of this machine
    held: dict[str, Any] = {"processes": dict(_held(after, is_space))}
    if after.table:
        held["entries"], held["most_entries"] = (*after.table, 0)[:2]
    if not is_space:
        held |= {"memory": after.memory, "slabs": after.slabs}
        if (span := after.ticks[1] - before.ticks[1]) > 0:
            held["cpu_busy"] = 1 - (after.ticks[0] - before.ticks[0]) / span
    return Outcome(evidence={"footprint": held})


def _held(after: Reading, is_space: bool) -> Iterator[tuple[str, int]]:
    """Each process of the gateway with its number, as `dnsmasq 812`, and what it holds."""
    for number, (name, held) in after.processes.items():
        is_its = not is_space or after.spaces.get(number) == after.spaces.get("self")
        if is_its and not name.startswith(OURS):
            yield f"{name} {number}", held


PROBE: Final = Probe(outcome, watcher=twice(READ, parse))
