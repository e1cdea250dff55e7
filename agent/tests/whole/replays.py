# SPDX-License-Identifier: Apache-2.0
"""Whole agents that replay a capture at each other: the LAN side is a, the WAN side b."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from wire import Agent, Event, Keys, SkipError, Wire, expect, holds, ones_sum, sh, unless_overrun

MS = 1_000_000
LAN, FAR = "10.1.2.3", "203.0.113.9"


def packed(address: str) -> bytes:
    """An IPv4 address as it is on the wire."""
    return bytes(map(int, address.split(".")))


def frame(up: bool, port: int, payload: bytes, tcp: bool) -> bytes:
    """A frame of the conversation between LAN and FAR; its checksums are wrong."""
    ports = (port, 5004) if up else (5004, port)
    if tcp:
        l4 = struct.pack("!HHIIBBHHH", *ports, 1, 1, 0x50, 0x18, 512, 0xBAD, 0) + payload
    else:
        l4 = struct.pack("!HHHH", *ports, 8 + len(payload), 0xBAD) + payload
    ends = packed(LAN) + packed(FAR) if up else packed(FAR) + packed(LAN)
    ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(l4), 7, 0, 3, 6 if tcp else 17, 0xBAD)
    return bytes(12) + b"\x08\x00" + ip + ends + l4


def capture(folder: str, cut: int = 0, step: int = 7) -> str:
    """100 packets each way in half a second, of a UDP and a TCP flow; `cut` bytes are missing.

    Each has `step` bytes more of payload than the one before.
    """
    made = struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
    for at in range(100):
        for up in (True, False):
            whole = frame(up, 6000, os.urandom(at * step), tcp=at % 2 == 1)
            us = at * 5000 + (0 if up else 700)
            made += struct.pack("<IIII", 1, us, len(whole), len(whole)) + whole
    path = Path(folder) / "capture.pcap"
    path.write_bytes(made[: len(made) - cut])
    return str(path)


def side(wire: Wire, name: str, trace: str, **keys: object) -> Agent:
    """One side up to its ready."""
    lan = name == "lan"
    namespace, device = (wire.a, "v0") if lan else (wire.b, "v1")
    other = wire.b if lan else wire.a
    peer = json.loads(sh("ip", "-j", "-n", str(other), "link", "show", "v1" if lan else "v0"))
    request: Keys = {
        "trace": trace,
        "side": name,
        "device": device,
        "dst_mac": peer[0]["address"],
        "family": 4,
        "client": "198.18.1.4",
        "far": "198.19.1.254",
        "duration_ms": 2000,
    }
    return Agent(namespace, "replay", request | keys)


class Stall(NamedTuple):
    """A time in which a shared machine does not run us."""

    sides: tuple[int, ...]  # 0: LAN, 1: WAN
    at_s: float  # from the common beginning
    for_s: float


def stall_sides(pids: list[int], stall: Stall, t0_us: int) -> None:
    """Stop these processes for that time."""
    time.sleep(max(0.0, t0_us / 1e6 + stall.at_s - time.monotonic()))
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(stall.for_s)
    for pid in pids:
        os.kill(pid, signal.SIGCONT)


def play(wire: Wire, stall: Stall | None = None, step: int = 7, **keys: Any) -> tuple[Event, Event]:
    """Both sides from a common beginning to their ends; a stall is of the sides that it names."""
    if wire.loopback:
        raise SkipError("needs two hosts")
    with tempfile.TemporaryDirectory() as folder:
        trace = capture(folder, step=step)
        both = [side(wire, name, trace, **keys) for name in ("lan", "wan")]
        for agent in both:
            expect(agent.ready["ev"], "ready", agent.ready)
    t0_us = time.monotonic_ns() // 1000 + 50_000
    for agent in both:
        agent.say({"cmd": "start", "t0_us": t0_us})
    if stall:
        stall_sides([both[side].process.pid for side in stall.sides], stall, t0_us)
    for agent in both:
        expect(agent.until("sent")["ev"], "sent")
    lan, wan = (agent.close() for agent in both)
    expect((lan["t0_ns"], wan["t0_ns"]), (t0_us * 1000, t0_us * 1000))
    return lan, wan


def all_there(sent: Event, received: Event) -> None:
    """What one side sent is what the other has, packet by packet."""
    sender, sink = sent["sender"], received["sink"]
    expect(sender["tried"], sender["scheduled"])
    why = {key: sink[key] for key in ("foreign", "corrupt", "ring_dropped")}
    expect(sink["unique"], sender["sent"], why, sender["refused"])
    expect(sink["clock_stepped_ns"], 0)
    expect(sender["tried_by_flow"], sink["flow"]["unique"])
    expect(sorted(sink["packet"]["number"]), list(range(sender["tried"])))
    left = sender["packet"]["sent_ns"]
    came = zip(sink["packet"]["number"], sink["packet"]["arrival_ns"], strict=True)
    holds(all(0 < at - left[number] < 1000 * MS for number, at in came))


@unless_overrun()
def replaying(wire: Wire) -> None:
    """Both directions at once, each packet identified and in its time."""
    lan, wan = play(wire)
    all_there(lan, wan)
    all_there(wan, lan)
    expect((lan["sender"]["tried"], wan["sender"]["tried"]), (100, 100))
    expect(wan["sink"]["flow"]["port"], [6000, 6000])
    behind = [left - lan["t0_ns"] for left in lan["sender"]["packet"]["sent_ns"]]
    holds(all(late >= number * 5 * MS for number, late in enumerate(behind)))
    holds(behind[-1] < 1600 * MS, behind[-1])  # GRACE_NS of replay/player.c


@unless_overrun()
def replaying_through_a_stall(wire: Wire) -> None:
    """What became late while the machine stood still is sent late, also at the end."""
    for stall in (Stall((0, 1), 0.2, 0.4), Stall((0,), 0.45, 0.1), Stall((1,), 0.45, 0.1)):
        lan, wan = play(wire, stall)
        all_there(lan, wan)
        all_there(wan, lan)
        expect((lan["sender"]["tried"], wan["sender"]["tried"]), (100, 100))


@unless_overrun()
def replaying_clones(wire: Wire) -> None:
    """Each flow three times from two clients, at a rate, one way only."""
    keys: Keys = {"clones": 3, "clients": 2, "rate_pps": 2000, "ways": "up"}
    lan, wan = play(wire, **keys)
    all_there(lan, wan)
    expect((lan["sender"]["tried"], wan["sender"]["tried"]), (300, 0))
    expect(wan["sink"]["flow"]["port"], [6000, 6000, 6001, 6000, 6000, 6001])


@unless_overrun()
def replaying_jumbo_frames(wire: Wire) -> None:
    """Packets of up to 8 KB, each whole, over ports that take them."""
    if wire.loopback:
        raise SkipError("needs two hosts")
    ports = ((wire.a, "v0"), (wire.b, "v1"))
    for namespace, device in ports:
        sh("ip", "-n", str(namespace), "link", "set", device, "mtu", "9000")
    try:
        lan, wan = play(wire, step=80, packet_most=9000)
    finally:
        for namespace, device in ports:
            sh("ip", "-n", str(namespace), "link", "set", device, "mtu", "1500")
    all_there(lan, wan)
    all_there(wan, lan)
    expect((lan["sender"]["tried"], wan["sender"]["tried"]), (100, 100))


def replaying_refused(wire: Wire) -> None:
    """A capture that breaks off is refused with its place, and so is none."""
    device = {"side": "lan", "device": "lo", "dst_mac": "02:00:00:00:00:01", "family": 4}
    lab = {"client": "198.18.1.4", "far": "198.19.1.254", "duration_ms": 100}
    with tempfile.TemporaryDirectory() as folder:
        for trace, reason in (
            (capture(folder, cut=10), "it breaks off: 737 bytes of a packet's 747"),
            (folder, "it is no file"),
            (f"{folder}/none", "No such file or directory"),
        ):
            agent = Agent(wire.a, "replay", {"trace": trace, **device, **lab})
            expect((agent.ready["ev"], agent.ready["key"]), ("error", "trace"))
            holds(agent.ready["reason"].endswith(reason), agent.ready["reason"])
            expect(agent.end(), 2)


def replayed_frames(wire: Wire) -> None:
    """A frame on the wire is sound by another's reckoning than the agent's own."""
    if wire.loopback:
        raise SkipError("needs two hosts")
    script = """
