#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - a test runner prints
"""Runs whole agents against each other (wire.py draws the topology).

Without root, or with --loopback (foreign binaries under qemu-user), only what works over lo.

Usage: integration.py [--loopback] [--short | --slow] COMMAND...      such as build/x86_64/gm-agent

--short leaves out the tests of SLOW, which take half of the time; --slow runs these alone.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from captures import CAPTURE_TESTS
from connections import CONNECT_TESTS
from filters import FILTER_TESTS
from lines import LINE_TESTS
from ports import PORT_TESTS, frame_ports
from replays import REPLAY_TESTS
from sandboxes import SANDBOX_TESTS
from sinks import SINK_TESTS
from stays import STAY_TESTS
from strangers import STRANGER_TESTS
from streams import STREAM_TESTS
from wire import (
    A,
    Agent,
    B,
    Keys,
    SkipError,
    Wire,
    conserved,
    expect,
    holds,
    ipv4_packet,
    sh,
    snmp,
)

PROTOCOL = Path(__file__).resolve().parents[2] / "PROTOCOL.md"

RULES = "table inet looked { chain c { counter drop; }; chain d { drop; }; }"
# How long a packet to v1 and the answer take: a port where nobody listens refuses at once.
ANSWER = """
import socket, time
best = 1.0
for port in (7001, 7002):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(1)
    s.connect(("10.9.0.2", port))
    began = time.monotonic()
    try:
        s.send(b"x")
        s.recv(1)
    except ConnectionRefusedError:
        best = min(best, time.monotonic() - began)
    except TimeoutError:
        pass  # the kernel answers some six at once and then one a second
print(best)
"""


def ports_and_families(wire: Wire) -> None:
    """Every way to send against every way to receive."""
    for family in (4, 6):
        for port in {"udp", wire.send_port}:
            for other in {"udp", wire.sink_port}:
                sent, received = wire.trial(
                    {"port": port, "family": family}, {"port": other, "family": family}
                )
                conserved(sent, received)
                expect((sent["tried"], sent["scheduled"], sent["refused"]), (500, 500, 0))
                expect(received["bytes"], 100 * 500)


def marks(wire: Wire) -> None:
    """Every way to send marks its packets, and every way to receive counts other marks."""
    for family in (4, 6):
        for port in {"udp", wire.send_port}:
            for other in {"udp", wire.sink_port}:
                if family == 6 and other == "udp" and swapped():
                    continue
                keys: Keys = {"port": port, "family": family, "dscp": 46}
                for asked, changed in ((46, 0), (40, 500)):
                    sink: Keys = {"port": other, "family": family, "dscp": asked}
                    sent, received = wire.trial(keys, sink)
                    conserved(sent, received)
                    expect(received["mark_changed"], changed, port, other, family)


def swapped() -> bool:
    """Whether qemu-user hands the agent a packet's IPv6 mark in this machine's order of bytes.

    It does to a program of the other order (ELF: EI_DATA is 2), as no kernel does.
    """
    return len(Agent.command) > 1 and Path(Agent.command[-1]).read_bytes()[5] == BIG_ENDIAN


def sizes(wire: Wire) -> None:
    """A list of sizes is cycled packet by packet."""
    for family, least in ((4, 64), (6, 80)):
        cycle = [least, 1518, 333]
        sent, received = wire.trial(
            {"family": family, "frame_bytes": cycle, "packets": 300}, {"family": family}
        )
        conserved(sent, received)
        expect(sent["tried"], 300)
        expect(sent["frame_bytes_tried"], 100 * sum(cycle))
        expect(received["bytes"], 100 * sum(cycle))


def flows(wire: Wire) -> None:
    """Flows take turns, each with its own ports and numbers."""
    sources = [5000 + i for i in range(7)]
    targets = [9000 + i % 3 for i in range(7)]
    for port, other in {("udp", "udp"), (wire.send_port, wire.sink_port)}:
        sent, received = wire.trial(
            {"port": port, "flows": 7, "src_port": sources, "dst_port": targets, "burst": 5}
            | {"packets": 703},
            {"port": other, "flows": 7, "dst_port": targets, "delay": "flow"},
        )
        conserved(sent, received)
        expect(sent["tried_by_flow"], [101] * 3 + [100] * 4)
        expect(received["flow"]["unique"], sent["tried_by_flow"])
        expect(received["flow"]["highest"], [100] * 3 + [99] * 4)
        expect(received["flow"]["source_port"], sources)
        by_flow = [sum(flow["count"]) for flow in received["delay_by_flow"]]
        expect(by_flow, sent["tried_by_flow"])


def pacing(wire: Wire) -> None:
    """The schedule is kept, or reported as missed."""
    if wire.loopback:
        raise SkipError("emulated time proves nothing")
    sent, received = wire.trial(
        {"rate_pps": 20000, "packets": 0, "duration_ms": 500}, {"bin_ms": 50}
    )
    conserved(sent, received)
    expect(sent["scheduled"], 10000)
    lasted_s = (sent["t1_ns"] - sent["t0_ns"]) / 1e9
    rate = sent["tried"] / lasted_s
    # Nothing makes it too fast; too slow it is by as much as others had its CPU.
    kept = 0.5 - 2 * sent["waited_s"] / lasted_s
    holds(kept * 20000 < rate < 1.001 * 20000, rate, sent["waited_s"])
    sent, _ = wire.trial({"rate_pps": 20000, "cap_pps": 5000, "packets": 0, "duration_ms": 400}, {})
    expect(sent["scheduled"], 8000)
    holds(sent["tried"] <= 2010, sent["tried"])


def maximum(wire: Wire) -> None:
    """As fast as it goes: nothing is scheduled, everything is accounted for."""
    if wire.loopback:
        raise SkipError("a socket overruns under emulation")
    sent, received = wire.trial(
        {"rate_pps": 0, "packets": 0, "duration_ms": 300}, {"ring_bytes": 64 << 20}
    )
    conserved(sent, received)
    expect((sent["scheduled"], sent["burst"], "late_ns" in sent), (0, 32, False))
    holds(sent["tried"] > 1000, sent["tried"])


def turns(wire: Wire) -> None:
    """Of three senders the second: packets in its turns alone, and none in a turn's last fifth."""
    for port in frame_ports(wire):
        in_turns(wire, port)


