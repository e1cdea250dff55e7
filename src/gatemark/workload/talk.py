# SPDX-License-Identifier: Apache-2.0
"""The programs' side of the laboratory's talk: JSON lines on stdin and stdout, as gm-agent has it.

They are Python programs that the laboratory starts on its hosts (agent/PROTOCOL.md: hello, ready,
start, tick, done; an end of stdin ends the job).
"""

import ctypes
import json
import os
import signal
from contextlib import suppress
from typing import Any, Final

from gatemark.node import nobody

PROTOCOL: Final = 1
STDIN: Final = 0
STDOUT: Final = 1
LONGEST_BYTES: Final = 1 << 20  # of what the laboratory asks
SET_PDEATHSIG, SET_NO_NEW_PRIVS = 1, 38  # prctl(2)

Request = dict[str, Any]


class RefusedError(Exception):
    """The job cannot go on; the text is for people, `fix` says what to do."""

    def __init__(self, reason: str, fix: str = "") -> None:
        super().__init__(reason)
        self.fix = fix


class Talk:
    """The pipe to the laboratory."""

    def __init__(self) -> None:
        self.started = False
        self.closed = False
        self._read = b""

    def fileno(self) -> int:
        """The end that is read."""
        return STDIN

    def say(self, event: str, **keys: Any) -> None:
        """One line."""
        text = json.dumps({"ev": event, **keys}, separators=(",", ":")).encode() + b"\n"
        with suppress(BrokenPipeError):
            while text:
                text = text[os.write(STDOUT, text) :]

    def request(self) -> Request:
        """Wait for the request, the first line, and return it. Raises RefusedError."""
        self.say("hello", protocol=PROTOCOL)
        while b"\n" not in self._read:
            piece = os.read(STDIN, LONGEST_BYTES)
            if not piece or len(self._read) > LONGEST_BYTES:
                raise RefusedError("nothing was asked")
            self._read += piece
        line, _, self._read = self._read.partition(b"\n")
        asked: Request = json.loads(line)
        return asked

    def readable(self) -> None:
        """The word to start, or the end."""
        piece = os.read(STDIN, 4096)
        self.closed = self.closed or not piece
        self._read += piece
        if b"start" in self._read and not self.started:
            self.started = True
            self.say("start")

    def writable(self) -> None:
        """Nothing is waited for there."""


def least_power() -> None:
    """Become nobody, as all do that read strangers' bytes; in a user's own namespace without."""
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() == 0 and nobody.is_there():
        os.setgroups([])
        os.setgid(nobody.NOBODY)
        os.setuid(nobody.NOBODY)  # all capabilities go with it (capabilities(7))
    libc.prctl(SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    libc.prctl(SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def place(cpu: int) -> None:
    """Run on a CPU; -1: wherever the kernel likes."""
    if cpu >= 0:
        os.sched_setaffinity(0, {cpu})
