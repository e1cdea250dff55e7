# SPDX-License-Identifier: Apache-2.0
"""Whole agents, the wire between them, and the assertions about both.

gmagent-PID-a  v0 ------------ v1  gmagent-PID-b
  send          10.9.0.0/24        sink, watch, slow
  stream, connecting               stream, listening
"""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    from collections.abc import Iterator

Event = dict[str, Any]
Keys = dict[str, Any]

A, B = f"gmagent-{os.getpid()}-a", f"gmagent-{os.getpid()}-b"
SHOWN = 200  # characters at either end of a value that did not fit
ADDRESS = {4: ("10.9.0.1", "10.9.0.2"), 6: ("fd09::1", "fd09::2")}

# Sends frames given in hex as they are: what the agent itself would never send.
INJECT = """
import socket, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("v0", 0))
for line in sys.stdin: s.send(bytes.fromhex(line))
"""


REFUSED = 1  # columns of softnet_stat: packets that found no room,
WAITING = slice(11, 12)  # and packets that wait; older kernels do not tell them
EMPTIED_S = 5.0  # a CPU whose backlog is never seen empty is waited for no longer


class SkipError(Exception):
    """The test cannot be run here; the reason."""


def sh(*words: str, text: str | None = None) -> str:
    """Runs a command that has to succeed; returns what it prints."""
    return subprocess.run(words, check=True, capture_output=True, text=True, input=text).stdout


def expect(value: object, wanted: object, *about: object) -> None:
    """Fails unless both are equal."""
    if value != wanted:
        raise AssertionError(f"{short(value)}, not {short(wanted)} {about or ''}")


def short(value: object) -> str:
    """What a line has room for: the ends of what is long, such as frames."""
    text = repr(value)
    return text if len(text) <= 2 * SHOWN else f"{text[:SHOWN]} ... {text[-SHOWN:]}"


def holds(condition: object, *about: object) -> None:
    """Fails unless it does."""
    if not condition:
        raise AssertionError(about)


def snmp() -> dict[str, int]:
    """The receiver's counters of IPv4, such as UdpNoPorts, and of IPv6, such as Udp6NoPorts."""
    text = sh("ip", "netns", "exec", B, "cat", "/proc/net/snmp", "/proc/net/snmp6")
    counts = {name: int(n) for name, n in re.findall(r"(?m)^(\w+)\s+(\d+)$", text)}
    for protocol, names, values in re.findall(r"(?m)^(\w+): (.*)\n\1: (.*)$", text):
        numbers = map(int, values.split())
        counts |= dict(zip((protocol + name for name in names.split()), numbers, strict=True))
    return counts


def waits_s(pid: int) -> dict[str, float]:
    """How long each thread of a process was ready and others had the CPU (sched-stats.rst)."""
    waits = {}
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):  # it has just ended
            words = (thread / "schedstat").read_text(encoding="ascii").split()
            waits[thread.name] = int(words[1]) / 1e9
    return waits


def ran_s(pid: int) -> float:
    """How long the first thread of a process had a CPU."""
    words = Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()
    return int(words[0]) / 1e9


def backlogs() -> list[list[int]]:
    """What the kernel counts of each CPU's backlog, which all devices share (softnet_stat)."""
    lines = Path("/proc/net/softnet_stat").read_text(encoding="ascii").splitlines()
    return [[int(word, 16) for word in line.split()] for line in lines]


def overrun() -> int:
    """Packets that found the backlog of a CPU full."""
    return sum(counted[REFUSED] for counted in backlogs())


def settle() -> None:
    """Waits until each CPU has emptied its backlog: what was sent before has come, or is lost.

    Packets of other work may wait in the backlog before it: 150 were seen.
    """
    until = time.monotonic() + EMPTIED_S
    full = set(range(len(backlogs())))
    while full and time.monotonic() < until:
        full -= {cpu for cpu, counted in enumerate(backlogs()) if not any(counted[WAITING])}
        time.sleep(0.001 if full else 0)


OVERRUN = "other work has filled the CPU's backlog, which refused frames of the test"


@contextmanager
def unless_overrun() -> Iterator[None]:
    """Skips what fails while a CPU's backlog refuses frames: veth's and lo's go through it."""
    before = overrun()
    try:
        yield
    except (AssertionError, OSError, subprocess.SubprocessError):
        if overrun() == before:
            raise
        raise SkipError(OVERRUN) from None