def in_turns(wire: Wire, port: str) -> None:
    """One port sends in its turns."""
    own = {"turns": 3, "turn": 1, "turn_us": 50_000, "rests": 1, "port": port}
    sent, received = wire.trial(
        {"rate_pps": 0, "packets": 0, "duration_ms": 600, **own},
        {"bin_ms": 10, "ring_bytes": 64 << 20},
    )
    conserved(sent, received)
    rate = received["rate"]
    came = [rate["t0_ns"] + at * 10_000_000 for at, n in enumerate(rate["packets"]) if n]
    phases = [t % 150_000_000 / 1e6 for t in came]  # ms of a round, in which its turn begins at 50
    late = [phase for phase in phases if not 40 < phase < 90 + 5]
    # It is late, or has no turn, by as much as others had its CPU.
    waited_s = sent["waited_s"]
    holds(len(late) <= len(phases) // 5 + waited_s / 0.01, phases, waited_s)
    used = {(t - 50_000_000) // 150_000_000 for t in came}
    holds(len(used) >= 3 - waited_s / 0.05, came, waited_s)


def two_share_lo(wire: Wire) -> None:
    """Of two live senders of a namespace one has its program at lo, and both send all."""
    if "live" not in frame_ports(wire):
        raise SkipError("no live port here")
    own = {"port": "live", "lo_is_silent": 1}
    other = wire.sender(run=9, **own)
    sent, received = wire.trial(own, {})
    conserved(sent, received)
    other.start()
    done = other.done()
    expect((done["tried"], done["refused"]), (done["scheduled"], 0))


def early_end(wire: Wire) -> None:
    """A closed stdin ends a sender that would go on for a minute."""
    receiving = wire.sink()
    receiving.start()
    sending = wire.sender(packets=0, duration_ms=60000, tick_ms=20)
    sending.start()
    expect(sending.until("tick")["ev"], "tick")
    began = time.monotonic()
    sent = sending.close()
    holds(time.monotonic() - began < 50)
    holds(0 < sent["tried"] < sent["scheduled"], sent)
    conserved(sent, receiving.close())


def stdin_ends_early(wire: Wire) -> None:
    """No start comes."""
    for agent in (wire.sender(), wire.sink()):
        expect(agent.ready["ev"], "ready")
        event = agent.close()
        expect(event["ev"], "error")
        holds("before start" in event["reason"], event)


REFUSALS: list[tuple[Keys, str, int]] = [
    ({"speed": 1}, "speed", 2),
    ({"rate_pps": "fast"}, "rate_pps", 2),
    ({"flows": 0}, "flows", 2),
    ({"flows": 100_001}, "flows", 2),
    ({"src_count": 251}, "src_count", 2),
    ({"frame_bytes": 63}, "frame_bytes", 2),
    ({"frame_bytes": []}, "frame_bytes", 2),
    ({"frame_bytes": 9019}, "frame_bytes", 2),
    ({"family": 5}, "family", 2),
    ({"family": 6, "frame_bytes": 79}, "frame_bytes", 2),
    ({"src": "10.9.0.300"}, "src", 2),
    ({"dst": "::1"}, "dst", 2),
    ({"src_port": [1, 2]}, "src_port", 2),
    ({"flows": 2, "dst_port": [1, 2, 3]}, "dst_port", 2),
    ({"burst": 257}, "burst", 2),
    ({"port": "carrier"}, "port", 2),
    ({"port": "udp", "src_count": 2}, "src_count", 2),
    ({"cpu": 1000}, "cpu", 2),
    ({"run": 256}, "run", 2),
    ({"duration_ms": 0}, "duration_ms", 2),
    ({"turns": 2, "turn": 2, "rate_pps": 0}, "turn", 2),
    ({"turns": 2, "rate_pps": 1000}, "turns", 2),
    ({"turns": 2, "rate_pps": 0, "turn_us": 99}, "turn_us", 2),
    ({"device": "nope0"}, "device", 1),
    ({"device": "a-name-that-is-too-long"}, "device", 1),
]


def refusals(wire: Wire) -> None:
    """A wrong request is refused by its key; exit code 2, or 1 where the host is at fault."""
    cases = list(REFUSALS)
    if not wire.loopback:
        cases.append(({"dst_mac": "02:00"}, "dst_mac", 2))
        cases.append(({"port": "auto", "dst_mac": "02:00"}, "dst_mac", 2))
        cases.append(({"src": "10.9.0.254", "src_count": 3}, "src_count", 2))
        cases.append(
            ({"family": 6, "src": "fd09::fe", "dst": "fd09::2", "src_count": 3}, "src_count", 2)
        )
        cases.append(({"dst": "10.9.0.200", "dst_count": 57}, "dst_count", 2))
        cases.append(({"frame_bytes": 9018}, "frame_bytes", 2))  # the MTU is 1500
    for change, key, code in cases:
        agent = wire.sender(**change)
        event = agent.ready
        expect((event["ev"], event.get("key"), agent.end()), ("error", key, code), change, event)
        holds(event["reason"] and event["fix"], event)
    for text in ("", "[]", "{", '{"a":1', "hello"):
        agent = Agent(wire.a, "send", text)
        expect((agent.ready["ev"], agent.end()), ("error", 2), text)


def command_line(_: Wire) -> None:
    """The help lists the keys that PROTOCOL.md documents, no more and no less."""

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*Agent.command, *words],
            check=False,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )

    protocol = PROTOCOL.read_text()
    common = protocol.split("## Keys that every verb takes")[1].split("\n## ")[0]
    for verb in (
        "send",
        "sink",
        "stream",
        "connect",
        "replay",
        "watch",
        "look",
        "soak",
        "slow",
        "forward",
        "line",
        "capture",
        "flows",
    ):
        if verb == "line" and len(Agent.command) > 1:
            continue  # agents for devices are without it
        section = common + protocol.split(f"\n## {verb}\n")[1].split("\n## ")[0]
        first_cells = re.findall(r"(?m)^\| (`[^|]*) \|", section)
        documented = set(re.findall(r"`(\w+)`", "".join(first_cells)))
        helped = set(re.findall(r"(?m)^  (\w+) ", run(verb, "--help").stdout))
        expect(helped, documented, verb)
        holds(f"  {verb} " in run("--help").stdout)
    for words in ((), ("fly",), ("send", "extra"), ("--loud",)):
        expect(run(*words).returncode, 2, words)


