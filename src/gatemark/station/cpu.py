# SPDX-License-Identifier: Apache-2.0
"""Which processor does what, so that the gateway's load and the tester's are never mixed."""

import os
from dataclasses import dataclass

from gatemark.error import UnavailableError
from gatemark.station.ability import Ability
from gatemark.station.demand import PLAIN, Demand
from gatemark.station.napi import FIFO_PRIORITY, SHARED_NICE

ANY_CPU = -1  # its host's to choose


@dataclass(frozen=True, slots=True)
class Placement:
    """CPU numbers. The gateway has one for itself; sender and sink part where there are three."""

    gateway: int
    sender: int
    sink: int
    line: int = ANY_CPU  # of an emulated line: another than the gateway's

    def require(self) -> None:
        """Raise UnavailableError where the gateway has no CPU for itself."""
        if self.gateway == self.sender:
            raise UnavailableError(
                "one CPU only: the gateway needs one for itself; use two or more"
            )

    def words(self, able: Ability, demand: Demand = PLAIN) -> dict[str, str]:
        """Return the demand as a record has it: what a trial asks for, by what is possible here."""
        tester = "cpu {}, nice -20" if able.priority else "cpu {}"
        words = {
            "gateway": self._gateway(able, demand),
            "sender": tester.format(self.sender),
            "sink": tester.format(self.sink),
        }
        if demand.steered and able.steering:
            words["steering"] = "the tester's ports to the tester's CPU (rps_cpus)"
        return words

    def _gateway(self, able: Ability, demand: Demand) -> str:
        place = f"cpu {self.gateway}" if able.own_cpu else "any cpu"
        if demand.relieved:
            return f"{place}, receiving for the sink"
        if able.own_cpu:
            nice, fifo = f"nice {SHARED_NICE}", f"fifo {FIFO_PRIORITY}"
            return f"{place}, napi threads, {nice if demand.shared else fifo}"
        program = f"; its program on cpu {self.gateway}" if demand.shared else ""
        return f"{place}, napi threads{program}"


def place(cpus: set[int] | None = None) -> Placement:
    """Placement on the CPUs that this process may use; what needs two of them asks `require`."""
    free = sorted(cpus or os.sched_getaffinity(0))
    sink = free[1] if len(free) > 2 else free[0]
    line = free[2] if len(free) > 3 else sink
    return Placement(gateway=free[-1], sender=free[0], sink=sink, line=line)
