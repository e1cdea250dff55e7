# SPDX-License-Identifier: Apache-2.0
"""A thread of this machine that does the gateway's work: its `schedstat` is the gateway's time."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thread:
    """A NAPI thread of a namespace, a virtual machine's processor, what emulates its cards."""

    name: str  # napi/gw0, vcpu0
    pid: int
    cpu: int | None  # None: wherever the scheduler puts it
    carries: bool = False  # frames between the tester and the gateway: it is part of neither
