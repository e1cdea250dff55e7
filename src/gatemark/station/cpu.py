# SPDX-License-Identifier: Apache-2.0
"""Which processor does what, so that the gateway's load and the tester's are never mixed."""

import os
from dataclasses import dataclass

from gatemark.error import UnavailableError


@dataclass(frozen=True, slots=True)
class Placement:
    """CPU numbers. The gateway has one for itself; sender and sink part where there are three."""

    gateway: int
    sender: int
    sink: int

    def words(self) -> dict[str, str]:
        """As it stands in a record."""
        return {
            "gateway": f"cpu {self.gateway}",
            "sender": f"cpu {self.sender}, nice -20",
            "sink": f"cpu {self.sink}, nice -20",
        }


def place(cpus: set[int] | None = None) -> Placement:
    """Placement on the CPUs that this process may use. Raises UnavailableError with one CPU."""
    free = sorted(cpus or os.sched_getaffinity(0))
    if len(free) < 2:
        raise UnavailableError("one CPU only: the gateway needs one for itself; use two or more")
    return Placement(gateway=free[-1], sender=free[0], sink=free[1] if len(free) > 2 else free[0])
