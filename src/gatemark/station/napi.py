# SPDX-License-Identifier: Apache-2.0
"""The gateway's forwarding in kernel threads of its own, bound to its own CPU.

A veth port forwards in a thread only if all of this holds; each was found by measuring:
- GRO is on at the receiving port: veth has no NAPI otherwise.
- TSO is off at the peer that sends: `veth_skb_is_eligible_for_gro` (drivers/net/veth.c) sends
  frames of a TSO port past NAPI, and the *sender's* CPU would then forward them.
- `threaded` was written after both. Each change of GRO, link or `threaded` makes a new thread with
  a new pid and no pinning, so threads are found and pinned again whenever one is missing.
- `gro_max_size` 1 keeps GRO from merging TCP segments: one wire packet stays one skb.

Who may not bind a kernel thread leaves it to the scheduler, which moves it away from a busy tester
if another CPU is free. It is still a thread of its own, so its `schedstat` is the gateway's time.
"""

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from gatemark.error import StationError
from gatemark.node.quoted import sh, shell
from gatemark.node.shell import Node
from gatemark.station import lock
from gatemark.station.ability import sees_kernel_threads
from gatemark.station.thread import Thread

FIFO_PRIORITY = 50
TRIES = 3  # a laboratory of another container, with locks of its own, may make one just then
REMAKE = """set -e
ip link set dev {device} gro_max_size 1
cd /sys/class/net/{device}; echo 0 > threaded; echo 1 > threaded"""
SHARED_NICE = -20  # as the gateway's own program, before whatever else is on that CPU


@dataclass(frozen=True, slots=True)
class NapiThread(Thread):
    """A NAPI thread of the gateway, by the name `napi/gw0`."""

    def sound(self, *, shared: bool = False) -> bool:
        """Still there, still on its CPU alone, in the class that is wanted."""
        try:
            there = Path(f"/proc/{self.pid}/comm").read_text().startswith(f"{self.name}-")
            return there and (self.cpu is None or self._placed(self.cpu, shared=shared))
        except OSError:
            return False

    def _placed(self, cpu: int, *, shared: bool) -> bool:
        wanted = os.SCHED_OTHER if shared else os.SCHED_FIFO
        return os.sched_getaffinity(self.pid) == {cpu} and os.sched_getscheduler(self.pid) == wanted

    def classify(self, *, shared: bool) -> None:
        """Give it its class; `shared` where a program of the gateway is on the same CPU.

        Without a real-time class any other task on this CPU halves the rate; a kernel thread of
        this class gives way to the scheduler's fair server, so the CPU is not lost to the rest.
        But the gateway's own program would starve, so beside one both are of normal class.
        """
        if self.cpu is None:
            return
        if shared:
            os.sched_setscheduler(self.pid, os.SCHED_OTHER, os.sched_param(0))
            os.setpriority(os.PRIO_PROCESS, self.pid, SHARED_NICE)
        else:
            os.sched_setscheduler(self.pid, os.SCHED_FIFO, os.sched_param(FIFO_PRIORITY))


async def thread(gateway: Node, device: str, cpu: int | None) -> NapiThread | None:
    """Make a port of the gateway forward in a new thread, bound to its CPU in class FIFO.

    Without a CPU the thread stays as the kernel made it. None where /proc shows no kernel thread,
    as in a container: it forwards all the same, and its time is not known.
    """
    remake = sh(shell(REMAKE, device=device))
    if not sees_kernel_threads():
        await gateway.run(*remake)
        return None
    new: set[int] = set()
    for _ in range(TRIES):
        with lock.threads():
            before = _pids(device)
            await gateway.run(*remake)
            new = _pids(device) - before
        if len(new) == 1:
            break
    if len(new) != 1:
        text = f"{len(new)} new threads" if new else "no NAPI thread"
        raise StationError(f"{gateway.name}: {text} for {device}: is this kernel 5.12 or newer?")
    made = NapiThread(f"napi/{device}", new.pop(), cpu)
    if cpu is not None:
        os.sched_setaffinity(made.pid, {cpu})
        made.classify(shared=False)
    return made


def _pids(device: str) -> set[int]:
    results = set()
    # No pattern with /comm: pathlib asks whether it is there, and fails if its process has gone.
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (path / "comm").read_text().startswith(f"napi/{device}-"):
                results.add(int(path.name))
    return results