def payload(sequence: int, run: int = 7, flow: int = 0, magic: int = 0xC7) -> bytes:
    """A test header of PROTOCOL.md, made here."""
    return bytes([magic, run]) + flow.to_bytes(3) + sequence.to_bytes(4) + bytes(9)


def sink_judges(wire: Wire) -> None:
    """Duplicates, reordering, strangers and damage, each planted by hand."""
    if wire.loopback:
        raise SkipError("needs a raw socket")
    # 2 comes late and then again, 4 so late that it is stale.
    packets = [ipv4_packet(payload(number)) for number in (0, 1, 3, 2, 2, 4999, 5000, 4)]
    strangers = [payload(9, run=8), payload(9, flow=1), payload(9, magic=1), b"short"]
    packets += [ipv4_packet(stranger) for stranger in strangers]
    packets += [ipv4_packet(payload(9), damage=1)]
    ethernet = bytes.fromhex(wire.mac.replace(":", "") + "020000000001" + "0800")
    receiving = wire.sink()
    receiving.start()
    wire.inject([ethernet + packet for packet in packets])
    report = receiving.close()
    wanted = {"received": 8, "unique": 6, "duplicated": 1, "reordered": 2, "stale": 1}
    wanted |= {"foreign": 4, "corrupt": 1}
    expect({name: report[name] for name in wanted}, wanted)
    expect(report["flow"]["highest"], [5000])