class Agent:
    """One agent process and the conversation with it."""

    command: ClassVar[list[str]] = []
    running: ClassVar[list[Agent]] = []

    def __init__(self, namespace: str | None, verb: str, request: str | Keys) -> None:
        way_in = ["ip", "netns", "exec", namespace] if namespace else []
        self.process = subprocess.Popen(
            [*way_in, *self.command, verb],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.running.append(self)
        self.hello = self.event()
        self.say(request)
        self.ready = self.event()

    def say(self, what: str | Keys) -> None:
        """Sends one line."""
        assert self.process.stdin
        text = what if isinstance(what, str) else json.dumps(what)
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def event(self) -> Event:
        """Reads one line; empty where the agent has ended."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        return json.loads(line) if line else {}

    def until(self, name: str) -> Event:
        """Reads up to an event of this name, an error, or the end."""
        while (event := self.event()) and event["ev"] not in {name, "error"}:
            pass
        return event

    def start(self) -> Event:
        """Passes the barrier."""
        self.say({"cmd": "start"})
        return self.event()

    def end(self) -> int:
        """Closes stdin and waits; returns the exit code."""
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait(60)  # of a machine with other work

    def done(self) -> Event:
        """Waits for the job's own end; `waited_s`: how long it waited for a CPU."""
        event = self.until("done")
        event["waited_s"] = sum(waits_s(self.process.pid).values())
        expect(self.end(), 0 if event.get("ev") == "done" else 1)
        return event

    def close(self) -> Event:
        """Ends the job from outside, when all that was sent to it has come."""
        settle()
        assert self.process.stdin
        self.process.stdin.close()
        return self.done()

    @classmethod
    def end_all(cls) -> None:
        """Ends what a failed test has left, in order: a slow has to be taken off."""
        for agent in cls.running:
            try:
                agent.end()
            except subprocess.TimeoutExpired:
                agent.process.kill()
                agent.process.wait()
            if agent.process.stdout:
                agent.process.stdout.close()
        cls.running.clear()


class Wire:
    """Where traffic goes: a veth between two namespaces, or lo.

    Root has a lo of its own, so that several may test at a time.
    """

    def __init__(self, loopback: bool) -> None:
        self.loopback = loopback
        root = os.geteuid() == 0
        self.spaces = (A, B)[: 2 if not loopback else int(root)]
        self.a = self.spaces[0] if self.spaces else None
        self.b = self.spaces[-1] if self.spaces else None
        self.mac = ""

    def __enter__(self) -> Self:
        for namespace in self.spaces:
            sh("ip", "netns", "add", namespace)
            sh("ip", "-n", namespace, "link", "set", "lo", "up")
        if self.loopback:
            return self
        sh("ip", "-n", A, "link", "add", "v0", "type", "veth", "peer", "name", "v1", "netns", B)
        for namespace, device, side in ((A, "v0", 0), (B, "v1", 1)):
            # A full queue refuses a router solicitation as well, and would count it as ours.
            quiet = f"echo 0 > /proc/sys/net/ipv6/conf/{device}/accept_ra"
            sh("ip", "netns", "exec", namespace, "sh", "-c", quiet)
            own4, own6 = ADDRESS[4][side] + "/24", ADDRESS[6][side] + "/64"
            sh("ip", "-n", namespace, "addr", "add", own4, "dev", device)
            sh("ip", "-n", namespace, "addr", "add", own6, "dev", device, "nodad")
            sh("ip", "-n", namespace, "link", "set", device, "up")
        # NAPI at the sink's end of the veth, which live frames need.
        sh("ip", "netns", "exec", B, "ethtool", "-K", "v1", "gro", "on")
        # A closed port answers every time: answers are limited at random else (icmp(7)).
        sh("ip", "netns", "exec", B, "sh", "-c", "echo 0 > /proc/sys/net/ipv4/icmp_ratemask")
        self.mac = json.loads(sh("ip", "-j", "-n", B, "link", "show", "v1"))[0]["address"]
        return self

    def __exit__(self, *_: object) -> None:
        for namespace in self.spaces:
            subprocess.run(["ip", "netns", "del", namespace], check=False)

    def send_keys(self, **keys: object) -> Keys:
        """A request to send 500 packets; time enough for a machine that has other work."""
        port, family = keys.get("port", self.send_port), keys.get("family", 4)
        source, destination = ADDRESS[6 if family == 6 else 4]
        if self.loopback:
            source = destination = "::1" if family == 6 else "127.0.0.1"
        request: Keys = {
            "port": port,
            "device": "lo" if self.loopback else "v0",
            "family": family,
            "src": source,
            "dst": destination,
            "src_port": 5000,
            "dst_port": 9000,
            "frame_bytes": 100,
            "rate_pps": 5000,
            "packets": 500,
            "duration_ms": 60_000,
            "run": 7,
        }
        if port != "udp":
            request["dst_mac"] = self.mac
        return request | keys

    def sink_keys(self, **keys: object) -> Keys:
        """A request to receive that."""
        request: Keys = {
            "port": self.sink_port,
            "device": "lo" if self.loopback else "v1",
            "family": 4,
            "dst_port": 9000,
            "run": 7,
        }
        return request | keys

    @property
    def send_port(self) -> str:
        """The defaults of a test."""
        return "udp" if self.loopback else "raw"

    @property
    def sink_port(self) -> str:
        """The same for the other side."""
        return "udp" if self.loopback else "ring"

    def sender(self, **keys: object) -> Agent:
        """A sender up to its ready."""
        return Agent(self.a, "send", self.send_keys(**keys))

    def sink(self, **keys: object) -> Agent:
        """A sink up to its ready."""
        return Agent(self.b, "sink", self.sink_keys(**keys))

    def inject(self, frames: list[bytes]) -> None:
        """Sends frames from v0 as they are."""
        text = "".join(frame.hex() + "\n" for frame in frames)
        with unless_overrun():
            sh("ip", "netns", "exec", A, sys.executable, "-c", INJECT, text=text)

    def trial(self, send: Keys, sink: Keys) -> tuple[Event, Event]:
        """A sink, a sender, both to their end."""
        before = overrun()
        receiving = self.sink(**sink)
        expect(receiving.ready["ev"], "ready", receiving.ready)
        receiving.start()
        sending = self.sender(**send)
        expect(sending.ready["ev"], "ready", sending.ready)
        sending.start()
        sent, received = sending.done(), receiving.close()
        if received.get("unique", 0) < sent.get("tried", 0) and overrun() > before:
            raise SkipError(OVERRUN)
        return sent, received


@contextmanager
def segmentation_off(wire: Wire) -> Iterator[None]:
    """A sender's device without TSO: the other end has GRO look at each packet (veth.c)."""
    segmentation = ("ip", "netns", "exec", wire.a or "", "ethtool", "-K", "v0", "tso")
    sh(*segmentation, "off")
    try:
        yield
    finally:
        sh(*segmentation, "on")


def conserved(sent: Event, received: Event) -> None:
    """Packets are accounted for: tried = delivered once + lost, and what is lost was refused."""
    expect(sent["tried"], sent["sent"] + sent["refused"])
    expect(sum(sent["errors"].values()), sent["refused"])
    expect(sum(sent["tried_by_flow"]), sent["tried"])
    expect(received["unique"], sent["sent"], sent, received["foreign"], received["corrupt"])
    expect(received["received"], received["unique"] + received["duplicated"] + received["stale"])
    expect((received["corrupt"], received["ring_dropped"]), (0, 0))
    expect(received["clock_stepped_ns"], 0)
    expect(sum(received["flow"]["unique"]), received["unique"])
    expect(sum(received["delay_ns"]["count"]), received["unique"])
    expect(sum(received["gap_ns"]["count"]), received["received"] - 1)
    expect(sum(received["rate"]["packets"]), received["received"])
    expect(received["delay_negative"], 0)
    delays_over_time(received)


def delays_over_time(received: Event) -> None:
    """The bins hold the delays of the histogram: their sum within its buckets, and the greatest."""
    rate, histogram = received["rate"], received["delay_ns"]
    expect(len(rate["delay_sum_ns"]), len(rate["packets"]))
    expect(len(rate["delay_max_ns"]), len(rate["packets"]))
    least = sum(low * n for low, n in zip(histogram["low"], histogram["count"], strict=True))
    holds(least <= sum(rate["delay_sum_ns"]) <= 1.04 * least + received["received"])
    if histogram["low"]:
        low = histogram["low"][-1]
        holds(low <= max(rate["delay_max_ns"]) <= 1.04 * low + 1, low, rate["delay_max_ns"])


def ones_sum(data: bytes) -> int:
    """RFC 1071."""
    data += bytes(len(data) % 2)
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def ipv4_packet(payload: bytes, damage: int = 0) -> bytes:
    """A UDP packet from a to b made here, so that sink is not tested by its own kind."""
    addresses = bytes(map(int, ".".join(ADDRESS[4]).split(".")))
    udp = struct.pack("!HHHH", 5000, 9000, 8 + len(payload), 0) + payload
    checksum = ~ones_sum(addresses + struct.pack("!HH", 17, len(udp)) + udp) & 0xFFFF
    udp = udp[:6] + struct.pack("!H", checksum ^ damage) + udp[8:]
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(udp), 0, 0x4000, 64, 17, 0) + addresses
    return ip[:10] + struct.pack("!H", ~ones_sum(ip) & 0xFFFF) + ip[12:] + udp
