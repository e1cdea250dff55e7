# SPDX-License-Identifier: Apache-2.0
"""An agent that stays: jobs one after the other and at once, and none outlives it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from wire import Agent, Keys, expect, holds

if TYPE_CHECKING:
    from wire import Event, Wire

WATCH: Keys = {"what": ["memory"], "samples": 3, "interval_ms": 10}
GONE_S = 10.0


class Stay:
    """One that stays. What it passes on is sorted by job."""

    def __init__(self) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [*Agent.command, "stay"], stdin=pipe, stdout=pipe, stderr=pipe
        )
        self.out: dict[int, bytearray] = {}
        self.err: dict[int, bytearray] = {}
        self.gone: dict[int, int] = {}

    def order(self, line: str, data: bytes = b"") -> None:
        """Tells it something."""
        assert self.process.stdin
        self.process.stdin.write(line.encode() + b"\n" + data)
        self.process.stdin.flush()

    def say(self, job: int, what: Keys) -> None:
        """A line for a job, in pieces as small as they come."""
        data = json.dumps(what).encode() + b"\n"
        for at in range(0, len(data), 50_000):
            piece = data[at : at + 50_000]
            self.order(f"in {job} {len(piece)}", piece)

    def frame(self) -> bool:
        """Reads one; False at the end."""
        assert self.process.stderr
        pipe: IO[bytes] = self.process.stderr
        word, _, rest = pipe.readline().decode().partition(" ")
        if not word:
            return False
        job, value = map(int, rest.split())
        if word == "gone":
            self.gone[job] = value
        else:
            kept = self.out if word == "out" else self.err
            kept.setdefault(job, bytearray()).extend(pipe.read(value))
        return True

    def until(self, job: int, name: str) -> Event:
        """The event of this name of a job."""
        while True:
            lines = bytes(self.out.get(job, b"")).split(b"\n")[:-1]
            for event in map(json.loads, lines):
                if event["ev"] in {name, "error"}:
                    expect(event["ev"], name, event)
                    return dict(event)
            holds(self.frame(), job, name, self.err, lines)

    def until_gone(self, job: int) -> int:
        """A job's exit code, or the signal that ended it, below zero."""
        while job not in self.gone:
            holds(self.frame(), job)
        return self.gone[job]

    def close(self) -> int:
        """Its lease ends; returns its exit code."""
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        self.process.stdin.close()
        while self.frame():
            pass
        self.process.stdout.close()
        self.process.stderr.close()
        return self.process.wait(60)


def gone(pid: int) -> bool:
    """Whether a process has ended, waited for a while."""
    until = time.monotonic() + GONE_S
    while time.monotonic() < until:
        with suppress(OSError):
            if " Z " not in Path(f"/proc/{pid}/stat").read_text():
                time.sleep(0.01)
                continue
        return True
    return False


def jobs_at_once_are_each_their_own(wire: Wire) -> None:
    """Two that wait and one that ends: all that each prints is its own, and no exit code mixed."""
    del wire
    stay = Stay()
    for job in (1, 2, 3):
        stay.order(f"begin {job} watch")
        stay.say(job, WATCH | {"samples": 1 + job})
    hellos = [stay.until(job, "hello") for job in (1, 2, 3)]
    expect(len({hello["pid"] for hello in hellos}), 3)
    for job in (3, 1, 2):
        stay.until(job, "ready")
        stay.say(job, {"cmd": "start"})
    for job in (1, 2, 3):
        stay.order(f"end {job}")
        holds(len(stay.until(job, "done")["t_ns"]) <= 1 + job, job)
        expect(stay.until_gone(job), 0)
    expect(stay.close(), 0)


def a_request_in_many_pieces(wire: Wire) -> None:
    """A list of 100 000 ports is larger than a pipe."""
    del wire
    stay = Stay()
    stay.order("begin 1 send")
    ports = [1 + number % 65535 for number in range(100_000)]
    keys = {"port": "udp", "device": "lo", "family": 4, "src": "127.0.0.1", "dst": "127.0.0.1"}
    stay.say(1, keys | {"src_port": ports, "dst_port": 7001, "flows": 100_001})
    expect(stay.until(1, "error")["key"], "flows")
    expect(stay.until_gone(1), 2)
    expect(stay.close(), 0)


def what_is_no_verb_or_no_order(wire: Wire) -> None:
    """A job that cannot be is gone; an order that is none ends all."""
    del wire
    stay = Stay()
    stay.order("begin 1 dance")
    expect(stay.until_gone(1), 2)
    expect(bytes(stay.err[1]).strip(), b"gm-agent: no such verb: dance")
    stay.order("end 1")  # late, and nobody's fault
    stay.order("begin 2 watch")
    pid = stay.until(2, "hello")["pid"]
    stay.order("what is this")
    expect(stay.close(), 1)
    holds(gone(pid))


def a_job_is_killed_alone(wire: Wire) -> None:
    """The others go on."""
    del wire
    stay = Stay()
    for job in (1, 2):
        stay.order(f"begin {job} watch")
        stay.until(job, "hello")
    stay.order("kill 1")
    expect(stay.until_gone(1), -signal.SIGKILL)
    stay.say(2, WATCH)
    stay.until(2, "ready")
    stay.order("end 2")
    expect(stay.until_gone(2), 1)
    expect(stay.close(), 0)


def no_job_outlives_it(wire: Wire) -> None:
    """Neither where its stdin ends nor where it is killed."""
    del wire
    for end in (signal.SIGKILL, signal.SIGTERM, None):
        stay = Stay()
        for job in (1, 2):
            stay.order(f"begin {job} watch")
            stay.say(job, WATCH | {"samples": 100_000})
            stay.until(job, "ready")
            stay.say(job, {"cmd": "start"})
            stay.until(job, "start")
        pids = [stay.until(job, "hello")["pid"] for job in (1, 2)]
        if end:
            os.kill(stay.process.pid, end)
        code = stay.close()
        expect(code, -end if end is signal.SIGKILL else 0, end)
        holds(all(map(gone, pids)), end)


STAY_TESTS = [
    jobs_at_once_are_each_their_own,
    a_request_in_many_pieces,
    what_is_no_verb_or_no_order,
    a_job_is_killed_alone,
    no_job_outlives_it,
]