def no_answer(wire: Wire) -> None:
    """The guard sockets keep the host from answering with ICMP."""
    if wire.loopback:
        raise SkipError("the udp port has sockets of its own")

    def unreachable() -> tuple[int, int]:
        counts = snmp()
        return counts["IcmpOutDestUnreachs"], counts["Icmp6OutDestUnreachs"]

    before = unreachable()
    for family in (4, 6):
        conserved(*wire.trial({"family": family, "packets": 50}, {"family": family}))
    expect(unreachable(), before)


def check_rows(columns: Keys, rows: int) -> None:
    """Every column of a watch is as long as its times."""
    for name, values in columns.items():
        if isinstance(values, dict):
            check_rows(values, rows)
        else:
            expect(len(values), rows, name)


SLAB = ("active", "objects", "object_bytes")


def watching(wire: Wire) -> None:
    """All gauges at once, with a thread that goes and a device that never was."""
    what = ["threads", "cpu", "softnet", "interfaces", "memory", "conntrack", "slab", "pagesets"]
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        request = {"interval_ms": 50, "samples": 100, "what": what, "tick_ms": 50}
        request |= {"threads": [os.getpid(), sleeper.pid], "devices": ["lo", "nope0"]}
        request |= {"slabs": ["filp", "no_such_cache"]}
        agent = Agent(wire.b, "watch", request)
        expect(agent.ready["ev"], "ready", agent.ready)
        began = time.monotonic()
        agent.start()
        agent.until("tick")
        sleeper.kill()
    time.sleep(0.3)
    report = agent.close()
    rows = len(report["t_ns"])
    lasted_s = time.monotonic() - began
    holds(3 <= rows <= lasted_s / 0.05 + 2, rows, lasted_s)  # the first, and one for the end
    for name in what:
        if name not in report["absent"]:
            check_rows(report[name], rows)
    root = os.geteuid() == 0  # who alone may read the slabs
    holds(set(report["absent"]) <= {"conntrack"} | (set() if root else {"slab"}), report["absent"])
    if root:
        expect(list(report["slab"]), ["filp"])
        active, objects, each = (report["slab"]["filp"][name][-1] for name in SLAB)
        holds(0 < active <= objects and each >= 64, report["slab"])
    expect(sorted(report["gone"]), sorted([str(sleeper.pid), "nope0"]))
    run = report["threads"][str(os.getpid())]["run_ns"]
    holds(run == sorted(run) and run[0] > 0, run)
    holds(report["memory"]["free_bytes"][0] > 1 << 20)
    listed = report["pagesets"]["listed_bytes"]
    holds(all(each % os.sysconf("SC_PAGESIZE") == 0 for each in listed) and max(listed) > 0, listed)


