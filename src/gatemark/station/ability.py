# SPDX-License-Identifier: Apache-2.0
"""The abilities of the lab beyond its namespaces, found by trying; the rest is done without.

Each of these is a right over the whole machine, so an ordinary user has none of them, and root in a
container perhaps some. Trying changes nothing.
"""

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path

from gatemark.error import UnavailableError
from gatemark.node.binary import agent_path
from gatemark.station.awake import REQUEST

KTHREADD = 2  # the parent of all kernel threads
PATIENCE_S = 10.0  # with the agent; it answers in milliseconds
STEERING = Path("/sys/class/net/lo/queues/rx-0/rps_cpus")

# What is missing, and what that means for the numbers, a sentence each.
MISSING = {
    "cpu_time": "the gateway's CPU time: its threads are the kernel's, and /proc shows none of "
    "them here, so how busy it is, what limits it and what is wrong with it are not known.",
    "own_cpu": "a CPU of the gateway's own: its threads run where the scheduler puts them, "
    "beside the tester, so rates vary more and may be lower.",
    "slowdown": "a slowdown: the gateway forwards as fast as it can.",
    "awake": "idle CPUs that stay awake: a packet that wakes one takes longer and costs more CPU "
    "time.",
    "priority": "priority for the tester: other work on this machine disturbs it more.",
    "steering": "steering of received packets: with TCP the hosts' own work is in the "
    "gateway's time.",
}


@dataclass(frozen=True, slots=True)
class Ability:
    """The things that work here."""

    cpu_time: bool = True  # /proc shows the gateway's kernel threads
    own_cpu: bool = True  # they may be bound and given a class
    slowdown: bool = True  # BPF programs are taken
    awake: bool = True  # idle CPUs can be made to poll
    priority: bool = True  # a process may go before others
    steering: bool = True  # a port may hand what it receives to another CPU

    @property
    def missing(self) -> tuple[str, ...]:
        """Return what does not work, a sentence each."""
        return tuple(MISSING[field.name] for field in fields(self) if not getattr(self, field.name))


def ability() -> Ability:
    """Try everything."""
    seen, steers = sees_kernel_threads(), os.access(STEERING, os.W_OK)
    return Ability(seen, seen and _own_cpu(), slows(), _awake(), _priority(), steers)


def sees_kernel_threads() -> bool:
    """Return whether /proc shows them: not in a container, or where it hides others' processes."""
    try:
        return Path(f"/proc/{KTHREADD}/comm").read_text() == "kthreadd\n"
    except OSError:
        return False


def slows() -> bool:
    """Return whether the slowdown can be loaded: an agent that is to slow no port does so first."""
    try:
        done = subprocess.run(
            [agent_path(), "slow"],
            input='{"devices": [], "wait_ns": 0}\n',
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
    except (OSError, UnavailableError, subprocess.TimeoutExpired):
        return False
    return any(json.loads(line).get("key") == "devices" for line in done.stdout.splitlines())


def _own_cpu() -> bool:
    return _allowed(partial(_renice, KTHREADD, _nice(KTHREADD)))


def _priority() -> bool:
    was = _nice(0)
    return _allowed(partial(_renice, 0, was - 1)) and _allowed(partial(_renice, 0, was))


def _nice(pid: int) -> int:
    return os.getpriority(os.PRIO_PROCESS, pid)


def _renice(pid: int, nice: int) -> None:
    os.setpriority(os.PRIO_PROCESS, pid, nice)


def _awake() -> bool:
    return _allowed(lambda: REQUEST.open("wb").close())


def _allowed(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError:
        return False
    return True
