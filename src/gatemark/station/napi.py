# SPDX-License-Identifier: Apache-2.0
"""The gateway's forwarding in kernel threads of its own, bound to its own CPU.

A veth port forwards in a thread only if all of this holds; each was found by measuring:
- GRO is on at the receiving port: veth has no NAPI otherwise.
- TSO is off at the peer that sends: `veth_skb_is_eligible_for_gro` (drivers/net/veth.c) sends
  frames of a TSO port past NAPI, and the *sender's* CPU would then forward them.
- `threaded` was written after both. Each change of GRO, link or `threaded` makes a new thread with
  a new pid and no pinning, so threads are found and pinned again whenever one is missing.
- `gro_max_size` 1 keeps GRO from merging TCP segments: one wire packet stays one skb.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from gatemark.error import StationError
from gatemark.node.shell import Node
from gatemark.station import lock

FIFO_PRIORITY = 50


@dataclass(frozen=True, slots=True)
class Thread:
    """A NAPI thread of the gateway."""

    name: str  # "napi/gw0"
    pid: int
    cpu: int

    @property
    def sound(self) -> bool:
        """Still there, still on its CPU alone, still in its class."""
        try:
            return (
                Path(f"/proc/{self.pid}/comm").read_text().startswith(f"{self.name}-")
                and os.sched_getaffinity(self.pid) == {self.cpu}
                and os.sched_getscheduler(self.pid) == os.SCHED_FIFO
            )
        except OSError:
            return False


async def thread(gateway: Node, device: str, cpu: int) -> Thread:
    """Make a port of the gateway forward in a new thread, pin it and give it its class."""
    with lock.threads():
        before = _pids(device)
        await gateway.run(
            "sh",
            "-ec",
            f"ip link set dev {device} gro_max_size 1; cd /sys/class/net/{device};"
            "echo 0 > threaded; echo 1 > threaded",
        )
        new = _pids(device) - before
    if len(new) != 1:
        raise StationError(f"gateway: no NAPI thread for {device}: is this kernel 5.12 or newer?")
    made = Thread(f"napi/{device}", new.pop(), cpu)
    os.sched_setaffinity(made.pid, {cpu})
    # Without a real-time class any other task on this CPU halves the rate; a kernel thread of this
    # class gives way to the scheduler's fair server, so the CPU is not lost to the rest.
    os.sched_setscheduler(made.pid, os.SCHED_FIFO, os.sched_param(FIFO_PRIORITY))
    return made


def _pids(device: str) -> set[int]:
    found = set()
    for path in Path("/proc").glob("[0-9]*/comm"):
        try:
            if path.read_text().startswith(f"napi/{device}-"):
                found.add(int(path.parent.name))
        except OSError:
            continue
    return found