def watching_few(wire: Wire) -> None:
    """The last of the samples is kept for the end."""
    agent = Agent(wire.b, "watch", {"interval_ms": 50, "samples": 3, "what": ["memory"]})
    agent.start()
    time.sleep(0.4)
    expect(len(agent.close()["t_ns"]), 3)


def soakers(agent: Agent) -> list[int]:
    """The processes that soak."""
    pid = agent.process.pid
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def soaking(wire: Wire) -> None:
    """What other work takes of a CPU is missing from its turns; the loops go with the agent."""
    for _ in range(5):  # work of the machine's own may come and go just then
        before, beside, had = soaked(wire)
        if beside < 0.7 * before:
            return
    if had < 0.5:
        raise SkipError("other work leaves too little of a CPU")
    holds(beside < 0.7 * before, before, beside)


def ran_ns(pids: list[int]) -> int:
    """What these were on a CPU so far."""
    return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in pids)


def soaked(wire: Wire) -> tuple[int, int, float]:
    """Turns of a loop in half a second, and beside another loop; what it had of its CPU first."""
    cpu = max(os.sched_getaffinity(0))
    request = {"interval_ms": 50, "samples": 100, "cpus": [cpu]}
    agent = Agent(wire.b, "soak", request)
    expect(agent.ready["ev"], "ready", agent.ready)
    pids = soakers(agent)
    expect([os.sched_getscheduler(pid) for pid in pids], [os.SCHED_IDLE])
    expect([os.sched_getaffinity(pid) for pid in pids], [{cpu}])
    agent.start()
    began_ns = ran_ns(pids)
    time.sleep(0.5)
    had = (ran_ns(pids) - began_ns) / 0.5e9
    with subprocess.Popen(["taskset", "-c", str(cpu), "sh", "-c", "while :; do :; done"]) as other:
        time.sleep(0.5)
        other.kill()
    report = agent.close()
    times, turns = report["t_ns"], report["turns"][str(cpu)]
    expect(len(turns), len(times))
    holds(turns == sorted(turns), turns)
    if had < 0.05:
        raise SkipError("other work leaves too little of a CPU")
    holds(turns[-1] > 0, turns, had)
    holds(not any(Path(f"/proc/{pid}").exists() for pid in pids), pids)
    half = len(turns) // 2
    return turns[half - 1] - turns[1], turns[-2] - turns[half + 1], had


def looking(wire: Wire) -> None:
    """Files and lists of a namespace at once; what cannot be read is left out."""
    if len(Agent.command) > 1:
        raise SkipError("an emulator passes no such request on to the kernel")
    files = ["/proc/net/snmp6", "/proc/nothing", "/sys/class/net/lo/mtu"]
    what = ["links", "qdiscs"] if wire.loopback else ["links", "qdiscs", "tables", "rules"]
    agent = Agent(wire.b, "look", {"files": files, "what": what})
    seen = agent.event()
    expect((agent.ready["ev"], seen["ev"], seen["failed"]), ("ready", "done", 0))
    expect(set(seen["files"]), {files[0], files[2]})
    expect(seen["files"][files[2]].strip(), "65536")
    (lo,) = (link for link in seen["links"] if link[0] == "lo")
    expect((lo[1:4], len(lo)), ([1, 65536, 0], 12))
    if not wire.loopback:
        sh("ip", "netns", "exec", B, "nft", RULES)
        after = Agent(wire.b, "look", {"what": what}).event()
        sh("ip", "netns", "exec", B, "nft", "delete table inet looked")
        expect((seen["tables"], seen["rules"]), ([], 0))
        expect((after["tables"], after["rules"]), ([[1, "looked"]], 1))
    agent.end()


