# SPDX-License-Identifier: Apache-2.0
"""A thread of this machine that does the gateway's work: its `schedstat` is the gateway's time."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Thread:
    """A NAPI thread of a namespace, a virtual machine's processor, what emulates its cards."""

    name: str  # napi/gw0, vcpu0
    pid: int
    cpu: int | None  # None: wherever the scheduler puts it
    carries: bool = False  # frames between the tester and the gateway: it is part of neither

    @property
    def waited_s(self) -> float:
        """The time that it could run and others had its CPU; 0 where no kernel says."""
        try:
            return int(Path(f"/proc/{self.pid}/schedstat").read_text().split()[1]) / 1e9
        except (OSError, ValueError, IndexError):
            return 0.0
