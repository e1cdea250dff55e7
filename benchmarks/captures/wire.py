# SPDX-License-Identifier: Apache-2.0
"""Two hosts with an access line between them, as drawn; what passes is seen at both of them.

    PREFIX-a  near0 ------ line0  PREFIX-l  line1 ------ far0  PREFIX-b

Nothing merges or cuts frames, so a packet is a packet. Other work on the line makes its delay vary.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

from benchmarks.bare_lab import OurAgent, Report
from gatemark.node.binary import agent_path

NEAR: Final = "10.9.0.2"
FAR: Final = "10.9.0.3"
PREFIX: Final = "gmcap-"
NAMES: Final = Path("/run/netns")
RATES: Final = ((1.5, 6), (5, 16), (10, 25), (20, 20))  # Mbit/s up, down
FASTER: Final = RATES[2:]
DELAY_MS: Final = (2.5, 75.0)  # one way: 5 to 150 ms there and back
LOSS: Final = (0.0005, 0.02)
BUFFER_MS: Final = (20, 300)  # of the line's rate
CROSS: Final = (0.1, 0.5)  # of the line's rate, in bursts
CROSS_PPS: Final = 400  # at most, or the sender would need a CPU
SIZE: Final = 1200
SNAP: Final = 1600  # all, so that others can read names that a connection begins with
DISCARD: Final = 9  # RFC 863: the port of the other work
MOST_LOSS_PPB: Final = 1_000_000_000
NOTHING: Final = ("gro", "gso", "tso", "tx", "rx")
QUIET: Final = "net.ipv6.conf.all.disable_ipv6=1"
# Bursts of a drawn length with pauses, so that the mean is the rate.
BURSTS: Final = """
import random, socket, sys, time
to, pps, size, seed = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
draw, s = random.Random(seed), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
while True:
    count = 1 + int(draw.expovariate(1 / 12))
    for _ in range(count):
        try: s.sendto(bytes(size), (to, 9))
        except OSError: pass
    time.sleep(draw.expovariate(pps / count))
"""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A line, both its ways."""

    up_mbit: float
    down_mbit: float
    delay_ms: float
    loss: float
    buffer_ms: int
    cross: float
    seed: int


def drawn(draw: Random, *, is_wide: bool) -> Drawn:
    """Return a line; half of them lose nothing, half have no other work."""
    up, down = draw.choice(FASTER if is_wide else RATES)
    low, high = DELAY_MS
    delay = low * (high / low) ** draw.random()
    least, most = LOSS
    loss = least * (most / least) ** draw.random() if draw.random() < 0.5 else 0.0
    buffer = draw.randint(*BUFFER_MS)
    cross = draw.uniform(*CROSS) if draw.random() < 0.5 else 0.0
    return Drawn(
        up, down, round(delay, 2), round(loss, 5), buffer, round(cross, 3), draw.getrandbits(31)
    )


def inside(space: str, *words: str) -> list[str]:
    """Return a command in a namespace, which ends with the thread that starts it."""
    return ["setpriv", "--pdeathsig", "KILL", "ip", "netns", "exec", space, *words]


def run(*words: str) -> str:
    """Return the output of a command that has to succeed."""
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def sweep() -> None:
    """Take away the namespaces of those that are no more."""
    for path in NAMES.glob(f"{PREFIX}*"):
        pid = path.name.removeprefix(PREFIX).partition("-")[0]
        if not Path(f"/proc/{pid}").exists():
            subprocess.run(["ip", "netns", "del", path.name], check=False)


@dataclass(frozen=True, slots=True)
class Wire:
    """The line between two hosts, which are namespaces."""

    near: str
    far: str
    agent: OurAgent
    line: Drawn
    others: list[subprocess.Popen[bytes]]

    def cross(self) -> None:
        """Begin the other work, if the line has some."""
        ways = ((self.near, FAR, self.line.up_mbit), (self.far, NEAR, self.line.down_mbit))
        for space, to, mbit in ways if self.line.cross else ():
            pps = min(CROSS_PPS, self.line.cross * mbit * 1e6 / 8 / SIZE)
            words = (sys.executable, "-c", BURSTS, to, f"{pps:.1f}", str(SIZE), str(self.line.seed))
            self.others.append(subprocess.Popen(inside(space, *words)))

    def capture(self, space: str, device: str, file: Path) -> None:
        """Write what passes a device."""
        words = (
            f"tcpdump -i {device} -s {SNAP} -B 16384 -Z root -U -w {file} ip and not port {DISCARD}"
        )
        process = subprocess.Popen(inside(space, *words.split()), stderr=subprocess.PIPE)
        assert process.stderr
        while b"listening" not in (line := process.stderr.readline()):
            if not line:
                raise RuntimeError(f"tcpdump does not listen to {device}")
        self.others.append(process)

    def end(self) -> Report:
        """End the other work and the captures; return the books of the line."""
        for process in self.others:
            with suppress(ProcessLookupError):
                process.terminate()
            process.wait()
        self.others.clear()
        return self.agent.close()


@contextmanager
def wired(number: int, line: Drawn) -> Iterator[Wire]:
    """Both hosts, with nobody who says anything."""
    spaces = {end: f"{PREFIX}{os.getpid()}-{number}-{end}" for end in "alb"}
    wire = None
    try:
        for space in spaces.values():
            run("ip", "netns", "add", space)
            run("ip", "netns", "exec", space, "sysctl", "-qw", QUIET)
        for end, own, at, address in (("a", "near0", "line0", NEAR), ("b", "far0", "line1", FAR)):
            words = ("type", "veth", "peer", "name", at, "netns", spaces["l"])
            run("ip", "-n", spaces[end], "link", "add", own, *words)
            run("ip", "-n", spaces[end], "address", "add", f"{address}/24", "dev", own)
            for space, device in ((spaces[end], own), (spaces["l"], at)):
                off = (word for what in NOTHING for word in (what, "off"))
                run("ip", "netns", "exec", space, "ethtool", "-K", device, *off)
                run("ip", "-n", space, "link", "set", device, "up")
            run("ip", "-n", spaces[end], "link", "set", "lo", "up")
            run("ip", "-n", spaces[end], "route", "add", "default", "dev", own)
        command = inside(spaces["l"], str(agent_path()), "line")
        wire = Wire(spaces["a"], spaces["b"], OurAgent(tuple(command), request(line)), line, [])
        yield wire
    finally:
        if wire:
            with suppress(RuntimeError, OSError, ValueError):
                wire.end()
        for space in spaces.values():
            subprocess.run(["ip", "netns", "del", space], check=False, capture_output=True)


def request(line: Drawn) -> dict[str, Any]:
    """Return the agent's request for a line."""
    ways = {
        way: {
            "rate_bps": round(mbit * 1e6),
            "buffer_bytes": max(15_000, round(mbit * 1e6 / 8 * line.buffer_ms / 1e3)),
            "fixed_ns": round(line.delay_ms * 1e6),
            "loss_ppb": round(line.loss * MOST_LOSS_PPB),
        }
        for way, mbit in (("up", line.up_mbit), ("down", line.down_mbit))
    }
    ends = {"gateway_device": "line0", "wan_device": "line1"}
    return ends | ways | {"seed": line.seed or 1, "spin_us": 0}