def looking_elsewhere(wire: Wire) -> None:
    """Files that are none of the kernel's are the request's fault."""
    for path in ("/etc/passwd", "/proc/../etc/passwd"):
        agent = Agent(wire.b, "look", {"files": [path]})
        expect((agent.ready["ev"], agent.ready["key"], agent.end()), ("error", "files", 2))


def soaking_nowhere(wire: Wire) -> None:
    """A CPU that is not there is the request's fault."""
    agent = Agent(wire.b, "soak", {"samples": 2, "cpus": [1023]})
    expect((agent.ready["ev"], agent.ready["key"], agent.end()), ("error", "cpus", 2))


def qdiscs() -> str:
    """Of the device that carries the slow."""
    return sh("tc", "-n", B, "qdisc", "show", "dev", "v1")


def slow(wire: Wire, wait_ns: int) -> Agent:
    """A slow up to its ready."""
    if wire.loopback:
        raise SkipError("needs BPF and a device of its own")
    agent = Agent(B, "slow", {"devices": ["v1"], "wait_ns": wait_ns})
    if agent.ready["ev"] == "error" and agent.ready.get("key") != "devices":
        raise SkipError(agent.ready["reason"])
    return agent


def slowing(wire: Wire) -> None:
    """Packets wait, a second slow is refused, and nothing is left behind."""

    def answer() -> float:
        return float(sh("ip", "netns", "exec", A, sys.executable, "-c", ANSWER))

    agent = slow(wire, 5_000_000)
    expect(agent.ready["ev"], "ready", agent.ready)
    second = slow(wire, 0)
    expect((second.ready["ev"], second.ready["key"]), ("error", "devices"))
    holds("clsact" in second.ready["fix"] and "clsact" in qdiscs())
    conserved(*wire.trial({"rate_pps": 100, "packets": 20}, {}))
    slowed = answer()
    holds(0.005 < slowed < 0.5, slowed)
    agent.say({"cmd": "set", "wait_ns": 0})
    expect(agent.event(), {"ev": "set", "wait_ns": 0})
    holds(answer() < slowed)
    agent.say({"cmd": "set"})
    expect(agent.event()["ev"], "error")
    expect(agent.end(), 2)
    holds("clsact" not in qdiscs(), qdiscs())


def slow_lets_go(wire: Wire) -> None:
    """Closing stdin and SIGTERM both take the slowdown off and report its count."""
    for by_signal in (False, True):
        agent = slow(wire, 1000)
        expect(agent.ready["ev"], "ready", agent.ready)
        conserved(*wire.trial({"packets": 100}, {}))
        if by_signal:
            agent.process.send_signal(signal.SIGTERM)
        report = agent.done() if by_signal else agent.close()
        holds(report["packets"] >= 100, report)
        holds("clsact" not in qdiscs())


def forwarding(wire: Wire) -> None:
    """A packet without a route goes up and is counted, a second agent is refused, nothing stays."""
    if wire.loopback:
        raise SkipError("needs BPF and a device of its own")
    agent = Agent(B, "forward", {"devices": ["v1"]})
    if agent.ready["ev"] == "error" and "key" not in agent.ready:
        raise SkipError(agent.ready["reason"])
    expect(agent.ready["mode"], "native", agent.ready)
    second = Agent(B, "forward", {"devices": ["v1"]})
    expect((second.ready["ev"], second.ready["key"]), ("error", "device"))
    conserved(*wire.trial({"packets": 100}, {"port": "udp"}))
    agent.say({"cmd": "count"})
    report = agent.event()
    holds(report["passed"] >= 100 and report["forwarded"] == 0, report)
    report = agent.close()
    holds(report["passed"] >= 100, report)
    holds("xdp" not in sh("ip", "-n", B, "link", "show", "dev", "v1"))


