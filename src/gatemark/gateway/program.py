# SPDX-License-Identifier: Apache-2.0
"""A program that runs on the gateway while a trial does: a capture, a flow exporter, a user's own.

The run starts it before the traffic, ends it after, and sees that it has ended (run/beside.py).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Program:
    """What is started, and what its own last words count."""

    name: str  # as the feature's word: capture:tcpdump:68
    command: tuple[str, ...]  # by the gateway's shell, in the foreground
    ready: str = ""  # text on its standard error that says that it works; "": as it is started
    # What it said when it ended -> counters by name: captured, received, dropped.
    counters: Callable[[str], Mapping[str, int]] = lambda _: {}