import socket
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x800))
s.bind(("v1", 0x800))
print("ready", flush=True)
for _ in range(4): print(s.recv(2000).hex(), flush=True)
"""
    with tempfile.TemporaryDirectory() as folder:
        lan = side(wire, "lan", capture(folder), ways="up")  # alone: nothing waits for answers
    words = ["ip", "netns", "exec", str(wire.b), "python3", "-c", script]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as listener:
        assert listener.stdout
        listener.stdout.readline()
        lan.start()
        came = [bytes.fromhex(listener.stdout.readline()) for _ in range(4)]
    lan.close()
    for number, packet in enumerate(came):
        ip, l4 = packet[14:34], packet[34:]
        expect(ones_sum(ip), 0xFFFF)
        pseudo = ip[12:20] + struct.pack("!HH", ip[9], len(l4))
        expect(ones_sum(pseudo + l4), 0xFFFF)
        expect(ip[12:20], packed("198.18.1.4") + packed("198.19.1.254"))
        expect((int.from_bytes(ip[4:6], "big"), ip[8]), (number, 64))
        expect(len(l4), (20 if number % 2 else 8) + number * 7)


REPLAY_TESTS = [
    replaying,
    replaying_through_a_stall,
    replaying_clones,
    replaying_jumbo_frames,
    replaying_refused,
    replayed_frames,
]