def device_down(wire: Wire) -> None:
    """An interface that is down cannot be sent from."""
    if wire.loopback:
        raise SkipError("lo stays up")
    sh("ip", "-n", A, "link", "set", "v0", "down")
    try:
        agent = wire.sender()
        expect((agent.ready["ev"], agent.ready["key"], agent.end()), ("error", "device", 1))
    finally:
        sh("ip", "-n", A, "link", "set", "v0", "up")


TESTS = [
    ports_and_families,
    marks,
    sizes,
    flows,
    pacing,
    maximum,
    turns,
    two_share_lo,
    *PORT_TESTS,
    early_end,
    stdin_ends_early,
    refusals,
    command_line,
    sink_judges,
    no_answer,
    watching,
    watching_few,
    soaking,
    soaking_nowhere,
    looking,
    looking_elsewhere,
    slowing,
    slow_lets_go,
    forwarding,
    *SINK_TESTS,
    *STRANGER_TESTS,
    *STREAM_TESTS,
    *CONNECT_TESTS,
    *REPLAY_TESTS,
    *SANDBOX_TESTS,
    *STAY_TESTS,
    *LINE_TESTS,
    *CAPTURE_TESTS,
    *FILTER_TESTS,
    device_down,
]

# Rings that fill, disks that are full, lines that queue for seconds.
SLOW = {
    "laps",
    "collector_back",
    "collector_gone",
    "rotated",
    "disk_full",
    "frames_bear_a_mark",
    "flow_messages",
    "filtered_as_tcpdump",
    "schedule_is_the_model",
    "lines_keep_queues_short",
    "streams_time_out",
    "sending_over_time",
    "many_processes",
}

BIG_ENDIAN = 2  # EI_DATA of an ELF file
TEST_S = 120  # of the slowest, emulated and beside others, some twenty


def hangs(*_: object) -> None:
    """What is waited for does not come."""
    raise TimeoutError(f"not over after {TEST_S} s")


FAILURES = (AssertionError, OSError, KeyError, TypeError, subprocess.SubprocessError)


def chosen(words: list[str]) -> list[Callable[[Wire], None]]:
    """The tests that the command line asks for."""
    if "--short" in words:
        return [test for test in TESTS if test.__name__ not in SLOW]
    return [test for test in TESTS if "--slow" not in words or test.__name__ in SLOW]


def run(wire: Wire, tests: list[Callable[[Wire], None]]) -> int:
    """Runs these tests, reports each as TAP; returns how many failed."""
    failed = 0
    began = time.monotonic()
    signal.signal(signal.SIGALRM, hangs)
    for number, test in enumerate(tests, 1):
        signal.alarm(TEST_S)
        started = time.monotonic()
        try:
            test(wire)
            print(f"ok {number} - {test.__name__} # {time.monotonic() - started:.1f} s")
        except SkipError as reason:
            print(f"ok {number} - {test.__name__} # SKIP {reason}")
        except FAILURES as reason:
            failed += 1
            print(f"# {type(reason).__name__} {reason}\nnot ok {number} - {test.__name__}")
        finally:
            signal.alarm(0)
            Agent.end_all()
    print(f"1..{len(tests)}\n# {time.monotonic() - began:.1f} s: {' '.join(Agent.command)}")
    return failed


def main(words: list[str]) -> int:
    """The exit code."""
    loopback = "--loopback" in words
    command = [word for word in words if not word.startswith("--")]
    if not command:
        print(__doc__, file=sys.stderr)
        return 2
    Agent.command = [*command[:-1], str(Path(command[-1]).resolve())]
    if not loopback and os.geteuid() != 0:
        print("ok - namespaces # SKIP not root: only what works over lo is run")
        loopback = True
    with Wire(loopback) as wire:
        return 1 if run(wire, chosen(words)) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
