# SPDX-License-Identifier: Apache-2.0
"""A program that runs on the gateway while a trial does: a capture, a flow exporter, a user's own.

The run starts it before the traffic, ends it after, and sees that it has ended (run/program.py).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gatemark.node.quoted import Script, literal, shell

Counters = Mapping[str, int]
NO_QUESTION: Final = literal("")
GOES: Final = "goes"  # a file in its folder: the traffic has begun
# What a program says of the action that it is there for.
WAITS: Final = "gatemark: waits for the traffic"
BEGINS, OVER = "gatemark: the action begins", "gatemark: the action is over"
LACKS: Final = """command -v {program} > /dev/null || {{
  echo "no "{program}" on the gateway: apt-get install "{package} >&2; exit 127
}}
"""
OFFLOADED: Final = "offloaded"  # counter: flows at a time that a flow table forwards


@dataclass(frozen=True, slots=True)
class Program:
    """A program to start, and the counters in its last words.

    It runs in a folder of its own, which is removed with all that is in it. It works when it has
    said `ready`, or has a packet socket at `device`, or, without either, as soon as it is started.
    """

    name: str  # as the feature's word: capture:tcpdump:68
    command: tuple[str, ...]  # by the gateway's shell, in the foreground
    agent: str = ""  # a verb of gm-agent; then `command` is its request alone
    classifies: bool = False  # it is gm-classifier; then `command` is what stands behind it
    files: tuple[Path, ...] = ()  # of this machine that `command` names: put on the gateway
    waits: bool = False  # for the traffic to begin, and then acts
    ready: str = ""  # text in what it says, on stdout or stderr, once it works
    device: str = ""  # the port of the gateway that it listens at; "": at none
    settle_s: float = 0.0  # after the last packet: until it has read what its buffers hold
    question: Script = (
        NO_QUESTION  # a shell command that tells its counters, asked before it is ended
    )
    # What it and the question said -> counters by name: captured, received, dropped.
    counters: Callable[[str], Counters] = lambda _: {}


def needs(program: str, package: str) -> Script:
    """Return what stands before a command: it ends, with the fix, where a program is not there."""
    return shell(LACKS, program=program, package=package)


def counting(*patterns: str) -> Callable[[str], Counters]:
    """Counters out of last words: the named groups of these, each by its last match.

    Several groups of one quantity differ by digits behind its name, and are added up.
    """
    compiled = [re.compile(pattern, re.MULTILINE) for pattern in patterns]

    def read(text: str) -> Counters:
        last: dict[str, int] = {}
        for pattern in compiled:
            for match in pattern.finditer(text):
                last |= {
                    name: int(text)
                    for name, text in match.groupdict().items()
                    if text and text.isdecimal()
                }
        sums: dict[str, int] = {}
        for name, value in last.items():
            quantity = name.rstrip("0123456789")
            sums[quantity] = sums.get(quantity, 0) + value
        return sums

    return read
