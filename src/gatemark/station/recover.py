# SPDX-License-Identifier: Apache-2.0
"""Remove what a crash or SIGKILL left: namespaces, processes, folders, locks, all by our names.

Nothing is kept to remember: a namespace that carries a lab's name whose lock is free is left over.
Links, rules, qdiscs and BPF programs live inside the namespaces and go with them. NICs of this
machine do not belong to them: these have a journal, and go home first (station/ssh/loan.py).
"""

import os
import re

from pyroute2 import netns

from gatemark.error import StationError
from gatemark.node import leftover
from gatemark.station import lock
from gatemark.station.process import end_processes
from gatemark.station.ssh import loan

NAME = re.compile(r"gm-([0-9a-f]{6})-(lan|gw|wan|lan2|ctl|line)")


def recover() -> list[str]:
    """Clean up after dead runs; returns one line for each lab, and folder, that was removed.

    An ordinary user outside of namespaces of his own has no labs.
    """
    if os.geteuid():
        return leftover.sweep()
    ours = [match for name in netns.listnetns() if (match := NAME.fullmatch(name))]
    left = {our[1] for our in ours} | set(lock.names())
    left |= set(loan.journals())
    removed = [line for lab in sorted(left) for line in _cleaned(lab)]
    return [*removed, *leftover.sweep()]  # a lab's supervisors ended with it


def _cleaned(lab: str) -> list[str]:
    """Its lock is held until its file is gone: who makes a lab of this name comes after."""
    with lock.left(lab) as is_left:
        return [_remove(lab)] if is_left else []


def _remove(lab: str) -> str:
    try:
        home = loan.give_back(lab)
    except StationError as error:
        return f"lab {lab}, of a dead run: {error}"
    named = map(NAME.fullmatch, netns.listnetns())
    spaces = [match[0] for match in named if match and match[1] == lab]
    for name in spaces:
        end_processes(name)
        netns.remove(name)
    leftover.forget(lab)
    lock.forget(lab)
    given = f"; given back: {', '.join(home)}" if home else ""
    return f"removed what a dead run left: lab {lab}, {len(spaces)} namespaces{given}"
